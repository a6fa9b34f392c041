"""Solutions at several shifts, few and many, against a solution from nothing at each."""

import numpy as np
import pytest

from seamark.linear_model.ridge_solve import solve_shifted

FEW, MANY = [1e-6, 1e-2, 1.0], [1e-6, 1e-4, 1e-2, 1.0, 1e3]  # the latter in tridiagonal form


@pytest.mark.parametrize("size", [1, 2, 3, 40, 260])
@pytest.mark.parametrize("rank", [1, 40])
@pytest.mark.parametrize("outputs", [1, 4])
@pytest.mark.parametrize("shifts", [FEW, MANY])
@pytest.mark.parametrize("fewer", [(), (0.5, 0.0)])
def test_solutions_at_all_shifts_and_sizes(size, rank, outputs, shifts, fewer, rng):
    A = rng.normal(size=(size, rank)) @ rng.normal(size=(rank, rank))
    A, b = A @ A.T, rng.normal(size=(size, outputs))
    counts = [size, *(int(size * share) for share in fewer)]
    found, again = solve_shifted([(np.triu(A), b, shifts, counts)] * 2)
    assert found.shape == (len(shifts), len(counts), size, outputs)
    np.testing.assert_array_equal(found, again)
    for shift, solutions in zip(shifts, found, strict=True):
        for count, x in zip(counts, solutions, strict=True):
            expected = np.zeros_like(b)
            leading = A[:count, :count] + shift * np.eye(count)
            expected[:count] = np.linalg.solve(leading, b[:count])
            scale, slack = 1 + np.abs(expected).max(), 1e-12 * np.trace(A) / shift
            np.testing.assert_allclose(x / scale, expected / scale, atol=slack)


@pytest.mark.parametrize("shifts", [[2.0, 0.5], [2.0, 3.0, 4.0, 5.0, 0.5]])
@pytest.mark.parametrize("size", [2, 300])
def test_nan_where_a_matrix_is_indefinite(shifts, size):
    A = np.diag(np.r_[-1.0, np.full(size - 1, 2.0)])
    (found,) = solve_shifted([(A, np.ones((size, 1)), shifts, [size])])
    assert np.isnan(found[-1]).all()
    assert np.isfinite(found[:-1]).all()
