"""Each rival's rule against the few lines that define it, and where the rule breaks down."""

import itertools

import numpy as np
import pytest
from rival_tasks import OBJECTS, OVERLAP, overlap, y
from sklearn.metrics import accuracy_score
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

import seamark as sm
from seamark.measures import Custom, Euclidean, Gaussian, Manhattan, Precomputed, Sigmoid
from seamark.rivals import (
    AverageSimilarity,
    DBoost,
    KernelRegression,
    NearestNeighboursClassifier,
    NearestNeighboursRegressor,
    PseudoEuclidean,
    SubstitutionSVM,
    pseudo_euclidean_svm,
)
from seamark.search.nearest import smallest

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


@pytest.mark.parametrize("measure", ["gaussian", "manhattan"])
@pytest.mark.parametrize("classes", [2, 3])
def test_strong_vote_is_the_class_of_larger_mean(measure, classes):
    labels = np.array(list("pqr"))[np.arange(24) % classes]
    model = AverageSimilarity(measure).fit(VECTORS, labels)
    sign = 1 if model.measure_.kind == "similarity" else -1
    for x, predicted in zip(VECTORS, model.predict(VECTORS), strict=True):
        K = sign * model.measure_.cross([x], VECTORS)[0].astype(float)
        means = {c: K[labels == c].mean() for c in sorted(set(labels))}
        assert predicted == max(means, key=means.get)
    assert not hasattr(model, "predict_proba")


def test_asymmetric_similarities_are_read_from_the_new_object():
    similar = Custom(lambda a, b: 1 - overlap(a, b), kind="similarity")
    model = AverageSimilarity(similar).fit(["ab", "xyzw"], [0, 1])
    np.testing.assert_allclose(model.decision_function(["abx"]), [1 / 3 - 2 / 3])


@pytest.mark.parametrize("measure", [Gaussian(width=1.0), Manhattan()])
def test_weak_vote_has_the_chance_of_the_definition(measure):
    model = AverageSimilarity(measure, vote="weak", random_state=0).fit(VECTORS, y)
    K = measure.cross(VECTORS).astype(float)
    K = -K if measure.kind == "distance" else K
    low, high = (0, 1) if measure.kind == "similarity" else (K.min(), K.max())
    K = 2 * (K - low) / (high - low) - 1
    chance = [(1 + 0.5 * (row[y == 1].mean() - row[y == 0].mean())) / 2 for row in K]
    np.testing.assert_allclose(model.predict_proba(VECTORS)[:, 1], chance, rtol=1e-5)
    pairs = list(itertools.permutations(range(24), 2))
    same = np.mean([K[i, j] for i, j in pairs if y[i] == y[j]])
    assert model.gamma_ == pytest.approx(
        same - np.mean([K[i, j] for i, j in pairs if y[i] != y[j]]), rel=1e-4
    )
    assert not hasattr(model, "decision_function")


def test_weak_votes_are_as_frequent_as_their_chance():
    # Mean of 4000 independent coins; five standard deviations: a false alarm in 10^6.
    new = np.random.default_rng(1).normal(size=(4000, 3))
    model = AverageSimilarity(vote="weak", random_state=0).fit(VECTORS, y)
    chance = model.predict_proba(new)[:, 1]
    spread = np.sqrt((chance * (1 - chance)).sum())
    assert abs(model.predict(new).sum() - chance.sum()) < 5 * spread
    again = AverageSimilarity(vote="weak", random_state=0).fit(VECTORS, y)
    np.testing.assert_array_equal(model.predict(new), again.predict(new))
    other = AverageSimilarity(vote="weak", random_state=1).fit(VECTORS, y)
    assert (model.predict(new) != other.predict(new)).any()


def test_a_frequent_class_is_always_predicted():
    labels = np.array(["p"] * 5 + ["q"] * 19)
    model = AverageSimilarity("levenshtein", vote="weak").fit(WORDS, labels)
    assert set(model.predict(NEW)) == {"q"}
    np.testing.assert_array_equal(model.predict_proba(NEW)[:, 1], 1.0)
    slightly = np.array(["p"] * 11 + ["q"] * 13)  # 13/24 lies between 1/2 and 1/2 + 2/32
    assert (
        AverageSimilarity("levenshtein", vote="weak", gamma=2.0).fit(WORDS, slightly).always_
        is None
    )
    assert (
        AverageSimilarity("levenshtein", vote="weak", gamma=0.5).fit(WORDS, slightly).always_ == 1
    )


def test_bounds_and_gamma_save_evaluations():
    bounded = sm.measures.Levenshtein().normalised()
    model = AverageSimilarity(bounded, vote="weak", gamma=0.1).fit(WORDS, y)
    assert (model.range_, model.n_evaluations_) == ((-1.0, 0.0), 0)


def test_average_similarity_parameters():
    for options, message in [
        ({"vote": "loud"}, "vote must be"),
        ({"gamma": 3.0}, "gamma must be a positive number up to 2"),
        ({"n_per_class": 0}, "n_per_class must be a positive"),
    ]:
        with pytest.raises(ValueError, match=message):
            AverageSimilarity("levenshtein", **options).fit(WORDS, y)
    with pytest.raises(ValueError, match="Only binary.*use vote='strong'"):
        AverageSimilarity("levenshtein", vote="weak").fit(WORDS, np.arange(24) % 3)


def test_equal_similarities_are_a_fair_coin():
    model = AverageSimilarity("levenshtein", vote="weak").fit(["a"] * 4, [0, 1, 0, 1])
    np.testing.assert_array_equal(model.predict_proba(["a", "b"]), 0.5)


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


def boosted(D, labels, rounds):
    """AdaBoost as written: loops over pairs and objects; `rounds` holds the pairs each may take."""
    n = len(labels)
    weight, score = [1 / n] * n, np.zeros(n)
    for pairs in rounds:
        tried = []
        for a, b in pairs:
            votes = [float(np.sign(row[b] - row[a])) for row in D]
            good = sum(weight[i] for i in range(n) if votes[i] * labels[i] > 0)
            bad = sum(weight[i] for i in range(n) if votes[i] * labels[i] < 0)
            silent = sum(weight[i] for i in range(n) if votes[i] == 0)
            alpha = 0.5 * np.log((good + 0.5 / n) / (bad + 0.5 / n))
            tried.append((silent + 2 * np.sqrt(good * bad), alpha, votes))
        _, alpha, votes = min(tried, key=lambda pair: round(pair[0], 12))
        score += alpha * np.array(votes)
        weight = [weight[i] * np.exp(-alpha * votes[i] * labels[i]) for i in range(n)]
        weight = [w / sum(weight) for w in weight]
    return score


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_boosting_by_loops(seed):
    model = DBoost("euclidean", n_pairs=7, n_rounds=5, n_candidates=4, random_state=seed)
    labels = np.where(np.random.default_rng(seed).random(24) < 0.7, y, 1 - y)
    model.fit(VECTORS, labels)
    from seamark.estimating import generator
    from seamark.rivals.dboost import _draw

    rng = generator(seed)
    sides = _draw(labels == 1, 7, rng)
    rounds = [list(zip(*(rng.choice(side, 4) for side in sides), strict=True)) for _ in range(5)]
    expected = boosted(Euclidean().cross(VECTORS), 2 * labels - 1, rounds)
    np.testing.assert_allclose(model.decision_function(VECTORS), expected, atol=1e-5)


def test_boosting_stops_when_a_pair_is_always_right():
    X, labels = np.arange(12.0)[:, None] + 100 * (np.arange(12) >= 6)[:, None], np.arange(12) >= 6
    model = DBoost("euclidean", random_state=0).fit(X, labels)
    assert len(model.ensembles_[0].weights) == 1
    assert model.score(X, labels) == 1


def test_boosting_tells_many_classes_apart():
    # A class whose pairs are seldom right must not outvote one whose pairs are: scores are summed.
    rng = np.random.default_rng(0)
    labels = np.arange(400) % 8
    X = 3 * np.column_stack([np.cos(labels * np.pi / 4), np.sin(labels * np.pi / 4)])
    X += 0.4 * rng.normal(size=X.shape)
    model = DBoost("euclidean", n_pairs=30, n_rounds=30, random_state=0).fit(X, labels)
    assert model.score(X, labels) > 0.9


def test_boosting_evaluates_each_landmark_once():
    model = DBoost(OVERLAP, n_pairs=500, random_state=0).fit(WORDS, np.arange(24) % 3)
    assert model.n_evaluations_ == 24 * 24
    assert len(model.ensembles_) == 3
    with sm.engine.counting() as counter:
        model.predict(NEW)
    assert counter.evaluations == len(NEW) * len(model.references_)


def test_boosting_learns_and_reads_similarities_too():
    for measure in ("euclidean", "gaussian"):
        X = np.random.default_rng(0).normal(size=(90, 2)) * 0.3
        labels = np.arange(90) % 3
        X += np.array([[0, 0], [2, 0], [0, 2]])[labels]
        model = DBoost(measure, random_state=0).fit(X, labels)
        assert model.score(X, labels) > 0.95


def test_boosting_without_a_useful_pair_predicts_the_frequent_class():
    model = DBoost("levenshtein", n_pairs=5).fit(["a"] * 5, [0, 1, 2, 2, 2])
    assert list(model.predict(["a", "b"])) == [2, 2]
    binary = DBoost("levenshtein", n_pairs=5).fit(["a"] * 5, [0, 0, 1, 1, 1])
    assert list(binary.predict(["a", "b"])) == [1, 1]


def test_pairs_are_one_of_each_class():
    from seamark.rivals.dboost import _draw

    positive, negative = _draw(y == 1, 50, np.random.default_rng(0))
    assert set(y[positive]) == {1}
    assert set(y[negative]) == {0}
