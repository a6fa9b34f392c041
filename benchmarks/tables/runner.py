"""Run the cells that are not there yet, saying how far it has come."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable
from contextlib import closing
from typing import Any

import numpy as np

from .outcomes import in_process
from .spec import Cell, Table
from .store import Store, WholeRun
from .workers import Build, in_workers


class Clock:
    """Guesses how long cells take from those that have been run."""

    def __init__(self, kept: dict[Cell, dict[str, Any]] | None = None) -> None:
        self._seen: dict[Any, list[float]] = defaultdict(list)
        for cell, result in (kept or {}).items():
            self.saw(cell, result["seconds"])

    def saw(self, cell: Cell, seconds: float) -> None:
        for key in ((cell.row, cell.method), cell.method, None):
            self._seen[key].append(seconds)

    def guess(self, cells: Iterable[Cell], jobs: int = 1) -> float:
        """Seconds until cells are done: their share of the sum, but no less than the longest."""
        each = [self.guess_one(cell) for cell in cells]
        return max(sum(each) / jobs, max(each, default=0.0))

    def guess_one(self, cell: Cell) -> float:
        for key in ((cell.row, cell.method), cell.method, None):
            if self._seen[key]:
                return float(np.mean(self._seen[key]))
        return 0.0


def run(
    table: Table,
    store: Store,
    cells: list[Cell],
    *,
    fresh: bool = False,
    jobs: int = 1,
    build: Build | None = None,
    say: Any = print,
) -> dict[Cell, str]:
    """Run cells, keep their results, and return the failures with their messages.

    Cells that are already kept are skipped unless `fresh`; those without data are left out: the
    page says which these are. With several `jobs`, and `build` to make the table anew, cells run
    in worker processes, those that took longest in earlier runs first.
    """
    kept, todo = sort_out(table, store, cells, fresh, say)
    jobs = 1 if table.alone or build is None else max(1, min(jobs, len(todo)))
    clock, start = Clock(kept), time.perf_counter()
    if jobs > 1:
        say(f"{table.name}: {jobs} jobs of one thread each")
        todo.sort(key=clock.guess_one, reverse=True)
        outcomes = in_workers(build, store.data, todo, jobs)
    else:
        outcomes = in_process(table, store.data, todo)
    left, failures = set(todo), {}
    with closing(outcomes):
        for outcome in outcomes:
            left.remove(outcome.cell)
            if outcome.result is None:
                failures[outcome.cell] = outcome.failure
            else:
                store.put(table, outcome.cell, outcome.result)
                clock.saw(outcome.cell, outcome.seconds)
            progress = f"[{len(todo) - len(left)}/{len(todo)}]"
            say(f"{progress} {outcome}; about {duration(clock.guess(left, jobs))} left")
    if not failures:
        store.put_run(table, todo, WholeRun(time.perf_counter() - start, jobs))
    return failures


def sort_out(
    table: Table, store: Store, cells: list[Cell], fresh: bool, say: Any
) -> tuple[dict[Cell, dict[str, Any]], list[Cell]]:
    """Return the results that are kept, and the cells to run."""
    ready = [cell for cell in cells if store.has_data(table.row(cell.row))]
    for row in sorted({cell.row for cell in cells} - {cell.row for cell in ready}):
        say(f"{table.name} | {row}: missing, no {table.row(row).data}.npz in the data folder")
    kept = store.kept(table, ready)
    todo = [cell for cell in ready if fresh or cell not in kept]
    say(f"{table.name}: {len(todo)} cells to run, {len(ready) - len(todo)} are there")
    return kept, todo


def duration(seconds: float) -> str:
    """Minutes if there are many seconds."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
