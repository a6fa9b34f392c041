"""Constraints: a projection lands inside, is nearest, and agrees with a general convex solver."""

import numpy as np
import pytest
from scipy.optimize import minimize

from seamark.online import (
    Everywhere,
    FrobeniusBall,
    L1Ball,
    L2Ball,
    PositiveBall,
    PSDCone,
    RowBall,
    Simplex,
    TraceBall,
)


def nuclear(V):
    return np.linalg.svd(V, compute_uv=False).sum()


def lowest(V):
    return np.linalg.eigvalsh((V + V.T) / 2).min()


# constraint, shape, and functions that are ≤ 0 inside
VECTORS = [
    (L2Ball(0.8), (4,), [lambda v: np.linalg.norm(v) - 0.8]),
    (L1Ball(0.8), (4,), [lambda v: np.abs(v).sum() - 0.8]),
    (Simplex(), (4,), [lambda v: abs(v.sum() - 1), lambda v: -v.min()]),
    (PositiveBall(0.8), (4,), [lambda v: np.linalg.norm(v) - 0.8, lambda v: -v.min()]),
]
MATRICES = [
    (L1Ball(0.8), (3, 3), [lambda V: np.abs(V).sum() - 0.8]),
    (RowBall(0.8), (3, 3), [lambda V: np.linalg.norm(V, axis=1).sum() - 0.8]),
    (PSDCone(), (3, 3), [lambda V: -lowest(V), lambda V: np.abs(V - V.T).max()]),
    (FrobeniusBall(0.8), (3, 3), [lambda V: np.linalg.norm(V) - 0.8]),
    (
        FrobeniusBall(0.8, psd=True),
        (3, 3),
        [lambda V: np.linalg.norm(V) - 0.8, lambda V: -lowest(V)],
    ),
    (TraceBall(0.8), (3, 3), [lambda V: nuclear(V) - 0.8]),
    (TraceBall(0.8, psd=True), (3, 3), [lambda V: nuclear(V) - 0.8, lambda V: -lowest(V)]),
]
ALL = [*VECTORS, *MATRICES]


@pytest.mark.parametrize(("constraint", "shape", "limits"), ALL, ids=lambda a: repr(a)[:30])
def test_projections_are_inside_and_nearest(constraint, shape, limits, rng):
    for _ in range(20):
        w = rng.normal(size=shape) * rng.uniform(0.1, 3)
        nearest = constraint.project(w.copy())
        assert all(limit(nearest) <= 1e-9 for limit in limits)
        np.testing.assert_allclose(constraint.project(nearest.copy()), nearest, atol=1e-9)
        # w − nearest makes no acute angle with the way to any other point inside.
        for _ in range(20):
            other = constraint.project(rng.normal(size=shape))
            assert np.sum((w - nearest) * (other - nearest)) <= 1e-9


@pytest.mark.parametrize(("constraint", "shape", "limits"), VECTORS, ids=lambda a: repr(a)[:30])
def test_projections_of_vectors_agree_with_a_solver(constraint, shape, limits, rng):
    w = rng.normal(size=shape)
    ours = constraint.project(w.copy())
    # v = p − q with p, q ≥ 0 makes all limits smooth.
    positive = isinstance(constraint, (Simplex, PositiveBall))
    norm = {L2Ball: 2, PositiveBall: 2, L1Ball: 1, Simplex: 1}[type(constraint)]

    def size(pq):
        return (pq.sum() if norm == 1 else np.sum((pq[:4] - pq[4:]) ** 2)) - total

    total = 1.0 if isinstance(constraint, Simplex) else 0.8**norm
    kind = "eq" if isinstance(constraint, Simplex) else "ineq"
    bounds = [(0, None)] * 4 + [(0, 0 if positive else None)] * 4
    result = minimize(
        lambda pq: np.sum((pq[:4] - pq[4:] - w) ** 2),
        np.full(8, 0.1),
        bounds=bounds,
        constraints={"type": kind, "fun": lambda pq: -size(pq)},
        options={"ftol": 1e-14, "maxiter": 500},
    )
    np.testing.assert_allclose(ours, result.x[:4] - result.x[4:], atol=1e-5)


@pytest.mark.parametrize(
    "constraint", [PSDCone(), FrobeniusBall(0.8, psd=True), TraceBall(0.8, psd=True)]
)
def test_projections_of_matrices_agree_with_a_solver(constraint, rng):
    w = rng.normal(size=(3, 3))
    w = w + w.T
    sizes = {
        PSDCone: lambda V: -1.0,
        FrobeniusBall: lambda V: np.sum(V * V) - 0.64,
        TraceBall: lambda V: np.trace(V) - 0.8,
    }

    def square(a):  # AAᵀ reaches every positive semidefinite matrix
        return a.reshape(3, 3) @ a.reshape(3, 3).T

    result = minimize(
        lambda a: np.sum((square(a) - w) ** 2),
        rng.normal(size=9) * 0.3,
        constraints={"type": "ineq", "fun": lambda a: -sizes[type(constraint)](square(a))},
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    np.testing.assert_allclose(constraint.project(w.copy()), square(result.x), atol=1e-3)


def test_starts_lie_inside():
    for constraint, shape, _ in ALL:
        start = constraint.start(shape)
        np.testing.assert_allclose(constraint.project(start.copy()), start, atol=1e-12)
    assert not Everywhere().start((2, 3)).any()


@pytest.mark.parametrize("radius", [0, -1.0, "1", None])
def test_a_radius_must_be_positive(radius):
    with pytest.raises(ValueError, match="radius must be a positive number"):
        L2Ball(radius).check()
