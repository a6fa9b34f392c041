"""Numbers of landmarks and features, for which room is made, must be backed by as many."""

from __future__ import annotations

from typing import Any

from .errors import ModelFileError

BACKING = {
    "n_landmarks_": ("landmarks_", "pairs_"),
    "n_features_out_": ("feature_numbers_", "order_"),
    "_n_features_out": ("eigenvalues_",),
    "n_features_": ("coef_",),
}
"""What an estimator of ours counts, and where what is counted lies."""


def require_backed(cls: type, state: dict[str, Any]) -> None:
    """Stop at an estimator of ours that counts more than it has.

    Examples
    --------
    >>> from seamark import LandmarkMap
    >>> require_backed(LandmarkMap, {"n_landmarks_": 1000, "landmarks_": ["a", "b"]})
    Traceback (most recent call last):
    seamark.saving.errors.ModelFileError: its LandmarkMap holds 2, but n_landmarks_ says 1000.
    """
    ours = any(base.__module__.startswith("seamark.") for base in cls.__mro__)
    for name, places in BACKING.items() if ours else ():
        if name in state:
            there = max(_length(state.get(place)) for place in places)
            if type(state[name]) is not int or not 0 <= state[name] <= there:
                raise ModelFileError(
                    f"its {cls.__name__} holds {there}, but {name} says {str(state[name])[:20]}."
                )


def _length(objects: Any) -> int:
    """Return how many there are, along the longest side of a matrix."""
    shape = getattr(objects, "shape", ())
    if shape:
        return int(max(shape))
    return len(objects) if hasattr(objects, "__len__") else 0
