"""Presets: each is a model of the right parts, and learns."""

import inspect
import pickle

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.svm import LinearSVC

import seamark as sm
from seamark import papers
from seamark.checks import object_estimator_checks
from seamark.landmarks import Diverse, Generated, LandmarkPairs, Uniform
from seamark.measures import Custom, Levenshtein
from seamark.papers import as_similarity
from seamark.transfers import Identity
from seamark.tuning import HeldOut

CLASSIFIERS = ["bbs", "bbs_d", "ftune", "ftune_m", "dboost", "rsm", "d2ke"]
NUMBERS = ["regland", "regland_sp"]
PRESETS = [*CLASSIFIERS, *NUMBERS, "orland", "rank"]


def noisy_words(n, rng):
    """Repeats of a class's own word, with letters changed."""
    y = np.arange(n) % 3
    words = []
    for label in y:
        letters = np.array(list(["abcde", "edbca", "cdabe"][label] * 3))
        wrong = rng.random(15) < 0.25
        letters[wrong] = rng.choice(list("abcde"), size=wrong.sum())
        words.append("".join(letters))
    return words, y


def halves(n, rng):
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] + 0.5 * X[:, 1] ** 2 > 0.5).astype(int)


DATA = {"levenshtein": noisy_words, "euclidean": halves}


@pytest.mark.parametrize("measure", DATA)
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classifiers_beat_chance(name, measure):
    rng = np.random.default_rng(1)
    (X, y), (X_new, y_new) = DATA[measure](120, rng), DATA[measure](90, rng)
    options = {"sizes": (2, 20)} if name == "d2ke" and measure == "levenshtein" else {}
    model = getattr(papers, name)(measure, n_landmarks=30, random_state=0, **options)
    chance = np.bincount(y_new).max() / len(y_new)
    assert model.fit(X, y).score(X_new, y_new) > chance + 0.1


@pytest.mark.parametrize("name", NUMBERS)
def test_regressors_explain_most_of_the_variance(name):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(160, 2))
    y = 1 / (1 + np.exp(-X[:, 0] * X[:, 1]))
    model = getattr(papers, name)("gaussian", n_landmarks=20, random_state=0)
    assert model.fit(X[:120], y[:120]).score(X[120:], y[120:]) > 0.5


def test_orland_and_rank_order():
    rng = np.random.default_rng(3)
    X = rng.uniform(size=(160, 2))
    y = np.digitize(X.sum(axis=1), [0.6, 1.0, 1.4])
    model = papers.orland("gaussian", n_landmarks=20, random_state=0).fit(X[:120], y[:120])
    assert np.abs(model.predict(X[120:]) - y[120:]).mean() < 0.4
    qid = np.arange(160) // 10
    ranker = papers.rank("gaussian", n_landmarks=20, random_state=0)
    ranker.fit(X[:120], y[:120], qid=qid[:120])
    assert ranker.score(X[120:], y[120:], qid=qid[120:]) > 0.9


def test_regland_minimises_the_loss_as_published(rng):
    X = rng.random((60, 3))
    y = np.sin(3 * X[:, 0]) / 2 + 0.05 * rng.normal(size=60)
    options = {"n_landmarks": 5, "random_state": 0, "loss": "epsilon_insensitive"}
    model = papers.regland("euclidean", **options)
    assert model.tune.grid == {"C": [cost / 5 for cost in papers.COSTS]}
    model.set_params(tune=HeldOut(0.2, {"C": [0.2]})).fit(X, y)
    svr = model.head_[-1]
    Z = model.head_[:-1].transform(model.map_.block(model.map_.ingest(X))).astype(float)
    rows = np.c_[Z, np.ones(60)]  # the intercept is a column of ones, and penalised

    def dual(both):  # its minimum by another road: bounded variables, no kinks
        a = both[:60] - both[60:]
        pull = rows @ (rows.T @ a) - y
        value = 0.5 * np.square(rows.T @ a).sum() - a @ y + 0.01 * both.sum()
        return value, np.concatenate([pull + 0.01, 0.01 - pull])

    bounds = [(0, svr.C)] * 120
    least = -minimize(dual, np.zeros(120), jac=True, bounds=bounds, method="L-BFGS-B").fun
    w = np.append(svr.coef_, svr.intercept_)
    primal = 0.5 * w @ w + svr.C * np.maximum(0, np.abs(rows @ w - y) - 0.01).sum()
    assert svr.loss == "epsilon_insensitive"
    np.testing.assert_allclose(primal, least, rtol=2e-3)
    with pytest.raises(ValueError, match="not 'squared'"):
        papers.regland(loss="squared")


def test_regland_sp_keeps_few_of_many():
    X = np.random.default_rng(2).normal(size=(80, 2))
    model = papers.regland_sp("euclidean", n_landmarks=6, n_candidates=50, random_state=0)
    assert len(model.fit(X, X[:, 0]).landmarks_) == 6
    assert model.n_evaluations_ == 80 * 50
    with sm.engine.counting() as counter:
        model.predict(X)
    assert counter.evaluations == 80 * 6


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_estimators_like_any_other(name):
    model = getattr(papers, name)(n_landmarks=7, random_state=0)
    assert repr(clone(model)) == repr(model) == repr(pickle.loads(pickle.dumps(model)))
    first, second, third, *_ = inspect.signature(getattr(papers, name)).parameters
    assert (first, second, third) == ("measure", "n_landmarks", "random_state")
    assert model.random_state == 0


def test_overrides_replace_parts():
    model = papers.bbs("levenshtein", 5, landmarks="farthest", n_jobs=1, budget=10)
    assert (model.landmarks, model.n_jobs, model.budget, model.n_landmarks) == (
        "farthest",
        1,
        10,
        5,
    )
    assert papers.ftune(transfer="sign").transfer == "sign"
    assert papers.dboost(n_rounds=3).n_rounds == 3
    assert papers.bbs(tune="held_out").tune == "held_out"
    with pytest.raises(TypeError, match="n_landmark"):
        papers.bbs(n_landmark=3)


def test_a_head_of_ones_own_needs_no_grid_of_ones_own():
    words, y = noisy_words(60, np.random.default_rng(0))
    for head in ("ridge", LinearSVC(C=0.1, dual=False)):
        model = papers.d2ke("levenshtein", 20, 0, sizes=(2, 10), head=head)
        assert len(model.fit(words, y).tuning_["error"]) == 7
    tune = HeldOut(0.3, {"C": [0.1, 1.0]})
    assert papers.bbs(head="svm", tune=tune).tune is tune


def test_what_the_presets_are_made_of():
    assert isinstance(papers.bbs().landmarks, Uniform)
    assert isinstance(papers.bbs_d().landmarks, Diverse)
    assert isinstance(papers.ftune().landmarks, LandmarkPairs)
    assert isinstance(papers.ftune(diverse=True).landmarks.of, Diverse)
    assert isinstance(papers.ftune_m(diverse=True).landmarks.of, Diverse)
    assert isinstance(papers.regland().transfer, Identity)
    assert isinstance(papers.d2ke("dtw").landmarks, Generated)
    assert papers.d2ke("dtw", scale=2.0).landmarks.get_params() == {
        "sizes": "auto",
        "scale": 2.0,
        "sampler": None,
    }


def test_distances_are_negated_once_and_similarities_never():
    assert repr(papers.bbs("levenshtein").measure) == "Negated(measure=Levenshtein())"
    assert papers.bbs("gaussian").measure.kind == "similarity"
    unsure = Custom(max)
    assert as_similarity(unsure) is unsure
    assert [m.kind for m in as_similarity([Levenshtein(), "levenshtein"])] == ["similarity"] * 2
    assert papers.rsm("levenshtein").measure == "levenshtein"


@pytest.mark.parametrize("head", ["svm", "ridge"])
def test_d2ke_searches_its_objects(head):
    words, y = noisy_words(60, np.random.default_rng(0))
    options = {"tune": HeldOut(0.3)} if head == "svm" else {}
    model = papers.d2ke("levenshtein", 20, 0, head=head, **options).fit(words, y)
    tried = model.tuning_["landmarks"]
    assert [strategy.sizes[1] for strategy in tried] == [5, 10, 20, 50, 50]
    longest = max(len(landmark) for landmark in model.landmarks_)
    assert longest <= tried[int(np.argmax(model.tuning_["merit"]))].sizes[1]
    assert model.n_evaluations_ == 5 * 60 * 20  # not times γ and C


def test_of_objects_that_lose_only_what_is_compared_is_evaluated(monkeypatch):
    monkeypatch.setattr("seamark.tuning.COMPARED_LANDMARKS", 5)
    monkeypatch.setattr("seamark.maps.landmark.PILOT_ROWS", 40)
    words, y = noisy_words(60, np.random.default_rng(0))
    model = papers.d2ke("levenshtein", 20, 0, head="ridge").fit(words, y)
    # Of 60 rows, 20 are not seen at once; of the winner their other 15 values are used.
    fitted, compared, used = 5 * 40 * 20, 5 * 20 * 5, 20 * 15
    assert model.n_evaluations_ == fitted + compared + used


def test_d2ke_searches_nothing_that_is_said():
    words, y = noisy_words(60, np.random.default_rng(0))
    model = papers.d2ke("levenshtein", 20, 0, sizes=(3, 4)).fit(words, y)
    assert {len(landmark) for landmark in model.landmarks_} == {3, 4}
    assert "landmarks" not in model.tuning_
    grid = {"landmarks__sizes": [(2, 5), (5, 30)]}
    search = GridSearchCV(clone(model).set_params(tune="cv"), grid, cv=2).fit(words, y)
    assert search.best_params_["landmarks__sizes"] in grid["landmarks__sizes"]


def test_d2ke_on_series():
    rng = np.random.default_rng(0)
    X = [rng.normal(size=12) + 2 * (i % 2) * np.linspace(-1, 1, 12) for i in range(40)]
    model = papers.d2ke("dtw", 15, 0, head="ridge").fit(X, np.arange(40) % 2)
    assert len(model.tuning_["landmarks"]) == 9
    assert model.score(X, np.arange(40) % 2) > 0.8


@pytest.mark.parametrize("name", [*CLASSIFIERS, *NUMBERS, "orland"])
def test_presets_keep_what_estimators_promise(name):
    words, y = noisy_words(48, np.random.default_rng(0))
    options = {"sizes": (2, 9)} if name == "d2ke" else {}
    model = getattr(papers, name)("levenshtein", 6, **options)
    for check in object_estimator_checks(model, words, y / 2 if name in NUMBERS else y):
        check()


def test_the_library_has_the_room_but_does_not_enter_it():
    assert sm.papers is papers
    assert "papers" in dir(sm)
