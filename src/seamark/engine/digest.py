"""Digests of objects and of functions: equal content, equal digest, in any process."""

from __future__ import annotations

import enum
import functools
import pickle  # only ever dumped
import types
from collections.abc import Callable, Iterable
from copyreg import dispatch_table
from hashlib import blake2b
from typing import Any, Protocol

import numpy as np
from scipy import sparse

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
