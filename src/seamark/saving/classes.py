"""Which classes a file may name: ours, some of scikit-learn's, and what the caller brings."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from importlib import import_module
from typing import Any

from sklearn.base import BaseEstimator

from ..data import Ragged
from .errors import ModelFileError
from .sklearn_checks import FITTED

PACKAGE = "seamark"
CLOSED_ROOMS = {"__main__", "checks", "cli", "datasets", "displays", "engine", "saving"}
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
    "record": lambda cls: is_dataclass(cls) and cls is not Ragged,
    "tuple": is_named_tuple,
    "object": lambda cls: is_ours(cls) and not is_dataclass(cls) and not is_named_tuple(cls),
}
"""How a file may make an instance. Each kind has checks of its own: none stands for another."""
