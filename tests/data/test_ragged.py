import pickle

import joblib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from seamark.data import Ragged, series, sets, strings

texts = st.lists(st.text(max_size=6), min_size=1, max_size=12)


def same(a, b):
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


@given(texts, st.data())
def test_indexing_is_that_of_a_list(items, data):
    X = strings.ingest(items)
    n = len(items)
    assert list(X) == items
    assert [X[i] for i in range(-n, n)] == [items[i] for i in range(-n, n)]
    rows = data.draw(st.lists(st.integers(-n, n - 1), max_size=20))
    assert list(X[rows]) == [items[i] for i in rows]
    assert list(X[np.array(rows, dtype=int), ...]) == [items[i] for i in rows]
    mask = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    assert list(X[mask]) == [s for s, keep in zip(items, mask, strict=True) if keep]
    part = data.draw(st.slices(n))
    assert list(X[part]) == items[part]
    assert list(X[part][::-1]) == items[part][::-1]


def test_index_out_of_range_names_it():
    with pytest.raises(IndexError, match="index 3 is out of range for 2"):
        strings.ingest(["a", "b"])[3]


def test_a_slice_is_a_view_and_an_item_too():
    X = series.ingest(np.arange(12.0).reshape(3, 4))
    assert np.shares_memory(X[1:].values, X.values)
    assert np.shares_memory(X[1], X.values)


def test_ingesting_a_matrix_of_series_copies_nothing():
    A = np.random.default_rng(0).normal(size=(5, 7))
    assert np.shares_memory(series.ingest(A).values, A)


def test_frozen_but_the_users_array_stays_writeable():
    A = np.zeros((2, 3))
    X = series.ingest(A)
    with pytest.raises(ValueError, match="read-only"):
        X.values[0, 0] = 1
    with pytest.raises(AttributeError):
        X.values = A
    A[0, 0] = 1.0


@pytest.mark.parametrize(
    "X",
    [
        strings.ingest(["añb", "", "🐟"]),
        strings.ingest([b"ab", b""]),
        series.ingest([[1.0, 2.0], [3.0]]),
        series.ingest([np.ones((2, 3)), np.zeros((2, 1))]),
        sets.ingest([np.ones((2, 3)), np.zeros((1, 3))]),
    ],
    ids=repr,
)
def test_pickle_and_joblib_keep_items(X, tmp_path):
    assert same(pickle.loads(pickle.dumps(X)), X)
    joblib.dump(X, tmp_path / "x.joblib")
    assert same(joblib.load(tmp_path / "x.joblib"), X)
    back = pickle.loads(pickle.dumps(X))
    assert back.domain == X.domain
    assert same(np.asarray(X), X)


def test_pickling_a_slice_leaves_its_parent_behind():
    X = strings.ingest(["x" * 10_000, "abc"])
    assert len(pickle.dumps(X[1:])) < 1000


def test_survives_train_test_split():
    X = strings.ingest([f"s{i}" for i in range(20)])
    train, test = train_test_split(X, test_size=0.25, random_state=0)
    assert isinstance(train, Ragged)
    assert isinstance(test, Ragged)
    assert sorted([*train, *test]) == sorted(X)


def lengths_and_first(X):
    return np.column_stack([X.lengths, [s.startswith("b") for s in X]])


def test_survives_grid_search_pipeline_and_processes():
    rng = np.random.default_rng(0)
    items = ["ab"[i % 2] * int(rng.integers(1, 9)) for i in range(40)]
    y = np.array([s[0] for s in items])
    X = strings.ingest(items)
    model = make_pipeline(FunctionTransformer(lengths_and_first), LogisticRegression())
    search = GridSearchCV(model, {"logisticregression__C": [0.1, 10.0]}, cv=3, n_jobs=2)
    assert search.fit(X, y).score(X, y) == 1.0


@pytest.mark.parametrize(
    ("offsets", "message"),
    [([0, 5], "rise from 0"), ([0, 2, 1], "rise"), ([], "n \\+ 1"), ([-1, 2], "rise")],
)
def test_bad_offsets_are_refused(offsets, message):
    with pytest.raises(ValueError, match=message):
        Ragged(np.zeros(3, np.uint8), np.array(offsets), strings)


def test_repr_of_an_empty_slice():
    assert repr(strings.ingest(["a"])[1:]) == "Ragged(0 strings)"
