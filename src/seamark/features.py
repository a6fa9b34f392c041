"""Features: n × R numbers that may be too many to hold, so they are read in chunks of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .engine import Progress, row_chunks, showing

__all__ = ["ColumnMoments", "Features", "InMemory", "Selected", "as_features"]

Rows = NDArray[np.intp]
Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]


class Features:
    """A matrix of features, read one chunk of rows after another, as often as needed.

    A subclass has `chunk` and `row_slices`, or, where it reads other features, `chunks`.
    """

    shape: tuple[int, int]
    row_slices: list[slice]
    """Rows that are read together."""
    groups: Rows | None = None
    """Number of each row's group of equal objects, which folds keep together; None: all differ."""
    order: Rows | None = None
    """Columns in the order in which to take the leading ones; None: as they stand."""
    owners: Rows | None = None
    """Number of the block that each column belongs to; None: all are of one."""
    made_with_targets: tuple[int, ...] = ()
    """Blocks whose columns were made with the help of y, such as scores of a forest."""
    everything: Any = None
    """All the rows of which these are a sample; None: these are all rows."""
    _progress: bool | Progress = False

    def chunk(
        self, rows: slice, columns: Any = None, progress: bool | Progress = False
    ) -> NDArray[Any]:
        """Return the features of a run of rows; only `columns` if given."""
        raise NotImplementedError

    def chunks(self, columns: Any = None) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield rows, in order, and their features as a float array, only `columns` if given.

        What comes belongs to whoever reads it: it may be changed, and is not kept. The progress
        shown is that of all chunks.
        """
        missing = 0
        if self._progress:
            missing = sum(self.n_missing(rows, columns) for rows in self.row_slices)
        if not missing:  # most often
            blocks = map(partial(self.chunk, columns=columns), self.row_slices)
            return zip(self.row_slices, blocks, strict=True)
        return self._chunks_shown(columns, missing)

    def _chunks_shown(self, columns: Any, missing: int) -> Iterator[tuple[slice, NDArray[Any]]]:
        with showing(self._progress, missing) as bar:
            for rows in self.row_slices:
                yield rows, self.chunk(rows, columns, bar)

    def reduce(self, part: Callable[[slice, NDArray[Any]], Any], columns: Any = None) -> Any:
        """Add up what `part` makes of every chunk: the one way to pass over rows.

        Parts are added in the order of the rows, so that sums are the same bits each time.

        Parameters
        ----------
        part : callable
            ``part(rows, block)`` gets a slice of rows and their features, and returns something
            new that has ``+``, or None for nothing; where it has ``+=`` the first part takes in
            the others.
        columns : array of int, optional
            Only these columns.

        Returns
        -------
        object or None
            The sum; None if all parts were.

        Examples
        --------
        >>> phi = InMemory(np.arange(6.0).reshape(3, 2))
        >>> phi.reduce(lambda rows, block: block.sum(axis=0))
        array([6., 9.])
        """
        total = None
        for rows, block in self.chunks(columns):
            piece = part(rows, block)
            if total is None:
                total = piece
            elif piece is not None:
                total += piece
        return total

    def stacked(
        self, part: Callable[[slice, NDArray[Any]], NDArray[Any]], columns: Any = None
    ) -> NDArray[Any]:
        """Return what `part` makes of every chunk, one below the other.

        Examples
        --------
        >>> phi = InMemory(np.arange(6.0).reshape(3, 2))
        >>> phi.stacked(lambda rows, block: block @ [1.0, 1.0])
        array([1., 5., 9.])
        """
        return np.concatenate(self.reduce(lambda rows, block: [part(rows, block)], columns))

    def rows(self, indices: Rows, columns: Any = None) -> NDArray[Any]:
        """Return the features of some rows, in the order asked for; only `columns` if given."""
        rising, turn = np.unique(indices, return_inverse=True)

        def some(rows: slice, block: NDArray[Any]) -> NDArray[Any]:
            first, last = np.searchsorted(rising, [rows.start, rows.stop])
            return np.asarray(block[rising[first:last] - rows.start])

        return self.stacked(some, columns)[turn]

    def n_missing(self, rows: slice, columns: Any = None) -> int:
        """Return how many values must be computed to read a run of rows."""
        return 0

    def sample_of(self, everything: Any, hashes: Rows) -> Self:
        """Return the same as features of a sample of rows, behind which there are many more.

        A head that adds up (`StreamedRidge`) takes its standards and calibration from the sample,
        and its sums from all rows.

        Parameters
        ----------
        everything : object
            See `RidgeTask`.
        hashes : ndarray of int
            Of the sampled objects: they say the folds.
        """
        other = copy(self)
        other.everything, other.groups = everything, hashes
        return other

    def on_device(self) -> Features | None:
        """Return the same features, their blocks on the backend's device; None: they cannot be.

        Single rows still come to the host.
        """
        return None

    def columns_without(self, hidden: Mask) -> Rows | None:
        """Return the columns for a model that must not know the hidden rows; None: all.

        Columns are often made or chosen with the help of rows, whose labels may have a say: what
        rows outside a fold are to be judged by must not have been chosen with the fold's labels.
        """
        return None

    def columns_by_fold(self, hidden: Sequence[Mask]) -> list[Rows | None]:
        """Return what `columns_without` does for the hidden rows of each of several models."""
        return list(map(self.columns_without, hidden))

    @property
    def mixes_landmarks(self) -> bool:
        """Whether every column is made of all landmarks, rows of these features among them."""
        return False

    def made_without(self, hidden: Mask) -> Features:
        """Return such mixtures as they would be had the hidden rows been no landmarks."""
        return self  # nothing is mixed


class InMemory(Features):
    """Features that are there already, as an array or CSR matrix.

    Parameters
    ----------
    matrix : ndarray or CSR matrix
    groups : ndarray of int, optional
        Of equal objects. Rows alone do not tell: unequal objects may have equal features.
    map : Map, optional
        Whose features they are, of rows that it was fitted to, where y decides them: each row's by
        a map that has not seen it.

    Examples
    --------
    >>> [(rows.start, block.shape) for rows, block in InMemory(np.zeros((5, 2))).chunks()]
    [(0, (5, 2))]
    """

    def __init__(self, matrix: Any, groups: Rows | None = None, map: Any = None) -> None:
        self.matrix = matrix
        self.shape = matrix.shape
        self.row_slices = row_chunks(self.shape[0], 8 * self.shape[1])
        self.groups = groups
        self.map = map

    def chunk(
        self, rows: slice, columns: Any = None, progress: bool | Progress = False
    ) -> NDArray[Any]:
        """Copy a run of rows."""
        return self.rows(rows, columns)

    def rows(self, indices: Rows | slice, columns: Any = None) -> NDArray[Any]:
        """Pick rows."""
        block = self.matrix[indices] if columns is None else self.matrix[indices][:, columns]
        return block.toarray() if sparse.issparse(block) else np.array(block)


class Selected(Features):
    """Some columns and rows of other features, which are read chunk by chunk.

    Parameters
    ----------
    features : Features
    columns : ndarray of int, optional
        Which, in the order wanted; default: all.
    kept : ndarray of int, optional
        Rows, which will rise; default: all.
    hides : ndarray of int, optional
        Rows on which columns must not depend; default: all that are not kept.

    Examples
    --------
    >>> phi = Selected(InMemory(np.arange(6.0).reshape(3, 2)), np.array([1]))
    >>> phi.rows(np.array([0, 2]))
    array([[1.],
           [5.]])
    >>> some = Selected(phi, kept=np.array([2, 1]))
    >>> [block.tolist() for _, block in some.chunks()]
    [[[3.0], [5.0]]]
    """

    def __init__(
        self,
        features: Features,
        columns: Rows | None = None,
        *,
        kept: Rows | None = None,
        hides: Rows | None = None,
    ) -> None:
        self.features = features
        self.columns = None if columns is None else np.asarray(columns)
        self.kept, self.hides = None if kept is None else np.unique(kept), hides
        n, width = features.shape
        self.groups, self.owners = features.groups, features.owners
        self.made_with_targets = features.made_with_targets
        if self.columns is None:
            self.order = features.order
        else:
            width = len(self.columns)
            self.owners = None if self.owners is None else self.owners[self.columns]
        if self.kept is None:
            self.everything = features.everything
        else:
            if hides is None:
                self.hides = np.setdiff1d(np.arange(n), self.kept)
            n = len(self.kept)
            self.groups = None if self.groups is None else self.groups[self.kept]
        self.shape = n, width

    def _among(self, columns: Any) -> Any:
        """Return columns of these as columns of all."""
        if self.columns is None:
            return columns
        return self.columns if columns is None else self.columns[columns]

    def chunks(self, columns: Any = None) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield what is kept of each chunk."""
        for rows, block in self.features.chunks(self._among(columns)):
            if self.kept is None:
                yield rows, block
                continue
            first, last = (int(i) for i in np.searchsorted(self.kept, [rows.start, rows.stop]))
            if first < last:
                yield slice(first, last), block[self.kept[first:last] - rows.start]

    def rows(self, indices: Rows, columns: Any = None) -> NDArray[Any]:
        """Pick rows among those kept."""
        among = indices if self.kept is None else self.kept[indices]
        return self.features.rows(among, self._among(columns))

    def on_device(self) -> Features | None:
        """Choose columns there; rows that are chosen stay here."""
        there = None if self.kept is not None else self.features.on_device()
        return None if there is None else selected(there, self.columns)

    def columns_without(self, hidden: Mask) -> Rows | None:
        """Return those of the columns that depend neither on hidden rows, nor on those left out."""
        return self.columns_by_fold([hidden])[0]

    def columns_by_fold(self, hidden: Sequence[Mask]) -> list[Rows | None]:
        """Return these columns for each of several models."""
        if self.kept is not None:
            unknown = np.zeros((len(hidden), self.features.shape[0]), dtype=bool)
            unknown[:, self.hides] = True
            unknown[:, self.kept] = hidden
            hidden = list(unknown)
        every, columns = self.features.columns_by_fold(hidden), self.columns
        if columns is None:
            return every
        return [None if some is None else np.flatnonzero(np.isin(columns, some)) for some in every]


def selected(features: Features, columns: Rows | None) -> Features:
    """Return some columns of features; all of them if there is None."""
    return features if columns is None else Selected(features, columns)


def groups_of(X: Any) -> Rows | None:
    """Return the groups of equal objects that features know of; rows of a matrix know of none."""
    return X.groups if isinstance(X, Features) else None


def as_features(X: Any) -> Features:
    """Return features as they are, or a matrix as features."""
    return X if isinstance(X, Features) else InMemory(X)


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
        """Sum over the rows of a chunk, each of weight 1 if nobody says."""
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
    spread = np.sqrt(np.ones(len(block)) @ np.square(block - mean) / float(len(block)))
    size = np.abs(block).max(axis=0, initial=0.0).astype(np.float64)
    # A column that does not vary here may do so later: its size is then a safe unit.
    scale = np.where(spread > 1e-6 * size, spread, np.where(size > 0, size, 1.0))
    if centred:
        return mean, scale
    return np.zeros_like(mean), np.where(size > 0, np.sqrt(spread**2 + mean**2), 1.0)
