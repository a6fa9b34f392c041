"""Solutions from a tridiagonal form, against a solution from nothing at every penalty."""

import numpy as np
import pytest
from scipy.linalg import LinAlgError

from seamark.features import InMemory
from seamark.linear_model.ridge_equations import Primal, Tridiagonal, solve_each
from seamark.linear_model.ridge_statistics import FoldSums


@pytest.mark.parametrize("size", [2, 3, 40])
@pytest.mark.parametrize("rank", [1, 40])
@pytest.mark.parametrize("outputs", [1, 4])
def test_solutions_at_all_penalties(size, rank, outputs, rng):
    A = rng.normal(size=(size, rank)) @ rng.normal(size=(rank, rank))
    A, b = A @ A.T, rng.normal(size=(size, outputs))
    penalties = [1e-6, 1e-2, 1.0, 1e3]
    found = Tridiagonal(A).solve(penalties, b)
    assert found.shape == (4, size, outputs)
    for penalty, x in zip(penalties, found, strict=True):
        expected = np.linalg.solve(A + penalty * np.eye(size), b)
        scale = 1 + np.abs(expected).max()
        np.testing.assert_allclose(x / scale, expected / scale, atol=1e-12 * np.trace(A) / penalty)


def test_it_says_at_which_penalty_a_matrix_is_indefinite():
    with pytest.raises(LinAlgError, match="0.5"):
        Tridiagonal(np.diag([-1.0, 2.0])).solve([2.0, 0.5], np.ones((2, 1)))


@pytest.mark.parametrize("size", [12, 7, 1])
def test_many_penalties_and_one_find_the_same_vectors(size, rng):
    X, Y = rng.normal(size=(50, 12)), rng.normal(size=(50, 2))
    X[:, 3] = 1.0  # is of no use, and left out
    equations = Primal(FoldSums.of(InMemory(X), Y, np.arange(50) % 3), True).equations(0)
    penalties = np.geomspace(1e-6, 1e3, 7).tolist()
    together = solve_each(equations, penalties, size)
    for penalty, vectors in zip(penalties, together, strict=True):
        np.testing.assert_allclose(vectors, equations.solve(penalty, [size])[0], atol=1e-9)
