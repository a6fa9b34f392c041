"""One cell, run: its result, or the message of its failure, and how long it took."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from .spec import Cell, Table


@dataclass(frozen=True)
class Outcome:
    """How a cell ended, and its seconds by the clock, data loaded and all."""

    cell: Cell
    seconds: float
    result: dict[str, Any] | None = None
    failure: str = ""

    def __str__(self) -> str:
        if self.result is None:
            return f"{self.cell}: failed, {self.failure}"
        return f"{self.cell}: {self.result['score']:.4g} in {self.seconds:.1f} s"


def attempts(table: Table, folder: Path | None) -> Callable[[Cell], Outcome]:
    """Return what runs a cell of a table; the data of the last few rows stay in memory."""
    load = lru_cache(maxsize=4)(lambda name: table.load(table.row(name), folder))

    def attempt(cell: Cell) -> Outcome:
        start = time.perf_counter()
        try:
            result = _evaluate(table, cell, load(cell.row))
        except Exception as error:  # one method's failure must not cost the others their night
            failure = f"{type(error).__name__}: {error}"
            return Outcome(cell, time.perf_counter() - start, failure=failure)
        return Outcome(cell, time.perf_counter() - start, result)

    return attempt


def in_process(table: Table, folder: Path | None, cells: list[Cell]) -> Iterator[Outcome]:
    """Run cells one after the other, in their order."""
    yield from map(attempts(table, folder), cells)


def _evaluate(table: Table, cell: Cell, data: Any) -> dict[str, Any]:
    """Run a cell; warnings are kept with its result instead of drowning the progress."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = table.evaluate(cell, table.row(cell.row), data)
    words = sorted({f"{w.category.__name__}: {str(w.message).splitlines()[0]}" for w in caught})
    return result | {"warnings": words}
