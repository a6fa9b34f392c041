"""Warnings at the line of the user's own code."""

from __future__ import annotations

import re
import sys
import warnings
from typing import Any

CALLERS = ("seamark", "sklearn", "joblib")
"""Packages whose lines are not the user's, and that may call us for the user."""
_told: set[tuple[Any, ...]] = set()


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line of the user's own code, and there once, unless all warnings are asked for.

    Python too shows a warning once per line, but forgets what it has shown whenever filters
    change, as scikit-learn changes them in every fold of a cross-validation. Messages that differ
    by numbers only, such as the size of a fold, are one.
    """
    frame, level = sys._getframe(1), 2
    while frame.f_back and str(frame.f_globals.get("__name__")).split(".")[0] in CALLERS:
        frame, level = frame.f_back, level + 1
    key = (frame.f_code.co_filename, frame.f_lineno, category, re.sub(r"\d+", "", message))
    if key in _told and _is_shown_once(category):
        return
    _told.add(key)
    warnings.warn(message, category, stacklevel=level)


def _is_shown_once(category: type[Warning]) -> bool:
    """Whether the first general filter of a category does not show or raise every warning."""
    actions = (
        action
        for action, text, kind, module, _ in warnings.filters
        if text is None and module is None and issubclass(category, kind)
    )
    return next(actions, "default") in ("default", "module", "once")
