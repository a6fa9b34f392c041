"""Bad targets, negative distances and odd parameters: one sentence; warnings at the user's line."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score

import seamark as sm
from seamark.baselines import JointFeatureSVM, KernelRegression, NearestNeighboursClassifier
from seamark.maps import MapUnion
from seamark.measures import Custom, Gaussian, Precomputed
from seamark.online import AUCClassifier

N = 20
y = np.arange(N) % 2
WORDS = ["ab" * (1 + i % 4) + "xy"[i % 2] * (1 + i % 5) for i in range(N)]
POINTS = np.random.default_rng(0).normal(size=(N, 2)) + y[:, None]
CLASSIFIERS = [
    sm.LandmarkClassifier("levenshtein"),
    sm.LandmarkOrdinal("levenshtein"),
    NearestNeighboursClassifier("levenshtein"),
    AUCClassifier(sm.LandmarkMap("levenshtein")),
    sm.Aligned(sm.LandmarkMap("levenshtein")),
]
REGRESSORS = [sm.LandmarkRegressor("levenshtein"), KernelRegression("levenshtein")]


def kind(model):
    return type(model).__name__


@pytest.mark.parametrize("model", [*CLASSIFIERS, *REGRESSORS], ids=kind)
@pytest.mark.parametrize("missing", [None, np.nan, pd.NA], ids=repr)
def test_missing_targets_are_named(model, missing):
    targets = np.array([0, 1, 0, missing, *y[4:]], dtype=object)
    with pytest.raises(ValueError, match=r"y\[3\] is missing \(.*\); give every object a target"):
        model.fit(WORDS, targets)


@pytest.mark.parametrize("model", [*CLASSIFIERS, *REGRESSORS], ids=kind)
def test_complex_targets(model):
    with pytest.raises(ValueError, match="y holds complex numbers, such as 1j, .* give real ones"):
        model.fit(WORDS, y + 1j)


@pytest.mark.parametrize("model", REGRESSORS, ids=kind)
@pytest.mark.parametrize(
    ("targets", "message"),
    [
        (y.astype(str), "y holds strings, such as '0', .* or take a classifier"),
        (list(y.astype(str)), "y holds strings"),
        (pd.Series(y.astype(str)), "y holds strings"),
        (pd.date_range("2020", periods=N), "y holds dates, such as 2020-01-01"),
    ],
    ids=["array", "list", "column", "dates"],
)
def test_numbers_are_needed(model, targets, message):
    with pytest.raises(ValueError, match=message):
        model.fit(WORDS, targets)


@pytest.mark.parametrize(
    ("targets", "task", "message"),
    [
        (y + 1j, "auto", "y holds complex numbers"),
        (y.astype(str), "regression", "y holds strings, such as '0'"),
        ([pd.NA, *y[1:]], "auto", r"y\[0\] is missing \(<NA>\)"),
    ],
)
def test_assess_reads_y_alike(targets, task, message):
    with pytest.raises(ValueError, match=message):
        sm.assess("levenshtein", WORDS, targets, task=task)


# Negative distances


def longer_by(a, b):
    return float(len(a) - len(b))


@pytest.mark.parametrize(
    "model", [sm.LandmarkMap, sm.LandmarkClassifier, sm.LandmarkRegressor], ids=lambda m: m.__name__
)
def test_a_negative_distance_is_named(model):
    X = ["aaaa", "aaaaa", "aaa", "aaaaaa"] * 5
    measure = Custom(longer_by, kind="distance")
    message = r"Custom\(longer_by, kind='distance'\) gives row 2 of X and landmark 1 the negative "
    with pytest.raises(ValueError, match=message + "distance -3; .*similarity"):
        model(measure, landmarks=["aa", "aaaaaa", "a"], random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="rows? .* negative distance"):
        model(Precomputed(kind="distance"), random_state=0).fit(np.eye(N) - 1, y)
    assert model(measure, transfer="identity", random_state=0).fit(X, y)


def test_a_negative_distance_of_a_new_object_is_named():
    measure = Custom(lambda a, b: float(a) if a < 0 else abs(a - b), kind="distance")
    model = sm.LandmarkRegressor(measure, transfer="decay", random_state=0)
    model.fit(list(range(N)), y)
    with pytest.raises(ValueError, match="row 1 of X and landmark 0 the negative distance -7"):
        model.predict([3, -7])
    with pytest.raises(ValueError, match="row 1 of X and landmark 0 the negative distance -7"):
        model.explain([3, -7])


def test_rows_beyond_the_pilot_keep_their_numbers(monkeypatch):
    monkeypatch.setattr("seamark.maps.landmark.PILOT_ROWS", 5)
    monkeypatch.setattr("seamark.models.base.PILOT_ROWS", 5)
    D = np.abs(np.subtract.outer(np.arange(40.0), np.arange(3.0)))
    seen = sm.LandmarkMap(Precomputed(square=False, kind="distance"), random_state=0)
    rows = np.sort(np.random.default_rng(0).permutation(40))
    for row in rows:
        bad = D.copy()
        bad[row, 2] = -1
        with pytest.raises(ValueError, match=f"gives row {row} of X and landmark 2 the negative"):
            seen.fit_transform(bad)


def test_rounding_and_declared_bounds_are_no_negative_distances():
    rounded = np.abs(np.subtract.outer(np.arange(20.0), np.arange(20.0))) - 1e-6
    assert sm.LandmarkRegressor(Precomputed(kind="distance"), random_state=0).fit(rounded, y)
    assert sm.LandmarkRegressor(Gaussian().negated(), random_state=0).fit(POINTS, y)


# Parameters


@pytest.mark.parametrize("n_jobs", [1.5, "2", True])
def test_jobs_are_whole(n_jobs):
    message = f"n_jobs must be a whole number, or None, not {n_jobs!r}"
    for measure, X in (("levenshtein", WORDS), ("canberra", POINTS), (Custom(longer_by), WORDS)):
        with pytest.raises(ValueError, match=message):
            sm.cross(measure, X, n_jobs=n_jobs)
    with pytest.raises(ValueError, match=message):
        sm.LandmarkClassifier("levenshtein", n_jobs=n_jobs).fit(WORDS, y)
    assert sm.cross("levenshtein", WORDS, n_jobs=np.int64(2)).shape == (N, N)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (MapUnion("levenshtein"), r"maps='levenshtein' is no list of maps; give e.g. \[Landmark"),
        (MapUnion(["dtw"]), r"maps\[0\]='dtw' is no map; give one, such as LandmarkMap\('dtw'\)"),
        (MapUnion(sm.LandmarkMap("dtw")), r"is no list of maps; give e.g. \[LandmarkMap\("),
        (JointFeatureSVM("levenshtein"), "map='levenshtein' is no map; give one, such as Landm"),
        (JointFeatureSVM(7), r"map=7 is no map; give one, such as LandmarkMap\(measure\)"),
        (sm.Aligned("levenshtein"), "map='levenshtein' is no map"),
        (AUCClassifier("levenshtein"), "map='levenshtein' is no map"),
        (JointFeatureSVM(sm.LandmarkMap), "is no map"),
    ],
    ids=repr,
)
def test_a_name_is_no_map(model, message):
    assert repr(model)
    assert model.get_params()
    with pytest.raises(TypeError, match=message):
        model.fit(WORDS, y)


def test_a_joint_svm_before_fit_and_with_other_lengths():
    for method in ("predict", "decision_function"):
        with pytest.raises(NotFittedError):
            getattr(JointFeatureSVM(), method)(POINTS)
    for X, targets in ((POINTS, y[:-1]), (POINTS[:-1], y)):
        with pytest.raises(ValueError, match=rf"X has {len(X)} objects and y has {len(targets)}"):
            JointFeatureSVM(random_state=0).fit(X, targets)


# Warnings


def warned(call):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        call()
    return seen


@pytest.mark.parametrize("model", [sm.LandmarkMap, sm.LandmarkClassifier], ids=lambda m: m.__name__)
def test_too_many_landmarks_are_told_once_at_the_users_line(model):
    asking = model("levenshtein", n_landmarks=50, random_state=0)
    [one] = warned(lambda: asking.fit(WORDS, y))
    assert one.filename == __file__
    assert "n_landmarks=50, but there are only 20 different objects" in str(one.message)


def test_folds_do_not_repeat_it():
    model = sm.LandmarkClassifier("levenshtein", n_landmarks=50, random_state=0)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("default")
        warnings.filterwarnings("ignore", message="of others")  # says nothing of this one
        for _ in range(2):  # folds of 14 and 15 rows
            cross_val_score(model, WORDS[:-1], y[:-1], cv=4)
    [one] = seen
    assert one.filename == __file__
    every = warned(lambda: cross_val_score(model, WORDS, y, cv=4))
    assert len(every) == 4  # of those who ask for all
    assert len({(w.filename, w.lineno) for w in every}) == 1


@pytest.mark.parametrize("n", [2, 3])
def test_so_few_rows_are_told(n):
    for model in (sm.LandmarkClassifier, sm.LandmarkRegressor):
        [one] = warned(lambda m=model: m("levenshtein").fit(WORDS[:n], y[:n]))
        assert one.filename == __file__
        assert f"X has only {n} objects; tuning and predictions on so few" in str(one.message)
    assert not warned(lambda: sm.LandmarkClassifier("levenshtein").fit(WORDS[:4], y[:4]))


def test_a_pair_without_a_path_is_named_by_the_users_row(settings_of):
    settings_of(feature_bytes=4 * 5 * 100)  # a hundred rows a block
    walks = list(np.random.default_rng(0).normal(size=(300, 8)))
    model = sm.LandmarkClassifier(sm.measures.DTW(window=2), n_landmarks=5, random_state=0)
    model.fit(walks, np.arange(300) % 2)
    for row in (7, 250):  # among few objects, and in the third block of many
        new = [*walks[:row], np.zeros(20), *walks[:5]]
        with pytest.raises(ValueError, match=f"no path between series {row} and landmark"):
            model.predict(new)


def test_a_function_that_fails_in_a_later_block_is_named_by_the_users_row(settings_of):
    settings_of(feature_bytes=4 * 5 * 100)

    def gap(x, y):
        if x == 1000:
            raise ValueError("too far")
        return abs(x - y)

    measure = sm.measures.Custom(gap, kind="distance", vectorised=False)
    model = sm.LandmarkClassifier(measure, n_landmarks=5, random_state=0)
    model.fit(list(range(300)), np.arange(300) // 150)
    with pytest.raises(sm.engine.MeasureError, match="row 230 of X"):
        model.predict([*range(230), 1000, *range(9)])


def test_a_dict_of_objects_by_name_is_told_from_one_of_columns():
    named = {f"id{k}": word for k, word in enumerate(WORDS)}
    for X in (named, {name: [1.0, 2.0, 3.0] for name in named}):
        with pytest.raises(ValueError, match=r"keys are columns.*give list\(X.values\(\)\)"):
            sm.LandmarkClassifier().fit(X, y)
    with pytest.raises(TypeError, match="X is a dict; give a 2-D array"):
        sm.assess("euclidean", {name: [1.0, 2.0] for name in named}, y)
    table = {"word": WORDS, "size": [float(len(word)) for word in WORDS]}
    assert len(sm.LandmarkClassifier(random_state=0).fit(table, y).predict(table)) == N


def test_a_single_row_of_a_frame_is_asked_for_as_a_table():
    table = pd.DataFrame({"word": WORDS, "size": [len(word) for word in WORDS]})
    model = sm.LandmarkClassifier(random_state=0).fit(table, y)
    with pytest.raises(TypeError, match=r"a table of one row, such as table.iloc\[\[0\]\]"):
        model.predict(table.iloc[0])
    assert model.predict(table.iloc[[0]]).shape == (1,)
