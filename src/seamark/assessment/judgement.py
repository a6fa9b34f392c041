"""Everything that is computed from values that differ, gathered for verdict and report."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import engine, theory
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
from . import curves, yardsticks
from .curves import Bench, Bootstrap, Curve, Estimate, Floats, greedy_order, nested
from .facts import Observations, gather
from .report import BALANCED, Assessment, Comparison, Explained, explain
from .sample import Sample, Scale, draw, rows_to_judge
from .tasks import AssessedTask, read_task
from .verdict import CONSTANT, ENOUGH, USELESS_P, Grounds, Sentence, sentences
from .yardsticks import permutation_p

NEAR_LEAST = 0.05
# The most objects and references, and references that are compared with each other.
ASSESSED_OBJECTS = 2000
"""A margin counts as reached if its ε is so near the least."""
HOPELESS = {"strong": 0.5, "margin": 0.5, "hinge": 1.0}
"""Least ε from which no margin counts as reached: most objects miss it, or weights of zero do as
well. A theorem promises that ε, which is no use."""


@dataclass(frozen=True)
class Findings:
    """What was found: see `Assessment`."""

    verdict: list[Sentence]
    p_value: float = 1.0
    estimates: dict[str, Estimate] = field(default_factory=dict)
    curves: dict[str, Curve] = field(default_factory=dict)
    theory: dict[str, int] = field(default_factory=dict)
    explained: Explained | None = None


def findings(
    bench: Bench, K: Floats, facts: Observations, X: Any, rng: np.random.Generator
) -> Findings:
    """Compute everything.

    Parameters
    ----------
    bench : Bench
    K : ndarray
        The values, scaled into [−1, 1].
    facts : Observations
    X : objects
        All of them, to show some.
    rng : Generator
    """
    numbers, lines = _of_definitions(bench, K)
    model = yardsticks.quick_model(bench, X)
    gain = yardsticks.transfer_gain(bench, X)
    base = yardsticks.constant_score(bench)
    order = np.arange(K.shape[1])
    every = nested(bench, model.transfer, order)
    chosen = nested(bench, model.transfer, greedy_order(bench, model.transfer))
    classes = bench.task.n_classes > 0
    balanced = bench.balanced(model.predictions) if classes else None
    recalls = bench.recalls(model.predictions) if classes else {}
    known = {
        "constant": base,
        "nearest neighbour": yardsticks.nearest_score(bench),
        "landmark model": bench.estimate(model.predictions),
        BALANCED: balanced,
        **{f"recall of {name}": one for name, one in recalls.items()},
        **numbers,
        "kernel-target alignment": yardsticks.alignment(bench, K),
        "informative landmarks τ": chosen.share_needed(len(order), base.value, ENOUGH),
        "plain values": gain.identity,
        "best ramp": gain.ramp,
        "sign": gain.sign,
        "gain of the ramp": gain.gain,
    }
    estimates = {name: one for name, one in known.items() if one is not None}
    lines["landmarks"] = every.curve(bench, "landmarks at random")
    lines["chosen"] = chosen.curve(bench, "landmarks chosen greedily")
    evidence = Grounds(
        facts=facts,
        p_value=permutation_p(bench, rng),
        score_name=bench.task.score_name,
        n_test=len(bench.sample.test),
        base=base,
        model=estimates["landmark model"],
        nearest=estimates.get("nearest neighbour"),
        direction=estimates.get("weak γ", estimates.get("kernel-target alignment")),
        gain=gain.gain,
        slope=gain.slope,
        landmarks=lines["landmarks"],
        chosen=lines["chosen"],
        margin=_reached(lines),
        balanced=balanced,
        recalls=recalls,
    )
    return Findings(
        sentences(evidence),
        evidence.p_value,
        estimates,
        lines,
        _theory(lines, bench.task),
        explain(bench, model, X),
    )


def _of_definitions(bench: Bench, K: Floats) -> tuple[dict[str, Estimate], dict[str, Curve]]:
    """Return what the definitions of goodness say, as far as they apply."""
    loss = curves.loss_curve(bench, K)
    if loss is not None:
        return {}, {"loss": loss}
    if bench.sample.reference is None:  # the definitions for classes need labels of landmarks
        return {}, {}
    learned = curves.margin_curves(bench, K)
    numbers = {
        "average vote": curves.vote_score(bench, K),
        "weak γ": curves.weak_estimate(bench, K),
    }
    strong = curves.strong_curve(bench, K)
    return numbers, {"strong": strong, "margin": learned.margin, "hinge": learned.hinge}


def _reached(lines: dict[str, Curve], name: str = "margin") -> float | None:
    if name not in lines or lines[name].y.min() >= HOPELESS[name]:
        return None
    return curves.reached_margin(lines[name], NEAR_LEAST)


def _theory(lines: dict[str, Curve], task: AssessedTask) -> dict[str, int]:
    """Return what theorems ask for, at the margins reached or the weights needed."""
    asked = {}
    if "loss" in lines:
        wanted = task.landmarks_asked(curves.needed_bound(lines["loss"], NEAR_LEAST))
        return {} if wanted is None else {f"landmarks asked for ({task.name})": wanted}
    for name, ask in (
        ("strong", theory.strong_goodness),
        ("margin", theory.margin_goodness),
        ("hinge", theory.hinge_goodness),
    ):
        margin = _reached(lines, name)
        if margin is not None and margin > 0:
            asked[f"landmarks asked for ({name})"] = ask(min(1.0, margin))
    return asked


# `assess`: whether a measure is good for a task.


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
            limits = {"most": sample or ASSESSED_OBJECTS, "budget": each}
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
