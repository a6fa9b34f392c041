"""How much JSON would become is counted before anything is built of it."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import seamark as sm
from seamark.saving import ModelFileError
from seamark.saving import format as documents
from seamark.saving.format import read_document, require_bounded


@pytest.fixture
def nothing_is_built(monkeypatch):
    def loads(*args, **options):
        raise AssertionError("built")

    monkeypatch.setattr(documents.json, "loads", loads)


@pytest.mark.usefixtures("nothing_is_built")
@pytest.mark.parametrize("item", [b"[],", b"{},", b"0,", b'"",', b'"a":0,', rb'"\\",', rb'"\"",'])
def test_many_values_are_refused_before_they_are_built(item):
    data = b"[" + item * (documents.DOCUMENT_NODES + 1) + b"0]"
    with pytest.raises(ModelFileError, match="more than 2000000 names and values"):
        read_document(data)


@pytest.mark.usefixtures("nothing_is_built")
@pytest.mark.parametrize(
    "data", [b"[" * 10**6, b'{"a":' * 1000, b'"[",' + b"[[" * 101, b"]" + b"[" * 300]
)
def test_deep_documents_are_refused_before_they_are_built(data):
    with pytest.raises(ModelFileError, match="nested more than 200 levels"):
        read_document(data)


@pytest.mark.usefixtures("nothing_is_built")
def test_a_text_without_an_end_is_looked_through_once():
    """Quotes behind backslashes: a search that started again at each would never end."""
    require_bounded(b'"' + rb"\"" * 10**6)
    require_bounded(b'"' + rb"\\" * 10**6 + b"[" * 10**6)


def test_what_is_inside_texts_does_not_count():
    text = '[{,:"\\' * 10**6
    assert read_document(json.dumps([text, "\\"]).encode()) == [text, "\\"]


def test_only_utf_8_can_be_counted():
    with pytest.raises(ValueError, match="decode|Expecting value"):
        read_document(json.dumps(["∢"] * 3, ensure_ascii=False).encode("utf-16-le"))


LEAVES = st.none() | st.integers() | st.text('[]{},:"\\a')


@given(st.recursive(LEAVES, lambda x: st.lists(x, max_size=4) | st.dictionaries(st.text(), x)))
def test_the_count_is_never_less_than_what_is_there(tree):
    """With bounds set to what is there, nothing passes that has more."""
    data = json.dumps(tree).encode()
    nodes, depth = _size(tree)
    with pytest.MonkeyPatch.context() as bounds:
        bounds.setattr(documents, "DOCUMENT_NODES", 2 * nodes)
        bounds.setattr(documents, "DOCUMENT_LEVELS", depth)
        assert read_document(data) == tree
    if depth:
        with pytest.MonkeyPatch.context() as bounds:
            bounds.setattr(documents, "DOCUMENT_LEVELS", depth - 1)
            with pytest.raises(ModelFileError, match="nested"):
                read_document(data)


def _size(tree):
    if not isinstance(tree, (list, dict)):
        return 1, 0
    parts = [_size(one) for one in (tree.values() if isinstance(tree, dict) else tree)]
    names = len(tree) if isinstance(tree, dict) else 0
    return 1 + names + sum(n for n, _ in parts), 1 + max((d for _, d in parts), default=0)


def test_what_could_not_be_read_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr(documents, "DOCUMENT_NODES", 100)
    with pytest.raises(ModelFileError, match="numbers belong into arrays"):
        sm.save(sm.LandmarkMap(landmarks=[1.0] * 101), tmp_path / "m")
    sm.save(sm.LandmarkMap(landmarks=np.ones(101)), tmp_path / "m")
    assert [p.name for p in tmp_path.iterdir()] == ["m"]


def test_members_without_end_are_refused(tmp_path):
    (tmp_path / "m").write_bytes(b"PK\x01\x02" * (2**19 + 1))
    with pytest.raises(ModelFileError, match="more than 524288 members"):
        sm.load(tmp_path / "m")


def test_the_depth_of_a_model_fits_that_of_a_document(tmp_path):
    deep = []
    for _ in range(27):
        deep = {"a": deep}  # three brackets each
    sm.save(sm.LandmarkMap(landmarks=deep), tmp_path / "m")
    assert sm.load(tmp_path / "m").landmarks == deep
    assert documents.DOCUMENT_LEVELS >= 3 * 60
