"""Values and arrays come back as they were; headers are not believed."""

import json

import numpy as np
import pytest
from damage import DAMAGE, damaged
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from seamark.saving import format as npy
from seamark.saving.values import Reader, Writer

DTYPES = arrays.scalar_dtypes().filter(lambda t: npy.DTYPE.fullmatch(t.str))


@given(array=arrays.arrays(DTYPES, arrays.array_shapes(min_dims=0, min_side=0)))
def test_arrays_come_back(array):
    back = npy.from_bytes(npy.to_bytes(array))
    assert (back.dtype, back.shape, back.flags.writeable) == (array.dtype, array.shape, True)
    assert back.tobytes() == array.tobytes()


@pytest.mark.parametrize(
    ("descr", "shape", "n"),
    [
        ("<f8", "(1000000000000,)", 8),
        ("<f8", "(1000000000000, 0)", 0),
        ("|O", "(1,)", 8),
        ("<f8", "(-1,)", 8),
        ("<f8", "(__import__('os'),)", 8),
        ("<U0", "(9,)", 0),
    ],
)
def test_headers_are_not_believed(descr, shape, n):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    data = npy.MAGIC + len(header).to_bytes(2, "little") + header + bytes(n)
    with pytest.raises(ValueError, match="an array"):
        npy.from_bytes(data)


@pytest.mark.parametrize(
    ("array", "bad"), [(np.array([True]), b"\x07"), (np.array(["a"]), b"\xff\xff\xff\xff")]
)
def test_bytes_that_are_no_value_are_refused(array, bad):
    data = npy.to_bytes(array)
    with pytest.raises(ValueError, match="an array of"):
        npy.from_bytes(data[: -len(bad)] + bad)


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.binary()
    | arrays.from_dtype(np.dtype("f4"))
    | arrays.arrays(np.dtype("i8"), 3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text() | st.integers(), inner, max_size=3)
        | st.sets(st.integers() | st.text(), max_size=1)
    ),
    max_leaves=10,
)


@given(value=VALUES)
def test_values_come_back(value):
    writer = Writer()
    node = json.loads(json.dumps(writer.tree(value, "value"), allow_nan=False))
    back = Reader(writer.arrays, {}, 2**20).tree(node)
    np.testing.assert_equal(back, value)
    assert repr(back) == repr(value)


@given(damage=DAMAGE)
def test_damaged_arrays_say_so_or_load(damage):
    """Without the checksum of the container."""
    whole = npy.to_bytes(np.array([["sea", "mark"]]))
    try:
        assert npy.from_bytes(damaged(whole, damage)).nbytes <= len(whole) + 400
    except ValueError as error:
        assert str(error)  # noqa: PT017
