"""How parts of a table are named in a file: slices, types of numbers, and selectors of columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.compose import make_column_selector

from .errors import ModelFileError

if TYPE_CHECKING:
    from .tree import Reader, Writer

Parts = dict[str, Any]
ABSTRACT = ("character", "complexfloating", "floating", "generic", "inexact", "integer", "number")
SIGNED = ("signedinteger", "unsignedinteger")
CONCRETE = ("bool_", "bytes_", "object_", "str_", "complex64", "complex128")
SIZED = [f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)]
FLOATS = ("float16", "float32", "float64")
NUMPYS = (*ABSTRACT, *SIGNED, *CONCRETE, *SIZED, *FLOATS)
TYPES: dict[str, type] = {
    **{one.__name__: one for one in (bool, bytes, complex, float, int, object, str)},
    **{f"numpy.{name}": getattr(np, name) for name in NUMPYS},
}
"""Types that parameters such as ``dtype`` name; a file names no others."""
NAMES = {one: name for name, one in TYPES.items()}
ENDS = ("start", "stop", "step")  # of a slice


def is_plain_type(value: Any) -> bool:
    return isinstance(value, type) and value in NAMES


def write_type(value: type, writer: Writer, where: str) -> Parts:
    return {"name": NAMES[value]}


def read_type(parts: Parts, reader: Reader) -> type:
    return TYPES[parts["name"]]


def write_slice(value: slice, writer: Writer, where: str) -> Parts:
    return {name: writer.tree(getattr(value, name), f"{where}.{name}") for name in ENDS}


def read_slice(parts: Parts, reader: Reader) -> slice:
    ends = [reader.tree(parts[name]) for name in ENDS]
    if not all(one is None or isinstance(one, (int, str, np.integer)) for one in ends):
        raise ModelFileError(
            "a slice of columns in it has an end that is neither a number nor a name."
        )
    return slice(*ends)


def write_selector(value: Any, writer: Writer, where: str) -> Parts:
    return {
        "pattern": writer.tree(value.pattern, f"{where}.pattern"),
        "include": writer.tree(value.dtype_include, f"{where}.dtype_include"),
        "exclude": writer.tree(value.dtype_exclude, f"{where}.dtype_exclude"),
    }


def read_selector(parts: Parts, reader: Reader) -> Any:
    pattern = parts["pattern"]
    if pattern is not None and not isinstance(pattern, str):
        raise ModelFileError("the pattern of a column selector in it is not text.")
    return make_column_selector(
        pattern,
        dtype_include=reader.tree(parts["include"]),
        dtype_exclude=reader.tree(parts["exclude"]),
    )
