"""What a fitted landmark map computes: values of objects against landmarks, and features."""

from __future__ import annotations

from copy import copy
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .. import engine
from ..data import Domain
from ..estimating import ObjectEstimator, as_measures
from ..features import location
from ..landmarks import NOT_A_ROW, Landmarks, groups_in
from ..measures import Columns, Measure
from ..transfers import Seen, Transfer
from .base import Map
from .chunks import dense32
from .grid import Grid
from .negative import reject_negative
from .pilot import Pilot

Rows = NDArray[np.intp]
Values = NDArray[np.float32]

LEAST_UNIT = 0.1  # of the median one, where only a sample of the rows was seen


class Evaluating(Map, ObjectEstimator):
    """What landmarks, measures and transfers make of objects; `LandmarkMap` chooses them."""

    takes_parts: ClassVar[bool] = True
    passthrough: bool
    scale: bool
    n_jobs: int | None
    measures_: list[Measure]
    transfers_: list[Transfer]
    scale_: float
    mean_: NDArray[np.float64] | None
    deviation_: NDArray[np.float64] | None
    landmark_order_: Rows | None
    _numbers: Rows | None = None  # of a part: those of its landmarks in the whole, for messages

    def _set_landmarks(self, chosen: Landmarks, columns: Rows | None = None) -> None:
        self.landmarks_ = chosen.objects
        self.landmark_indices_, self.landmark_sources_ = chosen.indices, chosen.sources
        self.pairs_ = chosen.pairs
        self.landmark_order_ = chosen.order
        self.n_landmarks_ = len(chosen)
        self.columns_ = columns
        self._recipes: list[engine.Recipe | None] | None = None

    def _chosen_landmarks(self) -> Landmarks:
        """Return the landmarks as a strategy returned them."""
        parts = self.landmark_indices_ is None and self.landmark_sources_ is not None
        return Landmarks(self.landmarks_, self.landmark_sources_, self.pairs_, are_parts=parts)

    @property
    def are_rows(self) -> bool:
        """Whether all landmarks are rows of the X of fit."""
        indices = self.landmark_indices_
        return indices is not None and NOT_A_ROW not in indices

    @property
    def feature_order(self) -> Rows | None:  # type: ignore[override]
        """Features in the order in which to take the leading ones; None: as they stand."""
        order = self.landmark_order_
        if order is None or not self.is_divisible:
            return None
        return np.concatenate([order + m * len(order) for m in range(len(self.measures_))])

    def kind_of(self, measure: Measure) -> str | None:
        """Kind of what landmarks see by a measure: the measure's own, or differences of pairs."""
        return measure.kind if self.pairs_ is None else "difference"

    @property
    def grid(self) -> Grid:
        """Which landmark each measure is evaluated at."""
        return Grid(len(self.measures_), self.n_landmarks_, self.columns_)

    def _has_cells(self, kept: Rows) -> bool:
        """Whether features may stand in another order than landmarks, and have numbers for it.

        All columns of a matrix do: they stay in its order (see `Landmarks.columns_in_order`).
        """
        if len(self.measures_) > 1 or self.columns_ is not None:
            return True
        columns = self.landmarks_
        return isinstance(columns, Columns) and columns[kept].are_all

    def recipes(self) -> list[engine.Recipe | None]:
        """What to evaluate for each measure; None: nothing is left of it."""
        if self._recipes is None:
            every = [self.landmarks_] * len(self.measures_)
            if self.columns_ is not None:
                every = [self.landmarks_[read] for read in self.grid.read()]
            self._recipes = []
            for measure, some in zip(self.measures_, every, strict=True):
                found = measure.recipe(some) if some.shape[0] else None
                self._recipes.append(found)
        return self._recipes

    @property
    def _evaluated(self) -> Grid:
        """Which landmark each measure is evaluated at, in the order of the values."""
        cells = None if self.columns_ is None else np.sort(self.columns_)
        return Grid(len(self.measures_), int(self.landmarks_.shape[0]), cells)

    @property
    def n_values(self) -> int:
        """How many values of an object there are: measures times landmarks, or what is in use."""
        every = len(self.measures_) * int(self.landmarks_.shape[0])
        return every if self.columns_ is None else len(self.columns_)

    def values_behind(self, columns: Rows) -> Rows:
        """Return which values some features are made of, in the order of `subset`'s values."""
        if self.pairs_ is not None:
            return np.unique(self.pairs_[columns])
        if self._has_cells(columns):
            return np.searchsorted(self._evaluated.numbers, np.sort(self.grid.numbers[columns]))
        return columns

    def part(self, values: Rows) -> Self:
        """Return a copy to evaluate some of the values only, rising; `subset` is for features."""
        kept, cells = self._evaluated.subset(values)
        part = copy(self)
        part._set_landmarks(Landmarks(self.landmarks_[kept]), cells)
        part._numbers = kept
        return part

    def values(self, X: Any, progress: bool | engine.Progress = False) -> Values:
        """Values of ingested objects against the landmarks; measures side by side."""
        blocks = []
        for m, (recipe, measure, transfer) in enumerate(
            zip(self._recipes or self.recipes(), self.measures_, self.transfers_, strict=True)
        ):
            if recipe is None:
                continue
            block = engine.run(recipe, X, n_jobs=self.n_jobs, progress=progress)
            if transfer.needs_distances and block.min(initial=0.0) < 0:
                read = self.grid.read()[m] if self.pairs_ is None else None
                numbers = read if self._numbers is None else self._numbers[read]
                reject_negative(block, measure, numbers)
            blocks.append(block)
        return blocks[0] if len(blocks) == 1 else np.concatenate(blocks, axis=1)

    def features(self, values: Values, transfers: list[Transfer] | None = None) -> Values:
        """Features from values, which may be overwritten."""
        transfers = transfers or self.transfers_
        parts = []
        one = len(transfers) == 1
        for transfer, block in zip(
            transfers, [values] if one else self._split(values), strict=True
        ):
            own = block if self.pairs_ is None else self.paired(block)
            made = transfer.apply(own)
            if transfer.averaged:
                made *= np.float32(self.scale_)
            parts.append(made)
        if one and self.columns_ is None:
            return parts[0]
        return self.grid.as_features(np.concatenate(parts, axis=1))

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

    @property
    def domain(self) -> Domain:
        """Domain of the first measure; all have the same."""
        return as_measures(self.measure)[0].domain

    def ingest(self, X: Any) -> Any:
        """Return new objects of the first measure's domain."""
        return self._objects(X, self.measures_[0], reset=False)

    def groups(self, X: Any) -> Rows:
        """Return groups of equal objects; rows of a precomputed matrix are never equal."""
        return groups_in(X, self.measures_[0].domain)

    @property
    def bytes_per_row(self) -> int:
        """Memory of an object's values, which may be more than its features."""
        return 4 * int(self.landmarks_.shape[0]) * len(self.measures_)

    def block(self, X: Any) -> Values:
        """Features of a few ingested objects."""
        features = self.features(self.values(X))
        return self.with_columns_of(X, features) if self.passthrough else features

    def with_columns_of(self, X: Any, features: Values) -> Values:
        """Append the columns of X itself, if `passthrough` asks for it."""
        if not self.passthrough:
            return features
        return np.concatenate([features, dense32(X)], axis=1)

    def _fit_transfers(self, pilot: Values, X: Any) -> None:
        self.value_ranges_: list[tuple[float, float]] = []
        self.informative_ = False
        for k, (m, values) in enumerate(zip(self.measures_, self._split(pilot), strict=True)):
            looks = self.pairs_ is None and self.transfers_[k].looks_between
            between = self._between(m, X) if looks else None
            own = values if self.pairs_ is None else self.paired(values)
            seen = Seen.of(m, own, between, self.pairs_ is not None)
            self.transfers_[k] = self.transfers_[k].fitted_to(seen)
            self.value_ranges_.append((seen.low, seen.high))
            self.informative_ |= bool(np.ptp(seen.values, axis=0).any())

    def _between(self, measure: Measure, X: Any) -> Values:
        """Values of landmarks against landmarks, for a transfer that looks at them."""
        if measure.compares_parts:
            raise ValueError(
                f"{self.transfer!r} compares landmarks with landmarks, and {measure!r} "
                "compares objects with parts of objects; take a pointwise transfer."
            )
        rows = X[self.landmark_indices_] if self.are_rows else self.landmarks_
        return engine.run(measure.recipe(self.landmarks_), rows, n_jobs=self.n_jobs)

    def _fit_scale(self, pilot: Pilot, X: Any) -> None:
        """Take mean and unit of each feature from the rows whose values are known."""
        if any(t.looks_between for t in self.transfers_):
            return
        features = self.features(pilot.values.copy())
        n_own = features.shape[1]
        features = self.with_columns_of(X[pilot.rows], features)
        self.mean_, deviation = location(features, centred=True)
        if len(pilot.rows) < X.shape[0]:
            # Objects near an outlying landmark may all be missing from a sample: divided by the
            # little that is left, they would outweigh everything else once they come.
            units = deviation[:n_own].reshape(-1, self.n_landmarks_)
            least = LEAST_UNIT * np.median(units, axis=1, keepdims=True)
            np.maximum(units, least, out=units)
        self.deviation_ = deviation

    def scaled(self, features: Values) -> Values:
        """Return features as `transform` gives them: centred and in units of their spread, or not.

        All who work with features inside, models and unions of maps for instance, read them as
        they are.
        """
        if self.mean_ is None or self.deviation_ is None:
            return features
        centred = features - self.mean_  # in float64
        centred /= self.deviation_
        return centred.astype(np.float32)

    def _pick_scale(self, columns: Rows) -> None:
        """Keep means and units of some features."""
        if self.mean_ is not None and self.deviation_ is not None:
            self.mean_, self.deviation_ = self.mean_[columns], self.deviation_[columns]

    def fill(self, X: Any, out: Values) -> None:
        """Write the features of a few ingested objects, as `transform` gives them."""
        out[:] = self.scaled(self.block(X))

    def __getstate__(self) -> dict[str, Any]:
        # Plans are compiled for this machine; landmarks are what is kept.
        return {**super().__getstate__(), "_recipes": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({**state, "_recipes": None})


def unscaled(transformer: Any) -> Any:
    """Return a clone that gives features as they are, for those who scale them in their own way."""
    copy = clone(transformer)
    return copy.set_params(scale=False) if isinstance(copy, Evaluating) else copy
