"""The landmark models over any objects: promises, quality, validation, explanations."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import seamark as sm
from expected_failures import expected_failures
from seamark.baselines import NearestNeighboursClassifier
from seamark.checks import object_estimator_checks
from seamark.linear_model import Ordinal
from seamark.measures import DTW, Custom, Euclidean, Precomputed, Sigmoid
from seamark.models import LandmarkClassifier, LandmarkOrdinal, LandmarkRanker, LandmarkRegressor

rng = np.random.default_rng(3)
WORDS = ["ab" * (1 + i % 4) + "xy"[i % 2] * (i % 7) for i in range(40)]
TWO = np.array(["u", "v"])[np.arange(40) % 2]
SERIES = [rng.normal(size=(2, int(k))).cumsum(axis=1) for k in rng.integers(5, 12, size=40)]
SETS = [rng.normal(size=(int(k), 2)) + 2 * (i % 2) for i, k in enumerate(rng.integers(1, 6, 40))]
POINTS = rng.normal(size=(40, 3))
CASES = [
    (LandmarkClassifier("levenshtein", n_landmarks=8), WORDS, TWO),
    (LandmarkClassifier("dtw", n_landmarks=8), SERIES, TWO),
    (LandmarkClassifier("modified_hausdorff", n_landmarks=8), SETS, TWO),
    (LandmarkClassifier("gaussian", n_landmarks=8), POINTS, TWO),
    (LandmarkClassifier("levenshtein", n_landmarks=12, weighing="greedy"), WORDS, TWO),
    (LandmarkClassifier("levenshtein", n_landmarks=8, head="svm"), WORDS, TWO),
    (LandmarkClassifier("levenshtein", n_landmarks=8, head="linear_svc"), WORDS, TWO),
    (LandmarkClassifier("levenshtein", n_landmarks=8, landmarks="pairs"), WORDS, TWO),
    (LandmarkRegressor("levenshtein", n_landmarks=8), WORDS, [float(len(w)) for w in WORDS]),
    (LandmarkRegressor("dtw", n_landmarks=8, head="svr"), SERIES, POINTS[:, 0]),
    (LandmarkOrdinal("levenshtein", n_landmarks=8), WORDS, [len(w) // 6 for w in WORDS]),
]


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=f"{i}-{check.__name__}")
        for i, case in enumerate(CASES)
        for check in object_estimator_checks(*case)
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_promises(check):
    check()


# The defaults once; what other models have of their own shows with less effort as well.
QUICK = [LandmarkRegressor(effort="quick"), LandmarkOrdinal(effort="quick")]
# How a matrix is read, whoever learns from it, is tested with the quickest: of one measure.
READING = ("X_dtype=float32", "check_estimator_sparse_matrix")


@parametrize_with_checks(
    [LandmarkClassifier(), *QUICK, LandmarkClassifier("manhattan")],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_checks(estimator, check, request):
    if estimator.measure == "auto" and any(name in request.node.name for name in READING):
        pytest.skip("once is enough")
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [LandmarkRegressor(), LandmarkOrdinal()], expected_failed_checks=expected_failures
)
def test_scikit_learn_checks_with_the_default_effort(estimator, check):
    check(estimator)


def planted(n, seed=0):
    """Two kinds of strings that differ by a motif."""
    rng = np.random.default_rng(seed)
    words, labels = [], []
    for i in range(n):
        text = list(rng.choice(list("acgt"), size=int(rng.integers(20, 30))))
        if i % 2:
            text[8:14] = "gattac"
        words.append("".join(text))
        labels.append(i % 2)
    return words, np.array(labels)


def test_good_out_of_the_box():
    X, y = planted(600)
    model = LandmarkClassifier("levenshtein", random_state=0).fit(X[:400], y[:400])
    nearest = NearestNeighboursClassifier("levenshtein").fit(X[:400], y[:400])
    assert model.score(X[400:], y[400:]) > 0.85
    assert model.score(X[400:], y[400:]) > nearest.score(X[400:], y[400:])


def test_probabilities_are_honest():
    X, y = planted(600)
    model = LandmarkClassifier("levenshtein", n_landmarks=100, random_state=0).fit(X[:400], y[:400])
    p = model.predict_proba(X[400:])
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert log_loss(y[400:], p) < 0.5  # knowing nothing is 0.69
    assert (model.classes_[p.argmax(axis=1)] == model.predict(X[400:])).all()
    plain = LandmarkClassifier("levenshtein", head="svm", n_landmarks=20, calibrate=False)
    assert not hasattr(plain, "predict_proba")


def test_regression_and_several_targets():
    X = np.random.default_rng(0).uniform(-3, 3, size=(300, 1))
    y = np.sin(X[:, 0])
    model = LandmarkRegressor("euclidean", n_landmarks=50, random_state=0).fit(X[:200], y[:200])
    assert model.score(X[200:], y[200:]) > 0.99
    both = np.column_stack([y, -2 * y])
    model.fit(X[:200], both[:200])
    np.testing.assert_allclose(model.predict(X[200:]), both[200:], atol=0.2)


def test_greedy_keeps_few_landmarks_and_evaluates_no_others():
    X = np.random.default_rng(0).uniform(-3, 3, size=(200, 1))
    calls = []

    def distance(a, b):
        calls.append(1)
        return abs(a[0] - b[0])

    measure = Custom(distance, kind="distance", vectorised=False)
    model = LandmarkRegressor(
        measure, n_landmarks=60, weighing=sm.Greedy(7, task="regression"), random_state=0
    ).fit(X, np.sin(X[:, 0]))
    assert len(model.landmarks_) == 7
    calls.clear()
    model.predict(X[:10])
    assert len(calls) == 70


def test_ordinal_knows_the_order():
    X = np.random.default_rng(0).uniform(0, 3, size=(150, 1))
    y = X[:, 0].astype(int)
    model = LandmarkOrdinal("euclidean", n_landmarks=30, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.9
    names = np.array(["low", "mid", "top"])[y]
    with pytest.raises(ValueError, match="labels must be ordered"):
        clone(model).fit(X, names)
    head = Ordinal(categories=["low", "mid", "top"])
    assert clone(model).set_params(head=head).fit(X, names).score(X, names) > 0.9
    ordered = pd.Series(pd.Categorical(names, ["low", "mid", "top"], ordered=True))
    assert clone(model).fit(X, ordered).classes_.tolist() == ["low", "mid", "top"]


def test_ranker_orders_documents_and_takes_qid():
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 3, size=(120, 1))
    y, qid = X[:, 0].astype(int), np.repeat(np.arange(12), 10)
    model = LandmarkRanker("euclidean", n_landmarks=20, random_state=0).fit(X, y, qid=qid)
    assert model.score(X, y, qid=qid) > 0.95
    with pytest.raises((ValueError, TypeError), match="qid"):
        LandmarkRanker("euclidean").fit(X, y)


def test_indefinite_and_asymmetric_measures_raise_no_alarm():
    y = (POINTS[:, 0] > 0).astype(int)
    lopsided = Custom(lambda a, b: float(a @ b + a[0]), kind="similarity")
    for measure in (Sigmoid(), lopsided):
        model = LandmarkClassifier(measure, n_landmarks=20, random_state=0).fit(POINTS, y)
        assert model.score(POINTS, y) > 0.8


def test_precomputed_in_cross_validation():
    X = np.random.default_rng(1).normal(size=(90, 2))
    y = (X[:, 0] > 0).astype(int)
    D = Euclidean().cross(X)
    model = LandmarkClassifier(Precomputed(kind="distance"), n_landmarks=15, random_state=0)
    scores = cross_val_score(model, D, y, cv=3)
    assert scores.min() > 0.8
    thin = model.set_params(measure=Precomputed(square=False, kind="distance"), n_landmarks=None)
    assert cross_val_score(thin, D[:, :20], y, cv=3).min() > 0.8


def test_grid_search_over_the_measure():
    early, late = np.eye(12)[3], np.eye(12)[7]  # which warping makes one, if nothing keeps it in
    noise = np.random.default_rng(0).normal(scale=0.3, size=(40, 12))
    X = noise + 2 * np.where(TWO[:, None] == "u", early, late)
    search = GridSearchCV(
        LandmarkClassifier(DTW(), n_landmarks=6, random_state=0),
        {"measure__window": [None, 0.1], "head": ["ridge", LinearSVC()]},
        cv=2,
    ).fit(X, TWO)
    assert search.best_params_["measure__window"] == 0.1
    scores = search.cv_results_["mean_test_score"].reshape(2, 2)  # heads × windows
    assert (scores[:, 1] > scores[:, 0] + 0.05).all()
    assert search.best_score_ > 0.95


def test_explanations_add_up_and_name_the_users_objects():
    X, y = planted(200)
    model = LandmarkClassifier("levenshtein", n_landmarks=40, random_state=0).fit(X, y)
    decisions = model.decision_function(X[:5])
    for x, decision, explanation in zip(X, decisions, model.explain(X[:5], 40), strict=False):
        sign = 1 if explanation.prediction == 1 else -1
        assert explanation.score == pytest.approx(sign * decision, abs=1e-4)
        added = sum(added for _, added in explanation.lines())
        assert added == pytest.approx(explanation.score, abs=1e-9)
        strongest = explanation.reasons[0]
        assert strongest.landmark == X[strongest.index]
        assert strongest.label == y[strongest.index]
        assert strongest.value == sm.cross("levenshtein", [x], [strongest.landmark])[0, 0]
        assert str(strongest.landmark) in str(explanation)


def test_features_that_mix_landmarks_are_explained_by_examples_only():
    X, y = planted(60)
    model = LandmarkClassifier("levenshtein", n_landmarks=10, transfer="whitening").fit(X, y)
    assert model.explain(X[:1])[0].reasons[0].share > 0
    D = sm.cross("levenshtein", X)
    with pytest.raises(TypeError, match="Whitening mixes landmarks"):
        LandmarkClassifier(sm.measures.Precomputed(), transfer="whitening").fit(D, y).explain(D[:1])
