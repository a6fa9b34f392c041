"""y as columns of numbers: as it is, or one class against the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data import reject_non_numbers
from ..targets import class_targets, decided, signs
from .columns import Array


@dataclass(frozen=True)
class Outputs:
    """What is predicted.

    Parameters
    ----------
    values : ndarray of shape (n, outputs)
        Numbers; or 1 for a class and −1 for the rest, one column for two classes.
    classes : ndarray or None
        Sorted labels; None for numbers.
    flat : bool
        y had one dimension.
    """

    values: Array
    classes: NDArray[Any] | None
    flat: bool

    def labels(self, rows: NDArray[np.intp]) -> NDArray[Any] | None:
        """Return the class number of some rows; None for numbers."""
        if self.classes is None:
            return None
        return decode(self.values[rows], np.arange(len(self.classes)), flat=True)

    def strata(self, purpose: str) -> NDArray[Any] | None:
        """Return each row's class, to split by; None for numbers."""
        if self.classes is None:
            return None
        labels = decode(self.values, self.classes, flat=True)
        which, counts = np.unique(labels, return_counts=True)
        if counts.min() < 2:
            raise ValueError(
                f"{purpose} holds out rows of every class, but class {which[counts.argmin()]!s} "
                "has one row only; do without, or leave that class out."
            )
        return labels


def encode(y: NDArray[Any], *, classes: bool) -> Outputs:
    """Turn a checked y into targets.

    Examples
    --------
    >>> encode(np.array(["a", "b", "a"]), classes=True).values.T
    array([[-1.,  1., -1.]])
    """
    target = _classes(y) if classes else _numbers(y)
    if np.ptp(target.values, axis=0).max() == 0.0:
        raise ValueError(
            f"y is constant ({y.flat[0]!s} in all {len(y)} rows), so that no feature can lower "
            "the loss; give targets that vary."
        )
    return target


def _numbers(y: NDArray[Any]) -> Outputs:
    try:
        reject_non_numbers(y, "y")
        values = y.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"y holds {y.dtype} values that are not numbers; for classes set "
            "task='classification', or use loss='logistic' or 'squared_hinge'."
        ) from error
    return Outputs(values.reshape(len(y), -1), None, y.ndim == 1)


def _classes(y: NDArray[Any]) -> Outputs:
    classes, codes = class_targets(y)
    return Outputs(signs(codes, np.arange(len(classes))), classes, True)


def decode(scores: Array, classes: NDArray[Any] | None, *, flat: bool) -> NDArray[Any]:
    """Turn scores (n, outputs) into predictions that look like y."""
    if classes is None:
        return scores[:, 0] if flat else scores
    return decided(scores, classes)
