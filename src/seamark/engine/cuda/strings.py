"""Landmark strings on the device: what the plans of strings share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .device import Device, Ints
from .parts import fill, part_of, parts
from .string_groups import Group, Landmarks, Width


class StringsPlan:
    """Landmark strings on the device; a subclass names the source of its states.

    Parameters
    ----------
    device : Device
    codes, offsets, n_symbols
        As in `seamark.engine.kernels.Backend`.
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
        self.of_byte: Any = None
        self.n_landmarks = len(offsets) - 1
        lengths = np.diff(offsets)
        self.longest = int(lengths.max(initial=0))
        landmarks = Landmarks(codes, offsets, n_symbols)
        self.groups: list[Group] = []
        shortest = -1
        for width in widths or self.widths:
            members = np.flatnonzero((lengths > shortest) & (lengths <= width.longest))
            self._add(landmarks, members, width, stripped=False)
            shortest = width.longest
        members = np.flatnonzero(lengths > shortest)
        members = members[np.argsort(lengths[members], kind="stable")]
        self._add(landmarks, members, width, stripped=True)

    def _add(self, landmarks: Landmarks, members: Ints, width: Width, stripped: bool) -> None:
        if len(members):
            group = Group(self.device, self.source, landmarks, members, width, stripped)
            self.groups.append(group)

    @property
    def nbytes(self) -> int:
        """Bytes of the landmarks on the device."""
        return sum(group.nbytes for group in self.groups)

    def read_bytes(self, codes: NDArray[np.uint8]) -> None:
        """Take texts in uint8 for plain bytes from now on; `codes` has the code of each of 256."""
        if codes.shape != (256,) or not int(codes.max()) <= self.n_symbols < 256:
            raise ValueError("codes out of range")
        self.of_byte = self.device.upload(codes)

    def reads(self, text: NDArray[Any]) -> bool:
        """Tell whether a text is one of plain bytes, which the device encodes."""
        return self.of_byte is not None and text.dtype == np.uint8

    def values(self, codes: NDArray[np.int32], offsets: Ints, dtype: Any = np.float32) -> Any:
        """Return the values of texts as an array on the device."""
        n = len(offsets) - 1
        out = self.device.empty((n, self.n_landmarks), dtype)
        if n == 0 or self.n_landmarks == 0:
            return out
        lengths = np.diff(offsets)
        narrow = codes.astype(self.code_type, copy=False)
        if not len(narrow):
            narrow = np.zeros(1, np.uint8)
        texts = self.device.upload(narrow)
        if self.reads(codes):
            with self.device.speaking():
                texts = np.take(self.of_byte, texts)
        longest = int(lengths.max())
        self.fill(texts, self.device.upload(offsets), narrow.itemsize, longest, out)
        return out

    @property
    def code_type(self) -> Any:
        """The smallest type that holds every symbol."""
        n = self.n_symbols
        return np.uint8 if n < 256 else np.uint16 if n < 65536 else np.int32

    def fill(self, codes: Any, offsets: Any, code_bytes: int, longest: int, out: Any) -> None:
        """Fill an array on the device from texts on the device, the longest of so many symbols."""
        for group in self.groups:
            group.launch(codes, offsets, code_bytes, max(longest, self.longest), longest, out)

    def run(
        self, codes: NDArray[np.int32], offsets: Ints, out: NDArray[np.float32], stop: Any
    ) -> None:
        """See `seamark.engine.kernels.KernelPlan`."""
        per_row = out.dtype.itemsize * self.n_landmarks
        cut = parts(self.device, offsets, per_row, codes.itemsize)

        def values(part: slice) -> Any:
            return self.values(*part_of(codes, offsets, part), out.dtype)

        fill(self.device, cut, values, out, stop)
