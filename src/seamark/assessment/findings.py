"""Everything that is computed from values that differ, gathered for verdict and report."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import theory
from . import curves, yardsticks
from .assessment import BALANCED
from .bench import Bench
from .explained import Explained, explain
from .grounds import Grounds
from .intervals import Curve, Estimate, Floats
from .nested import greedy_order, nested
from .observations import Observations
from .shuffling import permutation_p
from .tasks import AssessedTask
from .verdict import ENOUGH, Sentence, sentences

NEAR_LEAST = 0.05
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
