"""What is loaded predicts what was saved, to the last bit."""

import inspect

import numpy as np
import pytest
from saved_tasks import (
    DOMAINS,
    MINE,
    TASKS,
    VECTORS,
    WORDS,
    assert_same,
    round_trip,
    sampler,
    y,
)
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import seamark as sm
from seamark import baselines, papers
from seamark.feature_selection import Learned
from seamark.features import as_features
from seamark.landmarks import Generated
from seamark.linear_model import Ordinal
from seamark.measures import Precomputed

MAIN = ("strings", "series", "sets", "vectors", "precomputed", "custom")
# Every model on the main domains, one model on all.
PAIRS = [(m, d) for m in TASKS for d in DOMAINS if d in MAIN or m is sm.LandmarkClassifier]


@pytest.mark.parametrize(("model", "domain"), PAIRS)
def test_landmark_models_on_every_domain(model, domain, tmp_path):
    measure, X = DOMAINS[domain]
    fitted = model(measure, n_landmarks=6, random_state=0)
    if domain == "columns":
        fitted.set_params(n_landmarks=None)
    if domain == "custom":
        fitted.set_params(n_landmarks=2)  # no more of the sets of letters differ
    fitted.fit(X, **TASKS[model])
    loaded = round_trip(fitted, tmp_path / "m", MINE)
    assert_same(fitted, loaded, X)
    assert str(fitted.explain(X[:2])) == str(loaded.explain(X[:2]))


OPTIONS = {
    "svm": (sm.LandmarkClassifier, {"head": "svm"}),
    "logistic": (sm.LandmarkClassifier, {"head": "logistic"}),
    "greedy": (sm.LandmarkClassifier, {"weighing": "greedy"}),
    "aligned": (sm.LandmarkClassifier, {"weighing": "aligned"}),
    "learned": (sm.LandmarkClassifier, {"weighing": Learned(4, pool=30)}),
    "own head": (sm.LandmarkRegressor, {"head": Ridge(0.1)}),
    "svr": (sm.LandmarkRegressor, {"head": "svr"}),
    "held out": (sm.LandmarkClassifier, {"tune": "held_out"}),
    "per class": (sm.LandmarkClassifier, {"tune": "held_out_per_class", "head": "svm"}),
    "whitening": (sm.LandmarkRegressor, {"transfer": "whitening"}),
    "pairs": (sm.LandmarkClassifier, {"landmarks": "pairs", "transfer": "ramp"}),
    "generated": (sm.LandmarkRegressor, {"landmarks": "generated"}),
    "order": (sm.LandmarkOrdinal, {"head": Ordinal(categories=[2, 0, 1])}),
    "rng": (sm.LandmarkRegressor, {"random_state": np.random.default_rng(3)}),
    "old rng": (sm.LandmarkRegressor, {"random_state": np.random.RandomState(3)}),
}


@pytest.mark.filterwarnings("ignore:.*converge")
@pytest.mark.parametrize("option", OPTIONS)
def test_every_choice_of_parts(option, tmp_path):
    model, options = OPTIONS[option]
    given = {"n_landmarks": 6, "random_state": 0} | options
    fitted = model("levenshtein", **given).fit(WORDS, **TASKS[model])
    assert_same(fitted, round_trip(fitted, tmp_path / "m"), WORDS)


PRESETS = [name for name in papers.__all__ if name != "as_similarity"]


@pytest.mark.filterwarnings("ignore:.*converge")
@pytest.mark.parametrize("name", PRESETS)
def test_every_preset(name, tmp_path):
    preset = getattr(papers, name)
    targets = {
        "regland": TASKS[sm.LandmarkRegressor],
        "regland_sp": TASKS[sm.LandmarkRegressor],
        "orland": TASKS[sm.LandmarkOrdinal],
        "rank": TASKS[sm.LandmarkRanker],
    }.get(name, {"y": y})
    options = {"n_candidates": 20} if "n_candidates" in inspect.signature(preset).parameters else {}
    fitted = preset("levenshtein", n_landmarks=6, random_state=0, **options).fit(WORDS, **targets)
    assert_same(fitted, round_trip(fitted, tmp_path / "m"), WORDS)


RIVALS = [
    baselines.KernelRegression(n_references=9),
    baselines.SubstitutionSVM(),
    baselines.PseudoEuclidean(n_landmarks=8, n_components=3),
    baselines.AverageSimilarity(),
    baselines.AverageSimilarity(vote="weak", n_per_class=6),
    baselines.NearestNeighboursClassifier(n_neighbors=3),
    baselines.NearestNeighboursRegressor(n_neighbors=3),
    baselines.DBoost(n_pairs=20, n_rounds=5),
    baselines.pseudo_euclidean_svm(n_components=3),
]


@pytest.mark.parametrize("rival", RIVALS, ids=lambda rival: repr(rival)[:40])
@pytest.mark.parametrize("domain", ["strings", "vectors", "precomputed", "custom"])
def test_every_rival(rival, domain, tmp_path):
    measure, X = DOMAINS[domain]
    if domain == "precomputed":
        measure = Precomputed(kind="distance")
    if domain == "vectors":
        measure = "euclidean"
    fitted = clone(rival)
    name = "pseudoeuclidean__measure" if hasattr(fitted, "steps") else "measure"
    fitted.set_params(**{name: measure}).fit(X, y)
    assert_same(fitted, round_trip(fitted, tmp_path / "m", MINE), X)


def test_maps_pipelines_greedy_and_what_is_not_fitted(tmp_path):
    path = tmp_path / "m"
    bearings = sm.LandmarkMap("levenshtein", n_landmarks=5, random_state=0).fit(WORDS)
    assert_same(bearings, round_trip(bearings, path), WORDS)
    assert_same(bearings.subset([3, 1]), round_trip(bearings.subset([3, 1]), path), WORDS)
    pipeline = make_pipeline(clone(bearings), StandardScaler(), LogisticRegression()).fit(WORDS, y)
    assert_same(pipeline, round_trip(pipeline, path), WORDS)
    frames = clone(bearings).set_output(transform="pandas").fit(WORDS)
    assert round_trip(frames, path).transform(WORDS).equals(frames.transform(WORDS))
    greedy = sm.Greedy(3).fit(as_features(bearings.transform(WORDS)), y)
    loaded = round_trip(greedy, path)
    np.testing.assert_array_equal(loaded.support_, greedy.support_)
    assert (
        repr(round_trip(sm.LandmarkClassifier("dtw"), path)) == "LandmarkClassifier(measure='dtw')"
    )


RANDOM_MAPS = [sm.RandomFourier(), sm.RandomMaclaurin(), sm.ArcCosine(), sm.Coordinates()]


@pytest.mark.parametrize("bearings", RANDOM_MAPS, ids=lambda bearings: type(bearings).__name__)
def test_random_maps(bearings, tmp_path):
    fitted = clone(bearings)
    if "random_state" in fitted.get_params():
        fitted.set_params(random_state=0)
    fitted.fit(VECTORS)
    assert_same(fitted, round_trip(fitted, tmp_path / "m"), VECTORS)


def test_every_measure_and_strategy_without_registration(tmp_path):
    for entry in sm.measures.catalogue().values():
        assert repr(round_trip(entry.measure, tmp_path / "m")) == repr(entry.measure)
    model = sm.LandmarkRegressor("levenshtein", landmarks=Generated(sampler=sampler), n_landmarks=4)
    model.fit(WORDS, VECTORS[:, 0])
    assert_same(model, round_trip(model, tmp_path / "m", MINE), WORDS)


def test_sklearns_own_svc_is_on_the_list(tmp_path):
    fitted = SVC().fit(VECTORS, y)
    assert_same(fitted, round_trip(fitted, tmp_path / "m"), VECTORS)
