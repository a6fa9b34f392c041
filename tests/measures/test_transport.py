"""Optimal transport: POT's solvers against assignments, programmes and the line."""

import itertools
import pickle

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment, linprog
from scipy.spatial.distance import cdist

import seamark as sm
from seamark.measures import POT, Wasserstein

ot = pytest.importorskip("ot")


def by_programme(x, y, ground="euclidean"):
    """The cost of a transport plan, by a linear programme over its entries."""
    M = cdist(x, y, ground)
    rows = np.kron(np.eye(len(x)), np.ones(len(y)))
    columns = np.kron(np.ones(len(x)), np.eye(len(y)))
    masses = np.r_[np.full(len(x), 1 / len(x)), np.full(len(y), 1 / len(y))]
    return linprog(M.ravel(), A_eq=np.vstack([rows, columns]), b_eq=masses).fun


def bags(rng, sizes, d=3):
    return [rng.normal(size=(size, d)) for size in sizes]


@pytest.mark.parametrize("ground", ["euclidean", "cityblock", "sqeuclidean"])
def test_costs_are_those_of_the_linear_programme(ground, rng):
    X, L = bags(rng, [1, 3, 5]), bags(rng, [2, 4])
    values = POT("emd2", {"ground": ground}).cross(X, L)
    expected = [[by_programme(x, y, ground) for y in L] for x in X]
    np.testing.assert_allclose(values, expected, rtol=1e-5)


def test_sets_of_one_size_are_an_assignment(rng):
    X = bags(rng, [6, 6, 6])
    expected = np.zeros((3, 3))
    for i, j in itertools.product(range(3), repeat=2):
        M = cdist(X[i], X[j])
        expected[i, j] = M[linear_sum_assignment(M)].mean()
    np.testing.assert_allclose(sm.cross("ot:emd2", X), expected, rtol=1e-5, atol=1e-6)


def test_on_a_line_it_is_the_wasserstein_distance(rng):
    X = bags(rng, [1, 4, 7], d=1)
    np.testing.assert_allclose(sm.cross("emd2", X), Wasserstein().cross(X), rtol=1e-5, atol=1e-6)


def test_entropy_is_on_request(rng):
    X = bags(rng, [4, 5])
    values = POT("sinkhorn2", {"reg": 0.5}).cross(X)
    expected = [[ot.sinkhorn2([], [], cdist(x, y), reg=0.5) for y in X] for x in X]
    np.testing.assert_allclose(values, expected, rtol=1e-5)
    assert values[0, 0] > 0  # an entropic plan moves mass about


def test_what_is_certain_depends_on_the_distance_of_vectors(rng):
    assert POT("emd2").triangle
    assert POT("emd2", {"ground": "sqeuclidean"}).triangle is None
    measure = pickle.loads(pickle.dumps(sm.measures.get(ot.emd2)))
    assert repr(measure) == "POT(metric='emd2')"
    sm.checks.check_measure(measure, bags(rng, [1, 2, 3, 4, 2, 3]))
    with pytest.raises(ValueError, match="knows no metric 'emd3'"):
        POT("emd3").cross(bags(rng, [1]))


def test_a_model_of_sets_learns_by_it_and_is_saved(rng, tmp_path):
    y = np.arange(40) % 2
    X = [one + 3 * label for one, label in zip(bags(rng, 2 + np.arange(40) % 5), y, strict=True)]
    model = sm.LandmarkClassifier("ot:emd2", n_landmarks=10, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.95
    sm.save(model, tmp_path / "model")
    np.testing.assert_array_equal(sm.load(tmp_path / "model").predict(X), model.predict(X))
