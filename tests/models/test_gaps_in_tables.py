"""Gaps in tables are told, filled, and say nothing else."""

import numpy as np
import pandas as pd
import pytest
from test_mixed_tables import CODES, TABLE

import seamark as sm
from seamark.maps import LandmarkMap, WithGaps
from seamark.models.tables import single_measures


def test_a_gap_is_told_and_says_nothing_else():
    """Rows without a name are of one class, and their other features are those of the mean."""
    frame = TABLE[["name", "price"]].copy()
    codes = np.where(frame["name"].isna(), 1, 0)
    model = sm.LandmarkClassifier({"name": "levenshtein"}, n_landmarks=20, random_state=0)
    model.fit(frame[:160], codes[:160])
    assert model.score(frame[160:], codes[160:]) == 1.0
    column = model.map_.maps_[0]
    block = column.block(column.ingest(pd.Series(["abc", None])))
    np.testing.assert_allclose(block[1, :-1], column.gap_features_)
    np.testing.assert_array_equal(block[:, -1], [0, 1])
    assert model.explain(frame[codes == 1][:1])[0].reasons[0].landmark == "missing"


def test_a_gap_that_comes_later_moves_nothing():
    frame = TABLE[["name"]].dropna().reset_index(drop=True)
    y = frame["name"].str.count("a").to_numpy(float)
    model = sm.LandmarkRegressor({"name": "levenshtein"}, n_landmarks=30, random_state=0)
    model.fit(frame, y)
    assert "missing" not in str(model.map_.get_feature_names_out())
    empty = model.predict(pd.DataFrame({"name": [None, None]}, dtype=object))
    np.testing.assert_allclose(empty, y.mean(), rtol=0.05)


def test_passthrough_fills_gaps_with_medians():
    frame = TABLE[["price"]]
    model = sm.LandmarkRegressor({"price": "passthrough"}, random_state=0)
    model.fit(frame, frame["price"].fillna(10.0))
    found = model.predict(pd.DataFrame({"price": [0.5, np.nan]}))
    np.testing.assert_allclose(found, [0.5, 10.0], atol=0.2)


def test_weighing_drops_features_of_columns_with_gaps():
    model = sm.LandmarkClassifier(
        single_measures(TABLE), n_landmarks=20, weighing=sm.Greedy(6), random_state=0
    ).fit(TABLE, CODES)
    assert model.map_.n_features_out_ == 6
    assert model.score(TABLE, CODES) > 0.85
    model.explain(TABLE[:3])


def test_any_subset_of_a_column_with_gaps():
    column = WithGaps(LandmarkMap("levenshtein", n_landmarks=5, random_state=0))
    column.fit(TABLE["name"])
    objects = column.ingest(TABLE["name"])
    whole = column.block(objects)
    for some in ([5], [5, 2], [0, 5, 4], [3, 1], list(range(6))):
        np.testing.assert_array_equal(column.subset(np.array(some)).block(objects), whole[:, some])
    turned = column.subset(np.array([5, 3, 0])).subset(np.array([1, 0]))
    np.testing.assert_array_equal(turned.block(objects), whole[:, [3, 5]])
    sources = column.landmark_sources_
    left = column.columns_without(sources[[1, 3]])
    np.testing.assert_array_equal(left, [0, 2, 4, 5])
    with pytest.raises(ValueError, match="all its objects are missing"):
        WithGaps(LandmarkMap("levenshtein")).fit([None, None])


def test_what_stands_in_for_a_gap_is_no_landmark_of_its_row():
    names = ["sea", None, "mark", "see", None, "make"] * 5
    y = np.array(["sea", "gap", "mark", "sea", "gap", "mark"] * 5)
    frame = pd.DataFrame({"name": names, "size": np.arange(30.0)})
    for seed in range(5):
        by = {"name": "levenshtein", "size": "passthrough"}
        model = sm.LandmarkClassifier(by, random_state=seed).fit(frame, y)
        rows, labels = model.landmark_indices_[0], model.landmark_labels_[0]
        assert [names[row] for row in rows] == list(map(str, model.landmarks_[0]))
        assert "gap" not in labels
        column = WithGaps(LandmarkMap("levenshtein", random_state=seed)).fit(names)
        assert [names[row] for row in column.landmark_sources_] == list(map(str, column.landmarks_))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_frame_of_numbers_may_have_gaps(library):
    frame_of = pytest.importorskip(library).DataFrame
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = X[:, 0] + X[:, 1] > 0
    X[rng.random((300, 3)) < 0.1] = np.nan
    tables = [frame_of(dict(zip("abc", part.T, strict=True))) for part in (X[:200], X[200:])]
    model = sm.LandmarkClassifier(random_state=0).fit(tables[0], y[:200])
    assert model.score(tables[1], y[200:]) > 0.85
    with pytest.raises(ValueError, match="Fill or drop it, or pass a DataFrame without measure="):
        sm.LandmarkClassifier(random_state=0).fit(X, y)
