"""What every estimator over objects shares: a measure, data that are ingested once, and an rng."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from .engine import warn_user
from .measures import Measure, Precomputed, get
from .objects import Vectors

Rows = NDArray[np.intp]
Numbers = NDArray[np.float64]


class ObjectEstimator(BaseEstimator):
    """An estimator whose X are the objects of a measure.

    Subclasses have a parameter `measure`: a Measure, a name, a callable, ``"precomputed"``, or
    where they allow it a list of these.
    """

    measure: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        try:
            measure = as_measures(self.measure)[0]
        except (TypeError, ValueError):  # said clearly at fit
            return tags
        matrix = matrix_inside(measure)
        tags.input_tags.pairwise = matrix is not None and matrix.square
        tags.input_tags.sparse = type(measure.domain) is Vectors
        return tags

    def _objects(self, X: Any, measure: Measure, *, reset: bool) -> Any:
        """Return ingested objects, at fit (`reset`) or later; tables keep their columns."""
        objects = measure.domain.ingest(X)
        look = measure.domain.look(objects)
        if reset:
            check_columns(self, X, objects, reset=True)
            self.look_ = look
        elif len(objects.shape) == 2 or look != getattr(self, "look_", None):
            self._require_alike(X, objects, measure)
        return objects

    def _require_alike(self, X: Any, objects: Any, measure: Measure) -> None:
        """Stop unless objects have the columns and the look of those of fit."""
        if matrix_inside(measure) is not None:  # a matrix may come with chosen columns only
            return
        check_columns(self, X, objects, reset=False)
        kept = ("look_", "landmarks_", "references_", "objects_")  # old files have no look
        before = next(getattr(self, name) for name in kept if hasattr(self, name))
        measure.domain.require_alike(objects, before)


def check_columns(estimator: Any, raw: Any, objects: Any, *, reset: bool) -> None:
    """Leave number and names of features to scikit-learn, where objects are rows of a table.

    Parameters
    ----------
    estimator : estimator
    raw, objects
        Before and after ingesting.
    reset : bool
        True in `fit`: remember the columns. False later: compare with them.
    """
    if len(objects.shape) == 2:
        named = hasattr(raw, "columns")  # only frames have names
        validate_data(estimator, raw if named else objects, reset=reset, skip_check_array=True)
    elif reset:
        for name in ("n_features_in_", "feature_names_in_"):
            estimator.__dict__.pop(name, None)


def as_measures(measure: Any) -> list[Measure]:
    """Return the measures that a `measure=` argument names, one or several."""
    given = measure if isinstance(measure, (list, tuple)) else [measure]
    if not given:
        raise ValueError("measure is an empty list; give at least one measure.")
    return [get(one) for one in given]


def matrix_inside(measure: Measure) -> Precomputed | None:
    """Return the precomputed measure that this one is or is made of, if any."""
    parts = (measure, *measure.get_params().values())
    return next((part for part in parts if isinstance(part, Precomputed)), None)


def require_same_length(objects: Any, y: NDArray[Any]) -> None:
    """Stop unless there is one target per object."""
    if objects.shape[0] != len(y):
        raise ValueError(
            f"X has {objects.shape[0]} objects and y has {len(y)} targets; give one per object."
        )


def require_count(name: str, value: Any) -> None:
    """Stop unless a parameter is a positive whole number."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or value < 1:
        raise ValueError(f"{name} must be a positive whole number, not {value!r}.")


def require_number(name: str, value: Any, low: float, high: float, instead: str) -> None:
    """Stop unless a parameter is a number with low < value ≤ high, or what stands `instead`."""
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not number or not low < value <= high:
        raise ValueError(f"{name} must be {instead}, not {value!r}.")


def renamed(estimator: Any, old: str, new: str) -> Any:
    """Return a parameter's value, which users may still have given by its old name.

    Parameters
    ----------
    estimator : estimator
    old, new : str
        Names; the old one's default is None.
    """
    value = getattr(estimator, old)
    if value is None:
        return getattr(estimator, new)
    name = type(estimator).__name__
    warn_user(f"{name}({old}=…) is now called {new}; {old} goes with version 0.3.", FutureWarning)
    return value


def generator(random_state: Any) -> np.random.Generator:
    """Return a Generator from whatever scikit-learn calls a `random_state`.

    Examples
    --------
    >>> int(generator(3).integers(100)) == int(generator(3).integers(100))
    True
    """
    if isinstance(random_state, np.random.Generator):
        return random_state
    return np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))


def seeded(estimator: Any, rng: np.random.Generator) -> Any:
    """Return a clone whose open `random_state`, if it has one, is drawn from rng."""
    copy = clone(estimator)
    open_states = {
        name: int(rng.integers(2**31 - 1))
        for name, value in sorted(copy.get_params().items())
        if name.split("__")[-1] == "random_state" and value is None
    }
    return copy.set_params(**open_states) if open_states else copy


def pandas_for(wanted: str) -> Any:
    """Return pandas, or say how to get it for what needs it."""
    try:
        import pandas as pd
    except ImportError:
        raise ImportError(f"{wanted} needs pandas: pip install pandas.") from None
    return pd
