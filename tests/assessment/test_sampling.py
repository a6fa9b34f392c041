import numpy as np
import pytest

import seamark as sm
from seamark import engine
from seamark.assessment.sample import cost, draw, most_objects
from seamark.assessment.tasks import read_task
from seamark.measures import Custom, Gaussian, Levenshtein, Linear, Precomputed


def drawn(measure, X, y, *, most=2000, budget=10**6, qid=None, seed=0):
    measure = sm.measures.get(measure)
    task = read_task(y, "auto", qid)
    return draw(
        measure,
        measure.domain.ingest(X),
        task,
        most=most,
        budget=budget,
        rng=np.random.default_rng(seed),
        n_jobs=1,
        progress=engine.Progress(),
    )


class Counted:
    def __init__(self):
        self.calls = 0

    def __call__(self, x, y):
        self.calls += 1
        return float(np.abs(x - y).sum())


@pytest.mark.parametrize("budget", [300, 1000, 5000, 40_000])
@pytest.mark.parametrize(
    "measure",
    [
        None,
        Custom(lambda x, y: 1.0 + float(x @ y) ** 2, kind="similarity").normalised(),
        Gaussian() + 0.5 * Linear(),
        "gaussian",
    ],
)
def test_the_budget_is_never_exceeded(measure, budget, rng):
    X = rng.normal(size=(300, 3))
    counted = Counted()
    with engine.counting() as counter:
        sample = drawn(counted if measure is None else measure, X, X[:, 0] > 0, budget=budget)
    assert counter.evaluations == sample.n_evaluations <= budget
    assert counted.calls <= budget
    assert sample.n_evaluations > budget / 4 or len(sample.rows) + len(sample.reference) == 300


def test_assess_evaluates_nothing_but_the_sample(rng):
    X = rng.normal(size=(120, 3))
    counted = Counted()
    with engine.counting() as counter:
        found = sm.assess([counted, "gaussian"], X, X[:, 0] > 0, budget=6000, random_state=0)
    assert counter.evaluations == sum(one.n_evaluations for one in found) <= 6000
    assert counted.calls <= 3000


def test_most_objects_is_the_largest_that_fits():
    for values in (100, 5000, 10**6):
        n = most_objects(10**6, values)
        assert cost(n) <= values < cost(n + 1)
    assert most_objects(50, 10**6) == 50


def test_parts_are_disjoint_and_hold_all_classes(rng):
    y = rng.choice(3, p=[0.9, 0.06, 0.04], size=500)
    sample = drawn("euclidean", rng.normal(size=(500, 2)), y)
    rows = np.concatenate([sample.learn, sample.test, sample.reference])
    assert len(np.unique(rows)) == len(rows) == 500
    for part in (sample.learn, sample.test, sample.reference):
        shares = np.bincount(y[part], minlength=3) / len(part)
        assert np.allclose(shares, np.bincount(y) / 500, atol=0.02)


def test_queries_stay_whole(rng):
    qid = rng.integers(20, size=200)
    y = rng.integers(3, size=200)
    sample = drawn("euclidean", rng.normal(size=(200, 2)), y, qid=qid)
    assert not set(qid[sample.learn]) & set(qid[sample.test])
    assert not set(qid[sample.reference]) & set(qid[sample.test])


def test_values_are_those_of_the_measure(rng):
    words = ["".join(rng.choice(list("ab"), size=k)) for k in rng.integers(1, 9, size=60)]
    sample = drawn(Levenshtein(), words, [len(word) > 4 for word in words])
    pick = [words[i] for i in sample.rows]
    assert np.array_equal(sample.values, sm.cross("levenshtein", pick, list(sample.landmarks)))
    references = [words[i] for i in sample.reference]
    assert list(sample.landmarks) == references
    assert np.array_equal(sample.square, sm.cross("levenshtein", references))


def test_columns_of_a_matrix_are_unlabelled_landmarks(rng):
    V = rng.normal(size=(60, 7))
    sample = drawn(Precomputed(square=False), V, V[:, 0] > 0)
    assert sample.reference is None
    assert sample.square is None
    assert np.array_equal(sample.values, V[sample.rows].astype(np.float32))


def test_too_few_objects_are_refused(rng):
    with pytest.raises(ValueError, match="too few to judge a measure; give at least 12 objects"):
        drawn("euclidean", rng.normal(size=(8, 2)), np.arange(8) % 2)
    with pytest.raises(ValueError, match="a budget \\(now 50\\)"):
        drawn("euclidean", rng.normal(size=(80, 2)), np.arange(80) % 2, budget=50)
