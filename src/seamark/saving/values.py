"""Values as JSON and back: trees of values, arrays, classes, instances; no pickle."""

from __future__ import annotations

import inspect
import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property, partial
from importlib import import_module
from os import PathLike
from typing import Any

import numpy as np
from numpy.random import PCG64, Generator
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.compose import make_column_selector
from sklearn.model_selection._search import BaseSearchCV

from ..data import Graphs, Ragged, Series, Sets, Strings, are_sound, require_sound
from ..data.missing import shares_missing
from ..maps import LandmarkMap, Map, MapUnion, WithGaps
from ..measures import Measure
from ..models.base import LandmarkModel
from .checks import FITTED, fits_together, require_fitted_well, require_sound_state
from .format import (
    DTYPE,
    LAST_CODE_POINT,
    ModelFileError,
    from_bytes,
    is_plain,
    require_backed,
    to_bytes,
)

PACKAGE = "seamark"
CLOSED_ROOMS = {"__main__", "checks", "cli", "datasets", "engine", "plotting", "saving"}
"""Rooms whose classes are no part of a model. The engine's unpack what other processes sent."""
PATH = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+", re.ASCII)


def full_name(thing: Any) -> str:
    """Return the import path of a class or function; that of its class for other objects.

    Examples
    --------
    >>> full_name(re.compile)
    're.compile'
    """
    named = thing if hasattr(thing, "__qualname__") else type(thing)
    return f"{named.__module__}.{named.__qualname__}"


def path_of(cls: type) -> str:
    """Return the shortest public path of a class: files outlive the places of classes.

    Examples
    --------
    >>> from seamark.measures import Levenshtein
    >>> Levenshtein.__module__, path_of(Levenshtein)
    ('seamark.measures.edit', 'seamark.measures.Levenshtein')
    """
    room = ".".join(cls.__module__.split(".")[:2])
    if room in FITTED or room.startswith(f"{PACKAGE}."):
        public = getattr(import_module(room), cls.__name__, None)
        if public is cls:
            return f"{room}.{cls.__name__}"
    return full_name(cls)


def may_be_named(path: str) -> bool:
    """Whether a file may name a class of this path without the caller's help."""
    module, _, name = path.rpartition(".")
    rooms = module.split(".")
    ours = rooms[0] == PACKAGE and len(rooms) > 1 and rooms[1] not in CLOSED_ROOMS
    return ours or name in FITTED.get(module, ())


def class_at(path: Any, kind: str, functions: Mapping[str, Any]) -> type:
    """Return the class that a file names, if it may name it.

    Parameters
    ----------
    path : str
        What the file says.
    kind : {"estimator", "record", "tuple", "object"}
        What it must be, as in `KINDS`.
    functions : mapping
        What the caller of `load` brings.
    """
    if not isinstance(path, str) or not PATH.fullmatch(path):
        raise ModelFileError(f"it names a class {str(path)[:80]!r}, which is no import path.")
    cls = functions[path] if path in functions else _found(path)
    if not isinstance(cls, type) or not KINDS[kind](cls):
        raise ModelFileError(f"it names {path} as {kind}, which it is not.")
    return cls


def _found(path: str) -> Any:
    if not may_be_named(path):
        raise ModelFileError(
            f"it needs the class {path}, which is no part of seamark and is never imported by "
            f"itself; if you trust it, pass it: load(path, functions={{{path!r}: …}})."
        )
    module, _, name = path.rpartition(".")
    try:
        home = import_module(module)
        found = getattr(home, name)
    except (ImportError, AttributeError) as error:
        raise ModelFileError(f"it needs {path}, which this version does not have.") from error
    # A module also holds what it imported: only what is at home here is one of ours.
    return found if isinstance(found, type) and may_be_named(path_of(found)) else None


def is_named_tuple(cls: type) -> bool:
    """Whether a class is a NamedTuple."""
    return issubclass(cls, tuple) and hasattr(cls, "_fields")


def is_ours(cls: type) -> bool:
    """Whether a class is one of seamark's that is no estimator."""
    ours = cls.__module__.startswith(f"{PACKAGE}.") and may_be_named(full_name(cls))
    return ours and not issubclass(cls, (BaseEstimator, BaseException))


KINDS: dict[str, Callable[[type], bool]] = {
    "estimator": lambda cls: issubclass(cls, BaseEstimator),
    "record": lambda cls: (
        is_dataclass(cls) and cls is not Ragged and not issubclass(cls, BaseEstimator)
    ),
    "tuple": is_named_tuple,
    "object": lambda cls: is_ours(cls) and not is_dataclass(cls) and not is_named_tuple(cls),
}
"""How a file may make an instance. Each kind has checks of its own: none stands for another."""


# How parts of a table are named in a file: slices, types of numbers, and selectors of columns.


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


def read_slice(reader: Reader, start: Any, stop: Any, step: Any) -> slice:
    ends = reader.trees([start, stop, step])
    if not all(one is None or isinstance(one, (int, str, np.integer)) for one in ends):
        raise ModelFileError(
            "a slice of columns in it has an end that is neither a number nor a name."
        )
    return slice(*ends)


def read_selector(reader: Reader, pattern: Any, include: Any, exclude: Any) -> Any:
    if pattern is not None and not isinstance(pattern, str):
        raise ModelFileError("the pattern of a column selector in it is not text.")
    kinds = {"dtype_include": reader.tree(include), "dtype_exclude": reader.tree(exclude)}
    return make_column_selector(pattern, **kinds)


# Checks of what a file says of landmarks and blocks: where they come from, and their order.


SOURCES = ("landmark_indices_", "landmark_sources_")


def require_united(cls: type, state: dict[str, Any]) -> None:
    """Stop at sources that are no rows, and at a union whose parts do not go together.

    Examples
    --------
    >>> require_united(LandmarkMap, {"landmarks_": ["a"], "landmark_sources_": np.array([-5])})
    Traceback (most recent call last):
    seamark.saving.format.ModelFileError: landmark_sources_ of its LandmarkMap are not row numbers.
    """
    if issubclass(cls, MapUnion) and "maps_" in state:
        _require_blocks(cls, state)
    if issubclass(cls, WithGaps) and "map_" in state:
        _require_gaps(cls, state)
    if issubclass(cls, LandmarkMap) and "landmarks_" in state:
        _require_sources(cls, state, state["landmarks_"])
    if issubclass(cls, LandmarkModel) and "landmarks_" in state:
        whole = state.get("map_")
        if not isinstance(whole, MapUnion):
            _require_sources(cls, state, state["landmarks_"])
            return
        lists = [state.get(name) for name in ("landmarks_", "landmark_labels_", *SOURCES)]
        if any(not isinstance(one, list) or len(one) != len(whole.maps_) for one in lists):
            raise ModelFileError(f"its {cls.__name__} has other blocks than its map.")
        for number, landmarks in enumerate(state["landmarks_"]):
            own = {name: state[name][number] for name in SOURCES}
            _require_sources(cls, own, landmarks)


def _are_integers(rows: Any) -> bool:
    return isinstance(rows, np.ndarray) and rows.dtype.kind == "i" and rows.ndim == 1


def _require_sources(cls: type, state: dict[str, Any], landmarks: Any) -> None:
    """Sources are None, or a row number for each landmark, −1 for one that has none."""
    for name in SOURCES:
        rows: Any = state.get(name)
        if rows is not None:
            sound = _are_integers(rows) and int(rows.min(initial=0)) >= -1
            fits_together(sound, cls, name, "are not row numbers")
            shape = getattr(landmarks, "shape", None)
            fits_together(
                shape is not None and len(rows) == shape[0],
                cls,
                name,
                "are not as many as landmarks",
            )


def _require_blocks(cls: type, state: dict[str, Any]) -> None:
    """Maps are fitted ones of ours; columns are as many; features are theirs, in some order."""
    maps, columns, order = (state.get(name) for name in ("maps_", "columns_", "order_"))
    sound = isinstance(maps, list) and len(maps) > 0 and all(isinstance(one, Map) for one in maps)
    fits_together(sound, cls, "maps_", "must be a list of maps, not empty")
    sound = isinstance(columns, list) and len(columns) == len(maps or ())
    fits_together(sound, cls, "columns_", "must have one entry for each map")
    sound = all(map(_is_selection, columns or ()))
    fits_together(sound, cls, "columns_", "are neither names nor numbers")
    sizes = [getattr(one, "n_features_out_", None) for one in maps or ()]
    fits_together(all(type(n) is int for n in sizes), cls, "maps_", "are not all fitted")
    total = sum(sizes)  # type: ignore[arg-type]
    sound = _are_integers(order) and np.array_equal(np.sort(order), np.arange(total))  # type: ignore[arg-type]
    fits_together(sound, cls, "order_", f"is no order of {total} features")
    if state.get("n_features_out_") != total:
        raise ModelFileError(f"its {cls.__name__} has not the {total} features of its maps.")


def _require_gaps(cls: type, state: dict[str, Any]) -> None:
    """A gap has as many features as the map, and those in use are the map's or say the gap."""
    order: Any = state.get("order_")
    gap: Any = state.get("gap_features_")
    n = getattr(state["map_"], "n_features_out_", None)
    fitted = isinstance(state["map_"], Map) and isinstance(n, int)
    fits_together(fitted, cls, "map_", "is not a fitted map")
    sound = isinstance(gap, np.ndarray) and gap.dtype == np.float32 and gap.shape == (n,)
    fits_together(sound, cls, "gap_features_", f"are not {n} numbers")
    sound = _are_integers(order) and all(0 <= one <= (n or 0) for one in order.tolist())
    fits_together(sound, cls, "order_", "names features that do not exist")
    if state.get("n_features_out_") != len(order):
        raise ModelFileError(
            f"its {cls.__name__} has another number of features than order_ names."
        )


def _is_selection(columns: Any) -> bool:
    if isinstance(columns, list):
        return bool(columns) and all(type(one) in (str, int) for one in columns)
    return columns is None or type(columns) in (str, int)


# How instances of classes are written, and functions: by import path, and by their state.


def write_record(value: Any, writer: Writer, where: str) -> Parts:
    names = [f.name for f in fields(value)] if is_dataclass(value) else value._fields
    state = {name: getattr(value, name) for name in names}
    return {"class": path_of(type(value)), "state": writer.named(state, where)}


def read_record(reader: Reader, path: Any, state: Any) -> Any:
    cls, state = class_at(path, "record", reader.functions), reader.named(state)
    require_sound_state(cls, state)
    return cls(**state)


def write_estimator(value: BaseEstimator, writer: Writer, where: str) -> Parts:
    if isinstance(value, BaseSearchCV):
        raise TypeError(f"{where} is a {type(value).__name__}; save its best_estimator_.")
    state = value.__getstate__()
    if isinstance(state.get("memory"), (str, PathLike)):
        state = {**state, "memory": None}  # a folder belongs to one machine
    require_fitted_well(type(value), state)
    return {"class": path_of(type(value)), "state": writer.named(state, where)}


def read_estimator(reader: Reader, path: Any, state: Any) -> BaseEstimator:
    cls: Any = class_at(path, "estimator", reader.functions)
    # A file may be older than a parameter of its class.
    parameters = inspect.signature(cls).parameters.values()
    defaults = {one.name: one.default for one in parameters if one.default is not one.empty}
    state = defaults | reader.named(state)
    _require_known_names(cls, set(state))
    if state.get("n_jobs") is not None:
        # joblib starts as many processes as it is told to, whatever there is to do.
        if type(state["n_jobs"]) is not int:
            raise ModelFileError(
                f"its {cls.__name__} asks for {str(state['n_jobs'])[:20]!r} workers."
            )
        state["n_jobs"] = min(state["n_jobs"], os.cpu_count() or 1)
    require_fitted_well(cls, state)
    require_backed(cls, state)
    require_united(cls, state)
    require_sound_state(cls, state)
    if isinstance(state.get("memory"), str):
        raise ModelFileError(
            f"its {cls.__name__} names a folder for its values, which a saved model may not."
        )
    estimator: BaseEstimator = cls.__new__(cls)
    estimator.__setstate__(state)
    if isinstance(estimator, Measure):
        estimator.check_parameters()
    return estimator


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
    # What a class has of its own, such as the kind of a machine, is not for files to change. What
    # is None there waits for a value, as in files that are older than the attribute.
    odd |= {
        name for name in names - parameters if inspect.getattr_static(cls, name, None) is not None
    }
    if odd:
        raise ModelFileError(f"its {cls.__name__} has {min(odd)[:40]!r}, which is not known here.")


def write_object(value: Any, writer: Writer, where: str) -> Parts:
    state = value.__getstate__() or {}
    if not isinstance(state, dict):
        raise TypeError(f"{where} is a {type(value).__name__}, whose state is no dict of names.")
    return {"class": path_of(type(value)), "state": writer.named(state, where)}


def read_object(reader: Reader, path: Any, state: Any) -> Any:
    cls, state = class_at(path, "object", reader.functions), reader.named(state)
    odd = [name for name in state if name.startswith("__") or callable(getattr(cls, name, None))]
    if odd:
        raise ModelFileError(f"its {cls.__name__} has {odd[0][:40]!r}, which is not known here.")
    require_sound_state(cls, state)
    made: Any = object.__new__(cls)
    vars(made).update(state)
    return made


def write_function(value: Callable[..., Any], writer: Writer, where: str) -> Parts:
    name = full_name(value)
    if writer.functions.setdefault(name, value) is not value:
        raise TypeError(
            f"{where} is a second function named {name}, and a file knows functions by their "
            "names; give them different ones."
        )
    return {"name": name}


def read_function(reader: Reader, name: Any) -> Any:
    if name not in reader.functions:
        raise ModelFileError(
            f"it uses the function {name}, which a file cannot hold and which is never imported "
            f"by itself; pass it: load(path, functions={{{name!r}: …}})."
        )
    return reader.functions[name]


# How plain values are written that JSON does not have: numbers, containers, arrays, objects.


OBJECTS = np.dtype(object).str
BEYOND_JSON = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
SPARSE = {"array": sparse.csr_array, "matrix": sparse.csr_matrix}


def write_array(value: NDArray[Any], writer: Writer, where: str) -> Parts:
    if not is_plain(value):
        raise TypeError(f"{where} is an array of {value.dtype}, which cannot be saved; convert it.")
    return {"number": writer.array(value)}


def read_objects(reader: Reader, shape: Any, items: Any) -> NDArray[Any]:
    # One by one: numpy would unpack nested sequences.
    flat = np.fromiter(reader.trees(items), dtype=object)
    return flat.reshape(shape) if flat.size else flat


def read_dtype(reader: Reader, name: Any) -> Any:
    if name != OBJECTS and not DTYPE.fullmatch(name):
        raise ModelFileError("it names an unknown type of number.")
    return np.dtype(name)


def write_csr(value: Any, writer: Writer, where: str) -> Parts:
    arrays = {name: writer.array(getattr(value, name)) for name in ("data", "indices", "indptr")}
    kind = "matrix" if isinstance(value, sparse.spmatrix) else "array"
    return {"kind": kind, "shape": list(value.shape), **arrays}


def read_csr(reader: Reader, kind: Any, shape: Any, data: Any, indices: Any, indptr: Any) -> Any:
    data, indices, indptr = map(reader.array, (data, indices, indptr))
    shape = tuple(shape)
    if len(shape) != 2 or not all(type(side) is int and side >= 0 for side in shape):
        raise ModelFileError("the shape of a sparse matrix is not two whole numbers.")
    if data.ndim != 1 or data.dtype.kind not in "biufc":
        raise ModelFileError("the values of a sparse matrix are not a list of numbers.")
    matrix = SPARSE[kind]((data, indices, indptr), shape=shape)
    require_sound(matrix, "a matrix in it")
    return matrix


def write_ragged(value: Ragged, writer: Writer, where: str) -> Parts:
    value = value.compact()  # a slice would bring its parent along
    arrays = {name: writer.array(getattr(value, name)) for name in ("values", "offsets")}
    return {"domain": writer.tree(value.domain, f"{where}.domain"), **arrays}


def read_ragged(reader: Reader, domain: Any, values: Any, offsets: Any) -> Ragged:
    ragged = Ragged(reader.array(values), reader.array(offsets), reader.tree(domain))
    if not _is_sound(ragged):
        raise ModelFileError("its landmarks, or other objects in it, are not valid objects.")
    return ragged


def _is_sound(ragged: Ragged) -> bool:
    """Whether `ingest` could have made these objects; native code walks through them unchecked."""
    kind = (ragged.values.dtype.kind, ragged.values.ndim)
    if isinstance(ragged.domain, Strings):
        return kind == ("u", 1) and int(ragged.flat.max(initial=0)) <= LAST_CODE_POINT
    if isinstance(ragged.domain, Graphs):
        return are_sound(ragged)
    filled = isinstance(ragged.domain, (Series, Sets)) and bool((ragged.lengths > 0).all())
    if not filled or kind != ("f", 2):
        return False
    if isinstance(ragged.domain, Series):  # which may have missing values, but not only such
        return not np.isinf(ragged.flat).any() and bool((shares_missing(ragged) < 1).all())
    return bool(np.isfinite(ragged.flat).all())


def write_generator(value: Generator, writer: Writer, where: str) -> Parts:
    found: Any = value.bit_generator.state
    inner = found["state"]
    return {"state": [inner["state"], inner["inc"], found["has_uint32"], found["uinteger"]]}


def read_generator(reader: Reader, state: Any) -> Generator:
    bits = PCG64(0)
    known: Any = bits.state
    known["state"]["state"], known["state"]["inc"], known["has_uint32"], known["uinteger"] = state
    bits.state = known
    return Generator(bits)


def is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) and not isinstance(value, np.ma.MaskedArray)


# How every type is written that JSON does not have: one table, `FORMS`.


@dataclass(frozen=True)
class Form:
    """How one type is written.

    Attributes
    ----------
    tag : str
        Its name in files.
    holds : callable
        Whether a value is of this type.
    write : callable
        ``write(value, writer, where) -> dict`` of arrays and JSON.
    read : callable
        ``read(reader, **parts) -> value``; what comes in is not trusted.
    """

    tag: str
    holds: Callable[[Any], bool]
    write: Callable[[Any, Writer, str], Parts]
    read: Callable[..., Any]

    @cached_property
    def keys(self) -> dict[str, str]:
        """Names of its parts in a file, and the parameters of `read` that they are."""
        _, *names = inspect.signature(self.read).parameters
        return {"class" if name == "path" else name: name for name in names}


def _of_items(
    tag: str, kind: Callable[[list[Any]], Any], write: Callable[[Any], list[Any]]
) -> Form:
    """Return the form of a container; `write` puts its items in order."""
    return Form(
        tag,
        _just_a(kind),
        lambda value, writer, where: {"items": writer.trees(write(value), where)},
        lambda reader, items: kind(reader.trees(items)),
    )


def _is_a(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kinds)


def _just_a(kind: Any) -> Callable[[Any], bool]:
    """Ask for a type itself: its subclasses have forms of their own, or none."""
    return lambda value: type(value) is kind


FORMS: tuple[Form, ...] = (
    Form(
        "float",
        _just_a(float),
        lambda value, writer, where: {"value": repr(value)},
        lambda reader, value: BEYOND_JSON[value],
    ),
    Form(
        "bytes",
        _is_a(bytes),
        lambda value, writer, where: {"hex": value.hex()},
        lambda reader, hex: bytes.fromhex(hex),
    ),
    Form(
        "scalar",
        _is_a(np.generic),
        lambda value, writer, where: write_array(np.asarray(value), writer, where),
        lambda reader, number: reader.array(number)[()],
    ),
    Form(
        "objects",
        lambda value: is_array(value) and value.dtype == object,
        lambda value, writer, where: {
            "shape": list(value.shape),
            "items": writer.trees(value.ravel().tolist(), where),
        },
        read_objects,
    ),
    Form("array", is_array, write_array, lambda reader, number: reader.array(number)),
    Form("dtype", _is_a(np.dtype), lambda value, writer, where: {"name": value.str}, read_dtype),
    Form("csr", lambda v: sparse.issparse(v) and v.format == "csr", write_csr, read_csr),
    _of_items("tuple", tuple, write=list),
    # Sorted, as the order of a set differs from run to run, and a model always gives one file.
    _of_items("set", set, write=partial(sorted, key=repr)),
    _of_items("frozenset", frozenset, write=partial(sorted, key=repr)),
    Form(
        "slice",
        _just_a(slice),
        lambda value, writer, where: writer.named(
            {"start": value.start, "stop": value.stop, "step": value.step}, where
        ),
        read_slice,
    ),
    Form(
        "type",
        lambda value: isinstance(value, type) and value in NAMES,
        lambda value, writer, where: {"name": NAMES[value]},
        lambda reader, name: TYPES[name],
    ),
    Form(
        "selector",
        _just_a(make_column_selector),
        lambda v, writer, where: writer.named(
            {"pattern": v.pattern, "include": v.dtype_include, "exclude": v.dtype_exclude}, where
        ),
        read_selector,
    ),
    Form(
        "dict",
        _is_a(dict),
        lambda value, writer, where: {
            "items": [
                [writer.tree(key, f"a key of {where}"), writer.tree(one, f"{where}[{key!r}]")]
                for key, one in value.items()
            ]
        },
        lambda reader, items: dict(reader.trees(items)),
    ),
    Form("ragged", _is_a(Ragged), write_ragged, read_ragged),
    Form("estimator", _is_a(BaseEstimator), write_estimator, read_estimator),
    Form(
        "record", lambda v: is_dataclass(v) and not isinstance(v, type), write_record, read_record
    ),
    Form(
        "named_tuple",
        lambda value: is_named_tuple(type(value)),
        write_record,
        lambda reader, path, state: class_at(path, "tuple", reader.functions)(
            **reader.named(state)
        ),
    ),
    Form(
        "generator",
        lambda v: isinstance(v, Generator) and isinstance(v.bit_generator, PCG64),
        write_generator,
        read_generator,
    ),
    # Of other generators None comes back: numpy does not check their state, and could read astray.
    Form(
        "random",
        _is_a(Generator, np.random.RandomState),
        lambda value, writer, where: {},
        lambda reader: None,
    ),
    Form("object", lambda v: KINDS["object"](type(v)), write_object, read_object),
    Form("function", callable, write_function, read_function),
)
"""In the order in which they are asked; the first that holds a value writes it."""


# Python values to JSON and back; what JSON does not have is written as `FORMS` say.


TAG = "$"
"""Key of the form's name, in a JSON object that stands for something else."""
DEEPEST = 60
"""Levels of nesting: more than any model has, fewer than Python's stack can take."""
PLAIN = (type(None), bool, int, str)
BY_TAG = {form.tag: form for form in FORMS}


class _Depth:
    """How deep we are; models that hold themselves, and hostile files, go too deep."""

    _depth = 0

    def _deeper(self, where: str) -> None:
        """Go one level down. No way up is needed after an error: it ends the whole."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise ModelFileError(
                f"{where[:80]} is nested more than {DEEPEST} levels deep, or holds itself."
            )


class Writer(_Depth):
    """Turns values into JSON, and gathers their arrays and functions.

    Attributes
    ----------
    arrays : list of bytes
        Every array, as `.npy`; those of equal content are one.
    functions : dict
        Functions by the names they were written under.
    """

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}
        self.functions: dict[str, Any] = {}

    @property
    def arrays(self) -> list[bytes]:
        """All arrays, in the order of their numbers."""
        return list(self._numbers)

    def array(self, array: NDArray[Any]) -> int:
        """Keep an array; return its number."""
        return self._numbers.setdefault(to_bytes(array), len(self._numbers))

    def tree(self, value: Any, where: str) -> Any:
        """Return JSON for a value; `where` names it in messages."""
        if type(value) in PLAIN or (type(value) is float and math.isfinite(value)):
            return value
        self._deeper(where)
        tree = self.trees(value, where) if type(value) is list else self._formed(value, where)
        self._depth -= 1
        return tree

    def _formed(self, value: Any, where: str) -> dict[str, Any]:
        form = next((form for form in FORMS if form.holds(value)), None)
        if form is None:
            raise TypeError(
                f"{where} is a {type(value).__name__}, which cannot be saved without pickle; "
                "use numbers, text, lists, dicts, arrays, or estimators of seamark."
            )
        return {TAG: form.tag, **form.write(value, self, where)}

    def named(self, parts: dict[str, Any], where: str) -> dict[str, Any]:
        """Return JSON for each of several parts, by name."""
        return {name: self.tree(part, f"{where}.{name}") for name, part in parts.items()}

    def trees(self, values: Any, where: str) -> list[Any]:
        """Return JSON for each of several values."""
        return [self.tree(one, f"{where}[{i}]") for i, one in enumerate(values)]


class Reader(_Depth):
    """Turns JSON back into values.

    Parameters
    ----------
    arrays : list of bytes
        As the writer gathered them.
    functions : mapping
        What the caller of `load` brings, by import path.
    max_bytes : int
        How many bytes of arrays may be handed out. Each use of one is a copy: two parts of a model
        must not share what one of them may change.
    """

    def __init__(self, arrays: list[bytes], functions: Mapping[str, Any], max_bytes: int) -> None:
        self._arrays = arrays
        self._left = max_bytes
        self.functions = functions

    def array(self, number: Any) -> NDArray[Any]:
        """Return a copy of an array."""
        if type(number) is not int or not 0 <= number < len(self._arrays):
            raise ModelFileError(f"it has no array {str(number)[:20]}.")
        data = self._arrays[number]
        self._left -= len(data)
        if self._left < 0:
            raise ModelFileError("its arrays take more than max_bytes; raise it if you trust it.")
        return from_bytes(data)

    def tree(self, node: Any) -> Any:
        """Return the value that JSON stands for."""
        if not isinstance(node, (list, dict)):
            return node
        self._deeper("it")
        value = self.trees(node) if isinstance(node, list) else self._formed(node)
        self._depth -= 1
        return value

    def _formed(self, node: dict[str, Any]) -> Any:
        parts = dict(node)
        tag = parts.pop(TAG, None)
        form = BY_TAG.get(tag) if isinstance(tag, str) else None
        if form is None:
            raise ModelFileError(f"it holds a {str(tag)[:40]!r}, a kind not known here.")
        if parts.keys() != form.keys.keys():
            odd = sorted(parts.keys() ^ form.keys.keys())[0]
            raise ModelFileError(f"a {tag} in it has, or lacks, the key {odd[:40]!r}.")
        return form.read(self, **{form.keys[key]: part for key, part in parts.items()})

    def trees(self, nodes: Any) -> list[Any]:
        """Return the values of a JSON list."""
        if not isinstance(nodes, list):
            raise ModelFileError("it has something else where a list should be.")
        return [self.tree(node) for node in nodes]

    def named(self, nodes: Any) -> dict[str, Any]:
        """Return the values of a JSON object, by name."""
        if not isinstance(nodes, dict):
            raise ModelFileError("it has something else where names and values should be.")
        return {name: self.tree(node) for name, node in nodes.items()}
