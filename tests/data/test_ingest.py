"""What the domains accept, and the one sentence with which they reject."""

import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import seamark as sm
from seamark.data import anything, series, sets, strings, vectors
from seamark.data.strings import AT_ONCE

WORDS = ["sea", "", "märk", "🐟🐟"]


@pytest.mark.parametrize(
    "raw",
    [
        WORDS,
        tuple(WORDS),
        np.array(WORDS, dtype=object),
        np.array(WORDS),
        np.array(WORDS)[:, None],
        pd.Series(WORDS),
        pd.Series(WORDS, index=[7, 3, 9, 1]),
        pd.Series(WORDS, dtype="string"),
        pd.Series(WORDS, dtype="category"),
        pd.DataFrame({"name": WORDS}),
        pl.Series("name", WORDS),
        pl.DataFrame({"name": WORDS}),
        strings.ingest(WORDS),
    ],
    ids=lambda raw: type(raw).__name__,
)
def test_strings_from_anything_like_a_column(raw):
    assert list(strings.ingest(raw)) == WORDS


@given(st.lists(st.text(st.characters(), max_size=8), min_size=1, max_size=8))
def test_any_unicode_comes_back(items):
    assert list(strings.ingest(items)) == items


@pytest.mark.parametrize(
    ("word", "dtype"), [("abc", "uint8"), ("é", "uint8"), ("λ", "uint16"), ("🐟", "uint32")]
)
def test_code_points_take_the_narrowest_type(word, dtype):
    assert strings.ingest([word]).values.dtype == dtype


def test_many_strings_are_read_a_few_at_a_time():
    """And are the letters one by one, in the type of the widest."""
    n = AT_ONCE
    many = [*["sea", "", "märk"] * n, *["λ", "x"] * n, "🐟🐟", "y"]
    found = strings.ingest(many)
    assert found.values.dtype == np.uint32
    np.testing.assert_array_equal(found.values, list(map(ord, "".join(many))))
    np.testing.assert_array_equal(found.lengths, list(map(len, many)))
    assert list(strings.ingest([b"sea", b"", b"mark"] * n)) == [b"sea", b"", b"mark"] * n
    with pytest.raises(TypeError, match=rf"string {n + 1} is missing \(None\)"):
        strings.ingest(["a"] * (n + 1) + [None])


def test_lone_surrogates_come_back():
    assert list(strings.ingest(["\ud800x"])) == ["\ud800x"]


@pytest.mark.parametrize("raw", [[b"ab", b""], np.array([b"ab", b""]), [bytearray(b"ab"), b""]])
def test_bytes_stay_bytes(raw):
    assert list(strings.ingest(raw)) == [b"ab", b""]


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (["a", None], "string 1 is missing \\(None\\)"),
        (pd.Series(["a", None, "b"]), "string 1 is missing"),
        (["a", float("nan")], "string 1 is missing \\(NaN\\)"),
        (["a", "b", 3], "string 2 is an int"),
        (["a", b"b"], "string 1 is a bytes"),
        ([b"a", "b"], "string 1 is a str"),
        ("abc", "single string"),
        ({"a": 1}, "X is a dict"),
        (iter(["a"]), "X is a list_iterator"),
        (np.array("a"), "scalar"),
    ],
)
def test_strings_reject_by_name(raw, message):
    with pytest.raises(TypeError, match=message):
        strings.ingest(raw)


@pytest.mark.parametrize("domain", [strings, series, sets, anything], ids=lambda d: d.name)
@pytest.mark.parametrize("raw", [[], (), np.array([], dtype=object), pd.Series([], dtype=object)])
def test_empty_collections_are_rejected(domain, raw):
    with pytest.raises(ValueError, match="X is empty"):
        domain.ingest(raw)


def test_two_columns_are_not_a_column_of_strings():
    with pytest.raises(ValueError, match=r"table of 2 columns .*X\['a'\]"):
        strings.ingest(pd.DataFrame({"a": ["x"], "b": ["y"]}))


def test_text_and_bytes_do_not_go_together():
    with pytest.raises(ValueError, match="X holds bytes, but the strings before were text"):
        strings.ingest([b"a"], like=strings.ingest(["a"]))


def test_series_shapes_follow_aeon():
    assert series.ingest(np.zeros((4, 9)))[0].shape == (9,)
    assert series.ingest(np.zeros((4, 2, 9)))[0].shape == (2, 9)
    assert series.ingest([np.zeros(9), np.zeros(1)])[1].shape == (1,)
    assert series.ingest([np.zeros((2, 9)), np.zeros((2, 4))])[1].shape == (2, 4)
    assert series.ingest([[1, 2, 3], [4]])[0].tolist() == [1.0, 2.0, 3.0]
    assert series.ingest(pd.DataFrame(np.eye(3)))[1].tolist() == [0.0, 1.0, 0.0]
    assert series.ingest(pl.Series([[1.0, 2.0], [3.0]]))[1].tolist() == [3.0]
    ragged = np.empty(2, dtype=object)
    ragged[:] = [np.ones(3), np.ones(2)]
    assert series.ingest(ragged).lengths.tolist() == [3, 2]


def test_series_keep_channels_in_order():
    X = np.arange(24.0).reshape(2, 3, 4)
    back = series.ingest(X)
    np.testing.assert_array_equal(back[1], X[1])
    np.testing.assert_array_equal(series.ingest(list(X))[1], X[1])


def test_read_only_and_memory_mapped_arrays(tmp_path):
    A = np.random.default_rng(0).normal(size=(6, 5))
    np.save(tmp_path / "a.npy", A)
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    A.flags.writeable = False
    for domain in (series, vectors):
        for raw in (A, mapped):
            got = domain.ingest(raw)
            np.testing.assert_array_equal(got[2], A[2])
    np.testing.assert_array_equal(sets.ingest([mapped[:2], mapped[2:]])[1], A[2:])


def bad(shape, value, at):
    array = np.zeros(shape)
    array[at] = value
    return array


@pytest.mark.parametrize(
    ("domain", "raw", "message"),
    [
        (series, bad((5, 4), np.nan, 3), "Series 3 has no value: all are NaN"),
        (series, [np.zeros(3), np.array([0, np.inf])], "contains infinity, in series 1\\."),
        (series, [np.zeros((2, 3)), bad((2, 2), np.nan, 1)], "Series 1 has no value in channel 1"),
        (series, bad((2, 4), 1e300, (1, 0)), "series 1 holds 1e\\+300"),
        (
            series,
            [np.zeros((2, 3)), np.zeros((3, 3))],
            "series 1 has 3 channels where series 0 has 2",
        ),
        (series, [np.zeros((5, 3)), np.zeros((7, 3))], r"look like \(time, channels\)"),
        (series, [np.zeros(3), np.zeros((1, 3))], "series 1 has 2 dimensions where series 0 has 1"),
        (series, [np.zeros(3), np.zeros(0)], "series 1 is empty"),
        (sets, [np.zeros((2, 3)), bad((4, 3), np.nan, (3, 0))], "contains NaN, in set 1\\."),
        (sets, [np.zeros((2, 3)), np.zeros((2, 4))], "set 1 has vectors of dimension 4"),
        (sets, [np.zeros((2, 3)), np.zeros(3)], r"set 1 has 1 dimensions.*x\[None, :\]"),
        (sets, [np.zeros((2, 3)), np.zeros((0, 3))], "set 1 is empty"),
        (vectors, bad((5, 4), np.nan, (3, 2)), "contains NaN, in row 3\\."),
        (vectors, bad((5, 4), -np.inf, (4, 2)), "contains infinity, in row 4\\."),
        (vectors, sparse.csr_matrix(bad((5, 4), np.nan, (3, 2))), "contains NaN, in row 3\\."),
        (vectors, np.zeros(3), "Expected 2D array"),
        (vectors, ["Anna", "Otto"], "holds strings, such as 'Anna', .* such as 'levenshtein'"),
        (vectors, np.array(["Anna", "Otto"]), "holds strings, such as 'Anna'"),
    ],
)
def test_numbers_are_rejected_by_name(domain, raw, message):
    with pytest.raises(ValueError, match=message):
        domain.ingest(raw)


def test_a_slice_of_series_names_the_right_one():
    values = [np.zeros(3), np.zeros(2), np.array([1.0, np.inf])]
    from seamark.data import Ragged, Series

    X = Ragged(np.concatenate(values)[:, None], np.array([0, 3, 5, 7]), Series())
    assert len(series.ingest(X[:2])) == 2
    with pytest.raises(ValueError, match="series 1"):
        series.ingest(X[1:])


@pytest.mark.parametrize(
    ("domain", "fit", "predict", "message"),
    [
        (series, np.zeros((3, 2, 9)), np.zeros((3, 9)), "1 channel, but the series before had 2"),
        (sets, np.zeros((3, 2, 9)), np.zeros((3, 2, 8)), "dimension 8, but the sets before had 9"),
        (vectors, np.zeros((3, 2)), np.zeros((3, 9)), "9 features, but the vectors before had 2"),
    ],
)
def test_unequal_variables_between_fit_and_predict(domain, fit, predict, message):
    with pytest.raises(ValueError, match=message):
        domain.ingest(predict, like=domain.ingest(fit))


def test_non_numbers_among_series():
    with pytest.raises(TypeError, match="series 1 is not an array of real numbers"):
        series.ingest([[1.0, 2.0], ["a", "b"]])
    with pytest.raises(TypeError, match="series 0 is not an array of real numbers"):
        series.ingest([np.array([1 + 2j, 3])])


def test_wrong_kind_of_ragged():
    with pytest.raises(TypeError, match="X holds series; strings are needed"):
        strings.ingest(series.ingest(np.zeros((2, 3))))
    with pytest.raises(TypeError, match="X holds strings; series are needed"):
        series.ingest(strings.ingest(["a"]))
    with pytest.raises(TypeError, match="X holds strings; vectors"):
        vectors.ingest(strings.ingest(["a"]))


@pytest.mark.parametrize(
    "raw",
    [
        [[1, 2], [3, 4]],
        np.array([[1, 2], [3, 4]], dtype=np.int8),
        pd.DataFrame({"a": [1, 3], "b": [2, 4]}),
        pl.DataFrame({"a": [1, 3], "b": [2, 4]}),
    ],
    ids=lambda raw: type(raw).__name__,
)
def test_vectors_from_tables(raw):
    assert vectors.ingest(raw).tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_vectors_keep_float32_and_make_csr():
    assert vectors.ingest(np.zeros((2, 2), np.float32)).dtype == np.float32
    assert vectors.ingest(sparse.coo_matrix(np.eye(3))).format == "csr"


def test_anything_keeps_objects_as_they_are():
    odd = [{"a": 1}, [1, 2], [1, 2, 3], None, np.zeros(3)]
    got = anything.ingest(odd)
    assert all(a is b for a, b in zip(got, odd, strict=True))
    assert anything.ingest([[1, 2], [3, 4]]).shape == (2,)
    assert anything.ingest(np.eye(3)).shape == (3, 3)
    table = pd.DataFrame({"name": ["x", "y"], "age": [1, 2]})
    assert anything.ingest(table)[1] == {"name": "y", "age": 2}
    assert anything.ingest(pl.DataFrame({"n": ["x", "y"], "a": [1, 2]}))[0] == {"n": "x", "a": 1}


@pytest.mark.parametrize("n", [1, 200])
def test_random_strings_follow_their_law(n, rng):
    like = strings.ingest(["acgt", "aa"])
    drawn = strings.draw(n, rng, like=like, sizes=(2, 5))
    assert len(drawn) == n
    assert set(drawn.lengths) <= {2, 3, 4, 5}
    assert set("".join(drawn)) <= set("acgt")


def test_random_lengths_and_letters_are_uniform(rng):
    drawn = strings.draw(8000, rng, like=strings.ingest(["acgt"]), sizes=(2, 5))
    counts = np.bincount(drawn.lengths, minlength=6)[2:]
    letters = np.unique(drawn.values, return_counts=True)[1]
    # chi-square with 3 degrees of freedom: 27.9 is passed by chance once in 260 000 runs
    for seen in (counts, letters):
        expected = seen.sum() / 4
        assert ((seen - expected) ** 2 / expected).sum() < 27.9


def test_random_series_and_sets(rng):
    like = series.ingest(np.zeros((2, 3, 9)))
    drawn = series.draw(500, rng, like=like, sizes=(2, 4), scale=2.0)
    assert drawn[0].shape[0] == 3
    assert abs(drawn.values.std() / 2.0 - 1) < 0.06  # four standard errors
    bags = sets.draw(50, rng, like=sets.ingest(np.zeros((2, 3, 9))), scale=3.0)
    assert set(bags.lengths) <= set(range(3, 16))
    np.testing.assert_allclose(np.linalg.norm(bags.values, axis=1), 3.0, rtol=1e-5)
    points = vectors.draw(2000, rng, like=rng.normal([5, -5], [1, 3], size=(4000, 2)))
    np.testing.assert_allclose(points.mean(axis=0), [5, -5], atol=0.4)
    np.testing.assert_allclose(points.std(axis=0), [1, 3], rtol=0.1)


def test_what_cannot_be_drawn_says_so(rng):
    with pytest.raises(ValueError, match="all strings are empty"):
        strings.draw(3, rng, like=strings.ingest(["", ""]))
    with pytest.raises(ValueError, match="sampler of your own"):
        anything.draw(3, rng, like=anything.ingest([1, 2]))


def test_a_default_fit_encodes_strings_once(monkeypatch):
    encoded = []
    module = sys.modules["seamark.data.strings"]
    encode = module._encode
    monkeypatch.setattr(
        module, "_encode", lambda items: encoded.append(len(items)) or encode(items)
    )
    X = [f"{'sea' if i % 2 else 'mark'} {i}" for i in range(60)]
    model = sm.LandmarkClassifier(random_state=0).fit(X, np.arange(60) % 2)
    assert encoded == [60]
    model.predict(X[:5])
    assert encoded == [60, 5]
