"""Masked cells are missing: filled where missing values are, and else refused."""

import numpy as np
import pytest

import seamark as sm
from seamark.data import Amounts

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Y = (X[:, 0] > 0).astype(int)


def masked(array):
    """The same with a hidden value in row 2."""
    hidden = np.ma.array(array, mask=np.zeros(np.shape(array), dtype=bool))
    hidden[2] = np.ma.masked
    return hidden


@pytest.mark.parametrize("measure", ["euclidean", "dtw", "precomputed", "auto"])
def test_masked_numbers_are_refused(measure):
    data = np.abs(X @ X.T) if measure == "precomputed" else X
    model = sm.LandmarkClassifier(measure, n_landmarks=5, random_state=0)
    with pytest.raises(ValueError, match=r"in row 2\.|2 has no value") as said:
        model.fit(masked(data), Y)
    assert "\n" not in str(said.value)
    model.fit(np.ma.array(data), Y)  # nothing is masked
    with pytest.raises(ValueError, match="NaN"):
        model.predict(masked(data))


def test_masked_steps_of_series_are_missing():
    items = [np.ma.array([0.0, 9.0, 1.0], mask=[False, True, False]), np.array([0.0, 2.0])]
    assert sm.cross("dtw", items)[0, 1] == 1


def test_masked_items_of_a_list_are_refused():
    items = [np.ma.array(RNG.normal(size=(4, 2))) for _ in range(4)]
    items[2][1, 1] = np.ma.masked
    with pytest.raises(ValueError, match=r"in (set|row) [02]|2\. Fill"):
        sm.cross("hausdorff", items)
    with pytest.raises(ValueError, match=r"in (set|row) [02]|2\. Fill"):
        sm.cross("euclidean", [item[0] if i != 2 else item[1] for i, item in enumerate(items)])


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (sm.LandmarkClassifier("euclidean"), Y),
        (sm.LandmarkClassifier("euclidean"), np.array(["no", "yes"])[Y]),
        (sm.LandmarkClassifier("euclidean"), np.column_stack([Y, 1 - Y])),
        (sm.LandmarkRegressor("euclidean"), X[:, 1]),
        (sm.LandmarkRegressor("euclidean"), X[:, :2]),
        (sm.LandmarkOrdinal("euclidean"), Y),
        (sm.LandmarkClassifier(["euclidean", "manhattan"]), Y),
    ],
    ids=lambda one: type(one).__name__,
)
def test_masked_targets_are_refused(model, y):
    with pytest.raises(ValueError, match=r"y\[2(, 0)?\] is missing"):
        model.fit(X, masked(y))


@pytest.mark.parametrize(
    ("model", "y"),
    [
        (sm.LandmarkClassifier("euclidean"), Y),
        (sm.LandmarkRegressor("euclidean"), X[:, 1]),
        (sm.LandmarkOrdinal("euclidean"), Y),
    ],
    ids=lambda one: type(one).__name__,
)
def test_scores_on_masked_targets_are_refused(model, y):
    model.fit(X, y)
    with pytest.raises(ValueError, match=r"y\[2\] is missing"):
        model.score(X, masked(y))


def test_masked_queries_and_grades_are_refused():
    queries, model = np.repeat(np.arange(10), 4), sm.LandmarkRanker("euclidean")
    with pytest.raises(ValueError, match="qid of document 2 is missing"):
        model.fit(X, Y, qid=masked(queries))
    with pytest.raises(ValueError, match="2"):
        model.fit(X, masked(Y), qid=queries)
    with pytest.raises(ValueError, match="relevance of document 2"):
        model.fit(X, Y, qid=queries).score(X, masked(Y), qid=queries)


def test_masked_targets_of_assess_and_streams_are_refused():
    with pytest.raises(ValueError, match=r"y\[2\] is missing"):
        sm.assess("euclidean", X, masked(Y))
    with pytest.raises(ValueError, match=r"y\[2\] is missing"):
        sm.LandmarkClassifier("euclidean").partial_fit(X, masked(Y), classes=[0, 1])
    with pytest.raises(ValueError, match="missing|NaN"):
        sm.online.AUCClassifier().fit(X, masked(Y))
    with pytest.raises(ValueError, match="NaN"):
        sm.online.AUCClassifier().fit(masked(X), Y)


def test_masked_weights_are_refused():
    with pytest.raises(ValueError, match="sample_weight contains NaN"):
        sm.LandmarkRegressor("euclidean").fit(X, X[:, 0], sample_weight=masked(np.ones(40)))


def test_masked_cells_of_columns_are_missing():
    found = Amounts().ingest(masked(np.arange(8).reshape(4, 2)))
    np.testing.assert_array_equal(found, [[0, 1], [2, 3], [np.nan, np.nan], [6, 7]])
    np.testing.assert_array_equal(sm.data.missing_in(masked(Y)), np.arange(40) == 2)
