"""Features of a map over objects, made block by block, their values kept while memory lasts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..features import Features, Mask, Rows
from ..transfers import Transfer
from .pilot import Pilot

if TYPE_CHECKING:
    from .landmark import LandmarkMap

MEMORY = 1 << 30  # bytes of values kept by default


class MappedFeatures(Features):
    """Features of objects under a fitted map.

    Values of the measure are computed once, block by block, and kept in the smallest type that
    holds them exactly (edit distances in a byte or two); beyond the budget they are computed
    again, and counted again. Transfers can be exchanged without computing values anew.

    Parameters
    ----------
    map : LandmarkMap
        Fitted.
    X : objects
        Ingested.
    memory : int
        Bytes of values that may be kept.
    progress : bool or Progress
        Shown while values are computed.
    pilot : Pilot, optional
        Values of some rows that are known already.
    groups : ndarray of int, optional
        Of equal objects, for folds.
    """

    def __init__(
        self,
        map: LandmarkMap,
        X: Any,
        *,
        memory: int = MEMORY,
        progress: bool | engine.Progress = False,
        pilot: Pilot | None = None,
        groups: Rows | None = None,
    ) -> None:
        self.map = map
        self.X = X
        self.groups = groups
        self.shape = (X.shape[0], map.n_features_out_)
        self.transfers: list[Transfer] = map.transfers_
        self._left = [memory]  # shared, like what is kept, by all that `with_transfers` returns
        self._kept: dict[int, NDArray[Any]] = {}
        self._progress = progress
        self._pilot: Pilot | None = None
        if pilot is not None and pilot.values.nbytes <= memory:
            self._pilot, self._left[0] = pilot, memory - pilot.values.nbytes
        self._rows: Rows | None = None  # of fit's X, if these are some of them
        self.order = map.feature_order

    def with_transfers(self, transfers: list[Transfer]) -> MappedFeatures:
        """Return the same values under other transfers; what is kept is shared."""
        other = MappedFeatures(self.map, self.X, progress=self._progress, groups=self.groups)
        other.transfers, other._kept, other._left = transfers, self._kept, self._left
        other._rows, other._pilot = self._rows, self._pilot
        return other

    def quietly(self) -> MappedFeatures:
        """Return the same features without progress, to look at a block of what is kept."""
        other = self.with_transfers(self.transfers)
        other._progress = False
        return other

    def of_rows(self, rows: Rows, columns: Rows) -> MappedFeatures:
        """Return features of some rows, and where the map allows it of some landmarks only."""
        divisible = self.map.is_divisible and len(columns) < self.shape[1]
        bearings = self.map.subset(columns) if divisible else self.map
        some = MappedFeatures(bearings, self.X[rows], memory=self._left[0], progress=self._progress)
        some._rows = rows
        some.groups = None if self.groups is None else self.groups[rows]
        if self._pilot is not None and self._is_pointwise:
            every = np.arange(self.shape[1])
            some._pilot = self._pilot.among(rows, columns if divisible else every)
        return some

    def columns_without(self, hidden: Mask) -> Rows | None:
        """Return the columns whose landmarks are not among the hidden rows.

        What is left of landmarks that were drawn with labels (from each class its share, in
        pairs) is such a draw from the other rows. Of landmarks chosen one by one (`Diverse`) it is
        those that come from there; hidden labels had a say in their neighbours only. No value is
        computed again.
        """
        rows = np.flatnonzero(hidden) if self._rows is None else self._rows[hidden]
        return self.map.columns_without(rows)

    def blocks(self, columns: Any = None) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield blocks of features."""
        every = self.map.row_blocks(self.shape[0])
        missing = sum(self._n_missing(rows) for rows in every)
        with engine.progress_bar(self._progress if missing else False) as bar:
            if missing:
                bar.start(missing * self.map.landmarks_.shape[0] * len(self.map.measures_))
            for rows in every:
                values = self._values(rows, engine.Part(bar))
                if columns is not None and self._is_pointwise:
                    some = values[:, columns].astype(np.float32)
                    yield rows, self.map.features(some, self.transfers)
                    continue
                features = self.map.features(values.astype(np.float32), self.transfers)
                features = self.map.with_columns_of(self.X[rows], features)
                yield rows, features if columns is None else features[:, columns]

    @property
    def _is_pointwise(self) -> bool:
        """Whether columns of values become columns of features, each by itself."""
        n, bearings = self.map.n_landmarks_, self.map
        several = len(self.transfers) > 1 or bearings.passthrough or bearings.pairs_ is not None
        several = several or bearings.columns_ is not None
        return not several and not any(
            t.looks_between or t.n_features(n) != n for t in self.transfers
        )

    def rows(self, indices: Rows) -> NDArray[Any]:
        """Compute the features of some rows."""
        objects = self.X[indices]
        features = self.map.features(self.map.values(objects, rows=indices), self.transfers)
        return self.map.with_columns_of(objects, features)

    def _n_missing(self, rows: slice) -> int:
        if rows.start in self._kept:
            return 0
        known = 0 if self._pilot is None else self._pilot.n_known(rows)
        return int(rows.stop - rows.start) - known

    def _values(self, rows: slice, progress: engine.Progress) -> NDArray[Any]:
        """Return values of a block, not to be overwritten."""
        if rows.start in self._kept:
            return self._kept[rows.start]
        if self._pilot is None:
            values = self.map.values(self.X[rows], progress, rows)
        else:
            values = self._pilot.complete(rows, lambda r: self.map.values(self.X[r], progress, r))
        small = smallest_exact(values)
        if small.nbytes <= self._left[0]:
            self._left[0] -= small.nbytes
            self._kept[rows.start] = small
        return values


def smallest_exact(values: NDArray[np.float32]) -> NDArray[Any]:
    """Return the values in the smallest type that holds them exactly.

    Examples
    --------
    >>> smallest_exact(np.array([0, 255], dtype=np.float32)).dtype
    dtype('uint8')
    >>> smallest_exact(np.array([-300, 0], dtype=np.float32)).dtype
    dtype('int16')
    >>> smallest_exact(np.array([0.5], dtype=np.float32)).dtype
    dtype('float32')
    """
    low, high = (values.min(), values.max()) if values.size else (0, 0)
    for dtype in (np.uint8, np.int8, np.uint16, np.int16):
        if np.iinfo(dtype).min <= low and high <= np.iinfo(dtype).max:
            small = values.astype(dtype)
            return small if np.array_equal(small, values) else values
    return values
