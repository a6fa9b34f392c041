"""Slow textbook versions of what learns kernels and chooses columns."""

import numpy as np
from scipy.optimize import minimize


def best_alignment(v, rho_per_feature, power):
    """Largest Σqv over the simplex within the ball, by a general convex solver."""
    n, scale = len(v), np.abs(v).max()
    within = {
        "type": "ineq",
        "fun": lambda q: rho_per_feature * n + 1.0 - np.mean((n * np.maximum(q, 0.0)) ** power),
    }
    simplex = {"type": "eq", "fun": lambda q: q.sum() - 1.0}
    found = minimize(
        lambda q: -(q @ v) / scale,
        np.full(n, 1.0 / n),
        constraints=[within, simplex],
        bounds=[(0.0, 1.0)] * n,
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-13},
    )
    return float(found.x @ v)


def alignments(F, Y, *, diagonal=True):
    """Σᵢⱼ φₘ(xᵢ) φₘ(xⱼ) yᵢ·yⱼ of every feature, pair by pair."""
    S = Y @ Y.T
    if not diagonal:
        S = S - np.diag(np.diag(S))
    return np.array([phi @ S @ phi for phi in F.T])


def forward_ridge(A, Y, n_features, ridge):
    """Columns that lower the penalised error most, every ridge solved from scratch."""
    n, chosen = len(A), []
    for _ in range(n_features):
        errors = {}
        for j in set(range(A.shape[1])) - set(chosen):
            B = A[:, [*chosen, j]]
            beta = np.linalg.solve(B.T @ B / n + ridge * np.eye(B.shape[1]), B.T @ Y / n)
            errors[j] = np.square(Y - B @ beta).sum() / n + ridge * np.square(beta).sum()
        chosen.append(min(errors, key=lambda j: errors[j]))
    return chosen
