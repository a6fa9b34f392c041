"""The file: a zip of a JSON document and plain arrays; checked before anything of it is used."""

from __future__ import annotations

import io
import json
import math
import re
import zipfile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..files import atomic_file


class ModelFileError(ValueError):
    """A file is no saved model, is damaged, or holds what this version does not know."""


# Numbers of landmarks and features, for which room is made, must be backed by as many.


BACKING = {
    "n_landmarks_": ("landmarks_", "pairs_"),
    "n_features_out_": ("feature_numbers_", "order_"),
    "_n_features_out": ("eigenvalues_",),
    "n_features_": ("coef_",),
}
"""What an estimator of ours counts, and where what is counted lies."""


def require_backed(cls: type, state: dict[str, Any]) -> None:
    """Stop at an estimator of ours that counts more than it has.

    Examples
    --------
    >>> from seamark import LandmarkMap
    >>> require_backed(LandmarkMap, {"n_landmarks_": 1000, "landmarks_": ["a", "b"]})
    Traceback (most recent call last):
    seamark.saving.format.ModelFileError: its LandmarkMap holds 2, but n_landmarks_ says 1000.
    """
    ours = any(base.__module__.startswith("seamark.") for base in cls.__mro__)
    for name, places in BACKING.items() if ours else ():
        if name in state:
            there = max(_length(state.get(place)) for place in places)
            if type(state[name]) is not int or not 0 <= state[name] <= there:
                raise ModelFileError(
                    f"its {cls.__name__} holds {there}, but {name} says {str(state[name])[:20]}."
                )


def _length(objects: Any) -> int:
    """Return how many there are, along the longest side of a matrix."""
    shape = getattr(objects, "shape", ())
    if shape:
        return int(max(shape))
    return len(objects) if hasattr(objects, "__len__") else 0


# Arrays as `.npy` bytes, read by rules stricter than numpy's own.


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
    # Bytes that are no value of the type numpy would trip over later.
    if dtype.kind == "b" and count and flat.view(np.uint8).max() > 1:
        raise ValueError("an array of booleans holds other bytes.")
    if dtype.kind == "U" and count:
        codes = flat.view(np.dtype(np.uint32).newbyteorder(dtype.byteorder))
        if codes.max() > LAST_CODE_POINT:
            raise ValueError("an array of text holds a number that is not a character.")
    return flat.reshape(shape, order="F" if header[2] == "True" else "C")


# JSON of a bounded size: how much it would become is counted before anything is built of it.


DOCUMENT = "model.json"
# Bounds of JSON, which grows when it becomes Python objects: an empty list from 3 bytes to 60.
DOCUMENT_BYTES = 2**28
DOCUMENT_NODES = 2 * 10**6  # names and values
DOCUMENT_LEVELS = 200  # of brackets
TEXT = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
"""A text; also one without an end, so that the search never starts again inside it."""
NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def read_document(data: bytes) -> Any:
    """Return what JSON says, unless it says too much.

    Examples
    --------
    >>> read_document(b'{"a": [1, "]]"]}')
    {'a': [1, ']]']}
    """
    require_bounded(data)
    # Only UTF-8 can be counted byte by byte; json would guess other encodings, and take them.
    return json.loads(data.decode("utf-8"), parse_constant=_no_constant)


def require_bounded(data: bytes) -> None:
    """Stop at JSON that is too long, has too many values, or is nested too deep.

    Examples
    --------
    >>> require_bounded(b"[" * 1000)
    Traceback (most recent call last):
    seamark.saving.format.ModelFileError: its model.json is nested more than 200 levels deep.
    """
    if len(data) > DOCUMENT_BYTES:
        raise ModelFileError(f"its {DOCUMENT} has more than {DOCUMENT_BYTES} bytes.")
    _require_few(data.count(b'"') - data.count(rb"\""))  # texts, before they are looked for
    bare = TEXT.sub(b"", data)  # brackets and commas inside texts do not count
    _require_few(sum(map(bare.count, (b",", b":", b"[", b"{"))))
    brackets = np.frombuffer(bare.translate(None, NO_BRACKETS), np.uint8)
    steps = np.where((brackets == ord("[")) | (brackets == ord("{")), 1, -1)
    if np.cumsum(steps).max(initial=0) > (most := DOCUMENT_LEVELS):
        raise ModelFileError(f"its {DOCUMENT} is nested more than {most} levels deep.")


def _require_few(nodes: int) -> None:
    if nodes > (most := DOCUMENT_NODES):
        raise ModelFileError(
            f"its {DOCUMENT} has more than {most} names and values; numbers belong into arrays."
        )


def _no_constant(name: str) -> Any:
    raise ModelFileError(f"its {DOCUMENT} holds {name}, which is no JSON.")


# The container: a zip file with `model.json` and arrays, nothing compressed.


FORMAT = "seamark model"
VERSION = 1
FILE_MEMBERS = 2**19  # arrays: each takes a thousand bytes in memory, at least
"""Of the format; a file of a later one is refused, those of all earlier ones are read."""
KEYS = {"format", "version", "library", "model", "about"}
DIRECTORY_ENTRY = b"PK\x01\x02"
MEMBER = "arrays/{}.npy"


def pack(
    path: Any, document: dict[str, Any], arrays: list[bytes], *, overwrite: bool = False
) -> None:
    """Write a container; the same content gives the same bytes."""
    text = json.dumps(document, allow_nan=False, separators=(",", ":")).encode("ascii")
    require_bounded(text)
    with (
        atomic_file(path, overwrite=overwrite) as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive,
    ):
        for name, data in [
            (DOCUMENT, text),
            *((MEMBER.format(i), a) for i, a in enumerate(arrays)),
        ]:
            # A ZipInfo of its own has a fixed date.
            archive.writestr(zipfile.ZipInfo(name), data)


def unpack(data: bytes) -> tuple[dict[str, Any], list[bytes]]:
    """Return the document and the arrays of a container."""
    if data.count(DIRECTORY_ENTRY) > (most := FILE_MEMBERS):
        raise ModelFileError(f"it has more than {most} members.")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        # Nothing is ever extracted, so names lead nowhere; and stored members that do not overlap
        # cannot hold more bytes than the file has, so there is nothing to blow up.
        members = archive.infolist()
        names = [MEMBER.format(i) for i in range(len(members) - 1)]
        if {member.filename for member in members} != {DOCUMENT, *names}:
            raise ModelFileError("it holds other members than a saved model has.")
        if any(member.compress_type != zipfile.ZIP_STORED for member in members):
            raise ModelFileError(
                "its members are compressed, which those of a saved model never are."
            )
        if sum(member.file_size for member in members) > len(data):
            raise ModelFileError("its members claim more bytes than the file has.")
        document = read_document(archive.read(DOCUMENT))
        arrays = [archive.read(name) for name in names]
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ModelFileError("it does not say that it is a saved model.")
    version, library = document.get("version"), document.get("library")
    if type(version) is not int or version < 1:
        raise ModelFileError("it does not name the version of its format.")
    if version > VERSION:
        raise ModelFileError(
            f"it has format {version}, written by seamark {library}, and this one reads formats up "
            f"to {VERSION}; upgrade seamark."
        )
    if set(document) != KEYS:
        odd = sorted(set(document) ^ KEYS)[0]
        raise ModelFileError(f"its {DOCUMENT} has, or lacks, the key {odd!r}.")
    return document, arrays
