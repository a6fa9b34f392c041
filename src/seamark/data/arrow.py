"""pyarrow's arrays and tables, read as what the domains know; pyarrow itself is not imported."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .numbers import unmasked


def from_arrow(raw: Any) -> Any:
    """Return a pyarrow array or table as what the domains can read; anything else as it is.

    Numbers become a numpy array (missing ones NaN), other arrays a list; chunks are joined. What is
    masked in numpy's arrays is missing too.
    """
    if not type(raw).__module__.startswith("pyarrow"):
        return unmasked(raw)
    if hasattr(raw, "column_names"):
        return ArrowTable(raw)
    return _column(raw) if hasattr(raw, "to_pylist") else raw


class ArrowTable:
    """A pyarrow table or record batch, with the few methods of a data frame that are used."""

    def __init__(self, table: Any) -> None:
        self.columns = list(table.column_names)
        self._arrays = dict(zip(self.columns, table.columns, strict=True))

    def __getitem__(self, name: str) -> Any:
        return _column(self._arrays[name])

    def to_numpy(self) -> NDArray[Any]:
        """Return all columns as a matrix: of numbers if all hold numbers, else of objects."""
        columns = [self[name] for name in self.columns]
        if all(isinstance(column, np.ndarray) for column in columns):
            return np.column_stack(columns)
        whole = np.empty((len(columns[0]), len(columns)), dtype=object)
        for j, column in enumerate(columns):
            whole[:, j] = np.fromiter(column, dtype=object, count=len(column))
        return whole


def _column(column: Any) -> Any:
    array = np.asarray(column.to_numpy(zero_copy_only=False))
    return array if array.dtype.kind in "biuf" else column.to_pylist()


def plain_text(raw: Any) -> tuple[NDArray[np.uint8], NDArray[np.int64]] | None:
    """Return bytes and offsets of a pyarrow column of ASCII text, without making strings of it.

    Columns of pandas hold such a one, as a rule. None for anything else, which is read one by one.
    """
    inside: Any = getattr(raw, "array", None)
    if getattr(getattr(raw, "dtype", None), "storage", None) == "pyarrow":
        raw = inside.__arrow_array__() if hasattr(inside, "__arrow_array__") else raw
    if not type(raw).__module__.startswith("pyarrow") or not hasattr(raw, "type"):
        return None
    kind = str(raw.type)
    if kind not in ("string", "large_string") or raw.null_count:
        return None
    array = raw.combine_chunks() if hasattr(raw, "combine_chunks") else raw
    if hasattr(array, "chunks"):  # too long for one array
        return None
    array.validate(full=True)  # a file may come from a stranger
    _, places, text = array.buffers()
    numbers = np.frombuffer(places, np.int32 if kind == "string" else np.int64)
    offsets = numbers[array.offset : array.offset + len(array) + 1].astype(np.int64)
    held = np.frombuffer(text, np.uint8) if text is not None else np.empty(0, np.uint8)
    held = held[offsets[0] : offsets[-1]]
    return None if held.max(initial=0) > 127 else (held, offsets - offsets[0])
