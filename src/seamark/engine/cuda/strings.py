"""Strings on the device: edit distances to strings and to their substrings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .device import Device, DevicePlan, Ints, Packing, consecutive

LANES = 32
WARPS = 4
PER_STRIP = 32  # texts that a block takes at once
CAPACITY = 2560  # symbols of these texts in shared memory
WHOLE_ALPHABET = 24 << 10  # bytes of a table up to which it has a row for every symbol
LARGEST_TABLE = 96 << 10  # bytes of a table in shared memory
KINDS = {np.dtype(np.float32): 0, np.dtype(np.uint8): 1, np.dtype(np.uint16): 2}

BLOCK = np.dtype(
    {
        "names": ["table", "map", "rows", "strips", "columns", "n_columns", "segments"],
        "formats": ["i8", "i8", "i4", "i4", "i4", "i4", "i8"],
    }
)


@dataclass(frozen=True)
class Width:
    """For landmarks up to `longest` symbols: 32-bit words of a lane, and further defines."""

    longest: int
    words: int
    defines: Mapping[str, int] = field(default_factory=dict)


class Landmarks:
    """Symbols of all landmarks, flat."""

    def __init__(self, codes: NDArray[np.int32], offsets: Ints, n_symbols: int) -> None:
        self.codes, self.offsets, self.n_symbols = codes, offsets, n_symbols
        self.lengths = np.diff(offsets)

    def symbols(self, members: Ints) -> tuple[Ints, NDArray[np.int32], Ints]:
        """Return place among the members, symbol, and position, of each symbol of each member."""
        lengths = self.lengths[members]
        owner = np.repeat(np.arange(len(members)), lengths)
        starts = np.concatenate([[0], np.cumsum(lengths)])
        position = np.arange(starts[-1]) - starts[owner]
        return owner, self.codes[self.offsets[members][owner] + position], position


class Group:
    """Landmarks in words of one size."""

    def __init__(
        self,
        device: Device,
        source: str,
        landmarks: Landmarks,
        members: Ints,
        width: Width,
        stripped: bool,
    ) -> None:
        self.device, self.source, self.stripped = device, source, stripped
        self.words, self.defines = width.words, dict(width.defines)
        self.short = not stripped and width.longest < 32
        words = self.words
        self.bits = 32 * words
        self.landmarks = landmarks
        row_bytes = LANES * words * 4
        self.whole = (landmarks.n_symbols + 1) * row_bytes <= WHOLE_ALPHABET
        self.blocks: list[tuple[int, ...]] = []
        self._tables: list[NDArray[np.uint32]] = []
        self._maps: list[NDArray[np.int32]] = []
        self._guards: list[NDArray[np.uint32]] = []
        self._tops: list[NDArray[np.uint32]] = []
        self._starts: list[Ints] = [np.zeros(1, np.int64)]
        self._segments: list[NDArray[np.int32]] = []
        self._columns: list[Ints] = []
        lengths = landmarks.lengths[members]
        if stripped:
            zeros = np.zeros(LANES, np.int64)
            pieces = [members[k : k + LANES] for k in range(0, len(members), LANES)]
            packings = [Packing(p, np.arange(len(p)), zeros[: len(p)], len(p)) for p in pieces]
        else:
            packings = consecutive(members, lengths, self.bits, LANES)
        for packing in packings:
            self._add(packing)
        self.rows = max(block[2] for block in self.blocks)
        self.tabled = self.rows * row_bytes <= LARGEST_TABLE
        self.most_columns = max(block[5] for block in self.blocks)
        self._upload()

    def _add(self, packing: Packing) -> None:
        """Lay out one block: match table, guards, segments, columns."""
        members, n_symbols = packing.landmarks, self.landmarks.n_symbols
        owner, symbols, position = self.landmarks.symbols(members)
        lengths = self.landmarks.lengths[members]
        strips = max(1, -(-int((packing.bits + lengths).max()) // self.bits))
        map_start, rows = -1, n_symbols + 1
        if not self.whole:
            used, of_symbol = np.unique(symbols, return_inverse=True)
            map_start, rows = sum(map(len, self._maps)), len(used) + 1
            of_code = np.zeros(n_symbols + 1, np.int32)  # row 0: in no landmark of this block
            of_code[used] = np.arange(1, rows)
            self._maps.append(of_code)
            symbols = (of_symbol + 1).astype(np.int32)
        bit = packing.bits[owner] + position
        table = np.zeros((strips, rows, LANES, self.words), np.uint32)
        where = bit // self.bits, symbols, packing.words[owner], bit % self.bits // 32
        np.add.at(table, where, np.uint32(1) << (bit % 32).astype(np.uint32))
        block = (sum(t.size for t in self._tables) // self.words, map_start, rows, strips)
        columns = sum(map(len, self._columns)), len(members)
        self.blocks.append((*block, *columns, len(self._guards) * LANES))
        self._tables.append(table)
        self._columns.append(np.sort(members))
        self._add_segments(packing, lengths, strips)
        # Bits after the landmarks, and of their last symbols.
        after = packing.bits + lengths
        for bits, words in ((after, self._guards), (after - 1, self._tops)):
            marked = np.zeros((strips, LANES, self.words), np.uint32)
            inside = (bits < strips * self.bits) & (lengths > 0)
            bit, lane = bits[inside], packing.words[inside]
            there = bit // self.bits, lane, bit % self.bits // 32
            np.add.at(marked, there, np.uint32(1) << (bit % 32).astype(np.uint32))
            words.extend(marked)

    def _add_segments(self, packing: Packing, lengths: Ints, strips: int) -> None:
        place = np.argsort(np.argsort(packing.landmarks))
        for strip in range(strips):
            first = strip * self.bits
            start = np.clip(packing.bits - first, 0, self.bits)
            end = np.clip(packing.bits + lengths - first, 0, self.bits)
            held = np.flatnonzero((end > start) | (strip == 0))
            held = held[np.argsort(packing.words[held], kind="stable")]
            counts = np.bincount(packing.words[held], minlength=LANES)
            self._starts.append(self._starts[-1][-1] + np.cumsum(counts))
            last = packing.bits + lengths - first  # a landmark of no symbols has no last one
            ends = (lengths > 0) & (last > 0) & (last <= self.bits)
            segments = np.stack([start[held], end[held], place[held], ends[held]], axis=1)
            self._segments.append(segments.astype(np.int32))

    def _upload(self) -> None:
        def put(arrays: Any, dtype: Any) -> Any:
            flat = [np.asarray(a, dtype).ravel() for a in arrays]
            return self.device.upload(np.concatenate(flat) if flat else np.zeros(1, dtype))

        blocks = np.array(self.blocks, BLOCK).view(np.uint8)
        self.arrays = (
            self.device.upload(blocks),
            put(self._tables, np.uint32),
            put(self._maps, np.int32),
            put(self._guards, np.uint32),
            put(self._tops, np.uint32),
            put(self._starts, np.int32),
            put(self._segments, np.int32),
            put(self._columns, np.int32),
        )
        del self._tables, self._maps, self._guards, self._tops
        del self._starts, self._segments, self._columns

    def launch(
        self, codes: Any, offsets: Any, code_bytes: int, largest: int, longest: int, out: Any
    ) -> None:
        """Fill the columns of these landmarks."""
        n = len(offsets) - 1
        result_bytes = 2 if largest < 65536 else 4
        table = self.rows * LANES * self.words * 4 if self.tabled else 0
        room = self.device.shared_bytes - table - 4 * CAPACITY
        fits = min(room, 32 << 10) // (result_bytes * self.most_columns)
        per_strip = max(1, min(PER_STRIP, fits))
        shared = table + 4 * CAPACITY + result_bytes * per_strip * self.most_columns
        strips = -(-n // per_strip)
        across = len(self.blocks)
        border_length = 0
        if self.stripped:  # each block in flight keeps a border of its own
            border_length = max(longest, CAPACITY)
            down = max(1, (64 << 20) // (across * border_length * LANES))
            strips = min(strips, down, max(1, 8 * self.device.multiprocessors // across))
        borders = self.device.empty(max(1, strips * across * border_length * LANES), np.uint8)
        defines = {
            **self.defines,
            "SHORT": int(self.short),
            "WORDS": self.words,
            "WARPS": WARPS,
            "STRIPPED": int(self.stripped),
            "TABLED": int(self.tabled),
            "Result": "u16" if result_bytes == 2 else "u32",
        }
        shape = (across, min(strips, 65535)), LANES * WARPS, shared
        texts = codes, code_bytes, offsets, np.int64(n), per_strip
        stride = out.strides[0] // out.dtype.itemsize  # from one row to the next
        result = out, KINDS[np.dtype(out.dtype)], np.int64(stride)
        given = *texts, *self.arrays, CAPACITY, borders, np.int64(border_length), *result
        self.device.launch(f"words+{self.source}+strings", "strings", defines, *shape, *given)


# Landmark strings on the device: what the plans of strings share.


class StringsPlan(DevicePlan):
    """Landmark strings on the device; a subclass names the source of its states.

    Parameters
    ----------
    device : Device
    codes, offsets, n_symbols
        As in `seamark.engine.backends.Backend`.
    widths : sequence of Width, optional
        In place of the class' own; longer landmarks than the last's go in strips.
    """

    source: ClassVar[str]
    widths: ClassVar[Sequence[Width]]

    def __init__(
        self,
        device: Device,
        codes: NDArray[np.int32],
        offsets: Ints,
        n_symbols: int,
        widths: Sequence[Width] | None = None,
    ) -> None:
        self.device = device
        self.n_symbols = n_symbols
        self.per_item = 4
        self.of_byte: Any = None
        self.n_landmarks = len(offsets) - 1
        lengths = np.diff(offsets)
        self.longest = int(lengths.max(initial=0))
        landmarks = Landmarks(codes, offsets, n_symbols)
        self.groups: list[Group] = []
        shortest = -1
        for width in widths or self.widths:
            members = np.flatnonzero((lengths > shortest) & (lengths <= width.longest))
            if len(members):
                group = Group(device, self.source, landmarks, members, width, stripped=False)
                self.groups.append(group)
            shortest = width.longest
        members = np.flatnonzero(lengths > shortest)
        members = members[np.argsort(lengths[members], kind="stable")]
        if len(members):
            self.groups.append(Group(device, self.source, landmarks, members, width, stripped=True))

    def read_bytes(self, codes: NDArray[np.uint8]) -> None:
        """Take texts in uint8 for plain bytes from now on; `codes` has the code of each of 256."""
        if codes.shape != (256,) or not int(codes.max()) <= self.n_symbols < 256:
            raise ValueError("codes out of range")
        self.of_byte = self.device.upload(codes)

    def reads(self, text: NDArray[Any]) -> bool:
        """Tell whether a text is one of plain bytes, which the device encodes."""
        return self.of_byte is not None and text.dtype == np.uint8

    def put(self, codes: NDArray[Any], offsets: Ints, out: Any) -> None:
        """See `DevicePlan`."""
        n = self.n_symbols
        smallest = np.uint8 if n < 256 else np.uint16 if n < 65536 else np.int32
        narrow: NDArray[Any] = codes.astype(smallest, copy=False)
        if not len(narrow):
            narrow = np.zeros(1, np.uint8)
        texts = self.device.upload(narrow)
        if self.reads(codes):
            with self.device.speaking():
                texts = np.take(self.of_byte, texts)
        self.fill(
            texts, self.device.upload(offsets), narrow.itemsize, int(np.diff(offsets).max()), out
        )

    def fill(self, codes: Any, offsets: Any, code_bytes: int, longest: int, out: Any) -> None:
        """Fill an array on the device from texts on the device, the longest of so many symbols."""
        for group in self.groups:
            group.launch(codes, offsets, code_bytes, max(longest, self.longest), longest, out)


# Edit distances on the device.


class LevenshteinPlan(StringsPlan):
    """Edit distances of texts to landmark strings; see `StringsPlan`."""

    source = "levenshtein"
    widths = (Width(64, 4), Width(512, 16))


# Smallest edit distances to any substring of a text, on the device.


class SubstringPlan(StringsPlan):
    """Distances of landmark strings to their nearest substrings of texts; see `StringsPlan`.

    How far the last row of a matrix is above its smallest value is counted in `PLANES` bits, as
    many as the longest landmark needs.
    """

    source = "substring"
    widths = (
        Width(7, 4, {"PLANES": 3}),
        Width(15, 4, {"PLANES": 4}),
        Width(63, 4, {"PLANES": 6}),
    )
