"""Sums over rows, or the rows themselves: all that a ridge needs to know, fold by fold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain, zip_longest
from operator import itemgetter
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from ..engine import settings, side_by_side
from ..engine.lapack import PRODUCT_ROWS, add_products
from ..features import Features, Floats, Rows, location

FIRST_ROWS = 512  # rows that give a ridge its centre and scale
STRIP_COLUMNS = 1024  # columns copied or squared at a time
SMALL_FEATURES = 1 << 19  # numbers up to which all rows are read, and multiplied, at once
WAITING_BYTES = 128 << 20  # rows waiting for a product, over all folds


@dataclass(frozen=True, eq=False)
class Standard:
    """How features become rows √w (1, φ, y), about a centre and in units of a scale.

    Parameters
    ----------
    Y : ndarray of shape (n, T)
        Targets.
    folds : ndarray of shape (n,)
        Of all rows; negative for those left out.
    weights : ndarray of shape (n,) or None
        None: all 1.
    centre, scale : ndarray of shape (1 + R + T,)
        Those of the first rows.
    n_features : int
        R.
    dtype : dtype
        Of the rows to make.
    """

    Y: Floats
    folds: Rows
    weights: Floats | None
    centre: Floats
    scale: Floats
    n_features: int
    dtype: np.dtype[Any]

    @classmethod
    def of(
        cls,
        features: Features,
        Y: Floats,
        folds: Rows,
        sample_weight: Floats | None,
        *,
        dtype: Any,
        centred: bool,
        standard: tuple[Floats, Floats] | None = None,
        whole: NDArray[Any] | None = None,
    ) -> Standard:
        """Look at the first rows, unless a standard is given; parameters as in `FoldSums.of`.

        `whole` are all features, if they were read.
        """
        if sample_weight is not None:
            folds = np.where(sample_weight > 0, folds, -1)
        used = np.flatnonzero(folds >= 0)
        if not len(used):
            raise ValueError("no row has a positive weight; ridge needs at least one.")
        if standard is None:
            few = used[:FIRST_ROWS]
            first = features.rows(few) if whole is None else whole[few]
            require_finite(first, used)
            standard = location(first, centred)
        n_features = features.shape[1]
        given = len(standard[0]) > n_features  # the targets' standard too
        of_targets = (np.empty(0), np.empty(0)) if given else location(Y[used], centred)
        centre = np.concatenate([[0.0], standard[0], of_targets[0]])
        scale = np.concatenate([[1.0], standard[1], of_targets[1]])
        return cls(Y, folds, sample_weight, centre, scale, n_features, np.dtype(dtype))

    def rows(
        self,
        numbers: Rows,
        phi: NDArray[Any],
        some: Rows | None = None,
        out: NDArray[Any] | None = None,
    ) -> NDArray[Any]:
        """Return rows √w (1, φ, y), shifted and scaled in the features' own precision.

        Parameters
        ----------
        numbers : ndarray of shape (k,)
            Which rows of all, each in use.
        phi : ndarray of shape (k, R)
            Their features.
        some : ndarray of shape (k,), optional
            Where they stand in `phi`, if that has other rows too.
        out : ndarray of shape (k, 1 + R + T), optional
            Where to write them.
        """
        phi = phi if some is None or len(some) == len(phi) else phi[some]
        require_finite(phi, numbers)
        width, Y = phi.shape[1], self.Y[numbers]
        rows = np.empty((len(phi), len(self.centre)), dtype=self.dtype) if out is None else out
        own = phi.dtype if phi.dtype in (np.float32, np.float64) else np.dtype(np.float64)
        kind = np.result_type(own, self.dtype)
        centre, scale = self.centre[1 : 1 + width], self.scale[1 : 1 + width].astype(kind)
        rows[:, 0] = 1.0
        middle = rows[:, 1 : 1 + width]
        shifted = middle if kind == self.dtype else np.empty(phi.shape, dtype=kind)
        np.subtract(phi, centre.astype(kind), out=shifted)
        np.multiply(shifted, 1.0 / scale, out=middle, casting="same_kind")
        rows[:, 1 + width :] = (Y - self.centre[1 + width :]) / self.scale[1 + width :]
        if self.weights is not None:
            rows *= np.sqrt(self.weights[numbers]).astype(self.dtype)[:, None]
        return rows


class FoldMoments:
    """Sums of products per fold, and blocks that wait until a product of them is worth it.

    The first part takes in the others. Products in float32 wait, because to add one to the sums
    costs as much as to multiply hundreds of rows; those in float64 are added as they are made.

    Parameters
    ----------
    how : Standard
    n_folds : int
    rows : slice
        Of the block, among all rows.
    block : ndarray
        Features.
    """

    def __init__(self, how: Standard, n_folds: int, rows: slice, block: NDArray[Any]) -> None:
        self.how = how
        width = len(how.centre)
        self.shape = (n_folds, width, width)
        self.moments: Floats | None = None
        self.waiting = [(rows, block)]
        self.room: NDArray[Any] = np.empty((n_folds, 0, width), dtype=how.dtype)
        self.enough, size = 0, how.dtype.itemsize * n_folds * width
        most, waiting = PRODUCT_ROWS, settings().share(8, WAITING_BYTES)
        self.step = min(most, max(64, waiting // (2 * size)))
        if how.dtype == np.float32:
            self.step = min(most, max(64, waiting // size))
            self.enough = n_folds * self.step

    def __iadd__(self, other: Self) -> Self:
        self.waiting += other.waiting
        if sum(rows.stop - rows.start for rows, _ in self.waiting) >= self.enough:
            self.multiply()
        return self

    def multiply(self) -> Floats:
        """Add AᵀA of the waiting rows A of each fold to its lower triangle, and return all."""
        blocks, self.waiting = self.waiting, []
        if self.moments is None:
            self.moments = np.zeros(self.shape)
        sizes = [len(block) for _, block in blocks]
        most = min(self.step, sum(sizes))
        if self.room.shape[1] < most:
            self.room = np.empty((len(self.moments), most, self.shape[1]), dtype=self.how.dtype)
        folds = [self._pieces(blocks, fold) for fold in range(len(self.moments))]
        for parts in zip_longest(*folds, fillvalue=(0, [])):
            counts, pieces = zip(*parts, strict=True)
            side_by_side(self.how.rows, *zip(*chain(*pieces), strict=True))
            filled = [room[:count] for room, count in zip(self.room, counts, strict=True)]
            add_products(self.moments, filled)
        return self.moments

    def _pieces(
        self, blocks: list[tuple[slice, NDArray[Any]]], fold: int
    ) -> Iterator[tuple[int, list[Any]]]:
        """Yield how many rows of a fold, where they are, and where to write them.

        At most `step` at a time.

        They are written to the same place again and again: fresh memory for each block costs more
        than what is written, above all where Dask has the system take it back.
        """
        piece, filled = [], 0
        for rows, block in blocks:
            which = np.flatnonzero(self.how.folds[rows] == fold)
            while len(which):
                some, which = np.split(which, [self.room.shape[1] - filled])
                out = self.room[fold, filled : filled + len(some)]
                piece.append((rows.start + some, block, some, out))
                filled += len(some)
                if filled == self.room.shape[1]:
                    yield filled, piece
                    piece, filled = [], 0
        if filled:
            yield filled, piece


def _read_small(features: Features) -> NDArray[Any] | None:
    """Return all features if they are few; None: they are better read chunk by chunk."""
    if features.shape[0] * features.shape[1] > SMALL_FEATURES:
        return None
    return np.concatenate(list(map(itemgetter(1), features.chunks())))


def mirror(matrix: NDArray[Any], step: int = 128) -> None:
    """Copy the lower triangle onto the upper, tile by tile to stay in cache."""
    for start in range(0, len(matrix), step):
        stop = min(start + step, len(matrix))
        for below in range(stop, len(matrix), step):
            matrix[start:stop, below : below + step] = matrix[below : below + step, start:stop].T
        tile = matrix[start:stop, start:stop]
        np.copyto(tile, tile.T.copy(), where=~np.tri(len(tile), dtype=bool))


def require_finite(block: NDArray[Any], numbers: Rows) -> None:
    """Stop at the first row that holds what is no number."""
    if block.size and not (np.isfinite(block.min()) and np.isfinite(block.max())):
        bad = numbers[int(np.argmin(np.isfinite(block).all(axis=1)))]
        raise ValueError(
            f"the features of row {bad} hold NaN or infinity; "
            "ridge needs finite numbers, so drop or impute that row."
        )


Precision = Literal["single", "double"]
# Variance a column must have, against its second moment, to be more than rounding.
ROUNDING = {"single": 1e-6, "double": 1e-12}


class FoldStatistics:
    """What is known of the rows ``(1, φ, y)`` of each fold, about a centre in units of a scale.

    Attributes
    ----------
    centre, scale : ndarray of shape (1 + R + T,)
        Where the columns are measured from, and in which unit.
    n_features : int
        R.
    allowed : ndarray of bool, shape (n_folds + 1, R), or None
        Features that the model without each fold may use, and, last, the model of all rows.
    edges : tuple of two ndarrays of shape (n_folds, 1 + R + T)
        Σ w a and Σ w a² over the rows a of each fold: first row and diagonal of their moments.
    """

    centre: Floats
    scale: Floats
    n_features: int
    precision: Precision
    allowed: NDArray[np.bool_] | None
    edges: Any

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return len(self.edges[0])

    @property
    def fold_weights(self) -> Floats:
        """Sum of the weights in each fold."""
        return np.asarray(self.edges[0][:, 0])

    @property
    def n_targets(self) -> int:
        """T."""
        return len(self.centre) - 1 - self.n_features

    def drift(self) -> float:
        """How far the centre is from the mean of any column, in standard deviations of all rows.

        Squared, it is the factor by which centring magnifies the errors of the products.
        """
        mean, variance = self._spread()
        varies = variance > 1e-6 * mean**2
        # A constant column sits at its centre. One that does not might vary, drowned in rounding.
        if np.any(~varies & (np.abs(mean) > 1e-4)):
            return float("inf")
        return float(np.sqrt(np.max(mean[varies] ** 2 / variance[varies], initial=0.0)))

    def location(self, centred: bool = True) -> tuple[Floats, Floats]:
        """Mean and scale of the features over all rows, for a second pass to standardise by."""
        mean, variance = self._spread()
        columns = slice(1, 1 + self.n_features)
        centre, scale = self.centre[columns], self.scale[columns]
        varies = variance > 1e-6 * mean**2
        return (
            centre + mean * scale if centred else centre,
            np.where(varies, np.sqrt(np.where(varies, variance, 1.0)) * scale, scale),
        )

    def _spread(self) -> tuple[Floats, Floats]:
        """Mean and variance of the features, about the centre in units of the scale."""
        columns = slice(1, 1 + self.n_features)
        first, second = (of_folds.sum(axis=0) for of_folds in self.edges)
        mean = first[columns] / first[0]
        return mean, second[columns] / first[0] - mean**2


# `FoldSums`: all that ridge regression needs to know of the rows, one matrix per fold.


@dataclass(frozen=True, eq=False)
class FoldSums(FoldStatistics):
    """Weighted second moments of the rows ``(1, φ, y)`` in each fold.

    One symmetric matrix per fold holds its weight, Σφ, ΦᵀΦ, ΦᵀY, ΣY and YᵀY as blocks. Total minus
    fold is the sum over the rows a fold's model is trained on, exactly; so K-fold
    cross-validation of a ridge needs no second look at the rows.

    Columns are shifted by `centre` and divided by `scale` (those of the first rows)
    *before* they are multiplied, which is what makes float32 products good enough; chunks are
    added in float64. ``sums + sums`` merges the sums of two parts of the rows.

    Parameters
    ----------
    moments : ndarray of shape (n_folds, 1 + R + T, 1 + R + T)
        Σ w a aᵀ over the rows a = (1, φ, y) of each fold, about `centre` in units of `scale`.
    centre, scale : ndarray of shape (1 + R + T,)
        Where the columns are measured from, and in which unit.
    n_features : int
        R.
    precision : {"single", "double"}
        Of the products.
    allowed : ndarray of bool, shape (n_folds + 1, R), optional
        Features that the model without each fold may use, and, last, the model of all rows.

    Examples
    --------
    >>> from seamark.features import InMemory
    >>> phi, y = np.array([[1.0], [2.0], [6.0]]), np.array([[0.0], [1.0], [1.0]])
    >>> sums = FoldSums.of(InMemory(phi), y, np.array([0, 0, 1]))
    >>> raw = sums.about(np.zeros(3), np.ones(3))
    >>> raw.moments.sum(axis=0).round(9)
    array([[ 3.,  9.,  2.],
           [ 9., 41.,  8.],
           [ 2.,  8.,  2.]])
    """

    moments: Floats
    centre: Floats
    scale: Floats
    n_features: int
    precision: Precision = "double"
    allowed: NDArray[np.bool_] | None = None

    @classmethod
    def of(
        cls,
        features: Features,
        Y: Floats,
        folds: NDArray[np.intp],
        sample_weight: Floats | None = None,
        *,
        n_folds: int | None = None,
        precision: Precision = "double",
        centred: bool = True,
        standard: tuple[Floats, Floats] | None = None,
        allowed: NDArray[np.bool_] | None = None,
    ) -> FoldSums:
        """Sum over the rows in one pass.

        Parameters
        ----------
        features : Features
            Read once, in chunks; of the first rows, centre and scale are taken before.
        Y : ndarray of shape (n, T)
            Targets.
        folds : ndarray of shape (n,)
            Number of each row's fold; rows of a negative fold or without weight are left out.
        sample_weight : ndarray of shape (n,), optional
            Weights, 1 if not given.
        n_folds : int, optional
            How many folds there are, for a part of the rows that lacks the last ones.
        precision : {"single", "double"}
            Of the products; they are added in float64 in any case.
        centred : bool
            False measures columns from 0, for models without an intercept.
        standard : tuple of two ndarrays of shape (R,) or (R + T,), optional
            Centre and scale of the features, in place of those of the first rows, and perhaps of
            the targets.
        allowed : ndarray of bool, optional
            As in the attributes.
        """
        dtype = np.float32 if precision == "single" else np.float64
        whole = _read_small(features)
        how = Standard.of(
            features, Y, folds, sample_weight,
            dtype=dtype, centred=centred, standard=standard, whole=whole,
        )  # fmt: skip
        n_folds = n_folds or int(how.folds.max()) + 1
        if whole is not None and precision == "double":
            used = np.flatnonzero(how.folds >= 0)
            rows, members = how.rows(used, whole[used]), how.folds[used]
            given = how.centre, how.scale, how.n_features, allowed
            return FoldRows(rows, members, *given).added_up(n_folds)
        sums: FoldMoments = features.reduce(partial(FoldMoments, how, n_folds))
        moments = sums.multiply()
        side_by_side(mirror, list(moments))
        return cls(moments, how.centre, how.scale, how.n_features, precision, allowed)

    def __post_init__(self) -> None:
        edges = self.moments[:, 0], np.einsum("kjj->kj", self.moments)  # which copy nothing
        object.__setattr__(self, "edges", edges)

    def some(self, columns: Rows, targets: Rows | None = None) -> Self:
        """Return the sums of some columns, and of some of the targets, if not of all."""
        targets = np.arange(self.n_targets) if targets is None else targets
        kept = np.concatenate([[0], 1 + columns, 1 + self.n_features + targets])
        return replace(
            self,
            moments=np.stack([matrix[np.ix_(kept, kept)] for matrix in self.moments]),
            centre=self.centre[kept],
            scale=self.scale[kept],
            n_features=len(columns),
            allowed=None if self.allowed is None else self.allowed[:, columns],
        )

    def about(self, centre: Floats, scale: Floats) -> Self:
        """The same sums measured from another centre, in other units.

        Exact but for float64 rounding: rows turn as a' = T a, hence moments as T M Tᵀ.
        """
        unit, shift = self.scale / scale, (self.centre - centre) / scale
        moved = np.empty_like(self.moments)
        for old, new in zip(self.moments, moved, strict=True):
            half = old * unit + np.outer(old[:, 0], shift)
            new[:] = unit[:, None] * half + np.outer(shift, half[0])
        return replace(self, moments=moved, centre=centre, scale=scale)

    def __add__(self, other: FoldSums) -> Self:
        if self.moments.shape != other.moments.shape or self.n_features != other.n_features:
            raise ValueError(
                f"sums over {self.n_folds} folds, {self.n_features} features and {self.n_targets} "
                f"targets cannot be added to sums over {other.n_folds}, {other.n_features} and "
                f"{other.n_targets}; give every part the same n_folds and columns."
            )
        if not (
            np.array_equal(self.centre, other.centre) and np.array_equal(self.scale, other.scale)
        ):
            other = other.about(self.centre, self.scale)
        both = {self.precision, other.precision}
        return replace(
            self,
            moments=self.moments + other.moments,
            precision="single" if "single" in both else "double",
        )

    def __iadd__(self, other: FoldSums) -> Self:
        alike = self.centre is other.centre or np.array_equal(self.centre, other.centre)
        if not alike or self.moments.shape != other.moments.shape:
            return self + other
        np.add(self.moments, other.moments, out=self.moments)
        return self


# `FoldRows`: all that ridge regression needs to know of rows that are fewer than their columns.


@dataclass(frozen=True, eq=False)
class FoldRows(FoldStatistics):
    """Weighted rows ``√w (1, φ, y)``, as they are, and the fold of each.

    What `FoldSums` adds up. Where there are fewer rows than columns, n × R numbers are fewer than
    the R × R of a single fold's sums.

    Parameters
    ----------
    rows : ndarray of shape (n, 1 + R + T)
        About `centre` in units of `scale`, times the root of the weight.
    folds : ndarray of shape (n,)
        Number of each row's fold.
    centre, scale : ndarray of shape (1 + R + T,)
        Where the columns are measured from, and in which unit.
    n_features : int
        R.
    allowed : ndarray of bool, shape (n_folds + 1, R), optional
        As in `FoldSums`.

    Examples
    --------
    >>> from seamark.features import InMemory
    >>> phi, y = np.array([[1.0, 5.0, 2.0], [3.0, 9.0, 2.0]]), np.array([[0.0], [1.0]])
    >>> rows = FoldRows.of(InMemory(phi), y, np.array([0, 1]))
    >>> rows.rows
    array([[ 1., -1., -1.,  0., -1.],
           [ 1.,  1.,  1.,  0.,  1.]])
    """

    rows: Floats
    folds: NDArray[np.intp]
    centre: Floats
    scale: Floats
    n_features: int
    allowed: NDArray[np.bool_] | None = None

    precision: Precision = "double"

    @classmethod
    def of(
        cls,
        features: Features,
        Y: Floats,
        folds: NDArray[np.intp],
        sample_weight: Floats | None = None,
        *,
        centred: bool = True,
        allowed: NDArray[np.bool_] | None = None,
    ) -> FoldRows:
        """Keep the rows of one pass; parameters as in `FoldSums.of`."""
        whole = _read_small(features)
        how = Standard.of(
            features, Y, folds, sample_weight,
            dtype=np.float64, centred=centred, whole=whole,
        )  # fmt: skip
        used = how.folds >= 0
        places, kept = np.cumsum(used) - 1, np.empty((np.count_nonzero(used), len(how.centre)))

        def part(rows: slice, block: NDArray[Any]) -> None:
            """Write those rows of a chunk that are in use to their places."""
            which = np.flatnonzero(used[rows])
            if len(which):
                first = places[rows.start + which[0]]
                out = kept[first : first + len(which)]
                how.rows(rows.start + which, block, which, out)

        if whole is None:
            features.reduce(part)
        else:
            part(slice(0, len(whole)), whole)
        return cls(kept, how.folds[used], how.centre, how.scale, how.n_features, allowed)

    def some(self, columns: NDArray[np.intp]) -> FoldRows:
        """Return the same of some features; what is added up already is not added up again."""
        targets = np.arange(1 + self.n_features, len(self.centre))
        kept = np.concatenate([[0], 1 + columns, targets])
        rows = self.rows
        # Runs are copied sooner than single ones.
        if len(columns) and (np.diff(columns) == 1).all():
            first = 1 + int(columns[0])
            runs = rows[:, :1], rows[:, first : first + len(columns)], rows[:, targets[0] :]
            chosen = np.concatenate(runs, axis=1)
        else:
            chosen = np.ascontiguousarray(rows[:, kept])
        part = FoldRows(
            chosen,
            self.folds,
            self.centre[kept],
            self.scale[kept],
            len(columns),
            None if self.allowed is None else self.allowed[:, columns],
        )
        part.__dict__["edges"] = self.edges[0][:, kept], self.edges[1][:, kept]
        return part

    def added_up(self, n_folds: int) -> FoldSums:
        """Return the sums over the rows of each fold."""
        parts = [self.rows[self.folds == fold] for fold in range(n_folds)]
        moments = np.stack([part.T @ part for part in parts])
        return FoldSums(
            moments, self.centre, self.scale, self.n_features, self.precision, self.allowed
        )

    @cached_property
    def edges(self) -> tuple[Floats, Floats]:
        """Σ w a and Σ w a² over the rows of each fold."""
        folds = np.arange(self.folds.max() + 1)[:, None]
        members = (self.folds == folds).astype(np.float64)
        first = (members * self.rows[:, 0]) @ self.rows
        second = np.empty(first.shape)
        for start in range(0, self.rows.shape[1], STRIP_COLUMNS):
            strip = slice(start, start + STRIP_COLUMNS)
            second[:, strip] = members @ np.square(self.rows[:, strip])
        return first, second
