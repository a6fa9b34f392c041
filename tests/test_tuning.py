"""Tuning: open parameters are chosen on values that are computed once."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.linear_model import Lasso
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC, LinearSVR

import seamark as sm
from seamark import engine
from seamark.features import InMemory, Selected
from seamark.linear_model import Ordinal, PerClass, Ranking, RidgeClassifier
from seamark.maps import CachedFeatures, LandmarkMap
from seamark.measures import Custom, Precomputed
from seamark.transfers import SLOPES, Decay, Ramp, SideBySide
from seamark.tuning import (
    STRENGTHS,
    CrossValidated,
    HeldOut,
    HeldOutPerClass,
    Task,
    choose_strength,
)

GRID = {"C": [0.01, 1.0]}
WORDS = [piece * k for piece in ("ab", "cd") for k in range(1, 31)]
Y = np.repeat([0, 1], 30)


def classifier(**options):
    settings = {"n_landmarks": 10, "head": LinearSVC(dual=False), "tune": HeldOut(0.25, GRID)}
    settings["calibrate"] = False  # `head_` is the machine itself
    return sm.LandmarkClassifier("levenshtein", random_state=0, **(settings | options))


def test_values_are_computed_once_however_large_the_grid():
    counts = [
        classifier(tune=HeldOut(0.25, {"C": costs})).fit(WORDS, Y).n_evaluations_
        for costs in ([1.0], [0.1, 1.0, 10.0])
    ]
    assert counts == [60 * 10] * 2


def test_every_combination_is_tried_and_reported():
    model = classifier().fit(WORDS, Y)
    results = model.tuning_
    assert len(results["score"]) == len(results["head"]) == len(results["transfer"]) == 7 * 2
    best = int(np.argmax(results["score"]))
    assert model.map_.transfers_ == results["transfer"][best]
    assert results["head"][best]["C"] == model.head_[-1].C


def test_the_winner_is_fitted_to_all_rows():
    tuned = classifier(transfer="identity").fit(WORDS, Y)
    cost = tuned.head_[-1].C
    told = classifier(transfer="identity", head=LinearSVC(dual=False, C=cost), tune="cv")
    told.fit(WORDS, Y)
    np.testing.assert_array_equal(tuned.landmark_indices_, told.landmark_indices_)
    np.testing.assert_allclose(
        tuned.decision_function(WORDS), told.decision_function(WORDS), rtol=1e-6
    )


def votes(n, rng):
    """Landmarks that are mostly right, and whose loudness says nothing."""
    y = rng.integers(2, size=n)
    right = np.where(rng.random((n, 40)) < 0.65, 1, -1)
    return (2 * y - 1)[:, None] * right * np.exp(3 * rng.normal(size=(n, 40))), y


@pytest.mark.parametrize("tune", ["cv", HeldOut(0.3)])
def test_the_planted_slope_is_found(tune):
    rng = np.random.default_rng(0)
    (X, y), (X_new, y_new) = votes(400, rng), votes(400, rng)
    model = sm.LandmarkClassifier(
        Precomputed(square=False, kind="similarity"),
        transfer=Ramp("auto", middle=0.0),
        head=LinearSVC(dual=False, C=0.01),
        tune=tune,
        random_state=0,
    ).fit(X, y)
    assert model.map_.transfers_[0].slope == max(SLOPES)
    flat = clone(model).set_params(transfer=Ramp(1.0, middle=0.0)).fit(X, y)
    assert model.score(X_new, y_new) > flat.score(X_new, y_new) + 0.1


def test_ties_go_to_the_first():
    model = classifier(tune=HeldOut(0.25, {"C": [1.0, 1.0 + 1e-9]}), transfer="identity")
    assert model.fit(WORDS, Y).head_[-1].C == 1.0


def held(tuning, y, head, landmarks=None, seed=0, **options):
    task = Task(np.asarray(y), head, options, np.asarray(y), None)
    return tuning.sides(task, landmarks, np.random.default_rng(seed))[1]


def test_each_class_is_held_out_by_its_share_and_never_whole():
    y = np.repeat([0, 1, 2], [40, 20, 1])
    rows = held(HeldOut(0.25), y, LinearSVC())
    assert np.bincount(y[rows], minlength=3).tolist() == [10, 5, 0]
    assert (np.diff(rows) > 0).all()
    assert len(held(HeldOut(0.25), np.arange(40.0), LinearSVR())) == 10
    assert len(held(HeldOut(0.1), [0, 0, 1, 1], Ordinal())) == 1


def test_a_search_on_some_rows_has_every_class():
    y = np.repeat([0, 1, 2], [400, 196, 4])
    task = Task(y, LinearSVC(), {}, y, None)
    fitted, held = HeldOut(0.25, most_rows=60).sides(task, None, np.random.default_rng(0))
    assert np.bincount(y[held], minlength=3).tolist() == [10, 5, 0]
    assert np.bincount(y[fitted], minlength=3).tolist() == [30, 15, 2]
    assert not np.isin(fitted, held).any()
    few = HeldOut(0.25, most_rows=1000).sides(task, None, np.random.default_rng(0))
    assert sum(map(len, few)) == 600


def test_landmarks_are_held_out_last():
    landmarks = np.arange(0, 40, 2)
    rows = held(HeldOut(0.5), np.zeros(40), LinearSVR(), landmarks)
    assert not np.isin(rows, landmarks).any()
    assert len(held(HeldOut(0.5), np.zeros(40), LinearSVR(), np.arange(40))) == 20


def test_queries_are_held_out_whole():
    qid = np.repeat(np.arange(8), 5)
    rows = held(HeldOut(0.25), np.zeros(40), Ranking(), qid=qid)
    assert len(rows) == 10
    assert len(np.unique(qid[rows])) == 2
    with pytest.raises(ValueError, match="none can be held out"):
        held(HeldOut(0.25), np.zeros(5), Ranking(), qid=np.zeros(5, dtype=int))


def test_rankers_take_queries_of_any_type():
    X = np.random.default_rng(0).normal(size=(60, 2))
    queries = [("q", i // 10) for i in range(60)]
    model = sm.LandmarkRanker(
        "euclidean", n_landmarks=8, tune=HeldOut(0.3, {"penalty": [1e-3, 1.0]}), random_state=0
    ).fit(X, (X[:, 0] > 0).astype(int), qid=queries)
    assert len(model.tuning_["score"]) == 14


def test_sample_weights_are_split_with_the_rows():
    weight = np.where(np.arange(60) % 2, 1.0, 0.0)
    model = classifier().fit(WORDS, Y, sample_weight=weight.tolist())
    assert np.all(np.isfinite(model.tuning_["score"]))


def test_nothing_is_evaluated_before_the_grid_is_checked():
    calls = []
    model = sm.LandmarkClassifier(Custom(lambda a, b: calls.append(1) or 0.0), head="svm")
    for tune, message in [
        (HeldOut(1.5), "between 0 and 1"),
        (HeldOut(0.2, most_rows=0), "most_rows"),
        (HeldOut(0.2, {"penality": [1]}), "grid names 'penality'"),
        ("guess", 'tune must be "cv"'),
        (3, 'tune must be "cv"'),
        (sm.linear_model.RidgeClassifier(), "or a Tuning; got "),
    ]:
        with pytest.raises(ValueError, match=message):
            clone(model).set_params(tune=tune).fit(WORDS, Y)
    regressor = sm.LandmarkRegressor("levenshtein", tune="held_out_per_class")
    with pytest.raises(ValueError, match="no classifier"):
        regressor.fit(WORDS, Y)
    assert not calls


def test_clone_repr_pickle_and_nested_parameters():
    model = classifier()
    assert repr(clone(model)) == repr(model)
    assert repr(HeldOut(0.3, GRID)) == "HeldOut(grid={'C': [0.01, 1.0]}, share=0.3)"
    fitted = pickle.loads(pickle.dumps(model.fit(WORDS, Y)))
    np.testing.assert_array_equal(fitted.predict(WORDS), model.predict(WORDS))
    search = GridSearchCV(classifier(), {"tune__share": [0.2, 0.4]}, cv=2).fit(WORDS, Y)
    assert search.best_params_["tune__share"] in (0.2, 0.4)


def three_classes():
    words = [piece * k for piece in ("ab", "cd", "ef") for k in range(1, 16)]
    return words, np.repeat(["x", "y", "z"], 15)


@pytest.mark.parametrize("measure", ["levenshtein", ["levenshtein", sm.measures.Levenshtein()]])
def test_each_class_has_its_own_transfer(measure):
    words, y = three_classes()
    model = sm.LandmarkClassifier(
        measure,
        n_landmarks=12,
        landmarks="pairs",
        transfer=Ramp("auto"),
        head=LinearSVC(dual=False),
        tune=HeldOutPerClass(0.3, GRID),
        calibrate=False,
        random_state=0,
    ).fit(words, y)
    assert isinstance(model.head_[-1], PerClass)
    assert isinstance(model.map_.transfers_[0], SideBySide)
    assert np.shape(model.tuning_["score"]) == (3, len(SLOPES) * 2)
    assert model.score(words, y) > 0.9
    n = 1 if isinstance(measure, str) else 2
    for _, columns in model.head_[-1].members:
        assert len(columns) == 12 * n
    assert model.n_evaluations_ == n * 45 * len(model.landmarks_)
    explained = model.explain(words[:3], n_landmarks=2)
    assert all(1 <= len(one.reasons) <= 2 for one in explained)


def votes_and_sums(n, rng):
    """Two classes told by votes; a third by a sum of columns, which steep ramps would clip."""
    loud, y = votes(n, rng)
    third = rng.random(n) < 1 / 3
    one = rng.uniform(-50, 50, size=n)
    other = np.where(third, 30, -30) + 10 * rng.normal(size=n) - one
    return np.column_stack([np.clip(loud, -100, 100), one, other]), np.where(third, 2, y)


def test_each_class_gets_the_slope_it_wants():
    rng = np.random.default_rng(0)
    (X, y), (X_new, y_new) = votes_and_sums(600, rng), votes_and_sums(600, rng)
    apart = sm.LandmarkClassifier(
        Precomputed(square=False, kind="similarity"),
        transfer=Ramp("auto", middle=0.0, half=100.0),
        head=LinearSVC(dual=False, C=0.01),
        tune=HeldOutPerClass(0.3),
        random_state=0,
    ).fit(X, y)
    best = np.argmax(apart.tuning_["score"], axis=1)
    slopes = [apart.tuning_["transfer"][i][0].slope for i in best]
    assert slopes[2] == 1.0
    assert min(slopes[:2]) > 1.0
    together = clone(apart).set_params(tune=HeldOut(0.3)).fit(X, y)
    assert apart.score(X_new, y_new) > together.score(X_new, y_new) + 0.03


@pytest.mark.parametrize("head", ["svr", "ridge"])
def test_contributions_add_up_whatever_the_head(head):
    words = ["a" * k for k in range(1, 31)]
    y = np.arange(30) / 30
    head = LinearSVR(max_iter=100_000) if head == "svr" else head
    model = sm.LandmarkRegressor("levenshtein", n_landmarks=5, head=head, random_state=0)
    predictions = model.fit(words, y).predict(words)
    totals = [one.total for one in model.explain(words)]
    np.testing.assert_allclose(totals, predictions - predictions.mean(), atol=1e-4)


def test_some_rows_are_read_block_by_block():
    matrix = np.arange(20.0).reshape(10, 2)
    kept = np.array([9, 0, 2, 7])
    with engine.using(feature_bytes=8 * 2 * 3):  # three rows a block
        some = Selected(InMemory(matrix), kept=kept)
        blocks = list(some.chunks())
        reduced = some.reduce(lambda rows, block: [(rows, block.tolist())])
    assert reduced == [(rows, block.tolist()) for rows, block in blocks]
    np.testing.assert_array_equal(some.rows(np.array([3, 0]), [1]), [[19.0], [1.0]])
    assert [(rows.start, rows.stop) for rows, _ in blocks] == [(0, 2), (2, 3), (3, 4)]
    np.testing.assert_array_equal(np.concatenate([b for _, b in blocks]), matrix[[0, 2, 7, 9]])


def test_open_slopes_are_one_without_a_tuning():
    model = sm.LandmarkMap("levenshtein", n_landmarks=4, transfer=Ramp("auto"), random_state=0)
    assert model.fit(WORDS).transfers_[0].slope == 1.0
    with pytest.raises(ValueError, match='slope must be a number or "auto"'):
        model.set_params(transfer=Ramp("steep")).fit(WORDS)
    both = sm.LandmarkMap("levenshtein", n_landmarks=4, transfer=SideBySide([Decay(), Ramp()]))
    both.fit(WORDS)
    assert both.transform(WORDS).shape == (60, 8)
    assert not both.is_divisible


def test_rivals_are_judged_as_a_map_alone_would_be(monkeypatch):
    monkeypatch.setattr("seamark.tuning.COMPARED_LANDMARKS", 8)
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = (X[:, 0] > 0).astype(int)
    bearings = LandmarkMap("euclidean", n_landmarks=20, transfer="auto", random_state=0).fit(X)
    errors = []
    for rivalled in (False, True):
        head = RidgeClassifier(cv=3, calibrate=False, random_state=0)
        task = Task(y, head, {}, y, head, rivalled=rivalled)
        features = CachedFeatures(bearings, X)
        choice = CrossValidated().choose(features, "auto", task, np.random.default_rng(1))
        errors.append(choice.results["error"])
    assert len(errors[0]) == 7
    assert_allclose(errors[0], errors[1], 1e-5)


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (Lasso(alpha="cv"), "alpha"),
        (LinearSVR(C="cv", loss="squared_epsilon_insensitive", dual=False), "C"),
        (make_pipeline(PCA(3, random_state=0), Lasso(alpha="cv")), "lasso__alpha"),
    ],
)
def test_the_strength_of_a_head_is_chosen_on_rows_held_out(rng, head, name):
    X = rng.normal(size=(150, 12)) * rng.uniform(0.1, 10, 12)
    y = X[:, 0] / np.std(X[:, 0]) + rng.normal(size=150)
    task = Task(y, head, {}, y, None)
    chosen = choose_strength(head, InMemory(X), task, None, np.random.default_rng(3))
    fitted, held = HeldOut().sides(task, None, np.random.default_rng(3))
    values = STRENGTHS[name.rpartition("__")[2]]
    scores = []
    for value in values:
        one = make_pipeline(StandardScaler(), clone(head).set_params(**{name: value}))
        scores.append(one.fit(X[fitted], y[fitted]).score(X[held], y[held]))
    assert chosen.get_params()[name] == values[int(np.argmax(scores))]
    assert np.ptp(scores) > 0.01  # so that the choice matters


def test_a_model_chooses_the_strength_of_its_head(rng):
    X = rng.normal(size=(120, 3))
    y = np.sin(X[:, 0]) + 0.5 * rng.normal(size=120)
    parts = {"n_landmarks": 15, "transfer": "identity", "random_state": 0}
    for head in ("svr", Lasso(alpha="cv")):
        model = sm.LandmarkRegressor("euclidean", head=head, **parts).fit(X, y)
        parameters = model.head_.get_params()
        found = [v for k, v in parameters.items() if k.rpartition("__")[2] in ("C", "alpha")]
        assert found
        assert not any(isinstance(value, str) for value in found)
    model = sm.LandmarkRegressor("euclidean", head=Lasso(alpha=0.37), **parts).fit(X, y)
    assert 0.37 in model.head_.get_params().values()
