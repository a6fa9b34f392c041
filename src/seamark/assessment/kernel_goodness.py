"""Goodness of a kernel in its own space, beside that of the same kernel as a similarity.

References
----------
Balcan, Blum and Srebro, "A Theory of Learning with Similarity Functions", Definitions 2 and 3.
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from .curves import CURVE_ROWS, Bench, Curve, least_from
from .definitions import Codes, Floats
from .facts import Observations
from .sample import Scale
from .verdict import ASYMMETRIC, INDEFINITE

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
