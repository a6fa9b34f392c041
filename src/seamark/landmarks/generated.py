"""Landmarks that nobody has seen: random objects, alone or in a pool with rows."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, Literal

import numpy as np

from ..bounds import require_bounded
from ..measures import Measure
from .base import NOT_A_ROW, Landmarks, Strategy, wants_parts
from .uniform import Uniform

# Random objects by domain: few of the sizes and scales that D2KE's authors try, and that won. The
# paper may be read as strings of one length; long ones serve better where letters have places.
SIZES: dict[str, Any] = {
    "strings": ((2, 5), (2, 10), (2, 20), (2, 50), (50, 50)),
    "series": ((2, 10), (2, 30), (2, 80)),
    "sets": ((3, 5), (3, 15)),
}
SCALES = {"series": (0.5, 1.0, 2.0), "vectors": (0.5, 1.0, 2.0)}


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

    name = "generated"

    def __init__(
        self,
        sizes: tuple[int, int] | Literal["auto"] | None = None,
        scale: float | Literal["auto"] = 1.0,
        sampler: Callable[..., Any] | None = None,
    ) -> None:
        self.sizes = sizes
        self.scale = scale
        self.sampler = sampler

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

    name = "mixed"

    def __init__(
        self,
        rows: Strategy | None = None,
        generated: list[Strategy] | None = None,
        size: int | None = None,
    ) -> None:
        self.rows = rows
        self.generated = generated
        self.size = size

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
