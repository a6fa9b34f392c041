"""What is likely a mistake of the user is said in a sentence."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits

import seamark as sm

N = 120
MODELS = [sm.LandmarkClassifier, sm.LandmarkRegressor, sm.LandmarkOrdinal]


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=N), "b": rng.choice(list("xyz"), N)})
    return frame, pd.Series((frame["a"] + rng.normal(size=N) > 0).astype(int))


@pytest.mark.parametrize("model", MODELS)
def test_targets_are_not_paired_by_place_if_the_index_says_otherwise(table, model):
    X, y = table
    with pytest.raises(ValueError, match=r"in another order.*y\.loc\[X\.index\]"):
        model().fit(X, y.sample(frac=1, random_state=1))
    other = y.set_axis(range(1000, 1000 + N))  # another index says nothing
    fitted = model(random_state=0).fit(X, other)
    np.testing.assert_array_equal(fitted.predict(X), model(random_state=0).fit(X, y).predict(X))


@pytest.mark.parametrize("model", MODELS)
def test_missing_targets_are_named(table, model):
    with pytest.raises(ValueError, match="y is missing"):
        model().fit(table[0], None)


def test_columns_of_several_levels_are_named(table):
    X, y = table
    X.columns = pd.MultiIndex.from_tuples([("g", "a"), ("g", "b")])
    with pytest.raises(ValueError, match=r"columns of 2 levels.*'_'\.join"):
        sm.LandmarkClassifier().fit(X, y)
    X.columns = ["_".join(map(str, name)) for name in X.columns]  # as it says
    assert sm.LandmarkClassifier(random_state=0).fit(X, y).feature_names_in_.tolist() == [
        "g_a",
        "g_b",
    ]


def test_a_matrix_that_can_only_be_distances_is_read_as_such():
    X, y = (part[:300] for part in load_digits(return_X_y=True))
    D = sm.cross("euclidean", X)
    with pytest.warns(UserWarning, match="read as distances"):
        found = sm.LandmarkClassifier("precomputed", random_state=0).fit(D, y)
    said = sm.measures.Precomputed(kind="distance", symmetric=True)
    np.testing.assert_array_equal(
        found.predict(D), sm.LandmarkClassifier(said, random_state=0).fit(D, y).predict(D)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for matrix in (X @ X.T, D[:, :40]):
            sm.LandmarkClassifier(
                sm.measures.Precomputed(square=False) if matrix.shape[1] == 40 else "precomputed",
                random_state=0,
            ).fit(matrix, y)


def test_a_column_that_predicts_the_target_alone_is_warned_of(table):
    X, y = table
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sm.LandmarkClassifier(random_state=0).fit(X, y)
    leaks = X.assign(paid=np.where(y == 1, "yes", "no"))
    with pytest.warns(UserWarning, match="column 'paid' alone predicts the target .100.0%"):
        sm.LandmarkClassifier(random_state=0).fit(leaks, y)
    numbers = X["a"] + 1
    with pytest.warns(UserWarning, match="column 'a' alone predicts the target .R² 0.99"):
        sm.LandmarkRegressor(random_state=0).fit(X, numbers)


def test_numbers_that_are_text_are_named(table):
    X, y = table
    prices = X.assign(b=[f"{1000 * abs(x):,.2f}" for x in X["a"]])
    with pytest.warns(UserWarning, match=r"Numbers such as '[0-9.,]+' are text"):
        sm.LandmarkClassifier(random_state=0).fit(prices, y)
    codes = X.assign(b=[f"{k:05}" for k in range(N)])  # no quantities
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sm.LandmarkClassifier(random_state=0).fit(codes, y)


def test_tables_of_polars_may_be_lazy(table):
    pl = pytest.importorskip("polars", reason="frames of polars")
    X, y = table
    lazy = pl.from_pandas(X).lazy()
    found = sm.LandmarkClassifier(random_state=0).fit(lazy, y.to_numpy())
    np.testing.assert_array_equal(
        found.predict(lazy), sm.LandmarkClassifier(random_state=0).fit(X, y).predict(X)
    )


def test_copies_of_rows_do_not_make_a_column_look_like_the_target():
    rng = np.random.default_rng(0)
    numbers = pd.DataFrame({"x": rng.normal(size=100), "z": rng.normal(size=100)})
    copies = pd.concat([numbers] * 4, ignore_index=True)
    y = np.tile(rng.normal(size=100), 4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sm.LandmarkRegressor(random_state=0).fit(copies, y)


def test_a_column_that_the_measures_leave_out_is_not_warned_of(table):
    X, y = table
    leaks = X.assign(paid=np.where(y == 1, "yes", "no"))
    measure = {"b": "levenshtein", ("a",): "euclidean"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sm.LandmarkClassifier(measure, random_state=0).fit(leaks, y)
    with pytest.warns(UserWarning, match="column 'paid' alone"):
        sm.LandmarkClassifier({**measure, "paid": "equality"}, random_state=0).fit(leaks, y)
