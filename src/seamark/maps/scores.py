"""Scores as features: what a model predicts for objects, such as a ridge on bags."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter, defaultdict
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..data import Domain, strings
from ..landmarks import groups_in
from ..measures import Measure, NGrams
from ..measures.ngrams import Bags
from ..targets import in_turn, require_targets, signs
from ..validation import (
    check_columns,
    generator,
    require_bounded,
    require_count,
    require_same_length,
)
from .base import Contribution, Floats32, Map


class Scores(Map):
    """What a model says of objects, as features: one for each class, label or number.

    Features of the rows it is fitted to are another matter: inside a model each is scored by what
    has not seen it (`fit_unseen`), so that blocks beside it are weighed fairly.
    """

    sees_targets: ClassVar[bool] = True
    domain: Domain

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn what to say of objects.

        Parameters
        ----------
        X : objects
        y : array-like of shape (n,) or (n, T)
            Classes, or 0 and 1 of several labels; or numbers, if floats.

        Returns
        -------
        self
        """
        self.fit_unseen(X, y)
        return self

    @abstractmethod
    def fit_unseen(self, X: Any, y: Any) -> Floats32:
        """Fit, and return the features of the rows of X, each by what has not seen it."""

    def _read(self, X: Any, y: Any) -> Any:
        """Check what is asked for and given; return the objects, ingested."""
        if y is None:
            raise ValueError(f"{type(self).__name__} scores classes or numbers; give them as y.")
        require_targets(y)
        require_bounded(type(self), vars(self))
        objects = self.domain.ingest(X)
        require_same_length(objects, y)
        check_columns(self, X, objects, reset=True)
        return objects


def in_one_unit(y: NDArray[Any]) -> NDArray[np.float64]:
    """Return numbers as (n, T), each column with mean 0 and variance 1.

    Examples
    --------
    >>> in_one_unit(np.array([1.0, 3.0])).tolist()
    [[-1.0], [1.0]]
    """
    numbers = y.reshape(len(y), -1).astype(np.float64)
    spread = numbers.std(axis=0)
    return np.asarray((numbers - numbers.mean(axis=0)) / np.where(spread > 0, spread, 1.0))


# Scores of a ridge on all things of bags, such as n-grams: few features made of very many.


Rows = NDArray[np.intp]
Floats = NDArray[np.float32]

PENALTIES = (3.0, 1.0, 0.3, 0.1)  # against rows of size 1; searched from the smoothest
NEAR_ENOUGH, MOST_STEPS = 0.02, 100  # of conjugate gradients: what is left of the residual
FEWEST = 2  # rows that have a thing; what one row has alone says nothing of others
MOSTLY = 0.8  # of different objects are there once: new rows repeat others as seldom, or as often


@dataclass(eq=False, repr=False)
class BagScores(Scores):
    """What a sparse linear model of all n-grams says of objects: one feature for each class.

    Every object is a bag of things with weights: the n-grams of a string, the labels in a graph. A
    ridge on *all* things that two objects or more have, which are too many for columns of a map,
    scores the classes, or numbers; these scores are the features. Features of the rows it is fitted
    to are another matter: inside a model each is scored by a ridge that has not seen it
    (`fit_unseen`), so that blocks beside it are weighed fairly.

    Parameters
    ----------
    measure : NGrams or WeisfeilerLehman, default=None
        Says what the things are, and how they weigh; None: ``NGrams((1, 5))``.
    cv : int, default=5
        Folds for the scores of training rows, and for the penalty.
    random_state : int, RandomState or Generator, optional
        Deals the folds.

    Attributes
    ----------
    measure_ : Measure
        Fitted.
    things_ : ndarray
        Those that have coefficients, in rising order.
    coefficients_ : ndarray of shape (number of things, number of features), float32
    constants_ : ndarray
        What is said of an object that has none of them.
    penalty_ : float
        Chosen by the errors of rows that ridges had not seen.

    Examples
    --------
    >>> import seamark as sm
    >>> names = ["Anna", "Hanna", "Johanna", "Otto", "Ottokar", "Ottilo"] * 2
    >>> scores = sm.BagScores(random_state=0).fit(names, [0, 0, 0, 1, 1, 1] * 2)
    >>> (scores.transform(["Susanna", "Lotto"]) > 0).ravel()
    array([False,  True])
    """

    measure: Measure | None = None
    _: KW_ONLY
    cv: int = 5
    random_state: Any = None

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        """That of the measure."""
        return strings if self.measure is None else self.measure.domain

    def fit_unseen(self, X: Any, y: Any) -> Floats:
        """Fit, and return the features of the rows of X, each by a ridge that has not seen it."""
        require_count("cv", self.cv)
        measure = NGrams((1, 5)) if self.measure is None else self.measure
        if not hasattr(measure, "bags"):
            raise TypeError(f"measure={measure!r} knows no bags; give NGrams or WeisfeilerLehman.")
        objects, rng = self._read(X, y), generator(self.random_state)
        self.look_ = self.domain.look(objects)
        self.measure_ = measure.fitted_to(objects, rng)
        bags = self.measure_.bags(objects)
        counted = np.unique(bags.things, return_counts=True)
        self.things_ = counted[0][counted[1] >= min(FEWEST, objects.shape[0])]
        targets = score_targets(np.asarray(y))
        task = _Ridge(
            self._matrix(bags), targets, _bag_folds(groups_in(objects, self.domain), y, rng)
        )
        self.informative_ = bool(task.order.any())
        self.penalty_, unseen = task.chosen(self.cv)
        self.constants_ = targets.mean(axis=0)
        found = task.coefficients(self.penalty_, np.arange(objects.shape[0]))
        self.coefficients_ = found.astype(np.float32)
        self.n_features_out_ = targets.shape[1]
        self.feature_numbers_ = np.arange(self.n_features_out_)
        return unseen

    def _matrix(self, bags: Bags) -> sparse.csr_matrix:
        """Rows of size 1 in the things that have coefficients."""
        if len(self.things_) == 0:
            return sparse.csr_matrix((len(bags.offsets) - 1, 0), dtype=np.float32)
        places = np.minimum(np.searchsorted(self.things_, bags.things), len(self.things_) - 1)
        known = self.things_[places] == bags.things
        offsets = np.concatenate([[0], np.cumsum(known)])[bags.offsets]
        some = Bags(places[known], bags.weights[known], offsets).scaled()
        shape = (len(offsets) - 1, len(self.things_))
        return sparse.csr_matrix((some.weights, some.things, some.offsets), shape=shape)

    def groups(self, X: Any) -> Rows:
        """Return the number of each ingested object's group; equal ones share it."""
        return groups_in(X, self.domain)

    def ingest(self, X: Any) -> Any:
        """Return objects like those of fit."""
        objects = self.domain.ingest(X)
        self.domain.require_alike(objects, self.look_)
        return objects

    def block(self, X: Any) -> Floats32:
        """Scores of a few ingested objects."""
        said = self._matrix(self.measure_.bags(X)) @ self.coefficients_ + self.constants_
        return np.asarray(said, dtype=np.float32)

    def contributions(
        self, X: Any, weights: NDArray[Any], means: NDArray[Any], names: Any = None
    ) -> list[list[Contribution]]:
        """Return what each n-gram of a string adds, wherever it is; or each thing of a bag."""
        bags = self._matrix(self.measure_.bags(X))
        found = []
        for row in range(X.shape[0]):
            own = slice(bags.indptr[row], bags.indptr[row + 1])
            things = bags.indices[own]
            added = bags.data[own] * (self.coefficients_[things] @ weights[row])
            amounts = dict(zip(self.things_[things].tolist(), added.tolist(), strict=True))
            base = Contribution(None, float(weights[row] @ (self.constants_ - means)))
            found.append([base, *self._named(X[row], amounts)])
        return found

    def _named(self, thing: Any, amounts: dict[int, float]) -> list[Contribution]:
        """Write n-grams as they are in a string; each occurrence adds its share."""
        if not isinstance(self.measure_, NGrams):
            return [Contribution(f"label {k}", amount) for k, amount in amounts.items()]
        written = [one for one in self.measure_.found_in(thing) if one[0] in amounts]
        times = Counter(bucket for bucket, *_ in written)
        sums: dict[str, float] = defaultdict(float)
        places: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for bucket, name, place in written:
            sums[name] += amounts[bucket] / times[bucket]
            places[name].append(place)
        return [Contribution(name, sums[name], where=tuple(places[name])) for name in sums]

    def _pick(self, columns: Rows) -> None:
        self.coefficients_ = np.ascontiguousarray(self.coefficients_[:, columns])
        self.constants_ = self.constants_[columns]


@dataclass(eq=False)
class _Ridge:
    """Sparse rows Z, targets Y and luck of folds; solved by rows: A of (Z Zᵀ + penalty) A = Y."""

    matrix: Any
    targets: Floats
    order: Rows

    def chosen(self, n_folds: int) -> tuple[float, Floats]:
        """Return the penalty of the least error out of fold, and scores of all rows out of fold."""
        if self.order.max() == 0:  # equal objects, all of them: nothing can be left out
            return PENALTIES[0], np.broadcast_to(self.targets.mean(axis=0), self.targets.shape)
        folds = self.order % max(2, min(n_folds, int(self.order.max()) + 1))
        best, found = np.inf, (PENALTIES[0], self.targets)
        for penalty in PENALTIES:
            scores = np.empty_like(self.targets)
            for fold in range(int(folds.max()) + 1):
                rest, own = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
                constant = self.targets[rest].mean(axis=0)
                scores[own] = self.matrix[own] @ self.coefficients(penalty, rest) + constant
            error = float(np.square(scores - self.targets, dtype=np.float64).mean())
            if error >= best:
                break
            best, found = error, (penalty, scores)
        return found

    def coefficients(self, penalty: float, rows: Rows) -> Floats:
        """Return those of a ridge on some rows, by conjugate gradients for all targets at once."""
        Z, Y = self.matrix[rows], self.targets[rows] - self.targets[rows].mean(axis=0)
        turned = Z.T.tocsr()
        solution, left = np.zeros_like(Y), Y.copy()
        step, size = Y.copy(), np.einsum("ij,ij->j", Y, Y)
        enough = NEAR_ENOUGH**2 * size
        for _ in range(MOST_STEPS):
            if (size <= enough).all():
                break
            image = Z @ (turned @ step) + np.float32(penalty) * step
            length = size / np.maximum(np.einsum("ij,ij->j", step, image), 1e-30)
            solution += length * step
            left -= length * image
            before, size = size, np.einsum("ij,ij->j", left, left)
            step = left + size / np.maximum(before, 1e-30) * step
        return np.asarray(turned @ solution)


def score_targets(y: NDArray[Any]) -> Floats:
    """Return what is learned of y, (n, T): ±1 of classes and labels, or numbers in one unit."""
    if y.dtype.kind == "f":
        return in_one_unit(y).astype(np.float32)
    found = signs(y, np.unique(y)) if y.ndim == 1 else np.where(y > 0, 1.0, -1.0)
    return found.astype(np.float32)


def _bag_folds(groups: Rows, y: Any, rng: np.random.Generator) -> Rows:
    """Return a turn for each row, to be taken modulo the number of folds.

    Classes are dealt evenly. Where most objects are repeated, equal objects have the same turn.
    Where few are repeated, as among surnames, equal objects may have different turns: new rows
    will repeat the common ones too. If all rows of a common surname were left out together, the
    model would learn to distrust everything that is similar to it.
    """
    _, first, numbers, counts = np.unique(
        groups, return_index=True, return_inverse=True, return_counts=True
    )
    if np.mean(counts == 1) >= MOSTLY:
        first = numbers = np.arange(len(groups))
    turns = np.empty(len(first), dtype=np.intp)
    turns[in_turn(np.asarray(y)[first], rng)] = np.arange(len(first))
    return turns[numbers.ravel()]
