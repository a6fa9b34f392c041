"""Checks of estimators and their parameters, and warnings at the line of the user's own code."""

from __future__ import annotations

import difflib
import numbers
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

__all__ = [
    "did_you_mean",
    "generator",
    "require_bounded",
    "require_count",
    "require_number",
    "require_same_length",
    "seeded",
]


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


def require_same_length(objects: Any, y: NDArray[Any]) -> None:
    """Stop unless there is one target per object."""
    if objects.shape[0] != len(y):
        raise ValueError(
            f"X has {objects.shape[0]} objects and y has {len(y)} targets; give one per object."
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


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a clause with the known names that look like `name`, or nothing.

    Examples
    --------
    >>> did_you_mean("canbera", ["canberra", "cosine"])
    " (did you mean 'canberra'?)"
    """
    names = {one.lower(): one for one in known}
    close = difflib.get_close_matches(name.lower(), names, n=3, cutoff=0.7)
    return f" (did you mean {' or '.join(repr(names[one]) for one in close)}?)" if close else ""


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
    """Return a clone; each `random_state` that is None is drawn from rng."""
    copy = clone(estimator)
    for name, value in sorted(copy.get_params().items()):
        if name.split("__")[-1] == "random_state" and value is None:
            copy.set_params(**{name: int(rng.integers(2**31 - 1))})
    return copy


# Largest numbers that a parameter or a file may give to a loop or to an allocation. Each is far
# beyond what is of use, and small enough that whoever asks for it gets an answer: what is larger
# would take hours, or more memory than there is, and is refused before any work begins.

BOUNDS: dict[str, dict[str, int]] = {
    # Measures
    "Vovk": {"degree": 1_000},  # multiplications for each value
    "Polynomial": {"degree": 1_000},  # binomial coefficients
    "WeisfeilerLehman": {"h": 100},  # rounds of refinement, each kept
    "NGrams": {"n": 64, "bits": 24},  # symbols of a gram; 2^bits weights
    "DTW": {"window": 2**31 - 1},  # steps, as native code counts them
    "Elastic": {"window": 2**31 - 1},
    "Subsequence": {"length": 2**20},
    "WindowList": {"spans": 2**20},  # steps; a shorter series is made as long
    # Maps and landmarks
    "VectorMap": {"n_components": 1_000_000},
    "RandomMaclaurin": {"degrees": 100_000},
    "RandomConvolution": {"n_components": 1_000_000, "dilations_": 2**17},
    "Scores": {"n_trees": 100_000, "max_iter": 100_000, "cv": 10_000},
    "NeighbourScores": {"n_neighbors": 10_000},
    "Trees": {"depth": 1_000},  # steps from a root to a leaf
    "LandmarkMap": {"n_landmarks": 1_000_000},
    "Strategy": {"n": 1_000_000, "size": 1_000_000, "sizes": 2**20},
    # Models, of which the normal equations are square
    "LandmarkModel": {"n_landmarks": 50_000},
    "Learned": {"pool": 1_000_000},
    "IncrementalState": {"n_folds": 10_000},
    "StreamedRidge": {"cv": 10_000},
    "FromUnseen": {"cv": 10_000},
    "Ranking": {"cv": 10_000},
    "Ordinal": {"max_iter": 1_000_000},
    "LinearSVM": {"max_iter": 1_000_000},
    # Streams
    "PairwiseEstimator": {"n_passes": 1_000_000},
    "Buffer": {"size": 1_000_000, "n_classes": 10_000},
    "History": {"_width": 2**52},
    # Search and rivals
    "Index": {"n_landmarks": 1_000_000},
    "DBoost": {"n_pairs": 1_000_000, "n_rounds": 1_000_000, "n_candidates": 1_000_000},
    "JointFeatureSVM": {"max_iter": 1_000_000},
    "MultipleKernelSVM": {"max_iter": 1_000_000},
    "_Neighbours": {"n_neighbors": 100_000},
    "SVC": {"shape_fit_": 100_000},  # rows and columns of a precomputed kernel
    "_OAM": {"size": 1_000_000},
}
"""Classes of ours, whose subclasses are bounded alike, and their numbers."""

SEVERAL = frozenset({"n", "degrees", "sizes", "spans", "dilations_"})
"""Numbers that may be given as several, each of which is bounded."""


def require_bounded(cls: type, given: Mapping[str, Any]) -> None:
    """Stop at a number that is too large for the loops and allocations of a class.

    Parameters
    ----------
    cls : type
    given : mapping
        Parameters and fitted attributes by name; those of no bound are left alone.

    Examples
    --------
    >>> from seamark.measures import Vovk
    >>> require_bounded(Vovk, {"degree": 10**9})
    Traceback (most recent call last):
    ValueError: degree of Vovk must be at most 1000, not 1000000000.
    """
    for base in cls.__mro__:
        ours = base.__module__.startswith("seamark.")
        for name, most in BOUNDS.get(base.__name__, {}).items() if ours else ():
            value: Any = given.get(name)
            if name in SEVERAL and isinstance(value, (list, tuple, np.ndarray)):
                several = np.ravel(np.array(value, dtype=object))
                value = max([one for one in several if isinstance(one, numbers.Real)], default=None)
            is_number = isinstance(value, numbers.Real)  # what is none is for others to say
            if is_number and value > most:
                raise ValueError(
                    f"{name} of {cls.__name__} must be at most {most}, not {str(value)[:40]}."
                )


# Warnings at the line of the user's own code.

CALLERS = ("seamark", "sklearn", "joblib")
"""Packages whose lines are not the user's, and that may call us for the user."""
_told: set[tuple[Any, ...]] = set()


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line of the user's own code, and there once, unless all warnings are asked for.

    Python too shows a warning once per line, but forgets what it has shown whenever filters
    change, as scikit-learn changes them in every fold of a cross-validation. Messages that differ
    by numbers only, such as the size of a fold, are one.
    """
    frame, level = sys._getframe(1), 2
    while frame.f_back and str(frame.f_globals.get("__name__")).split(".")[0] in CALLERS:
        frame, level = frame.f_back, level + 1
    key = (frame.f_code.co_filename, frame.f_lineno, category, re.sub(r"\d+", "", message))
    if key in _told and _is_shown_once(category):
        return
    _told.add(key)
    warnings.warn(message, category, stacklevel=level)


def _is_shown_once(category: type[Warning]) -> bool:
    """Whether the first general filter of a category does not show or raise every warning."""
    actions = (
        action
        for action, text, kind, module, _ in warnings.filters
        if text is None and module is None and issubclass(category, kind)
    )
    return next(actions, "default") in ("default", "module", "once")
