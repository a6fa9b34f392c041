"""Many rows: what is open is settled on a sample of them, and the head's sums are over all."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..data import Domain
from ..data.tables import part_of
from ..estimating import check_columns
from ..io import Checkpoint, Chunk, HashedSample, Pass, RowSource
from ..io.checkpoint import key_of
from ..io.sample import classes_of, hashes_of
from ..landmarks import NOT_A_ROW
from ..linear_model.streaming import ChunkSums, SampledFeatures
from ..linear_model.sums import FoldSums
from ..maps.seen_rows import Unseen
from ..maps.united import ComputedFeatures

Floats = NDArray[np.float64]


@dataclass(eq=False)
class ManyRows:
    """All rows of a source, for heads that add up; the sample of them is a `HashedSample`."""

    source: RowSource
    domain: Domain
    sample: HashedSample
    shown: tuple[Any, Any]
    """Raw and ingested objects of the first rows, which have the columns' names."""
    progress: bool | engine.Progress = False
    folder: Path | None = None
    map: Any = None
    classes: NDArray[Any] | None = None
    factors: Floats | None = None
    """For each class, a factor by which the weights of its rows are multiplied."""
    unseen: Unseen | None = None
    n_rows: int = field(init=False)

    def __post_init__(self) -> None:
        self.n_rows = self.sample.n_rows

    @property
    def rng(self) -> np.random.Generator:
        """What the rest of the fit draws from: the same when it is resumed."""
        return np.random.default_rng(self.sample.seed)

    def behind(self, features: Any) -> SampledFeatures:
        """Return features of the sample, with all rows behind them."""
        self.map = features.map
        self.unseen = Unseen.of(features, self.sample.hashes)
        return SampledFeatures(features, self.sample.hashes, self)

    def add_up(self, part: ChunkSums) -> FoldSums:
        """Pass over all rows."""
        work = ChunkWork(self.map, self.domain, part, self.classes, self.factors, self.unseen)
        with engine.step("values"):
            how = Pass(self._checkpoint(part), self.progress)
            found: FoldSums = self.source.reduce(work, how)
        return found

    def _checkpoint(self, part: ChunkSums) -> Checkpoint | None:
        if self.folder is None:
            return None
        known = self.sample
        maps = [part for one in self.map.blocks_ for part in _told_apart_by(one)]
        key = key_of(
            *part.standard, *part.columns, part.seed, part.n_folds, part.precision, part.centred,
            known.keys, known.rows, known.weights, known.codes, known.sums, *maps, self.factors,
            None if self.classes is None else self.classes.tolist(),
        )  # fmt: skip
        chunks = [digest for _, digest in sorted(known.digests.items())]
        data = list(accumulate(chunks, key_of, initial=""))
        width = len(part.standard[0])
        n_features = width - known.sums.shape[1]
        if part.classes is not None:
            n_features = width - (len(part.classes) if len(part.classes) > 2 else 1)
        centre, scale = (
            np.r_[first, rest] for first, rest in zip((0.0, 1.0), part.standard, strict=True)
        )

        def taking(arrays: dict[str, NDArray[Any]]) -> FoldSums:
            shape = (part.n_folds, width + 1, width + 1)
            moments = arrays.get("moments")
            if moments is None or moments.shape != shape or moments.dtype != np.float64:
                raise ValueError(f"the checkpoint in {self.folder} holds no sums of this fit.")
            return FoldSums(moments, centre, scale, n_features, part.precision)

        def arrays(sums: FoldSums) -> dict[str, NDArray[Any]]:
            return {"moments": sums.moments}

        return Checkpoint(self.folder, f"sums-{part.precision}", key, data, arrays, taking)

    def finish(self, model: Any) -> None:
        """Give landmarks the numbers of their rows in the source, and the model its columns."""
        whole = model.map_
        for one in whole.blocks_:
            _rename_rows(getattr(one, "map_", one), self.sample.rows)
        model.landmark_indices_ = whole.landmark_indices_
        model.landmark_sources_ = whole.landmark_sources_
        raw, objects = self.shown
        check_columns(model, raw, objects, reset=True)
        if not whole.is_union or hasattr(whole, "n_features_in_"):
            check_columns(whole, raw, objects, reset=True)
        for one, columns in zip(*_parts_of(whole), strict=True):
            if hasattr(one, "n_features_in_"):
                part = part_of(raw, columns, one.domain)
                check_columns(one, part, part, reset=True)
        model.n_rows_ = self.n_rows


@dataclass(frozen=True, eq=False)
class ChunkWork:
    """From a chunk of raw rows to its sums; it can travel."""

    map: Any
    domain: Domain
    part: ChunkSums
    classes: NDArray[Any] | None
    factors: Floats | None
    unseen: Unseen | None = None

    def __call__(self, chunk: Chunk) -> Any:
        """Ingest, compute features, add up."""
        objects = chunk.ingested(self.domain)
        if self.map.is_union:
            given = chunk.naming(self.map.ingest, objects)
        else:
            self.domain.require_alike(objects, self.map.look_)
            given = objects
        y, weights = np.asarray(chunk.target), chunk.weight
        if self.classes is not None:
            y = _codes(y, self.classes, chunk.first)
            if self.factors is not None:
                weights = self.factors[y] * (1.0 if weights is None else weights)
        hashes = hashes_of(self.domain, objects, chunk)
        features = ComputedFeatures(self.map, given)
        if self.unseen is not None:
            features = self.unseen.put_into(features, hashes)
        return self.part(features, y.astype(np.float64), weights, hashes)


def _codes(y: NDArray[Any], classes: NDArray[Any], first: int) -> NDArray[np.intp]:
    """Return the number of each row's class."""
    names, which = classes_of(y)
    found = np.minimum(np.searchsorted(classes, names), len(classes) - 1)
    if not np.array_equal(classes[found], names):
        bad = names[classes[found] != names][0]
        raise ValueError(
            f"the rows from {first} on have the class {bad!r}, which was not there when they were "
            "read before; rows must not change while a model is fitted."
        )
    return np.asarray(found[which])


def _told_apart_by(one: Any) -> tuple[Any, Any, Any]:
    """Return what tells a fitted map from others that are fitted to the same sample."""
    return type(one).__name__, one.landmark_indices_, getattr(one, "transfers_", None)


def _rename_rows(one: Any, rows: NDArray[np.intp]) -> None:
    """Have the landmarks of a map be those of rows of the source, in place of the sample's."""
    for name in ("landmark_indices_", "landmark_sources_"):
        at = getattr(one, name)
        if at is not None:
            setattr(one, name, np.where(at == NOT_A_ROW, NOT_A_ROW, rows[at]))


def _parts_of(whole: Any) -> tuple[list[Any], list[Any]]:
    """Return the maps of a union that read columns by name, and these."""
    if not whole.is_union or all(columns is None for columns in whole.columns_):
        return [], []
    return whole.maps_, whole.columns_
