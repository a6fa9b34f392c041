"""The landmark map as a transformer over any objects."""

import pickle
from typing import ClassVar

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import seamark as sm
from seamark.checks import object_estimator_checks
from seamark.landmarks import Landmarks
from seamark.maps import CachedFeatures, LandmarkMap
from seamark.measures import DTW, Custom, Euclidean, Gaussian, Levenshtein, Precomputed

rng = np.random.default_rng(11)
WORDS = ["ab" * (1 + i % 4) + "xy"[i % 2] * (i % 7) for i in range(24)]
Y = np.arange(24) % 2
OBJECTS = {
    "levenshtein": WORDS,
    "dtw": [rng.normal(size=(2, int(k))) for k in rng.integers(3, 9, size=24)],
    "modified_hausdorff": [rng.normal(size=(int(k), 2)) for k in rng.integers(1, 6, size=24)],
    "gaussian": rng.normal(size=(24, 3)),
}
MAPS = [(LandmarkMap(name, n_landmarks=5), name) for name in OBJECTS]
MAPS += [
    (LandmarkMap("levenshtein", n_landmarks=6, landmarks=kind, transfer=transfer), "levenshtein")
    for kind, transfer in [
        ("stratified", "identity"),
        ("diverse", "gaussian_decay"),
        ("farthest", "whitening"),
        ("generated", "auto"),
        ("pairs", "ramp"),
        ("pairs", "sign"),
    ]
]
MAPS += [(LandmarkMap(["levenshtein", Levenshtein().normalised()], n_landmarks=4), "levenshtein")]
MAPS += [(LandmarkMap("gaussian", n_landmarks=4, passthrough=True), "gaussian")]
MAPS += [(LandmarkMap("dtw", n_landmarks=4, scale=False), "dtw")]


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=f"{i}-{check.__name__}")
        for i, (estimator, name) in enumerate(MAPS)
        for check in object_estimator_checks(estimator, OBJECTS[name], Y)
    ],
)
def test_promises(check):
    check()


@parametrize_with_checks([LandmarkMap(), LandmarkMap("manhattan", landmarks="farthest")])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_features_are_what_the_sentence_says():
    model = LandmarkMap(
        "levenshtein", n_landmarks=5, transfer="identity", scale=False, random_state=0
    )
    features = model.fit_transform(WORDS)
    expected = sm.cross("levenshtein", WORDS, [WORDS[i] for i in model.landmark_indices_])
    np.testing.assert_allclose(features, expected / np.sqrt(5), rtol=1e-6)
    assert list(model.landmarks_) == [WORDS[i] for i in model.landmark_indices_]


def test_pairs_subtract():
    model = LandmarkMap(
        "levenshtein",
        n_landmarks=7,
        landmarks="pairs",
        transfer="identity",
        scale=False,
        random_state=0,
    ).fit(WORDS, Y)
    values = sm.cross("levenshtein", WORDS, model.landmarks_)
    expected = values[:, model.pairs_[:, 0]] - values[:, model.pairs_[:, 1]]
    np.testing.assert_allclose(model.transform(WORDS), expected / np.sqrt(7), rtol=1e-6)


def test_several_measures_stand_side_by_side():
    both = ["levenshtein", Levenshtein().normalised()]
    model = LandmarkMap(both, n_landmarks=4, transfer="identity", scale=False, random_state=0)
    model.fit(WORDS)
    parts = [m.cross(WORDS, model.landmarks_) for m in model.measures_]
    np.testing.assert_allclose(
        model.transform(WORDS), np.concatenate(parts, axis=1) / np.sqrt(8), rtol=1e-6
    )
    assert len(set(model.get_feature_names_out())) == 8


def test_asymmetric_measures_keep_their_order():
    model = LandmarkMap(
        Custom(lambda x, landmark: len(x) - 10 * len(landmark)),
        landmarks=["a", "bbb"],
        transfer="identity",
        scale=False,
    ).fit(WORDS)
    np.testing.assert_allclose(model.transform(["cc"]) * np.sqrt(2), [[2 - 10, 2 - 30]], rtol=1e-6)


def test_too_few_objects_warns_only_if_a_number_was_given():
    assert LandmarkMap("levenshtein").fit(WORDS).n_landmarks_ == 24
    with pytest.warns(UserWarning, match="only 24 different objects"):
        assert LandmarkMap("levenshtein", n_landmarks=99).fit(WORDS).n_landmarks_ == 24


@pytest.mark.parametrize("n", [0, -3, 2.5])
def test_bad_numbers_are_named(n):
    with pytest.raises(ValueError, match="n_landmarks must be a whole number"):
        LandmarkMap("levenshtein", n_landmarks=n).fit(WORDS)


def test_nothing_is_evaluated_before_validation():
    calls = []

    def noisy(a, b):
        calls.append(1)
        return 0.0

    with pytest.raises(ValueError, match="n_landmarks"):
        LandmarkMap(Custom(noisy), n_landmarks=0).fit(WORDS)
    assert not calls


def test_a_subset_computes_no_others():
    calls = []

    def distance(a, b):
        calls.append((a, b))
        return abs(len(a) - len(b))

    model = LandmarkMap(
        Custom(distance, kind="distance", vectorised=False), n_landmarks=8, random_state=0
    ).fit(WORDS)
    whole = model.transform(WORDS)
    columns = np.array([5, 2])
    part = model.subset(columns)
    calls.clear()
    np.testing.assert_allclose(part.transform(WORDS), whole[:, columns], rtol=1e-6)
    assert len(calls) == 2 * 24
    assert part.get_feature_names_out().tolist() == model.get_feature_names_out()[columns].tolist()
    pairs = LandmarkMap("levenshtein", landmarks="pairs", n_landmarks=6, transfer="sign").fit(
        WORDS, Y
    )
    np.testing.assert_array_equal(
        pairs.subset(np.array([1, 4])).transform(WORDS), pairs.transform(WORDS)[:, [1, 4]]
    )
    with pytest.raises(ValueError, match="belong to one landmark each"):
        LandmarkMap("levenshtein", transfer="whitening", n_landmarks=3).fit(WORDS).subset(columns)


def test_square_and_rectangular_precomputed(rng):
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] > 0).astype(int)
    D = Euclidean().cross(X)

    def model(measure):
        bearings = LandmarkMap(measure, n_landmarks=10, transfer="identity", random_state=0)
        return make_pipeline(bearings, LogisticRegression())

    scores = cross_val_score(model(Precomputed(kind="distance")), D, y)
    np.testing.assert_allclose(scores, cross_val_score(model("euclidean"), X, y))
    thin = LandmarkMap(Precomputed(square=False), random_state=0).fit(D[:, :7])
    assert thin.n_landmarks_ == 7
    assert cross_val_score(model(Precomputed(square=False)), D[:, :7], y).min() > 0.5


def test_grid_search_over_a_measures_parameters():
    model = make_pipeline(
        LandmarkMap(DTW(), n_landmarks=5, random_state=0), LogisticRegression(max_iter=500)
    )
    grid = {"landmarkmap__measure__window": [None, 0.5], "landmarkmap__measure": [DTW()]}
    search = GridSearchCV(model, grid, cv=2).fit(np.asarray(rng.normal(size=(24, 8))), Y)
    assert "landmarkmap__measure__window" in search.best_params_


def test_a_pickle_holds_landmarks_not_plans():
    model = LandmarkMap("levenshtein", n_landmarks=5, random_state=0).fit(WORDS * 100)
    model.transform(WORDS)
    assert len(pickle.dumps(model)) < 6000


def test_evaluations_are_counted():
    model = LandmarkMap("levenshtein", n_landmarks=5, random_state=0).fit(WORDS)
    assert model.n_evaluations_ == 24 * 5  # the pilot that fits the transfer
    spread = LandmarkMap("levenshtein", n_landmarks=5, landmarks="farthest").fit(WORDS)
    assert spread.n_evaluations_ == 24 * 5 + 24 * 4


def test_measure_is_fitted_once():
    X = OBJECTS["gaussian"]
    model = LandmarkMap(Gaussian(), n_landmarks=4, random_state=0).fit(X)
    assert isinstance(model.measures_[0].width, float)
    np.testing.assert_allclose(model.transform(X[:3]), model.transform(X)[:3], rtol=1e-5)


@pytest.mark.parametrize("budget", [0, 100, 1 << 20])
def test_mapped_features_equal_transform(budget, settings_of):
    settings_of(feature_bytes=4 * 5 * 7)  # seven rows a block
    model = LandmarkMap("levenshtein", n_landmarks=5, scale=False, random_state=0).fit(WORDS)
    X = model.measures_[0].domain.ingest(WORDS)
    expected = model.transform(WORDS)
    features = CachedFeatures(model, X, budget=budget)
    for turn in range(2):
        with sm.engine.counting() as counter:
            blocks = list(features.chunks())
        assert [rows.start for rows, _ in blocks] == [0, 7, 14, 21]
        np.testing.assert_allclose(np.concatenate([b for _, b in blocks]), expected, rtol=1e-6)
        if turn:
            recomputed = {0: 120, 100: 35, 1 << 20: 0}[budget]
            assert counter.evaluations == recomputed
    np.testing.assert_allclose(features.rows(np.array([3, 1])), expected[[3, 1]], rtol=1e-6)


def test_all_transfers_share_one_budget_of_memory(settings_of):
    settings_of(feature_bytes=4 * 5 * 7)  # seven rows a block
    model = LandmarkMap("levenshtein", n_landmarks=5, random_state=0).fit(WORDS)
    features = CachedFeatures(model, model.measures_[0].domain.ingest(WORDS), budget=40)
    for _ in range(3):
        list(features.with_transfers(model.transfers_).chunks())
    with sm.engine.counting() as counter:
        list(features.chunks())
    assert counter.evaluations == 24 * 5 - 7 * 5  # one block fits


@pytest.mark.parametrize(
    "options",
    [{}, {"landmarks": "pairs"}, {"measure": ["manhattan", "euclidean"]}, {"passthrough": True}],
)
def test_fitting_and_transforming_at_once_evaluates_every_value_once(
    options, settings_of, monkeypatch, rng
):
    settings_of(feature_bytes=4 * 10 * 13)  # several blocks
    monkeypatch.setattr("seamark.maps.landmark.PILOT_ROWS", 20)
    X, y = rng.normal(size=(50, 3)), np.arange(50) % 2
    settings = {"measure": "manhattan", "n_landmarks": 10, "random_state": 0} | options
    with sm.engine.counting() as counter:
        features = LandmarkMap(**settings).fit_transform(X, y)
    model = LandmarkMap(**settings).fit(X, y)
    assert counter.evaluations == 50 * len(model.landmarks_) * len(model.measures_)
    np.testing.assert_array_equal(features, model.transform(X))


class Watched(sm.measures.Euclidean):
    """Tells how many jobs it was given each time it is evaluated."""

    seen: ClassVar[list] = []

    def compile(self, L):
        plan = super().compile(L)
        fill = plan.fill

        def watched(X, out, stop):
            Watched.seen.append(sm.engine.settings().n_jobs)
            fill(X, out, stop)

        plan.fill = watched
        return plan


@pytest.mark.parametrize("landmarks", ["uniform", "diverse", "farthest"])
def test_n_jobs_reaches_every_evaluation_of_a_fit(landmarks):
    X = np.random.default_rng(0).normal(size=(30, 2))
    Watched.seen.clear()
    sm.LandmarkMap(Watched(), n_landmarks=4, landmarks=landmarks, n_jobs=1).fit(X)
    assert set(Watched.seen) == {1}


@pytest.mark.parametrize("landmarks", ["uniform", "pairs"])
def test_known_values_make_the_same_map_without_an_evaluation(landmarks):
    fitted = LandmarkMap("levenshtein", n_landmarks=5, landmarks=landmarks, random_state=0)
    fitted.set_params(scale=False).fit(WORDS, Y)
    chosen = Landmarks(fitted.landmarks_, fitted.landmark_sources_, fitted.pairs_)
    values = sm.cross("levenshtein", WORDS, fitted.landmarks_)
    with sm.engine.counting() as counter:
        known = LandmarkMap("levenshtein", scale=False).fit_known(chosen, values)
    assert counter.evaluations == 0
    assert repr(known.transfers_) == repr(fitted.transfers_)
    np.testing.assert_array_equal(known.transform(WORDS), fitted.transform(WORDS))
