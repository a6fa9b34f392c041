"""Landmarks that are not rows: generated objects, parts of objects, pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Literal

import numpy as np

from .. import engine
from ..data import distinct
from ..measures import Measure
from ..targets import require_targets, shuffled
from ..validation import require_bounded
from .base import (
    NOT_A_ROW,
    Landmarks,
    Strategy,
    Stratified,
    Uniform,
    groups_in,
    wants_parts,
)

# Random objects by domain: few of the sizes and scales that D2KE's authors try, and that won. The
# paper may be read as strings of one length; long ones serve better where letters have places.
SIZES: dict[str, Any] = {
    "strings": ((2, 5), (2, 10), (2, 20), (2, 50), (50, 50)),
    "series": ((2, 10), (2, 30), (2, 80)),
    "sets": ((3, 5), (3, 15)),
}
SCALES = {"series": (0.5, 1.0, 2.0), "vectors": (0.5, 1.0, 2.0)}


@dataclass(eq=False, repr=False)
class Generated(Strategy):
    """Random objects, as D2KE's: strings, series, sets and vectors that nobody has seen.

    Parameters
    ----------
    sizes : tuple of int or "auto", optional
        Smallest and largest length or size; default: the domain's. "auto" leaves the choice to a
        model's tuning, and means the default without one.
    scale : float or "auto", default=1
        Scale of random numbers in series, sets and vectors; "auto" as above.
    sampler : callable, optional
        ``sampler(n, rng, like=X) -> objects``, to draw them in a way of your own.
    """

    sizes: tuple[int, int] | Literal["auto"] | None = None
    scale: float | Literal["auto"] = 1.0
    sampler: Callable[..., Any] | None = None

    name = "generated"

    def choices(self, domain: str) -> list[Strategy]:
        """Return several sizes and scales, if these are open.

        Examples
        --------
        >>> len(Generated(sizes="auto", scale="auto").choices("series"))
        9
        >>> Generated(scale="auto").choices("strings")
        [Generated()]
        """
        if self.sampler is not None:
            return [self]
        sizes = SIZES.get(domain, (None,)) if self.sizes == "auto" else (self.sizes,)
        scales = SCALES.get(domain, (1.0,)) if self.scale == "auto" else (self.scale,)
        return [Generated(size, scale) for size, scale in product(sizes, scales)]

    def choose(
        self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator
    ) -> Landmarks:
        """Draw n objects."""
        require_bounded(type(self), vars(self))  # of a mixture, too
        if self.sampler is not None:
            drawn = self.sampler(n, rng, like=X)
            return Landmarks(measure.landmark_domain.ingest(drawn, like=X))
        if measure.compares_parts:
            raise wants_parts(measure, self)
        sizes = None if self.sizes == "auto" else self.sizes
        scale = 1.0 if self.scale == "auto" else self.scale
        drawn = measure.domain.draw(n, rng, like=X, sizes=sizes, scale=scale)
        return Landmarks(drawn)


@dataclass(eq=False, repr=False)
class Mixed(Strategy):
    """Rows of X and random objects together: a pool, to be chosen among later.

    Rows are half of the landmarks, or all rows there are; random objects fill it up. Where none
    can be drawn (of unknown type, from a matrix of values), rows take their place.

    Parameters
    ----------
    rows : Strategy, optional
        Chooses the rows; default `Uniform`.
    generated : list of Strategy, optional
        Draw the random objects, each an equal part; default one `Generated`.
    size : int, optional
        How many in all; default: the number of landmarks asked for.

    Examples
    --------
    >>> from seamark.measures import Levenshtein
    >>> words = Levenshtein().domain.ingest(["sea", "tea", "mark"])
    >>> pool = Mixed().choose(words, None, Levenshtein(), 10, np.random.default_rng(0))
    >>> len(pool), sorted(pool.indices.tolist())[-4:]
    (10, [-1, 0, 1, 2])
    """

    rows: Strategy | None = None
    generated: list[Strategy] | None = None
    size: int | None = None

    name = "mixed"

    def choose(
        self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator
    ) -> Landmarks:
        """Choose rows, and draw the rest; in random order, so that the first are a fair sample."""
        n = self.size or n
        drawn = measure.domain.can_draw(X) and n > 1
        pool = (self.rows or Uniform()).choose(X, y, measure, n // 2 if drawn else n, rng)
        if not drawn or pool.sources is None:
            return pool
        samplers = self.generated or [Generated()]
        objects, sources = pool.objects, pool.sources
        parts = np.array_split(np.arange(n - len(pool)), len(samplers))
        for sampler, part in zip(samplers, parts, strict=True):
            if len(part):
                more = sampler.choose(X, y, measure, len(part), rng)
                objects = measure.domain.joined(objects, more.objects)
        order = rng.permutation(n)
        sources = np.r_[sources, np.full(n - len(pool), NOT_A_ROW)]
        return Landmarks(objects[order], sources[order])


# Landmarks that are parts of rows: windows of series, substrings, members of sets.


SECOND_DRAW = 4  # times as many, where equal parts left too few


class Parts(Strategy):
    """Random parts of the rows, for a measure that compares objects with parts of such.

    What a part is, and how it is cut, the measure's `landmark_domain` knows. Each part has the row
    it was cut from as its source: a fold that holds this row, or an equal one, does without the
    part. Of equal parts one is kept.

    With more rows than `engine.settings().hashed_from` parts are cut from those rows that have the
    smallest hashes of a seed and the object, a few times as many as parts.
    """

    name = "parts"

    def choose(
        self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator
    ) -> Landmarks:
        """Cut n parts that differ, or as many as two draws find."""
        if not measure.compares_parts:
            raise ValueError(
                f"{measure!r} compares {measure.domain.name} with {measure.domain.name}, so "
                'landmarks are whole objects; take landmarks="uniform", or a measure of parts.'
            )
        chosen = self._cut(X, measure, n, n, rng)
        return chosen if len(chosen) == n else self._cut(X, measure, SECOND_DRAW * n, n, rng)

    def _cut(
        self, X: Any, measure: Measure, drawn: int, n: int, rng: np.random.Generator
    ) -> Landmarks:
        rows = None
        if X.shape[0] > engine.settings().hashed_from:
            # In an order that depends on the objects only.
            kinds = groups_in(X, measure.domain)
            (order,) = shuffled([distinct(np.arange(X.shape[0]), kinds)], kinds, rng)
            rows = order[: SECOND_DRAW * n]
        parts, sources = measure.landmark_domain.cut(X if rows is None else X[rows], drawn, rng)
        kept = distinct(np.arange(parts.shape[0]), measure.landmark_domain.groups(parts))[:n]
        sources = np.asarray(sources, np.intp)[kept]
        return Landmarks(parts[kept], sources if rows is None else rows[sources], are_parts=True)


# Pairs of landmarks of different classes.


@dataclass(eq=False, repr=False)
class LandmarkPairs(Strategy):
    """Pairs of landmarks of different classes; a value is K(x, l⁺) − K(x, l⁻).

    The number of landmarks then counts pairs. They are drawn with replacement from rows that
    another strategy chooses.

    Parameters
    ----------
    of : Strategy, optional
        Chooses the rows, as many as pairs; default `Stratified`.
    """

    of: Strategy | None = None

    name = "pairs"

    def choose(
        self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator
    ) -> Landmarks:
        """Choose rows, then pair them across classes."""
        require_targets(y)
        if y is None or len(np.unique(y)) < 2:
            raise ValueError("landmark pairs need labels of at least two classes.")
        pool = (self.of or Stratified()).choose(X, y, measure, n, rng)
        if pool.sources is None or NOT_A_ROW in pool.sources:
            raise ValueError("landmark pairs need landmarks with labels: rows of X or parts.")
        labels = np.asarray(y)[pool.sources]
        first = rng.integers(len(pool), size=n)
        second = np.empty_like(first)
        for label in np.unique(labels):
            here = labels[first] == label
            others = np.flatnonzero(labels != label)
            if len(others) == 0:
                raise ValueError(f"all chosen landmarks are of class {label!r}; choose more.")
            second[here] = rng.choice(others, size=int(here.sum()))
        return replace(pool, pairs=np.column_stack([first, second]))
