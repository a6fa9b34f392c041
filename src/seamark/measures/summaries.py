"""Sets of vectors compared by a few numbers that sum them up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..data import Ragged, Vectors, sets
from .base import Measure
from .prepared import Prepared

Floats = NDArray[np.float64]


def summaries_of(X: Ragged) -> Floats:
    """Return the least, the mean and the largest value of every variable, set by set.

    Parameters
    ----------
    X : Ragged
        Ingested sets, none of them empty.
    """
    values, starts = np.asarray(X.flat, dtype=np.float64), X.offsets[:-1] - X.offsets[0]
    means = np.add.reduceat(values, starts) / X.lengths[:, None]
    least, largest = (f.reduceat(values, starts) for f in (np.minimum, np.maximum))
    return np.hstack([least, means, largest])


class Summaries(Prepared):
    """A measure of vectors, between what sums sets up: least, mean and largest value of variables.

    Where the members of a set stand about, this says more than which of them are near; forests and
    support vector machines on the same numbers are what is usual for bags.

    Parameters
    ----------
    measure : Measure
        What compares the vectors of 3·d numbers, d of each sort.

    Examples
    --------
    >>> import seamark as sm
    >>> by_summaries = Summaries(sm.measures.Manhattan())
    >>> by_summaries.cross([[[0.0, 0.0], [3.0, 4.0]]], [[[0.0, 0.0]], [[3.0, 4.0]]])
    array([[10.5, 10.5]], dtype=float32)
    """

    domain = landmark_domain = sets

    def __init__(self, measure: Measure) -> None:
        self.measure = measure

    def __str__(self) -> str:
        return f"{self.measure}, of least, mean and largest values"

    def check_parameters(self) -> None:
        """Require a measure of vectors."""
        super().check_parameters()
        if not isinstance(self.measure.domain, Vectors):
            raise TypeError(
                f"{self.measure!r} compares {self.measure.domain.name}; Summaries needs a measure "
                "of vectors, such as Manhattan()."
            )

    def prepared(self, X: Ragged) -> Floats:
        """Return the summaries."""
        return summaries_of(X)

    def outline(self, X: Ragged) -> Floats:
        """Return as many rows of as many numbers."""
        return np.broadcast_to(0.0, (len(X), 3 * X.values.shape[1]))
