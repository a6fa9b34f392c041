"""How instances of classes are written, and functions: by import path, and by their state."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

from sklearn.base import BaseEstimator
from sklearn.model_selection._search import BaseSearchCV

from ..measures import Measure
from .blocks import require_united
from .classes import class_at, full_name, path_of
from .counts import require_backed
from .errors import ModelFileError
from .own_checks import require_sound
from .sklearn_checks import require_fitted_well

if TYPE_CHECKING:
    from .tree import Reader, Writer

Parts = dict[str, Any]


def write_record(value: Any, writer: Writer, where: str) -> Parts:
    names = [f.name for f in fields(value)] if is_dataclass(value) else value._fields
    state = {name: writer.tree(getattr(value, name), f"{where}.{name}") for name in names}
    return {"class": path_of(type(value)), "state": state}


def read_record(parts: Parts, reader: Reader) -> Any:
    cls = class_at(parts["class"], "record", reader.functions)
    state = reader.named(parts["state"])
    require_sound(cls, state)
    return cls(**state)


def read_named_tuple(parts: Parts, reader: Reader) -> Any:
    cls = class_at(parts["class"], "tuple", reader.functions)
    return cls(**reader.named(parts["state"]))


def write_estimator(value: BaseEstimator, writer: Writer, where: str) -> Parts:
    if isinstance(value, BaseSearchCV):
        raise TypeError(f"{where} is a {type(value).__name__}; save its best_estimator_.")
    state = value.__getstate__()
    if isinstance(state.get("memory"), (str, PathLike)):
        state = {**state, "memory": None}  # a folder belongs to one machine
    require_fitted_well(type(value), state)
    state = {name: writer.tree(part, f"{where}.{name}") for name, part in state.items()}
    return {"class": path_of(type(value)), "state": state}


def read_estimator(parts: Parts, reader: Reader) -> BaseEstimator:
    cls: Any = class_at(parts["class"], "estimator", reader.functions)
    # A file may be older than a parameter of its class.
    state = {**_defaults(cls), **reader.named(parts["state"])}
    _require_known_names(cls, set(state))
    if "n_jobs" in state:
        state["n_jobs"] = _few_workers(cls, state["n_jobs"])
    require_fitted_well(cls, state)
    require_backed(cls, state)
    require_united(cls, state)
    require_sound(cls, state)
    if isinstance(state.get("memory"), str):
        raise ModelFileError(
            f"its {cls.__name__} names a folder for its values, which a saved model may not."
        )
    estimator: BaseEstimator = cls.__new__(cls)
    estimator.__setstate__(state)
    if isinstance(estimator, Measure):
        estimator.check_parameters()
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
    odd |= {name for name in names - parameters if _is_of_the_class(cls, name)}
    if odd:
        raise ModelFileError(f"its {cls.__name__} has {min(odd)[:40]!r}, which is not known here.")


def _is_of_the_class(cls: type, name: str) -> bool:
    """Whether a class has this of its own, such as the kind of a machine: not for files to change.

    What is None there waits for a value, as in files that are older than the attribute.
    """
    return inspect.getattr_static(cls, name, None) is not None


def _few_workers(cls: type, n_jobs: Any) -> int | None:
    """Return how many workers a file may ask for: no more than there are cores here.

    joblib starts as many processes as it is told to, whatever there is to do.
    """
    if n_jobs is not None and type(n_jobs) is not int:
        raise ModelFileError(f"its {cls.__name__} asks for {str(n_jobs)[:20]!r} workers.")
    return None if n_jobs is None else min(n_jobs, os.cpu_count() or 1)


def write_object(value: Any, writer: Writer, where: str) -> Parts:
    state = value.__getstate__() or {}
    if not isinstance(state, dict):
        raise TypeError(f"{where} is a {type(value).__name__}, whose state is no dict of names.")
    state = {name: writer.tree(part, f"{where}.{name}") for name, part in state.items()}
    return {"class": path_of(type(value)), "state": state}


def read_object(parts: Parts, reader: Reader) -> Any:
    cls = class_at(parts["class"], "object", reader.functions)
    state = reader.named(parts["state"])
    odd = [name for name in state if name.startswith("__") or callable(getattr(cls, name, None))]
    if odd:
        raise ModelFileError(f"its {cls.__name__} has {odd[0][:40]!r}, which is not known here.")
    require_sound(cls, state)
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


def read_function(parts: Parts, reader: Reader) -> Any:
    name = parts["name"]
    if name not in reader.functions:
        raise ModelFileError(
            f"it uses the function {name}, which a file cannot hold and which is never imported "
            f"by itself; pass it: load(path, functions={{{name!r}: …}})."
        )
    return reader.functions[name]
