"""Values of objects against landmarks, each evaluated once while memory lasts, as features."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..engine.lapack import tiles
from ..features import Features, Mask, Rows
from ..landmarks import NOT_A_ROW
from ..transfers import Identity, Transfer, Whitening, features_of
from .features import DeviceFeatures, DeviceValues

if TYPE_CHECKING:
    from .landmark import LandmarkMap, Pilot


Values = NDArray[np.float32]
COMPARED_BYTES = 32 << 20  # of values of some rows, put together once for all transfers compared
STRIP_VALUES = 2**18  # that stay in the cache of a core while they are worked on

Gap = tuple[Rows, Rows]  # rows and columns, both rising


@dataclass
class Budget:
    """Bytes that may still be kept, by one cache or by several together."""

    left: int


@dataclass(frozen=True, eq=False)
class Rectangle:
    """Values of some rows in some columns, both rising."""

    rows: Rows
    columns: Rows
    values: NDArray[Any]

    def left_of(self, gap: Gap) -> Iterator[Gap]:
        """Yield what these values leave open of a gap.

        Examples
        --------
        >>> known = Rectangle(np.array([1, 4]), np.array([0]), np.zeros((2, 1)))
        >>> [(r.tolist(), c.tolist()) for r, c in known.left_of((np.arange(3), np.arange(2)))]
        [([0, 2], [0, 1]), ([1], [1])]
        """
        rows, columns = gap
        others = np.setdiff1d(columns, self.columns, assume_unique=True)
        both = np.intersect1d(rows, self.rows, assume_unique=True)
        if len(others) == len(columns) or not len(both):
            yield gap
            return
        if len(both) < len(rows):
            yield np.setdiff1d(rows, both, assume_unique=True), columns
        if len(others):
            yield both, others

    def copy_into(self, out: Values, rows: Rows, columns: Rows) -> None:
        """Write what is known of some rows and columns to their places."""
        _, r, i = np.intersect1d(rows, self.rows, assume_unique=True, return_indices=True)
        _, c, j = np.intersect1d(columns, self.columns, assume_unique=True, return_indices=True)

        def copy(some: slice) -> None:
            out[_cells(r[some], c)] = self.values[_cells(i[some], j)]

        if len(c):
            size = max(1, STRIP_VALUES // len(c))
            engine.side_by_side(copy, tiles(0, len(r), size))


class ValueCache:
    """Values of objects against a map's landmarks, kept in the smallest type that is exact.

    What is asked for is put together from what is kept, and only the rest is evaluated: whole
    rows, or the missing columns of some rows. What the budget does not allow to keep is evaluated
    again, and counted again. A value does not depend on the rows it is evaluated with, but for the
    last digit of products by some BLAS; where numbers are centred by the landmarks before they are
    rounded, that may depend on the columns too.

    Parameters
    ----------
    map : LandmarkMap
        Fitted. Its values are the columns: landmarks, side by side for several measures.
    X : objects
        Ingested.
    budget : Budget
    chunks : list of slice, optional
        Rows that are mostly read together; default: as many as the map takes at a time.

    Examples
    --------
    >>> import seamark as sm
    >>> X = sm.data.strings.ingest(["sea", "see", "mark", "marked"])
    >>> bearings = sm.LandmarkMap("levenshtein", n_landmarks=3, random_state=0).fit(X)
    >>> cache = ValueCache(bearings, X, Budget(1000))
    >>> with sm.engine.counting() as counter:
    ...     few = cache.read(np.array([1, 3]), np.array([0, 2]))
    ...     whole = cache.read(slice(0, 4))
    >>> few.shape, whole.shape, counter.evaluations
    ((2, 2), (4, 3), 12)
    """

    def __init__(
        self, map: LandmarkMap, X: Any, budget: Budget, chunks: list[slice] | None = None
    ) -> None:
        self.map = map
        self.X = X
        self.budget = budget
        self._every = np.arange(map.n_values)
        # All but the last have equally many rows.
        self.chunks = chunks or engine.row_chunks(X.shape[0], 4 * len(self._every))
        # By block, so that what was kept in parts is freed once the block is whole.
        self._kept: defaultdict[int, list[Rectangle]] = defaultdict(list)
        self._parts: dict[bytes, LandmarkMap] = {}
        self.on_device: Any = None  # `DeviceValues`, where there is a device

    def keep(self, rows: Rows, columns: Rows | None, values: Values) -> None:
        """Keep values of some rows and columns, both rising, as far as the budget allows."""
        for b, among in self._by_block(rows):
            small = smallest_exact(values[among])
            if small.base is not None and len(small) < len(values):
                small = small.copy()  # not to hold the others' memory
            if small.nbytes <= self.budget.left:
                self.budget.left -= small.nbytes
                known = Rectangle(rows[among], self._every if columns is None else columns, small)
                self._kept[b].append(known)

    def n_missing(self, rows: slice | Rows, columns: Rows | None = None) -> int:
        """Return how many values `read` would have to evaluate."""
        if self._kept_whole(rows) is not None:
            return 0
        asked, rising = _numbers(rows), self._every if columns is None else np.unique(columns)
        return sum(len(r) * len(c) for r, c in self._gaps(asked, rising))

    def read(
        self,
        rows: slice | Rows,
        columns: Rows | None = None,
        progress: bool | engine.Progress = False,
    ) -> NDArray[Any]:
        """Return values, not to be overwritten.

        Parameters
        ----------
        rows : slice or ndarray of int
            Rising, each once.
        columns : ndarray of int, optional
            In the order wanted; default: all.
        progress : bool or Progress
            Shown while the missing ones are evaluated.
        """
        kept = self._kept_whole(rows)
        if kept is not None:
            return kept if columns is None else kept[:, columns]
        asked, rising = _numbers(rows), self._every if columns is None else np.unique(columns)
        out = np.empty((len(asked), len(rising)), dtype=np.float32)
        gaps = self._gaps(asked, rising)
        for b, among in self._by_block(asked):
            for known in self._kept[b]:
                known.copy_into(out[among], asked[among], rising)
        for r, c in gaps:
            part, some = self.map, _run(r)
            if len(c) < len(self._every):
                if c.tobytes() not in self._parts:
                    self._parts[c.tobytes()] = self.map.part(c)
                part = self._parts[c.tobytes()]
            with engine.numbering(some), engine.step("values"):
                values = part.values(self.X[some], progress)
            Rectangle(r, c, values).copy_into(out, asked, rising)
            self.keep(r, c, values)
        for b, among in self._by_block(asked):
            self._join(b, asked[among], out[among])
        if columns is None or np.array_equal(columns, rising):
            return out
        return out[:, np.searchsorted(rising, columns)]

    def drop(self) -> None:
        """Forget everything, and give back the memory."""
        every = [known for kept in self._kept.values() for known in kept]
        self.budget.left += sum(known.values.nbytes for known in every)
        self._kept.clear()
        self.on_device = None

    def _by_block(self, rows: Rows) -> Iterator[tuple[int, slice]]:
        """Yield the blocks that hold some of the rows, and which of them they hold."""
        if not len(rows):
            return
        first, last = rows[[0, -1]] // self.chunks[0].stop
        for b in range(first, last + 1):
            start, stop = np.searchsorted(rows, [self.chunks[b].start, self.chunks[b].stop])
            if stop > start:
                yield b, slice(int(start), int(stop))

    def _kept_whole(self, rows: slice | Rows) -> NDArray[Any] | None:
        """Return values of rows that lie in one block, if that is kept in one piece."""
        if isinstance(rows, slice):
            first, last = rows.start, rows.stop - 1
        elif len(rows):
            first, last = int(rows[0]), int(rows[-1])
        else:
            return None
        b = first // self.chunks[0].stop
        block, kept = self.chunks[b], self._kept[b]
        size = (block.stop - block.start) * len(self._every)
        if last >= block.stop or len(kept) != 1 or kept[0].values.size != size:
            return None
        values = kept[0].values
        if isinstance(rows, slice):
            return values[first - block.start : last + 1 - block.start]
        return np.asarray(values[rows - block.start])

    def _gaps(self, rows: Rows, columns: Rows) -> list[Gap]:
        """Return what is not kept, as few rectangles: rows that lack the same columns are one."""
        lacking: dict[bytes, tuple[list[Rows], Rows]] = {}
        for b, among in self._by_block(rows):
            gaps = [(rows[among], columns)]
            for known in self._kept[b]:
                gaps = [left for gap in gaps for left in known.left_of(gap)]
            for r, c in gaps:
                lacking.setdefault(c.tobytes(), ([], c))[0].append(r)
        return [(np.sort(np.concatenate(parts)), c) for parts, c in lacking.values()]

    def _join(self, b: int, rows: Rows, values: Values) -> None:
        """Keep a block in one piece in place of many, if these are all its values and kept."""
        kept, block = self._kept[b], self.chunks[b]
        whole = (block.stop - block.start) * len(self._every)
        n_kept = sum(known.values.size for known in kept)
        if len(kept) < 2 or values.size < whole or n_kept < whole:
            return
        small = smallest_exact(values)
        more = small.nbytes - sum(known.values.nbytes for known in kept)
        if more <= self.budget.left:
            self.budget.left -= more
            own = small.copy() if small is values else small  # the other one is the reader's
            self._kept[b] = [Rectangle(rows, self._every, own)]


def _numbers(rows: slice | Rows) -> Rows:
    return np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows


def _run(numbers: Rows) -> slice | Rows:
    """Return rising numbers as a slice if none is left out: no copy is needed then."""
    start, stop = int(numbers[0]), int(numbers[-1]) + 1
    return slice(start, stop) if stop - start == len(numbers) else numbers


def _cells(rows: Rows, columns: Rows) -> Any:
    """Return an index of all cells of some rows and columns."""
    r, c = _run(rows), _run(columns)
    return (r, c) if isinstance(r, slice) or isinstance(c, slice) else np.ix_(r, c)


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
    if values.size > 2 * STRIP_VALUES:
        strips = tiles(0, len(values), max(1, STRIP_VALUES * len(values) // values.size))
        found = engine.side_by_side(smallest_exact, [values[strip] for strip in strips])
        kinds = {one.dtype for one in found}
        if len(kinds) == 1:
            return np.concatenate(found) if kinds != {values.dtype} else values
    low, high = (values.min(), values.max()) if values.size else (0, 0)
    for dtype in (np.uint8, np.int8, np.uint16, np.int16):
        if np.iinfo(dtype).min <= low and high <= np.iinfo(dtype).max:
            small = values.astype(dtype)
            return small if np.array_equal(small, values) else values
    return values


class CachedFeatures(Features):
    """Features of objects under a fitted landmark map.

    Values of the measure are computed once, and kept in the smallest type that holds them exactly
    (edit distances in a byte or two); beyond the budget they are computed again, and counted
    again. Features under other transfers, or of some rows and landmarks, share what is kept.

    Parameters
    ----------
    map : LandmarkMap
        Fitted.
    X : objects
        Ingested.
    budget : int or Budget, optional
        Bytes of values that may be kept; a budget is shared with others. Default: what a fit may
        hold.
    progress : bool or Progress
        Shown while values are computed.
    pilot : Pilot, optional
        Values of some rows that are known from fitting the map.
    groups : ndarray of int, optional
        Of equal objects, for folds.
    chunks : list of slice, optional
        Rows that are read together; default: as many as the map takes at a time.
    """

    def __init__(
        self,
        map: LandmarkMap,
        X: Any,
        *,
        budget: int | Budget | None = None,
        progress: bool | engine.Progress = False,
        pilot: Pilot | None = None,
        groups: Rows | None = None,
        chunks: list[slice] | None = None,
    ) -> None:
        self.map = map
        self.X = X
        self.groups = groups
        self.shape = (X.shape[0], map.n_features_out_)
        self.transfers: list[Transfer] = map.transfers_
        self.order = map.feature_order
        self._progress = progress
        budget = engine.settings().kept_bytes if budget is None else budget
        shared = budget if isinstance(budget, Budget) else Budget(budget)
        self._cache = ValueCache(map, X, shared, chunks)  # shared by all copies
        self.row_slices = self._cache.chunks
        if pilot is not None:
            self._cache.keep(pilot.rows, None, pilot.values)
        self._rows: Rows | None = None  # of fit's X, rising, if these are some of them
        self._places: Rows | None = None  # of the values in the cache, if these are some of them
        self._held: list[NDArray[Any]] | None = None  # values of few rows, once they were read

    def with_transfers(self, transfers: list[Transfer]) -> CachedFeatures:
        """Return the same values under other transfers; what is kept is shared."""
        other = copy(self)
        other.transfers = transfers
        return other

    def of_rows(self, rows: Rows, columns: Rows) -> CachedFeatures:
        """Return features of some rows, and where the map allows it of some landmarks only.

        What is kept is shared: values that are read here are not computed again elsewhere.

        Parameters
        ----------
        rows : ndarray of int
            Rising.
        columns : ndarray of int
        """
        some = copy(self)
        if self.map.is_divisible and len(columns) < self.shape[1]:
            places = self.map.values_behind(columns)
            some.map = self.map.subset(columns)
            some._places = places if self._places is None else self._places[places]
        some.X = self.X[rows]
        some.shape = (len(rows), some.map.n_features_out_)
        some.transfers, some.order = some.map.transfers_, some.map.feature_order
        some.groups = None if self.groups is None else self.groups[rows]
        some._rows = rows if self._rows is None else self._rows[rows]
        some.row_slices = some.map.row_chunks(len(rows))
        few = 4 * len(rows) * some.map.n_values <= engine.settings().share(16, COMPARED_BYTES)
        some._held = [] if few else None
        return some

    def drop(self) -> None:
        """Forget all values that are kept, and give back their memory."""
        self._cache.drop()

    def columns_without(self, hidden: Mask) -> Rows | None:
        """Return the columns whose landmarks are not among the hidden rows.

        What is left of landmarks that were drawn with labels (from each class its share, in
        pairs) is such a draw from the other rows. Of landmarks chosen one by one (`Diverse`) it is
        those that come from there; hidden labels had a say in their neighbours only. No value is
        computed again.
        """
        return self.columns_by_fold([hidden])[0]

    def columns_by_fold(self, hidden: Sequence[Mask]) -> list[Rows | None]:
        """Return these columns for each of several models."""
        every = np.arange(self.shape[0]) if self._rows is None else self._rows
        rows = [every[of_fold] for of_fold in hidden]
        return [self.map.columns_without(of_fold) for of_fold in rows]

    @property
    def mixes_landmarks(self) -> bool:
        """Whether whitening made the columns, of landmarks all of which are rows."""
        sources = self.map.landmark_sources_
        own = sources is not None and bool((np.asarray(sources) != NOT_A_ROW).all())
        whole = self._rows is None and self.everything is None
        return own and whole and isinstance(self.transfers[0], Whitening)

    def made_without(self, hidden: Mask) -> CachedFeatures:
        """Whiten the other landmarks; all of them where none is left."""
        sources, whitening = np.asarray(self.map.landmark_sources_), self.transfers[0]
        kept = ~hidden[sources]
        if not isinstance(whitening, Whitening) or not kept.any():
            return self
        between = self.with_transfers([whitening.transfer or Identity()]).rows(sources)
        other = self.with_transfers([whitening.without(between, kept)])
        other.shape = (self.shape[0], other.transfers[0].n_features(len(sources)))
        return other

    def on_device(self) -> Features | None:
        """Return features of values that are kept there; all transfers share them."""
        if self._rows is not None or not self.map.fits_device(self.transfers):
            return None
        if self._cache.on_device is None:
            self._cache.on_device = DeviceValues(self.map, self.X, self._cache)
        return DeviceFeatures(self, self._cache.on_device, self.transfers[0])

    def n_missing(self, rows: slice, columns: Any = None) -> int:
        """Return how many values must be computed to read a chunk; of each row all or none."""
        among = rows if self._rows is None else self._rows[rows]
        return self._cache.n_missing(among, self._places)

    def chunk(
        self,
        rows: slice | Rows,
        columns: Any = None,
        progress: bool | engine.Progress = False,
        values: NDArray[Any] | None = None,
    ) -> NDArray[Any]:
        """Return the features of a run of rows, or of others that rise; `values`: if read."""
        one = self.map
        if values is None and self._held is not None and self._rows is not None:
            if not self._held:  # put together once, for all who compare transfers on them
                self._held.append(self._cache.read(self._rows, self._places, progress))
            values = self._held[0][rows]
        elif values is None:
            among = rows if self._rows is None else self._rows[rows]
            values = self._cache.read(among, self._places, progress)
        if values.size > 2 * STRIP_VALUES:
            return self._in_strips(rows, columns, values)
        several = len(self.transfers) > 1 or one.passthrough or one.pairs_ is not None
        pointwise = not several and one.columns_ is None and self.transfers[0].pointwise
        if pointwise:  # each column of values makes one of features
            values = values if columns is None else values[:, columns]
            return features_of(self.transfers[0], values.astype(np.float32), one.scale_)
        features = one.features(values.astype(np.float32), self.transfers)
        if one.passthrough:
            features = one.with_columns_of(self.X[rows], features)
        return features if columns is None else features[:, columns]

    def _in_strips(self, rows: slice | Rows, columns: Any, values: NDArray[Any]) -> NDArray[Any]:
        """Return the features of many rows, made of a few at a time, which stay in cache."""
        strips = tiles(0, len(values), max(1, STRIP_VALUES // values.shape[1]))
        numbers = np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows
        first = self.chunk(numbers[strips[0]], columns, values=values[strips[0]])
        out = np.empty((len(values), first.shape[1]), dtype=first.dtype)
        out[strips[0]] = first

        def fill(strip: slice) -> None:
            out[strip] = self.chunk(numbers[strip], columns, values=values[strip])

        engine.side_by_side(fill, strips[1:])
        return out

    def rows(self, indices: Rows, columns: Any = None) -> NDArray[Any]:
        """Return the features of some rows, in the order asked for; only `columns` if given."""
        rising, turn = np.unique(indices, return_inverse=True)
        return self.chunk(rising, columns)[turn]
