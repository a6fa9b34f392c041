"""Strings against substrings: how well a short piece fits anywhere in a string."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..data import Domain, Ragged, Substrings, marks, strings, with_ends
from .base import Measure
from .strings import TextPlan


class Substring(Measure):
    r"""Smallest edit distance of a landmark to any substring of the string. Exact.

    Landmarks are *parts* of strings, so the measure is not symmetric: a long string that holds
    the landmark somewhere is at distance 0.

    Parameters
    ----------
    ends : bool, default=True
        Mark where strings begin and end, so that a landmark can ask for it: "␂sea" fits where a
        string begins with "sea", "mark␃" where it ends with "mark" (of bytes: ``b"\x02sea"`` and
        ``b"mark\x03"``). To landmarks without such marks it makes no difference.

    Examples
    --------
    >>> Substring().cross(["seamark", "oversea"], ["sea", "sae", "␂sea", "sea␃"])
    array([[0., 1., 0., 1.],
           [0., 1., 1., 0.]], dtype=float32)
    """

    name: ClassVar[str] = "substring"
    domain = strings
    kind = "distance"
    bounds = (0.0, np.inf)
    symmetric = False

    def __init__(self, ends: bool = True) -> None:
        self.ends = ends

    @property
    def landmark_domain(self) -> Domain:
        """Substrings, with or without marks of ends."""
        return Substrings(ends=bool(self.ends))

    def check_parameters(self) -> None:
        """Require a yes or no."""
        if not isinstance(self.ends, (bool, np.bool_)):
            raise ValueError(f"ends must be True or False, not {self.ends!r}.")

    def compile(self, L: Ragged) -> engine.Plan:
        """Lay the landmarks out in lanes."""
        kernel = partial(engine.backend().strings, "substring")
        return (_Framed if self.ends else _Pieces)(L, kernel)


class _Pieces(TextPlan):
    """No value is above the landmark's length: all of it is inserted then."""

    def largest(self, X: Ragged) -> int:
        """Return the longest length of a landmark."""
        return self.longest


class _Framed(_Pieces):
    """Marks are codes like others: texts need not be wider to hold them."""

    def encoded(self, X: Ragged) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        start, end = self.encode(np.array(marks(X), np.uint16))
        codes, offsets = super().encoded(X)
        return with_ends(codes, offsets, int(start), int(end))
