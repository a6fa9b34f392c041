"""How many landmarks are enough: scores of nested numbers, at random or chosen greedily."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine import settings
from ..feature_selection import Greedy
from ..feature_selection.greedy import NoUsefulColumnError
from ..transfers import Transfer
from .bench import Bench
from .intervals import Curve, Estimate, Floats, Rows, bounds

SIZES = (1, 2, 3, 5, 8, 12, 20, 35, 60, 100, 180, 300, 500)


@dataclass(frozen=True)
class Nested:
    """Scores from nested numbers of landmarks.

    Attributes
    ----------
    sizes : ndarray of int
    scores : ndarray of shape (1 + resamples, sizes)
        On the test rows, and on resamples of them.
    """

    sizes: Rows
    scores: Floats

    def curve(self, bench: Bench, name: str) -> Curve:
        """Return scores over numbers of landmarks."""
        x = self.sizes.astype(np.float64)
        return Curve(name, "landmarks", bench.task.score_name, x, *bounds(self.scores))

    def share_needed(self, width: int, base: float, share: float) -> Estimate:
        """Return what is `enough`, as a share of all landmarks there are."""
        needed = [enough(self.sizes, scores, base, share) / width for scores in self.scores]
        return Estimate(*map(float, bounds(np.array(needed))))


def nested(bench: Bench, transfer: Transfer, order: Rows) -> Nested:
    """Fit the quick model to nested numbers of landmarks, in the order given.

    Penalties are chosen by cross-validation at every number.
    """
    sizes = np.array([size for size in SIZES if size < len(order)] + [len(order)])
    learn, test = bench.features(transfer)
    found = []
    for size in sizes:
        columns = order[:size]
        head = bench.fitted(learn[:, columns])
        found.append(bench.task.predicted(head, test[:, columns]))
    task, held = bench.task, bench.sample.test
    scores = bench.bootstrap.draws(
        lambda rows: [task.score(one[rows], held[rows]) for one in found]
    )
    return Nested(sizes, scores)


def enough(sizes: NDArray[Any], scores: NDArray[Any], base: float, share: float) -> int:
    """Return the least number whose score has gained this share of the most gained over `base`.

    Examples
    --------
    >>> enough(np.array([1, 10, 100]), np.array([0.5, 0.89, 0.9]), 0.4, 0.95)
    10
    """
    wanted = base + share * max(float(scores.max()) - base, 0.0)
    return int(sizes[int(np.argmax(scores >= min(wanted, float(scores.max()))))])


def greedy_order(bench: Bench, transfer: Transfer) -> Rows:
    """Return landmarks in the order in which forward greedy selection takes them.

    Where none of them is of any use, as they come: the scores then say so.
    """
    learn, _ = bench.features(transfer)
    most = min(settings().greedy_landmarks, learn.shape[1])
    classes = bench.task.n_classes > 0
    greedy = Greedy(most, task="classification" if classes else "regression")
    try:
        return np.asarray(greedy.fit(learn, bench.task.learned[bench.sample.learn]).support_)
    except NoUsefulColumnError:
        return np.arange(most)
