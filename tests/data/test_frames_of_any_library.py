"""Tables of other libraries: each gives what the same table of pandas gives."""

import numpy as np
import pytest

import seamark as sm
from seamark.data import Strings, Vectors, domain_of, missing_in, series, strings, vectors

pd = pytest.importorskip("pandas")

rng = np.random.default_rng(0)
N = 60
NAMES = [f"{'sea' if i % 2 else 'mark'} {i % 7}{'x' * (i % 3)}" for i in range(N)]
FRAME = pd.DataFrame(
    {
        "name": NAMES,
        "price": np.where(np.arange(N) % 9 == 0, np.nan, rng.normal(size=N)),
        "size": rng.normal(size=N),
        "sold": pd.date_range("2024-01-01", periods=N, freq="D"),
    }
)
Y = np.arange(N) % 2


class Stream:
    """An object that has nothing but an Arrow stream."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def lazy(frame):
    return pytest.importorskip("polars").from_pandas(frame).lazy()


def polars(frame):
    return pytest.importorskip("polars").from_pandas(frame)


def arrow(frame):
    return pytest.importorskip("pyarrow").Table.from_pandas(frame, preserve_index=False)


def duckdb(frame):
    return pytest.importorskip("duckdb").from_arrow(arrow(frame))


def capsule(frame):
    return Stream(arrow(frame))


OTHERS = pytest.mark.parametrize("made", [polars, lazy, arrow, duckdb, capsule])


@pytest.fixture(scope="module")
def model():
    return sm.LandmarkClassifier(random_state=0).fit(FRAME, Y)


@OTHERS
def test_a_model_of_a_mixed_table(model, made):
    other = sm.LandmarkClassifier(random_state=0).fit(made(FRAME), Y)
    expected = model.predict_proba(FRAME)
    np.testing.assert_allclose(other.predict_proba(made(FRAME)), expected, atol=1e-6)
    assert [repr(one) for one in other.map_.columns_] == [repr(one) for one in model.map_.columns_]


@OTHERS
def test_a_model_of_one_measure(made):
    numbers = FRAME[["size"]].assign(other=FRAME["size"] ** 2)
    model = sm.LandmarkClassifier("euclidean", random_state=0).fit(numbers, Y)
    other = sm.LandmarkClassifier("euclidean", random_state=0).fit(made(numbers), Y)
    expected = model.predict_proba(numbers)
    np.testing.assert_allclose(other.predict_proba(made(numbers)), expected, atol=1e-6)


@OTHERS
def test_ingest_and_what_is_in_there(made):
    assert list(strings.ingest(made(FRAME[["name"]]))) == NAMES
    np.testing.assert_array_equal(vectors.ingest(made(FRAME[["size"]]))[:, 0], FRAME["size"])
    assert len(series.ingest(made(FRAME[["size", "size"]].set_axis(["a", "b"], axis=1)))) == N
    assert domain_of(made(FRAME[["name"]])) == Strings()
    assert domain_of(made(FRAME[["size"]])) == Vectors()
    assert domain_of(made(FRAME[["price"]])) is None
    assert domain_of(made(FRAME)) is None
    assert missing_in(made(FRAME[["price"]])).sum() == FRAME["price"].isna().sum()


def test_two_columns_of_one_name_are_refused():
    twice = FRAME.set_axis(["a", "a", "b", "c"], axis=1)
    with pytest.raises(ValueError, match="two columns named 'a'; rename one"):
        sm.LandmarkClassifier().fit(twice, Y)


def test_xarray_is_no_dask_collection():
    xarray = pytest.importorskip("xarray")
    X = rng.normal(size=(40, 3))
    array = xarray.DataArray(X, dims=("row", "column"))
    y = np.arange(40) % 2
    model = sm.LandmarkClassifier("euclidean", random_state=0).fit(array, y)
    np.testing.assert_array_equal(model.predict(array), model.predict(X))
    assert domain_of(array) == Vectors()
    with pytest.raises(TypeError, match="Dataset of xarray; give one of its arrays"):
        sm.LandmarkClassifier().fit(array.to_dataset(name="a"), y)
