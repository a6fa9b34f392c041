"""Tables that a command writes: safe in spreadsheets, and never over what it reads."""

from __future__ import annotations

import argparse
import csv
import io
import itertools
import json
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from ..atomic_files import require_place
from ..plotting import visible
from ..saving import atomic_file
from .messages import show_json
from .tables import STANDARD, DataError, format_of

# Tables as text: CSV, TSV, JSON lines; and cells that no spreadsheet runs.


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


# Where a command may write: never over what it reads.


def require_output(path: str, *inputs: str, overwrite: bool) -> None:
    """Stop before any work if a file cannot, or must not, be written.

    Parameters
    ----------
    path : str
        The output; links are followed.
    *inputs : str
        What is read; ``"-"`` is standard input. To write over these is refused, forced or not.
    overwrite : bool
        Whether another file of that name may be replaced.
    """
    if path == STANDARD:
        raise DataError("this output cannot go to standard output; give the name of a file.")
    _require_other(_status(path, None), path, inputs)
    require_place(Path(path), overwrite=overwrite)


def require_other_stream(*inputs: str) -> None:
    """Stop if standard output goes to a file that is read, as after ``>>``."""
    _require_other(_status(STANDARD, sys.stdout), "standard output", inputs)


def _require_other(output: os.stat_result | None, name: str, inputs: tuple[str, ...]) -> None:
    if output is None or not stat.S_ISREG(output.st_mode):
        return  # a terminal is both read and written
    for path in inputs:
        found = _status(path, sys.stdin)
        if found is not None and os.path.samestat(output, found):
            source = "standard input" if path == STANDARD else path
            raise DataError(
                f"{name} and {source} are the same file, which would be lost; give the output "
                "another name."
            )


def _status(path: str, stream: Any) -> os.stat_result | None:
    try:
        return os.fstat(stream.fileno()) if path == STANDARD else os.stat(path)
    except (OSError, ValueError, AttributeError):  # not there, or a stream that is no file
        return None


# Tables that a command makes: to a file, or to standard output.


def require_delivery(options: argparse.Namespace, *inputs: str) -> None:
    """Stop before any work if the output cannot, or must not, be written."""
    if options.output != STANDARD:
        require_output(options.output, *inputs, overwrite=options.force)
    else:
        require_other_stream(*inputs)


def deliver(options: argparse.Namespace, names: list[str], rows: Iterable[list[Any]]) -> None:
    """Write a table where the options say."""
    to_file, count = options.output != STANDARD, itertools.count()
    counted = (row for row, _ in zip(rows, count, strict=False))
    lines: Iterable[str] = written(_format(options), names, counted, raw=options.raw)
    if not to_file and sys.stdout.isatty() and not options.raw:
        lines = map(_seen, lines)
    _write(options.output, lines, overwrite=options.force)
    if to_file and options.json:
        show_json({"output": options.output, "rows": next(count), "columns": names})


def _format(options: argparse.Namespace) -> str:
    if options.output != STANDARD:
        return format_of(options.output)
    if options.json:
        return "jsonl"
    given = str(options.format or format_of(options.data))
    return "csv" if given == "parquet" else given


def _seen(line: str) -> str:
    """Return a line with terminal control codes made visible."""
    return "\t".join(map(visible, line.removesuffix("\n").split("\t"))) + "\n"


def _write(path: str, lines: Iterable[str], *, overwrite: bool) -> None:
    if path == STANDARD:
        sys.stdout.flush()
        for line in lines:  # UTF-8 whatever the terminal's habits
            sys.stdout.buffer.write(line.encode("utf-8", "surrogatepass"))
        return
    with atomic_file(path, overwrite=overwrite) as file:
        for line in lines:
            file.write(line.encode("utf-8", "surrogatepass"))
