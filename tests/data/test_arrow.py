"""pyarrow's arrays, chunked arrays and tables are read like columns and tables of others."""

import numpy as np
import pytest

import seamark as sm
from seamark.data import anything, series, strings, vectors

pa = pytest.importorskip("pyarrow")

WORDS = ["sea", "", "märk", "🐟🐟"] * 5
y = np.arange(20) % 2
NUMBERS = np.random.default_rng(0).normal(size=(20, 3)) + y[:, None]
TABLE = pa.table({f"c{j}": NUMBERS[:, j] for j in range(3)})


@pytest.mark.parametrize(
    "raw",
    [
        pa.array(WORDS),
        pa.array(WORDS, pa.large_string()),
        pa.array(WORDS).dictionary_encode(),
        pa.chunked_array([WORDS[:7], WORDS[7:]]),
        pa.table({"word": WORDS}),
        pa.record_batch({"word": WORDS}),
    ],
    ids=lambda raw: f"{type(raw).__name__} {getattr(raw, 'type', '')}",
)
def test_strings(raw):
    assert list(strings.ingest(raw)) == WORDS
    assert list(anything.ingest(raw)) == WORDS
    model = sm.LandmarkClassifier("levenshtein", random_state=0)
    expected = sm.LandmarkClassifier("levenshtein", random_state=0).fit(WORDS, y).predict(WORDS)
    assert model.fit(raw, pa.array(y)).predict(raw).tolist() == expected.tolist()


def test_bytes_and_missing_strings():
    assert list(strings.ingest(pa.array([b"ab", b""]))) == [b"ab", b""]
    with pytest.raises(TypeError, match="string 1 is missing \\(None\\)"):
        strings.ingest(pa.chunked_array([["a"], [None]]))


def test_a_table_of_two_columns_is_no_column():
    with pytest.raises(ValueError, match=r"table of 2 columns .*X\['a'\]"):
        strings.ingest(pa.table({"a": ["x"], "b": ["y"]}))


@pytest.mark.parametrize(
    "raw",
    [
        TABLE,
        TABLE.to_batches()[0],
        pa.concat_tables([TABLE[:3], TABLE[3:]]),
        pa.array(NUMBERS.tolist()),
        pa.array(NUMBERS.tolist(), pa.list_(pa.float64(), 3)),
        pa.chunked_array([NUMBERS[:3].tolist(), NUMBERS[3:].tolist()]),
    ],
    ids=lambda raw: type(raw).__name__,
)
def test_vectors(raw):
    np.testing.assert_array_equal(vectors.ingest(raw), NUMBERS)
    np.testing.assert_array_equal(series.ingest(raw)[4], NUMBERS[4])
    model = sm.LandmarkRegressor("gaussian", random_state=0).fit(raw, pa.array(NUMBERS[:, 0]))
    assert model.n_features_in_ == 3
    assert model.predict(raw).shape == (20,)


def test_columns_keep_their_names():
    model = sm.LandmarkMap("euclidean").fit(TABLE)
    assert model.feature_names_in_.tolist() == ["c0", "c1", "c2"]
    with pytest.raises(ValueError, match="feature names should match"):
        model.transform(TABLE.rename_columns(["a", "b", "c"]))


def test_columns_that_are_no_numbers():
    mixed = pa.table({"a": [1.0, 2.0], "b": ["x", "y"]})
    with pytest.raises(ValueError, match="column 'b' of X holds strings, such as 'x'"):
        vectors.ingest(mixed)
    assert anything.ingest(mixed)[1] == {"a": 2.0, "b": "y"}
    with pytest.raises(ValueError, match="NaN, in row 1"):
        vectors.ingest(pa.table({"a": [1.0, None]}))


def test_series_of_unequal_length():
    X = series.ingest(pa.array([[1.0, 2.0], [3.0]]))
    assert X.lengths.tolist() == [2, 1]
    assert series.ingest(pa.chunked_array([[[1, 2]], [[3]]])).lengths.tolist() == [2, 1]
