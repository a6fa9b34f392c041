"""A store whose bits have changed gives no wrong values."""

import operator
import sqlite3
import warnings
from contextlib import closing

import numpy as np
import pytest

from seamark.engine.value_cache import FILE_NAME
from seamark.measures import Custom


def absolute(x, y):
    return abs(x - y) - 1.0  # of equal numbers: −1, and never a round 0


def kept(folder, rows=range(6), landmarks=range(40, 44)):
    """Values through a memory; −0 is among them."""
    measure = Custom(absolute, kind="distance", memory=folder)
    return measure.cross([float(x) for x in rows], [float(y) for y in landmarks])


def test_a_flipped_bit_is_computed_again_or_named(tmp_path):
    (tmp_path / "sound").mkdir()
    expected = kept(tmp_path / "sound")
    sound = (tmp_path / "sound" / FILE_NAME).read_bytes()
    rng = np.random.default_rng(0)
    warned = 0
    for k, bit in enumerate(rng.permutation(8 * len(sound))[:300]):
        (folder := tmp_path / str(k)).mkdir()
        damaged = bytearray(sound)
        damaged[bit // 8] ^= 1 << (bit % 8)
        (folder / FILE_NAME).write_bytes(damaged)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                np.testing.assert_array_equal(kept(folder), expected)
                warned += any("checksum" in str(w.message) for w in caught)
            except (ValueError, OSError) as error:
                assert FILE_NAME in str(error)  # noqa: PT017  # either is fine, and which varies
    assert warned


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE pairs SET value = zeroblob(12) WHERE x = (SELECT min(x) FROM pairs)",
        "UPDATE pairs SET value = 7 WHERE x = (SELECT min(x) FROM pairs)",
        "UPDATE pairs SET value = (SELECT value FROM pairs ORDER BY x, l LIMIT 1)",  # mixed up
    ],
)
def test_a_changed_value_is_computed_again_with_a_warning(tmp_path, change):
    expected = kept(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as base, base:
        assert base.execute(change).rowcount >= 1
    with pytest.warns(RuntimeWarning, match=f"{FILE_NAME} was damaged.*computed again"):
        np.testing.assert_array_equal(kept(tmp_path), expected)
    np.testing.assert_array_equal(kept(tmp_path), expected)  # mended, and silent


def test_a_value_of_another_pair_is_not_taken(tmp_path):
    expected = kept(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as base, base:
        base.execute("UPDATE pairs SET l = x'00' WHERE l = (SELECT min(l) FROM pairs)")
    np.testing.assert_array_equal(kept(tmp_path), expected)


def test_minus_zero_agrees_with_its_checksum(tmp_path):
    measure = Custom(operator.mul, kind="similarity", memory=tmp_path)
    first = measure.cross([-1.0], [0.0, 1.0])
    np.testing.assert_array_equal(measure.cross([-1.0], [0.0, 1.0]), first)
