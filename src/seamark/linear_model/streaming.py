"""Heads that add up: features of a sample decide what is open, sums over all rows the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..data import seed_from, with_seed
from ..engine import backend
from ..features import Features, Mask, Rows, Selected
from ..targets import signs
from .fitting import RidgeTask, ridges_of
from .moments import Standard
from .sums import FoldSums, Precision

Floats = NDArray[np.float64]
Hashes = NDArray[np.int64]


class AllRows(Protocol):
    """All the rows that a sample was taken from."""

    n_rows: int

    def add_up(self, part: ChunkSums) -> Any:
        """Add up what `part` makes of the features, targets, weights and hashes of each chunk."""


class SampledFeatures(Features):
    """Features of a sample of rows, behind which there are many more.

    A head that adds up (`StreamedRidge`) takes its standards and calibration from the sample, and
    its sums from all rows.

    Parameters
    ----------
    sample : Features
    hashes : ndarray of int
        Of the sampled objects: they say the folds.
    everything : AllRows
    """

    def __init__(self, sample: Features, hashes: Hashes, everything: AllRows) -> None:
        self.sample, self.everything = sample, everything
        self.shape, self.order, self.owners = sample.shape, sample.order, sample.owners
        self.made_with_targets = sample.made_with_targets
        self.groups = hashes
        self.sampled = self

    def chunks(self, columns: Any = None) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield blocks of the sample."""
        return self.sample.chunks(columns)

    def reduce(self, part: Callable[[slice, NDArray[Any]], Any], columns: Any = None) -> Any:
        """Pass over the sample."""
        return self.sample.reduce(part, columns)

    def rows(self, indices: Rows, columns: Any = None) -> NDArray[Any]:
        """Pick rows of the sample."""
        return self.sample.rows(indices, columns)

    def on_device(self) -> Features | None:
        """As the sample says."""
        return self.sample.on_device()

    def columns_without(self, hidden: Mask) -> Rows | None:
        """As the sample says."""
        return self.sample.columns_without(hidden)


def hashed_folds(hashes: NDArray[Any], seed: int, n_folds: int) -> Rows:
    """Deal objects to folds by the hash of seed and object; see `deal`."""
    return np.asarray((with_seed(hashes, seed) % np.uint64(n_folds)).astype(np.intp))


@dataclass(frozen=True, eq=False)
class ChunkSums:
    """What is added up: the sums of one chunk, about a centre that all chunks share.

    Attributes
    ----------
    standard : tuple of two ndarrays of shape (R + T,)
        Centre and scale of features and targets.
    columns : list of ndarray
        Features in use, one choice among another.
    seed, n_folds : int
        Deal the folds.
    classes : ndarray or None
        Targets are ±1 for each of these; None: they are numbers.
    precision, centred
        As in `FoldSums.of`.
    """

    standard: tuple[Floats, Floats]
    columns: list[Rows]
    seed: int
    n_folds: int
    classes: NDArray[Any] | None
    precision: Precision
    centred: bool

    def __call__(
        self, features: Features, y: NDArray[Any], weights: Floats | None, hashes: Hashes
    ) -> Any:
        """Return the sums of a chunk; None if no row of it has any weight."""
        if weights is not None and not (weights > 0).any():
            return None
        for some in self.columns:
            features = Selected(features, some)
        folds = hashed_folds(hashes, self.seed, self.n_folds)
        how: Any = {"n_folds": self.n_folds, "centred": self.centred, "standard": self.standard}
        how["precision"] = self.precision
        there = features.on_device() if backend().device is not None else None
        classes = self.classes
        if there is not None and classes is not None:
            from .on_device import DeviceSums

            which = np.clip(y, 0, len(classes) - 1).astype(np.int32)  # classes are mostly 0, 1, …
            if np.array_equal(classes[which], y):
                targets = signs(classes, classes)
                return DeviceSums.of(there, targets, folds, weights, which=which, **how)
        Y = y.reshape(len(y), -1) if classes is None else signs(y, classes)
        return FoldSums.of(features, Y, folds, weights, **how)


@dataclass(frozen=True, eq=False)
class StreamedTask(RidgeTask):
    """A ridge whose features, targets and folds are those of a sample, and its sums of all rows."""

    everything: AllRows | None = None
    seed: int = 0
    n_folds: int = 1
    classes: NDArray[Any] | None = None

    @property
    def is_wide(self) -> bool:
        """Never: there are many rows."""
        return False

    def ridges(
        self, standard: tuple[Floats, Floats] | None = None, precision: Precision = "double"
    ) -> Any:
        """Pass over all rows once, and add up their products."""
        if self.everything is None:
            raise TypeError("a task of a sample needs the rows that it is a sample of.")
        how = Standard.of(
            self.features,
            self.Y,
            self.folds,
            self.weights,
            columns=None,
            dtype=np.float64,
            centred=self.centred,
            standard=standard,
        )
        columns: list[Any] = []
        features = self.features
        while isinstance(features, Selected):
            columns.insert(0, features.columns)
            features = features.features
        part = ChunkSums(
            (how.centre[1:], how.scale[1:]),
            columns,
            self.seed,
            self.n_folds,
            self.classes,
            precision,
            self.centred,
        )
        sums = self.everything.add_up(part)
        if sums.fold_weights.min() <= 0:
            raise ValueError(
                f"{self.n_folds} folds cannot be made: too few objects differ; give fewer (cv=), "
                "or the penalty as a number."
            )
        return ridges_of(replace(sums, allowed=self.allowed), self.centred)


def streamed_task(
    task: RidgeTask, sampled: Any, cv: Any, rng: Any, classes: NDArray[Any] | None
) -> StreamedTask:
    """Return the task of a sample as one of all rows, dealt to folds if there is an rng.

    `sampled` are the `SampledFeatures` of the task.
    """
    n_folds, seed, folds = 1, 0, task.folds
    if rng is not None:
        if not isinstance(cv, (int, np.integer)) or cv < 2:
            raise ValueError(
                f"cv must be a number of folds from 2, not {cv!r}, where rows are read in chunks: "
                "folds are then dealt by a hash of each object."
            )
        n_folds, seed = int(cv), seed_from(rng)
        dealt = hashed_folds(np.asarray(sampled.groups), seed, n_folds)
        folds = np.where(folds >= 0, dealt, -1)
    known = {**vars(task), "folds": folds, "behind": sampled.everything.n_rows}
    return StreamedTask(
        **known, everything=sampled.everything, seed=seed, n_folds=n_folds, classes=classes
    )
