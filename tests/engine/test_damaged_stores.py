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


@pytest.mark.parametrize("column", ["value", "sum", "l"])
def test_a_changed_value_is_computed_again_with_a_warning(tmp_path, column):
    expected = kept(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as base, base:
        numbers = [row[0] for row in base.execute("SELECT id FROM things ORDER BY id")]
        low = numbers[1]
        changed = {
            "value": "UPDATE pairs SET value = value + 1 WHERE x = (SELECT min(x) FROM pairs)",
            "sum": "UPDATE pairs SET sum = sum + 1 WHERE x = (SELECT min(x) FROM pairs)",
            "l": f"UPDATE pairs SET l = {low} WHERE x = (SELECT min(x) FROM pairs) AND l = "
            "(SELECT min(l) FROM pairs)",
        }[column]
        assert base.execute(changed).rowcount >= 1
    with pytest.warns(RuntimeWarning, match=f"{FILE_NAME} was damaged.*computed again"):
        np.testing.assert_array_equal(kept(tmp_path), expected)
    np.testing.assert_array_equal(kept(tmp_path), expected)  # mended, and silent


def test_numbers_of_objects_that_are_mixed_up_are_named(tmp_path):
    kept(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as base, base:
        a, b = (row[0] for row in base.execute("SELECT digest FROM things LIMIT 2 OFFSET 1"))
        base.execute("UPDATE things SET digest = x'00' WHERE digest = ?", (a,))
        base.execute("UPDATE things SET digest = ? WHERE digest = ?", (a, b))
        base.execute("UPDATE things SET digest = ? WHERE digest = x'00'", (b,))
    with pytest.warns(RuntimeWarning, match="was damaged"):
        np.testing.assert_array_equal(kept(tmp_path), kept(tmp_path / "new"))


def test_minus_zero_agrees_with_its_checksum(tmp_path):
    measure = Custom(operator.mul, kind="similarity", memory=tmp_path)
    first = measure.cross([-1.0], [0.0, 1.0])
    np.testing.assert_array_equal(measure.cross([-1.0], [0.0, 1.0]), first)


def test_an_older_store_is_left_alone(tmp_path):
    (tmp_path / "seamark-values.sqlite").write_bytes(b"values without checksums")
    assert kept(tmp_path).shape == (6, 4)
    assert (tmp_path / "seamark-values.sqlite").read_bytes() == b"values without checksums"
