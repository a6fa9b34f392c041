"""Files are there whole or not at all; only regular ones are written, nothing is left behind."""

import errno
import os
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

import seamark as sm
from seamark.files import atomic_file, require_place

posix = pytest.mark.skipif(sys.platform == "win32", reason="links, pipes and locks of POSIX")


def write(path, data=b"new", **options):
    with atomic_file(path, **options) as file:
        file.write(data)


@posix
def test_a_link_stays_and_its_file_is_written(tmp_path):
    (tmp_path / "real").mkdir()
    target, link = tmp_path / "real" / "m", tmp_path / "link"
    link.symlink_to(target)
    sm.save(sm.LandmarkMap(), link)  # the link leads to where no file is yet
    assert link.is_symlink()
    assert isinstance(sm.load(target), sm.LandmarkMap)
    with pytest.raises(FileExistsError, match="already exists"):
        sm.save(sm.LandmarkMap(), link)
    write(link, overwrite=True)
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert [p.name for p in target.parent.iterdir()] == ["m"]


@posix
def test_links_that_lead_nowhere_are_refused(tmp_path):
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    (tmp_path / "c").symlink_to(tmp_path / "no" / "file")
    with pytest.raises(OSError, match="leads nowhere|Too many levels"):
        write(tmp_path / "a", overwrite=True)
    with pytest.raises(FileNotFoundError, match="does not exist; make it first"):
        write(tmp_path / "c", overwrite=True)
    assert all((tmp_path / name).is_symlink() for name in "abc")


@posix
def test_only_regular_files_are_replaced(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)  # names of sockets are short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        (tmp_path / "link").symlink_to("/dev/null")
        for name, kind in (
            (tmp_path / "pipe", "pipe"),
            (tmp_path / "socket", "socket"),
            (tmp_path / "link", "device"),
            ("/dev/null", "device"),
        ):
            with pytest.raises(OSError, match=f"is a {kind}, and only regular files are written"):
                sm.save(sm.LandmarkMap(), name, overwrite=True)
    assert os.path.exists("/dev/null")
    assert not os.path.isfile("/dev/null")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link", "pipe", "socket"]


# The module alone, which needs nothing else: a process with all of seamark takes a second.
KILLED = """
import os, sys
from files import atomic_file
with atomic_file(sys.argv[1]) as file:
    file.write(b"half")
    os._exit(9)
"""
WRITING = """
import sys
from files import atomic_file
with atomic_file(sys.argv[1], overwrite=True) as file:
    print("open", flush=True)
    sys.stdin.readline()
    file.write(b"slow")
"""

ALONE = {**os.environ, "PYTHONPATH": str(Path(sm.__file__).parent)}


def drafts(folder):
    return [p for p in folder.iterdir() if p.name.endswith(".part")]


def test_what_a_killed_process_left_goes_with_the_next(tmp_path):
    subprocess.run([sys.executable, "-c", KILLED, tmp_path / "m"], check=False, env=ALONE)
    assert len(drafts(tmp_path)) == 1
    others = [tmp_path / ".m.part", tmp_path / f".other.{'0' * 12}.part", tmp_path / "m.part"]
    for other in others:
        other.write_text("of somebody else")
    write(tmp_path / "m")
    assert sorted(tmp_path.iterdir()) == sorted([tmp_path / "m", *others])


@posix
def test_what_another_process_writes_is_left_alone(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", WRITING, tmp_path / "m"],
        env=ALONE,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout.readline() == "open\n"
        write(tmp_path / "m")
        assert len(drafts(tmp_path)) == 1
        other.communicate("go\n")
    assert other.returncode == 0
    assert (tmp_path / "m").read_bytes() == b"slow"
    assert not drafts(tmp_path)


@posix
def test_two_at_once_in_one_process_leave_each_other_alone(tmp_path):
    with atomic_file(tmp_path / "m", overwrite=True) as slow:
        write(tmp_path / "m")
        slow.write(b"slow")
    assert (tmp_path / "m").read_bytes() == b"slow"
    assert not drafts(tmp_path)


@pytest.mark.parametrize("links", [True, False])
def test_of_several_at_once_one_has_the_name(tmp_path, monkeypatch, links):
    def no_links(*names):
        raise PermissionError(errno.EPERM, "no links here")

    def look_then_wait(path, **options):
        require_place(path, **options)
        ready.wait()  # all have seen that there is no such file

    def save(k):
        with suppress(FileExistsError):
            write(tmp_path / "m", b"%d" % k)
            return k

    ready = threading.Barrier(4, timeout=60)
    monkeypatch.setattr("seamark.files.require_place", look_then_wait)
    if not links:
        monkeypatch.setattr("os.link", no_links)
    with ThreadPoolExecutor(4) as pool:
        saved = [k for k in pool.map(save, range(4)) if k is not None]
    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [("m", b"%d" % saved[0])]
    assert len(saved) == 1


def test_a_failure_leaves_the_file_as_it_was(tmp_path):
    write(tmp_path / "m", b"old")

    def fail():
        with atomic_file(tmp_path / "m", overwrite=True) as file:
            file.write(b"half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert [p.read_bytes() for p in tmp_path.iterdir()] == [b"old"]
