"""Rows of numbers with gaps: filled with medians, and told."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import seamark as sm
from seamark.landmarks import AtMost
from seamark.maps import NumericColumns
from seamark.measures import Euclidean, FilledColumns, Manhattan, ScaledColumns

CELLS = st.one_of(st.just(np.nan), st.floats(-100, 100, width=32))
TABLES = st.tuples(st.integers(2, 8), st.integers(1, 4)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=CELLS)
)


def naive(X):
    """Gaps filled, and a column of 0 and 1 for each column that has any."""
    frame = pd.DataFrame(X)
    told = [frame[k].isna().astype(float) for k in frame if frame[k].isna().any()]
    return np.column_stack([frame.fillna(frame.median().fillna(0.0)), *told])


@given(TABLES)
def test_values_are_those_of_filled_rows(X):
    filled = naive(X)
    wanted = np.abs(filled[:, None] - filled[None]).sum(axis=2)
    np.testing.assert_allclose(FilledColumns(Manhattan()).cross(X), wanted, rtol=1e-4, atol=1e-4)


def test_without_gaps_it_is_the_measure_inside(rng):
    X = rng.normal(size=(30, 3)) * [1, 100, 1e4]
    for inside in (Manhattan(), ScaledColumns(Manhattan()), ScaledColumns(Euclidean())):
        np.testing.assert_allclose(FilledColumns(inside).cross(X), inside.cross(X), rtol=1e-5)
    same = FilledColumns(Manhattan())
    assert (same.kind, same.symmetric, same.triangle) == ("distance", True, True)


def test_medians_and_gaps_are_those_of_fit(rng, tmp_path):
    X = rng.normal(size=(60, 2))
    X[:20, 0] = np.nan
    one = sm.LandmarkMap(FilledColumns(ScaledColumns(Manhattan())), random_state=0).fit(X)
    measure = one.measures_[0]
    np.testing.assert_array_equal(measure.gaps, [0])
    np.testing.assert_allclose(measure.medians, np.nanmedian(X, axis=0))
    late = np.array([[np.nan, np.nan], [np.nan, measure.medians[1]]])  # a gap where none was
    np.testing.assert_array_equal(*one.transform(late))
    sm.save(one, tmp_path / "map")
    np.testing.assert_array_equal(sm.load(tmp_path / "map").transform(X), one.transform(X))


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"medians": [1.0, np.nan], "gaps": []}, "a number for every column"),
        ({"medians": [1.0]}, "both medians and gaps"),
        ({"medians": [1.0], "gaps": [1]}, "numbers of columns"),
    ],
)
def test_parameters_are_checked(parameters, said):
    with pytest.raises(ValueError, match=said):
        FilledColumns(Manhattan(), **parameters).cross([[1.0], [2.0]])
    with pytest.raises(TypeError, match="compares strings, not vectors"):
        FilledColumns(sm.measures.Levenshtein()).cross([[1.0], [2.0]])


def curved(n, seed):
    """A table whose target is a product of two numbers, and a step for a category."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    table["kind"] = rng.choice(["sea", "land"], n)
    y = table["a"] * table["b"] + 2.0 * (table["kind"] == "sea") + 0.1 * rng.normal(size=n)
    table.loc[rng.random(n) < 0.05, "c"] = np.nan
    return table, y


def test_a_table_learns_what_no_sum_of_columns_says():
    (table, y), (new, wanted) = curved(500, 0), curved(300, 1)
    plain = {"kind": sm.measures.Equality(), ("a", "b", "c"): NumericColumns()}
    # A constant for each kind is all that a sum over columns can say: half of the variance.
    assert sm.LandmarkRegressor(plain, random_state=0).fit(table, y).score(new, wanted) < 0.6
    model = sm.LandmarkRegressor(random_state=0).fit(table, y)
    assert model.score(new, wanted) > 0.85
    assert model.novelty(new).max() <= 1.0
    assert np.isfinite(model.explain(new[:1])[0].score)


def test_blocks_that_do_not_help_are_dropped():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(400, 3)), columns=["a", "b", "c"])
    table["kind"] = rng.choice(["sea", "land"], 400)
    y = table["a"] - 2 * table["b"] + (table["kind"] == "sea") + 0.1 * rng.normal(size=400)
    model = sm.LandmarkRegressor(random_state=0).fit(table[:300], y[:300])
    assert model.score(table[300:], y[300:]) > 0.98
    by_columns = [type(one) for one in model.map_.maps_]
    shares = dict(zip(by_columns, model.measure_weights_, strict=True))
    assert shares[NumericColumns] > 0.5


def test_a_real_table_with_gaps(rng):
    from sklearn.datasets import load_wine

    wine = load_wine(as_frame=True)
    table = wine.data.mask(rng.random(wine.data.shape) < 0.1)
    table["deep"] = np.where(wine.data["color_intensity"] > 5, "deep", "pale")
    order = rng.permutation(len(table))
    train, test = order[:110], order[110:]
    scores = []
    few = sm.LandmarkMap(FilledColumns(ScaledColumns(Manhattan())), landmarks=AtMost(200))
    names = tuple(wine.data.columns)
    for numbers in (NumericColumns(), [NumericColumns(), few]):
        model = sm.LandmarkClassifier({names: numbers, "deep": "equality"}, random_state=0)
        model.fit(table.iloc[train], wine.target.iloc[train])
        scores.append(model.score(table.iloc[test], wine.target.iloc[test]))
    assert scores[1] >= scores[0] - 0.03
    assert scores[1] > 0.9


def test_categories_are_columns_of_zeros_and_a_one(rng):
    names = (None, ("blue", "red"), None, ("x", "y", "z"))
    X = np.column_stack(
        [rng.normal(size=(40, 2)), rng.integers(2, size=40), rng.integers(3, size=40)]
    )
    frame = pd.DataFrame(X[:, [0, 2, 1, 3]], columns=list("abcd"))
    frame["b"] = np.array(names[1], dtype=object)[frame["b"].astype(int)]
    frame["d"] = np.array(names[3], dtype=object)[frame["d"].astype(int)]
    frame.loc[3, "b"], frame.loc[5, "c"], frame.loc[7, "d"] = None, np.nan, "unheard of"
    known = frame.replace({"d": {"unheard of": None}})
    hot = pd.get_dummies(known, columns=["b", "d"], dtype=float)
    hot = np.column_stack(
        [hot.fillna(hot["c"].median()), frame["c"].isna(), known[["b", "d"]].isna()]
    )
    wanted = np.abs(hot[:, None] - hot[None]).sum(axis=2)
    measure = FilledColumns(Manhattan(), names=names)
    np.testing.assert_allclose(measure.cross(frame), wanted, rtol=1e-5, atol=1e-5)
    fitted = measure.fitted_to(measure.domain.ingest(frame), rng)
    assert fitted.sources().tolist() == [0, 1, 1, 2, 3, 3, 3, 1, 2, 3]
