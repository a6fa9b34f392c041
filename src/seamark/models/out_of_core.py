"""Many rows: what is open is settled on a sample of them, and the head's sums are over all."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..data import (
    Domain,
    anything,
    as_table,
    collected,
    domain_of,
    is_collection,
    seed_from,
    tables,
    unmasked,
)
from ..data.tables import part_of
from ..features import Features
from ..io import (
    ArrayRows,
    Checkpoint,
    Chunk,
    HashedSample,
    Pass,
    RowSource,
    asked_for,
    client_in_force,
    dask_rows,
    hashed_sample,
    lazily,
    spread,
)
from ..io.checkpoint import begun, key_of
from ..io.dask import joined
from ..io.sample import Read, classes_of, hashes_of
from ..landmarks import NOT_A_ROW
from ..linear_model.ridge import StreamedRidge
from ..linear_model.ridge_fit import ChunkSums
from ..linear_model.ridge_statistics import FoldSums
from ..maps import Map
from ..maps.features import ComputedFeatures, Unseen
from ..measures import as_measures, matrix_inside
from ..validation import check_columns, generator, require_same_length
from .blocks import blocks_of

Floats = NDArray[np.float64]


@dataclass(eq=False)
class OutOfCoreData:
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

    def behind(self, features: Any) -> Features:
        """Return features of the sample, with all rows behind them."""
        self.map = features.map
        self.unseen = Unseen.of(features, self.sample.hashes)
        sampled: Features = features.sample_of(self, self.sample.hashes)
        return sampled

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
        maps: list[Any] = []  # which tell fitted maps from others that saw the same sample
        for one in self.map.blocks_:
            transfers = getattr(one, "transfers_", None)
            maps += [type(one).__name__, one.landmark_indices_, transfers]
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
        whole, rows = model.map_, self.sample.rows
        for block in whole.blocks_:
            one = getattr(block, "map_", block)  # of a column with gaps
            for name in ("landmark_indices_", "landmark_sources_"):
                at = getattr(one, name)
                if at is not None:
                    setattr(one, name, np.where(at == NOT_A_ROW, NOT_A_ROW, rows[at]))
        model.landmark_indices_ = whole.landmark_indices_
        model.landmark_sources_ = whole.landmark_sources_
        raw, objects = self.shown
        check_columns(model, raw, objects, reset=True)
        if not whole.is_union or hasattr(whole, "n_features_in_"):
            check_columns(whole, raw, objects, reset=True)
        by_column = whole.is_union and any(columns is not None for columns in whole.columns_)
        for one, columns in zip(whole.maps_, whole.columns_, strict=True) if by_column else ():
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


# What `fit` works on: X, y and weights of all rows; or of a sample, and the rows behind it.
TrainingData = tuple[Any, Any, Any, OutOfCoreData | None]


def load_training_data(
    model: Any, X: Any, y: Any, sample_weight: Any, *, read: Read, checkpoint: Any = None
) -> TrainingData:
    """Return what to fit to: all rows, or a sample of many with the others behind it.

    Parameters
    ----------
    model : LandmarkModel
    X, y, sample_weight
        As `fit` got them; X may be a `RowSource`, which has targets and weights of its own.
    read : "classes" or "numbers"
        What targets are.
    checkpoint : path, optional
        Folder for the sums of finished chunks.
    """
    X = as_table(X) if model._reads_tables else collected(X)
    if is_collection(X):
        X, y, sample_weight = dask_rows(X, y, sample_weight), None, None
    shown = X.first().objects if isinstance(X, RowSource) else X
    domain, hindrance = _read_as(model, shown)
    most = engine.settings().hashed_from
    if isinstance(X, RowSource):
        if y is not None or sample_weight is not None:
            raise ValueError(
                "a source of rows brings its own targets and weights: name their columns in "
                "rows(…, target=, weight=), and leave y and sample_weight out."
            )
        if X.n_rows is not None and X.n_rows <= most:
            return _all_of(X, domain)
        if hindrance is not None and X.n_rows is not None:
            raise ValueError(hindrance)
        return _sampled(model, X, domain, (shown, None), read, checkpoint, hindrance)
    if hindrance is not None:
        if checkpoint is not None:
            raise ValueError(hindrance)
        return X, y, sample_weight, None
    objects = domain.ingest(X)
    require_same_length(objects, np.asarray(y))
    here = ArrayRows(objects, np.asarray(unmasked(y)), sample_weight)
    client = client_in_force() if checkpoint is None else None
    far = client is not None and (asked_for() or client.status == "running")
    source = spread(here) if far else here
    return _sampled(model, source, domain, (X, objects), read, checkpoint, None)


def _read_as(model: Any, shown: Any) -> tuple[Domain, str | None]:
    """Return what the rows of a model are, and why it cannot be fitted to them in chunks, if so."""
    head, weighing = model._parts(np.random.default_rng(0))
    hindrance = None
    if not isinstance(head, StreamedRidge):
        hindrance = (
            f"{type(head).__name__} needs the features of all rows at once; where rows are read in "
            f'chunks, take head="ridge", which adds up, or {REMEDY}'
        )
    elif weighing is not None:
        hindrance = f"weighing={weighing!r} needs all features at once; leave it out, or {REMEDY}"
    elif getattr(head, "class_weight", None) is not None:
        hindrance = "class_weight of the head needs all rows at once; give it to the model."
    if isinstance(model.measure, str) and model.measure == "auto":
        return domain_of(shown) or tables, hindrance
    blocks = blocks_of(model.measure)
    for block in () if hindrance else blocks:
        measures = [] if isinstance(block.what, Map) else as_measures(block.what)
        if any(matrix_inside(one) is not None for one in measures):
            hindrance = f"a precomputed matrix is not read in chunks; give the objects, or {REMEDY}"
    domains = {block.domain for block in blocks}
    if any(block.columns is not None for block in blocks):
        named = hasattr(shown, "columns")
        return tables, hindrance or (None if named else _at_once("columns that have no names"))
    if len(domains) > 1:
        return anything, _at_once("blocks that read X in several ways")
    return domains.pop(), hindrance


def _sampled(
    model: Any,
    source: RowSource,
    domain: Domain,
    shown: tuple[Any, Any],
    read: Read,
    checkpoint: Any,
    hindrance: str | None,
) -> TrainingData:
    """Return a sample of the rows of a source; all of them if they turn out to be few."""
    seed, folder = seed_from(generator(model.random_state)), None
    most = engine.settings().hashed_from
    if checkpoint is not None:
        # What tells the fit from others: its parameters, but for where and how it runs.
        params = {**model.get_params(deep=False), "progress": None, "n_jobs": None, "budget": None}
        if not isinstance(params["random_state"], (int, np.integer)):
            params["random_state"] = None  # the seed is kept
        fit = f"{type(model).__name__} {sorted(params.items())}"
        folder, seed = begun(checkpoint, f"{fit} {source.fingerprint}", seed)
    sample = hashed_sample(
        source, domain, seed, most, read, Pass(progress=model.progress), digested=folder is not None
    )
    if sample.n_rows <= most:
        return _all_of(source, domain)
    if hindrance is not None:
        raise ValueError(hindrance)
    weights = sample.weights if (sample.weights != 1).any() else None
    shown = shown if shown[1] is not None else (shown[0], sample.objects)
    many = OutOfCoreData(source, domain, sample, shown, model.progress, folder)
    return sample.objects, sample.y, weights, many


def _all_of(source: RowSource, domain: Domain) -> TrainingData:
    """Read everything, where that is little."""
    chunks = list(source.chunks())
    for chunk in chunks:
        chunk.require_targets()
        chunk.require_weights()
    objects = chunks[0].objects
    if domain is tables:
        objects = joined([chunk.objects for chunk in chunks])
    elif len(chunks) > 1:
        objects = reduce(domain.joined, (chunk.ingested(domain) for chunk in chunks))
    y = np.concatenate([np.asarray(chunk.target) for chunk in chunks])
    weights = [chunk.weight for chunk in chunks if chunk.weight is not None]
    return objects, y, np.concatenate(weights) if weights else None, None


REMEDY = "fit to a sample that fits into memory instead."


def _at_once(what: str) -> str:
    return f"{what} cannot be read in chunks; give a table with named columns, or {REMEDY}"


def predict_lazily(model: Any, X: Any, method: str) -> Any:
    """Return what a model's method says of a Dask collection, as a dask.array."""
    classes, dtype = getattr(model, "classes_", None), np.dtype(np.float64)
    width = None
    if classes is not None:
        dtype = classes.dtype if method == "predict" else dtype
        width = len(classes) if method == "predict_proba" else None
        if getattr(model, "multilabel_", False):
            of_labels = np.dtype(np.intp if method == "predict" else np.float64)
            return lazily(X, getattr(model, method), of_labels, len(classes))
        width = len(classes) if method == "decision_function" and len(classes) > 2 else width
    elif np.ndim(getattr(model.head_, "coef_", np.empty(0))) == 2:
        width = len(model.head_.coef_)
    return lazily(X, getattr(model, method), dtype, width)
