"""A file may hold anything: loading it says one sentence, runs nothing, and ends."""

import io
import json
import zipfile

import pytest

import seamark as sm
from seamark.saving import ModelFileError, contents
from seamark.saving.format import DOCUMENT, unpack
from seamark.saving.values import CLOSED_ROOMS


def changed(saved, path, edit=lambda document: None, **options):
    """Write the file again, with an edited document and members of one's own."""
    with zipfile.ZipFile(io.BytesIO(saved)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    document = json.loads(members[DOCUMENT])
    document = edit(document) or document
    members[DOCUMENT] = json.dumps(document).encode()
    members |= options.pop("members", {})
    with zipfile.ZipFile(path, "w", **options) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def put(*keys, value):
    """Return an edit that sets one entry of the document."""

    def edit(document):
        node = document
        for key in keys[:-1]:
            node = node[key]
        node[keys[-1]] = value

    return edit


STATE = ("model", "state")


def offsets_astray(document):
    """Let rows of the training data stand for the ends of strings."""
    state = document["model"]["state"]
    state["landmarks_"]["offsets"] = state["landmark_indices_"]["number"]


def instance(path, state):
    return {"$": "object", "class": path, "state": state}


def deep(levels):
    node = []
    for _ in range(levels):
        node = [node]
    return node


EDITS = {
    "another format": (put("format", value="joblib"), "does not say that it is a saved model"),
    "a later version": (put("version", value=2), "has format 2, .* reads formats up to 1; upgrade"),
    "no version": (put("version", value="1"), "not name the version"),
    "a key too many": (put("hook", value=1), "has, or lacks, the key 'hook'"),
    "no object": (lambda document: [document], "does not say that it is a saved model"),
    "no model": (put("model", value=3), "holds a int, and no model"),
    "another kind": (put("model", "$", value="pickle"), "holds a 'pickle', a kind not known"),
    "a kind in disguise": (put("model", "$", value=["dict"]), "a kind not known"),
    "a function": (
        put(*STATE, "head", value={"$": "function", "name": "os.system"}),
        "uses the function os.system, .* never imported",
    ),
    "a module as class": (
        put("model", "class", value="os.path"),
        "the class os.path, .*pass",
    ),
    "subprocess": (put("model", "class", value="subprocess.Popen"), "no part of seamark"),
    "path traversal": (put("model", "class", value="../../seamark.x"), "no import path"),
    "not in the list": (
        put("model", "class", value="sklearn.ensemble.RandomForestClassifier"),
        "no part of seamark",
    ),
    "an estimator of a closed room": (
        put("model", "class", value="seamark.engine.python_calls.Packed"),
        "no part of seamark",
    ),
    "a class that ours imports": (
        put("model", "class", value="seamark.models.classifier.LogisticRegressionCV"),
        "which this version does not have",
    ),
    "what a module imported": (
        put("model", "class", value="seamark.saving.Path"),
        "no part of seamark",
    ),
    "a function of ours": (put("model", "class", value="seamark.papers.bbs"), "which it is not"),
    "a record as model": (
        put("model", "class", value="seamark.landmarks.Landmarks"),
        "as estimator, which it is not",
    ),
    "a method covered in an object": (
        put(*STATE, "head", value=instance("seamark.features.InMemory", {"chunks": 1})),
        "InMemory has 'chunks', which is not known",
    ),
    "an object of a closed room": (
        put(*STATE, "head", value=instance("seamark.engine.Progress", {})),
        "no part of seamark",
    ),
    "a plain class of another package": (
        put(*STATE, "head", value=instance("sklearn.svm.SVC", {})),
        "as object, which it is not",
    ),
    "an estimator as a plain object": (
        put(*STATE, "head", value=instance("seamark.measures.Custom", {"memory": "/etc"})),
        "as object, which it is not",
    ),
    "objects as a plain record": (
        put("model", "state", "landmarks_", value=instance("seamark.data.Ragged", {})),
        "as object, which it is not",
    ),
    "offsets beyond the values": (
        offsets_astray,
        "damaged|not valid objects",
    ),
    "a generator astray": (
        put(*STATE, "head", value={"$": "generator", "state": [-1, 2**200, 5, "x"]}),
        "damaged",
    ),
    "a class of tomorrow": (
        put("model", "class", value="seamark.models.LandmarkOracle"),
        "needs seamark.models.LandmarkOracle, which this version does not have",
    ),
    "a method covered": (put(*STATE, "predict", value=1), "'predict', which is not known"),
    "a dunder": (put(*STATE, "__class__", value=1), "'__class__', which is not known"),
    "no such array": (put(*STATE, "classes_", "number", value=10**6), "has no array 1000000"),
    "an array of names": (put(*STATE, "classes_", "number", value="../x"), "has no array"),
    "deep": (put(*STATE, "head", value=deep(70)), "nested more than 60 levels"),
    "no hashable key": (
        put(*STATE, "head", value={"$": "set", "items": [[1]]}),
        "unhashable",
    ),
    "an object array that lies": (
        put(*STATE, "head", value={"$": "objects", "shape": [10**9, 10**9], "items": [1]}),
        "damaged",
    ),
    "a wide type": (
        put(*STATE, "head", value={"$": "dtype", "name": "<U99999999999"}),
        "unknown type of number",
    ),
    "a type of bytes": (put(*STATE, "head", value={"$": "dtype", "name": "|V8"}), "unknown type"),
}


@pytest.mark.parametrize("name", EDITS)
def test_one_sentence_for_every_trick(saved, tmp_path, name):
    edit, sentence = EDITS[name]
    path = changed(saved, tmp_path / "m", edit)
    with pytest.raises(ModelFileError, match=sentence) as caught:
        sm.load(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


def test_endless_nesting_ends(saved, tmp_path):
    document, _ = unpack(saved)
    put(*STATE, "head", value="@deep")(document)
    text = json.dumps(document).replace('"@deep"', "[" * 100_000 + "]" * 100_000)
    path = changed(saved, tmp_path / "m", members={DOCUMENT: text.encode()})
    with pytest.raises(ModelFileError):
        sm.load(path)
    with pytest.raises(ModelFileError):
        contents(path)


def test_json_is_strict(saved, tmp_path):
    text = json.dumps(unpack(saved)[0]).replace('"budget":', '"budget": NaN, "x":').encode()
    with pytest.raises(ModelFileError, match="NaN, which is no JSON"):
        sm.load(changed(saved, tmp_path / "m", members={DOCUMENT: text}))


def test_nothing_is_compressed_so_nothing_blows_up(saved, tmp_path):
    bomb = changed(
        saved,
        tmp_path / "m",
        members={"arrays/0.npy": bytes(10**7)},
        compression=zipfile.ZIP_DEFLATED,
    )
    with pytest.raises(ModelFileError, match="are compressed"):
        sm.load(bomb)


def test_members_that_share_their_bytes_are_refused(saved, tmp_path):
    """The directory names one member's bytes again and again: more bytes than the file has."""
    data = bytearray(saved)
    place = data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") + 1)
    claimed = int.from_bytes(data[place + 24 : place + 28], "little")
    data[place + 20 : place + 28] = (claimed + len(saved)).to_bytes(4, "little") * 2
    (tmp_path / "m").write_bytes(data)
    with pytest.raises(ModelFileError, match="claim more bytes than the file has"):
        sm.load(tmp_path / "m")


@pytest.mark.parametrize("name", ["../evil.npy", "/etc/passwd", "arrays/x.npy", "model.pkl"])
def test_no_member_of_another_name(saved, tmp_path, name):
    path = changed(saved, tmp_path / "m", members={name: b"x"})
    with pytest.raises(ModelFileError, match="other members than a saved model has"):
        sm.load(path)


def test_sizes_are_bounded(saved, tmp_path):
    path = tmp_path / "m"
    path.write_bytes(saved)
    with pytest.raises(ModelFileError, match="more than max_bytes=100; raise it"):
        sm.load(path, max_bytes=100)
    again = [{"$": "array", "number": 0}] * 1000
    changed(saved, path, put(*STATE, "head", value=again))
    with pytest.raises(ModelFileError, match="arrays take more than max_bytes"):
        sm.load(path, max_bytes=100_000)


def test_closed_rooms_are_rooms():
    """A room that is renamed must not be opened by that."""
    rooms = set(sm.__all__) | {"cli", "__main__"}
    assert rooms >= CLOSED_ROOMS
