"""The definitions as curves, learned on some rows and reported on others, with intervals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..feature_selection import Greedy, NoUsefulColumnError
from ..features import InMemory
from ..landmarks import Landmarks
from ..maps import LandmarkMap
from ..plotting.text import visible
from ..transfers import Transfer
from .definitions import hinge_weights, rival_margins, strong_margins, weak_gamma, weak_parts
from .sample import Sample
from .tasks import AssessedTask

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

LEVEL = 0.95
REPEATS = 200  # resamples: enough for the quantiles of a 95 % interval to two digits
CURVE_ROWS = 300  # of linear programmes: rows to learn from
CURVE_WEIGHTS = 150  # and references that get a weight
GREEDY_LANDMARKS = 60  # landmarks that an assessment chooses one by one


@dataclass(frozen=True)
class Estimate:
    """A number with its interval.

    Examples
    --------
    >>> print(Estimate(0.912, 0.88, 0.9375))
    0.912 (0.88 … 0.938)
    >>> print(Estimate(0.25, 0.25, 0.25))
    0.25
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        value, low, high = (f"{one:.3g}" for one in (self.value, self.low, self.high))
        return value if value == low == high else f"{value} ({low} … {high})"


@dataclass(frozen=True)
class Curve:
    """Numbers over a grid, each with its interval.

    Attributes
    ----------
    name, xlabel, ylabel : str
        What it shows.
    x, y, low, high : ndarray
        The grid, the numbers, and the ends of their intervals.

    Examples
    --------
    >>> y = np.array([0.7, 0.9])
    >>> curve = Curve("accuracy", "landmarks", "accuracy", np.array([10.0, 100.0]), y, y, y)
    >>> curve.at(80).value
    0.9
    """

    name: str
    xlabel: str
    ylabel: str
    x: Floats
    y: Floats
    low: Floats
    high: Floats

    def series(self) -> dict[str, Any]:
        """Return the curve as plain lists."""
        keys = ("x", "y", "low", "high")
        return {"name": self.name, **{key: getattr(self, key).tolist() for key in keys}}

    def at(self, x: float) -> Estimate:
        """Return the estimate at the point of the grid that is nearest to x."""
        i = int(np.argmin(np.abs(self.x - x)))
        return Estimate(float(self.y[i]), float(self.low[i]), float(self.high[i]))


class Bootstrap:
    """Resamples of units: rows, or whole queries.

    The same resamples serve every statistic, so that what is compared is compared on equal rows.

    Parameters
    ----------
    groups : ndarray of shape (n,) or None
        What is drawn together: the query of each row; None draws rows one by one.
    n : int
        Number of rows.
    rng : Generator

    Examples
    --------
    >>> bootstrap = Bootstrap(None, 50, np.random.default_rng(0))
    >>> x = np.arange(50.0)
    >>> print(bootstrap.estimate(lambda rows: x[rows].mean()))
    24.5 (20.9 … 28.1)
    """

    def __init__(self, groups: Rows | None, n: int, rng: np.random.Generator) -> None:
        self.every = np.arange(n)
        if groups is None:
            self.samples = [rng.integers(n, size=n) for _ in range(REPEATS)]
        else:
            members = [np.flatnonzero(groups == group) for group in np.unique(groups)]
            drawn = rng.integers(len(members), size=(REPEATS, len(members)))
            self.samples = [np.concatenate([members[i] for i in row]) for row in drawn]

    def draws(self, statistic: Callable[[Rows], Any]) -> Floats:
        """Return what is computed from all rows, and then from every resample."""
        every = (self.every, *self.samples)
        return np.array([statistic(rows) for rows in every], dtype=np.float64)

    def estimate(self, statistic: Callable[[Rows], float]) -> Estimate:
        """Return a number computed from rows, with its interval."""
        return Estimate(*map(float, bounds(self.draws(statistic))))

    def share(self, statistic: Callable[[Rows], float], n: int | None = None) -> Estimate:
        """Return a share of n objects, default all, with its interval.

        If all objects are right, so are all resamples; the interval then ends at the share at
        which all of n would still be right in 2.5 % of cases. Resamples that give NaN are left out.

        Examples
        --------
        >>> bootstrap = Bootstrap(None, 100, np.random.default_rng(0))
        >>> print(bootstrap.share(lambda rows: 1.0))
        1 (0.964 … 1)
        """
        draws = self.draws(statistic)
        value, low, high = map(float, bounds(draws[~np.isnan(draws)]))
        end = ((1 - LEVEL) / 2) ** (1 / (n or len(self.every)))
        if value == low == high == 1.0:
            low = end
        elif value == low == high == 0.0:
            high = 1 - end
        return Estimate(value, low, high)

    def mean(self, values: NDArray[Any]) -> Estimate:
        """Return the mean of one number per row, with its interval."""
        return self.estimate(lambda rows: float(values[rows].mean()))

    def curve(
        self,
        name: str,
        labels: tuple[str, str],
        x: Any,
        statistic: Callable[[Rows], Any],
    ) -> Curve:
        """Return several numbers computed from rows, one for each point of a grid."""
        return Curve(name, *labels, np.asarray(x, dtype=np.float64), *bounds(self.draws(statistic)))


def bounds(draws: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the first number, and the interval of the others, widened if needed to contain it.

    Examples
    --------
    >>> tuple(map(float, bounds(np.array([5.0, 1.0, 2.0, 3.0]))))
    (5.0, 1.05, 5.0)
    """
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(draws[1:], [tail, 1 - tail], axis=0)
    # The quantiles of a biased statistic can leave its value out.
    return draws[0], np.minimum(low, draws[0]), np.maximum(high, draws[0])


# `Bench`: values, targets and resamples on which learners are compared.


MOST_LETTERS = 30  # of a class's name


@dataclass(frozen=True)
class Bench:
    """Values, targets and resamples, for learners to be compared on.

    Attributes
    ----------
    sample : Sample
    task : AssessedTask
    kind : str
        "distance" or "similarity", declared or seen.
    bootstrap : Bootstrap
        Of the test rows.
    seed : int
        For heads.
    """

    sample: Sample
    task: AssessedTask
    kind: str
    bootstrap: Bootstrap
    seed: int

    @cached_property
    def bearings(self) -> LandmarkMap:
        """The landmark map of these values, as models fit it to the rows that are learned from."""
        return self.mapped("auto")

    def mapped(self, transfer: Any) -> LandmarkMap:
        """Return the map with another transfer; no value is computed again."""
        sample = self.sample
        chosen = Landmarks(sample.landmarks, sample.reference)
        unfitted = LandmarkMap(sample.measure, transfer=transfer, scale=False)
        return unfitted.fit_known(chosen, sample.values[: len(sample.learn)])

    def features(self, transfer: Transfer) -> tuple[Floats, Floats]:
        """Features of the rows to learn from and of the test rows."""
        F = self.bearings.features(self.sample.values.copy(), [transfer]).astype(np.float64)
        n = len(self.sample.learn)
        return F[:n], F[n:]

    def estimate(self, predictions: NDArray[Any]) -> Estimate:
        """Score of predictions for the test rows."""
        test, task = self.sample.test, self.task
        estimate = self.bootstrap.share if task.n_classes else self.bootstrap.estimate
        return estimate(lambda rows: task.score(predictions[rows], test[rows]))

    def recalls(self, predictions: NDArray[Any]) -> dict[str, Estimate]:
        """Recall of each class among the test rows, by the user's name of the class."""
        truth = self.task.y[self.sample.test]
        right = predictions == truth
        found: dict[str, Estimate] = {}
        for code in np.unique(truth):
            name = visible(self.task.shown(code), MOST_LETTERS)
            name = f"{name} [{code}]" if name in found else name
            found[name] = self.bootstrap.share(
                lambda rows, code=code: _mean(right[rows][truth[rows] == code]),  # type: ignore[misc]
                int((truth == code).sum()),
            )
        return found

    def balanced(self, predictions: NDArray[Any]) -> Estimate:
        """Mean recall of the classes among the test rows; accuracy hides how rare ones do."""
        truth = self.task.y[self.sample.test]
        right = predictions == truth

        def balanced(rows: Rows) -> float:
            return _mean([_mean(right[rows][truth[rows] == c]) for c in np.unique(truth[rows])])

        return self.bootstrap.share(balanced)

    def fitted(self, F: Floats) -> Any:
        """Return the quick model, fitted to features of the rows to learn from."""
        learn, groups = self.sample.learn, self.sample.groups
        features = InMemory(F, None if groups is None else groups[learn])
        return self.task.head(self.seed).fit(features, self.task.learned[learn])


def _mean(values: Any) -> float:
    """Return the mean; NaN if there is nothing."""
    return float(np.mean(values)) if len(values) else float("nan")


# The definitions as curves, learned on some rows and reported on others, with intervals.


MOST_RIVALS = 3  # the nearest other classes that a row is compared with
GAMMAS = 21  # points of the strong curve
MARGINS = tuple(np.geomspace(0.01, 1.0, 6))  # shares of the largest margin in reach
BOUNDS = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
MISSED = ("margin γ", "share ε of objects that miss it")


def goodness(bench: Bench, K: Floats) -> tuple[dict[str, Estimate], dict[str, Curve]]:
    """Return what the definitions for classes say: numbers, and curves over margins γ.

    "average vote": the share of objects whose class has the largest mean similarity. "weak γ" is
    that of Definition 5. "strong": the share of objects not more similar to their class by γ
    (Def 4, 10). "margin": the share below the margin with learned weights (Def 8; an upper bound,
    for the weights are those of least hinge loss). "hinge": their mean hinge loss in units of γ
    (Def 9).
    """
    sample, task, bootstrap = bench.sample, bench.task, bench.bootstrap
    n, reference = len(sample.learn), np.asarray(sample.reference)
    truth, test = task.y[sample.test], K[n:]
    gaps = strong_margins(test, truth, task.y[reference], task.n_classes)
    parts = weak_parts(test, truth, task.y[reference])
    numbers = {
        "average vote": bootstrap.mean(gaps > 0),
        "weak γ": bootstrap.estimate(lambda rows: weak_gamma(parts[rows])),
    }
    reach = np.linspace(0.0, max(float(np.quantile(gaps, 0.99)), 0.01), GAMMAS)
    strong = bootstrap.curve(
        "strong goodness",
        MISSED,
        reach,
        lambda rows: (gaps[rows][:, None] < reach).mean(axis=0),
    )
    # Learn w ∈ [0, 1] at each of a few margins. Weights for a larger margin, scaled down, do as
    # well at a smaller one: so ε never falls with γ.
    few = np.unique(np.linspace(0, n - 1, min(n, CURVE_ROWS)).astype(int))
    columns = task.y[reference[:CURVE_WEIGHTS]]
    K = K[:, : len(columns)]
    learned = rival_margins(K[few], task.y[sample.learn[few]], columns, task.n_classes)
    tested = rival_margins(K[n:], truth, columns, task.n_classes)
    # A margin that hardly any object can exceed, whatever the weights.
    best = np.maximum(learned, 0).sum(axis=2).min(axis=1)
    gammas = np.array(MARGINS) * max(float(np.quantile(best, 0.95)), 1e-6)
    nearest = np.argsort(learned.sum(axis=2), axis=1)[:, :MOST_RIVALS, None]
    learned = np.take_along_axis(learned, nearest, axis=1)
    weights = [hinge_weights(learned, gamma) for gamma in gammas]
    margins = np.stack([(tested @ w).min(axis=1) for w in weights], axis=1)
    losses = np.maximum(0.0, 1 - margins / gammas)
    margin = bootstrap.curve(
        "margin goodness",
        MISSED,
        gammas,
        # A solution sits on the margin itself, up to rounding.
        lambda rows: least_from((margins[rows] < gammas * (1 - 1e-9)).mean(axis=0)),
    )
    hinge = bootstrap.curve(
        "hinge goodness",
        ("margin γ", "mean hinge loss"),
        gammas,
        lambda rows: least_from(losses[rows].mean(axis=0)),
    )
    return numbers, {"strong": strong, "margin": margin, "hinge": hinge}


def least_from(values: Floats) -> Floats:
    """Return, for each number, the smallest of it and all after it.

    Examples
    --------
    >>> least_from(np.array([0.3, 0.1, 0.2]))
    array([0.1, 0.1, 0.2])
    """
    return np.minimum.accumulate(values[::-1])[::-1]


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
    few = np.unique(np.linspace(0, n - 1, min(n, CURVE_ROWS)).astype(int))
    most = CURVE_WEIGHTS
    F = K[:, :most] / min(K.shape[1], most)
    weights = [loss.least(F[few], y[sample.learn[few]], bound) for bound in BOUNDS]
    losses = np.stack([loss.of(F[n:] @ w, y[sample.test]) for w in weights], axis=1)
    return bench.bootstrap.curve(
        loss.name,
        ("bound B of the weights", loss.name),
        BOUNDS,
        lambda rows: np.minimum.accumulate(losses[rows].mean(axis=0)),
    )


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


# How many landmarks are enough: scores of nested numbers, at random or chosen greedily.


SIZES = (1, 2, 3, 5, 8, 12, 20, 35, 60, 100, 180, 300, 500)


def nested(bench: Bench, transfer: Transfer, order: Rows) -> tuple[Rows, Floats]:
    """Fit the quick model to nested numbers of landmarks, in the order given.

    Penalties are chosen by cross-validation at every number.

    Returns
    -------
    sizes : ndarray of int
    scores : ndarray of shape (1 + resamples, sizes)
        On the test rows, and on resamples of them.
    """
    sizes = np.array([size for size in SIZES if size < len(order)] + [len(order)])
    learn, test = bench.features(transfer)
    found = []
    for size in sizes:
        columns = order[:size]
        head = bench.fitted(learn[:, columns])
        found.append(bench.task.predicted(head, test[:, columns]))
    task, held = bench.task, bench.sample.test
    scores = bench.bootstrap.draws(
        lambda rows: [task.score(one[rows], held[rows]) for one in found]
    )
    return sizes, scores


def enough(sizes: NDArray[Any], scores: NDArray[Any], base: float, share: float) -> int:
    """Return the least number whose score has gained this share of the most gained over `base`.

    Examples
    --------
    >>> enough(np.array([1, 10, 100]), np.array([0.5, 0.89, 0.9]), 0.4, 0.95)
    10
    """
    wanted = base + share * max(float(scores.max()) - base, 0.0)
    return int(sizes[int(np.argmax(scores >= min(wanted, float(scores.max()))))])


def greedy_order(bench: Bench, transfer: Transfer) -> Rows:
    """Return landmarks in the order in which forward greedy selection takes them.

    Where none of them is of any use, as they come: the scores then say so.
    """
    learn, _ = bench.features(transfer)
    most = min(GREEDY_LANDMARKS, learn.shape[1])
    classes = bench.task.n_classes > 0
    greedy = Greedy(most, task="classification" if classes else "regression")
    try:
        return np.asarray(greedy.fit(learn, bench.task.learned[bench.sample.learn]).support_)
    except NoUsefulColumnError:
        return np.arange(most)
