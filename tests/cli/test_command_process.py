"""The command line as a process: pipes, exit codes, Ctrl-C."""

import os
import signal
import subprocess
import sys

import pytest
from cli_runs import read_csv, run, write_csv


def spawned(*argv, **options):
    command = [sys.executable, "-m", "seamark", *map(str, argv)]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.run(command, timeout=120, check=False, **streams)


def test_the_process_pipes_utf_8(tmp_path):
    path = write_csv(tmp_path / "d.csv", {"t": ["ñandú", "naïve"] * 6, "y": ["sí", "no"] * 6})
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    assert run("fit", path, "--target", "y", "--column", "t", "-o", tmp_path / "m") == 0
    data = (tmp_path / "d.csv").read_bytes()
    done = spawned("predict", tmp_path / "m", "-", env=environment, input=data)
    assert (done.returncode, done.stderr) == (0, b"")
    assert [row["prediction"] for row in read_csv(done.stdout.decode())] == ["sí", "no"] * 6


WAITING = """
import signal
import sys, time
from seamark.cli import main

class Input:
    class buffer:
        def read():
            print("reading", flush=True)
            time.sleep(100)

sys.stdin = Input
signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs ignore it
sys.exit(main(["fit", "-", "--target", "y", "-o", "m"]))
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are other there")
def test_ctrl_c_while_waiting_for_input(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", WAITING],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    ) as process:
        assert process.stdout.readline() == b"reading\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert process.stderr.read() == b"seamark: interrupted.\n"
    assert not list(tmp_path.iterdir())
