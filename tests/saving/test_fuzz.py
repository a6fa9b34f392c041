"""A slice of `make fuzz`, and every file that it found something with."""

import sys
from pathlib import Path

import fuzz
import pytest
from saved_tasks import MINE

import seamark as sm
from seamark.saving import ModelFileError

FOUND = sorted((Path(__file__).parent / "found").glob("*.seamark"))


@pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded as Linux does")
def test_a_slice_of_damaged_files():
    """75 kinds of models, three files of most; the cases of `make fuzz` are the same ones."""
    found, counts = fuzz.run(200, workers=1)
    assert not found
    assert sum(counts.values()) == 200
    assert counts["refused"] > 50
    assert counts["answered"] > 20


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning")
@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_what_was_found_stays_mended(path):
    with pytest.raises(ModelFileError):
        sm.load(path, MINE)


def test_the_damage_is_the_same_every_time():
    from fuzz_mutations import damaged
    from fuzz_seeds import Seed

    document = {"model": {"class": "x", "state": {"a": 1, "b": [1, 2, {"number": 0}]}}}
    seeds = [Seed("one", document, [], None)]
    assert [damaged(i, seeds)[1:] for i in range(50)] == [damaged(i, seeds)[1:] for i in range(50)]
    assert len({str(damaged(i, seeds)[1]) for i in range(50)}) > 10


def test_a_death_is_seen_and_named(monkeypatch, tmp_path):
    script = tmp_path / "dies.py"
    script.write_text(
        "import os, pathlib, sys\n"
        "first, stop, step, folder = sys.argv[2:]\n"
        "pathlib.Path(folder, 'at').write_text(first)\n"
        "if int(first) == 0:\n    os.abort()\n"
        "pathlib.Path(folder, 'counts').write_text('{\"refused\": 2}')\n"
    )
    monkeypatch.setattr(fuzz, "__file__", str(script))
    found, counts = fuzz.run(3, workers=1)
    assert [line.partition(";")[0] for line in found] == ["0: died of signal 6"]
    assert counts == {"refused": 2}
