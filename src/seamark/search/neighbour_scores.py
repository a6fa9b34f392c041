"""Scores of neighbours: few features that say what the nearest objects of fit were like."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..data import Domain
from ..landmarks import groups_in
from ..maps.base import Contribution, Floats32
from ..maps.scores import Scores, score_targets
from ..measures import Measure, get
from ..validation import check_columns, generator, require_count
from .prune import Nearest, Searched, without_own

Rows = NDArray[np.intp]

# Numbers of neighbours, and how fast their votes fade from the nearest to the last of them.
NUMBERS = (1, 3, 5, 10, 20, 30)
DECAYS = (0.0, 2.0, 4.0, 8.0)
CLEARLY = 1e-3  # of the error that another choice must spare
FARTHEST = np.float32(1e37)  # in place of an infinite distance


class NeighbourScores(Scores):
    """What the nearest objects vote for: one feature for each class, or number.

    A feature is the weighted mean of the targets of the k nearest objects of `fit` under a measure,
    found exactly. Votes fade with distance: of the i-th neighbour the weight is
    exp(−h (d_i − d_1) / (d_k − d_1)), whatever the unit of the measure. Numbers k and h are
    chosen by the squared error of rows of `fit`, each without itself and its equals. These votes
    are what a model sees of its own rows (`fit_unseen`).

    Where landmarks are far fewer than rows, only neighbours see what is true of a few rows alone.

    Parameters
    ----------
    measure : Measure, str or callable, default="euclidean"
        A distance, or a similarity: then the most similar are the nearest.
    n_neighbors : int, default=30
        The most that vote for an object.
    n_objects : int, optional
        The most different objects that have a vote, drawn at random; default: all.
    n_jobs : int, optional
        Threads or processes of the measure.
    random_state : int, RandomState or Generator, optional
        Draws objects.

    Attributes
    ----------
    measure_ : Measure
        Fitted.
    objects_ : objects
        Those that have a vote. They all differ.
    targets_ : ndarray of shape (number of objects, number of features), float16
        Of equal objects the mean.
    k_, decay_ : int, float
        Neighbours that vote, and h.

    Examples
    --------
    >>> import seamark as sm
    >>> names = ["Anna", "Hanna", "Johanna", "Otto", "Ottokar", "Ottilo"]
    >>> scores = sm.NeighbourScores("levenshtein").fit(names, [0, 0, 0, 1, 1, 1])
    >>> (scores.transform(["Susanna", "Lotto"]) > 0).ravel()
    array([False,  True])
    """

    def __init__(
        self,
        measure: Any = "euclidean",
        *,
        n_neighbors: int = 30,
        n_objects: int | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.measure = measure
        self.n_neighbors = n_neighbors
        self.n_objects = n_objects
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        """That of the measure."""
        return get(self.measure).domain

    def fit_unseen(self, X: Any, y: Any) -> Floats32:
        """Keep the objects, and return the votes on each row of X without itself or its equals."""
        require_count("n_neighbors", self.n_neighbors)
        if self.n_objects is not None:
            require_count("n_objects", self.n_objects)
        objects, rng = self._read(X, y), generator(self.random_state)
        self.__dict__.pop("_searched", None)  # of an earlier fit
        measure: Measure = clone(get(self.measure))
        measure.check_parameters()
        measure.distance_sign()  # there is one
        self.look_ = self.domain.look(objects)
        self.measure_ = measure.fitted_to(objects, rng)
        targets = score_targets(np.asarray(y))
        _, first, group = np.unique(
            groups_in(objects, self.domain), return_index=True, return_inverse=True
        )
        group, voters = group.ravel(), np.arange(len(first))
        if self.n_objects is not None and self.n_objects < len(first):
            voters = np.sort(rng.choice(len(first), self.n_objects, replace=False))
        sums = np.zeros((len(first), targets.shape[1]))
        np.add.at(sums, group, targets)
        means = sums / np.bincount(group)[:, None]
        self.objects_ = _in_little_room(self.domain.landmarks(objects, first[voters]))
        self.targets_ = means[voters].astype(np.float16)
        self.n_features_out_ = targets.shape[1]
        self.feature_numbers_ = np.arange(self.n_features_out_)
        place = np.full(len(first), -1)
        place[voters] = np.arange(len(voters))
        return self._chosen(objects, place[group], targets)

    def _chosen(self, objects: Any, own: Rows, targets: Floats32) -> Floats32:
        """Choose how many vote, and how votes decay; return the votes of others than `own`."""
        keys, rows = self._nearest(objects, min(self.n_neighbors, len(self.targets_) - 1) + 1)
        keys, rows = without_own(keys, rows, own)
        self.k_, self.decay_, least = 0, 0.0, np.inf
        unseen = np.broadcast_to(targets.mean(axis=0), targets.shape)
        for k in [k for k in NUMBERS if k <= keys.shape[1]]:
            for decay in DECAYS if k > 1 else DECAYS[:1]:
                votes = self._votes(keys[:, :k], rows[:, :k], decay)
                error = float(np.square(votes - targets, dtype=np.float64).mean())
                if error < (1 - CLEARLY) * least:
                    self.k_, self.decay_, least, unseen = k, decay, error, votes
        self.informative_ = self.k_ > 0
        return np.asarray(unseen, dtype=np.float32)

    def _nearest(self, X: Any, k: int) -> tuple[Floats32, Rows]:
        """Return keys of the k nearest, which rise with distance, and their places."""
        near = Nearest(X.shape[0], k)
        self._searched.scan(X, near)
        last = len(self.targets_) - 1  # for what is no number
        return np.minimum(near.keys, FARTHEST), np.minimum(near.rows, last)

    @cached_property
    def _searched(self) -> Searched:
        """The objects, compiled for a search."""
        return Searched(self.measure_, self.objects_, self.n_jobs)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_searched"}

    def _votes(self, keys: Floats32, rows: Rows, decay: float) -> Floats32:
        """Return the weighted means of the targets of neighbours, the nearest first."""
        shares = _shares(keys, decay)
        votes = np.zeros((len(rows), self.targets_.shape[1]), dtype=np.float32)
        for share, row in zip(shares.T, rows.T, strict=True):
            votes += share[:, None] * self.targets_[row]
        return votes

    def ingest(self, X: Any) -> Any:
        """Return objects like those of fit."""
        objects = self.domain.ingest(X)
        check_columns(self, X, objects, reset=False)
        self.domain.require_alike(objects, self.look_)
        return objects

    def groups(self, X: Any) -> Rows:
        """Return the number of each ingested object's group; equal ones share it."""
        return groups_in(X, self.domain)

    def block(self, X: Any) -> Floats32:
        """Votes on a few ingested objects."""
        if self.k_ == 0:
            mean = self.targets_.mean(axis=0, dtype=np.float32)
            return np.tile(mean, (X.shape[0], 1))
        return self._votes(*self._nearest(X, self.k_), self.decay_)

    def contributions(
        self, X: Any, weights: NDArray[Any], means: NDArray[Any], names: Any = None
    ) -> list[list[Contribution]]:
        """Return what each neighbour of an object adds."""
        keys, rows = self._nearest(X, self.k_)
        shares, sign = _shares(keys, self.decay_), self.measure_.distance_sign()
        return [
            [
                Contribution(
                    self.objects_[int(row)],
                    float(share * (self.targets_[row].astype(np.float32) - means) @ weights[i]),
                    float(sign * key),
                )
                for share, row, key in zip(shares[i], rows[i], keys[i], strict=True)
            ]
            for i in range(X.shape[0])
        ]

    def _pick(self, columns: Rows) -> None:
        self.targets_ = np.ascontiguousarray(self.targets_[:, columns])


def _in_little_room(objects: Any) -> Any:
    """Return vectors as float32 where that changes none of their numbers."""
    if not isinstance(objects, np.ndarray):
        return objects
    short = objects.astype(np.float32)
    return short if np.array_equal(short, objects, equal_nan=True) else objects


def _shares(keys: Floats32, decay: float) -> Floats32:
    """Return the weights of neighbours, which add up to 1; the nearest come first.

    Examples
    --------
    >>> _shares(np.array([[2.0, 3.0, 4.0], [1.0, 1.0, 1.0]], np.float32), 2.0).round(2)
    array([[0.67, 0.24, 0.09],
           [0.33, 0.33, 0.33]], dtype=float32)
    """
    beyond = keys - keys[:, :1]
    width = beyond[:, -1:]
    shares = np.exp(np.float32(-decay) * beyond / np.where(width > 0, width, np.float32(1.0)))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))
