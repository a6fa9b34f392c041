"""Columns of text from pyarrow: read from their buffers, as lists are."""

import numpy as np
import pytest

from seamark.data import hashes, strings
from seamark.data.frames import plain_text

pa = pytest.importorskip("pyarrow")


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
@pytest.mark.parametrize("words", [["sea", "", "mark"], ["", ""], ["naïve", "a"], ["a🐟", "b"]])
def test_buffers_say_what_lists_say(kind, words):
    column = pa.array(["left", "out", *words, "too"], kind).slice(2, len(words))
    for one in (column, pa.chunked_array([column.slice(0, 1), column.slice(1)])):
        found, expected = strings.ingest(one), strings.ingest(words)
        assert list(found) == words
        np.testing.assert_array_equal(hashes(found), hashes(expected))
        assert found.values.dtype == expected.values.dtype or "naïve" in words
        assert (plain_text(one) is not None) == all(word.isascii() for word in words)


def test_missing_text_and_numbers_are_read_one_by_one():
    assert plain_text(pa.array(["a", None])) is None
    assert plain_text(pa.array([1, 2])) is None
    assert plain_text(["a"]) is None
    with pytest.raises(TypeError, match="string 1 is missing"):
        strings.ingest(pa.array(["a", None]))


def test_offsets_of_a_hostile_file_are_refused():
    offsets = pa.py_buffer(np.array([0, 900, 4], np.int32))
    bad = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"abcd")])
    with pytest.raises((ValueError, pa.ArrowInvalid)):
        strings.ingest(bad)


def test_columns_of_pandas_are_read_from_their_buffers():
    pd = pytest.importorskip("pandas")
    column = pd.Series(["left", "sea", "", "mark"], dtype="string[pyarrow]", index=[5, 6, 7, 8])[1:]
    assert plain_text(column) is not None
    assert list(strings.ingest(column)) == ["sea", "", "mark"]
    assert plain_text(pd.Series(["sea", None], dtype="string[pyarrow]")) is None
    with pytest.raises(TypeError, match="string 1"):
        strings.ingest(pd.Series(["sea", None], dtype="string[pyarrow]"))
    assert plain_text(pd.Series(["sea"], dtype=object)) is None
