"""What every estimator over objects shares: a measure, data that are ingested once, and an rng."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from .data import Vectors, collected
from .engine import (
    CallbackProgress,
    Counter,
    OneBar,
    Progress,
    Steps,
    changed,
    progress_bar,
    step,
)
from .measures import Measure, Precomputed, get
from .measures.precomputed import MatrixRows

Rows = NDArray[np.intp]
Numbers = NDArray[np.float64]


class ObjectEstimator(BaseEstimator):
    """An estimator whose X are the objects of a measure.

    Subclasses have a parameter `measure`: a Measure, a name, a callable, ``"precomputed"``, or
    where they allow it a list of these.
    """

    measure: Any
    takes_parts: ClassVar[bool] = False
    """Whether landmarks may be of another kind than rows; else rows are compared with rows."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if isinstance(self.measure, str) and self.measure == "auto":
            tags.input_tags.sparse = True
            return tags
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
        if reset and not self.takes_parts:
            require_whole_objects(measure, type(self).__name__)
        X = collected(X)
        objects = measure.domain.ingest(X)
        if reset:
            check_columns(self, X, objects, reset=True)
            self.look_ = measure.domain.look(objects)
        elif not isinstance(measure.domain, MatrixRows):  # which may be chosen columns only
            check_columns(self, X, objects, reset=False)
            measure.domain.require_alike(objects, self.look_)
        return objects


def require_whole_objects(measure: Measure, who: str) -> None:
    """Stop at a measure of objects and parts, where objects are compared with objects."""
    if measure.compares_parts:
        raise ValueError(
            f"{measure!r} compares {measure.domain.name} with {measure.landmark_domain.name}, and "
            f"{who} compares {measure.domain.name} with each other; take another measure, or a "
            "landmark model."
        )


def check_columns(estimator: Any, raw: Any, objects: Any, *, reset: bool) -> None:
    """Let scikit-learn check number and names of columns, if objects are rows of a table.

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
        names = list(raw.columns) if named else []
        alike = not reset and names == list(getattr(estimator, "feature_names_in_", []))
        if alike and (named or objects.shape[1] == estimator.n_features_in_):
            return  # which spares most predictions scikit-learn's look at all tags
        validate_data(estimator, raw if named else objects, reset=reset, skip_check_array=True)
        if reset and named and all(isinstance(name, str) for name in names):
            # Of the command line's frames scikit-learn does not know that they have names.
            estimator.feature_names_in_ = np.array(names, dtype=object)
    elif reset:
        for name in ("n_features_in_", "feature_names_in_"):
            estimator.__dict__.pop(name, None)


def as_measures(measure: Any) -> list[Measure]:
    """Return the measures that a `measure=` argument names, one or several."""
    given = measure if isinstance(measure, (list, tuple)) else [measure]
    if not given:
        raise ValueError("measure is an empty list; give at least one measure.")
    return list(map(get, given))


def matrix_inside(measure: Measure) -> Precomputed | None:
    """Return the precomputed measure that this one is or is made of, if any."""
    for part in (measure, *measure.get_params().values()):
        if isinstance(part, Precomputed):
            return part
    return None


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
    """Stop unless a parameter is a number with low < value ≤ high; `instead` says what to give."""
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not number or not low < value <= high:
        raise ValueError(f"{name} must be {instead}, not {value!r}.")


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


def named(
    given: Any, known: Mapping[str, Callable[[], Any]], parameter: str, kind: type = object
) -> Any:
    """Return what a parameter means: an estimator as it is, or the one of that name.

    Examples
    --------
    >>> named("sea", {"land": dict}, "where")
    Traceback (most recent call last):
    ...
    ValueError: where must be "land" or an estimator; got 'sea'.
    """
    if isinstance(given, str) and given in known:
        return known[given]()
    if isinstance(given, str) or not isinstance(given, kind):
        quoted = [f'"{name}"' for name in known]
        what = "an estimator" if kind is object else f"a {kind.__name__}"
        raise ValueError(f"{parameter} must be {', '.join(quoted)} or {what}; got {given!r}.")
    return given


def seeded(estimator: Any, rng: np.random.Generator) -> Any:
    """Return a clone; each `random_state` that is None is drawn from rng."""
    copy = clone(estimator)
    for name, value in sorted(copy.get_params().items()):
        if name.split("__")[-1] == "random_state" and value is None:
            copy.set_params(**{name: int(rng.integers(2**31 - 1))})
    return copy


def pandas_for(wanted: str) -> Any:
    """Return pandas, or stop and say how to install it."""
    try:
        import pandas as pd
    except ImportError:
        raise ImportError(f"{wanted} needs pandas: pip install pandas.") from None
    return pd


@contextmanager
def fit_context(estimator: Any, progress: bool) -> Iterator[bool | Progress]:
    """Note evaluations and seconds of a fit that begins and ends here, and tell callbacks of it.

    Yields what shows progress inside: the callbacks if there are any, else what was asked for.
    """
    callbacks = getattr(estimator, "_skl_callbacks", None)
    context = estimator._init_callback_context(max_subtasks=None) if callbacks else None
    if context is not None:
        context.call_on_fit_task_begin(estimator=estimator)
    one = OneBar(progress_bar(True)) if progress is True and context is None else None
    shown = one or (progress if context is None else CallbackProgress(estimator, context))
    workers = {} if estimator.n_jobs is None else {"n_jobs": estimator.n_jobs}
    steps, counter = Steps(shown), Counter()
    try:
        with changed(counter, steps=steps, **workers), step("other"):
            yield shown
    finally:
        if one is not None:
            one.finish()
    estimator.n_evaluations_, estimator.fit_times_ = counter.evaluations, steps.seconds
    if context is not None:
        context.call_on_fit_task_end(estimator=estimator)
