"""Goodness of pairs of references, and of a kernel in its own space.

References
----------
Kar, "Topics in Resource-efficient Kernel Learning", Definitions 4.1 and 4.6.
Balcan, Blum and Srebro, "A Theory of Learning with Similarity Functions", Definitions 2 and 3.
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from ..transfers import SLOPES
from .curves import CURVE_ROWS, MARGINS, Bench, Curve, least_from
from .definitions import Codes, Floats, least_hinges
from .facts import Observations
from .sample import Scale
from .verdict import ASYMMETRIC, INDEFINITE

# Weights of pairs of references under an antisymmetric transfer function.


PAIRS = 100  # that get a weight
PAIR_ROWS = CURVE_ROWS // 2  # of linear programmes: rows to learn from
TRIAL = 0.1  # of the largest margin in reach: where slopes are compared


def drawn_pairs(labels: Codes, n: int, rng: np.random.Generator) -> tuple[Codes, Codes]:
    """Return n random pairs of references, both of a pair of different classes.

    Examples
    --------
    >>> labels = np.array([0, 0, 1])
    >>> first, second = drawn_pairs(labels, 5, np.random.default_rng(0))
    >>> bool(np.all(labels[first] != labels[second]))
    True
    """
    first = rng.integers(len(labels), size=n)
    others = [np.flatnonzero(labels != label) for label in labels[first]]
    second = np.array([rng.choice(rows) for rows in others], dtype=np.intp)
    return first, second


def pair_margins(
    K: Floats, labels: Codes, reference: Codes, pairs: tuple[Codes, Codes], slope: float
) -> Floats:
    """Return the margins of Definition 4.1, linear in the weights of the pairs.

    The margin of x is the mean of w(x′, x″) f(K(x, x′) − K(x, x″)) over the pairs of which x′ is of
    the class of x and x″ is not, f(t) = slope·t cut at ±1. f is antisymmetric: a pair whose second
    is of the class counts by its negative, and one of two other classes not at all.

    Parameters
    ----------
    K : ndarray of shape (n, R)
        Similarities in [0, 1], so that f(1) − f(0), the unit of the margin, is 1.
    labels, reference : ndarray of int
        Classes of rows and of columns.
    pairs : tuple of ndarray of int
        Columns x′ and x″.
    slope : float
        At least 1.

    Returns
    -------
    ndarray of shape (n, pairs)
        The margin of object i is ⟨rows[i], w⟩.

    Examples
    --------
    >>> K, classes = np.array([[0.9, 0.4]]), np.array([0, 1])
    >>> pair_margins(K, np.array([1]), classes, (np.array([0]), np.array([1])), 1.0)
    array([[-0.5]])
    """
    first, second = pairs
    values = np.clip(slope * (K[:, first] - K[:, second]), -1.0, 1.0)
    sign = 1.0 * (labels[:, None] == reference[first]) - (labels[:, None] == reference[second])
    counts = np.abs(sign).sum(axis=1, keepdims=True)
    return np.asarray(sign * values / np.maximum(counts, 1))


def pair_curves(bench: Bench, K: Floats) -> dict[str, Curve]:
    """Return what the definitions for pairs say: losses over slopes, and ε over margins.

    Weights lie in [−1, 1]; what holds of γ for these holds of Bγ for weights up to B in size. Ramps
    are compared by the mean hinge loss (Definition 4.6) at one margin, and the one that is best on
    further rows to learn from has its curve γ ↦ ε, the share of objects that miss the margin.
    """
    sample, task = bench.sample, bench.task
    n, reference = len(sample.learn), task.y[np.asarray(sample.reference)]
    few = np.unique(np.linspace(0, n - 1, min(n, PAIR_ROWS)).astype(int))
    more = np.setdiff1d(np.arange(n), few) if len(few) < n else few
    pairs = drawn_pairs(reference, PAIRS, np.random.default_rng(bench.seed))
    K = (K + 1) / 2
    learned, chosen, tested = (
        [pair_margins(rows, task.y[these], reference, pairs, slope) for slope in SLOPES]
        for rows, these in (
            (K[few], sample.learn[few]),
            (K[more], sample.learn[more]),
            (K[n:], sample.test),
        )
    )
    # The largest margins that any weights reach, of most objects.
    reach = [max(float(np.quantile(np.abs(F).sum(axis=1), 0.95)), 1e-6) for F in learned]
    trial = TRIAL * max(reach)
    weights = [_weights(F, trial) for F in learned]
    losses = [_hinges(F @ w, trial).mean() for F, w in zip(chosen, weights, strict=True)]
    best = int(np.argmin(losses))
    each = [_hinges(F @ w, trial) for F, w in zip(tested, weights, strict=True)]
    on_test = np.stack(each, axis=1)
    gammas = np.array(MARGINS) * reach[best]
    margins = np.stack([tested[best] @ _weights(learned[best], gamma) for gamma in gammas], axis=1)
    return {
        "slopes": bench.bootstrap.curve(
            "goodness of pairs",
            ("slope of the ramp", f"mean hinge loss at margin {trial:.2g}"),
            SLOPES,
            lambda rows: on_test[rows].mean(axis=0),
        ),
        "pairs": bench.bootstrap.curve(
            f"goodness of pairs, slope {SLOPES[best]:g}",
            ("margin γ over pairs", "share ε of objects that miss it"),
            gammas,
            # A solution sits on the margin itself, up to rounding.
            lambda rows: least_from((margins[rows] < gammas * (1 - 1e-9)).mean(axis=0)),
        ),
    }


def _weights(margins: Floats, gamma: float) -> Floats:
    """Return w ∈ [−1, 1] of least mean hinge loss [1 − margin/γ]₊."""
    n = len(margins)
    return least_hinges(margins / gamma, np.ones(n), np.arange(n), -1.0, 1.0)


def _hinges(margins: Floats, gamma: float) -> Floats:
    return np.asarray(np.maximum(0.0, 1 - margins / gamma))


# Goodness of a kernel in its own space, beside that of the same kernel as a similarity.


COSTS = (3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
"""C·n of the separators: from nearly a vote to nearly none wrong."""
SMALLEST = 1e-6  # of the largest eigenvalue: directions below are rounding
LARGEST_MARGIN = 1.0  # of unit vectors with one of norm at most 1


def kernel_features(square: Floats, values: Floats) -> Floats:
    """Return coordinates of φ(x) in the span of the references' φ: inner products give K.

    Parameters
    ----------
    square : ndarray of shape (S, S)
        Values of the kernel among references.
    values : ndarray of shape (n, S)
        Of objects against these.

    Examples
    --------
    >>> points = np.array([[1.0, 0.0], [0.6, 0.8]])
    >>> Phi = kernel_features(points @ points.T, points @ points.T)
    >>> np.allclose(Phi @ Phi.T, points @ points.T)
    True
    """
    eigenvalues, vectors = np.linalg.eigh((square + square.T) / 2)
    kept = eigenvalues > SMALLEST * max(float(eigenvalues[-1]), 0.0)
    return np.asarray(values @ (vectors[:, kept] / np.sqrt(eigenvalues[kept])))


def separators(Phi: Floats, labels: Codes, cost: float) -> tuple[float, Floats]:
    """Return a margin γ and the β, ‖β‖ ≤ 1, of least mean hinge loss at it.

    The minimiser u of ½‖u‖² + C Σ [1 − margin]₊ has the least loss of all that are no longer: so
    β = u/‖u‖ has the least at γ = 1/‖u‖. Two classes have one β; several have one each, squares of
    norms adding up to 1, and the margin of an object is that to the nearest other class.

    Parameters
    ----------
    Phi : ndarray of shape (n, d)
    labels : ndarray of int
    cost : float
        C·n.

    Examples
    --------
    >>> gamma, beta = separators(np.array([[0.5], [-0.5]]), np.array([1, 0]), 1000.0)
    >>> round(gamma, 3), beta
    (0.5, array([[1.]]))
    """
    way = "ovr" if len(np.unique(labels)) == 2 else "crammer_singer"
    svm = LinearSVC(
        C=cost / len(labels),
        loss="hinge",
        multi_class=way,
        fit_intercept=False,
        tol=1e-2,
        max_iter=2000,
        random_state=0,
    )
    with warnings.catch_warnings():  # short of its end β is not the best, but its losses hold
        warnings.simplefilter("ignore", ConvergenceWarning)
        u = np.asarray(svm.fit(Phi, labels).coef_, dtype=np.float64)
    size = max(float(np.linalg.norm(u)), 1e-300)
    return 1.0 / size, u / size


def separator_margins(Phi: Floats, labels: Codes, beta: Floats, classes: Codes) -> Floats:
    """Return ⟨β, φ⟩ with the sign of the class, or of several classes the gap to the nearest."""
    scores = Phi @ beta.T
    if len(classes) == 2:
        return np.asarray(np.where(labels == classes[1], scores[:, 0], -scores[:, 0]))
    own = labels[:, None] == classes
    known = own.any(axis=1)  # a class that no row to learn from is of is always missed
    others = np.where(own, -np.inf, scores).max(axis=1)
    return np.asarray(np.where(known, np.where(own, scores, 0.0).sum(axis=1) - others, -1.0))


def is_kernel(scale: Scale, facts: Observations) -> bool:
    """Whether values are those of a kernel, as far as the references show."""
    return (
        scale.kind == "similarity"
        and scale.middle == 0
        and facts.eigenvalues is not None
        and facts.eigenvalues[-1] > 0
        and facts.value("negative spectrum") <= INDEFINITE
        and facts.value("asymmetry") <= ASYMMETRIC
    )


def kernel_curve(bench: Bench, K: Floats, scale: Scale) -> Curve | None:
    """Return γ ↦ ε, the mean hinge loss of a kernel at margin γ (Definition 3).

    Separators lie in the span of the references, which bounds the ε of the definition from above.
    """
    sample, task = bench.sample, bench.task
    n = len(sample.learn)
    few = np.unique(np.linspace(0, n - 1, min(n, CURVE_ROWS)).astype(int))
    square = scale.apply(np.asarray(sample.square))
    Phi = kernel_features(square, K[:, : len(square)])
    labels, truth = task.y[sample.learn[few]], task.y[sample.test]
    classes = np.unique(labels)
    if len(classes) < 2:
        return None
    found = {}
    for cost in COSTS:
        gamma, beta = separators(Phi[few], labels, cost)
        if gamma <= LARGEST_MARGIN:
            margins = separator_margins(Phi[n:], truth, beta, classes)
            found[gamma] = np.maximum(0.0, 1 - margins / gamma)
    if not found:
        return None
    gammas = np.array(sorted(found))
    losses = np.stack([found[gamma] for gamma in gammas], axis=1)
    return bench.bootstrap.curve(
        "goodness as a kernel",
        ("margin γ", "mean hinge loss"),
        gammas,
        lambda rows: least_from(losses[rows].mean(axis=0)),
    )
