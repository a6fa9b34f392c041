"""Rivals that learn a kernel: multiple kernel SVMs, and kernel and SVM together."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import seamark as sm
from seamark.baselines import JointFeatureSVM, MultipleKernelSVM

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 3))
RING = np.where(np.square(X[:, :2]).sum(axis=1) > 1.4, "out", "in")


def small_joint():
    return JointFeatureSVM(sm.RandomFourier(n_components=100), rho_per_feature=0.1, random_state=0)


@parametrize_with_checks([MultipleKernelSVM(), MultipleKernelSVM(["linear", "gaussian"])])
def test_scikit_learn_is_content(estimator, check):
    check(estimator)


def kernels():
    found = [X @ X.T, np.square(X @ X.T + 1.0)]
    return [K / np.mean(np.diag(K)) for K in found]


def test_ratio_is_that_of_the_alignments():
    model = MultipleKernelSVM(["linear", sm.measures.Polynomial(degree=2)]).fit(X, RING)
    ideal = np.where(RING[:, None] == RING, 1.0, -1.0)
    found = np.array([(K * ideal).sum() / np.linalg.norm(K) for K in kernels()])
    np.testing.assert_allclose(model.weights_, found / found.sum(), rtol=1e-4)
    svm = SVC(kernel="precomputed").fit(np.tensordot(model.weights_, kernels(), axes=1), RING)
    K = np.tensordot(model.weights_, kernels(), axes=1)
    np.testing.assert_allclose(model.decision_function(X), svm.decision_function(K), atol=1e-3)
    assert model.score(X, RING) > 0.9


def dual_optimum(K, y, C=1.0):
    svm = SVC(C=C, kernel="precomputed", tol=1e-8).fit(K, y)
    a, s = svm.dual_coef_[0], svm.support_
    return np.abs(a).sum() - 0.5 * a @ K[np.ix_(s, s)] @ a


def test_joint_weights_minimise_the_dual_optimum():
    model = MultipleKernelSVM(
        ["linear", sm.measures.Polynomial(degree=2)], weights="joint", tol=1e-5
    ).fit(X, RING)
    linear, square = kernels()
    best = minimize_scalar(
        lambda t: dual_optimum((1 - t) * linear + t * square, RING),
        bounds=(0.0, 1.0),
        method="bounded",
    )
    reached = dual_optimum(np.tensordot(model.weights_, kernels(), axes=1), RING)
    assert reached == pytest.approx(best.fun, rel=1e-3)
    assert model.gap_ < 1e-3


def test_kernels_of_strings_and_several_classes():
    words = ["aa", "ab", "ba", "cc", "cd", "dc", "ee", "ef", "fe"] * 3
    y = np.repeat([0, 1, 2], 3).tolist() * 3
    measures = [sm.measures.Custom(lambda a, b: len(set(a) & set(b))), lambda a, b: 1.0]
    model = MultipleKernelSVM(measures).fit(words, y)
    assert model.predict(["af", "ca"]).shape == (2,)
    assert model.score(words, y) == 1.0
    with pytest.raises(ValueError, match="two classes"):
        MultipleKernelSVM(measures, weights="joint").fit(words, y)


def test_joint_optimum_is_below_uniform_and_aligned():
    joint = small_joint().fit(X, RING)
    phi = sm.RandomFourier(n_components=100, random_state=0)
    whole = JointFeatureSVM(phi, rho_per_feature=0.1, tol=1e-3, max_iter=400).fit(X, RING)
    assert whole.gap_ <= 1e-3
    features = phi.fit(X).transform(X).astype(float) * 10.0

    def value(q):
        return dual_optimum((features * q) @ features.T, RING)

    aligned = sm.Aligned(phi, rho_per_feature=0.1).fit(X, RING).distribution_
    assert value(whole.distribution_) < value(aligned)
    assert value(whole.distribution_) < value(np.full(100, 0.01))
    q = whole.distribution_
    assert np.square(q - 0.01).sum() <= 0.1 + 1e-9
    # No distribution near by is better: the problem is convex.
    rng = np.random.default_rng(0)
    for _ in range(10):
        other = sm.feature_selection.alignment_weights(rng.exponential(size=100), 0.1)
        assert value(0.9 * q + 0.1 * other) >= (1 - 2e-3) * value(q)
    assert joint.score(X, RING) > 0.85


def test_joint_predicts_by_its_features_alone():
    model = small_joint().fit(X, RING)
    assert model.map_.n_features_out_ == len(model.support_) == len(model.coef_)
    again = model.map_.transform(X) @ model.coef_ + model.intercept_
    np.testing.assert_allclose(model.decision_function(X), again)
    few = JointFeatureSVM(sm.Coordinates(), n_sample=40, random_state=0).fit(X, RING)
    assert few.decision_function(X).shape == (90,)


def test_says_what_is_wrong():
    with pytest.raises(ValueError, match="weights must be one of"):
        MultipleKernelSVM(weights="mean").fit(X, RING)
    with pytest.raises(ValueError, match="C must be"):
        JointFeatureSVM(C=0.0).fit(X, RING)
    with pytest.raises(ValueError, match="3 classes"):
        JointFeatureSVM().fit(X, np.arange(90) % 3)
