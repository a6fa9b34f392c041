"""What goes wrong with a measure, and where; warnings at the user's line."""

from __future__ import annotations

import re
import sys
import warnings
from typing import Any, Self


class MeasureError(RuntimeError):
    """A Python function failed on a pair of objects, or returned what is no finite number.

    The message names the row of X and the landmark; what the function raised is ``__cause__``.
    """


class PairError(ValueError):
    """A row, or a row and a landmark, that cannot be compared.

    A plan numbers them as it sees them; the executor adds where its chunk begins.

    Parameters
    ----------
    text : str
        A sentence with ``{row}`` in it, and perhaps ``{landmark}``.
    row, landmark : int
        Their numbers.

    Examples
    --------
    >>> print(PairError("row {row} is longer than landmark {landmark}.", 2, 7).named(102, 7))
    row 102 is longer than landmark 7.
    """

    def __init__(self, text: str, row: int, landmark: int = 0) -> None:
        super().__init__(text, row, landmark)
        self.text, self.row, self.landmark = text, row, landmark

    def __str__(self) -> str:
        return self.text.format(row=self.row, landmark=self.landmark)

    def named(self, row: int, landmark: int) -> Self:
        """Return the same error with other numbers."""
        return type(self)(self.text, row, landmark)


class SlowMeasureWarning(UserWarning):
    """The calls still to come are estimated to take long; says how long, and what would help."""


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
