"""Finished values of Python functions, kept in a folder so that a long job can be resumed."""

from __future__ import annotations

import enum
import functools
import pickle
import types
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from copyreg import dispatch_table
from hashlib import blake2b
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

# Not joblib.Memory: it tells functions apart by their names and source text, so that one with
# another closure gets the values of the first. And a pair takes 0.9 ms to keep and 0.3 ms to read
# there; here 0.07 and 0.001.

FILE_NAME = "seamark-values.sqlite"
APPLICATION = 0x5EA3A2C  # marks the file as ours, in its header
VERSION = 1
PATIENCE = 60.0  # seconds to wait for another process that is writing
_SCHEMA = (
    "CREATE TABLE pairs (x BLOB, l BLOB, value REAL NOT NULL, PRIMARY KEY (x, l)) WITHOUT ROWID",
    "CREATE TABLE vectors (x BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID",
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {VERSION}",
)
Mask = NDArray[np.bool_]
Rows = NDArray[np.intp]

SIZE = 16  # bytes; two of 2^40 objects agree by chance once in 10^14 times


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
    """Hash what a thing is and holds; `inside` are the things being hashed around this one."""
    # A function whose closure holds itself, an object in a ring.
    tag, data, parts = ("again", b"", ()) if id(thing) in inside else _content(thing)
    if parts:
        inside |= {id(thing)}
    digests = [_digest(part, inside) for part in parts]
    if tag in ("set", "frozenset"):
        digests.sort()
    h = blake2b(b"%s:%d:%d:" % (tag.encode(), len(data), len(digests)), digest_size=SIZE)
    for piece in (data, *digests):  # after their lengths no two sequences read the same
        h.update(piece)
    return h.digest()


Content = tuple[str, bytes, Iterable[Any]]
"""What a thing is, its bytes, and the things that it holds."""


def _content(thing: Any) -> Content:  # noqa: PLR0911, PLR0912  # a table of types
    kind = type(thing)
    if kind is str:
        return "str", thing.encode("utf-8", "surrogatepass"), ()
    if kind is bytes:
        return "bytes", thing, ()
    if kind in (bool, int):
        return kind.__name__, b"%x" % thing, ()
    if kind in (float, complex):
        return kind.__name__, np.array(thing, np.complex128).tobytes(), ()
    if thing is None:
        return "None", b"", ()
    if kind in (tuple, list, set, frozenset):
        return kind.__name__, b"", thing
    if kind is dict:  # in its order: functions see it
        return "dict", b"", [part for item in thing.items() for part in item]
    if kind in (np.ndarray, np.memmap):
        shape = f"{thing.dtype!r}{thing.shape}".encode()
        if thing.dtype.hasobject:
            return "array", shape, thing.ravel().tolist()
        return "array", shape + thing.tobytes(), ()
    if isinstance(thing, np.generic):
        return "number", repr(thing.dtype).encode() + thing.tobytes(), ()
    if sparse.issparse(thing):
        rows = thing.tocsr().sorted_indices()
        return "sparse", b"", (rows.shape, rows.indptr.tolist(), rows.indices.tolist(), rows.data)
    if isinstance(thing, enum.Enum):
        return "enum", b"", (kind.__qualname__, thing.name, thing.value)
    if isinstance(thing, types.ModuleType):
        return "module", thing.__name__.encode(), ()
    if isinstance(thing, type):
        return _class_content(thing)
    if callable(thing) or kind in (types.CodeType, functools.partialmethod):
        content = _function_content(thing)
        if content is not None:
            return content
    own = getattr(kind, "__reduce_ex__", None), getattr(kind, "__reduce__", None)
    if kind in dispatch_table or own != (object.__reduce_ex__, object.__reduce__):
        return "pickle", pickle.dumps(thing, protocol=4), ()
    # Class name and state: unlike a pickle, the same for equal parts shared or not.
    name = f"{kind.__module__}.{kind.__qualname__}".encode()
    _, (_, *arguments), state, items, entries = (*thing.__reduce_ex__(4), None, None, None)[:5]
    held = _named(state) if isinstance(state, dict) else state  # with slots: a tuple
    return "object", name, (arguments, list(items or ()), list(entries or ()), held)


def _function_content(f: Any) -> Content | None:
    """Return the content of a function, or of what is made of one; None: it is of another class."""
    match f:
        case types.CodeType():
            names = (f.co_names, f.co_varnames, f.co_freevars, f.co_cellvars)
            counts = (f.co_argcount, f.co_kwonlyargcount, f.co_posonlyargcount, f.co_flags)
            return "code", f.co_code, (names, counts, f.co_consts)
        case types.FunctionType():
            cells = [
                () if cell == types.CellType() else (cell.cell_contents,)  # a name not bound yet
                for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True)
                if name != "__class__"  # what `super()` needs: the class around, hashed if at all
            ]
            defaults = (f.__defaults__, f.__kwdefaults__)
            parts = (f.__module__, f.__qualname__, f.__code__, *defaults, cells, _named(vars(f)))
            return "function", b"", parts
        case types.MethodType():
            return "method", b"", (f.__func__, type(f.__self__), f.__self__)
        case functools.partial() | functools.partialmethod():
            return "partial", b"", (f.func, f.args, _named(f.keywords), _named(vars(f)))
        case functools._lru_cache_wrapper():
            return "cached", b"", _named(vars(f))  # `__wrapped__` is one
    # numba's compiled functions
    return ("compiled", b"", (f.py_func,)) if hasattr(f, "py_func") else None


def _named(things: dict[str, Any]) -> list[Any]:
    """Return names and what they stand for: attributes, keywords, in no order."""
    return sorted(things.items(), key=lambda item: str(item[0]))


def _class_content(cls: type) -> Content:
    """Return what a class holds, with its bases: its code as far as it is Python, and constants."""
    parts: list[Any] = []
    for base in cls.__mro__:
        for name, given in sorted(vars(base).items()):
            member = given.__func__ if isinstance(given, (staticmethod, classmethod)) else given
            member = member.fget if isinstance(member, property) else member
            member = member.func if isinstance(member, functools.cached_property) else member
            # Other classes stay names.
            own = (
                not isinstance(member, type) or member.__qualname__ == f"{cls.__qualname__}.{name}"
            )
            attribute = own and not name.startswith("__") and not isinstance(member, _DESCRIPTORS)
            if attribute or isinstance(member, types.FunctionType):
                parts += [name, member if _has_content(member) else type(member).__qualname__]
    return "class", f"{cls.__module__}.{cls.__qualname__}".encode(), parts


def _has_content(member: Any) -> bool:
    """Tell whether a member of a class can be hashed; locks and the like cannot."""
    try:
        _content(member)
    except Exception:
        return False
    return True


_DESCRIPTORS = (
    types.MemberDescriptorType,
    types.GetSetDescriptorType,
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
    types.BuiltinFunctionType,
)


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
        import sqlite3  # not at the top: most work keeps no values

        with self._explained():
            self._base = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None)
        try:
            with self._transaction():  # another process may be making it
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
        import sqlite3

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
        """Wait for other writers, and write all or nothing."""
        with self._explained(), self._base:
            self._base.execute("BEGIN IMMEDIATE")
            yield

    def row(self, x: bytes) -> dict[bytes, float]:
        """Return the kept values of x, by landmark."""
        with self._explained():
            kept = self._base.execute("SELECT l, value FROM pairs WHERE x = ?", (x,)).fetchall()
        return {landmark: value for landmark, value in kept if isinstance(value, float)}

    def put(self, triples: Iterable[tuple[bytes, bytes, float]]) -> None:
        """Keep values, given as (object, landmark, value); on disk when this returns."""
        with self._transaction():
            self._base.executemany("INSERT OR REPLACE INTO pairs VALUES (?, ?, ?)", triples)

    def vector(self, x: bytes) -> NDArray[np.float32] | None:
        """Return the kept vector of x; None: there is none."""
        with self._explained():
            query = "SELECT vector FROM vectors WHERE x = ?"
            kept = self._base.execute(query, (x,)).fetchone()
        return None if kept is None else np.frombuffer(kept[0], dtype="<f4")

    def put_vectors(self, pairs: Iterable[tuple[bytes, NDArray[np.float32]]]) -> None:
        """Keep vectors, given as (object, vector); on disk when this returns."""
        rows = ((x, vector.astype("<f4").tobytes()) for x, vector in pairs)
        with self._transaction():
            self._base.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)

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

    def keep(self, rows: Rows, columns: Rows, values: NDArray[np.float64]) -> None:
        """Store values of pairs of rows and landmarks."""
        triples = []
        for r, c, value in zip(rows.tolist(), columns.tolist(), values.tolist(), strict=True):
            x, y = self.rows[r], self.landmarks[c]
            triples.append((self._key(x), y, value))
            if self.mirrored:
                triples.append((self._key(y), x, value))
        self.store.put(triples)
