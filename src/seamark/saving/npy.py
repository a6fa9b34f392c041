"""Arrays as `.npy` bytes, read by rules stricter than numpy's own.

numpy believes a header: it evaluates it as a Python literal and allocates what it promises. Here
the header must be letter by letter what numpy writes, and the bytes must be as many as it says.
"""

from __future__ import annotations

import io
import math
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAGIC = b"\x93NUMPY\x01\x00"
DTYPE = re.compile(r"[<>|=](b1|[iu][1248]|f[248]|c8|c16|S[1-9]\d{0,8}|U[1-9]\d{0,8})")
HEADER = re.compile(
    r"\{'descr': '([^']{2,12})', 'fortran_order': (False|True), "
    r"'shape': \(([\d, ]{0,200})\), \} *\n"
)
LARGEST_EMPTY_SIDE = 10**6
"""Longest side of an array without elements: (10¹², 0) has no bytes, and endless rows."""
LAST_CODE_POINT = 0x10FFFF


def is_plain(array: NDArray[Any]) -> bool:
    """Whether an array's type can be written: numbers, booleans, text or bytes."""
    return DTYPE.fullmatch(array.dtype.str) is not None


def to_bytes(array: NDArray[Any]) -> bytes:
    """Return the array as the bytes of a `.npy` file of version 1."""
    buffer = io.BytesIO()
    write: Any = np.lib.format.write_array
    write(buffer, np.asarray(array), version=(1, 0), allow_pickle=False)
    return buffer.getvalue()


def from_bytes(data: bytes) -> NDArray[Any]:
    """Return the array that `to_bytes` was given, writeable.

    Examples
    --------
    >>> from_bytes(to_bytes(np.array([1.5, -0.0])))
    array([ 1.5, -0. ])
    """
    start = len(MAGIC) + 2
    if not data.startswith(MAGIC) or len(data) < start:
        raise ValueError("an array is no .npy of version 1.")
    stop = start + int.from_bytes(data[len(MAGIC) : start], "little")
    header = HEADER.fullmatch(data[start:stop].decode("latin-1"))
    if header is None or not DTYPE.fullmatch(header[1]):
        raise ValueError("an array has an unknown header.")
    dtype, shape = np.dtype(header[1]), tuple(int(n) for n in header[3].split(",") if n.strip())
    count = math.prod(shape)
    if count * dtype.itemsize != len(data) - stop:
        raise ValueError(f"an array of shape {shape} does not have that many bytes.")
    if count == 0 and max(shape) > LARGEST_EMPTY_SIDE:
        raise ValueError(f"an array without elements has the shape {shape}.")
    flat = np.frombuffer(data, dtype, count, stop).copy()
    _require_sound(flat)
    return flat.reshape(shape, order="F" if header[2] == "True" else "C")


def _require_sound(flat: NDArray[Any]) -> None:
    """Stop at bytes that are no value of the type: numpy would trip over them later."""
    if flat.dtype.kind == "b" and flat.size and flat.view(np.uint8).max() > 1:
        raise ValueError("an array of booleans holds other bytes.")
    if flat.dtype.kind == "U" and flat.size:
        codes = flat.view(np.dtype(np.uint32).newbyteorder(flat.dtype.byteorder))
        if codes.max() > LAST_CODE_POINT:
            raise ValueError("an array of text holds a number that is not a character.")
