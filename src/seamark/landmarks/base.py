"""Strategies, which `landmarks=` names: rows drawn at random, or each far from those before."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from .. import engine
from ..data import Categories, Domain, distinct
from ..data.tables import Bundle
from ..measures import Columns, Measure
from ..targets import by_class, require_targets, shuffled
from ..validation import require_bounded

Rows = NDArray[np.intp]

NOT_A_ROW = -1

STRATEGIES: dict[str, type[Strategy]] = {}
"""By the names that users may give; see `Strategy.name`."""


@dataclass(frozen=True)
class Landmarks:
    """What a strategy returns.

    Attributes
    ----------
    objects : objects
        The landmarks themselves.
    sources : ndarray or None
        The row of X that each is, or was cut from; −1 (`NOT_A_ROW`) for one that is not from X;
        None if none is. Folds that hold a row, and labels, go by it.
    pairs : ndarray of shape (R, 2) or None
        Positions of l⁺ and l⁻ among `objects`: values are then K(x, l⁺) − K(x, l⁻).
    order : ndarray or None
        Positions in the order in which the strategy chose them, if they stand in another: whoever
        wants few takes the leading ones of these.
    are_parts : bool
        Whether landmarks were cut from their sources, and are not rows themselves.
    """

    objects: Any
    sources: Rows | None = None
    pairs: Rows | None = None
    order: Rows | None = None
    are_parts: bool = False

    @property
    def indices(self) -> Rows | None:
        """The row of X that each *is*, −1 for those that are none; None if none is."""
        return None if self.are_parts else self.sources

    def some(self, kept: Rows, pairs: Rows | None = None) -> Landmarks:
        """Return some of the objects, with their sources, paired anew if there were pairs."""
        sources = None if self.sources is None else self.sources[kept]
        return Landmarks(self.objects[kept], sources, pairs, are_parts=self.are_parts)

    def columns_in_order(self) -> Landmarks:
        """Return all columns of a matrix as they stand there, and anything else as it is.

        A row with n values then means the same whether they are taken for all columns of the
        matrix or for those of the n landmarks.
        """
        columns = self.objects
        if not isinstance(columns, Columns) or not columns.are_all:
            return self
        place = np.argsort(columns.indices)
        if (place[1:] > place[:-1]).all():
            return self
        return Landmarks(
            columns[place],
            None if self.sources is None else self.sources[place],
            None if self.pairs is None else columns.indices[self.pairs],
            columns.indices if self.pairs is None else None,
        )

    def __len__(self) -> int:
        return int(self.objects.shape[0] if self.pairs is None else len(self.pairs))


def labels_of(sources: Any, labels: NDArray[Any]) -> Any:
    """Return the label of each landmark's source; None for one without, or for all if none has.

    Of several blocks, given as a list of their sources, a list with this for every one.
    """
    if isinstance(sources, list):
        return [labels_of(one, labels) for one in sources]
    if sources is None or NOT_A_ROW not in sources:
        return None if sources is None else labels[sources]
    known: NDArray[Any] = np.full(len(sources), None, dtype=object)
    for place in np.flatnonzero(sources != NOT_A_ROW):
        label = labels[sources[place]]
        known[place] = tuple(label.tolist()) if np.ndim(label) else label
    return known


class Strategy(BaseEstimator):
    """How landmarks are chosen."""

    name: ClassVar[str] = ""
    """What `landmarks=` may say in place of it; a class that states one is found by it."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "name" in vars(cls):
            STRATEGIES.setdefault(cls.name, cls)

    def choices(self, domain: str) -> list[Strategy]:
        """Return what a model may choose among: several if sizes are open, by what objects are."""
        return [self]

    @abstractmethod
    def choose(
        self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator
    ) -> Landmarks:
        """Choose at most n landmarks for ingested objects X with labels y (or None).

        Of equal objects one is chosen, so that there may be fewer than n.
        """


class FromRows(Strategy):
    """Landmarks that are rows of X, or of further candidates without labels."""

    candidates: Any = None

    def choose(
        self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator
    ) -> Landmarks:
        """Choose among the rows of X and the candidates, if there are any."""
        if measure.compares_parts:
            raise wants_parts(measure, self)
        if self.candidates is None:
            rows = self.rows(X, y, measure, min(n, X.shape[0]), rng)
            # A category is no row: a fold that holds the row still knows its name.
            is_name = isinstance(measure.domain, Categories)
            return Landmarks(measure.domain.landmarks(X, rows), None if is_name else rows)
        pool = measure.domain.ingest(self.candidates, like=X)
        rows = self.rows(pool, None, measure, min(n, pool.shape[0]), rng)
        return Landmarks(measure.domain.landmarks(pool, rows))

    @abstractmethod
    def rows(self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator) -> Rows:
        """Return n row numbers; fewer where fewer objects differ."""


def groups_in(X: Any, domain: Domain) -> Rows:
    """Return a number for each object that equal ones, and no others, share.

    With more rows than the setting `hashed_from` it is the hash of the object.
    """
    hashed = X.shape[0] > engine.settings().hashed_from
    return domain.hashes(X) if hashed else domain.groups(X)


def groups_of_bundle(bundle: Bundle, tell_apart: list[Callable[[Any], Rows]]) -> Rows:
    """Return a number for each row that rows share if they are equal in all parts of a bundle."""
    hashed = len(bundle) > engine.settings().hashed_from
    return bundle.hashes(tell_apart) if hashed else bundle.groups(tell_apart)


def wants_parts(measure: Measure, strategy: Strategy) -> ValueError:
    """What to raise where landmarks are to be parts of objects, and a strategy finds whole ones."""
    return ValueError(
        f"{measure!r} compares {measure.domain.name} with {measure.landmark_domain.name}, and "
        f'{strategy!r} finds whole {measure.domain.name}; take landmarks="parts", or give '
        f"the {measure.landmark_domain.name} themselves."
    )


def rows_to_choose(y: Any, n: int, kinds: Rows, rng: np.random.Generator | None) -> list[Rows]:
    """Return rows of each class to choose n landmarks from, in random order if there is an rng.

    Of equal rows only the first is kept, in the class with the fewest objects, as other classes
    have more to choose from. Where there are more classes than landmarks, as with numbers, all rows
    count as one class.
    """
    require_targets(y)
    classes = by_class(y, len(kinds))
    if len(classes) > n:
        classes = by_class(None, len(kinds))
    if rng is not None:
        classes = shuffled(classes, kinds, rng)
    sizes = [len(distinct(rows, kinds)) for rows in classes]
    rare_first = [classes[k] for k in np.argsort(sizes, kind="stable")]
    left = np.zeros(len(kinds), dtype=bool)
    left[distinct(np.concatenate(rare_first), kinds)] = True
    return [rows[left[rows]] for rows in classes]


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
    found: list[int] = shares.tolist()
    return found


def interleaved(groups: list[Rows]) -> Rows:
    """Merge rows of several groups in turn, so that any first few hold all groups."""
    rank = np.concatenate([np.arange(len(g)) / max(1, len(g)) for g in groups])
    return np.concatenate(groups)[np.argsort(rank, kind="stable")]


@dataclass(eq=False, repr=False)
class Given(Strategy):
    """The landmarks you name.

    Parameters
    ----------
    objects : objects
        The landmarks themselves.
    """

    objects: Any = None

    def choose(
        self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator
    ) -> Landmarks:
        """Return them all; n does not matter."""
        return Landmarks(measure.landmark_domain.ingest(self.objects, like=X))


def get_strategy(landmarks: Any, measure: Measure | None = None, auto: str = "uniform") -> Strategy:
    """Return the strategy that a user's `landmarks=` means: one, its name, or the objects.

    "auto" means parts for a measure that compares objects with such, else what `auto` says.

    Examples
    --------
    >>> get_strategy("stratified")
    Stratified()
    """
    if isinstance(landmarks, Strategy):
        require_bounded(type(landmarks), vars(landmarks))
        return landmarks
    if isinstance(landmarks, str) and landmarks == "auto":
        landmarks = "parts" if measure is not None and measure.compares_parts else auto
    if isinstance(landmarks, str):
        if landmarks not in STRATEGIES:
            raise ValueError(
                f"landmarks must be {', '.join(sorted(STRATEGIES))}, a strategy, or the landmarks "
                f"themselves; got {landmarks!r}."
            )
        return STRATEGIES[landmarks]()
    return Given(landmarks)


# Rows drawn at random: uniform, stratified, at most so many.


@dataclass(eq=False, repr=False)
class Uniform(FromRows):
    """Rows drawn at random without replacement; one that equals another drawn is skipped.

    With more rows than `engine.settings().hashed_from` they are those with the smallest hashes of a
    seed and the object, which are the same in whatever order and pieces rows are read.

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

    candidates: Any = None

    name = "uniform"

    def rows(self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator) -> Rows:
        """Draw."""
        groups = groups_in(X, measure.domain)
        (order,) = shuffled([np.arange(X.shape[0])], groups, rng)
        return distinct(order, groups)[:n]


class Stratified(FromRows):
    """Rows drawn at random, each class with its share, and at least one.

    Of equal objects one is drawn; shares are of the objects that differ.
    """

    name = "stratified"

    def rows(self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator) -> Rows:
        """Draw within classes."""
        groups = groups_in(X, measure.domain)
        classes = rows_to_choose(y, n, groups, rng)
        shares = shared_out(n, [len(rows) for rows in classes])
        chosen = [rows[:share] for rows, share in zip(classes, shares, strict=True)]
        return shuffled([np.concatenate(chosen)], groups, rng)[0]


@dataclass(eq=False, repr=False)
class AtMost(Strategy):
    """So many landmarks by another strategy, or as many as there are, without a warning.

    Parameters
    ----------
    n : int, default=1000
        This decides, and not the number of landmarks that a map is asked for.
    strategy : str or Strategy, default="auto"
        Chooses them.

    Examples
    --------
    >>> from seamark.measures import Euclidean
    >>> X = np.arange(10.0)[:, None]
    >>> len(AtMost(50).choose(X, None, Euclidean(), 3, np.random.default_rng(0)))
    10
    """

    n: int = 1000
    strategy: Any = "auto"

    def choose(
        self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator
    ) -> Landmarks:
        """Choose by the strategy inside."""
        return get_strategy(self.strategy, measure).choose(X, y, measure, self.n, rng)


class AllColumns(Strategy):
    """The columns of an n × R precomputed matrix: all of them are landmarks."""

    def choose(
        self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator
    ) -> Landmarks:
        """Return every column."""
        return Landmarks(measure.domain.landmarks(X, np.arange(X.shape[1])))


# Landmarks chosen one by one, each far from those before.


@dataclass(eq=False, repr=False)
class Diverse(FromRows):
    """DSELECT: each next landmark is the object least similar, on average, to those chosen.

    Parameters
    ----------
    per_class : bool, default=True
        Choose within each class, an equal number. Without labels there is one class.
    candidates : objects, optional
        Choose among these instead, which have no labels.

    Notes
    -----
    n·R evaluations: sums of similarities to the chosen are kept, not matrices. Of equal objects one
    is looked at: copies of what is far from all others would be chosen again and again.
    """

    per_class: bool = True
    candidates: Any = None

    name = "diverse"

    def rows(self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator) -> Rows:
        """Choose one by one."""
        labels = y if self.per_class else None
        kinds = groups_in(X, measure.domain)
        groups = rows_to_choose(labels, n, kinds, None)
        shares = shared_out(n, [len(group) for group in groups], equal=True)
        chosen = [
            spread_out(measure, X, group, share, rng, join=np.add, kinds=kinds)
            for group, share in zip(groups, shares, strict=True)
        ]
        return interleaved(chosen)


@dataclass(eq=False, repr=False)
class FarthestFirst(FromRows):
    """Each next landmark is the object farthest from its nearest landmark so far (k-centre).

    Parameters
    ----------
    candidates : objects, optional
        Choose among these instead of the rows of X.
    """

    candidates: Any = None

    name = "farthest"

    def rows(self, X: Any, y: Any, measure: Measure, n: int, rng: np.random.Generator) -> Rows:
        """Choose one by one."""
        kinds = groups_in(X, measure.domain)
        everything = distinct(np.arange(X.shape[0]), kinds)
        n = min(n, len(everything))
        return spread_out(measure, X, everything, n, rng, join=np.minimum, kinds=kinds)


def spread_out(
    measure: Measure,
    X: Any,
    group: Rows,
    n: int,
    rng: np.random.Generator,
    *,
    join: np.ufunc,
    kinds: Rows,
) -> Rows:
    """Choose rows of a group one by one, each the farthest from those before.

    How far an object is from those chosen is `join` (sum, minimum) of its distances to them. Of
    many rows the first, and the one of several that are as far, is that of the smallest hash of
    seed and object (`kinds`), so that the order of rows does not matter.
    """
    sign = measure.distance_sign()
    if n == 0:
        return group[:0]
    if X.shape[0] > engine.settings().hashed_from:
        (group,), first = shuffled([group], kinds, rng), 0
    else:
        first = int(rng.integers(len(group)))
    objects, chosen = X[group], [first]
    far = np.full(len(group), 0.0 if join is np.add else np.inf)
    while len(chosen) < n:
        newest = measure.domain.landmarks(X, group[chosen[-1:]])
        values = engine.run(measure.recipe(newest), objects)[:, 0]
        far = join(far, sign * values.astype(np.float64))
        far[chosen] = -np.inf
        chosen.append(int(far.argmax()))
    return group[chosen]
