"""Vectors compared on columns: scaled, with missing values filled in, or summed up."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import ndtri

from ..data import Amounts, Mixed, Ragged, Sets, Vectors, amounts, sets
from ..data.missing import column_medians, columns_with_gaps, filled_columns
from .algebra import Prepared
from .base import Measure, require_one_of

Floats = NDArray[np.float64]
Scaling = Literal["auto", "standard", "ranks"]

QUANTILES = (np.arange(64) + 0.5) / 64
SCORES = ndtri(QUANTILES)
QUANTILE_ROWS = 10_000  # that quantiles of columns are taken from
HEAVY = 5.0  # a tail this many times as far out as the middle 80 % are wide


@dataclass(eq=False, repr=False)
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

    measure: Measure
    _: KW_ONLY
    scaling: Scaling = "auto"
    relevance: Floats | None = None
    centre: Floats | None = None
    unit: Floats | None = None
    knots: Floats | None = None

    def __str__(self) -> str:
        how = "ranks of columns" if self.scaling == "ranks" else "columns of one scale"
        return f"{self.measure} on {how}{'' if self.relevance is None else ', by relevance'}"

    def check_parameters(self) -> None:
        """Require a measure of vectors or sets, and as many numbers as there are columns."""
        super().check_parameters()
        if not isinstance(self.domain, (Vectors, Sets)):
            raise TypeError(f"{self.measure!r} compares {self.domain.name}, which have no columns.")
        require_one_of("scaling", self.scaling, ("auto", "standard", "ranks"))
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
        rows: Any = X.flat if isinstance(X, Ragged) else X
        if self.relevance is not None and len(self.relevance) != rows.shape[1]:
            raise ValueError(
                f"relevance has {len(self.relevance)} numbers and X has {rows.shape[1]} columns; "
                "give one for each."
            )
        if sparse.issparse(rows):
            mean = np.asarray(rows.mean(axis=0)).ravel()
            square = np.asarray(rows.multiply(rows).mean(axis=0)).ravel()
            fitted = self._with(unit=_or_inf(np.sqrt(np.maximum(square - mean**2, 0.0))))
        else:
            fitted = self._with(**_scale_of(rows, self.scaling))
        return fitted._with(measure=fitted.measure.fitted_to(fitted.prepared(X), rng))

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
    some = np.asarray(rows[:: len(rows) // (QUANTILE_ROWS + 1) + 1], dtype=np.float64)
    knots, heavy = None, np.full(rows.shape[1], scaling == "ranks")
    if scaling == "auto":  # where values lie far outside of where most are
        low, left, middle, right, high = np.quantile(some, [0.001, 0.1, 0.5, 0.9, 0.999], axis=0)
        width = right - left
        heavy = (width > 0) & (np.maximum(high - middle, middle - low) > HEAVY * width)
    if heavy.any():
        knots = np.where(heavy, np.quantile(some, QUANTILES, axis=0), np.nan)
        some = _with_scores(some, knots)
    centre = some.mean(axis=0)
    return {"centre": centre, "unit": _or_inf(some.std(axis=0), centre), "knots": knots}


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


def _or_inf(deviation: Floats, size: Any = 0.0) -> Floats:
    """A column that does not vary, but for the rounding of numbers of its size, is divided by ∞."""
    return np.where(deviation > 1e-12 * np.abs(size), deviation, np.inf)


# Vectors in which some numbers are missing, compared by a measure of whole ones.


@dataclass(eq=False, repr=False)
class FilledColumns(Prepared):
    """A measure of vectors, for rows of a table that may have gaps.

    A gap is filled with the median of its column; for each column that had gaps in the data there
    is another, 1 where it has one, so that rows with a gap are near each other. A category becomes
    a column for each of its names, 1 in one of them. Landmarks stay as the user gave them.

    Parameters
    ----------
    measure : Measure
        What compares the filled vectors; `ScaledColumns` puts their columns on one scale.
    medians : array of shape (columns,), optional
        Taken from the data if left out.
    gaps : array of int, optional
        The columns that had gaps; taken from the data if left out.
    names : tuple, optional
        For each column the names of its categories, or None for numbers. All are, if left out.

    Examples
    --------
    >>> import seamark as sm
    >>> rows = [[0.0, 1.0], [2.0, None], [4.0, 3.0]]
    >>> FilledColumns(sm.measures.Manhattan()).cross(rows)[1]
    array([4., 0., 4.], dtype=float32)
    """

    measure: Measure
    _: KW_ONLY
    medians: Floats | None = None
    gaps: NDArray[np.intp] | None = None
    names: tuple[tuple[str, ...] | None, ...] | None = None

    @property
    def domain(self) -> Amounts:  # type: ignore[override]
        """Numbers, or numbers and categories."""
        return amounts if self.names is None else Mixed(self.names)

    @property
    def landmark_domain(self) -> Amounts:
        """That of the objects."""
        return self.domain

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
        if self.medians is None and self.gaps is None:
            filled = self._with(medians=column_medians(X), gaps=columns_with_gaps(X))
            return filled.fitted_to(X, rng)
        return super().fitted_to(X, rng)

    def prepared(self, X: Floats) -> Floats:
        """Return ingested rows without gaps, and columns that say where these were."""
        said = np.isnan(X[:, np.asarray(self.gaps)])
        filled = filled_columns(X, self.medians)
        if self.names is not None:
            filled = np.hstack(
                [
                    filled[:, [j]] if names is None else X[:, [j]] == np.arange(len(names))
                    for j, names in enumerate(self.names)
                ]
            )
        return np.concatenate([filled, said], axis=1)

    def sources(self) -> NDArray[np.intp]:
        """Return the column that each column of prepared rows comes from."""
        sizes = [1] * len(np.asarray(self.medians))
        if self.names is not None:
            sizes = [1 if names is None else len(names) for names in self.names]
        return np.concatenate([np.repeat(np.arange(len(sizes)), sizes), np.asarray(self.gaps)])


# Sets of vectors compared by a few numbers that sum them up.


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


@dataclass(eq=False, repr=False)
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

    measure: Measure

    domain = landmark_domain = sets

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
