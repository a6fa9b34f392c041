"""Vectors compared on columns that are put on one scale, and weighed by their relevance."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import ndtri

from ..data import Ragged, Sets, Vectors
from ..engine import settings
from .base import Measure
from .prepared import Prepared

Floats = NDArray[np.float64]
Scaling = Literal["auto", "standard", "ranks"]

QUANTILES = (np.arange(64) + 0.5) / 64
SCORES = ndtri(QUANTILES)
HEAVY = 5.0  # a tail this many times as far out as the middle 80 % are wide


class ScaledColumns(Prepared):
    """A measure of vectors, or of sets of them, on columns that have one scale.

    A column is centred and divided by its deviation, or, where its tails are heavy, replaced by
    its normal scores: where a value stands among those of the data, so that no outlier counts for
    more than its rank. Landmarks stay as the user gave them.

    Parameters
    ----------
    measure : Measure
        What compares the scaled vectors or sets.
    scaling : {"auto", "standard", "ranks"}, default="auto"
        "standard": mean 0 and deviation 1. "ranks": normal scores. "auto": normal scores for
        columns whose tails are heavy (the outermost thousandth lies further from the median than 5
        times the width of the middle 80 %), standard for others. Sparse vectors are only divided.
    relevance : array of shape (columns,), optional
        Factors of the columns after scaling, not negative. Default: all alike.
    centre, unit, knots : array, optional
        What the scaling came to, taken from the data if left out: what is subtracted, what it is
        divided by (inf for a column that does not vary, which then does not count), and 64
        quantiles of each column that is replaced by scores (NaN for others).

    Examples
    --------
    >>> import seamark as sm
    >>> rows = [[0.0, 1000.0], [1.0, 3000.0], [2.0, 2000.0]]
    >>> ScaledColumns(sm.measures.Manhattan()).cross(rows).round(2)[0]
    array([0.  , 3.67, 3.67], dtype=float32)
    """

    def __init__(
        self,
        measure: Measure,
        *,
        scaling: Scaling = "auto",
        relevance: Floats | None = None,
        centre: Floats | None = None,
        unit: Floats | None = None,
        knots: Floats | None = None,
    ) -> None:
        self.measure = measure
        self.scaling = scaling
        self.relevance = relevance
        self.centre = centre
        self.unit = unit
        self.knots = knots

    def __str__(self) -> str:
        how = "ranks of columns" if self.scaling == "ranks" else "columns of one scale"
        return f"{self.measure} on {how}{'' if self.relevance is None else ', by relevance'}"

    def check_parameters(self) -> None:
        """Require a measure of vectors or sets, and as many numbers as there are columns."""
        super().check_parameters()
        if not isinstance(self.domain, (Vectors, Sets)):
            raise TypeError(f"{self.measure!r} compares {self.domain.name}, which have no columns.")
        if self.scaling not in ("auto", "standard", "ranks"):
            raise ValueError(
                f"scaling must be 'auto', 'standard' or 'ranks', not {self.scaling!r}."
            )
        given = {name: getattr(self, name) for name in ("relevance", "centre", "unit")}
        for name, numbers in given.items():
            if numbers is not None and (np.ndim(numbers) != 1 or np.isnan(numbers).any()):
                raise ValueError(f"{name} must be a flat array with a number for every column.")
        if self.relevance is not None and not (np.asarray(self.relevance) >= 0).all():
            raise ValueError("relevance must not be negative.")

    def fitted_to(self, X: Any, rng: np.random.Generator) -> Self:
        """Return a copy that has the scale of X."""
        if self.unit is not None:
            return super().fitted_to(X, rng)
        self.check_parameters()
        rows = X.flat if isinstance(X, Ragged) else X
        if self.relevance is not None and len(self.relevance) != rows.shape[1]:
            raise ValueError(
                f"relevance has {len(self.relevance)} numbers and X has {rows.shape[1]} columns; "
                "give one for each."
            )
        if sparse.issparse(rows):
            fitted = self._with(unit=_or_inf(_deviation_of_sparse(rows)))
        else:
            fitted = self._with(**_scale_of(rows, self.scaling))
        return fitted.fitted_to(X, rng)

    def prepared(self, X: Any) -> Any:
        """Return ingested objects on the common scale."""
        if isinstance(X, Ragged):
            return Ragged(self.prepared(X.flat), X.offsets - X.offsets[0], X.domain)
        factors = 1.0 / np.asarray(self.unit)
        if self.relevance is not None:
            factors = factors * self.relevance
        if sparse.issparse(X):
            return (X @ sparse.diags_array(factors)).tocsr()
        rows = X
        if self.knots is not None:
            rows = _with_scores(X, self.knots)
        centre = 0.0 if self.centre is None else self.centre
        return (rows - centre) * factors


def _scale_of(rows: NDArray[Any], scaling: Scaling) -> dict[str, Any]:
    """Return centre, unit and knots of dense columns."""
    some = np.asarray(rows[:: len(rows) // (settings().quantile_rows + 1) + 1], dtype=np.float64)
    knots = None
    heavy = np.zeros(rows.shape[1], dtype=bool)
    if scaling != "standard":
        heavy = _is_heavy(some) if scaling == "auto" else np.ones(rows.shape[1], dtype=bool)
    if heavy.any():
        knots = np.where(heavy, np.quantile(some, QUANTILES, axis=0), np.nan)
        some = _with_scores(some, knots)
    centre = some.mean(axis=0)
    return {"centre": centre, "unit": _or_inf(some.std(axis=0), centre), "knots": knots}


def _is_heavy(some: Floats) -> NDArray[np.bool_]:
    """Whether each column has values far outside of where most are."""
    low, left, middle, right, high = np.quantile(some, [0.001, 0.1, 0.5, 0.9, 0.999], axis=0)
    width = right - left
    return np.asarray((width > 0) & (np.maximum(high - middle, middle - low) > HEAVY * width))


def _with_scores(rows: NDArray[Any], knots: Floats) -> Floats:
    """Replace values of some columns by the normal scores of where they stand among the knots."""
    scored = np.array(rows, dtype=np.float64)
    for column in np.flatnonzero(~np.isnan(knots[0])):
        x, places = scored[:, column], knots[:, column]
        # Of several knots alike, the mean of the lowest and the highest score.
        upwards = np.interp(x, places, SCORES)
        downwards = -np.interp(-x, -places[::-1], -SCORES[::-1])
        scored[:, column] = (upwards + downwards) / 2
    return scored


def _deviation_of_sparse(rows: Any) -> Floats:
    """Return the deviation of each column of a sparse matrix."""
    mean = np.asarray(rows.mean(axis=0)).ravel()
    square = np.asarray(rows.multiply(rows).mean(axis=0)).ravel()
    return np.asarray(np.sqrt(np.maximum(square - mean**2, 0.0)))


def _or_inf(deviation: Floats, size: Any = 0.0) -> Floats:
    """A column that does not vary, but for the rounding of numbers of its size, is divided by ∞."""
    return np.where(deviation > 1e-12 * np.abs(size), deviation, np.inf)
