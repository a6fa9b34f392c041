"""Names that were better once: they work for one more version, and say what to write now."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

from .user_warnings import warn_user


def warn_of_old_name(old: str, new: str) -> None:
    """Warn that a name has changed, at the user's line."""
    warn_user(f"{old} is now {new}; the old name will be removed in version 0.3.", FutureWarning)


def old_names(module: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a module's `__getattr__`: old names lead to new ones, with a warning.

    Parameters
    ----------
    module : str
        Its ``__name__``.
    names : mapping
        From old names to new ones.
    """

    def __getattr__(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        warn_of_old_name(f"{module}.{name}", f"{module}.{names[name]}")
        return getattr(sys.modules[module], names[name])

    return __getattr__


def renamed_parameter(estimator: Any, old: str, new: str) -> Any:
    """Return a parameter that has a new name; if it was given by its old name, warn.

    Parameters
    ----------
    estimator : estimator
        With a parameter of either name; the old one is None unless it was given.
    old, new : str
    """
    given = getattr(estimator, old)
    if given is None:
        return getattr(estimator, new)
    warn_of_old_name(f"{type(estimator).__name__}({old}=…)", f"{new}=")
    return given
