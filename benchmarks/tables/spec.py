"""What a table is: rows, methods, printed figures, and how one cell of it is run."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

PRINTED = Path(__file__).parent / "printed"


@dataclass(frozen=True)
class Printed:
    """A figure as the paper prints it; its last digit says how exactly it is known."""

    text: str
    sd_text: str = ""
    """Empty: the paper prints none."""
    seconds: str = ""

    def __str__(self) -> str:
        return f"{self.text} ({self.sd_text})" if self.sd_text else self.text

    @property
    def mean(self) -> float:
        return float(self.text)

    @property
    def sd(self) -> float:
        return float(self.sd_text or 0)

    @property
    def half_unit(self) -> float:
        """Half a unit of the last printed digit: closer than that nobody can tell."""
        return 0.5 * 10.0 ** Decimal(self.text).as_tuple().exponent


@dataclass(frozen=True)
class Row:
    """One row of a table: a data set and what compares its objects."""

    name: str
    data: str
    """Path of the data set in the data folder, without ending."""
    measure: Any = None
    remark: str = ""
    """Where the data or protocol are not known to be the paper's."""
    same_data: bool = True
    most_landmarks: int | None = None
    """Points of the curve beyond this many landmarks are left out: there are no more objects."""
    most_splits: int | None = None
    """A large set gets fewer splits, so that the whole table stays within its time."""
    most_objects: int | None = None
    """Methods that evaluate all pairs of training objects get so many of them."""
    sizes: dict[str, int] = field(default_factory=dict)
    """Methods that have another number of landmarks here than in the rest of the table."""
    absent: str = ""
    """Why a row of the paper is not run; its printed figures are shown. Such a row has no data."""


@dataclass(frozen=True)
class Cell:
    """One run: a method on one split of a row's data."""

    table: str
    row: str
    method: str
    split: int
    n_landmarks: int | None
    """None: the method has no such number, or chooses its own."""

    def __str__(self) -> str:
        size = "" if self.n_landmarks is None else f", {self.n_landmarks}"
        return f"{self.table} | {self.row} | {self.method}{size} | split {self.split}"


@dataclass(frozen=True)
class Table:
    """A table of a paper.

    `load(row, folder)` reads a row's data, `evaluate(cell, row, data)` runs a cell and returns at
    least `score` and `seconds`, `define(cell, row)` says in text what would be run, so that a
    changed method is not mistaken for one that has been run before.
    """

    name: str
    title: str
    score: str
    """What is measured, such as "mean squared error"."""
    lower_is_better: bool
    rows: tuple[Row, ...]
    methods: tuple[str, ...]
    own: tuple[str, ...]
    """The paper's own methods, whose printed figures are to be reached; others are its rivals."""
    default: str
    """Our estimator as it comes out of the box."""
    load: Callable[[Row, Path], Any]
    evaluate: Callable[[Cell, Row, Any], dict[str, Any]]
    define: Callable[[Cell, Row], str]
    printed: dict[tuple[str, str], Printed] = field(default_factory=dict)
    source: str = ""
    protocol: tuple[str, ...] = ()
    """Sentences for the page: what was done, what is assumed."""
    n_splits: int = 5
    quick_splits: int = 2
    n_landmarks: int = 50
    sizes: dict[str, int] = field(default_factory=dict)
    """Methods that stand in the table with another number of landmarks."""
    level: tuple[str, ...] = ()
    """Methods of the paper without a number of landmarks; our default never has one."""
    curve: tuple[int, ...] = ()
    """Further numbers of landmarks, for the plot."""
    curve_methods: tuple[str, ...] = ()
    curve_splits: int = 2
    reasons: dict[tuple[str, str], str] = field(default_factory=dict)
    """By row and method: why a printed figure is missed, as far as experiments tell."""
    sizes_of: str = "landmarks"
    """What `n_landmarks` counts; empty, if no method has such a number."""
    alone: bool = False
    """Whether cells must not run beside each other, because the page compares their seconds."""
    findings: Callable[[Any], str] = lambda results: ""
    """What the page says of its `Results` as a whole, in Markdown."""

    def cells(self, quick: bool = False) -> Iterator[Cell]:
        """All cells; split by split, so that a run that is cut short has seen every row."""
        for split in range(self.quick_splits if quick else self.n_splits):
            for row in self.rows_to_run:
                if row.most_splits is None or split < row.most_splits:
                    for method in (*self.methods, self.default):
                        size = self.size(method, row)
                        yield Cell(self.name, row.name, method, split, size)
        for split in range(1 if quick else self.curve_splits):
            yield from self._curve_cells(split)

    def _curve_cells(self, split: int) -> Iterator[Cell]:
        for row in self.rows_to_run:
            if row.most_splits is not None and split >= row.most_splits:
                continue
            for n in self.curve:
                if row.most_landmarks is None or n <= row.most_landmarks:
                    for method in self.curve_methods:
                        if n != self.size(method, row):
                            yield Cell(self.name, row.name, method, split, n)

    @property
    def rows_to_run(self) -> list[Row]:
        """Rows without those that only have printed figures."""
        return [row for row in self.rows if not row.absent]

    def size(self, method: str, row: Row) -> int | None:
        """Number of landmarks with which a method stands in a row of the table."""
        if method in (*self.level, self.default):
            return None
        return (self.sizes | row.sizes).get(method, self.n_landmarks)

    def row(self, name: str) -> Row:
        return next(row for row in self.rows if row.name == name)


def read_printed(name: str) -> tuple[dict[tuple[str, str], Printed], str]:
    """Printed figures of a table, by row and method, and where they stand."""
    content = json.loads((PRINTED / f"{name}.json").read_text(encoding="utf-8"))
    figures = {
        (row, method): Printed(*figure)
        for row, methods in content["figures"].items()
        for method, figure in methods.items()
    }
    return figures, content["source"]
