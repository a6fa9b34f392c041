"""Bearings: values of objects against landmarks, and the features that come of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..estimator import ObjectEstimator
from ..landmarks import NOT_A_ROW, Landmarks
from ..measures import Measure
from ..transfers import Transfer
from .base import Map, dense32
from .grid import Grid

Rows = NDArray[np.intp]
Values = NDArray[np.float32]


class Bearings(Map, ObjectEstimator):
    """What landmarks, measures and transfers make of objects; `LandmarkMap` chooses them."""

    passthrough: bool
    n_jobs: int | None
    measures_: list[Measure]
    transfers_: list[Transfer]
    scale_: float

    def _set_landmarks(self, chosen: Landmarks, columns: Rows | None = None) -> None:
        self.landmarks_ = chosen.objects
        self.landmark_indices_ = chosen.indices
        self.pairs_ = chosen.pairs
        self.n_landmarks_ = len(chosen)
        self.columns_ = columns
        self._recipes: list[engine.Recipe | None] | None = None

    @property
    def are_rows(self) -> bool:
        """Whether all landmarks are rows of the X of fit."""
        indices = self.landmark_indices_
        return indices is not None and NOT_A_ROW not in indices

    def kind_of(self, measure: Measure) -> str | None:
        """Kind of what landmarks see by a measure: the measure's own, or differences of pairs."""
        return measure.kind if self.pairs_ is None else "difference"

    @property
    def grid(self) -> Grid:
        """Which landmark each measure is evaluated at."""
        return Grid(len(self.measures_), self.n_landmarks_, self.columns_)

    def recipes(self) -> list[engine.Recipe | None]:
        """What to evaluate for each measure; None: nothing is left of it."""
        if self._recipes is None:
            every = [self.landmarks_] * len(self.measures_)
            if self.columns_ is not None:
                every = [self.landmarks_[read] for read in self.grid.read()]
            self._recipes = [
                engine.Recipe(measure.compile, landmarks) if landmarks.shape[0] else None
                for measure, landmarks in zip(self.measures_, every, strict=True)
            ]
        return self._recipes

    def values(self, X: Any, progress: bool | engine.Progress = False) -> Values:
        """Values of ingested objects against the landmarks; measures side by side."""
        values = [
            np.empty((X.shape[0], 0), dtype=np.float32)
            if recipe is None
            else engine.run(recipe, X, n_jobs=self.n_jobs, progress=progress)
            for recipe in self.recipes()
        ]
        return values[0] if len(values) == 1 else np.concatenate(values, axis=1)

    def features(self, values: Values, transfers: list[Transfer] | None = None) -> Values:
        """Features from values, which may be overwritten."""
        transfers = transfers or self.transfers_
        parts = []
        for transfer, block in zip(transfers, self._split(values), strict=True):
            features = transfer.apply(self.paired(block))
            if transfer.averaged:
                features *= np.float32(self.scale_)
            parts.append(features)
        whole = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
        return self.grid.as_features(whole)

    def _split(self, values: Values) -> list[Values]:
        if len(self.measures_) == 1:
            return [values]
        if self.columns_ is None:
            return np.split(values, len(self.measures_), axis=1)
        ends = np.cumsum([len(read) for read in self.grid.read()])
        return np.split(values, ends[:-1], axis=1)

    def paired(self, values: Values) -> Values:
        """Differences of pairs, if landmarks come in pairs; else the values."""
        if self.pairs_ is None:
            return values
        return values[:, self.pairs_[:, 0]] - values[:, self.pairs_[:, 1]]

    def all_paired(self, values: Values) -> Values:
        """`paired` for every measure, side by side."""
        return np.concatenate([self.paired(block) for block in self._split(values)], axis=1)

    def ingest(self, X: Any) -> Any:
        """Return new objects of the first measure's domain."""
        return self._objects(X, self.measures_[0], reset=False)

    def groups(self, X: Any) -> Rows:
        """Return groups of equal objects; rows of a precomputed matrix are never equal."""
        return self.measures_[0].domain.groups(X)

    @property
    def bytes_per_row(self) -> int:
        """Memory of an object's values, which may be more than its features."""
        return 4 * int(self.landmarks_.shape[0]) * len(self.measures_)

    def block(self, X: Any) -> Values:
        """Features of a few ingested objects."""
        return self.with_columns_of(X, self.features(self.values(X)))

    def with_columns_of(self, X: Any, features: Values) -> Values:
        """Append the columns of X itself, if `passthrough` asks for it."""
        if not self.passthrough:
            return features
        return np.concatenate([features, dense32(X)], axis=1)

    def __getstate__(self) -> dict[str, Any]:
        # Plans are compiled for this machine; landmarks are what is kept.
        return {**super().__getstate__(), "_recipes": None}
