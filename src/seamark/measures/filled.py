"""Vectors in which some numbers are missing, compared by a measure of whole ones."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..data import Vectors, amounts
from .base import Measure
from .prepared import Prepared

Floats = NDArray[np.float64]


class FilledColumns(Prepared):
    """A measure of vectors, for rows of a table that may have gaps.

    A gap is filled with the median of its column; for each column that had gaps in the data there
    is another, 1 where it has one, so that rows with a gap are near each other. Landmarks stay as
    the user gave them.

    Parameters
    ----------
    measure : Measure
        What compares the filled vectors; `ScaledColumns` puts their columns on one scale.
    medians : array of shape (columns,), optional
        Taken from the data if left out.
    gaps : array of int, optional
        The columns that had gaps; taken from the data if left out.

    Examples
    --------
    >>> import seamark as sm
    >>> rows = [[0.0, 1.0], [2.0, None], [4.0, 3.0]]
    >>> FilledColumns(sm.measures.Manhattan()).cross(rows)[1]
    array([4., 0., 4.], dtype=float32)
    """

    domain = landmark_domain = amounts

    def __init__(
        self,
        measure: Measure,
        *,
        medians: Floats | None = None,
        gaps: NDArray[np.intp] | None = None,
    ) -> None:
        self.measure = measure
        self.medians = medians
        self.gaps = gaps

    def check_parameters(self) -> None:
        """Require a measure of vectors."""
        super().check_parameters()
        if type(self.measure.domain) is not Vectors:
            raise TypeError(f"{self.measure!r} compares {self.measure.domain.name}, not vectors.")
        medians, gaps = self.medians, self.gaps
        if medians is not None and (np.ndim(medians) != 1 or not np.isfinite(medians).all()):
            raise ValueError("medians must be a flat array with a number for every column.")
        if (medians is None) != (gaps is None):
            raise ValueError("give both medians and gaps, or neither.")
        if gaps is not None and not np.isin(gaps, np.arange(len(np.asarray(medians)))).all():
            raise ValueError("gaps must be numbers of columns.")

    def fitted_to(self, X: Any, rng: np.random.Generator) -> Self:
        """Return a copy that knows the medians of X, and where it has gaps."""
        self.check_parameters()
        if self.medians is not None:
            return super().fitted_to(X, rng)
        missing = np.isnan(X)
        known = ~missing.all(axis=0)
        medians = np.zeros(X.shape[1])
        medians[known] = np.nanmedian(X[:, known], axis=0)
        fitted = self._with(medians=medians, gaps=np.flatnonzero(missing.any(axis=0)))
        return fitted.fitted_to(X, rng)

    def prepared(self, X: Floats) -> Floats:
        """Return ingested rows without gaps, and columns that say where these were."""
        missing = np.isnan(X)
        return np.concatenate(
            [np.where(missing, np.asarray(self.medians), X), missing[:, np.asarray(self.gaps)]],
            axis=1,
        )
