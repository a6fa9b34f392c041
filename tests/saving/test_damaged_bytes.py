"""Damaged bytes and any JSON: a file loads, or says what is wrong."""

import numpy as np
import pytest
from damage import DAMAGE, damaged
from hypothesis import given, settings
from hypothesis import strategies as st
from test_hostile_files import changed

import seamark as sm
from seamark.data import Ragged, series, strings, vectors
from seamark.saving import ModelFileError
from seamark.saving.format import unpack
from seamark.saving.values import FORMS


def test_what_is_no_file_or_no_zip(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file"):
        sm.load(tmp_path / "m")
    for data in (b"", b"PK\x03\x04", b"\x80\x04K\x01.", bytes(5000)):
        (tmp_path / "m").write_bytes(data)
        with pytest.raises(ModelFileError, match="not a seamark model, or it is damaged"):
            sm.load(tmp_path / "m")


@settings(max_examples=150)
@given(damage=DAMAGE)
def test_damaged_bytes_say_so_or_load(saved, tmp_path_factory, damage):
    """Change, cut or insert anywhere: `ValueError` or a model, never anything else."""
    _loads_or_says_so(damaged(saved, damage), tmp_path_factory)


def _loads_or_says_so(data, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "fuzzed"
    path.write_bytes(data)
    try:
        sm.load(path)
    except ModelFileError as error:
        assert "\n" not in str(error)  # noqa: PT017


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["$", "items", "class", "state", "number"]), inner)
        | st.sampled_from(FORMS).flatmap(
            lambda form: st.fixed_dictionaries(
                {"$": st.just(form.tag), **dict.fromkeys(sorted(form.keys), inner)}
            )
        )
    ),
    max_leaves=8,
)


@settings(max_examples=150)
@given(node=JSON, place=st.integers(0, 400))
def test_any_json_anywhere_says_so_or_loads(saved, tmp_path_factory, node, place):
    """Sound bytes around a hostile document: each node of the tree replaced by any other."""
    document, _ = unpack(saved)
    places = list(_places(document["model"]))
    parent, key = places[place % len(places)]
    parent[key] = node
    path = tmp_path_factory.getbasetemp() / "fuzzed"
    _loads_or_says_so(changed(saved, path, lambda _: document).read_bytes(), tmp_path_factory)


def _places(node):
    for key, part in node.items() if isinstance(node, dict) else enumerate(node):
        yield node, key
        if isinstance(part, (dict, list)):
            yield from _places(part)


@pytest.mark.parametrize(
    "objects",
    [
        Ragged(np.zeros((2, 1)), [0, 2, 2], series),
        Ragged(np.array([[np.nan]]), [0, 1], series),
        Ragged(np.zeros(3), [0, 3], series),
        Ragged(np.array([0x110000], np.uint32), [0, 1], strings),
        Ragged(np.array([1], np.int64), [0, 1], strings),
        Ragged(np.zeros((2, 1)), [0, 2], vectors),
    ],
)
def test_objects_that_no_ingest_makes_are_refused(objects, tmp_path):
    """Native code trusts them: a series without steps would be read beyond its end."""
    sm.save(sm.LandmarkMap(landmarks=objects), tmp_path / "m")
    with pytest.raises(ModelFileError, match="not valid objects"):
        sm.load(tmp_path / "m")
