"""What raw data are read as, if nobody says."""

import numpy as np
import pytest
from scipy import sparse

import seamark as sm
from seamark.data import Graph, domain_of, looks_like_time

pd = pytest.importorskip("pandas")
SERIES = [np.zeros(5), np.zeros(7)]
SETS = [np.zeros((3, 2)), np.zeros((4, 2))]


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        (["sea", "mark"], "strings"),
        ([b"sea", b"mark"], "strings"),
        ([None, "mark"], "strings"),
        (np.array(["sea", "mark"]), "strings"),
        (np.array([["sea"], ["mark"]], dtype=object), "strings"),
        (pd.Series(["sea", "mark"]), "strings"),
        (pd.DataFrame({"name": ["sea", "mark"]}), "strings"),
        (np.zeros((4, 3)), "vectors"),
        (np.zeros((4, 3), dtype=object), "vectors"),
        ([[1, 2], [3, 4]], "vectors"),
        (sparse.csr_array(np.eye(3)), "vectors"),
        (pd.DataFrame({"a": [1.0, 2.0], "b": [True, False]}), "vectors"),
        (np.zeros((4, 2, 9)), "series"),
        (SERIES, "series"),
        ([np.zeros((2, 5)), np.zeros((2, 8))], "series"),
        (np.array([*SERIES, None], dtype=object)[:2], "series"),
        (pd.DataFrame({"trace": SERIES}), "series"),
        (SETS, "sets"),
        ([sparse.eye_array(3), sparse.eye_array(4)], "graphs"),
        ([Graph(np.zeros((0, 2), int), np.zeros(2, int))], "graphs"),
        ([([(0, 1), (1, 2)], ["C", "O", "C"]), ([], ["C"])], "graphs"),
        ([(np.array([[0, 1]]), np.array([3, 4]))], "graphs"),
        ([([("a", "b")], {"a": 1, "b": 2})], "graphs"),
        ([([1.0, 2.0], [2.0, 3.0]), ([1.0], [2.0])], "series"),
        (sm.data.sets.ingest(SETS), "sets"),
    ],
)
def test_kinds_are_told_by_types_and_shapes(raw, name):
    assert domain_of(raw).name == name


def test_frames_of_polars_and_tables_of_arrow():
    polars, arrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    for make in (polars.DataFrame, arrow.table):
        assert domain_of(make({"a": [1, 2], "b": [0.5, 1.5]})).name == "vectors"
        assert domain_of(make({"a": ["sea", "mark"]})).name == "strings"
        assert domain_of(make({"a": ["sea", "mark"], "b": [1, 2]})) is None


def test_a_table_of_several_kinds_has_no_domain():
    assert domain_of(pd.DataFrame({"name": ["sea", "mark"], "price": [1, 2]})) is None
    assert domain_of(pd.DataFrame({"sold": pd.to_datetime(["2024-05-01", "2024-05-03"])})) is None


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ([np.zeros((2, 5)), np.zeros((3, 8))], "series .* as many rows, sets .* as many columns"),
        ([np.zeros((2, 5)), np.zeros(8)], "1 and 2 dimensions"),
        ([{"a": 1}, {"b": 2}], "object 0 is a dict"),
        ([(np.zeros((0, 3)), [1, 2]), 3], "object 0 is a tuple"),
        ("sea", "X is a str"),
        (5, "X is a int"),
    ],
)
def test_what_cannot_be_told_is_asked(raw, said):
    with pytest.raises((TypeError, ValueError), match=said):
        domain_of(raw)


def test_columns_that_are_time_are_noticed():
    rng = np.random.default_rng(0)
    walks = np.cumsum(rng.normal(size=(50, 100)), axis=1)
    assert looks_like_time(walks)
    assert not looks_like_time(rng.normal(size=(50, 100)))
    assert not looks_like_time(walks[:, :20])  # too few to tell
    assert not looks_like_time(sparse.csr_array(walks))


@pytest.mark.parametrize("frame", [pd.DataFrame, pytest.importorskip("polars").DataFrame])
@pytest.mark.parametrize("column", [[1.0, None, 2.0], [1.0, float("nan"), 2.0], [1, None, 2]])
def test_numbers_with_gaps_are_a_table(frame, column):
    """Only there are gaps filled, and told."""
    assert domain_of(frame({"a": column, "b": [1.0, 2.0, 3.0]})) is None
    assert domain_of(frame({"a": column})) is None


def test_nullable_numbers_of_pandas_may_have_gaps_too():
    whole = pd.DataFrame({"a": pd.array([1, 2, 3], dtype="Int64"), "b": [1.0, 2.0, 3.0]})
    assert domain_of(whole).name == "vectors"
    assert domain_of(whole.assign(a=pd.array([1, None, 3], dtype="Int64"))) is None
