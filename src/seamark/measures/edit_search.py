"""The nearest strings by edits, each comparison given up as early as it can be."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..data import Ragged
from .base import FoundNear
from .edit_pairs import LONGEST
from .strings import TextPlan

TEXT_SECONDS = 4e-9  # per text that a query is held against
STEP_SECONDS = 1e-9  # per symbol of a text that is compared, and word of the query
TRIAL = 8
"""Queries after which it is known whether letters rule enough texts out."""


class EditSearch:
    """Strings to be searched by Levenshtein's distance.

    Lengths and letters bound edits from below. Strings are compared in the order of these bounds,
    eight at a time, until no bound is as small as the last of the nearest; a comparison ends where
    it must exceed that.

    Parameters
    ----------
    X : Ragged
        At most `LONGEST` characters each.
    search : callable
        The backend's `edit_search`.

    Examples
    --------
    >>> from seamark.data import strings
    >>> words = strings.ingest(["seamark", "sea", "mark", "see"])
    >>> cutoffs = np.array([np.inf], dtype=np.float32)
    >>> found = EditSearch.of(words).near(strings.ingest(["seal"]), cutoffs, 2)
    >>> [one.tolist() for one in found]
    [[2], [1, 3], [1.0, 2.0]]
    """

    def __init__(self, X: Ragged, search: Callable[..., engine.EditSearchPlan]) -> None:
        order = np.argsort(X.lengths, kind="stable")
        self.texts = TextPlan(X[order], lambda *texts: search(*texts[:2], order, texts[2]))
        self.n = len(X)
        self.tried, self.spent, self.instead = 0, 0.0, 0.0
        """Queries; their estimated seconds; those of comparing with all texts instead."""

    @classmethod
    def of(cls, X: Ragged) -> EditSearch | None:
        """Return a search; None where it would not be quicker than all values."""
        search = engine.backend().edit_search
        if search is None or int(X.lengths.max(initial=0)) > LONGEST:
            return None
        return cls(X, search)

    def suits(self, queries: Ragged, cutoffs: NDArray[np.float32], most: int | None) -> int:
        """See `seamark.measures.base.Search`."""
        n = len(queries)
        if int(queries.lengths.max(initial=0)) > LONGEST:
            return 0
        if 3 * cutoffs.mean() < queries.lengths.mean():  # comparisons end early
            return n
        if most is None or 4 * most > self.n:
            return 0
        if self.tried < TRIAL:
            return min(n, TRIAL)
        return n if self.spent <= self.instead else 0

    def near(
        self,
        queries: Ragged,
        cutoffs: NDArray[np.float32],
        most: int | None,
        n_jobs: int | None = None,
    ) -> FoundNear:
        """See `seamark.measures.base.Search`."""
        limits = np.clip(cutoffs, -1, LONGEST).astype(np.int32)
        wanted = self.n if most is None else min(most, self.n)
        texts, n = self.texts, len(queries)
        instead = 1.3 * float(texts.seconds(queries).sum()) + n * self.n * TEXT_SECONDS
        counts, rows, edits, steps = engine.edits_near(
            texts.plan, texts.encoded(queries), limits, wanted, instead / max(1, n), n_jobs
        )
        if wanted < self.n:
            self.tried += n
            self.spent += (steps * STEP_SECONDS + n * self.n * TEXT_SECONDS) * texts.slowness
            self.instead += instead
        return counts, rows, edits.astype(np.float32)
