"""Each rival's rule against the few lines that define it, and where the rule breaks down."""

import numpy as np
import pytest
from rival_tasks import OBJECTS, OVERLAP, overlap, y
from sklearn.metrics import accuracy_score
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

import seamark as sm
from seamark.baselines import (
    KernelRegression,
    NearestNeighboursClassifier,
    NearestNeighboursRegressor,
    PseudoEuclidean,
    SubstitutionSVM,
    pseudo_euclidean_svm,
)
from seamark.measures import Custom, Euclidean, Gaussian, Manhattan, Precomputed, Sigmoid
from seamark.search.prune import smallest

WORDS, VECTORS = OBJECTS["levenshtein"], OBJECTS["euclidean"]
NEW = ["abx", "yy", "ababab", "xyxy"]


# Kernel regression


@pytest.mark.parametrize("measure", [Gaussian(width=1.0), Manhattan(), Manhattan().negated()])
def test_kernel_regression_is_a_weighted_mean(measure):
    target, X = VECTORS[:, 0], VECTORS[:, 1:]
    predicted = KernelRegression(measure).fit(X, target).predict(X)
    for x, value in zip(X, predicted, strict=True):
        weights = [float(measure.cross([x], [z])[0, 0]) for z in X]
        mean = sum(w * t for w, t in zip(weights, target, strict=True)) / sum(weights)
        assert value == pytest.approx(mean, rel=1e-4)


def test_kernel_regression_reads_rows_as_first_argument():
    model = KernelRegression(overlap).fit(["ab", "abc"], [1.0, 2.0])
    assert model.predict(["abcd"])[0] == pytest.approx((0.5 * 1 + 0.25 * 2) / 0.75)


def test_vanishing_denominators_give_the_mean():
    narrow = KernelRegression(Gaussian(width=1e-3)).fit([[0.0], [1.0]], [1.0, 5.0])
    np.testing.assert_array_equal(narrow.predict([[0.0], [50.0]]), [1.0, 3.0])
    cancelling = Custom(lambda a, b: float(a * b), kind="similarity")
    model = KernelRegression(cancelling).fit([-1.0, 1.0], [1.0, 5.0])
    np.testing.assert_array_equal(model.predict([7.0, 0.0]), [3.0, 3.0])


def test_sigmoid_predictions_are_finite():
    X = np.random.default_rng(0).uniform(size=(60, 4)) * 3
    assert np.isfinite(KernelRegression(Sigmoid()).fit(X, X[:, 0]).predict(X)).all()


def test_references_are_some_of_the_rows():
    model = KernelRegression("levenshtein", n_references=5, random_state=0)
    model.fit(WORDS, np.arange(24.0))
    assert [WORDS[int(t)] for t in model.targets_] == list(model.references_)
    with pytest.raises(ValueError, match="n_references must be a positive whole number, not 0"):
        model.set_params(n_references=0).fit(WORDS, y)


# Substitution kernels


@pytest.mark.parametrize("kernel", ["rbf", "negative"])
@pytest.mark.parametrize("classes", [2, 3])
def test_substitution_svm_is_an_svm_on_the_kernel(kernel, classes):
    labels = np.array(list("pqr"))[np.arange(24) % classes]
    D = sm.cross("levenshtein", WORDS).astype(float)
    new = sm.cross("levenshtein", NEW, WORDS).astype(float)
    sigma = np.median([D[i, j] for i in range(24) for j in range(i)])
    change = {"rbf": lambda d: np.exp(-(d**2) / (2 * sigma**2)), "negative": lambda d: -(d**2)}
    f = change[kernel]
    svm = SVC(kernel="precomputed", C=2.0).fit(f(D), labels)
    model = SubstitutionSVM("levenshtein", kernel=kernel, C=2.0).fit(WORDS, labels)
    np.testing.assert_allclose(model.decision_function(NEW), svm.decision_function(f(new)))
    np.testing.assert_array_equal(model.predict(NEW), svm.predict(f(new)))


def test_prediction_evaluates_support_vectors_only():
    model = SubstitutionSVM("euclidean", gamma=0.5).fit(VECTORS, y)
    with sm.engine.counting() as counter:
        model.predict(VECTORS[:5])
    assert len(model.references_) < 24
    assert counter.evaluations == 5 * len(model.references_)


def test_both_directions_of_an_asymmetric_distance_are_used():
    mean = Custom(lambda a, b: (overlap(a, b) + overlap(b, a)) / 2, kind="distance")
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("abcdef"), size)) for size in rng.integers(1, 9, size=24)]
    one, both = (SubstitutionSVM(m).fit(words, y) for m in (mean, OVERLAP))
    assert (one.both_ways_, both.both_ways_) == (False, True)
    np.testing.assert_allclose(both.decision_function(NEW), one.decision_function(NEW), atol=1e-4)
    one, both = (PseudoEuclidean(m, n_components=2).fit(words) for m in (mean, OVERLAP))
    np.testing.assert_allclose(both.transform(NEW), one.transform(NEW), atol=1e-4)


def test_indefinite_kernels_are_no_cause_for_alarm():
    X = np.random.default_rng(0).uniform(size=(40, 3))
    squared = Custom(lambda a, b: float(np.abs(a - b).sum()) ** 2, kind="distance")
    labels = (X[:, 0] > 0.5).astype(int)
    K = -(sm.cross(squared, X).astype(float) ** 2)
    centred = K - K.mean(0) - K.mean(1)[:, None] + K.mean()
    assert np.linalg.eigvalsh(centred)[0] < 0  # not even conditionally definite
    for kernel in ("rbf", "negative"):
        model = SubstitutionSVM(squared, kernel=kernel).fit(X, labels)
        assert accuracy_score(labels, model.predict(X)) > 0.7


def test_substitution_svm_parameters():
    for options, message in [
        ({"kernel": "cubic"}, "kernel must be one of"),
        ({"gamma": "mean"}, "gamma must be"),
        ({"gamma": -1.0}, "gamma must be"),
        ({"gamma": None}, "gamma must be"),
        ({"C": 0.0}, "C must be a positive number"),
    ]:
        with pytest.raises(ValueError, match=message):
            SubstitutionSVM("levenshtein", **options).fit(WORDS, y)
    labels = np.array(["p", "q"])[y]
    weighted = SubstitutionSVM("levenshtein", class_weight={"q": 1000.0}, C=0.01)
    assert set(weighted.fit(WORDS, labels).predict(WORDS)) == {"q"}
    alike = SubstitutionSVM("levenshtein").fit(["a"] * 4, [0, 1, 0, 1])
    assert alike.gamma_ == 0.5


# Pseudo-Euclidean embedding


@pytest.mark.parametrize("measure", ["levenshtein", OVERLAP], ids=str)
def test_signed_distances_are_the_given_ones(measure):
    words = sorted(set(WORDS))
    D = sm.cross(measure, words).astype(float)
    D = (D + D.T) / 2
    model = PseudoEuclidean(measure, tolerance=1e-6)
    Z = model.fit_transform(words)
    signs = np.sign(model.eigenvalues_)
    squares = [[((a - b) ** 2 * signs).sum() for b in Z] for a in Z]
    np.testing.assert_allclose(squares, D**2, atol=1e-4)
    assert model.signature_ == ((signs > 0).sum(), (signs < 0).sum())
    assert (np.diff(np.abs(model.eigenvalues_)) <= 0).all()


@pytest.mark.parametrize("n_components", [None, 2])
def test_projection_of_training_objects_is_their_embedding(n_components):
    D = np.random.default_rng(0).uniform(1, 2, size=(24, 24))  # far from Euclidean, λ distinct
    D = np.triu(D, 1) + np.triu(D, 1).T
    model = PseudoEuclidean(Precomputed(kind="distance"), n_components=n_components)
    embedded = model.fit_transform(D)
    J = np.eye(24) - 1 / 24
    values, vectors = np.linalg.eigh(-0.5 * J @ D**2 @ J)
    top = np.abs(values).argsort()[::-1][: n_components or 23]
    vectors = vectors[:, top]
    vectors *= np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(len(top))])
    np.testing.assert_allclose(embedded, vectors * np.sqrt(np.abs(values[top])), atol=1e-4)
    np.testing.assert_allclose(model.transform(D), embedded, atol=1e-6)
    assert n_components or model.signature_[1] > 0


def test_euclidean_distances_give_the_vectors_back():
    X = np.random.default_rng(0).normal(size=(30, 3))
    model = PseudoEuclidean("euclidean", n_landmarks=12, random_state=0)
    Z = model.fit_transform(X)
    assert model.signature_ == (3, 0)
    assert model.n_evaluations_ == 12 * 12  # products of all pairs at once: halves save nothing
    np.testing.assert_allclose(Euclidean().cross(Z), Euclidean().cross(X), atol=1e-4)


def test_no_embedding_of_equal_objects():
    with pytest.raises(ValueError, match="all at distance 0"):
        PseudoEuclidean("levenshtein").fit(["a", "a", "a"])
    with pytest.raises(ValueError, match="n_components must be a positive whole number, not 0"):
        PseudoEuclidean("levenshtein", n_components=0).fit(WORDS)
    with pytest.raises(ValueError, match="tolerance must be a positive number up to 1, not 0"):
        PseudoEuclidean("levenshtein", tolerance=0).fit(WORDS)


def test_the_svm_preset_learns_from_a_matrix():
    D = sm.cross("levenshtein", WORDS)
    model = pseudo_euclidean_svm(Precomputed(kind="distance"), n_components=3, C=10.0)
    same = pseudo_euclidean_svm("levenshtein", n_components=3, C=10.0)
    labels = np.array([word.count("ab") > 2 for word in WORDS])
    scores = cross_val_score(model, D, labels, cv=3)
    np.testing.assert_array_equal(scores, cross_val_score(same, np.array(WORDS), labels, cv=3))
    assert scores.mean() > 0.8


# Average similarity


# Neighbours


@pytest.mark.parametrize("k", [1, 2, 5])
def test_neighbours_by_sorting(k):
    D = sm.cross("levenshtein", NEW, WORDS)
    order = [sorted(range(24), key=lambda j: (d[j], j))[:k] for d in D]
    target = np.arange(24.0)
    model = NearestNeighboursRegressor("levenshtein", n_neighbors=k).fit(WORDS, target)
    np.testing.assert_allclose(model.predict(NEW), [target[near].mean() for near in order])
    labels = np.array(list("pqr"))[np.arange(24) % 3]
    model = NearestNeighboursClassifier("levenshtein", n_neighbors=k).fit(WORDS, labels)
    votes = [[list(labels[near]).count(c) for c in "pqr"] for near in order]
    np.testing.assert_allclose(model.predict_proba(NEW), np.array(votes) / k)
    assert list(model.predict(NEW)) == ["pqr"[v.index(max(v))] for v in votes]


def test_ties_go_to_the_first():
    rng = np.random.default_rng(0)
    D = rng.integers(0, 4, size=(50, 9)).astype(np.float32)
    for k in range(1, 10):
        expected = np.sort(np.argsort(D, axis=1, kind="stable")[:, :k], axis=1)
        np.testing.assert_array_equal([smallest(row, k) for row in D], expected)


def test_the_most_similar_are_the_nearest():
    theirs = KNeighborsClassifier(3).fit(VECTORS, y).predict(VECTORS + 0.1)
    for measure in ("euclidean", "gaussian", Euclidean().negated()):
        ours = NearestNeighboursClassifier(measure, n_neighbors=3).fit(VECTORS, y)
        np.testing.assert_array_equal(ours.predict(VECTORS + 0.1), theirs)


def test_neighbours_of_an_asymmetric_distance():
    model = NearestNeighboursClassifier(OVERLAP).fit(["a", "abcd"], ["short", "long"])
    assert list(model.predict(["ab"])) == ["long"]  # d("ab", "abcd") = 0, d("abcd", "ab") = 1/2


def test_more_neighbours_than_objects():
    with pytest.raises(ValueError, match="n_neighbors=25 asks for more objects than n_samples=24"):
        NearestNeighboursClassifier("levenshtein", n_neighbors=25).fit(WORDS, y)


# DBoost
