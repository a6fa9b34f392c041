"""`assess`: whether a measure is good for a task."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np

from .. import engine
from ..estimating import (
    as_measures,
    generator,
    require_count,
    require_same_length,
    require_whole_objects,
)
from ..io import RowSource, dask_rows, is_collection
from ..measures import Measure
from ..measures.custom import titled
from .assessment import Assessment
from .bench import Bench
from .comparison import Comparison
from .findings import Findings, findings
from .intervals import Bootstrap
from .observations import gather
from .reading import read_task
from .sampling import Sample, draw, rows_to_judge
from .scaling import Scale
from .tasks import AssessedTask
from .verdict import CONSTANT, USELESS_P


def assess(
    measure: Any,
    X: Any,
    y: Any = None,
    *,
    task: str = "auto",
    qid: Any = None,
    sample: int | None = None,
    budget: int = 1_000_000,
    random_state: Any = None,
    n_jobs: int | None = None,
    progress: bool | engine.Progress = False,
) -> Any:
    """Judge whether a similarity or distance suits a task, before any model is trained.

    A sample of objects is split into landmarks, objects to learn from and objects to report on.
    The measure is evaluated once between landmarks and the others, and among some landmarks;
    everything follows from these values.

    Parameters
    ----------
    measure : Measure, str, callable, or a list of these
        What compares objects. The measures of a list are assessed on the same objects.
    X : objects or RowSource
        Strings, series, sets, vectors, or whatever the measure compares. Of a source of rows,
        100,000 at random are looked at.
    y : array-like of shape (n,)
        Classes, numbers, ordered labels or relevance; a source of rows has its own.
    task : {"auto", "classification", "regression", "ordinal", "ranking"}, default="auto"
        How to read y. "auto": ranking if `qid` is given, ordinal for an ordered categorical,
        regression for numbers that are not whole or have more than 30 distinct values.
    qid : array-like of shape (n,), optional
        The query of each object, for ranking.
    sample : int, optional
        How many objects to look at; default 2000, or as many as there are.
    budget : int, default=1_000_000
        Largest number of evaluations of the measure, in total.
    random_state : int, RandomState or Generator, optional
        Decides which objects are drawn, and how they are split and resampled.
    n_jobs : int, optional
        Threads (processes for Python functions) that compute values. Default: all cores available;
        for Python functions the calling process.
    progress : bool, default=False
        Show progress while values are computed.

    Returns
    -------
    Assessment, or Comparison for a list
        ``print`` it.

    Examples
    --------
    >>> import seamark as sm
    >>> words = ["ab" * k for k in range(1, 31)] + ["cd" * k for k in range(1, 31)]
    >>> found = sm.assess("levenshtein", words, ["ab"] * 30 + ["cd"] * 30, random_state=0)
    >>> found.verdict[0].level
    'good'
    """
    several = isinstance(measure, (list, tuple))
    measures = as_measures(measure)
    require_count("budget", budget)
    if sample is not None:
        require_count("sample", sample)
    rng = generator(random_state)
    if is_collection(X):
        X, y = dask_rows(X, y), None
    if isinstance(X, RowSource):
        X, y = rows_to_judge(X, y, measures[0].domain, rng)
    posed = read_task(y, task, qid)
    found, each = [], budget // len(measures)
    for one in measures:
        one.check_parameters()
        require_whole_objects(one, "assess")
        objects = one.domain.ingest(X)
        require_same_length(objects, posed.y)
        own = deepcopy(rng)  # the same random numbers for all: compared on the same objects
        with engine.progress_bar(progress) as bar:
            limits = {"most": sample or engine.settings().assessed_objects, "budget": each}
            values = draw(one, objects, posed, **limits, rng=own, n_jobs=n_jobs, progress=bar)
        found.append(_assessment(one, values, objects, posed, each, own))
    if not several:
        return found[0]
    return Comparison(sorted(found, key=lambda one: (one.p_value > USELESS_P, -one.skill)))


def _assessment(
    given: Measure,
    sample: Sample,
    X: Any,
    task: AssessedTask,
    budget: int,
    rng: np.random.Generator,
) -> Assessment:
    scale = Scale.seen(sample.measure, sample.values, sample.square)
    facts = gather(sample, scale, task, X.shape[0])
    found = Findings([CONSTANT])
    if np.ptp(sample.values):
        groups = None if task.query is None else task.query[sample.test]
        bootstrap = Bootstrap(groups, len(sample.test), rng)
        bench = Bench(sample, task, scale.kind, bootstrap, int(rng.integers(2**31 - 1)))
        found = findings(bench, scale.apply(sample.values), facts, X, rng)
    return Assessment(
        title=titled(given),
        domain=given.domain.name,
        task=task.name,
        score_name=task.score_name,
        facts=facts,
        **vars(found),
        n_given=X.shape[0],
        n_objects=sample.n_objects,
        n_references=sample.values.shape[1],
        n_evaluations=sample.n_evaluations,
        budget=budget,
    )
