"""`partial_fit`: landmarks and transfers of the first chunk of rows, sums over all that come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state

from .. import engine
from ..data import seed_from, with_seed
from ..features import InMemory, Mask, Rows
from ..linear_model.ridge import StreamedRidge
from ..linear_model.ridge_fit import ChunkSums, hashed_folds
from ..linear_model.ridge_statistics import FoldSums
from ..maps.features import ComputedFeatures
from ..targets import (
    checked_weights,
    class_factors,
    classes_of_block,
    label_matrix,
    signs,
)
from ..validation import require_same_length

Floats = NDArray[np.float64]

# Rows whose features `partial_fit` keeps: calibration and units come from them; and how many of
# these are of each class at least, where there are so many.
POOL_ROWS, OF_A_CLASS = 2000, 20


@dataclass(eq=False)
class IncrementalState:
    """What is known of all rows so far.

    Attributes
    ----------
    head : StreamedRidge
        Unfitted.
    seed : int
        Deals the folds, by a hash of each object.
    n_folds : int
    hidden : list of ndarray
        Features that the model without each fold may use; empty: all.
    sums : FoldSums or None
        Of all rows.
    features, y, weights, hashes : ndarray
        Of the rows in the pool; y is a column for each target or class code.
    luck : ndarray
        Rows of the least luck are in the pool.
    n_rows : int
    """

    head: Any
    seed: int
    n_folds: int
    hidden: list[Any]
    sums: Any = None
    features: Any = None
    y: Any = None
    weights: Any = None
    hashes: Any = None
    luck: Any = None
    n_rows: int = 0

    @classmethod
    def begun(cls, model: Any, objects: Any) -> IncrementalState:
        """Return what is known before the first row; the model was fitted to these objects."""
        head = clone(model.head_)
        if not isinstance(head, StreamedRidge) or getattr(head, "n_features", None) is not None:
            raise ValueError(
                f"partial_fit adds up sums of rows, and {type(head).__name__} "
                + ("keeps none" if not isinstance(head, StreamedRidge) else "chooses its columns")
                + '; take head="ridge" and a number of landmarks.'
            )
        if not isinstance(head.cv, (int, np.integer)) or head.random_state is None:
            raise ValueError("partial_fit deals folds itself; give the head a number of them, cv=.")
        seed, n_folds = seed_from(check_random_state(head.random_state)), int(head.cv)
        hashes = _hashes(model.map_, objects)
        folds = hashed_folds(hashes, seed, n_folds)
        while n_folds > 2 and len(np.unique(folds)) < n_folds:  # few rows may leave one empty
            n_folds -= 1
            folds = hashed_folds(hashes, seed, n_folds)
        head.set_params(cv=n_folds)
        hidden = [model.map_.columns_without(np.flatnonzero(folds == k)) for k in range(n_folds)]
        every = all(columns is None for columns in hidden)
        return cls(head, seed, n_folds, [] if every else hidden)

    def add(self, map: Any, objects: Any, Y: Floats, weights: Floats | None, y: Any) -> None:
        """Take in a chunk of rows: targets Y for the sums, and y as the head reads them."""
        hashes = _hashes(map, objects)
        folds = hashed_folds(hashes, self.seed, self.n_folds)
        features = ComputedFeatures(map, objects)
        if self.sums is None:
            first = features.rows(np.arange(min(len(Y), POOL_ROWS))).astype(np.float64)
            both = np.concatenate([first, Y[: len(first)]], axis=1)
            scale = both.std(axis=0)
            standard = both.mean(axis=0), np.where(scale > 0, scale, 1.0)
        else:
            standard = self.sums.centre[1:], self.sums.scale[1:]
        sums = FoldSums.of(features, Y, folds, weights, n_folds=self.n_folds, standard=standard)
        self.sums = sums if self.sums is None else self.sums + sums
        self._pool(features, y, weights, hashes)
        self.n_rows += len(Y)

    def _pool(self, features: Any, y: Any, weights: Any, hashes: Rows) -> None:
        """Draw a block's rows into the pool, whose rows all have the same chance to be there."""
        n, size = len(y), POOL_ROWS
        luck = with_seed(np.arange(self.n_rows, self.n_rows + n), self.seed).astype(np.float64)
        most = np.inf if self.luck is None or len(self.luck) < size else self.luck.max()
        rows = np.flatnonzero(luck <= most)
        rows = np.sort(rows[np.argsort(luck[rows])][:size])
        rare = _some_of_each(y, luck) if y.dtype.kind == "i" else rows[:0]
        rows = np.union1d(rows, rare).astype(np.intp)
        w = np.ones(n) if weights is None else weights
        new = features.rows(rows).astype(np.float32), y[rows], w[rows], hashes[rows], luck[rows]
        old = (self.features, self.y, self.weights, self.hashes, self.luck)
        joined = [b if a is None else np.concatenate([a, b]) for a, b in zip(old, new, strict=True)]
        kept = np.argsort(joined[4], kind="stable")[:size]
        if y.dtype.kind == "i":
            kept = np.union1d(kept, _some_of_each(joined[1], joined[4]))
        kept = np.sort(kept)
        self.features, self.y, self.weights, self.hashes, self.luck = (a[kept] for a in joined)

    def add_up(self, part: ChunkSums) -> FoldSums:
        """Return the sums as a head asks for them: some columns, about its own centre."""
        sums = self.sums
        columns = np.arange(sums.n_features)
        for some in part.columns:
            columns = columns[some]
        targets = np.arange(sums.n_targets)
        if part.classes is not None:
            seen = np.unique(self.y)[part.classes]
            targets = seen if len(seen) > 2 else seen[1:]
        centre, scale = part.standard
        chosen: FoldSums = sums.some(columns, targets)
        return chosen.about(np.r_[0.0, centre], np.r_[1.0, scale])

    def fitted(self, y: NDArray[Any], map: Any) -> Any:
        """Return the head, fitted to all rows so far; y are the pool's targets as it reads them."""
        pool = _Pool(self.features, self.hidden, self.hashes, self)
        pool.owners = map.owners() if map.is_union else None
        even = bool((self.weights == self.weights[0]).all())
        return clone(self.head).fit(
            pool.sample_of(self, self.hashes), y, None if even else self.weights
        )


class _Pool(InMemory):
    """Features of the pool; a fold's model does without landmarks of the fold."""

    def __init__(
        self, matrix: Any, hidden: list[Any], hashes: Rows, state: IncrementalState
    ) -> None:
        super().__init__(matrix)
        self.hidden = hidden
        self.folds = hashed_folds(hashes, state.seed, state.n_folds)

    def columns_without(self, hidden: Mask) -> Rows | None:
        """Return the features that the model without these rows' fold may use."""
        if not self.hidden or not hidden.any():
            return None
        columns: Rows | None = self.hidden[int(self.folds[int(np.argmax(hidden))])]
        return columns


def _some_of_each(y: NDArray[Any], luck: Floats) -> Rows:
    """Return a few rows of every class, those of the least luck."""
    rows = [np.flatnonzero(y == code) for code in np.unique(y)]
    return np.sort(np.concatenate([some[np.argsort(luck[some])][:OF_A_CLASS] for some in rows]))


def _hashes(map: Any, objects: Any) -> Rows:
    """Return a hash of each object: it says the fold, whatever block a row comes in."""
    with engine.using(hashed_from=0):
        return np.asarray(map.groups(objects))


def first_fit(model: Any, X: Any, y: Any, sample_weight: Any) -> None:
    """Fit to the first block; sums of rows are not to hold features that y has decided."""
    model._in_blocks = True
    try:
        model.fit(X, y, sample_weight)
    finally:
        del model._in_blocks


def add_rows(model: Any, X: Any, Y: Floats, y: Any, sample_weight: Any) -> None:
    """Add a chunk of rows to what a model knows; its map is fitted."""
    objects = model._ingested(X)
    require_same_length(objects, Y)
    weights = None
    if sample_weight is not None:
        weights = checked_weights(sample_weight, len(Y), some=False)
    if not hasattr(model, "incremental_"):
        model.incremental_ = IncrementalState.begun(model, objects)
    model.incremental_.add(model.map_, objects, Y, weights, y)


def add_classes(model: Any, X: Any, y: Any, classes: Any, sample_weight: Any) -> None:
    """Add a chunk of rows to what a classifier knows, and fit its head anew."""
    if isinstance(model.class_weight, str):
        raise ValueError("class_weight='balanced' needs all rows at once; give a dict.")
    if hasattr(model, "incremental_"):
        known, codes = classes_of_block(y, model.known_classes_)
    else:
        known, codes = classes_of_block(y, classes=classes)
        first_fit(model, X, y, sample_weight)
        model.known_classes_ = known
    if model.class_weight is not None:
        given = checked_weights(sample_weight, len(codes), some=False)
        sample_weight = given * class_factors(model.class_weight, known, codes)
    Y = signs(codes, np.arange(len(known)), each=True)
    add_rows(model, X, Y, codes, sample_weight)
    seen, pool = np.unique(model.incremental_.y, return_inverse=True)
    model.classes_ = known[seen]
    model.head_ = model.incremental_.fitted(pool, model.map_)


def add_labels(model: Any, X: Any, y: Any, labels: Any, sample_weight: Any) -> None:
    """Add a chunk of rows with any number of labels each, and fit the head anew."""
    if not hasattr(model, "incremental_"):
        if labels is not None:
            labels = np.unique(np.asarray(labels))
            y = label_matrix(labels, y)
        first_fit(model, X, y, sample_weight)
        model.classes_ = model.classes_ if labels is None else labels
    Y = label_matrix(model.classes_, y).astype(np.float64)
    add_rows(model, X, Y, Y, sample_weight)
    model.head_ = model.incremental_.fitted(model.incremental_.y, model.map_)
