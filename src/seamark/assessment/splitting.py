"""Which objects are looked at: landmarks, objects to learn from, objects to report on."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..data import distinct
from ..engine import settings
from ..landmarks import interleaved, shared_out
from ..targets import by_class
from .intervals import Rows
from .tasks import AssessedTask

FEWEST = 12  # objects below which nothing can be held out


@dataclass(frozen=True)
class Split:
    """Some objects, in three parts.

    Attributes
    ----------
    learn, test : ndarray of int
        Rows of objects: what is learned is learned from the first, and reported on the second.
    reference : ndarray of int or None
        Rows of the landmarks; None if the landmarks are columns of a matrix and have no targets.
    columns : ndarray of int
        The landmarks' numbers, as the measure's domain takes them.
    groups : ndarray of int or None
        Number of each row's group of equal objects, which are in one part; None: rows are all
        there is, or too few objects differ.
    """

    learn: Rows
    test: Rows
    reference: Rows | None
    columns: Rows
    groups: Rows | None = field(default=None, kw_only=True)

    @property
    def rows(self) -> Rows:
        """Rows of all objects that are compared with the landmarks."""
        return np.concatenate([self.learn, self.test])

    @property
    def square_rows(self) -> Rows:
        """Rows of the landmarks that are compared with each other."""
        few = settings().assessed_square
        return np.array([], np.intp) if self.reference is None else self.reference[:few]

    @property
    def n_objects(self) -> int:
        """Number of all objects."""
        return len(self.rows) + (0 if self.reference is None else len(self.reference))

    @property
    def n_values(self) -> int:
        """Number of values wanted."""
        return len(self.rows) * len(self.columns) + len(self.square_rows) ** 2

    def require_enough(self, budget: int) -> None:
        """Stop if there is too little to judge by."""
        parts = (self.learn, self.test, self.columns)
        if min(map(len, parts)) < 2 or sum(map(len, parts)) < FEWEST:
            raise ValueError(
                f"{len(self.rows)} objects against {len(self.columns)} landmarks are too few to "
                f"judge a measure; give at least {FEWEST} objects, and a budget (now {budget}) of "
                "some hundreds of evaluations."
            )


def n_references(n: int) -> int:
    """Return how many of n objects serve as references: a third, at most 500."""
    return min(settings().assessed_references, n // 3)


def cost(n: int) -> int:
    """Return the values that n objects take: others × references, and the square.

    Examples
    --------
    >>> cost(2000)
    840000
    """
    R = n_references(n)
    return R * (n - R) + min(R, settings().assessed_square) ** 2


def most_objects(n: int, values: int) -> int:
    """Return the largest number of objects, at most n, whose cost fits."""
    low, high = 0, n
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if cost(middle) <= values else (low, middle - 1)
    return low


def shuffled(task: AssessedTask, n: int, rng: np.random.Generator) -> Rows:
    """Return all rows in random order: any first few hold all classes, or whole queries."""
    if task.query is not None:
        queries = rng.permutation(np.unique(task.query))
        return np.argsort(np.argsort(queries)[task.query], kind="stable")
    if task.strata is None:
        return rng.permutation(n)
    return interleaved([rng.permutation(group) for group in by_class(task.strata, n)])


def split_columns(order: Rows, width: int, values: int, rng: np.random.Generator) -> Split:
    """Split the rows of an n × R matrix, whose columns are the landmarks."""
    columns = np.sort(rng.permutation(width)[: settings().assessed_references])
    rows = order[: values // max(1, len(columns))]
    return Split(rows[::2], rows[1::2], None, columns)


def split(order: Rows, task: AssessedTask, groups: Rows) -> Split:
    """Deal rows to landmarks, learning and testing: `n_references`, and halves of the rest.

    Equal objects are in one part, if enough differ: what is
    learned from a row must not be tested on its copy. Parts keep their sizes: surplus copies are
    left out.
    """
    one_of_each = distinct(order, groups)
    if task.query is not None or not FEWEST <= len(one_of_each) < len(order):
        return _split(order, task)
    parts = _split(one_of_each, task)
    R = n_references(len(order))
    half = (len(order) - R) // 2
    learn, test = (
        order[np.isin(groups[order], groups[part])][:half] for part in (parts.learn, parts.test)
    )
    landmarks = parts.columns  # one of each leads, for nested curves
    copies = order[np.isin(groups[order], groups[landmarks]) & ~np.isin(order, landmarks)]
    reference = np.concatenate([landmarks, copies])[:R]
    return Split(learn, test, reference, reference, groups=groups)


def _split(order: Rows, task: AssessedTask) -> Split:
    if not len(order):
        return Split(order, order, order, order)  # a budget for nothing; `require_enough` says so
    R = n_references(len(order))
    if task.query is not None:
        # Whole queries: rows of one query must not be both learned from and tested on.
        place = _dense_rank(task.query[order])
        pools = [order[3 * place // (place.max(initial=0) + 1) == third] for third in range(3)]
        return Split(pools[1], pools[2], pools[0][:R], pools[0][:R])
    classes = by_class(None if task.strata is None else task.strata[order], len(order))
    shares = shared_out(R, [len(rows) for rows in classes])
    dealt = [
        (order[rows[share::2]], order[rows[share + 1 :: 2]], order[rows[:share]])
        for rows, share in zip(classes, shares, strict=True)
    ]
    learn, test, references = (list(parts) for parts in zip(*dealt, strict=True))
    reference = interleaved(references)  # any first few hold all classes, for nested curves
    return Split(np.concatenate(learn), np.concatenate(test), reference, reference)


def _dense_rank(values: Rows) -> Rows:
    """Number the different values in the order in which they first come."""
    _, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]
