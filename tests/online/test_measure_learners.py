"""Learned measures: better than what they start from, and measures like any other."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline

import seamark as sm
from seamark.checks import check_measure, check_object_estimator
from seamark.measures import Custom, Gaussian, Levenshtein, Linear
from seamark.online import (
    FIFO,
    BufferPerClass,
    KernelCombiner,
    MetricLearner,
    RSx2,
    SimilarityLearner,
)


def buried(n=400, n_classes=3, noise=12, seed=0):
    """Classes in two features, under many features of noise."""
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    centres = 2.5 * np.stack([np.cos(np.arange(n_classes) * 2), np.sin(np.arange(n_classes) * 2)])
    return np.hstack([centres.T[y] + rng.normal(size=(n, 2)), 1.5 * rng.normal(size=(n, noise))]), y


def test_a_metric_finds_the_features_that_matter():
    X, y = buried()
    metric = MetricLearner(random_state=0).fit(X[:300], y[:300])
    plain = KNeighborsClassifier().fit(X[:300], y[:300]).score(X[300:], y[300:])
    nearest = make_pipeline(metric, KNeighborsClassifier()).fit(X[:300], y[:300])
    assert nearest.score(X[300:], y[300:]) > plain + 0.05
    variances = np.diag(metric.W_)
    assert variances[:2].min() > variances[2:].max()


def buried_numbers(task, n=500, seed=0):
    """Numbers, or ranks of them, that follow two features under twelve of noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 14))
    y = X[:, 0] + X[:, 1] + 0.1 * rng.normal(size=n)
    return X, (y if task == "regression" else np.digitize(y, [-1.5, -0.5, 0.5, 1.5]))


@pytest.mark.parametrize("task", ["regression", "ordinal"])
def test_a_metric_finds_the_features_that_numbers_follow(task):
    X, y = buried_numbers(task)
    metric = MetricLearner(task=task, n_passes=2, random_state=0).fit(X[:350], y[:350])
    plain = KNeighborsRegressor().fit(X[:350], y[:350]).score(X[350:], y[350:])
    nearest = make_pipeline(metric, KNeighborsRegressor()).fit(X[:350], y[:350])
    assert nearest.score(X[350:], y[350:]) > plain + 0.1
    variances = np.diag(metric.W_)
    assert variances[:2].min() > variances[2:].max()
    assert hasattr(metric, "classes_") is (task == "ordinal")


@pytest.mark.parametrize("target", ["alignment", "goodness"])
def test_a_similarity_agrees_with_numbers(target):
    found = []
    for seed in range(3):
        X, y = buried_numbers("regression", seed=seed)
        learner = SimilarityLearner(target=target, task="regression", n_passes=3, random_state=0)
        learner.fit(X[:350], y[:350])
        near = -np.abs(y[350:, None] - y[:350]).ravel()
        values = [sm.cross(one, X[350:], X[:350]) for one in (learner.measure_, Linear())]
        found.append([np.corrcoef(K.ravel(), near)[0, 1] for K in values])
    learned, plain = np.mean(found, axis=0)
    assert learned > plain + 0.1


def test_a_combination_finds_the_kernel_that_numbers_follow():
    X, y = buried_numbers("regression", 300)
    first, rest = (
        Custom(lambda a, b: float(np.exp(-((a[0] + a[1] - b[0] - b[1]) ** 2))), kind="similarity"),
        Custom(others, kind="similarity"),
    )
    combiner = KernelCombiner([rest, first], task="regression", random_state=0).fit(X, y)
    assert combiner.weights_[1] > 0.8


@pytest.mark.parametrize("task", ["regression", "ordinal"])
def test_streams_of_numbers_may_be_cut_anywhere_and_saved(task, tmp_path):
    X, y = buried_numbers(task, 120)
    whole = MetricLearner(task=task, buffer=FIFO(8), random_state=0)
    classes = {} if task == "regression" else {"classes": range(5)}
    parts = clone(whole).partial_fit(X[:50], y[:50], **classes)
    whole.partial_fit(X[:50], y[:50], **classes)
    sm.save(parts, tmp_path / "half")
    parts = sm.load(tmp_path / "half")
    for start in range(50, 120, 9):
        parts.partial_fit(X[start : start + 9], y[start : start + 9])
    np.testing.assert_array_equal(parts.W_, whole.partial_fit(X[50:], y[50:]).W_)


@pytest.mark.parametrize(
    ("changes", "y", "message"),
    [
        ({"task": "ranking"}, np.arange(8), "task must be one of .*got 'ranking'"),
        ({"task": "regression"}, np.ones(8), "all the same"),
        ({"task": "regression"}, ["a", "b"] * 4, "number"),
        ({"task": "ordinal", "buffer": BufferPerClass(FIFO(2))}, [0, 1] * 4, "needs classes"),
    ],
)
def test_targets_that_do_not_suit_the_task_are_refused(changes, y, message):
    with pytest.raises(ValueError, match=message):
        MetricLearner(**changes).fit(np.eye(8), y)


def test_transform_and_measure_tell_the_same_distances():
    X, y = buried(60)
    metric = MetricLearner(random_state=0).fit(X, y)
    mapped = metric.transform(X)
    differences = mapped[:, None] - mapped[None, :10]
    np.testing.assert_allclose(
        sm.cross(metric.measure_, X, X[:10]), np.linalg.norm(differences, axis=2), atol=1e-4
    )


@pytest.mark.parametrize("target", ["alignment", "goodness"])
def test_a_similarity_agrees_with_the_classes(target):
    X, y = buried(n_classes=2)
    X = X - X.mean(axis=0)
    learner = SimilarityLearner(target=target, n_passes=3, random_state=0).fit(X[:300], y[:300])
    signs = np.where(y[300:, None] == y[:300], 1, -1)
    learned, plain = (
        np.mean(signs * np.sign(sm.cross(m, X[300:], X[:300])))
        for m in (learner.measure_, Linear())
    )
    assert learned > plain + 0.1
    assert learner.measure_.psd or target == "goodness"


def test_learned_measures_are_measures():
    X, y = buried(80, n_classes=2)
    models = [
        MetricLearner(random_state=0),
        SimilarityLearner(random_state=0),
        SimilarityLearner(target="goodness", random_state=0),
        KernelCombiner(["gaussian", "polynomial"], random_state=0),
    ]
    for model in models:
        measure = model.fit(X, y).measure_
        check_measure(measure, X[:12])
        values = sm.cross(measure, X[:5], X)
        for copy in (clone(measure), pickle.loads(pickle.dumps(measure))):
            np.testing.assert_array_equal(sm.cross(copy, X[:5], X), values)
        assert (
            sm.LandmarkClassifier(measure, n_landmarks=40, random_state=0).fit(X, y).score(X, y)
            > 0.8
        )


def letter_counts(a, b):
    return float(sum(min(a.count(c), b.count(c)) for c in "ab"))


def test_a_combination_finds_the_kernel_that_matters():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=300)
    X = rng.normal(size=(300, 6))
    X[:, 0] += 3 * y
    first, rest = Custom(first_feature, kind="similarity"), Custom(others, kind="similarity")
    for constraint in ("simplex", "sphere"):
        combiner = KernelCombiner([rest, first], constraint=constraint, random_state=0).fit(X, y)
        assert combiner.weights_[1] > 0.8
        assert combiner.measure_.kind == "similarity"


@pytest.mark.parametrize("order", [1, -1])
def test_a_function_takes_the_objects_of_the_other_measures(order):
    X, y = buried(60)
    measures = [Custom(first_feature, kind="similarity"), Gaussian(1.0)][::order]
    combiner = KernelCombiner(measures, buffer=RSx2(8), random_state=0)
    for start in range(0, 60, 7):
        combiner.partial_fit(X[start : start + 7], y[start : start + 7], classes=[0, 1, 2])
    whole = clone(combiner).partial_fit(X, y)
    np.testing.assert_allclose(combiner.weights_, whole.weights_, rtol=1e-5)
    assert combiner.objects_.shape[1] == X.shape[1]


def first_feature(x, y):
    return float(np.exp(-((x[0] - y[0]) ** 2)))


def others(x, y):
    return float(np.exp(-np.sum((x[1:] - y[1:]) ** 2) / 5))


WORDS = ["ab" * (1 + i % 4) + "xy"[i % 2] * (1 + i % 7) for i in range(24)]


@pytest.mark.parametrize("target", ["alignment", "goodness"])
def test_object_checks_of_similarities(target):
    X, y = buried(24)
    check_object_estimator(SimilarityLearner(target=target, buffer=RSx2(8)), X, y)


@pytest.mark.parametrize("constraint", ["simplex", "sphere"])
def test_object_checks_of_combinations_of_strings(constraint):
    kernels = [Levenshtein().negated(), Custom(letter_counts, kind="similarity")]
    check_object_estimator(
        KernelCombiner(kernels, constraint=constraint, buffer=RSx2(8)), WORDS, np.arange(24) % 2
    )


def test_object_checks_of_metrics():
    X, y = buried(24)
    check_object_estimator(MetricLearner(buffer=FIFO(8)), X, y)


def test_a_combination_keeps_only_the_objects_of_its_buffer():
    combiner = KernelCombiner([Levenshtein().negated()], buffer=FIFO(3), random_state=0)
    for start in range(0, 24, 4):
        combiner.partial_fit(WORDS[start : start + 4], [0, 1, 0, 1])
    assert sorted(combiner.objects_) == sorted(WORDS[-3:])
    assert combiner.transform(WORDS).shape == (24, 3)


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ([], "empty list"),
        (["levenshtein"], "not declared to be a similarity"),
        (["precomputed"], "cannot be combined online"),
        ([Gaussian(-1.0)], "width must be positive"),
        (
            [Gaussian(), Levenshtein().negated()],
            "cannot add a measure of vectors and one of strings",
        ),
    ],
)
def test_what_cannot_be_combined_is_said(measure, message):
    with pytest.raises(ValueError, match=message):
        KernelCombiner(measure).fit(np.eye(4), [0, 1, 0, 1])


def test_unknown_words_are_refused():
    X, y = buried(20)
    with pytest.raises(ValueError, match="constraint must be one of .*got 'cube'"):
        KernelCombiner(constraint="cube").fit(X, y)
    with pytest.raises(ValueError, match="target must be one of .*got 'x'"):
        SimilarityLearner(target="x").fit(X, y)
    with pytest.raises(ValueError, match="start='x'"):
        MetricLearner(start="x").fit(X, y)
