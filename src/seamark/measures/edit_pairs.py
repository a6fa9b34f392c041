"""Pairs of strings within a number of edits."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import engine
from ..data import Ragged
from .base import FoundPairs
from .strings import TextPlan

LONGEST = 1 << 14
"""Characters of a string that the kernel takes."""


def edits_within(X: Ragged, Y: Ragged | None, radius: float, **options: Any) -> FoundPairs | None:
    """Pairs of strings within so many edits; None where some are too long for the kernel.

    Examples
    --------
    >>> from seamark.data import strings
    >>> edits_within(strings.ingest(["sea", "mark", "see"]), None, 1.5, most=100)
    (array([0]), array([2]), array([1.], dtype=float32))
    """
    both = [X] if Y is None else [X, Y]
    longest = max(int(one.lengths.max()) for one in both)
    if longest > LONGEST:
        return None
    empty = np.empty(0, dtype=np.intp)
    if radius < 0:
        return empty, empty, empty.astype(np.float32)
    limit = int(min(radius, longest))
    orders = [np.argsort(one.lengths, kind="stable") for one in both]
    coded = TextPlan(X[orders[0]], lambda *texts: texts)
    codes, offsets, n_symbols = coded.plan
    others = None if Y is None else coded.encoded(Y[orders[1]])
    a, b, edits = engine.edit_pairs((codes, offsets), n_symbols, limit, others=others, **options)
    left, right = orders[0][a], orders[-1][b]
    if Y is None:
        left, right = np.minimum(left, right), np.maximum(left, right)
    return left, right, edits.astype(np.float32)
