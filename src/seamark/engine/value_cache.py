"""Finished values of Python functions, kept in a folder so that a long job can be resumed."""

from __future__ import annotations

import enum
import functools
import pickle
import sqlite3
import time
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from copyreg import dispatch_table
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..data.hashing import mixed_bits
from .python_calls import Mask, Region, Tile, name_of, objects
from .settings import settings

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
    how = _HOW.get(type(thing))
    if how is not None:
        how(h, thing, inside)
    elif id(thing) in inside:  # a function whose closure holds itself, an object in a ring
        _put(h, b"again", b"")
    else:
        _feed_other(h, thing, inside | {id(thing)})


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
    around = inside | {id(things)}
    if id(things) in inside:
        _put(h, b"again", b"")
    else:
        _many(h, type(things).__name__.encode(), things, around)


def _unordered(h: _Hash, things: Any, inside: frozenset[int]) -> None:
    if id(things) in inside:
        _put(h, b"again", b"")
        return
    around = inside | {id(things)}
    parts = sorted(_digest(entry, around) for entry in things)
    _put(h, type(things).__name__.encode(), b"".join(parts))


def _dictionary(h: _Hash, things: dict[Any, Any], inside: frozenset[int]) -> None:
    """Hash entries in their order, which a function can see."""
    if id(things) in inside:
        _put(h, b"again", b"")
    else:
        _many(h, b"dict", things.items(), inside | {id(things)})


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
    if id(f) in inside:
        _put(h, b"again", b"")
        return
    cells = [
        _cell(cell)
        for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True)
        if name != "__class__"  # what `super()` needs: the class around, hashed there if at all
    ]
    parts = (f.__module__, f.__qualname__, f.__code__, f.__defaults__, f.__kwdefaults__, cells)
    _many(h, b"function", parts, inside | {id(f)})
    _names(h, vars(f), inside | {id(f)})


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
    if id(p) in inside:
        _put(h, b"again", b"")
        return
    _many(h, b"partial", (p.func, p.args), inside)
    _names(h, p.keywords, inside)
    _names(h, vars(p), inside | {id(p)})


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
    dict: _dictionary,
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


# Values of earlier runs, found in a store by the content of function and objects.


class Memory:
    """The part of a store that concerns one function, some rows and some landmarks."""

    def __init__(self, store: Store, f: int, rows: Ids, landmarks: Ids, mirrored: bool) -> None:
        self.store = store
        self.f = f
        self.rows = rows
        self.landmarks = landmarks
        self.mirrored = mirrored
        # Equal landmarks share a number, and so a value.
        self._different, self._which = np.unique(landmarks, return_inverse=True)

    def recall(self, region: Region, out: NDArray[np.float32]) -> Mask:
        """Write known values to `out`; return which ones of the region are still needed."""
        need = np.zeros(out.shape, dtype=bool)
        for i, (x, first, last) in enumerate(
            zip(self.rows, region.first, region.last, strict=True)
        ):
            values = self._values(x)[self._which[first:last]]
            known = ~np.isnan(values)
            out[i, : last - first][known] = values[known]
            need[i, : last - first] = ~known
        return need

    def _values(self, x: int) -> NDArray[np.float64]:
        """Return the values of object x against the different landmarks, NaN if unknown."""
        values = np.full(len(self._different), np.nan)
        landmarks, stored = self.store.row(self.f, x)
        where = np.searchsorted(self._different, landmarks)
        ours = where < len(self._different)
        ours[ours] = self._different[where[ours]] == landmarks[ours]
        values[where[ours]] = stored[ours]
        return values

    def keep(self, tile: Tile, values: NDArray[np.float64]) -> None:
        """Store the values of a tile that are not NaN."""
        r, s = np.nonzero(~np.isnan(values))
        x = self.rows[tile.a + r].tolist()
        landmarks = self.landmarks[tile.c + s].tolist()
        numbers = values[r, s].tolist()
        triples = list(zip(x, landmarks, numbers, strict=True))
        if self.mirrored:
            triples += zip(landmarks, x, numbers, strict=True)
        self.store.put(self.f, triples)


@contextmanager
def remembering(
    folder: Any, f: Callable[..., Any], X: Any, L: Any, *, mirrored: bool
) -> Iterator[Memory | None]:
    """Open the memory of a function in a folder, for rows X and landmarks L; None: no folder.

    `mirrored`: a value stands for the swapped pair as well. Such values are kept apart, so that
    a run that does not assume symmetry never uses them.
    """
    if folder is None:
        yield None
        return
    function = _function_memory(f)
    landmarks = _digests(L, "landmark", "")
    rows = landmarks if X is L else _digests(X, "row", " of X")
    with Store(folder) as store:
        f_id = int(store.ids([function + b"mirrored" if mirrored else function])[0])
        yield Memory(store, f_id, store.ids(rows), store.ids(landmarks), mirrored)


def _function_memory(f: Callable[..., Any]) -> bytes:
    try:
        return digest_function(f)
    except Exception as error:
        raise TypeError(
            f"memory= cannot tell {name_of(f)} from other functions, because something it holds "
            f"has no stable content ({error}); leave memory= out, or give a plain function."
        ) from error


def _digests(X: Any, one: str, of: str) -> list[bytes]:
    found: list[bytes] = []
    for x in _one_by_one(X):
        try:
            found.append(digest(x))
        except Exception as error:
            raise TypeError(
                f"memory= cannot recognise {one} {len(found)}{of} again, a {type(x).__name__} "
                f"without stable content ({error}); leave memory= out, or give plain objects."
            ) from error
    return found


def _one_by_one(X: Any) -> Iterable[Any]:
    few = settings().taken_rows
    for start in range(0, X.shape[0], few):
        yield from objects(X[start : start + few])


# A small database of finished values, so that a long job can be resumed.


FILE_NAME = "seamark-values-2.sqlite"  # version 1 had no checks, and a file of its own
APPLICATION = 0x5EA3A2C  # marks the file as ours, in its header
VERSION = 2
PATIENCE = 60.0  # seconds to wait for another process that is writing

_SCHEMA = f"""
CREATE TABLE things (id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE);
CREATE TABLE pairs (f INTEGER, x INTEGER, l INTEGER, value REAL NOT NULL, sum INTEGER,
                    PRIMARY KEY (f, x, l)) WITHOUT ROWID;
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};
"""

Ids = NDArray[np.int64]


class Store:
    """Values by (function, object, landmark), in one SQLite file; several processes may share it.

    Every value is kept with a checksum of itself and of the digests it belongs to. One that does
    not agree, because bits of the file have changed, is not given out.

    Parameters
    ----------
    folder : path
        Made if it does not exist; the file inside is ``seamark-values-2.sqlite``.

    Attributes
    ----------
    n_damaged : int
        Values met so far whose checksum did not agree.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store(folder) as store:
    ...     f, x, y = store.ids([b"f", b"x", b"y"])
    ...     store.put(f, [(x, y, 0.5)])
    ...     store.row(f, x)
    (array([3]), array([0.5]))
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
        self.n_damaged = 0
        self._keys: dict[int, int] = {}  # of the things asked for, by number
        with self._explained():
            self._base = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None)
        try:
            with self._explained():
                self._open()
        except BaseException:
            self._base.close()
            raise

    def _open(self) -> None:
        """Recognise our file, or make it; two processes may do so at once."""
        # Three questions about one state of the file: another process may be making it.
        with self._transaction("DEFERRED"):
            ours = self._is_ours()
        if not ours:
            with self._transaction():
                if not self._is_ours():  # another process may have been first
                    for statement in filter(str.strip, _SCHEMA.split(";")):
                        self._base.execute(statement)
        self._base.text_factory = bytes  # damaged numbers may look like text
        self._use_wal()
        self._base.execute("PRAGMA synchronous = NORMAL")  # with WAL: never corrupt

    def _is_ours(self) -> bool:
        """Return whether the file is ours; False if it is empty; complain if neither."""
        application, version, tables = (
            self._base.execute(question).fetchone()[0]
            for question in (
                "PRAGMA application_id",
                "PRAGMA user_version",
                "SELECT count(*) FROM sqlite_master",
            )
        )
        if (application, version) == (APPLICATION, VERSION):
            return True
        if application == 0 and tables == 0:
            return False
        raise sqlite3.DatabaseError("it is the database of another program or version")

    def _use_wal(self) -> None:
        """Let readers and a writer work at once; SQLite itself does not wait to switch."""
        patience = time.monotonic() + PATIENCE
        while True:
            try:
                self._base.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError:
                if time.monotonic() > patience:
                    raise
                time.sleep(0.05)

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
    def _transaction(self, kind: str = "IMMEDIATE") -> Iterator[None]:
        self._base.execute(f"BEGIN {kind}")
        try:
            yield
        except BaseException:
            self._base.execute("ROLLBACK")
            raise
        self._base.execute("COMMIT")

    def ids(self, digests: Sequence[bytes]) -> Ids:
        """Return a number for each digest, which stays the same."""
        ask = "SELECT id FROM things WHERE digest = ?"
        with self._explained(), closing(self._base.cursor()) as cursor:
            found = [cursor.execute(ask, (digest,)).fetchone() for digest in digests]
            new = {digest for digest, row in zip(digests, found, strict=True) if row is None}
            if new:
                with self._transaction():
                    cursor.executemany(
                        "INSERT OR IGNORE INTO things (digest) VALUES (?)",
                        ((digest,) for digest in digests if digest in new),
                    )
                found = [
                    row or cursor.execute(ask, (digest,)).fetchone()
                    for digest, row in zip(digests, found, strict=True)
                ]
            for digest, row in zip(digests, found, strict=True):
                key = _key(digest)
                if row is None or self._keys.setdefault(row[0], key) != key:
                    raise sqlite3.DatabaseError("its numbers of objects are mixed up")
        return np.array([row[0] for row in found], dtype=np.int64)

    def row(self, f: int, x: int) -> tuple[Ids, NDArray[np.float64]]:
        """Return the landmarks that object x has values for, rising, and the values.

        Only landmarks that `ids` was asked for: others cannot be checked.
        """
        with self._explained():
            ask = "SELECT l, value, sum FROM pairs WHERE f = ? AND x = ? ORDER BY l"
            rows = self._base.execute(ask, (int(f), int(x))).fetchall()
        rows = [row for row in rows if row[0] in self._keys]
        sound = [row for row in rows if type(row[1]) is float and type(row[2]) is int]
        landmarks = np.array([row[0] for row in sound], dtype=np.int64)
        values = np.array([row[1] for row in sound], dtype=np.float64)
        sums = np.array([row[2] for row in sound], dtype=np.int64)
        good = sums == self._sums(f, [x] * len(sound), landmarks.tolist(), values)
        if len(rows) > good.sum():
            self._forget(f, x, {row[0] for row in rows} - set(landmarks[good].tolist()))
        return landmarks[good], values[good]

    def _forget(self, f: int, x: int, landmarks: set[int]) -> None:
        """Remove damaged values, so that they are not found again."""
        self.n_damaged += len(landmarks)
        rows = ((int(f), int(x), landmark) for landmark in landmarks)
        with self._explained(), self._transaction():
            self._base.executemany("DELETE FROM pairs WHERE f = ? AND x = ? AND l = ?", rows)

    def put(self, f: int, triples: Sequence[tuple[int, int, float]]) -> None:
        """Keep values, given as (object, landmark, value); on disk when this returns."""
        if not triples:
            return
        xs, landmarks, numbers = zip(*triples, strict=True)
        values = np.array(numbers, dtype=np.float64) + 0.0  # the file does not know −0
        sums = self._sums(f, xs, landmarks, values).tolist()
        of = ([int(f)] * len(xs), map(int, xs), map(int, landmarks))
        rows = zip(*of, values.tolist(), sums, strict=True)
        with self._explained(), self._transaction():
            self._base.executemany("INSERT OR REPLACE INTO pairs VALUES (?, ?, ?, ?, ?)", rows)

    def _sums(
        self, f: int, xs: Sequence[int], landmarks: Sequence[int], values: NDArray[np.float64]
    ) -> Ids:
        """Return the checksum of each value, and of what it is the value of."""
        of_rows = np.array([self._keys[int(x)] for x in xs], dtype=np.uint64)
        of_landmarks = np.array([self._keys[int(lm)] for lm in landmarks], dtype=np.uint64)
        mixed = np.full(len(values), self._keys[int(f)], dtype=np.uint64)
        for part in (of_rows, of_landmarks, values.view(np.uint64)):
            mixed = mixed_bits(mixed ^ part)
        return mixed.view(np.int64)

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _key(digest: bytes) -> int:
    """Return 64 bits that stand for a digest."""
    return int.from_bytes(blake2b(digest, digest_size=8).digest(), "little")
