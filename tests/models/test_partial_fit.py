"""Rows that come in blocks: the same model as of all rows at once, and what may not come."""

import numpy as np
import pytest

import seamark as sm
from seamark.data import hashes
from seamark.linear_model import RidgeClassifier, RidgeRegressor
from seamark.linear_model.ridge_fit import hashed_folds

RNG = np.random.default_rng(2)
X = RNG.normal(size=(900, 3))
Y = np.sin(X[:, 0]) + X[:, 1] + 0.1 * RNG.normal(size=900)
CODES = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0.5)
GIVEN = X[:40] + 0.01  # no rows of X: all models may use them
BLOCKS = [slice(0, 400), slice(400, 500), slice(500, 900)]


def folds_of(model):
    return hashed_folds(hashes(X), model.incremental_.seed, model.incremental_.n_folds)


@pytest.mark.parametrize("weighted", [False, True])
def test_sums_of_blocks_are_the_fit_to_all_rows(weighted):
    w = RNG.uniform(0.5, 2.0, size=900) if weighted else None
    model = sm.LandmarkRegressor("euclidean", landmarks=GIVEN, random_state=0)
    for rows in BLOCKS:
        model.partial_fit(X[rows], Y[rows], None if w is None else w[rows])
    features = model.map_.block(model.map_.ingest(X))
    whole = RidgeRegressor(cv=folds_of(model), precision="double").fit(features, Y, w)
    assert model.head_.penalty_ == pytest.approx(whole.penalty_, rel=1e-6)
    np.testing.assert_allclose(model.predict(X), whole.predict(features), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(
        model.head_.cv_results_["mean_error"].min(),
        whole.cv_results_["mean_error"].min(),
        rtol=1e-5,
    )


def test_order_and_number_of_blocks_change_nothing():
    def learned(blocks):
        model = sm.LandmarkRegressor("euclidean", landmarks=GIVEN, transfer="identity")
        model.set_params(random_state=0)
        for rows in blocks:
            model.partial_fit(X[rows], Y[rows])
        return model.predict(X)

    few = learned(BLOCKS)
    many = learned([slice(0, 400), *(slice(k, k + 50) for k in range(400, 900, 50))])
    np.testing.assert_allclose(few, many, rtol=1e-6, atol=1e-6)


def test_classes_before_calibration_are_those_of_all_rows():
    head = RidgeClassifier(calibrate=False)
    model = sm.LandmarkClassifier("euclidean", landmarks=GIVEN, head=head, random_state=0)
    for rows in BLOCKS:
        model.partial_fit(X[rows], CODES[rows])
    features = model.map_.block(model.map_.ingest(X))
    whole = RidgeClassifier(cv=folds_of(model), calibrate=False, precision="double")
    whole.fit(features, CODES)
    np.testing.assert_allclose(
        model.decision_function(X), whole.decision_function(features), rtol=1e-4, atol=1e-4
    )


def test_landmarks_are_hidden_from_their_own_fold():
    model = sm.LandmarkRegressor("euclidean", n_landmarks=50, random_state=0)
    model.partial_fit(X[:400], Y[:400]).partial_fit(X[400:], Y[400:])
    folds = folds_of(model)[:400][model.landmark_indices_]
    for k, columns in enumerate(model.incremental_.hidden):
        np.testing.assert_array_equal(columns, np.flatnonzero(folds != k))
    assert model.score(X, Y) > 0.97


def test_classes_may_come_later_if_they_are_announced(tmp_path):
    names = np.array(["low", "mid", "top"])[CODES]
    early = np.flatnonzero(names != "top")[:300]
    rest = np.setdiff1d(np.arange(900), early)
    model = sm.LandmarkClassifier("euclidean", n_landmarks=60, random_state=0)
    model.partial_fit(X[early], names[early], classes=["low", "mid", "top"])
    assert model.classes_.tolist() == ["low", "mid"]
    assert model.predict_proba(X[:5]).shape == (5, 2)
    sm.save(model, tmp_path / "m")
    for one in (model, sm.load(tmp_path / "m")):
        one.partial_fit(X[rest], names[rest])
        assert one.classes_.tolist() == ["low", "mid", "top"]
        assert one.score(X, names) > 0.9
        np.testing.assert_allclose(one.predict_proba(X).sum(axis=1), 1.0)
    strange = sm.LandmarkClassifier("euclidean", random_state=0).partial_fit(X[early], names[early])
    with pytest.raises(ValueError, match="class 'top', which is not among .* classes="):
        strange.partial_fit(X[rest], names[rest])


def test_a_new_fit_begins_anew():
    model = sm.LandmarkRegressor("euclidean", n_landmarks=20, random_state=0)
    model.partial_fit(X[:400], Y[:400]).partial_fit(X[400:], Y[400:]).fit(X[:300], Y[:300])
    assert not hasattr(model, "incremental_")
    again = sm.LandmarkRegressor("euclidean", n_landmarks=20, random_state=0).fit(X[:300], Y[:300])
    np.testing.assert_array_equal(model.predict(X), again.predict(X))


def test_blocks_of_a_table_and_strings():
    import pandas as pd

    words = ["".join(RNG.choice(list("abc"), RNG.integers(3, 8))) for _ in range(600)]
    frame = pd.DataFrame({"name": words, "size": RNG.normal(size=600)})
    y = frame["name"].str.count("a") + frame["size"]
    columns = {"name": "levenshtein", "size": "passthrough"}
    model = sm.LandmarkRegressor(columns, n_landmarks=60, random_state=0)
    for rows in (slice(0, 200), slice(200, 400), slice(400, 500)):
        model.partial_fit(frame[rows], y[rows])
    assert model.score(frame[500:], y[500:]) > 0.9
    first = sm.LandmarkRegressor(columns, n_landmarks=60, random_state=0)
    assert model.score(frame[500:], y[500:]) > first.fit(frame[:200], y[:200]).score(
        frame[500:], y[500:]
    )
    ends = model.predict_interval(frame[500:])
    assert np.mean((ends[:, 0] <= y[500:]) & (y[500:] <= ends[:, 1])) > 0.75


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"head": "svr"}, 'keeps none; take head="ridge"'),
        ({"n_landmarks": "cv"}, "chooses its columns"),
        ({"head": RidgeRegressor(cv=np.arange(400) % 3)}, "deals folds itself"),
    ],
)
@pytest.mark.filterwarnings("ignore:Liblinear")
def test_what_cannot_be_added_up(options, message):
    model = sm.LandmarkRegressor("euclidean", random_state=0, **options)
    with pytest.raises(ValueError, match=message):
        model.partial_fit(X[:400], Y[:400])


def test_balanced_classes_are_not_known_before_all_came():
    model = sm.LandmarkClassifier("euclidean", class_weight="balanced", random_state=0)
    with pytest.raises(ValueError, match="needs all rows at once; give a dict"):
        model.partial_fit(X, CODES)


@pytest.mark.parametrize("seed", range(12))
def test_few_first_rows_leave_no_fold_empty(seed):
    # Of 15 rows dealt to 5 folds by a hash, one fold is empty about every sixth time.
    X, y = np.random.default_rng(seed).normal(size=(15, 3)), np.arange(15) % 3
    model = sm.LandmarkClassifier("manhattan", random_state=seed)
    model.partial_fit(X, y).partial_fit(X + 1, y)
    assert model.incremental_.n_rows == 30
    assert set(model.predict(X)) <= {0, 1, 2}
