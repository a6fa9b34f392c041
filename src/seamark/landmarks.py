"""Where landmarks come from: a few strategies, one record."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from . import engine
from .measures import Measure

Rows = NDArray[np.intp]

NOT_A_ROW = -1


@dataclass(frozen=True)
class Landmarks:
    """What a strategy returns.

    Attributes
    ----------
    objects : objects
        The landmarks themselves.
    indices : ndarray or None
        Their rows in X, −1 (`NOT_A_ROW`) for those that are not; None if none is from X.
    weights : ndarray or None
        A weight for each, if the strategy has an opinion.
    pairs : ndarray of shape (R, 2) or None
        Positions of l⁺ and l⁻ among `objects`: values are then K(x, l⁺) − K(x, l⁻).
    """

    objects: Any
    indices: Rows | None = None
    weights: NDArray[np.float64] | None = None
    pairs: Rows | None = None

    def __len__(self) -> int:
        return int(self.objects.shape[0] if self.pairs is None else len(self.pairs))


class Strategy(BaseEstimator):
    """How landmarks are chosen."""

    uses_labels: bool = False
    """Whether `y` decides: such a choice must be repeated in every fold."""

    @abstractmethod
    def choose(
        self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator
    ) -> Landmarks:
        """Choose at most n landmarks for ingested objects X with labels y (or None)."""


class _FromRows(Strategy):
    """Landmarks that are rows of X, or of further candidates without labels."""

    candidates: Any = None

    def choose(
        self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator
    ) -> Landmarks:
        """Choose among the rows of X and the candidates, if there are any."""
        if self.candidates is None:
            rows = self.rows(X, y, measure, min(n, X.shape[0]), rng)
            return Landmarks(measure.domain.landmarks(X, rows), rows)
        pool = measure.domain.ingest(self.candidates, like=X)
        rows = self.rows(pool, None, measure, min(n, pool.shape[0]), rng)
        return Landmarks(measure.domain.landmarks(pool, rows))

    @abstractmethod
    def rows(self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator) -> Rows:
        """Return n row numbers."""


class Uniform(_FromRows):
    """Rows drawn at random without replacement.

    Parameters
    ----------
    candidates : objects, optional
        Draw from these instead of the rows of X: more objects, without labels.

    Examples
    --------
    >>> from seamark.measures import Euclidean
    >>> X = np.arange(10.0)[:, None]
    >>> len(Uniform().choose(X, None, Euclidean(), 3, np.random.default_rng(0)))
    3
    """

    def __init__(self, candidates: Any = None) -> None:
        self.candidates = candidates

    def rows(self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator) -> Rows:
        """Draw."""
        return rng.permutation(X.shape[0])[:n]


class Stratified(_FromRows):
    """Rows drawn at random, each class with its share, and at least one."""

    uses_labels = True

    def rows(self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator) -> Rows:
        """Draw within classes."""
        groups = [rng.permutation(group) for group in by_class(y, X.shape[0])]
        shares = shared_out(n, [len(group) for group in groups])
        chosen = [group[:share] for group, share in zip(groups, shares, strict=True)]
        return rng.permutation(np.concatenate(chosen))


class Diverse(_FromRows):
    """DSELECT: each next landmark is the object least similar, on average, to those chosen.

    Parameters
    ----------
    per_class : bool, default=True
        Choose within each class, an equal number. Without labels there is one class.
    candidates : objects, optional
        Choose among these instead, which have no labels.

    Notes
    -----
    n·R evaluations: sums of similarities to the chosen are kept, not matrices.
    """

    def __init__(self, per_class: bool = True, candidates: Any = None) -> None:
        self.per_class = per_class
        self.candidates = candidates

    @property
    def uses_labels(self) -> bool:  # type: ignore[override]
        """Whether classes matter."""
        return self.per_class

    def rows(self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator) -> Rows:
        """Choose one by one."""
        groups = by_class(y if self.per_class else None, X.shape[0])
        shares = shared_out(n, [len(group) for group in groups], equal=True)
        chosen = [
            spread_out(measure, X, group, share, rng, join=np.add)
            for group, share in zip(groups, shares, strict=True)
        ]
        return interleaved(chosen)


class FarthestFirst(_FromRows):
    """Each next landmark is the object farthest from its nearest landmark so far (k-centre).

    Parameters
    ----------
    candidates : objects, optional
        Choose among these instead of the rows of X.
    """

    def __init__(self, candidates: Any = None) -> None:
        self.candidates = candidates

    def rows(self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator) -> Rows:
        """Choose one by one."""
        everything = np.arange(X.shape[0])
        return spread_out(measure, X, everything, n, rng, join=np.minimum)


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

    def __init__(
        self,
        sizes: tuple[int, int] | Literal["auto"] | None = None,
        scale: float | Literal["auto"] = 1.0,
        sampler: Callable[..., Any] | None = None,
    ) -> None:
        self.sizes = sizes
        self.scale = scale
        self.sampler = sampler

    def choose(
        self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator
    ) -> Landmarks:
        """Draw n objects."""
        if self.sampler is not None:
            return Landmarks(measure.domain.ingest(self.sampler(n, rng, like=X), like=X))
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

    def __init__(
        self,
        rows: Strategy | None = None,
        generated: list[Strategy] | None = None,
        size: int | None = None,
    ) -> None:
        self.rows = rows
        self.generated = generated
        self.size = size

    @property
    def uses_labels(self) -> bool:  # type: ignore[override]
        """Whether the rows are chosen by labels."""
        return self.rows is not None and self.rows.uses_labels

    def choose(
        self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator
    ) -> Landmarks:
        """Choose rows, and draw the rest; in random order, so that the first are a fair sample."""
        n = self.size or n
        drawn = measure.domain.can_draw(X) and n > 1
        pool = (self.rows or Uniform()).choose(X, y, measure, n // 2 if drawn else n, rng)
        if not drawn or pool.indices is None:
            return pool
        samplers = self.generated or [Generated()]
        objects, indices = pool.objects, pool.indices
        parts = np.array_split(np.arange(n - len(pool)), len(samplers))
        for sampler, part in zip(samplers, parts, strict=True):
            if len(part):
                more = sampler.choose(X, y, measure, len(part), rng)
                objects = measure.domain.joined(objects, more.objects)
        order = rng.permutation(n)
        indices = np.r_[indices, np.full(n - len(pool), NOT_A_ROW)]
        return Landmarks(objects[order], indices[order])


class Given(Strategy):
    """The landmarks you name."""

    def __init__(self, objects: Any = None) -> None:
        self.objects = objects

    def choose(
        self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator
    ) -> Landmarks:
        """Return them all; n does not matter."""
        return Landmarks(measure.domain.ingest(self.objects, like=X))


class Pairs(Strategy):
    """Pairs of landmarks of different classes; a value is K(x, l⁺) − K(x, l⁻).

    The number of landmarks then counts pairs. They are drawn with replacement from rows that
    another strategy chooses.

    Parameters
    ----------
    of : Strategy, optional
        Chooses the rows, as many as pairs; default `Stratified`.
    """

    uses_labels = True

    def __init__(self, of: Strategy | None = None) -> None:
        self.of = of

    def choose(
        self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator
    ) -> Landmarks:
        """Choose rows, then pair them across classes."""
        if y is None or len(np.unique(y)) < 2:
            raise ValueError("landmark pairs need labels of at least two classes.")
        pool = (self.of or Stratified()).choose(X, y, measure, n, rng)
        if pool.indices is None:
            raise ValueError("landmark pairs need landmarks with labels: rows of X.")
        labels = np.asarray(y)[pool.indices]
        first = rng.integers(len(pool), size=n)
        second = np.empty_like(first)
        for label in np.unique(labels):
            here = labels[first] == label
            others = np.flatnonzero(labels != label)
            if len(others) == 0:
                raise ValueError(f"all chosen landmarks are of class {label!r}; choose more.")
            second[here] = rng.choice(others, size=int(here.sum()))
        return Landmarks(pool.objects, pool.indices, pairs=np.column_stack([first, second]))


class Everything(Uniform):
    """Every row, or as many at random as are allowed: candidates, to be chosen among later.

    Parameters
    ----------
    at_most : int, default=5000
        This decides, and not the number of landmarks.
    candidates : objects, optional
        Take these instead of the rows of X.
    """

    def __init__(self, at_most: int = 5000, candidates: Any = None) -> None:
        self.at_most = at_most
        self.candidates = candidates

    def choose(
        self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator
    ) -> Landmarks:
        """Take all, or `at_most`; n does not matter."""
        return super().choose(X, y, measure, self.at_most, rng)


class AllColumns(Strategy):
    """The columns of an n × R precomputed matrix: all of them are landmarks."""

    def choose(
        self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator
    ) -> Landmarks:
        """Return every column."""
        return Landmarks(measure.domain.landmarks(X, np.arange(X.shape[1])))


STRATEGIES: dict[str, type[Strategy]] = {
    "uniform": Uniform,
    "stratified": Stratified,
    "diverse": Diverse,
    "farthest": FarthestFirst,
    "generated": Generated,
    "pairs": Pairs,
    "mixed": Mixed,
}


def get_strategy(landmarks: Any) -> Strategy:
    """Return the strategy that a user's `landmarks=` means: one, its name, or the objects.

    Examples
    --------
    >>> get_strategy("diverse")
    Diverse()
    """
    if isinstance(landmarks, Strategy):
        return landmarks
    if isinstance(landmarks, str):
        if landmarks not in STRATEGIES:
            raise ValueError(
                f"landmarks={landmarks!r} is none of {', '.join(STRATEGIES)}; give one of these, "
                "a strategy, or the landmarks themselves."
            )
        return STRATEGIES[landmarks]()
    return Given(landmarks)


def by_class(y: Any, n: int) -> list[Rows]:
    """Row numbers of each class; all rows as one class if there are no labels."""
    if y is None:
        return [np.arange(n)]
    labels = np.asarray(y)
    return [np.flatnonzero(labels == label) for label in np.unique(labels)]


def shared_out(n: int, sizes: list[int], *, equal: bool = False) -> list[int]:
    """Share n among groups, by size or equally, none more than it has, at least one if possible.

    Examples
    --------
    >>> shared_out(10, [70, 20, 10]), shared_out(10, [70, 20, 2], equal=True)
    ([7, 2, 1], [4, 4, 2])
    """
    shares = np.zeros(len(sizes), dtype=int)
    room = np.array(sizes)
    ideal = n * np.ones(len(sizes)) / len(sizes) if equal else n * room / room.sum()
    for _ in range(min(n, int(room.sum()))):
        short = np.where(shares < room, ideal - shares + n * (shares == 0), -np.inf)
        shares[int(short.argmax())] += 1
    return [int(share) for share in shares]


def spread_out(
    measure: Measure,
    X: Any,
    group: Rows,
    n: int,
    rng: np.random.Generator,
    *,
    join: np.ufunc,
) -> Rows:
    """Choose rows of a group one by one, each the farthest from those before.

    How far an object is from those chosen is `join` (sum, minimum) of its distances to them.
    """
    sign = measure.distance_sign()
    if n == 0:
        return group[:0]
    objects = X[group]
    chosen = [int(rng.integers(len(group)))]
    far = np.full(len(group), 0.0 if join is np.add else np.inf)
    while len(chosen) < n:
        newest = measure.domain.landmarks(X, group[chosen[-1:]])
        values = engine.run(measure.compile(newest), objects)[:, 0]
        far = join(far, sign * values.astype(np.float64))
        far[chosen] = -np.inf
        chosen.append(int(far.argmax()))
    return group[chosen]


def interleaved(groups: list[Rows]) -> Rows:
    """Merge rows of several groups in turn, so that any first few hold all groups."""
    rank = np.concatenate([np.arange(len(g)) / max(1, len(g)) for g in groups])
    return np.concatenate(groups)[np.argsort(rank, kind="stable")]
