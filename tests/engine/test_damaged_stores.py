"""A store whose bits have changed is used, or named; it never stops with a raw error."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest

from seamark.engine.value_cache import FILE_NAME
from seamark.measures import Custom


def absolute(x, y):
    return abs(x - y) - 1.0


def kept(folder, rows=range(6), landmarks=range(40, 44)):
    """Values through a memory."""
    measure = Custom(absolute, kind="distance", memory=folder)
    return measure.cross([float(x) for x in rows], [float(y) for y in landmarks])


def test_a_flipped_bit_is_named_where_the_database_notices_it(tmp_path):
    (tmp_path / "sound").mkdir()
    expected = kept(tmp_path / "sound")
    sound = (tmp_path / "sound" / FILE_NAME).read_bytes()
    rng = np.random.default_rng(0)
    named = 0
    for k, bit in enumerate(rng.permutation(8 * 200)[:100]):  # of the header
        (folder := tmp_path / str(k)).mkdir()
        damaged = bytearray(sound)
        damaged[bit // 8] ^= 1 << (bit % 8)
        (folder / FILE_NAME).write_bytes(damaged)
        try:
            np.testing.assert_array_equal(kept(folder), expected)
        except (ValueError, OSError) as error:
            assert FILE_NAME in str(error)  # noqa: PT017  # either is fine, and which varies
            named += 1
    assert named


@pytest.mark.parametrize("value", ["zeroblob(12)", "'seven'"])
def test_what_is_no_number_is_computed_again(tmp_path, value):
    expected = kept(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as base, base:
        base.execute(f"UPDATE pairs SET value = {value} WHERE x = (SELECT min(x) FROM pairs)")
    np.testing.assert_array_equal(kept(tmp_path), expected)


def test_a_value_of_another_pair_is_not_taken(tmp_path):
    expected = kept(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as base, base:
        base.execute("UPDATE pairs SET l = x'00' WHERE l = (SELECT min(l) FROM pairs)")
    np.testing.assert_array_equal(kept(tmp_path), expected)
