"""`Table`: rows of named columns, and where they come from."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..measures.adapters import did_you_mean
from .showing import listed


class DataError(ValueError):
    """What is wrong with a user's data, in one sentence."""


@dataclass(frozen=True)
class Table:
    """Rows of named columns, and where they come from.

    Attributes
    ----------
    source : str
        File name, for messages.
    names : list of str
        Of the columns.
    rows : list of list
        Cells: text in CSV, what they are in JSON and Parquet; None is missing.
    lines : list of int
        Line of each row in the file.
    comma : bool
        Whether numbers may have decimal commas: where semicolons stand between fields.
    decimals : dict of bool
        Columns of which is known whether they have decimal commas: of this or an earlier table.
    marks : dict of dict
        How numbers are written, in all rows of a file if these are some; see `decimal_marks`.
    """

    source: str
    names: list[str]
    rows: list[list[Any]]
    lines: list[int]
    comma: bool = False
    decimals: dict[str, bool] = field(default_factory=dict)
    marks: dict[str, dict[str, tuple[str, str]]] = field(default_factory=dict)

    def position(self, name: str) -> int:
        """Return the number of a column; stop and list the columns if it does not exist."""
        if name not in self._positions:
            guess = did_you_mean(name, self.names)
            alone = " (only one: is the --delimiter another?)" if len(self.names) == 1 else ""
            raise DataError(
                f"{self.source} has no column {name!r}{guess}; its columns are "
                f"{listed(self.names)}{alone}."
            )
        return self._positions[name]

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def column(self, name: str) -> list[Any]:
        """Return the cells of a column."""
        at = self.position(name)
        return [row[at] for row in self.rows]

    def place(self, row: int) -> str:
        """Say where a row is."""
        return f"line {self.lines[row]} of {self.source}"


def require_names(names: list[str], source: str) -> None:
    """Stop at a column without a name, and at two of one name."""
    if "" in names:
        raise DataError(
            f"column {names.index('') + 1} of {source} has no name in the header; give it "
            "one, or drop the column."
        )
    twice = next((name for name, n in Counter(names).items() if n > 1), None)
    if twice is not None:
        raise DataError(f"{source} has two columns named {twice!r}; rename one.")
