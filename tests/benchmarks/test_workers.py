"""Cells in worker processes, what they cost, and how an interrupted run resumes."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from benchmarks.tables import runner, table_3_1
from benchmarks.tables.__main__ import TABLES
from benchmarks.tables.page import write_page
from benchmarks.tables.runner import Clock, run
from benchmarks.tables.store import Store, WholeRun
from benchmarks.tables.summary import Results
from made_up_table import interrupted, table, troubled

ROOT = Path(__file__).parents[2]


@pytest.fixture
def store(tmp_path):
    (tmp_path / "data" / "tabular").mkdir(parents=True)
    np.savez(tmp_path / "data" / "tabular" / "here.npz", X=np.eye(3))
    return Store(tmp_path / "results", tmp_path / "data")


def run_all(build, store, say=lambda line: None, **options):
    return run(build(), store, list(build().cells()), build=build, say=say, **options)


def scores(build, store):
    return {cell: r["score"] for cell, r in Results.of(build(), store, {}).kept.items()}


def test_workers_give_what_one_process_gives(store, monkeypatch):
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "2")
    said = []
    assert run_all(table, store) == {}
    alone = scores(table, store)
    assert run_all(table, store, said.append, fresh=True, jobs=2) == {}
    assert scores(table, store) == alone
    assert len(alone) == 6
    assert said[:2] == ["0.1: 6 cells to run, 0 are there", "0.1: 2 jobs of one thread each"]
    assert said[-1].startswith("[6/6] 0.1 | here | ")
    assert said[-1].endswith("; about 0 s left")
    kept = Results.of(table(), store, {}).kept.values()
    assert {result["threads"] for result in kept} == {1}
    assert os.getpid() not in {result["process"] for result in kept}
    assert os.environ["OPENBLAS_NUM_THREADS"] == "2"


def test_a_failure_or_a_dead_worker_costs_only_its_own_cell(store):
    failures = run_all(troubled, store, jobs=2)
    assert {cell.method: failure for cell, failure in failures.items()} == {
        "broken": "ValueError: no such thing today",
        "killed": "the worker died with exit code -9",
    }
    assert {cell.method for cell in scores(troubled, store)} == {"own", "default"}
    assert store.whole_run(troubled()) is None


def test_cells_that_took_longest_begin_first(store, monkeypatch):
    begun = []
    monkeypatch.setattr(runner, "in_workers", lambda build, data, cells, jobs: begin(begun, cells))
    for cell in table().cells():
        seconds = 9.0 if cell.method == "default" else 1.0
        store.put(table(), cell, {"score": 1.0, "seconds": seconds})
    run_all(table, store, fresh=True, jobs=2)
    assert [cell.method for cell in begun] == ["default"] * 3 + ["own"] * 3
    assert [cell.split for cell in begun] == [0, 1, 2] * 2


def begin(begun, cells):
    begun += cells
    yield from ()


COMMAND = """
if __name__ == "__main__":  # workers import this file too, and need none of it
    import signal

    signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs ignore it
    from benchmarks.tables import __main__ as command
    from made_up_table import interrupted

    command.TABLES = {"0.1": interrupted}
    command.main()
"""


def test_ctrl_c_stops_at_once_and_the_next_run_resumes(store, tmp_path):
    (tmp_path / "command.py").write_text(COMMAND)
    words = f"--jobs 2 --data {store.data} --results {store.folder} --out {tmp_path}".split()
    path = os.pathsep.join([str(ROOT), str(Path(__file__).parent), *filter(None, sys.path)])
    started = subprocess.Popen(
        [sys.executable, str(tmp_path / "command.py"), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": path},
        start_new_session=True,
    )
    while not started.stdout.readline().startswith("[2/"):
        assert started.poll() is None
    os.killpg(started.pid, signal.SIGINT)  # as a terminal does: the workers get it too
    try:
        _, complaint = started.communicate(timeout=300)  # a slow cell takes twice as long
    finally:
        if started.poll() is None:
            os.killpg(started.pid, signal.SIGKILL)
            started.communicate()
    assert started.returncode == 1
    assert complaint.startswith("stopped; finished cells are kept")
    assert complaint.count("\n") == 1  # and no worker complains
    finished = scores(interrupted, store)
    assert {cell.method for cell in finished} == {"own", "default"}
    said, quick = [], [cell for cell in interrupted().cells() if cell.method != "slow"]
    run(interrupted(), store, quick, say=said.append)
    assert said[0] == f"0.1: {6 - len(finished)} cells to run, {len(finished)} are there"


def test_tables_that_compare_seconds_run_alone(store):
    here = table(alone=True)
    run(here, store, list(here.cells()), jobs=2, build=table, say=lambda line: None)
    assert store.whole_run(here).jobs == 1
    assert table_3_1.polynomial().alone
    assert table_3_1.exponential().alone


def test_time_left_is_shared_by_jobs_but_no_less_than_the_longest_cell():
    cells = list(table().cells())
    clock = Clock({cell: {"seconds": 9.0 if cell.method == "own" else 1.0} for cell in cells})
    assert clock.guess(cells) == 30.0
    assert clock.guess(cells, jobs=2) == 15.0
    assert clock.guess(cells, jobs=6) == 9.0
    assert clock.guess([], jobs=2) == 0.0


def test_the_page_says_what_the_cells_cost_and_what_a_whole_run_took(store, tmp_path):
    def page(here):
        return write_page(Results.of(here, store, {}), tmp_path).read_text()

    here, cells = table(), list(table().cells())
    run(here, store, cells[:4], say=lambda line: None)
    assert "4 of 6 cells together: 0.0 minutes of one core." in page(here)
    run(here, store, cells, say=lambda line: None)
    assert "All 6 cells together: 0.0 minutes of one core." in page(here)
    assert "A whole run took" not in page(here)  # it was cut in two
    run(here, store, cells, fresh=True, say=lambda line: None)
    assert store.whole_run(here).jobs == 1
    assert "minutes of one core. A whole run took 0.0 minutes with 1 job.\n" in page(here)
    store.put_run(here, cells, WholeRun(588.0, 2))
    assert "A whole run took 9.8 minutes with 2 jobs." in page(here)
    assert "A whole run took" not in page(table(("own", "slow")))  # another definition by now


def test_seconds_by_the_clock_are_said_to_be_so(store, tmp_path):
    here = table()
    for cell in here.cells():
        facts = {"score": 1.0, "seconds": 120.0, "warnings": []}
        processor = {"processor_seconds": 60.0} if cell.split else {}
        store.put(here, cell, facts | processor)
    page = write_page(Results.of(here, store, {}), tmp_path).read_text()
    told = (
        "All 6 cells together: 8.0 minutes of one core (2 cells by the clock, not the processor)."
    )
    assert told in page


@pytest.mark.parametrize("name", TABLES)
def test_a_quick_run_is_part_of_the_whole_and_has_every_row(name):
    whole = TABLES[name]()
    quick, cells = list(whole.cells(quick=True)), list(whole.cells())
    assert len(set(cells)) == len(cells)
    assert set(quick) <= set(cells)
    everything = {(row.name, method) for row in whole.rows_to_run for method in whole.methods}
    assert everything <= {(cell.row, cell.method) for cell in quick}
    # Fewer cells, unless a single split is all there is.
    assert len(quick) < len(cells) or whole.n_splits == 1
