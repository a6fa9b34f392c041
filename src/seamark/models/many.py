"""Many rows: what is open is settled on a sample of them, and the head's sums are over all."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..estimating import (
    as_measures,
    check_columns,
    generator,
    matrix_inside,
    require_same_length,
)
from ..heads.base import StreamedRidge
from ..heads.streaming import ChunkSums, SampledFeatures
from ..heads.sums import FoldSums
from ..landmarks import NOT_A_ROW
from ..maps.united import ComputedFeatures
from ..objects import Domain, anything, seed_from
from ..sources import (
    ArrayRows,
    Checkpoint,
    Chunk,
    HashedSample,
    Pass,
    RowSource,
    dask_rows,
    hashed_sample,
    is_collection,
    lazily,
)
from ..sources.checkpoint import begun, key_of
from ..sources.sampling import Read
from .blocks import blocks_of

Floats = NDArray[np.float64]


class Gathered(NamedTuple):
    """What a model's `fit` works on.

    Attributes
    ----------
    X, y, sample_weight
        All of what was given; or the entries of a sample, with the rows behind them.
    many : ManyRows or None
        The rows that these are a sample of.
    """

    X: Any
    y: Any
    sample_weight: Any
    many: ManyRows | None = None


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
    """Of each class, to the weights of its rows."""
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
        return SampledFeatures(features, self.sample.hashes, self)

    def add_up(self, part: ChunkSums) -> FoldSums:
        """Pass over all rows."""
        work = ChunkWork(self.map, self.domain, part, self.classes, self.factors)
        with engine.step("values"):
            how = Pass(self._checkpoint(part), self.progress)
            found: FoldSums = self.source.reduce(work, how)
        return found

    def _checkpoint(self, part: ChunkSums) -> Checkpoint | None:
        if self.folder is None:
            return None
        known = self.sample
        key = key_of(
            *part.standard, *part.columns, part.seed, part.n_folds, part.precision, part.centred,
            known.keys, known.rows, self.map.landmark_indices_, self.map.transfers_, self.factors,
        )  # fmt: skip
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

        name = f"sums-{part.precision}"
        return Checkpoint(self.folder, name, key, lambda sums: {"moments": sums.moments}, taking)

    def finish(self, model: Any) -> None:
        """Give landmarks the numbers of their rows in the source, and the model its columns."""
        rows = self.sample.rows
        for one in (model, model.map_):
            for name in ("landmark_indices_", "landmark_sources_"):
                at = getattr(one, name)
                if at is not None:
                    setattr(one, name, np.where(at == NOT_A_ROW, NOT_A_ROW, rows[at]))
        check_columns(model, *self.shown, reset=True)
        check_columns(model.map_, *self.shown, reset=True)
        model.n_rows_ = self.n_rows


@dataclass(frozen=True, eq=False)
class ChunkWork:
    """From a chunk of raw rows to its sums; it can travel."""

    map: Any
    domain: Domain
    part: ChunkSums
    classes: NDArray[Any] | None
    factors: Floats | None

    def __call__(self, chunk: Chunk) -> FoldSums | None:
        """Ingest, compute features, add up."""
        objects = chunk.ingested(self.domain)
        self.domain.require_alike(objects, self.map.look_)
        y, weights = np.asarray(chunk.target), chunk.weight
        if self.classes is not None:
            y = _codes(y, self.classes, chunk.first)
            if self.factors is not None:
                weights = self.factors[y] * (1.0 if weights is None else weights)
        features = ComputedFeatures(self.map, objects)
        return self.part(features, y.astype(np.float64), weights, self.domain.hashes(objects))


def _codes(y: NDArray[Any], classes: NDArray[Any], first: int) -> NDArray[np.intp]:
    """Return the number of each row's class."""
    names, which = np.unique(y, return_inverse=True)
    found = np.minimum(np.searchsorted(classes, names), len(classes) - 1)
    if not np.array_equal(classes[found], names):
        bad = names[classes[found] != names][0]
        raise ValueError(
            f"the rows from {first} on have the class {bad!r}, which was not there when they were "
            "read before; rows must not change while a model is fitted."
        )
    return np.asarray(found[which])


def gathered(
    model: Any, X: Any, y: Any, sample_weight: Any, *, read: Read, checkpoint: Any = None
) -> Gathered:
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
    most, hindrance = engine.settings().hashed_from, _hindrance(model)
    plain = blocks_of(model.measure)[0].is_plain
    domain = as_measures(model.measure)[0].domain if plain else anything
    if is_collection(X):
        X, y, sample_weight = dask_rows(X, y, sample_weight), None, None
    if isinstance(X, RowSource):
        if y is not None or sample_weight is not None:
            raise ValueError(
                "targets and weights of a source of rows are its own: name their columns in "
                "rows(…, target=, weight=), and leave y and sample_weight out."
            )
        if X.n_rows is not None and X.n_rows <= most:
            return _all_of(X, domain)
        if hindrance is not None and X.n_rows is not None:
            raise ValueError(hindrance)
        first = next(X.chunks())
        return _sampled(model, X, domain, (first.objects, None), read, checkpoint, hindrance)
    if hindrance is not None:
        if checkpoint is not None:
            raise ValueError(hindrance)
        return Gathered(X, y, sample_weight)
    objects = domain.ingest(X)
    require_same_length(objects, np.asarray(y))
    source = ArrayRows(objects, np.asarray(y), sample_weight)
    return _sampled(model, source, domain, (X, objects), read, checkpoint, None)


def are_many(X: Any) -> bool:
    """Tell whether rows are read in chunks, or so many that a sample of them says enough."""
    if isinstance(X, RowSource) or hasattr(X, "__dask_graph__"):
        return True
    shape = getattr(X, "shape", None)
    n = shape[0] if shape else len(X) if hasattr(X, "__len__") else 0
    return n > engine.settings().hashed_from


def _sampled(
    model: Any,
    source: RowSource,
    domain: Domain,
    shown: tuple[Any, Any],
    read: Read,
    checkpoint: Any,
    hindrance: str | None,
) -> Gathered:
    """Return a sample of the rows of a source; all of them if they turn out to be few."""
    seed, folder, most = (
        seed_from(generator(model.random_state)),
        None,
        engine.settings().hashed_from,
    )
    if checkpoint is not None:
        folder, seed = begun(checkpoint, f"{_told_apart_by(model)} {source.fingerprint}", seed)
    sample = hashed_sample(source, domain, seed, most, read, Pass(progress=model.progress))
    if sample.n_rows <= most:
        return _all_of(source, domain)
    if hindrance is not None:
        raise ValueError(hindrance)
    weights = sample.weights if (sample.weights != 1).any() else None
    shown = shown if shown[1] is not None else (shown[0], sample.objects)
    many = ManyRows(source, domain, sample, shown, model.progress, folder)
    return Gathered(sample.objects, sample.y, weights, many)


def _all_of(source: RowSource, domain: Domain) -> Gathered:
    """Read everything, where that is little."""
    chunks = list(source.chunks())
    for chunk in chunks:
        chunk.require_targets()
    objects = chunks[0].objects
    if len(chunks) > 1:
        objects = reduce(domain.joined, (chunk.ingested(domain) for chunk in chunks))
    y = np.concatenate([np.asarray(chunk.target) for chunk in chunks])
    weights = [chunk.weight for chunk in chunks if chunk.weight is not None]
    return Gathered(objects, y, np.concatenate(weights) if weights else None)


def _hindrance(model: Any) -> str | None:
    """Return why a model cannot be fitted to rows in chunks; None: it can."""
    head, weighing = model._parts(np.random.default_rng(0))
    remedy = "fit to a sample that fits into memory instead."
    if not isinstance(head, StreamedRidge):
        return (
            f"{type(head).__name__} needs the features of all rows at once; where rows are read in "
            f'chunks, take head="ridge", which adds up, or {remedy}'
        )
    if weighing is not None:
        return f"weighing={weighing!r} needs all features at once; leave it out, or {remedy}"
    if not blocks_of(model.measure)[0].is_plain:
        return f"several blocks need all rows at once; give one measure, or {remedy}"
    if any(matrix_inside(one) is not None for one in as_measures(model.measure)):
        return f"a precomputed matrix is not read in chunks; give the objects, or {remedy}"
    if getattr(head, "class_weight", None) is not None:
        return "class_weight of the head needs all rows at once; give it to the model."
    return None


def _told_apart_by(model: Any) -> str:
    """Return what tells a fit from others: its parameters, but for where and how it runs."""
    params = {
        **model.get_params(deep=False),
        "progress": None,
        "n_jobs": None,
        "memory": None,
        "budget": None,
    }
    if not isinstance(params["random_state"], (int, np.integer)):
        params["random_state"] = None  # the seed is kept
    return f"{type(model).__name__} {sorted(params.items())}"


def said_lazily(model: Any, X: Any, method: str) -> Any:
    """Return what a model's method says of a Dask collection, as a dask.array."""
    classes, dtype = getattr(model, "classes_", None), np.dtype(np.float64)
    width = None
    if classes is not None:
        dtype = classes.dtype if method == "predict" else dtype
        width = len(classes) if method == "predict_proba" else None
        width = len(classes) if method == "decision_function" and len(classes) > 2 else width
    elif np.ndim(getattr(model.head_, "coef_", np.empty(0))) == 2:
        width = len(model.head_.coef_)
    return lazily(X, getattr(model, method), dtype, width)
