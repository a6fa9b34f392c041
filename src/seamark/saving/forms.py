"""How every type is written that JSON does not have: one table, `FORMS`.

A new type is one line there, and two small functions.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator

from ..objects import Ragged, Strings
from . import npy
from .classes import class_at, full_name, is_named_tuple, path_of
from .container import ModelFileError

if TYPE_CHECKING:
    from .tree import Reader, Writer

Parts = dict[str, Any]
RANDOM = (np.random.Generator, np.random.RandomState)
SPARSE = {"array": sparse.csr_array, "matrix": sparse.csr_matrix}


@dataclass(frozen=True)
class Form:
    """How one type is written.

    Attributes
    ----------
    tag : str
        Its name in the file.
    holds : callable
        Whether a value is of this type.
    keys : set of str
        Keys of the JSON object.
    write : callable
        ``write(value, writer, where) -> dict`` of these keys and JSON.
    read : callable
        ``read(dict, reader) -> value``; what comes in is not trusted.
    """

    tag: str
    holds: Callable[[Any], bool]
    keys: set[str]
    write: Callable[[Any, Writer, str], Parts]
    read: Callable[[Parts, Reader], Any]


def _write_float(value: float, writer: Writer, where: str) -> Parts:
    return {"value": repr(value)}


def _read_float(parts: Parts, reader: Reader) -> float:
    return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[parts["value"]]


def _write_bytes(value: bytes, writer: Writer, where: str) -> Parts:
    return {"hex": value.hex()}


def _read_bytes(parts: Parts, reader: Reader) -> bytes:
    return bytes.fromhex(parts["hex"])


def _write_items(value: Any, writer: Writer, where: str) -> Parts:
    return {"items": writer.trees(value, where)}


def _write_set(value: Any, writer: Writer, where: str) -> Parts:
    # Sorted, as the order of a set differs from run to run, and the same model gives the same file.
    return {"items": writer.trees(sorted(value, key=repr), where)}


def _read_as(make: Callable[[list[Any]], Any]) -> Callable[[Parts, Reader], Any]:
    return lambda parts, reader: make(reader.trees(parts["items"]))


def _write_dict(value: dict[Any, Any], writer: Writer, where: str) -> Parts:
    pairs = [
        [writer.tree(key, f"a key of {where}"), writer.tree(one, f"{where}[{key!r}]")]
        for key, one in value.items()
    ]
    return {"items": pairs}


def _read_dict(parts: Parts, reader: Reader) -> dict[Any, Any]:
    return dict(reader.trees(parts["items"]))


def _write_scalar(value: np.generic, writer: Writer, where: str) -> Parts:
    return _write_array(np.asarray(value), writer, where)


def _read_scalar(parts: Parts, reader: Reader) -> Any:
    return _read_array(parts, reader)[()]


def _write_array(value: NDArray[Any], writer: Writer, where: str) -> Parts:
    if not npy.is_plain(value):
        raise TypeError(f"{where} is an array of {value.dtype}, which cannot be saved; convert it.")
    return {"number": writer.array(value)}


def _read_array(parts: Parts, reader: Reader) -> NDArray[Any]:
    return reader.array(parts["number"])


def _write_objects(value: NDArray[Any], writer: Writer, where: str) -> Parts:
    return {"shape": list(value.shape), "items": writer.trees(value.ravel().tolist(), where)}


def _read_objects(parts: Parts, reader: Reader) -> NDArray[Any]:
    items = reader.trees(parts["items"])
    flat = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):  # one by one: numpy would unpack nested sequences
        flat[i] = item
    return flat.reshape(parts["shape"]) if flat.size else flat


def _write_dtype(value: np.dtype[Any], writer: Writer, where: str) -> Parts:
    return {"name": value.str}


def _read_dtype(parts: Parts, reader: Reader) -> np.dtype[Any]:
    if not npy.DTYPE.fullmatch(parts["name"]):
        raise ModelFileError("it names an unknown type of number.")
    return np.dtype(parts["name"])


def _write_csr(value: Any, writer: Writer, where: str) -> Parts:
    arrays = {name: writer.array(getattr(value, name)) for name in ("data", "indices", "indptr")}
    kind = "matrix" if isinstance(value, sparse.spmatrix) else "array"
    return {"kind": kind, "shape": list(value.shape), **arrays}


def _read_csr(parts: Parts, reader: Reader) -> Any:
    arrays = [reader.array(parts[name]) for name in ("data", "indices", "indptr")]
    matrix = SPARSE[parts["kind"]](tuple(arrays), shape=tuple(parts["shape"]))
    matrix.check_format(full_check=True)  # native code walks through it unchecked
    return matrix


def _write_ragged(value: Ragged, writer: Writer, where: str) -> Parts:
    value = value.compact()  # a slice would bring its parent along
    arrays = {name: writer.array(getattr(value, name)) for name in ("values", "offsets")}
    return {"domain": writer.tree(value.domain, f"{where}.domain"), **arrays}


def _read_ragged(parts: Parts, reader: Reader) -> Ragged:
    domain = reader.tree(parts["domain"])
    ragged = Ragged(reader.array(parts["values"]), reader.array(parts["offsets"]), domain)
    wanted = ("u", 1) if isinstance(domain, Strings) else ("f", 2)
    if (ragged.values.dtype.kind, ragged.values.ndim) != wanted:
        raise ModelFileError(f"its {domain.name} are not what {domain.name} are made of.")
    return ragged


def _write_record(value: Any, writer: Writer, where: str) -> Parts:
    names = [f.name for f in fields(value)] if is_dataclass(value) else value._fields
    state = {name: writer.tree(getattr(value, name), f"{where}.{name}") for name in names}
    return {"class": path_of(type(value)), "state": state}


def _read_record(parts: Parts, reader: Reader) -> Any:
    cls = class_at(parts["class"], "record", reader.functions)
    return cls(**reader.named(parts["state"]))


def _read_named_tuple(parts: Parts, reader: Reader) -> Any:
    cls = class_at(parts["class"], "tuple", reader.functions)
    return cls(**reader.named(parts["state"]))


def _write_estimator(value: BaseEstimator, writer: Writer, where: str) -> Parts:
    state = value.__getstate__()
    if isinstance(state.get("memory"), (str, PathLike)):
        state = {**state, "memory": None}  # a folder belongs to one machine
    state = {name: writer.tree(part, f"{where}.{name}") for name, part in state.items()}
    return {"class": path_of(type(value)), "state": state}


def _read_estimator(parts: Parts, reader: Reader) -> BaseEstimator:
    cls: Any = class_at(parts["class"], "estimator", reader.functions)
    state = reader.named(parts["state"])
    state = {**_defaults(cls), **state}  # of a file older than a parameter
    _require_known_names(cls, set(state))
    if isinstance(state.get("memory"), str):
        raise ModelFileError(
            f"its {cls.__name__} names a folder for its values, which no file may."
        )
    estimator: BaseEstimator = cls.__new__(cls)
    estimator.__setstate__(state)
    return estimator


def _defaults(cls: type) -> dict[str, Any]:
    parameters = inspect.signature(cls).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not p.empty}


def _require_known_names(cls: Any, names: set[str]) -> None:
    """Stop unless a state has the parameters of its class, and else only what `fit` may set."""
    missing = set(cls._get_param_names()) - names
    if missing:
        raise ModelFileError(f"its {cls.__name__} lacks the parameter {min(missing)!r}.")
    # The constructors of scikit-learn's base classes set parameters that a subclass hides.
    bases = [base for base in cls.__mro__ if issubclass(base, BaseEstimator)]
    parameters = {name for base in bases for name in base._get_param_names()}
    odd = {name for name in names - parameters if not (name.endswith("_") or name.startswith("_"))}
    odd |= {name for name in names if name.startswith("__")}
    if odd:
        raise ModelFileError(f"its {cls.__name__} has {min(odd)[:40]!r}, which is not known here.")


def _write_random(value: Any, writer: Writer, where: str) -> Parts:
    return {}


def _read_random(parts: Parts, reader: Reader) -> None:
    return None


def _write_function(value: Callable[..., Any], writer: Writer, where: str) -> Parts:
    name = full_name(value)
    if writer.functions.setdefault(name, value) is not value:
        raise TypeError(
            f"{where} is a second function named {name}, and a file knows functions by their "
            "names; give them different ones."
        )
    return {"name": name}


def _read_function(parts: Parts, reader: Reader) -> Any:
    name = parts["name"]
    if name not in reader.functions:
        raise ModelFileError(
            f"it uses the function {name}, which a file cannot hold and which is never imported "
            f"by itself; pass it: load(path, functions={{{name!r}: …}})."
        )
    return reader.functions[name]


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) and not isinstance(value, np.ma.MaskedArray)


FORMS: tuple[Form, ...] = (
    Form("float", lambda v: type(v) is float, {"value"}, _write_float, _read_float),
    Form("bytes", lambda v: isinstance(v, bytes), {"hex"}, _write_bytes, _read_bytes),
    Form("scalar", lambda v: isinstance(v, np.generic), {"number"}, _write_scalar, _read_scalar),
    Form(
        "objects",
        lambda v: _is_array(v) and v.dtype == object,
        {"shape", "items"},
        _write_objects,
        _read_objects,
    ),
    Form("array", _is_array, {"number"}, _write_array, _read_array),
    Form("dtype", lambda v: isinstance(v, np.dtype), {"name"}, _write_dtype, _read_dtype),
    Form(
        "csr",
        lambda v: sparse.issparse(v) and v.format == "csr",
        {"kind", "shape", "data", "indices", "indptr"},
        _write_csr,
        _read_csr,
    ),
    Form("tuple", lambda v: type(v) is tuple, {"items"}, _write_items, _read_as(tuple)),
    Form("set", lambda v: type(v) is set, {"items"}, _write_set, _read_as(set)),
    Form("frozenset", lambda v: type(v) is frozenset, {"items"}, _write_set, _read_as(frozenset)),
    Form("dict", lambda v: isinstance(v, dict), {"items"}, _write_dict, _read_dict),
    Form(
        "ragged",
        lambda v: isinstance(v, Ragged),
        {"domain", "values", "offsets"},
        _write_ragged,
        _read_ragged,
    ),
    Form(
        "estimator",
        lambda v: isinstance(v, BaseEstimator),
        {"class", "state"},
        _write_estimator,
        _read_estimator,
    ),
    Form(
        "record",
        lambda v: is_dataclass(v) and not isinstance(v, type),
        {"class", "state"},
        _write_record,
        _read_record,
    ),
    Form(
        "named_tuple",
        lambda v: is_named_tuple(type(v)),
        {"class", "state"},
        _write_record,
        _read_named_tuple,
    ),
    # What a generator would draw next is no part of a fitted model: None comes back.
    Form("random", lambda v: isinstance(v, RANDOM), set(), _write_random, _read_random),
    Form("function", callable, {"name"}, _write_function, _read_function),
)
"""In the order in which they are asked; the first that holds a value writes it."""
