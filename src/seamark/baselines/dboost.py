"""DBoost: boosting of votes by pairs of landmarks, one of each class."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from .. import engine
from ..targets import class_targets, decided
from ..validation import generator, require_bounded, require_count
from .base import Numbers, OverObjects, Rows

CHANCE = 1e-6  # weight on which a pair must be right more, or less, than it is wrong


class Ensemble(NamedTuple):
    """Pairs that tell one class from the rest: columns of landmarks, and their weights.

    A weight may be negative: a pair that is mostly wrong tells as much as one that is right.
    """

    positive: Rows
    negative: Rows
    weights: Numbers
    prior: float
    """Score where there are no pairs: of no use but to rank the classes by frequency."""

    def score(self, distances: NDArray[np.float32]) -> Numbers:
        """Sum of weighted votes, half the log-odds: so classes of many pairs and few compare."""
        if not len(self.weights):
            return np.full(len(distances), self.prior)
        votes = np.sign(distances[:, self.negative] - distances[:, self.positive])
        return np.asarray(votes.astype(np.float64) @ self.weights)


@dataclass(eq=False, repr=False)
class DBoost(ClassifierMixin, OverObjects):
    """AdaBoost over the weak classifiers sign(d(x, l⁻) − d(x, l⁺)).

    FTUNE is compared with it (Wang, Yang and Feng, 2007). Landmarks of each class are drawn; each
    round tries a few pairs, any of one class with any of the other, and takes the one that serves
    the reweighted training data best. A pair abstains where its distances are equal. Several
    classes: one against the rest.

    Parameters
    ----------
    measure : Measure, str or callable, default="euclidean"
        A distance; a similarity is negated.
    n_pairs : int, default=200
        Landmarks drawn on either side, per class if there are more than two.
    n_rounds : int, default=100
        Rounds of boosting, each adding a pair; fewer once a pair is always right.
    n_candidates : int, default=30
        Pairs tried in each round.
    random_state : int, Generator or None
        Draws landmarks and pairs.
    n_jobs : int, optional
        Threads or processes of the measure.

    Attributes
    ----------
    measure_ : Measure
    references_ : objects
        Landmarks of the pairs that got a weight: all that predict evaluates.
    ensembles_ : list of Ensemble
        One per class, or one if there are two classes.
    classes_ : ndarray
    n_evaluations_ : int
        Measure evaluations of fit: training objects times different landmarks drawn.

    Examples
    --------
    >>> X = ["sea", "tea", "pea", "mark", "bark", "lark"]
    >>> model = DBoost("levenshtein", random_state=0).fit(X, [0, 0, 0, 1, 1, 1])
    >>> model.predict(["flea", "park"])
    array([0, 1])
    """

    measure: Any = "euclidean"
    _: KW_ONLY
    n_pairs: int = 200
    n_rounds: int = 100
    n_candidates: int = 30
    random_state: Any = None
    n_jobs: int | None = None

    def _fit(self, X: Any, y: Any) -> None:
        self.classes_, codes = class_targets(y)
        require_bounded(type(self), vars(self))
        for name in ("n_pairs", "n_rounds", "n_candidates"):
            require_count(name, getattr(self, name))
        measure, objects = self._ingest(X, codes)
        measure.distance_sign()
        # Classes that get an ensemble: the second of two, each of several.
        positives = range(1, 2) if len(self.classes_) == 2 else range(len(self.classes_))
        rng = generator(self.random_state)
        sides = [np.flatnonzero(same) for c in positives for same in (codes == c, codes != c)]
        pairs = [rng.choice(side, self.n_pairs) for side in sides]  # with replacement
        drawn, columns = np.unique(np.concatenate(pairs, axis=None), return_inverse=True)
        self.measure_ = measure.fitted_to(objects, rng)
        recipe = self.measure_.recipe(self.measure_.domain.landmarks(objects, drawn))
        values = engine.run(recipe, objects, n_jobs=self.n_jobs)
        D = np.ascontiguousarray(values.T)  # rounds read by landmark
        D *= np.float32(self.measure_.distance_sign())
        columns = columns.reshape(-1, 2, self.n_pairs)
        ensembles = [
            _boost(D, codes == c, sides, self.n_rounds, self.n_candidates, rng)
            for c, sides in zip(positives, columns, strict=True)
        ]
        # Landmarks that got a weight stay; the first if none did, to have one at all.
        used = [np.concatenate([e.positive, e.negative]) for e in ensembles]
        kept = np.unique(np.concatenate(used))
        kept = kept if len(kept) else np.zeros(1, dtype=np.intp)
        self.references_ = measure.domain.landmarks(objects, drawn[kept])
        self.ensembles_ = [
            e._replace(
                positive=np.searchsorted(kept, e.positive),
                negative=np.searchsorted(kept, e.negative),
            )
            for e in ensembles
        ]

    def decision_function(self, X: Any) -> Numbers:
        """Return the weighted votes: one column per class, one number if two.

        Parameters
        ----------
        X : objects

        Returns
        -------
        ndarray of shape (n,) or (n, classes)
        """
        objects = self._ingest_new(X)
        sign = np.float32(self.measure_.distance_sign())

        def scores_of(_: slice, values: NDArray[np.float32]) -> NDArray[np.float64]:
            return np.stack([one.score(sign * values) for one in self.ensembles_], axis=1)

        scores = self._stacked(objects, scores_of)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of largest vote.

        Parameters
        ----------
        X : objects

        Returns
        -------
        ndarray of shape (n,)
        """
        return decided(self.decision_function(X), self.classes_)


def _boost(
    D: NDArray[np.float32],
    is_positive: NDArray[np.bool_],
    sides: NDArray[np.intp],
    n_rounds: int,
    n_candidates: int,
    rng: np.random.Generator,
) -> Ensemble:
    """AdaBoost with votes −1, 0, 1 (Schapire and Singer, 1999, section 4); D is landmarks × n."""
    label, n = np.where(is_positive, 1.0, -1.0).astype(np.float32), len(is_positive)
    weight = np.full(n, 1 / n)
    taken: list[tuple[int, int, float]] = []
    for _ in range(n_rounds):
        positive, negative = (rng.choice(side, n_candidates) for side in sides)
        right = np.sign(D[negative] - D[positive]) * label
        both, margin = np.abs(right) @ weight, right @ weight
        good, bad = np.maximum(both + margin, 0) / 2, np.maximum(both - margin, 0) / 2
        # 1 less this is the bound on the training error that a pair leaves.
        gain = (np.sqrt(good) - np.sqrt(bad)) ** 2
        best = int(gain.argmax())
        if abs(good[best] - bad[best]) <= CHANCE:
            continue
        # Smoothed: a pair that is never wrong would decide alone, with infinite weight.
        alpha = 0.5 * np.log((good[best] + 0.5 / n) / (bad[best] + 0.5 / n))
        taken.append((positive[best], negative[best], alpha))
        if gain[best] > 1 - CHANCE:  # always right, or always wrong: nothing is left to learn
            break
        weight *= np.exp(-alpha * right[best])
        weight /= weight.sum()
    rows = np.array([pair[:2] for pair in taken], dtype=np.intp).reshape(-1, 2)
    alphas = np.array([pair[2] for pair in taken])
    return Ensemble(rows[:, 0], rows[:, 1], alphas, 2 * float(is_positive.mean()) - 1)
