"""Samples of the different objects of a source, by hash, from one pass."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from ..data import Domain, Ragged, with_seed
from ..engine import backend
from .base import Chunk, Pass, RowSource
from .checkpoint import key_of

Rows = NDArray[np.intp]


def hashes_of(domain: Domain, objects: Any, chunk: Chunk) -> NDArray[np.int64]:
    """Return the hash of each object; known ones of a chunk that is read again, if it has notes."""
    if domain.by_row:
        return np.arange(chunk.first, chunk.first + len(objects), dtype=np.int64)
    if chunk.notes is None:
        return _hashes(domain, objects)
    known: NDArray[np.int64] | None = chunk.notes.get(chunk.first)
    if known is None:
        known = chunk.notes[chunk.first] = _hashes(domain, objects)
    return known


def content_hashes(domain: Domain, objects: Any, hashes: NDArray[np.int64]) -> list[Any]:
    """Return what tells whether objects are what they were: hashes of rows, or of each column.

    `hashes` are those of `hashes_of`, which are mere numbers of rows where these tell them apart.
    """
    if not domain.by_row:
        return [hashes]
    return [part for name in objects.columns for part in (name, domain.hashes(objects[name]))]


def _hashes(domain: Domain, objects: Any) -> NDArray[np.int64]:
    """Return the hash of each object; of text on the backend's device, where it has one."""
    on = backend()
    plain = isinstance(objects, Ragged) and objects.values.ndim == 1
    if on.device is None or not plain or objects.values.dtype.kind != "u":
        return domain.hashes(objects)
    offsets = objects.offsets - objects.offsets[0]
    found: NDArray[np.int64] = on.statistics.hashes_on(on.device, objects.flat, offsets)
    return found


def classes_of(target: NDArray[Any]) -> tuple[NDArray[Any], Rows]:
    """Return the classes, sorted, and the number of each row's class.

    Examples
    --------
    >>> classes_of(np.array([7, 5, 7]))
    (array([5, 7]), array([1, 0, 1]))
    """
    if target.dtype.kind in "iu" and target.ndim == 1 and len(target):
        low, high = int(target.min()), int(target.max())
        if high - low < len(target) and max(-low, high) < 2**62:  # no need to sort
            moved = target.astype(np.int64) - low
            seen = np.bincount(moved, minlength=1) > 0
            labels = (np.flatnonzero(seen) + low).astype(target.dtype)
            return labels, (np.cumsum(seen) - 1)[moved]
    labels, codes = np.unique(target, return_inverse=True)
    return labels, codes


# `HashedSample`: the objects with the smallest hashes, and how often each came, from one pass.


Floats = NDArray[np.float64]
Read = Literal["classes", "numbers"] | None

OF_EACH_CLASS = 8  # objects at least, however rare it is
HIGHEST = np.uint64(2**64 - 1)
SAMPLE_BYTES = 512 << 20  # of the objects of a sample; of larger ones fewer are kept


@dataclass(eq=False)
class HashedSample:
    """A sample of the different objects of a source, with all that is said of each.

    Objects are ordered by a hash of a seed and the object, and the first are kept: the same ones in
    whatever order and pieces rows are read. An object that is kept at the end was kept all along,
    so that its rows are all counted. Of classes, each pair of object and class is one entry, and
    of every class a few objects are kept; of numbers, an entry has the mean of its rows.

    Attributes
    ----------
    domain : Domain
    seed, size, least : int
        How many entries to keep, and how many of each class in any case.
    n_rows : int
        Rows that were read.
    objects : objects
        Of the entries, in the order of their keys.
    keys, hashes : ndarray
        Hashes of seed and object, and of the object.
    rows : ndarray of int
        First row of each entry.
    weights : ndarray
        Rows of each entry, or the sum of their weights.
    labels : ndarray or None
        Classes, sorted; None: targets are numbers.
    codes : ndarray of int
        Class of each entry; all 0 for numbers.
    sums : ndarray of shape (k, T)
        Weighted sums of targets that are numbers.
    """

    domain: Domain
    seed: int
    size: int
    least: int
    n_rows: int
    objects: Any
    keys: NDArray[np.uint64]
    hashes: NDArray[np.int64]
    rows: Rows
    weights: Floats
    labels: NDArray[Any] | None
    codes: Rows
    sums: Floats
    waiting: list[Self] = field(default_factory=list)
    """Entries that may have to be kept, to be merged when they are many."""
    is_ordered: bool = False
    bounds: Any = None
    digests: dict[int, str] = field(default_factory=dict)
    """By its first row, what stands for all that a chunk holds; for checkpoints."""

    @classmethod
    def of(
        cls,
        chunk: Chunk,
        domain: Domain,
        seed: int,
        size: int,
        read: Read,
        by_row: bool = False,
        digested: bool = False,
    ) -> HashedSample:
        """Return the sample of a chunk; see `hashed_sample`."""
        objects = chunk.ingested(domain)
        n = int(objects.shape[0])
        rows = np.arange(chunk.first, chunk.first + n)
        found = rows if by_row else hashes_of(domain, objects, chunk)
        chunk.require_weights()
        weights = np.ones(n) if chunk.weight is None else np.asarray(chunk.weight, np.float64)
        labels, codes, sums = None, np.zeros(n, dtype=np.intp), np.zeros((n, 0))
        if read is not None:
            chunk.require_targets()
            target = np.asarray(chunk.target)
            if len(target) != n:
                raise ValueError(f"{n} objects and {len(target)} targets came in one block.")
            if read == "classes":
                labels, codes = classes_of(target)
            else:
                sums = _numbers(target, chunk.first).reshape(n, -1) * weights[:, None]
        keys, least = with_seed(found, seed), 0 if by_row else OF_EACH_CLASS
        whole = cls(
            domain, seed, size, least, n, objects, keys, found, rows, weights, labels, codes, sums
        )
        if digested:
            held = content_hashes(domain, objects, found)
            names = None if labels is None else labels.tolist()
            whole.digests = {chunk.first: key_of(*held, weights, names, codes, sums)}
        return whole if n <= size else whole.merged()

    def __add__(self, other: Self) -> Self:
        both = copy(self)
        both.waiting = list(self.waiting)
        both += other
        return both

    def __iadd__(self, other: Self) -> Self:
        """Put aside what may have to be kept; objects of other rows are not even copied.

        The other sample may be needed again, by another try, and is not changed.
        """
        if other.n_rows > self.n_rows:  # whose bounds let less enter
            return other + self
        if not self.is_ordered:
            self.merged()
        if other.waiting:
            other = copy(other).merged()
        self.n_rows += other.n_rows
        self.digests = self.digests | other.digests
        entering = np.flatnonzero(self._may_enter(other))
        if len(entering):
            every = len(entering) == len(other.keys)
            self.waiting.append(copy(other) if every else other._some(entering))
        if sum(len(one.keys) for one in self.waiting) > self.size:
            self.merged()
        return self

    def _may_enter(self, other: Self) -> NDArray[np.bool_]:
        """Tell which entries of another sample are below what would be dropped from this one."""
        may = other.keys <= self.bounds[0]
        if self.labels is not None and other.labels is not None and self.least and not may.all():
            of_class = np.full(len(other.labels), HIGHEST)
            places = np.minimum(np.searchsorted(self.labels, other.labels), len(self.labels) - 1)
            known = self.labels[places] == other.labels
            of_class[known] = self.bounds[1][places[known]]
            may |= other.keys <= of_class[other.codes]
        return np.asarray(may)

    def _some(self, entries: Rows) -> Self:
        """Return some entries, as they are."""
        part = copy(self)
        part.objects = self.objects[entries]
        for name in ("codes", "keys", "hashes", "rows", "weights", "sums"):
            setattr(part, name, getattr(self, name)[entries])
        return part

    def merged(self) -> Self:
        """Merge what waits, and keep those of the smallest keys."""
        waiting, self.waiting = [copy(one) for one in self.waiting], []  # others may hold them
        while waiting:  # two and two, so that few are copied often
            for one, other in zip(waiting[::2], waiting[1::2], strict=False):
                one._join(other)
            waiting = waiting[::2]
            if len(waiting) == 1:
                self._join(waiting.pop())
        return self._shortened()

    def _join(self, other: Self) -> None:
        codes = other.codes
        if self.labels is not None and other.labels is not None:
            labels = np.unique(np.concatenate([self.labels, other.labels]))
            self.codes = np.searchsorted(labels, self.labels)[self.codes]
            codes = np.searchsorted(labels, other.labels)[codes]
            self.labels = labels
        self.objects = self.domain.joined(self.objects, other.objects)
        self.codes = np.concatenate([self.codes, codes])
        for name in ("keys", "hashes", "rows", "weights", "sums"):
            setattr(self, name, np.concatenate([getattr(self, name), getattr(other, name)]))

    def _shortened(self) -> Self:
        """Merge entries that are one, and keep those of the smallest keys."""
        order = np.argsort(self.keys)
        same = self.keys[order[1:]] == self.keys[order[:-1]]
        tied = np.flatnonzero(np.r_[False, same] | np.r_[same, False])
        some = order[tied]  # of one key: by class and row
        order[tied] = some[np.lexsort((self.rows[some], self.codes[some], self.keys[some]))]
        keys, codes = self.keys[order], self.codes[order]
        new = np.r_[True, (keys[1:] != keys[:-1]) | (codes[1:] != codes[:-1])]
        starts = np.flatnonzero(new)
        weights = np.add.reduceat(self.weights[order], starts)
        sums = np.add.reduceat(self.sums[order], starts, axis=0)
        first, codes = order[starts], codes[starts]
        kept = np.arange(len(starts)) < self.size
        if self.labels is not None and self.least and not kept.all():
            by_class = np.argsort(codes, kind="stable")
            begin = np.searchsorted(codes[by_class], np.arange(len(self.labels)))
            place = np.empty(len(codes), dtype=np.intp)
            place[by_class] = np.arange(len(codes)) - begin[codes[by_class]]
            kept |= place < self.least
        self.weights, self.sums, self.codes = weights[kept], sums[kept], codes[kept]
        first = first[kept]
        if self.labels is not None:
            used, self.codes = np.unique(self.codes, return_inverse=True)
            self.labels = self.labels[used]
        self.keys, self.hashes, self.rows = self.keys[first], self.hashes[first], self.rows[first]
        self.objects = self.objects[first]
        # Keys beyond which entries are dropped: of all, and of each class.
        of_class = np.full(0 if self.labels is None else len(self.labels), HIGHEST)
        for k in range(len(of_class) if self.least else 0):
            few = self.keys[self.codes == k][: self.least]
            of_class[k] = few[-1] if len(few) == self.least else HIGHEST
        last = self.keys[self.size - 1] if len(self.keys) >= self.size else HIGHEST
        self.is_ordered, self.bounds = True, (last, of_class)
        return self

    @property
    def y(self) -> NDArray[Any] | None:
        """Targets of the entries: classes, or means; None: there are none."""
        if self.labels is not None:
            return np.asarray(self.labels[self.codes])
        if not self.sums.shape[1]:
            return None
        means = self.sums / np.where(self.weights > 0, self.weights, 1.0)[:, None]
        return means[:, 0] if means.shape[1] == 1 else means


def hashed_sample(
    source: RowSource,
    domain: Domain,
    seed: int,
    size: int,
    read: Read,
    how: Pass | None = None,
    *,
    by_row: bool = False,
    digested: bool = False,
) -> HashedSample:
    """Return the sample of a source, in one pass; of large objects fewer are kept than asked for.

    Parameters
    ----------
    source : RowSource
    domain : Domain
        Of the objects.
    seed, size : int
        The hash, and how many entries to keep.
    read : "classes", "numbers" or None
        What targets are; None: there are none.
    how : Pass, optional
    by_row : bool
        Take rows by the hash of their number, copies or not, in place of different objects.
    digested : bool
        Keep a digest of each chunk.

    Examples
    --------
    >>> import seamark as sm
    >>> source = sm.rows(["sea", "mark", "sea"], target=[1.0, 5.0, 2.0])
    >>> found = hashed_sample(source, sm.data.strings, seed=0, size=10, read="numbers")
    >>> dict(zip(found.objects, zip(found.y.tolist(), found.weights.tolist())))
    {'sea': (1.5, 2.0), 'mark': (5.0, 1.0)}
    """
    first = source.first()
    sample = first.ingested(domain)
    each = getattr(sample, "nbytes", 0) / max(1, sample.shape[0])
    if each * size > SAMPLE_BYTES:  # a power of two: other chunks are to come to the same number
        size = max(1, 1 << int(np.log2(SAMPLE_BYTES / each)))
    how_taken = {"size": size, "read": read, "by_row": by_row, "digested": digested}
    part = partial(HashedSample.of, domain=domain, seed=seed, **how_taken)  # type: ignore[arg-type]
    found: HashedSample = source.reduce(part, how)
    return found.merged()


def _numbers(target: NDArray[Any], first: int) -> Floats:
    if target.dtype.kind not in "biuf":
        raise ValueError(
            f"targets must be numbers, and row {first} has {target.flat[0]!r}; take a "
            "classifier, or another column."
        )
    return target.astype(np.float64)
