"""Per-column moments: mean, variance and size of columns, added up block by block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(eq=False)
class ColumnMoments:
    """Weighted mean and mean square of each column less a shift, and its size; parts add up.

    Parameters
    ----------
    shift : ndarray of shape (R,)
        Near the means, so that large ones cost no digits.
    weight : float
        Sum of the weights of the rows.
    first, second : ndarray of shape (R,)
        Σ w (a − shift) and Σ w (a − shift)².
    size : ndarray of shape (R,)
        Largest |a|.

    Examples
    --------
    >>> from seamark.features import InMemory
    >>> phi = InMemory(np.array([[1.0, 5.0], [3.0, 5.0]]))
    >>> of_all = phi.reduce(lambda rows, block: ColumnMoments.of(block, np.array([2.0, 5.0])))
    >>> of_all.mean, of_all.variance
    (array([2., 5.]), array([1., 0.]))
    """

    shift: Floats
    weight: float
    first: Floats
    second: Floats
    size: Floats

    @classmethod
    def of(cls, block: NDArray[Any], shift: Floats, weights: Floats | None = None) -> ColumnMoments:
        """Sum over the rows of a block, each of weight 1 if nobody says."""
        weights = np.ones(len(block)) if weights is None else weights
        moved = block - shift
        first, size = weights @ moved, np.abs(block).max(axis=0, initial=0.0)
        second = weights @ np.square(moved, out=moved)
        return cls(shift, float(weights.sum()), first, second, size.astype(np.float64))

    def about(self, shift: Floats) -> ColumnMoments:
        """Return the same moments about another shift."""
        by = self.shift - shift
        first = self.first + self.weight * by
        second = self.second + by * (self.first + first)
        return ColumnMoments(shift, self.weight, first, second, self.size)

    def __iadd__(self, other: ColumnMoments) -> Self:
        if other.shift is not self.shift:
            other = other.about(self.shift)
        self.weight += other.weight
        self.first += other.first
        self.second += other.second
        np.maximum(self.size, other.size, out=self.size)
        return self

    @property
    def mean(self) -> Floats:
        """Of the columns as they came."""
        return self.shift + self.first / self.weight

    @property
    def variance(self) -> Floats:
        """About the mean."""
        variance = self.second / self.weight - np.square(self.first / self.weight)
        return np.asarray(np.maximum(0.0, variance))


def location(block: NDArray[Any], centred: bool) -> tuple[Floats, Floats]:
    """Mean and scale of each column; float32 columns get a centre that float32 can hold."""
    mean = block.mean(axis=0, dtype=np.float64)
    if block.dtype == np.float32:
        mean = mean.astype(np.float32).astype(np.float64)
    about = ColumnMoments.of(block, mean)
    spread, size = np.sqrt(about.second / about.weight), about.size
    # A column that does not vary here may do so later: its size is then a safe unit.
    scale = np.where(spread > 1e-6 * size, spread, np.where(size > 0, size, 1.0))
    if centred:
        return mean, scale
    return np.zeros_like(mean), np.where(size > 0, np.sqrt(spread**2 + mean**2), 1.0)
