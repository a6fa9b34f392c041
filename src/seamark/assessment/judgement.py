"""`assess`: whether a measure is good for a task, by how simple learners do on its values."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import StandardScaler

from .. import engine, theory, tuning
from ..data import domain_of, is_collection, seed_from
from ..data.tables import Tables
from ..io import RowSource, dask_rows, hashed_sample
from ..maps import CachedFeatures
from ..maps.landmark import Pilot
from ..measures import Columns, Measure, as_measures, require_whole_objects
from ..measures.custom import titled
from ..models.describe import medoids, percent, plain
from ..models.explain import of_classes, of_numbers, strongest
from ..transfers import Identity, Ramp, Sign, Transfer
from ..validation import generator, require_count, require_same_length
from .candidates import Candidate, assess_together, candidates_for
from .curves import (
    Bench,
    Bootstrap,
    Curve,
    Estimate,
    Floats,
    Rows,
    bounds,
    enough,
    goodness,
    greedy_order,
    loss_curve,
    nested,
    reached_margin,
)
from .facts import Observations, gather
from .goodness import is_kernel, kernel_curve, pair_curves
from .report import BALANCED, Assessment, Comparison, Explained
from .sample import Scale, draw
from .tasks import AssessedTask, read_task
from .verdict import CONSTANT, ENOUGH, USELESS_P, Grounds, sentences

ASSESSED_OBJECTS = 2000  # the most objects
NEAR_LEAST = 0.05
"""A margin counts as reached if its ε is so near the least."""
HOPELESS = {"strong": 0.5, "margin": 0.5, "hinge": 1.0, "kernel": 1.0}
"""Least ε from which no margin counts as reached: most objects miss it, or weights of zero do as
well. A theorem promises that ε, which is no use."""


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
    measure : "auto", Measure, str, callable, a list or a dict of these
        What compares objects. The measures of a list are assessed on the same objects. "auto":
        those that models would try, each alone and all together; of a table one for each column,
        as a dict by column says it, too.
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
    Assessment, or Comparison for a list, a dict and "auto"
        ``print`` it.

    Examples
    --------
    >>> import seamark as sm
    >>> words = ["ab" * k for k in range(1, 31)] + ["cd" * k for k in range(1, 31)]
    >>> found = sm.assess("levenshtein", words, ["ab"] * 30 + ["cd"] * 30, random_state=0)
    >>> found.verdict[0].level
    'good'
    """
    _require_in_order(measure, X, y)
    require_count("budget", budget)
    if sample is not None:
        require_count("sample", sample)
    open_ = isinstance(measure, dict) or (isinstance(measure, str) and measure == "auto")
    measures = [] if open_ else as_measures(measure)
    rng = generator(random_state)
    if is_collection(X):
        X, y = dask_rows(X, y), None
    if isinstance(X, RowSource):
        if y is not None:
            raise ValueError(
                "a source of rows brings its own targets, rows(…, target=…); leave y out."
            )
        most, seed = engine.settings().hashed_from, seed_from(rng)
        domain = measures[0].domain if measures else domain_of(X.first().objects) or Tables()
        rows = hashed_sample(X, domain, seed, most, "classes", by_row=True)
        order = np.argsort(rows.rows)
        X, y = rows.objects[order], np.asarray(rows.y)[order]
    posed = read_task(y, task, qid)
    parts = [Candidate(titled(one), one, X) for one in measures]
    if open_:
        parts = candidates_for(measure, X)
    found, each = [], budget // (len(parts) + 2 * open_)
    for candidate in parts:
        one = candidate.measure
        one.check_parameters()
        require_whole_objects(one, "assess")
        try:
            objects = one.domain.ingest(candidate.objects)
        except (TypeError, ValueError):
            if _can_read(one, y) and not _can_read(one, X):
                raise ValueError(
                    f"X and y seem to be swapped: y holds {one.domain.name}; the order is "
                    "assess(measure, X, y)."
                ) from None
            raise
        require_same_length(objects, posed.y)
        own = deepcopy(rng)  # the same random numbers for all: compared on the same objects
        with engine.progress_bar(progress) as bar:
            limits = {"most": sample or ASSESSED_OBJECTS, "budget": each}
            values = draw(one, objects, posed, **limits, rng=own, n_jobs=n_jobs, progress=bar)
        scale = Scale.seen(values.measure, values.values, values.square)
        facts = gather(values, scale, posed, objects.shape[0])
        judged: dict[str, Any] = {
            "verdict": [CONSTANT],
            "p_value": 1.0,
            "estimates": {},
            "curves": {},
            "theory": {},
            "explained": None,
        }
        if np.ptp(values.values):
            queries = None if posed.query is None else posed.query[values.test]
            bootstrap = Bootstrap(queries, len(values.test), own)
            bench = Bench(values, posed, scale.kind, bootstrap, int(own.integers(2**31 - 1)))
            judged = judge(bench, scale, facts, objects, own)
        found.append(
            Assessment(
                title=candidate.title,
                domain=one.domain.name,
                task=posed.name,
                score_name=posed.score_name,
                facts=facts,
                **judged,
                n_given=objects.shape[0],
                n_objects=values.n_objects,
                n_references=values.values.shape[1],
                n_evaluations=values.n_evaluations,
                budget=each,
                fitted=candidate.fitted,
            )
        )
    if not open_ and not isinstance(measure, (list, tuple)):
        return found[0]
    if open_:
        together = assess_together(measure, X, posed, sample or ASSESSED_OBJECTS, 2 * each, rng)
        found += [] if together is None else [together]
    return Comparison(sorted(found, key=lambda one: (one.p_value > USELESS_P, -one.skill)))


def _require_in_order(measure: Any, X: Any, y: Any) -> None:
    """Stop at arguments that are swapped, and at targets that are missing."""
    if isinstance(X, (str, Measure)) or isinstance(y, (str, Measure)):
        odd = X if isinstance(X, (str, Measure)) else y
        raise ValueError(f"{odd!r} is a measure, which comes first: assess(measure, X, y).")
    if y is None and not isinstance(X, RowSource) and not is_collection(X):
        raise ValueError("y is missing: assess(measure, X, y) needs the targets.")


def _can_read(measure: Measure, objects: Any) -> bool:
    """Whether something may be the objects of a measure."""
    try:
        measure.domain.ingest(objects)
    except (TypeError, ValueError):
        return False
    return True


def judge(
    bench: Bench, scale: Scale, facts: Observations, X: Any, rng: np.random.Generator
) -> dict[str, Any]:
    """Return everything that is computed from values that differ: parts of an `Assessment`.

    Parameters
    ----------
    bench : Bench
    scale : Scale
        What takes the values into [−1, 1].
    facts : Observations
    X : objects
        All of them, to show some.
    rng : Generator
    """
    sample, task, K = bench.sample, bench.task, scale.apply(bench.sample.values)
    numbers: dict[str, Estimate] = {}
    lines: dict[str, Curve] = {}
    loss = loss_curve(bench, K)
    if loss is not None:
        lines["loss"] = loss
    elif sample.reference is not None:  # the definitions for classes need labels of landmarks
        numbers, lines = goodness(bench, K)
        lines |= pair_curves(bench, K)
        kernel = kernel_curve(bench, K, scale) if is_kernel(scale, facts) else None
        lines |= {} if kernel is None else {"kernel": kernel}
    model = quick_model(bench, X)
    # Transfer functions of single values; the best ramp is chosen on the rows learned from.
    plain, ramp = tried(bench, Identity()), quick_model(bench, X, Ramp("auto"))
    sign = tried(bench, bench.mapped(Sign()).transfers_[0])
    test = sample.test

    def gained(rows: Rows) -> float:
        after = task.score(ramp.predictions[rows], test[rows])
        return after - task.score(plain.predictions[rows], test[rows])

    base = bench.estimate(np.broadcast_to(task.constant(sample.learn), len(test)))
    known: dict[str, Estimate] = {"constant": base}
    if sample.reference is not None:
        values = sample.values[len(sample.learn) :]
        nearest = values.argmin(axis=1) if bench.kind == "distance" else values.argmax(axis=1)
        known["nearest neighbour"] = bench.estimate(task.y[sample.reference[nearest]])
    known["landmark model"] = bench.estimate(model.predictions)
    recalls: dict[str, Estimate] = {}
    if task.n_classes:
        known[BALANCED] = bench.balanced(model.predictions)
        recalls = bench.recalls(model.predictions)
    known |= {f"recall of {name}": one for name, one in recalls.items()} | numbers
    if sample.reference is not None:
        known["kernel-target alignment"] = alignment(bench, K)
    order = np.arange(K.shape[1])
    for name, title, some in (
        ("landmarks", "landmarks at random", order),
        ("chosen", "landmarks chosen greedily", greedy_order(bench, model.transfer)),
    ):
        sizes, scores = nested(bench, model.transfer, some)
        x = sizes.astype(np.float64)
        lines[name] = Curve(title, "landmarks", task.score_name, x, *bounds(scores))
    # How many of the greedy choice, the last, are enough: as a share of all.
    needed = [enough(sizes, one, base.value, ENOUGH) / len(order) for one in scores]
    known |= {
        "informative landmarks τ": Estimate(*map(float, bounds(np.array(needed)))),
        "plain values": bench.estimate(plain.predictions),
        "best ramp": bench.estimate(ramp.predictions),
        "sign": bench.estimate(sign.predictions),
        "gain of the ramp": bench.bootstrap.estimate(gained),
    }
    evidence = Grounds(
        facts=facts,
        p_value=permutation_p(bench, rng),
        score_name=task.score_name,
        n_test=len(test),
        base=base,
        model=known["landmark model"],
        nearest=known.get("nearest neighbour"),
        direction=known.get("weak γ", known.get("kernel-target alignment")),
        gain=known["gain of the ramp"],
        slope=float(ramp.transfer.get_params()["slope"]),
        landmarks=lines["landmarks"],
        chosen=lines["chosen"],
        as_similarity=_reached(lines, "hinge"),
        as_kernel=_reached(lines, "kernel"),
        balanced=known.get(BALANCED),
        recalls=recalls,
    )
    return {
        "verdict": sentences(evidence),
        "p_value": evidence.p_value,
        "estimates": known,
        "curves": lines,
        "theory": landmarks_asked(lines, task),
        "explained": explain(bench, model, X),
    }


def landmarks_asked(lines: dict[str, Curve], task: AssessedTask) -> dict[str, int]:
    """Return what theorems ask for, at the margins reached or the weights needed."""
    if "loss" in lines:
        loss = lines["loss"]
        bound = float(loss.x[int(np.argmax(loss.y <= loss.y.min() + NEAR_LEAST))])
        wanted = task.landmarks_asked(bound)
        return {} if wanted is None else {f"landmarks asked for ({task.name})": wanted}
    asked = {}
    for name, ask in (
        ("strong", theory.strong_goodness),
        ("margin", theory.margin_goodness),
        ("hinge", theory.hinge_goodness),
    ):
        margin = _reached(lines, name)
        if margin is not None and margin > 0:
            asked[f"landmarks asked for ({name})"] = ask(min(1.0, margin))
    return asked


def _reached(lines: dict[str, Curve], name: str) -> float | None:
    """Return the margin that most objects reach, if it is of any use."""
    if name not in lines or lines[name].y.min() >= HOPELESS[name]:
        return None
    return reached_margin(lines[name], NEAR_LEAST)


# How simple learners do on the values: a landmark model, alignment, shuffled targets.


@dataclass(frozen=True)
class Tried:
    """A transfer, and the quick model on its features.

    Attributes
    ----------
    transfer : Transfer
    head : estimator
        Fitted.
    predictions : ndarray
        For the test rows.
    """

    transfer: Transfer
    head: Any
    predictions: NDArray[Any]


def tried(bench: Bench, transfer: Transfer) -> Tried:
    """Fit the quick model under one transfer."""
    learn, test = bench.features(transfer)
    head = bench.fitted(learn)
    return Tried(transfer, head, bench.task.predicted(head, test))


def quick_model(bench: Bench, X: Any, transfer: Any = "auto") -> Tried:
    """Return the landmark model, its transfer chosen as models choose it.

    Parameters
    ----------
    bench : Bench
    X : objects
        All of them; values that the bench has are not computed again.
    transfer : str or Transfer
        What is open in it is tuned.
    """
    sample, task = bench.sample, bench.task
    order = np.argsort(sample.learn)
    rows, values = sample.learn[order], sample.values[: len(order)][order]
    whole = CachedFeatures(bench.mapped(transfer), X, pilot=Pilot(rows, values))
    features = whole.of_rows(rows, np.arange(whole.shape[1]))
    head, y = task.head(bench.seed), task.learned[rows]
    options = {} if task.query is None else {"qid": task.query[rows]}
    groups = None if sample.groups is None else sample.groups[rows]
    learned = tuning.Task(y, head, options, y, head, groups=groups)
    rng = np.random.default_rng(bench.seed)
    choice = tuning.CrossValidated().choose(features, transfer, learned, rng)
    return tried(bench, choice.transfers[0])


def alignment(bench: Bench, K: Floats) -> Estimate:
    """Return the centred kernel-target alignment of values between rows and references."""
    sample, targets = bench.sample, bench.task.targets
    of_references = targets[np.asarray(sample.reference)]
    T = targets[sample.test] @ (of_references - of_references.mean(axis=0, keepdims=True)).T
    T = T - T.mean(axis=0, keepdims=True)
    K = K[len(sample.learn) :]
    K = K - K.mean(axis=1, keepdims=True)
    K = K - K.mean(axis=0, keepdims=True)
    sums = np.stack([(K * T).sum(axis=1), (K**2).sum(axis=1), (T**2).sum(axis=1)], axis=1)

    def aligned(rows: Rows) -> float:
        both, k, t = sums[rows].sum(axis=0)
        return float(both / np.sqrt(k * t)) if k * t > 0 else 0.0

    return bench.bootstrap.estimate(aligned)


SHUFFLES = 199
PENALTIES = (0.01, 1.0, 30.0)
"""Of the ridge, per row, on standardised features: from nearly none to nearly a vote."""


def permutation_p(bench: Bench, rng: np.random.Generator) -> float:
    """Return how often targets, shuffled, are predicted as well as the true ones.

    Ridges on standardised features learn the true and 199 shuffled targets. Transfer and penalties
    never look at targets, so that all are treated alike, and the test is exact. What is compared is
    the correlation of predictions and targets on test rows, under the best penalty. Shuffling is
    among all rows, or in ranking among the rows of a query.
    """
    rows, n = bench.sample.rows, len(bench.sample.learn)
    learn, test = bench.features(bench.bearings.transfers_[0])
    scaler = StandardScaler().fit(learn)
    learn, test = scaler.transform(learn), scaler.transform(test)
    gram, eye = learn.T @ learn, np.eye(learn.shape[1])
    # For each penalty the matrix from targets of learn rows to predictions of test rows.
    smoothers = [
        test @ np.linalg.solve(gram + penalty * len(learn) * eye, learn.T) for penalty in PENALTIES
    ]
    orders = [rows]
    for _ in range(SHUFFLES):
        if bench.task.query is None:
            orders.append(rng.permutation(rows))
            continue
        # Relevance only means something within a query.
        query, mixed, out = bench.task.query[rows], rng.permutation(len(rows)), rows.copy()
        within = mixed[np.argsort(query[mixed], kind="stable")]
        out[np.argsort(query, kind="stable")] = rows[within]
        orders.append(out)
    targets = bench.task.targets
    best = [
        max(correlation(H @ targets[order[:n]], targets[order[n:]]) for H in smoothers)
        for order in orders
    ]
    return float((np.array(best) >= best[0] - 1e-12).mean())


def correlation(found: Floats, wanted: Floats) -> float:
    """Return the correlation of two matrices after centring their columns; 0 for a constant.

    Examples
    --------
    >>> x = np.arange(4.0)[:, None]
    >>> round(correlation(x, -2 * x), 6)
    -1.0
    """
    found, wanted = found - found.mean(axis=0), wanted - wanted.mean(axis=0)
    size = float(np.linalg.norm(found) * np.linalg.norm(wanted))
    return float((found * wanted).sum()) / size if size > 0 else 0.0


# What the quick model goes by, as the user's own objects.


PROTOTYPES = 3  # of each class
MOST_CLASSES = 12
MOST_OBJECTS = 12
REASONS = 5


def explain(bench: Bench, model: Tried, X: Any) -> Explained:
    """Show typical landmarks, held-out objects most surely mistaken, and what decided a few."""
    sample, task = bench.sample, bench.task
    learn, test = bench.features(model.transfer)
    if task.n_classes:
        decided = of_classes(model.head, np.arange(task.n_classes), test, None)
    else:
        scores = model.head.predict(test)
        decided = of_numbers(model.head, test, model.predictions, scores)
    # Objects that were mistaken, the surest first, then those that were not, the surest last.
    truth = task.learned[sample.test]
    off = np.abs(np.asarray(model.predictions, dtype=np.float64) - truth)
    if task.n_classes:
        off = np.where(off > 0, decided.scores, -decided.scores - np.ptp(decided.scores))
    order = np.argsort(-off, kind="stable")
    n_wrong = int((model.predictions != truth).sum()) if task.n_classes else len(order)

    def shown(i: int) -> dict[str, Any]:
        """Return a held-out object, its target and its prediction; a matrix's rows are numbers."""
        row = int(sample.test[i])
        return {
            "object": row if isinstance(sample.landmarks, Columns) else X[row],
            "truth": plain(task.labels[row]),
            "prediction": plain(task.shown(model.predictions[i])),
        }

    half = min(MOST_OBJECTS, len(order)) // 2
    some = np.concatenate([order[:half], order[::-1][:half]])
    features, values = test[some], sample.values[len(sample.learn) + some]
    weights, means = decided.weights[some], learn.mean(axis=0)
    added = bench.bearings.by_landmark(features, values, weights, means)
    explanations = []
    for i, things in zip(some, added, strict=True):
        first = strongest(np.array([one.amount for one in things]), REASONS)
        reasons = [
            {
                **_landmark(bench, int(things[k].landmark)),
                "value": float(things[k].value),
                "contribution": float(things[k].amount),
            }
            for k in first
        ]
        explanations.append({**shown(i), "reasons": reasons})
    mistaken = [
        {**shown(i), "index": int(sample.test[i])} for i in order[: min(n_wrong, MOST_OBJECTS)]
    ]
    return Explained(_prototypes(bench), mistaken, explanations)


def _landmark(bench: Bench, place: int) -> dict[str, Any]:
    """Return a landmark to be shown; a matrix's are known by their columns only."""
    sample = bench.sample
    landmark = sample.landmarks[place]
    index = None if sample.reference is None else int(sample.reference[place])
    return {
        "object": int(landmark.indices[0]) if isinstance(landmark, Columns) else landmark,
        "label": None if index is None else plain(bench.task.labels[index]),
        "index": index,
    }


def _prototypes(bench: Bench) -> list[dict[str, Any]]:
    """Return landmarks that stand for most others of their class, by their values; of numbers, all.

    Only where landmarks have been compared with each other.
    """
    sample, task = bench.sample, bench.task
    if sample.square is None or sample.reference is None:
        return []
    profiles = np.nan_to_num(sample.square.astype(np.float64))
    spread = profiles.std(axis=0)
    profiles = (profiles - profiles.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    codes = task.y[sample.reference[: len(profiles)]] if task.n_classes else np.zeros(len(profiles))
    found = []
    for code in np.unique(codes)[:MOST_CLASSES]:
        mine = np.flatnonzero(codes == code)
        chosen, stands = medoids(profiles[mine], PROTOTYPES)
        found += [
            {
                **_landmark(bench, int(mine[k])),
                "weight": None,
                "note": f"stands for {percent(share)}",
            }
            for share, k in sorted(zip(stands, chosen, strict=True), reverse=True)
        ]
    return found
