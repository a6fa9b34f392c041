"""`Aligned` around maps, matrices and Features."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import seamark as sm
from naive_learned import alignments
from seamark.feature_selection import Aligned, alignment_weights
from seamark.features import InMemory
from seamark.linear_model import RidgeClassifier

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 30)).astype(np.float32)
BINARY = np.where(X[:, 3] - X[:, 5] + 0.3 * RNG.normal(size=120) > 0, "a", "b")
CLASSES = np.digitize(X[:, 7], [-0.5, 0.5])
NUMBERS = 2.0 * X[:, 1] + 0.1 * RNG.normal(size=120)
WORDS = [("ab" if k % 2 else "ba") * (1 + k % 7) + "x" * (k % 3) for k in range(40)]


@parametrize_with_checks([Aligned(rho_per_feature=0.2)])
def test_is_a_scikit_learn_transformer(estimator, check):
    check(estimator)


def targets(y):
    labels = np.unique(y)
    if y.dtype.kind == "f":
        Y = y[:, None]
    else:
        Y = np.where(y[:, None] == (labels[1:] if len(labels) == 2 else labels), 1.0, -1.0)
    return Y - Y.mean(axis=0)


@pytest.mark.parametrize("diagonal", [True, False])
@pytest.mark.parametrize("y", [BINARY, CLASSES, NUMBERS], ids=["binary", "classes", "numbers"])
def test_is_the_distribution_of_the_textbook(y, diagonal):
    aligned = Aligned(rho_per_feature=0.1, diagonal=diagonal).fit(X, y)
    v = alignments(X.astype(np.float64), targets(y), diagonal=diagonal)
    q = alignment_weights(v, 0.1)
    np.testing.assert_allclose(aligned.distribution_, q, atol=1e-5)
    assert aligned.alignment_ == pytest.approx(q @ v / len(y) ** 2, rel=1e-4)
    assert aligned.uniform_alignment_ == pytest.approx(v.mean() / len(y) ** 2, rel=1e-4)
    assert set(aligned.support_) == set(np.flatnonzero(q))
    np.testing.assert_allclose(aligned.weights_, np.sqrt(30 * q[aligned.support_]), atol=1e-3)


@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csr_array, InMemory])
def test_other_forms_of_the_same_columns(form):
    for normalise in (False, True):
        plain = Aligned(rho_per_feature=0.1, normalise=normalise).fit(X, BINARY)
        other = clone(plain).fit(form(X), BINARY)
        np.testing.assert_allclose(other.distribution_, plain.distribution_, atol=1e-5)
        got = other.transform(form(X))
        got = got.toarray() if sparse.issparse(got) else got
        np.testing.assert_allclose(got, plain.transform(X), rtol=1e-3, atol=1e-5)


def test_normalised_alignments_know_no_units():
    scaled = X * np.geomspace(1e-3, 1e3, 30).astype(np.float32) + 5.0
    plain = Aligned(rho_per_feature=0.1, normalise=True).fit(X, CLASSES)
    other = clone(plain).fit(scaled, CLASSES)
    # Small columns on top of 5 have lost digits of float32, but not their rank.
    np.testing.assert_allclose(other.distribution_, plain.distribution_, atol=0.02)
    assert other.support_[0] == plain.support_[0] == 7


@pytest.mark.parametrize(
    "bearings",
    [
        sm.RandomFourier(n_components=300),
        sm.ArcCosine(n_components=300),
        sm.Coordinates(),
        sm.LandmarkMap("gaussian", landmarks="generated", n_landmarks=300),
        [sm.RandomFourier(n_components=150), sm.Coordinates()],
    ],
    ids=["fourier", "arc-cosine", "coordinates", "d2ke", "several"],
)
def test_around_any_map(bearings):
    aligned = Aligned(bearings, rho_per_feature=0.1, random_state=0).fit(X, BINARY)
    kept = aligned.transform(X)
    assert kept.shape == (120, len(aligned.support_)) < (120, 300)
    assert aligned.map_.n_features_out_ == len(aligned.support_)
    assert len(aligned.get_feature_names_out()) == len(aligned.support_)
    again = clone(aligned).fit(X, BINARY)
    np.testing.assert_array_equal(again.support_, aligned.support_)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(aligned)).transform(X), kept)


def test_features_kept_are_those_of_the_whole_map():
    bearings = sm.RandomFourier(n_components=200, random_state=3)
    aligned = Aligned(bearings, rho_per_feature=0.05).fit(X, BINARY)
    whole = clone(bearings).fit(X).transform(X)[:, aligned.support_]
    np.testing.assert_allclose(aligned.transform(X), whole * aligned.weights_, rtol=1e-4, atol=1e-6)


def test_only_the_support_is_evaluated():
    bearings = sm.LandmarkMap("levenshtein", landmarks="generated", n_landmarks=200, random_state=0)
    y = np.arange(40) % 2
    aligned = Aligned(bearings, rho_per_feature=0.2).fit(WORDS, y)
    with sm.engine.counting() as counter:
        aligned.transform(WORDS)
    assert counter.evaluations == 40 * len(aligned.support_) < 40 * 100


def test_uniform_weights_leave_the_kernel():
    bearings = sm.RandomFourier(n_components=100, random_state=0)
    aligned = Aligned(bearings, rho_per_feature=0.0).fit(X, BINARY)
    kernel = aligned.transform(X) @ aligned.transform(X).T
    plain = clone(bearings).fit_transform(X)
    np.testing.assert_allclose(kernel, plain @ plain.T, atol=1e-4)


def test_estimators_five_and_six():
    six = Aligned(rho_per_feature=0.02).fit(X, BINARY)
    found = len(six.support_)
    assert np.all(np.diff(six.weights_) <= 0)
    few = Aligned(rho_per_feature=0.02, n_features=4, estimator="weigh").fit(X, BINARY)
    np.testing.assert_array_equal(few.support_, six.support_[:4])
    five = Aligned(rho_per_feature=0.02, n_features=8, random_state=0).fit(X, BINARY)
    assert len(five.support_) <= 8 < found  # copies are merged
    counts = np.square(five.weights_) * 8 / 30
    np.testing.assert_allclose(counts, counts.round(), atol=1e-9)
    assert counts.sum() == pytest.approx(8)
    as_many = Aligned(rho_per_feature=0.02, n_features=found).fit(X, BINARY)
    np.testing.assert_array_equal(as_many.support_, six.support_)
    plain = Aligned(rho_per_feature=0.02, scaled=False).fit(X, BINARY)
    np.testing.assert_array_equal(plain.transform(X), X[:, plain.support_])


def test_draws_follow_the_distribution():
    # Kernel (5) is unbiased for (6): the mean of 200 draws of 5 features is within 5 standard
    # errors of q everywhere; false alarm below 30 · 6e-7.
    q = Aligned(rho_per_feature=0.05).fit(X, BINARY).distribution_
    draws = np.zeros((200, 30))
    for seed in range(200):
        five = Aligned(
            rho_per_feature=0.05, n_features=5, estimator="resample", random_state=seed
        ).fit(X, BINARY)
        draws[seed, five.support_] = np.square(five.weights_) / 30
    error = np.sqrt(np.maximum(q * (1 - q), 1e-12) / (5 * 200))
    assert np.all(np.abs(draws.mean(axis=0) - q) <= 5 * error + 1e-9)


def test_rho_by_folds_leaves_about_what_matters():
    rng = np.random.default_rng(1)
    F = rng.normal(size=(600, 800)).astype(np.float32)
    y = F[:, :12].sum(axis=1) + 0.5 * rng.normal(size=600)
    aligned = Aligned(random_state=0).fit(F, y)
    assert len(aligned.cv_results_["error"]) == 7
    assert aligned.rho_per_feature_ in aligned.cv_results_["rho_per_feature"]
    assert set(range(12)) <= set(aligned.support_)
    assert len(aligned.support_) < 100


def test_the_choice_of_rho_has_not_seen_the_fold():
    # Labels are noise. With a choice that had seen them, 500 features would look better than
    # chance; by folds every error is at least the variance, but for luck: 600 rows, and
    # 4 standard errors of a mean square (0.23) below it. False alarm 7 · 3e-5.
    rng = np.random.default_rng(2)
    F = rng.normal(size=(600, 1000)).astype(np.float32)
    errors = Aligned(random_state=0).fit(F, rng.normal(size=600)).cv_results_["error"]
    assert min(errors) > 1.0 - 0.23


def test_rows_are_sampled():
    half = Aligned(rho_per_feature=0.1, n_sample=60, random_state=0).fit(X, BINARY)
    whole = Aligned(rho_per_feature=0.1, n_sample=500).fit(X, BINARY)
    assert not np.allclose(half.distribution_, whole.distribution_)
    assert {3, 5} <= set(half.support_)


def test_in_a_pipeline():
    bearings = sm.LandmarkMap("levenshtein", landmarks="generated", n_landmarks=100)
    model = make_pipeline(Aligned(bearings, random_state=0), RidgeClassifier(random_state=0))
    y = np.arange(40) % 2
    assert model.fit(WORDS, y).score(WORDS, y) > 0.9


def test_plot_shows_the_distribution():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    aligned = Aligned(rho_per_feature=0.1).fit(X, BINARY)
    display = aligned.plot()
    assert len(display.ax_.patches) == np.count_nonzero(aligned.distribution_)
    pyplot.close(display.figure_)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"estimator": "draw"}, "one of auto, resample, weigh"),
        ({"task": "ranking"}, "task must be one of .*got 'ranking'"),
        ({"rho_per_feature": -1.0}, "rho_per_feature must be"),
        ({"power": 1.0}, "power must be"),
        ({"n_sample": 0}, "n_sample must be"),
        ({"map": sm.LandmarkMap("gaussian", transfer="whitening")}, "one by one"),
    ],
)
def test_says_what_is_wrong(parameters, message):
    with pytest.raises(ValueError, match=message):
        Aligned(**parameters).fit(X, BINARY)
