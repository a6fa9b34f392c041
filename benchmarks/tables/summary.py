"""From results of cells to figures: means over splits, and whether the printed ones are reached."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from .spec import Cell, Printed, Row, Table
from .store import Store, WholeRun


@dataclass(frozen=True)
class Figure:
    """Mean and standard deviation over splits."""

    mean: float
    sd: float
    seconds: float
    n: int

    @classmethod
    def of(cls, results: list[dict[str, Any]]) -> Figure | None:
        if not results:
            return None
        scores = np.array([result["score"] for result in results])
        spread = float(scores.std(ddof=1)) if len(scores) > 1 else 0.0
        # Older cells have seconds by the clock only.
        timed = [result for result in results if "processor_seconds" in result] or results
        seconds = float(np.mean([r.get("processor_seconds", r["seconds"]) for r in timed]))
        return cls(float(scores.mean()), spread, seconds, len(scores))


@dataclass(frozen=True)
class Results:
    """What is kept of a table's cells."""

    table: Table
    kept: dict[Cell, dict[str, Any]]
    missing: frozenset[str]
    """Rows without data."""
    failures: dict[Cell, str]
    whole_run: WholeRun | None = None

    @classmethod
    def of(cls, table: Table, store: Store, failures: dict[Cell, str]) -> Results:
        """Gather all results there are, of this run or of earlier ones."""
        kept = store.kept(table, table.cells())
        missing = frozenset(row.name for row in table.rows if not store.has_data(row))
        return cls(table, kept, missing, failures, store.whole_run(table))

    def figure(self, row: Row, method: str, n_landmarks: int | None = None) -> Figure | None:
        n = self.table.size(method, row) if n_landmarks is None else n_landmarks
        wanted = (row.name, method, n)
        return Figure.of(
            [
                result
                for cell, result in self.kept.items()
                if (cell.row, cell.method, cell.n_landmarks) == wanted
            ]
        )

    @property
    def coverage(self) -> str:
        """How many cells there are, of those that have data."""
        n = sum(cell.row not in self.missing for cell in self.table.cells())
        return f"all {n} cells" if len(self.kept) == n else f"{len(self.kept)} of {n} cells"

    @property
    def minutes(self) -> float:
        """Processor minutes of all cells; older ones have seconds by the clock only."""
        each = (r.get("processor_seconds", r["seconds"]) for r in self.kept.values())
        return sum(each) / 60

    def failure(self, row: Row, method: str) -> str | None:
        for cell, message in self.failures.items():
            if (cell.row, cell.method) == (row.name, method):
                return message
        return None


def shortfall(ours: Figure, printed: Printed, lower_is_better: bool) -> float:
    """By how much ours is worse than printed; 0 if not, as far as the printed digits tell."""
    worse = ours.mean - printed.mean if lower_is_better else printed.mean - ours.mean
    return 0.0 if worse <= printed.half_unit else worse


def verdict(ours: Figure, printed: Printed, lower_is_better: bool) -> str:
    """Say whether the printed figure is reached, and if not, by how much it is missed."""
    missed = shortfall(ours, printed, lower_is_better)
    if not missed:
        return "yes"
    share = f"**no**, worse by {missed:.2g} ({missed / abs(printed.mean):.0%})"
    return f"{share}, within the paper's sd" if missed <= printed.sd else share


def distance(ours: Figure, printed: Printed) -> str:
    """Say how far ours is from the printed figure, in either direction."""
    return f"({ours.mean / printed.mean - 1:+.0%})"


def comparison(default: Figure, ours: Figure, lower_is_better: bool) -> str:
    """Say whether our default wins, ties (within the larger sd) or loses; one split cannot tell."""
    if min(default.n, ours.n) < 2:
        return "–"
    gain = ours.mean - default.mean if lower_is_better else default.mean - ours.mean
    if abs(gain) <= max(ours.sd, default.sd):
        return "tie"
    return "win" if gain > 0 else "**loss**"


@dataclass(frozen=True)
class Tally:
    """Printed figures of the paper's own methods on the same data, and our default against ours."""

    reached: int
    comparable: int
    wins: int
    ties: int
    losses: int


def tallied(results: Results) -> Tally:
    """Count rows reached by the paper's own methods, and rows where our default wins or ties."""
    table, reached, against = results.table, [], Counter()
    for row in table.rows:
        default = results.figure(row, table.default)
        for method in table.own:
            printed, ours = table.printed.get((row.name, method)), results.figure(row, method)
            if ours and printed and row.same_data:
                reached.append(not shortfall(ours, printed, table.lower_is_better))
            if ours and default:
                against[comparison(default, ours, table.lower_is_better).strip("*")] += 1
    contests = (against["win"], against["tie"], against["loss"])
    return Tally(sum(reached), len(reached), *contests)
