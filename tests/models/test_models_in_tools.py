"""The landmark models inside scikit-learn's tools, and what they refuse."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import seamark as sm
from seamark.linear_model import Ordinal, ndcg
from seamark.measures import DTW, Custom, Gaussian, Polynomial

rng = np.random.default_rng(11)
POINTS = rng.normal(size=(60, 2))
GRADES = np.digitize(POINTS[:, 0], [-0.5, 0.5])
QUERIES = np.repeat(np.arange(6), 10)
SERIES = [rng.normal(size=int(k)).cumsum() for k in rng.integers(6, 12, size=60)]
UPWARDS = np.array([int(series[-1] > series[0]) for series in SERIES])


def ranker(**options):
    return sm.LandmarkRanker("euclidean", n_landmarks=10, random_state=0, **options)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_qid_plain():
    model = ranker().fit(POINTS, GRADES, qid=QUERIES)
    assert model.score(POINTS, GRADES, qid=QUERIES) > 0.95
    assert model.score(POINTS, GRADES, qid=QUERIES) == ndcg(model.predict(POINTS), GRADES, QUERIES)
    assert model.score(POINTS, GRADES, QUERIES.tolist()) == model.score(POINTS, GRADES, QUERIES)


@pytest.mark.usefixtures("routing")
def test_qid_is_routed_through_a_pipeline():
    piped = make_pipeline(StandardScaler(), ranker()).fit(POINTS, GRADES, qid=QUERIES)
    scaled = StandardScaler().fit_transform(POINTS)
    plain = ranker().fit(scaled, GRADES, qid=QUERIES)
    np.testing.assert_array_equal(piped.predict(POINTS), plain.predict(scaled))
    assert piped.score(POINTS, GRADES, qid=QUERIES) == plain.score(scaled, GRADES, qid=QUERIES)


@pytest.mark.usefixtures("routing")
def test_qid_is_routed_through_cross_validation():
    params = {"qid": QUERIES, "groups": QUERIES}
    scores = cross_val_score(ranker(), POINTS, GRADES, cv=GroupKFold(3), params=params)
    splits = GroupKFold(3).split(POINTS, groups=QUERIES)
    for (train, test), score in zip(splits, scores, strict=True):
        fold = ranker().fit(POINTS[train], GRADES[train], qid=QUERIES[train])
        assert fold.score(POINTS[test], GRADES[test], qid=QUERIES[test]) == score


@pytest.mark.usefixtures("routing")
def test_qid_is_routed_through_a_search_in_a_pipeline():
    piped = make_pipeline(StandardScaler(), ranker())
    grid = {
        "landmarkranker__n_landmarks": [5, 10],
        "landmarkranker__measure": ["cosine", "manhattan"],
    }
    search = GridSearchCV(piped, grid, cv=GroupKFold(3), error_score="raise")
    search.fit(POINTS, GRADES, qid=QUERIES, groups=QUERIES)
    assert search.best_score_ > 0.8
    assert search.score(POINTS, GRADES, qid=QUERIES) > 0.9


MODELS = {
    "classifier": (sm.LandmarkClassifier(n_landmarks=10), (GRADES > 1).astype(int)),
    "regressor": (sm.LandmarkRegressor(n_landmarks=10), POINTS[:, 0]),
    "ordinal": (sm.LandmarkOrdinal(n_landmarks=10), GRADES),
}


@pytest.mark.parametrize("name", MODELS)
def test_search_over_measures_and_their_parameters(name):
    model, y = MODELS[name]
    grid = [
        {"measure": [Gaussian()], "measure__width": [0.5, "median"]},
        {"measure": [Polynomial()], "measure__degree": [1, 2]},
        {"measure": ["manhattan"]},
    ]
    search = GridSearchCV(clone(model).set_params(random_state=0), grid, cv=3, error_score="raise")
    search.fit(POINTS, y)
    assert len(search.cv_results_["params"]) == 5
    assert search.best_score_ > 0.7
    best = search.best_estimator_
    assert best.map_.measures_[0].name in ("gaussian", "polynomial", "manhattan")
    for parameter, value in search.best_params_.items():
        if "__" in parameter:
            assert best.get_params()[parameter] == value


def test_a_ranker_is_searched_over_its_measure():
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            ranker().set_params(measure=Gaussian()),
            {"measure__width": [0.1, "mean"]}, cv=GroupKFold(3), error_score="raise",
        ).fit(POINTS, GRADES, qid=QUERIES, groups=QUERIES)  # fmt: skip
    assert search.best_params_["measure__width"] in (0.1, "mean")
    assert search.best_score_ > 0.8


def test_series_in_a_search_over_their_window():
    search = GridSearchCV(
        sm.LandmarkClassifier(DTW(), n_landmarks=10, random_state=0),
        {"measure__window": [None, 0.5]}, cv=3, error_score="raise",
    ).fit(SERIES, UPWARDS)  # fmt: skip
    assert search.best_score_ > 0.6


def test_features_come_as_tables_if_asked_for():
    words = ["sea", "see", "mark", "marked", "landmark"]
    bearings = sm.LandmarkMap("levenshtein", n_landmarks=3, random_state=0)
    table = bearings.set_output(transform="pandas").fit_transform(words)
    assert isinstance(table, pd.DataFrame)
    assert list(table.columns) == bearings.get_feature_names_out().tolist()
    assert table.columns[0] == f"levenshtein_{bearings.landmark_indices_[0]}"
    again = make_pipeline(clone(bearings)).set_output(transform="pandas")
    assert again.fit_transform(words).equals(table)
    polars = pytest.importorskip("polars")
    other = clone(bearings).set_output(transform="polars").fit_transform(words)
    assert isinstance(other, polars.DataFrame)
    assert other.columns == table.columns.tolist()
    np.testing.assert_array_equal(other.to_numpy(), table.to_numpy())


LETTERS = np.array(["low", "mid", "top"])[GRADES]
EQUAL = Custom(lambda a, b: 1.0, kind="distance")


@pytest.mark.parametrize(
    ("model", "y", "options", "message"),
    [
        (sm.LandmarkClassifier(EQUAL), GRADES, {}, "it holds no information about them; take"),
        (sm.LandmarkRegressor(EQUAL), POINTS[:, 0], {}, "it holds no information about them"),
        (sm.LandmarkOrdinal(EQUAL), GRADES, {}, "it holds no information about them"),
        (sm.LandmarkRanker(EQUAL), GRADES, {"qid": QUERIES}, "it holds no information about them"),
        (sm.LandmarkRegressor(EQUAL, weighing="greedy"), GRADES, {}, "it holds no information"),
        (sm.LandmarkRanker(), GRADES, {"qid": np.arange(60)}, "every query has one document"),
        (sm.LandmarkRanker(), GRADES, {}, "ranking needs qid=, the query of each document"),
        (sm.LandmarkRanker(), 0 * GRADES, {"qid": QUERIES}, "relevance is 0 everywhere"),
        (sm.LandmarkRanker(), GRADES - 1, {"qid": QUERIES}, "relevance of document [0-9]+ is -1"),
        (sm.LandmarkOrdinal(), LETTERS, {}, "labels must be ordered, and the place of '...'"),
        (sm.LandmarkOrdinal(), POINTS[:, 0], {}, "y looks continuous, with 60 values"),
        (
            sm.LandmarkOrdinal(head=Ordinal(categories=["low", "top"])),
            LETTERS, {}, "label 'mid' of y is not among categories",
        ),
    ],
)  # fmt: skip
def test_refusals_say_what_is_wrong(model, y, options, message):
    with pytest.raises(ValueError, match=message):
        clone(model).fit(POINTS, y, **options)


def test_targets_are_refused_before_the_measure_is_called():
    calls = []
    noisy = Custom(lambda a, b: calls.append(1) or 0.0, kind="distance")
    for model, y, options in [
        (sm.LandmarkRanker(noisy), GRADES, {"qid": np.arange(60)}),
        (sm.LandmarkRanker(noisy), GRADES, {"qid": QUERIES[:-1]}),
        (sm.LandmarkRanker(noisy), 0 * GRADES, {"qid": QUERIES}),
        (sm.LandmarkOrdinal(noisy), LETTERS, {}),
        (sm.LandmarkOrdinal(noisy), POINTS[:, 0], {}),
        (sm.LandmarkRegressor(noisy), LETTERS, {}),
    ]:
        with pytest.raises(ValueError):  # noqa: PT011
            model.fit(POINTS, y, **options)
    assert not calls
