"""How plain values are written that JSON does not have: numbers, containers, arrays, objects."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..data import Graphs, Ragged, Series, Sets, Strings, are_sound, require_sound
from . import npy
from .errors import ModelFileError

if TYPE_CHECKING:
    from .tree import Reader, Writer

Parts = dict[str, Any]
OBJECTS = np.dtype(object).str
SPARSE = {"array": sparse.csr_array, "matrix": sparse.csr_matrix}


def write_float(value: float, writer: Writer, where: str) -> Parts:
    return {"value": repr(value)}


def read_float(parts: Parts, reader: Reader) -> float:
    return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[parts["value"]]


def write_bytes(value: bytes, writer: Writer, where: str) -> Parts:
    return {"hex": value.hex()}


def read_bytes(parts: Parts, reader: Reader) -> bytes:
    return bytes.fromhex(parts["hex"])


def write_items(value: Any, writer: Writer, where: str) -> Parts:
    return {"items": writer.trees(value, where)}


def write_set(value: Any, writer: Writer, where: str) -> Parts:
    # Sorted, as the order of a set differs from run to run, and the same model gives the same file.
    return {"items": writer.trees(sorted(value, key=repr), where)}


def read_as(make: Callable[[list[Any]], Any]) -> Callable[[Parts, Reader], Any]:
    return lambda parts, reader: make(reader.trees(parts["items"]))


def write_dict(value: dict[Any, Any], writer: Writer, where: str) -> Parts:
    pairs = [
        [writer.tree(key, f"a key of {where}"), writer.tree(one, f"{where}[{key!r}]")]
        for key, one in value.items()
    ]
    return {"items": pairs}


def read_dict(parts: Parts, reader: Reader) -> dict[Any, Any]:
    return dict(reader.trees(parts["items"]))


def write_scalar(value: np.generic, writer: Writer, where: str) -> Parts:
    return write_array(np.asarray(value), writer, where)


def read_scalar(parts: Parts, reader: Reader) -> Any:
    return read_array(parts, reader)[()]


def write_array(value: NDArray[Any], writer: Writer, where: str) -> Parts:
    if not npy.is_plain(value):
        raise TypeError(f"{where} is an array of {value.dtype}, which cannot be saved; convert it.")
    return {"number": writer.array(value)}


def read_array(parts: Parts, reader: Reader) -> NDArray[Any]:
    return reader.array(parts["number"])


def write_objects(value: NDArray[Any], writer: Writer, where: str) -> Parts:
    return {"shape": list(value.shape), "items": writer.trees(value.ravel().tolist(), where)}


def read_objects(parts: Parts, reader: Reader) -> NDArray[Any]:
    items = reader.trees(parts["items"])
    # One by one: numpy would unpack nested sequences.
    flat = np.fromiter(items, dtype=object, count=len(items))
    return flat.reshape(parts["shape"]) if flat.size else flat


def write_dtype(value: np.dtype[Any], writer: Writer, where: str) -> Parts:
    return {"name": value.str}


def read_dtype(parts: Parts, reader: Reader) -> np.dtype[Any]:
    if parts["name"] != OBJECTS and not npy.DTYPE.fullmatch(parts["name"]):
        raise ModelFileError("it names an unknown type of number.")
    return np.dtype(parts["name"])


def write_csr(value: Any, writer: Writer, where: str) -> Parts:
    arrays = {name: writer.array(getattr(value, name)) for name in ("data", "indices", "indptr")}
    kind = "matrix" if isinstance(value, sparse.spmatrix) else "array"
    return {"kind": kind, "shape": list(value.shape), **arrays}


def read_csr(parts: Parts, reader: Reader) -> Any:
    data, indices, indptr = (reader.array(parts[name]) for name in ("data", "indices", "indptr"))
    shape = tuple(parts["shape"])
    if len(shape) != 2 or not all(type(side) is int and side >= 0 for side in shape):
        raise ModelFileError("the shape of a sparse matrix is not two whole numbers.")
    if data.ndim != 1 or data.dtype.kind not in "biufc":
        raise ModelFileError("the values of a sparse matrix are not a list of numbers.")
    matrix = SPARSE[parts["kind"]]((data, indices, indptr), shape=shape)
    require_sound(matrix, "a matrix in it")
    return matrix


def write_ragged(value: Ragged, writer: Writer, where: str) -> Parts:
    value = value.compact()  # a slice would bring its parent along
    arrays = {name: writer.array(getattr(value, name)) for name in ("values", "offsets")}
    return {"domain": writer.tree(value.domain, f"{where}.domain"), **arrays}


def read_ragged(parts: Parts, reader: Reader) -> Ragged:
    domain = reader.tree(parts["domain"])
    ragged = Ragged(reader.array(parts["values"]), reader.array(parts["offsets"]), domain)
    if not _is_sound(ragged):
        raise ModelFileError("its landmarks, or other objects in it, are not valid objects.")
    return ragged


def _is_sound(ragged: Ragged) -> bool:
    """Whether `ingest` could have made these objects; native code walks through them unchecked."""
    kind = (ragged.values.dtype.kind, ragged.values.ndim)
    if isinstance(ragged.domain, Strings):
        return kind == ("u", 1) and int(ragged.flat.max(initial=0)) <= npy.LAST_CODE_POINT
    if isinstance(ragged.domain, Graphs):
        return are_sound(ragged)
    filled = isinstance(ragged.domain, (Series, Sets)) and bool((ragged.lengths > 0).all())
    return filled and kind == ("f", 2) and bool(np.isfinite(ragged.flat).all())


def is_default_generator(value: Any) -> bool:
    return isinstance(value, np.random.Generator) and isinstance(
        value.bit_generator, np.random.PCG64
    )


def write_generator(value: np.random.Generator, writer: Writer, where: str) -> Parts:
    found: Any = value.bit_generator.state
    inner = found["state"]
    return {"state": [inner["state"], inner["inc"], found["has_uint32"], found["uinteger"]]}


def read_generator(parts: Parts, reader: Reader) -> np.random.Generator:
    state, inc, has_uint32, uinteger = parts["state"]
    bits = np.random.PCG64(0)
    bits.state = {
        "bit_generator": "PCG64",
        "state": {"state": state, "inc": inc},
        "has_uint32": has_uint32,
        "uinteger": uinteger,
    }
    return np.random.Generator(bits)


def write_random(value: Any, writer: Writer, where: str) -> Parts:
    return {}


def read_random(parts: Parts, reader: Reader) -> None:
    return None


def is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) and not isinstance(value, np.ma.MaskedArray)
