"""What only looks like numbers is refused: strings, dates, complex numbers, nested tables."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import seamark as sm
from seamark.baselines import OAMgra
from seamark.data import is_missing, series, sets, vectors
from seamark.online import AUCClassifier, MetricLearner, SimilarityLearner

DAYS = pd.date_range("2020", periods=3)
NUMBERS = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.5]]


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (np.array(NUMBERS).astype(str), "X holds strings, such as '1.0', .* astype\\(float\\)"),
        (np.array(NUMBERS).astype("S"), "X holds strings, such as b'1.0'"),
        (np.array(NUMBERS).astype(str).astype(object), "X holds strings, such as '1.0'"),
        ([[1.0, "2"], [3.0, "4"]], "X holds strings"),
        (pd.DataFrame({"a": [1.0], "b": ["2"]}), "column 'b' of X holds strings, such as '2'"),
        (pd.DataFrame({"a": ["1"]}, dtype="category"), "column 'a' of X holds strings"),
        (pl.DataFrame({"a": [1.0], "b": ["2"]}), "column 'b' of X holds strings"),
        (np.array(DAYS)[:, None], "X holds dates, such as 2020-01-01.*days since"),
        (np.array(DAYS - DAYS[0])[:, None], "X holds dates, such as 0"),
        (pd.DataFrame({"a": [1.0] * 3, "b": DAYS}), "column 'b' of X holds dates"),
        (pl.DataFrame({"b": [datetime.date(2020, 1, 1)]}), "column 'b' of X holds dates"),
        ([[datetime.date(2020, 1, 1)]], "X holds dates, such as 2020-01-01"),
        (np.array([[1 + 2j]]), "Complex data not supported: X holds complex numbers"),
        ([[1 + 2j]], "Complex data not supported: X holds complex numbers, such as \\(1\\+2j\\)"),
        (np.array([[1.0, 2j]], dtype=object), "Complex data not supported: X holds complex"),
        (sparse.csr_array(np.eye(2) * 1j), "Complex data not supported: X holds complex"),
        ([{1, 2}, {3}], "X holds sets, .* MultiLabelBinarizer, or .* Custom\\(f, kind="),
        (
            pd.DataFrame({"a": [pd.Series([1.0, 2.0])]}),
            "column 'a' of X holds sequences, such as a Series, .* measure of series",
        ),
    ],
)
def test_vectors_are_numbers(raw, message):
    with pytest.raises(ValueError, match=message):
        vectors.ingest(raw)


def test_numbers_in_objects_are_numbers():
    for raw in (np.array(NUMBERS, dtype=object), pd.DataFrame(NUMBERS, dtype="Float64")):
        np.testing.assert_array_equal(vectors.ingest(raw), NUMBERS)
    assert vectors.ingest(sparse.dok_array(np.eye(3))).format == "csr"


@pytest.mark.parametrize("domain", [series, sets], ids=lambda d: d.name)
@pytest.mark.parametrize(
    ("item", "message"),
    [
        (np.array([["1", "2"]]), "holds strings, such as '1'"),
        (np.array([["1", "2"]], dtype=object), "holds strings, such as '1'"),
        (np.array(DAYS)[None], "holds dates, such as 2020-01-01"),
        (np.array([[1j]]), "holds complex numbers, such as 1j"),
    ],
)
def test_series_and_sets_are_numbers(domain, item, message):
    with pytest.raises(TypeError, match=f"{domain.one} 1 is not an array of real numbers: it "):
        domain.ingest([np.ones((1, 2)), item])
    with pytest.raises(TypeError, match=message):
        domain.ingest([np.ones((1, 2)), item])


@pytest.mark.parametrize(
    "learner", [AUCClassifier(), MetricLearner(), SimilarityLearner(), OAMgra(), sm.RandomFourier()]
)
def test_learners_of_vectors_refuse_them_too(learner):
    X = np.random.default_rng(0).normal(size=(12, 2))
    with pytest.raises(ValueError, match="X holds strings"):
        learner.fit(X.astype(str), np.arange(12) % 2)
    learner.fit(X, np.arange(12) % 2)
    answer = learner.predict if hasattr(learner, "predict") else learner.transform
    with pytest.raises(ValueError, match="X holds strings"):
        answer(X.astype(str))


def test_jaccard_of_python_sets_says_what_to_do():
    with pytest.raises(ValueError, match="X holds sets, such as {1}.*MultiLabelBinarizer"):
        sm.cross("jaccard", [{1}, {1, 2}])
    from sklearn.preprocessing import MultiLabelBinarizer

    rows = MultiLabelBinarizer().fit_transform([{1}, {1, 2}])
    assert sm.cross("jaccard", rows)[0, 1] == pytest.approx(0.5)


STEPS = pd.MultiIndex.from_product([range(3), range(4)], names=["instance", "time"])


def test_a_row_for_every_time_step_gets_a_hint():
    frame = pd.DataFrame({"a": np.arange(12.0), "b": np.ones(12)}, index=STEPS)
    with pytest.raises(ValueError, match=r"index of 2 levels.*\[g.to_numpy\(\).T for _, g in"):
        series.ingest(frame)
    X = series.ingest([g.to_numpy().T for _, g in frame.groupby(level=0)])
    assert X.shape == (3,)
    assert X[0].shape == (2, 4)
    with pytest.raises(ValueError, match=r"index of 2 levels.*\[g.to_numpy\(\) for _, g in"):
        series.ingest(frame["a"])
    assert series.ingest(frame.reset_index(drop=True)).shape == (12,)


def test_a_series_in_every_cell_gets_a_hint():
    cells = [pd.Series(np.arange(4.0)) for _ in range(3)]
    frame = pd.DataFrame({"dim_0": cells, "dim_1": cells})
    with pytest.raises(ValueError, match="2 columns whose cells are series.*np.stack"):
        series.ingest(frame)
    X = series.ingest([np.stack([np.asarray(cell) for cell in row]) for row in frame.to_numpy()])
    assert X[2].shape == (2, 4)
    assert series.ingest(frame[["dim_0"]])[0].tolist() == [0.0, 1.0, 2.0, 3.0]


def test_what_is_missing():
    assert all(map(is_missing, [None, np.nan, np.float32("nan"), pd.NA, pd.NaT]))
    assert not any(map(is_missing, ["", 0, 0.0, "nan", np.inf]))
