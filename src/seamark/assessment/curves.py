"""The definitions as curves, learned on some rows and reported on others, with intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..engine import settings
from .bench import Bench
from .definitions import Margins, hinge_weights, strong_margins, weak_gamma, weak_parts
from .intervals import Curve, Estimate, Floats

MOST_RIVALS = 3  # the nearest other classes that a row is compared with
GAMMAS = 21  # points of the strong curve
MARGINS = tuple(np.geomspace(0.01, 1.0, 6))  # shares of the largest margin in reach
BOUNDS = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0)


def strong_curve(bench: Bench, K: Floats) -> Curve:
    """Return γ ↦ ε(γ): the share of objects not more similar to their class by γ (Def 4, 10)."""
    margins = _strong(bench, K)
    top = max(float(np.quantile(margins, 0.99)), 0.01)
    gammas = np.linspace(0.0, top, GAMMAS)
    return bench.bootstrap.curve(
        "strong goodness",
        ("margin γ", "share ε of objects that miss it"),
        gammas,
        lambda rows: (margins[rows][:, None] < gammas).mean(axis=0),
    )


def vote_score(bench: Bench, K: Floats) -> Estimate:
    """Return the share of objects whose class has the largest mean similarity."""
    return bench.bootstrap.mean(_strong(bench, K) > 0)


def weak_estimate(bench: Bench, K: Floats) -> Estimate:
    """Return the weak γ (Def 5)."""
    sample, y = bench.sample, bench.task.y
    parts = weak_parts(K[len(sample.learn) :], y[sample.test], y[bench.reference])
    return bench.bootstrap.estimate(lambda rows: weak_gamma(parts[rows]))


def _strong(bench: Bench, K: Floats) -> Floats:
    sample, task = bench.sample, bench.task
    test = K[len(sample.learn) :]
    return strong_margins(test, task.y[sample.test], task.y[bench.reference], task.n_classes)


@dataclass(frozen=True)
class MarginCurves:
    """Goodness with learned weights, over margins γ.

    Attributes
    ----------
    margin : Curve
        Share of objects below the margin (Def 8; an upper bound, for the weights are those of
        least hinge loss).
    hinge : Curve
        Mean hinge loss in units of γ (Def 9).
    """

    margin: Curve
    hinge: Curve


def margin_curves(bench: Bench, K: Floats) -> MarginCurves:
    """Learn w ∈ [0, 1] at each of a few margins, and report on the test rows.

    Weights for a larger margin, scaled down, do as well at a smaller one: so ε never falls with γ.
    """
    learned, tested = _margins(bench, K)
    gammas = np.array(MARGINS) * max(learned.reach(), 1e-6)
    weights = [hinge_weights(learned.nearest(MOST_RIVALS), gamma) for gamma in gammas]
    margins = np.stack([tested.at(w) for w in weights], axis=1)
    losses = np.maximum(0.0, 1 - margins / gammas)
    return MarginCurves(
        bench.bootstrap.curve(
            "margin goodness",
            ("margin γ", "share ε of objects that miss it"),
            gammas,
            # A solution sits on the margin itself, up to rounding.
            lambda rows: least_from((margins[rows] < gammas * (1 - 1e-9)).mean(axis=0)),
        ),
        bench.bootstrap.curve(
            "hinge goodness",
            ("margin γ", "mean hinge loss"),
            gammas,
            lambda rows: least_from(losses[rows].mean(axis=0)),
        ),
    )


def least_from(values: Floats) -> Floats:
    """Return, for each number, the smallest of it and all after it.

    Examples
    --------
    >>> least_from(np.array([0.3, 0.1, 0.2]))
    array([0.1, 0.1, 0.2])
    """
    return np.minimum.accumulate(values[::-1])[::-1]


def _margins(bench: Bench, K: Floats) -> tuple[Margins, Margins]:
    """Return margins of rows to learn from and to test on, against the first references."""
    sample, task = bench.sample, bench.task
    n, reference = len(sample.learn), bench.reference[: settings().curve_weights]
    few = np.unique(np.linspace(0, n - 1, min(n, settings().curve_rows)).astype(int))
    K, columns = K[:, : len(reference)], task.y[reference]
    return (
        Margins.of(K[few], task.y[sample.learn[few]], columns, task.n_classes),
        Margins.of(K[n:], task.y[sample.test], columns, task.n_classes),
    )


def loss_curve(bench: Bench, K: Floats) -> Curve | None:
    """Return B ↦ ε: the loss of E[w(x′)K(x, x′)], |w| ≤ B, in tasks that are not classes.

    Weights of a smaller box lie in a larger one: so ε never rises with B.
    """
    posed = bench.task.least_loss()
    if posed is None:
        return None
    loss, y = posed
    sample = bench.sample
    n = len(sample.learn)
    few = np.unique(np.linspace(0, n - 1, min(n, settings().curve_rows)).astype(int))
    most = settings().curve_weights
    F = K[:, :most] / min(K.shape[1], most)
    weights = [loss.least(F[few], y[sample.learn[few]], bound) for bound in BOUNDS]
    losses = np.stack([loss.of(F[n:] @ w, y[sample.test]) for w in weights], axis=1)
    return bench.bootstrap.curve(
        loss.name,
        ("bound B of the weights", loss.name),
        BOUNDS,
        lambda rows: np.minimum.accumulate(losses[rows].mean(axis=0)),
    )


def needed_bound(curve: Curve, tolerance: float) -> float:
    """Return the least bound of weights whose loss is within `tolerance` of the least."""
    return float(curve.x[int(np.argmax(curve.y <= curve.y.min() + tolerance))])


def reached_margin(curve: Curve, tolerance: float) -> float:
    """Return the largest margin whose ε is within `tolerance` of the least.

    Examples
    --------
    >>> y = np.array([0.1, 0.12, 0.5])
    >>> reached_margin(Curve("", "", "", np.array([0.01, 0.1, 1.0]), y, y, y), 0.05)
    0.1
    """
    near = np.flatnonzero(curve.y <= curve.y.min() + tolerance)
    return float(curve.x[near[-1]])
