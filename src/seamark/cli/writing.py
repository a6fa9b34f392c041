"""Tables as text: CSV, TSV, JSON lines; and cells that no spreadsheet runs."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

import numpy as np

from .tables import DataError

LARGEST_SINGLE = float(np.finfo(np.float32).max)

RUN = re.compile("'*[=+@\\-\t\r\n\uff1d\uff0b\uff0d\uff20]")  # the last four are wide = + - @
"""How a cell begins that a spreadsheet runs as a formula, or one that we have escaped."""
PLAIN_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def inert(cell: Any) -> Any:
    """Return a cell that a spreadsheet shows and does not run: text may get a quote before it.

    One quote off every cell that begins with quotes and one of these signs gives back the cells as
    they were. Numbers stay numbers.

    Examples
    --------
    >>> [inert(cell) for cell in ["=1+1", "@x", "'=1", "-1.5", -1.5, "Anna", "'tis"]]
    ["'=1+1", "'@x", "''=1", '-1.5', -1.5, 'Anna', "'tis"]
    """
    runs = isinstance(cell, str) and RUN.match(cell) and not PLAIN_NUMBER.fullmatch(cell)
    return f"'{cell}" if runs else cell


def written(
    form: str, names: list[str], rows: Iterable[list[Any]], *, raw: bool = False
) -> Iterator[str]:
    """Yield a table as text, line by line.

    Parameters
    ----------
    form : str
        "csv", "tsv" or "jsonl".
    names : list of str
    rows : iterable of list
    raw : bool, default=False
        Leave cells of CSV and TSV as they are, even those that spreadsheets run.
    """
    if form not in WRITERS:
        raise DataError(f"tables are written as {', '.join(WRITERS)}, not as {form}.")
    return WRITERS[form](names, ([_shortest(cell) for cell in row] for row in rows), raw)


def _shortest(cell: Any) -> Any:
    """Return a number of single precision with the digits that it has: 8.8, not 8.80000019."""
    if not isinstance(cell, (float, np.floating)) or not abs(float(cell)) < LARGEST_SINGLE:
        return cell
    single = np.float32(cell)
    return float(str(single)) if float(single) == cell and not float(cell).is_integer() else cell


def _delimited(between: str) -> Callable[..., Iterator[str]]:
    def lines(names: list[str], rows: Any, raw: bool) -> Iterator[str]:
        for row in chain([names], rows):
            cells = row if raw else map(inert, row)
            buffer = io.StringIO()
            # csv quotes what its own line end is made of; a lone carriage return must be, too.
            csv.writer(buffer, delimiter=between, lineterminator="\r\n").writerow(cells)
            yield buffer.getvalue().removesuffix("\r\n") + "\n"

    return lines


def _objects(names: list[str], rows: Any, raw: bool) -> Iterator[str]:
    for row in rows:
        yield json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False, default=str) + "\n"


WRITERS = {"csv": _delimited(","), "tsv": _delimited("\t"), "jsonl": _objects}
