"""What `fit` gets, as what it works on: all rows, or a sample with the others behind it."""

from __future__ import annotations

from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from .. import engine
from ..data import Domain, anything, as_table, domain_of, seed_from, tables, unmasked
from ..estimating import as_measures, generator, matrix_inside, require_same_length
from ..io import (
    ArrayRows,
    Pass,
    RowSource,
    asked_for,
    client_in_force,
    dask_rows,
    hashed_sample,
    is_collection,
    lazily,
    spread,
)
from ..io.checkpoint import begun
from ..io.dask import joined
from ..io.sample import Read
from ..linear_model.base import StreamedRidge
from ..maps import Map
from .blocks import blocks_of
from .many import ManyRows


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
    X = as_table(X) if model._reads_tables else X
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
        return Gathered(X, y, sample_weight)
    objects = domain.ingest(X)
    require_same_length(objects, np.asarray(y))
    here = ArrayRows(objects, np.asarray(unmasked(y)), sample_weight)
    client = client_in_force() if checkpoint is None else None
    far = client is not None and (asked_for() or client.status == "running")
    source = spread(here) if far else here
    return _sampled(model, source, domain, (X, objects), read, checkpoint, None)


def _read_as(model: Any, shown: Any) -> tuple[Domain, str | None]:
    """Return what the rows of a model are, and why it cannot be fitted to them in chunks, if so."""
    hindrance = _hindrance(model)
    if isinstance(model.measure, str) and model.measure == "auto":
        return domain_of(shown) or tables, hindrance
    blocks = blocks_of(model.measure)
    domains = {block.domain for block in blocks}
    if any(block.columns is not None for block in blocks):
        named = hasattr(shown, "columns")
        return tables, hindrance or (None if named else _at_once("columns that have no names"))
    if len(domains) > 1:
        hindrance = hindrance or _at_once("blocks that read X in several ways")
    return (anything if len(domains) > 1 else domains.pop()), hindrance


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
    sample = hashed_sample(
        source, domain, seed, most, read, Pass(progress=model.progress), digested=folder is not None
    )
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
        chunk.require_weights()
    objects = chunks[0].objects
    if domain is tables:
        objects = joined([chunk.objects for chunk in chunks])
    elif len(chunks) > 1:
        objects = reduce(domain.joined, (chunk.ingested(domain) for chunk in chunks))
    y = np.concatenate([np.asarray(chunk.target) for chunk in chunks])
    weights = [chunk.weight for chunk in chunks if chunk.weight is not None]
    return Gathered(objects, y, np.concatenate(weights) if weights else None)


REMEDY = "fit to a sample that fits into memory instead."


def _at_once(what: str) -> str:
    return f"{what} cannot be read in chunks; give a table with named columns, or {REMEDY}"


def _hindrance(model: Any) -> str | None:
    """Return why a model cannot be fitted to rows in chunks, whatever they are; None: it can."""
    head, weighing = model._parts(np.random.default_rng(0))
    if not isinstance(head, StreamedRidge):
        return (
            f"{type(head).__name__} needs the features of all rows at once; where rows are read in "
            f'chunks, take head="ridge", which adds up, or {REMEDY}'
        )
    if weighing is not None:
        return f"weighing={weighing!r} needs all features at once; leave it out, or {REMEDY}"
    if getattr(head, "class_weight", None) is not None:
        return "class_weight of the head needs all rows at once; give it to the model."
    if isinstance(model.measure, str) and model.measure == "auto":
        return None
    for block in blocks_of(model.measure):
        measures = [] if isinstance(block.what, Map) else as_measures(block.what)
        if any(matrix_inside(one) is not None for one in measures):
            return f"a precomputed matrix is not read in chunks; give the objects, or {REMEDY}"
    return None


def _told_apart_by(model: Any) -> str:
    """Return what tells a fit from others: its parameters, but for where and how it runs."""
    params = {
        **model.get_params(deep=False),
        "progress": None,
        "n_jobs": None,
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
        if getattr(model, "multilabel_", False):
            of_labels = np.dtype(np.intp if method == "predict" else np.float64)
            return lazily(X, getattr(model, method), of_labels, len(classes))
        width = len(classes) if method == "decision_function" and len(classes) > 2 else width
    elif np.ndim(getattr(model.head_, "coef_", np.empty(0))) == 2:
        width = len(model.head_.coef_)
    return lazily(X, getattr(model, method), dtype, width)
