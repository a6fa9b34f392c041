"""Old names of classes work for one more version, in code and in files."""

import json
import zipfile

import pytest

import seamark as sm
from seamark.online import BufferPerClass, PairwiseLearner, Reservoir

ROOMS = [sm.displays, sm.engine, sm.goodness, sm.landmarks, sm.maps, sm.online]
NAMES = [(room, old, new) for room in ROOMS for old, new in room.OLD_NAMES.items()]


@pytest.mark.parametrize(("room", "old", "new"), NAMES)
def test_an_old_name_leads_to_the_new_one_and_says_so(room, old, new):
    said = f"{room.__name__}.{old} is now {room.__name__}.{new}; the old name will be removed"
    with pytest.warns(FutureWarning, match=said) as caught:
        assert getattr(room, old) is getattr(room, new)
    assert caught[0].filename == __file__
    assert new in room.__all__
    assert old not in room.__all__


def test_a_file_may_name_a_class_as_it_was_called_before(tmp_path):
    model = PairwiseLearner(buffer=BufferPerClass(Reservoir(4))).fit([[0.0], [1.0]] * 5, [0, 1] * 5)
    sm.save(model, tmp_path / "new")
    with zipfile.ZipFile(tmp_path / "new") as new, zipfile.ZipFile(tmp_path / "old", "w") as old:
        for name in new.namelist():
            data = new.read(name)
            if name.endswith(".json"):
                assert b"seamark.online.BufferPerClass" in data
                data = data.replace(b"online.BufferPerClass", b"online.PerClass")
                json.loads(data)
            old.writestr(name, data)
    assert repr(sm.load(tmp_path / "old")) == repr(model)


def test_an_old_name_of_a_setting_works_and_says_so():
    said = r"engine.using\(block_bytes=…\) is now feature_bytes=; the old name will be removed"
    with pytest.warns(FutureWarning, match=said), sm.engine.using(block_bytes=77) as inside:
        assert inside.feature_bytes == 77
