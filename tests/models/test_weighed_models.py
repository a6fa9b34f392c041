"""Landmark models that choose their landmarks: aligned, greedy, learned; one measure or several."""

import numpy as np
import pytest

import seamark as sm
from seamark.feature_selection import Aligned, Learned
from seamark.landmarks import Generated, Mixed
from seamark.measures import Levenshtein

RNG = np.random.default_rng(0)


def words(n):
    """Strings whose class is their ending, after a random beginning."""
    y = np.arange(n) % 3
    endings = np.array(["abba", "cdcd", "eeff"])
    return ["".join(RNG.choice(list("abcdef"), 3)) + endings[k] for k in y], y


X, Y = words(150)
NEW, Y_NEW = words(60)


@pytest.mark.parametrize("weighing", ["aligned", "greedy", "learned"])
def test_by_name(weighing):
    few = Learned(pool=300) if weighing == "learned" else weighing
    model = sm.LandmarkClassifier("levenshtein", weighing=few, n_landmarks=60, random_state=0)
    model.fit(X, Y)
    assert model.score(NEW, Y_NEW) > 0.9
    with sm.engine.counting() as counter:
        model.predict(NEW)
    assert counter.evaluations == len(NEW) * model.map_.n_landmarks_
    assert model.map_.n_landmarks_ <= 60


@pytest.mark.parametrize("weighing", ["aligned", "learned"])
def test_regression(weighing):
    lengths = ["a" * k for k in RNG.integers(1, 40, size=80)]
    y = np.array([float(len(word)) for word in lengths])
    few = Learned(pool=200) if weighing == "learned" else weighing
    model = sm.LandmarkRegressor("levenshtein", weighing=few, n_landmarks=20, random_state=0)
    assert model.fit(lengths, y).score(lengths, y) > 0.95


def test_learned_chooses_n_landmarks_of_a_mixed_pool():
    weighing = Learned(pool=400)
    model = sm.LandmarkClassifier("levenshtein", n_landmarks=12, weighing=weighing, random_state=0)
    model.fit(X, Y)
    assert model.map_.n_landmarks_ == 12
    rows = model.landmark_indices_
    assert set(rows[rows >= 0]) <= set(range(150))
    for row, label in zip(rows, model.landmark_labels_, strict=True):
        assert label == (None if row == -1 else Y[row])
    reasons = model.explain(NEW[:3], n_landmarks=12)[0].reasons
    assert {reason.index for reason in reasons} <= {None if r == -1 else int(r) for r in rows}


def test_learned_without_random_objects():
    # Of unknown objects none can be drawn: the pool is the training objects, without a warning.
    def overlap(a, b):
        return float(len(set(a) & set(b)))

    measure = sm.measures.Custom(overlap, kind="similarity")
    model = sm.LandmarkClassifier(measure, n_landmarks=10, weighing="learned", random_state=0)
    model.fit(X[:60], Y[:60])
    assert np.all(model.landmark_indices_ >= 0)
    generated = sm.LandmarkClassifier(
        "levenshtein",
        n_landmarks=10,
        landmarks=Generated(),
        weighing=Learned(pool=100),
        random_state=0,
    ).fit(X[:60], Y[:60])
    assert generated.landmark_indices_ is None


@pytest.mark.parametrize("weighing", [Aligned(rho_per_feature=0.1), "greedy", "learned"])
def test_says_which_measure_matters(weighing):
    # Endings decide, and the first letters are noise: a distance of endings matters, one of
    # beginnings does not.
    def ends(a, b):
        return float(sum(x != y for x, y in zip(a[-4:], b[-4:], strict=True)))

    def begins(a, b):
        return float(sum(x != y for x, y in zip(a[:3], b[:3], strict=True)))

    measures = [sm.measures.Custom(f, kind="distance") for f in (begins, ends)]
    model = sm.LandmarkClassifier(measures, n_landmarks=20, weighing=weighing, random_state=0)
    model.fit(X, Y)
    assert model.measure_weights_.sum() == pytest.approx(1.0)
    assert model.measure_weights_[1] > 0.8
    assert model.score(NEW, Y_NEW) > 0.95
    explanation = model.explain(NEW[:1], n_landmarks=3)[0]
    assert explanation.prediction == Y_NEW[0]
    total = sum(r.contribution for r in model.explain(NEW[:1], n_landmarks=1000)[0].reasons)
    assert total == pytest.approx(explanation.total, rel=1e-4)


def test_mixed_pool():
    measure, rng = Levenshtein(), np.random.default_rng(0)
    objects = measure.domain.ingest(X)
    pool = Mixed(generated=[Generated((2, 2)), Generated((30, 30))]).choose(
        objects, Y, measure, 100, rng
    )
    assert len(pool) == 100
    assert np.sum(pool.indices == -1) == 50
    for row, word in zip(pool.indices, pool.objects, strict=True):
        assert len(word) in (2, 30) if row == -1 else word == X[row]
    assert -1 in pool.indices[:20]
    assert np.any(pool.indices[:20] >= 0)
    few = Mixed(size=1000).choose(objects[:10], None, measure, 5, rng)
    assert len(few) == 1000
    assert sorted(few.indices[few.indices >= 0]) == list(range(10))


@pytest.mark.parametrize("form", ["vectors", "sparse", "precomputed"])
def test_mixed_pool_of_matrices(form):
    from scipy import sparse

    A = np.random.default_rng(0).normal(size=(30, 3))
    measure = sm.measures.get("precomputed" if form == "precomputed" else "euclidean")
    A = {"vectors": A, "sparse": sparse.csr_matrix(A), "precomputed": A @ A.T}[form]
    pool = Mixed().choose(A, None, measure, 20, np.random.default_rng(0))
    assert len(pool) == 20
    assert (-1 in pool.indices) == (form == "vectors")
