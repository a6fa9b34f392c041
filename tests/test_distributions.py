"""What is sent out is checked: files that are missing or too many are named."""

import importlib.util
import tarfile
import zipfile
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / ".ci" / "check_dist.py"
spec = importlib.util.spec_from_file_location("check_dist", SCRIPT)
check_dist = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check_dist)

NATIVE = "seamark/engine/_native.cpython-311-x86_64-linux-gnu.so"


def archives(folder, *, more=(), without=()):
    """Write an sdist and a wheel of names without contents."""
    ours = check_dist.sources()
    sdist = (ours | check_dist.BESIDE | set(more)) - set(without)
    with tarfile.open(folder / "seamark-9.tar.gz", "w:gz") as archive:
        for name in sdist:
            archive.addfile(tarfile.TarInfo(f"seamark-9/{name}"))
    wheel = {name.removeprefix("src/") for name in ours if "/native/" not in name} | {NATIVE}
    wheel |= {f"seamark-9.dist-info/{name}" for name in check_dist.RECORDS} | set(more)
    with zipfile.ZipFile(folder / "seamark-9-cp311-cp311-linux_x86_64.whl", "w") as archive:
        for name in wheel - set(without):
            archive.writestr(name, "")
    return folder


def test_whole_archives_pass(tmp_path):
    assert check_dist.problems(archives(tmp_path)) == []


def test_what_is_too_much_is_named(tmp_path):
    found = check_dist.problems(archives(tmp_path, more=["tests/naive.py"]))
    assert found == [f"the {a} should not hold tests/naive.py" for a in ("sdist", "wheel")]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (NATIVE, "the wheel should hold one native module"),
        ("seamark/py.typed", "the wheel lacks seamark/py.typed"),
        ("seamark-9.dist-info/licenses/LICENSE", "the wheel lacks info/licenses/LICENSE"),
        ("src/seamark/native/dtw.cpp", "the sdist lacks src/seamark/native/dtw.cpp"),
    ],
)
def test_what_is_missing_is_named(tmp_path, name, message):
    assert check_dist.problems(archives(tmp_path, without=[name])) == [message]


def test_no_archives_are_no_distribution(tmp_path):
    assert check_dist.problems(tmp_path) == [f"{tmp_path} should hold one sdist and one wheel"]
