"""Finished values of Python functions, kept in a folder so that a long job can be resumed."""

from __future__ import annotations

import enum
import functools
import pickle
import sqlite3
import types
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from copyreg import dispatch_table
from hashlib import blake2b
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

FILE_NAME = "seamark-values.sqlite"
APPLICATION = 0x5EA3A2C  # marks the file as ours, in its header
VERSION = 1
PATIENCE = 60.0  # seconds to wait for another process that is writing
_SCHEMA = (
    "CREATE TABLE pairs (x BLOB, l BLOB, value REAL NOT NULL, PRIMARY KEY (x, l)) WITHOUT ROWID",
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {VERSION}",
)
Mask = NDArray[np.bool_]

SIZE = 16  # bytes; two of 2^40 objects agree by chance once in 10^14 times


class _Hash(Protocol):
    def update(self, data: bytes, /) -> None: ...


def digest(thing: Any) -> bytes:
    """Return 16 bytes that stand for the content of an object.

    Numbers, text, arrays and containers of them go in by value; a function by its code, defaults,
    closure and attributes; an object of the user's class by its state; whatever else by its pickle.
    Equal things that a function can tell apart have different digests: 1 and 1.0, or a dictionary
    in another order.

    Examples
    --------
    >>> digest({"a": [1, 2], "b": 0.5}) == digest({"a": [1, 2], "b": 0.5})
    True
    >>> digest([1, 2]) == digest([1, 2.0])
    False
    """
    return _digest(thing, frozenset())


def digest_function(f: Callable[..., Any]) -> bytes:
    """Return 16 bytes that stand for a function; editing the function changes them.

    Its module, name, code, defaults, closure, attributes and `functools.partial` arguments count,
    and for an object with ``__call__`` its class, with the attributes of that, and its state. Other
    globals it reads and functions it calls do not.

    Examples
    --------
    >>> digest_function(lambda x, y: x - y) == digest_function(lambda x, y: y - x)
    False
    """
    # A C function's methods have no code to look at; the class of a function is not its identity.
    of_class = b"" if isinstance(f, _CODELESS) else _digest(type(f), frozenset())
    return _digest((of_class, f), frozenset())


_CODELESS = (
    types.FunctionType,
    types.MethodType,
    types.BuiltinFunctionType,
    functools.partial,
    np.ufunc,
    type,
)


def _digest(thing: Any, inside: frozenset[int]) -> bytes:
    h = blake2b(digest_size=SIZE)
    _feed(h, thing, inside)
    return h.digest()


def _feed(h: _Hash, thing: Any, inside: frozenset[int]) -> None:
    """Hash a tag, then the content; `inside` are the things being hashed around this one."""
    if type(thing) in _PLAIN:
        _HOW[type(thing)](h, thing, inside)
    elif id(thing) in inside:  # a function whose closure holds itself, an object in a ring
        _put(h, b"again", b"")
    else:
        _HOW.get(type(thing), _feed_other)(h, thing, inside | {id(thing)})


def _put(h: _Hash, tag: bytes, data: bytes) -> None:
    h.update(b"%s:%d:" % (tag, len(data)))  # with its length no two sequences read the same
    h.update(data)


def _text(h: _Hash, tag: bytes, text: str) -> None:
    _put(h, tag, text.encode("utf-8", "surrogatepass"))


def _many(h: _Hash, tag: bytes, things: Iterable[Any], inside: frozenset[int]) -> None:
    things = list(things)
    _put(h, tag, b"%d" % len(things))
    for thing in things:
        _feed(h, thing, inside)


def _sequence(h: _Hash, things: Any, inside: frozenset[int]) -> None:
    _many(h, type(things).__name__.encode(), things, inside)


def _unordered(h: _Hash, things: Any, inside: frozenset[int]) -> None:
    parts = sorted(_digest(entry, inside) for entry in things)
    _put(h, type(things).__name__.encode(), b"".join(parts))


def _names(h: _Hash, things: dict[str, Any], inside: frozenset[int]) -> None:
    """Hash names and what they stand for: attributes, keywords, in no order."""
    _many(h, b"names", sorted(things.items(), key=lambda item: str(item[0])), inside)


def _int(h: _Hash, n: int, inside: frozenset[int]) -> None:
    _put(h, b"int", n.to_bytes(n.bit_length() // 8 + 1, "little", signed=True))


def _code(h: _Hash, code: types.CodeType, inside: frozenset[int]) -> None:
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    counts = (code.co_argcount, code.co_kwonlyargcount, code.co_posonlyargcount, code.co_flags)
    _many(h, b"code", (code.co_code, names, counts, code.co_consts), inside)


def _function(h: _Hash, f: types.FunctionType, inside: frozenset[int]) -> None:
    cells = [
        _cell(cell)
        for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True)
        if name != "__class__"  # what `super()` needs: the class around, hashed there if at all
    ]
    parts = (f.__module__, f.__qualname__, f.__code__, f.__defaults__, f.__kwdefaults__, cells)
    _many(h, b"function", parts, inside)
    _names(h, vars(f), inside)


def _cell(cell: Any) -> Any:
    try:
        return (cell.cell_contents,)
    except ValueError:  # a name that is not bound yet
        return ()


def _class(h: _Hash, cls: type, inside: frozenset[int]) -> None:
    """Hash a class, with its bases, by its code as far as it is Python, and its constants."""
    _text(h, b"class", f"{cls.__module__}.{cls.__qualname__}")
    for base in cls.__mro__:
        for name, member in sorted(vars(base).items()):
            inner = _unwrapped(member)
            if isinstance(inner, types.FunctionType) or _is_attribute(cls, name, inner):
                _text(h, b"member", name)
                _member(h, inner, inside)


def _is_attribute(cls: type, name: str, member: Any) -> bool:
    """Tell whether a class's member is something its methods may read; other classes stay names."""
    if name.startswith("__") or isinstance(member, _DESCRIPTORS):
        return False
    return not isinstance(member, type) or member.__qualname__ == f"{cls.__qualname__}.{name}"


_DESCRIPTORS = (
    types.MemberDescriptorType,
    types.GetSetDescriptorType,
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
    types.BuiltinFunctionType,
)


def _member(h: _Hash, member: Any, inside: frozenset[int]) -> None:
    """Hash a member of a class; for locks and the like, which have no content, only the type."""
    if type(member) not in _HOW and not isinstance(member, (type, np.generic, enum.Enum)):
        try:
            if _reduces_as_any_object(type(member)):
                member.__reduce_ex__(4)
            else:
                pickle.dumps(member, protocol=4)
        except Exception:
            _text(h, b"type", type(member).__qualname__)
            return
    _feed(h, member, inside)


def _unwrapped(member: Any) -> Any:
    """Return the function inside a static or class method, or a property."""
    if isinstance(member, (staticmethod, classmethod)):
        return member.__func__
    if isinstance(member, property):
        return member.fget
    return member.func if isinstance(member, functools.cached_property) else member


def _method(h: _Hash, method: types.MethodType, inside: frozenset[int]) -> None:
    owner = method.__self__
    _many(h, b"method", (method.__func__, type(owner), owner), inside)


def _partial(h: _Hash, p: Any, inside: frozenset[int]) -> None:
    _many(h, b"partial", (p.func, p.args), inside)
    _names(h, p.keywords, inside)
    _names(h, vars(p), inside)


def _array(h: _Hash, a: np.ndarray[Any, Any], inside: frozenset[int]) -> None:
    _text(h, b"array", f"{a.dtype!r}{a.shape}")
    if a.dtype.hasobject:
        _many(h, b"objects", a.ravel().tolist(), inside)
    else:
        _put(h, b"values", a.tobytes())


def _feed_other(h: _Hash, thing: Any, inside: frozenset[int]) -> None:
    """Hash what is known by a trait rather than by its exact type."""
    if isinstance(thing, np.generic):
        _put(h, repr(thing.dtype).encode(), thing.tobytes())
    elif isinstance(thing, type):
        _class(h, thing, inside)
    elif isinstance(thing, enum.Enum):
        _many(h, b"enum", (type(thing).__qualname__, thing.name, thing.value), inside)
    elif sparse.issparse(thing):
        rows = thing.tocsr().sorted_indices()
        parts = (rows.shape, rows.indptr.tolist(), rows.indices.tolist(), rows.data)
        _many(h, b"sparse", parts, inside)
    elif _reduces_as_any_object(type(thing)):
        _state(h, thing, inside)
    elif callable(thing) and hasattr(thing, "py_func"):  # numba's compiled functions
        _feed(h, thing.py_func, inside)
    else:
        _put(h, b"pickle", pickle.dumps(thing, protocol=4))


def _reduces_as_any_object(cls: type) -> bool:
    own = getattr(cls, "__reduce_ex__", None), getattr(cls, "__reduce__", None)
    return cls not in dispatch_table and own == (object.__reduce_ex__, object.__reduce__)


def _state(h: _Hash, thing: Any, inside: frozenset[int]) -> None:
    """Hash class name and state: unlike a pickle, the same for equal parts shared or not."""
    cls = type(thing)
    _text(h, b"object", f"{cls.__module__}.{cls.__qualname__}")
    _, (_, *arguments), state, items, entries = (*thing.__reduce_ex__(4), None, None, None)[:5]
    _many(h, b"state", (arguments, list(items or ()), list(entries or ())), inside)
    if isinstance(state, dict):
        _names(h, state, inside)
    else:  # with slots: a tuple
        _feed(h, state, inside)


_HOW: dict[type, Callable[[_Hash, Any, frozenset[int]], None]] = {
    str: lambda h, s, _: _text(h, b"str", s),
    bytes: lambda h, b, _: _put(h, b"bytes", b),
    bool: lambda h, b, _: _put(h, b"bool", b"%d" % b),
    int: _int,
    float: lambda h, x, _: _put(h, b"float", np.float64(x).tobytes()),
    complex: lambda h, z, _: _put(h, b"complex", np.complex128(z).tobytes()),
    type(None): lambda h, _, __: _put(h, b"None", b""),
    tuple: _sequence,
    list: _sequence,
    dict: lambda h, d, i: _many(h, b"dict", d.items(), i),  # in its order: functions see it
    set: _unordered,
    frozenset: _unordered,
    np.ndarray: _array,
    np.memmap: _array,
    types.CodeType: _code,
    types.FunctionType: _function,
    types.ModuleType: lambda h, m, _: _text(h, b"module", m.__name__),
    types.MethodType: _method,
    functools._lru_cache_wrapper: lambda h, f, i: _names(h, vars(f), i),  # __wrapped__ is one
    functools.partial: _partial,
    functools.partialmethod: _partial,
}
_PLAIN = frozenset({str, bytes, bool, int, float, complex, type(None)})


class Store:
    """Values by two digests, in one SQLite file; several processes may share it.

    Parameters
    ----------
    folder : path
        Made if it does not exist; the file inside is ``seamark-values.sqlite``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store(folder) as store:
    ...     store.put([(b"x", b"y", 0.5)])
    ...     store.row(b"x")
    {b'y': 0.5}
    """

    def __init__(self, folder: Any) -> None:
        self.path = Path(folder).expanduser() / FILE_NAME
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ValueError(
                f"memory={str(folder)!r} cannot be used as a folder ({error.strerror}); give the "
                "path of a folder that exists or can be made."
            ) from error
        with self._explained():
            self._base = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None)
        try:
            with self._explained(), self._transaction():  # another process may be making it
                facts = ("PRAGMA application_id", "PRAGMA user_version")
                kind = tuple(self._base.execute(fact).fetchone()[0] for fact in facts)
                tables = self._base.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
                if kind == (0, 0) and tables == 0:
                    for statement in _SCHEMA:
                        self._base.execute(statement)
                elif kind != (APPLICATION, VERSION):
                    raise sqlite3.DatabaseError("it is the database of another program or version")
        except BaseException:
            self._base.close()
            raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn SQLite's errors into a sentence that names the file."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise OSError(
                f"the store of values {self.path} cannot be used: {error}; free it, or give "
                "another folder as memory=."
            ) from error
        except sqlite3.DatabaseError as error:
            raise ValueError(
                f"{self.path} is not a store of values of this package, or is damaged: {error}; "
                "move the file away, or give another folder as memory=."
            ) from error

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._base.execute("BEGIN IMMEDIATE")  # waits for other writers
        try:
            yield
        except BaseException:
            self._base.execute("ROLLBACK")
            raise
        self._base.execute("COMMIT")

    def row(self, x: bytes) -> dict[bytes, float]:
        """Return the kept values of x, by landmark."""
        with self._explained():
            kept = self._base.execute("SELECT l, value FROM pairs WHERE x = ?", (x,)).fetchall()
        return {landmark: value for landmark, value in kept if isinstance(value, float)}

    def put(self, triples: Iterable[tuple[bytes, bytes, float]]) -> None:
        """Keep values, given as (object, landmark, value); on disk when this returns."""
        with self._explained(), self._transaction():
            self._base.executemany("INSERT OR REPLACE INTO pairs VALUES (?, ?, ?)", triples)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._base.close()


class KnownPairs:
    """The part of a store that concerns one function, some rows and some landmarks.

    Parameters
    ----------
    store : Store
    function : bytes
        Its digest.
    rows, landmarks : list of bytes
        Digests of the objects.
    mirrored : bool
        Whether a value stands for the swapped pair as well. Such values are kept apart, so that a
        run that does not assume symmetry never uses them.
    """

    def __init__(
        self,
        store: Store,
        function: bytes,
        rows: list[bytes],
        landmarks: list[bytes],
        mirrored: bool,
    ) -> None:
        self.store, self.rows, self.landmarks, self.mirrored = store, rows, landmarks, mirrored
        self._function = function + b"mirrored" if mirrored else function

    def _key(self, x: bytes) -> bytes:
        return blake2b(self._function + x, digest_size=SIZE).digest()

    def recall(self, out: NDArray[np.float32], need: Mask | None) -> Mask:
        """Write known values of needed pairs to `out`; return which are still needed."""
        need = np.ones(out.shape, dtype=bool) if need is None else need.copy()
        for i, x in enumerate(self.rows):
            known = self.store.row(self._key(x))
            for j in np.flatnonzero(need[i]) if known else ():
                value = known.get(self.landmarks[j])
                if value is not None:
                    out[i, j], need[i, j] = value, False
        return need

    def keep(self, row: int, landmark: int, values: NDArray[np.float64]) -> None:
        """Store the values, which are not NaN, of a tile that begins there."""
        triples = []
        for r, c in zip(*np.nonzero(~np.isnan(values)), strict=True):
            x, y, value = self.rows[row + r], self.landmarks[landmark + c], float(values[r, c])
            triples.append((self._key(x), y, value))
            if self.mirrored:
                triples.append((self._key(y), x, value))
        self.store.put(triples)
