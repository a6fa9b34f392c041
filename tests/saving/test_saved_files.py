"""What a file holds, refuses to hold, and needs; old files load."""

import json
import zipfile
from dataclasses import dataclass

import numpy as np
import pytest
from saved_tasks import MINE, VECTORS, WORDS, assert_same, overlap, round_trip, y
from sklearn.base import BaseEstimator

import seamark as sm
from seamark.features import as_features
from seamark.measures import Custom
from seamark.saving import contents


class Mine(sm.measures.Levenshtein):
    """A measure of the user's."""


def test_classes_of_the_user_are_passed_to_load(tmp_path):
    path = tmp_path / "m"
    model = sm.LandmarkClassifier(Mine(), n_landmarks=4, random_state=0).fit(WORDS, y)
    sm.save(model, path)
    assert contents(path).functions == [f"{__name__}.Mine"]
    with pytest.raises(ValueError, match=rf"needs the class {__name__}.Mine, .* pass it"):
        sm.load(path)
    assert_same(model, sm.load(path, {f"{__name__}.Mine": Mine}), WORDS)


def test_functions_are_passed_never_imported(tmp_path):
    path = tmp_path / "m"
    model = sm.LandmarkClassifier(overlap, n_landmarks=4, random_state=0).fit(WORDS, y)
    sm.save(model, path)
    assert contents(path).functions == ["saved_tasks.overlap"]
    with pytest.raises(ValueError, match=r"uses the function saved_tasks.overlap, .* pass it"):
        sm.load(path)
    two = sm.LandmarkMap([Custom(lambda a, b: 1.0), Custom(lambda a, b: 2.0)])
    with pytest.raises(TypeError, match="second function named .*<lambda>, .*different ones"):
        sm.save(two, tmp_path / "two")


def test_no_folder_travels(tmp_path):
    sm.save(sm.LandmarkMap(Custom(overlap, memory=tmp_path / "values")), tmp_path / "m")
    assert sm.load(tmp_path / "m", MINE).measure.memory is None


def test_numpys_default_generator_goes_on_and_others_are_dropped(tmp_path):
    generator = np.random.default_rng(0)
    generator.integers(10, dtype=np.uint32)  # half of a drawn number waits inside
    loaded = round_trip(sm.LandmarkMap(random_state=generator), tmp_path / "m").random_state
    assert loaded.bit_generator.state == generator.bit_generator.state
    for other in (np.random.RandomState(0), np.random.Generator(np.random.MT19937(0))):
        assert round_trip(sm.LandmarkMap(random_state=other), tmp_path / "m").random_state is None


def test_parts_of_a_loaded_model_share_no_array(tmp_path):
    model = sm.LandmarkMap("euclidean", landmarks=VECTORS[:3]).fit(VECTORS)
    loaded = round_trip(model, tmp_path / "m")
    np.testing.assert_array_equal(loaded.landmarks, loaded.landmarks_)
    assert not np.shares_memory(loaded.landmarks, loaded.landmarks_)
    loaded.landmarks_[0] = 7.0  # and they can be written to


def test_the_file_is_plain_small_and_reproducible(tmp_path):
    model = sm.LandmarkClassifier("levenshtein", n_landmarks=6, random_state=0).fit(WORDS, y)
    sm.save(model, tmp_path / "a", about={"column": "name", "n": 3})
    sm.save(model, tmp_path / "b", about={"column": "name", "n": 3})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    with zipfile.ZipFile(tmp_path / "a") as archive:
        document = json.loads(archive.read("model.json"))
        arrays = [name for name in archive.namelist() if name.endswith(".npy")]
        for name in arrays:
            with archive.open(name) as file:
                np.load(file, allow_pickle=False)
    assert (document["format"], document["version"]) == ("seamark model", 1)
    found = contents(tmp_path / "a")
    assert (found.model, found.about) == (
        "seamark.models.LandmarkClassifier",
        {"column": "name", "n": 3},
    )
    # Landmarks are in the map and in the model, and once in the file.
    assert (tmp_path / "a").read_bytes().count(model.landmarks_.values.tobytes()) == 1


def test_never_overwrites_unless_told_and_leaves_no_drafts(tmp_path):
    path = tmp_path / "m"
    path.write_text("precious")
    with pytest.raises(FileExistsError, match="already exists"):
        sm.save(sm.LandmarkMap(), path)
    with pytest.raises(TypeError, match="model.landmarks is a complex, which cannot be saved"):
        sm.save(sm.LandmarkMap(landmarks=1j), path, overwrite=True)
    assert path.read_text() == "precious"
    sm.save(sm.LandmarkMap(), path, overwrite=True)
    assert [p.name for p in tmp_path.iterdir()] == ["m"]
    with pytest.raises(FileNotFoundError, match="make it first"):
        sm.save(sm.LandmarkMap(), tmp_path / "no" / "m")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        sm.save(sm.LandmarkMap(), tmp_path)


class Holder(BaseEstimator):
    def __init__(self, value=None):
        self.value = value


@dataclass
class Boat:
    """A record of the user's, as a landmark of a custom measure might be."""

    length: float
    crew: list[str]


def test_plain_classes_of_ours_and_records_of_the_users(tmp_path):
    given = {f"{__name__}.Holder": Holder, f"{__name__}.Boat": Boat}
    loaded = round_trip(Holder(as_features(VECTORS)), tmp_path / "m", given).value
    assert type(loaded) is type(as_features(VECTORS))
    np.testing.assert_array_equal(next(iter(loaded.chunks()))[1], VECTORS)
    boat = Boat(7.5, ["Anna"])
    assert round_trip(Holder(boat), tmp_path / "m", given).value == boat


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (object(), "model.value is a object"),
        ({"a": [1, {2j}]}, r"model.value\['a'\]\[1\]\[0\] is a complex"),
        (np.array(["2026-01-01"], dtype="M8[D]"), "array of datetime64"),
        (np.zeros(2, dtype=[("a", "f8")]), "array of"),
    ],
)
def test_what_cannot_be_saved_is_named(value, reason, tmp_path):
    with pytest.raises(TypeError, match=reason):
        sm.save(Holder(value), tmp_path / "m")
    assert not list(tmp_path.iterdir())


def test_what_holds_itself_is_refused(tmp_path):
    ring = []
    ring.append(ring)
    with pytest.raises(ValueError, match="or holds itself"):
        sm.save(Holder(ring), tmp_path / "m")
    with pytest.raises(TypeError, match="save takes an estimator"):
        sm.save([1], tmp_path / "m")
