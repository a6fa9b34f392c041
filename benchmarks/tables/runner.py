"""Run the cells that are not there yet, saying how far it has come."""

from __future__ import annotations

import time
import warnings
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from .spec import Cell, Table
from .store import Store


class Clock:
    """Guesses how long cells take from those that have been run."""

    def __init__(self) -> None:
        self._seen: dict[Any, list[float]] = defaultdict(list)

    def saw(self, cell: Cell, seconds: float) -> None:
        for key in ((cell.row, cell.method), cell.method, None):
            self._seen[key].append(seconds)

    def guess(self, cells: Iterable[Cell]) -> float:
        return sum(self._guess_one(cell) for cell in cells)

    def _guess_one(self, cell: Cell) -> float:
        for key in ((cell.row, cell.method), cell.method, None):
            if self._seen[key]:
                return float(np.mean(self._seen[key]))
        return 0.0


def run(
    table: Table, store: Store, cells: list[Cell], *, fresh: bool = False, say: Any = print
) -> dict[Cell, str]:
    """Run cells, keep their results, and return the failures with their messages.

    Cells that are already kept are skipped unless `fresh`; those without data are left out: the
    page says which these are.
    """
    ready = [cell for cell in cells if store.has_data(table.row(cell.row))]
    for row in sorted({cell.row for cell in cells} - {cell.row for cell in ready}):
        say(f"{table.name} | {row}: missing, no {table.row(row).data}.npz in the data folder")
    todo = [cell for cell in ready if fresh or store.get(table, cell) is None]
    say(f"{table.name}: {len(todo)} cells to run, {len(ready) - len(todo)} are there")
    load = lru_cache(maxsize=4)(lambda name: table.load(table.row(name), store.data))
    clock, failures = Clock(), {}
    for done, cell in enumerate(todo, start=1):
        start = time.perf_counter()
        try:
            result = _evaluate(table, cell, load(cell.row))
        except Exception as error:  # one method's failure must not cost the others their night
            failures[cell] = f"{type(error).__name__}: {error}"
            say(f"[{done}/{len(todo)}] {cell}: failed, {failures[cell]}")
            continue
        store.put(table, cell, result)
        seconds = time.perf_counter() - start
        clock.saw(cell, seconds)
        left = duration(clock.guess(todo[done:]))
        say(
            f"[{done}/{len(todo)}] {cell}: {result['score']:.4g} "
            f"in {seconds:.1f} s; about {left} left"
        )
    return failures


def _evaluate(table: Table, cell: Cell, data: Any) -> dict[str, Any]:
    """Run a cell; warnings are kept with its result instead of drowning the progress."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = table.evaluate(cell, table.row(cell.row), data)
    words = sorted({f"{w.category.__name__}: {str(w.message).splitlines()[0]}" for w in caught})
    return result | {"warnings": words}


def duration(seconds: float) -> str:
    """Minutes if there are many seconds."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
