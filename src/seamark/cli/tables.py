"""Tables: read from CSV, TSV, JSON lines and Parquet; written so that spreadsheets are safe."""

from __future__ import annotations

import argparse
import codecs
import csv
import io
import itertools
import json
import os
import re
import stat
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from ..files import atomic_file, require_place
from ..plotting import visible
from ..validation import did_you_mean
from .messages import listed, show_json

STANDARD = "-"
"""Standard input or output, in place of a file."""
FORMATS = {
    ".csv": "csv",
    ".txt": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}
DELIMITERS = ",;\t|"
"""What may stand between fields of a CSV file, the likeliest first."""
NAMED_DELIMITERS = {"tab": "\t", r"\t": "\t"}
"""What shells make hard to type."""
FEW_BYTES = 1 << 16
"""Of a file, that show whether there is anything in it, and its encoding."""
LONGEST_FIELD = 2**31 - 1
"""Of a CSV file, in characters; a genome is longer than csv's own limit."""


class DataError(ValueError):
    """What is wrong with a user's data, in one sentence."""


@dataclass
class Table:
    """Columns of cells, and where they come from.

    Attributes
    ----------
    source : str
        File name, for messages.
    cells : dict of list
        By column: text in CSV, what they are in JSON and Parquet; None is missing.
    lines : sequence of int
        Line of each row in the file; of Parquet, its number from 1.
    comma : bool
        Whether numbers may have decimal commas: where semicolons stand between fields.
    decimals : dict of bool
        Columns of which is known whether they have decimal commas: of this or an earlier table.
    marks : dict of dict
        How numbers are written, in all rows of a file if these are some; see `decimal_marks`.
    """

    source: str
    cells: dict[str, list[Any]]
    lines: list[int]
    comma: bool = False
    decimals: dict[str, bool] = field(default_factory=dict)
    marks: dict[str, dict[str, tuple[str, str]]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def names(self) -> list[str]:
        """Of the columns."""
        return list(self.cells)

    def column(self, name: str) -> list[Any]:
        """Return the cells of a column; stop and list the columns if it does not exist."""
        if name not in self.cells:
            guess = did_you_mean(name, self.names)
            alone = " (only one: is the --delimiter another?)" if len(self.cells) == 1 else ""
            raise DataError(
                f"{self.source} has no column {name!r}{guess}; its columns are "
                f"{listed(self.names)}{alone}."
            )
        return self.cells[name]

    def place(self, row: int) -> str:
        """Say where a row is."""
        return f"line {self.lines[row]} of {self.source}"

    def some(self, rows: list[int]) -> Table:
        """Return some of the rows."""
        cells = {name: [column[i] for i in rows] for name, column in self.cells.items()}
        lines = [self.lines[i] for i in rows]
        return Table(self.source, cells, lines, self.comma, self.decimals, self.marks)


def read_table(
    path: str, form: str | None = None, delimiter: str | None = None, encoding: str = "utf-8"
) -> Table:
    """Read a file; see `pieces`."""
    table = next(pieces(path, form, delimiter, encoding))
    if not len(table):
        raise DataError(f"{table.source} has a header and no rows.")
    return table


def pieces(
    path: str,
    form: str | None = None,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    rows: int | None = None,
    most: int | None = None,
) -> Iterator[Table]:
    """Yield a file, a table of some rows at a time.

    Parameters
    ----------
    path : str
        A file, or ``"-"`` for standard input.
    form : str, optional
        "csv", "tsv", "jsonl" or "parquet"; default: by the file's ending.
    delimiter : str, optional
        Between fields of CSV; default: the first of comma, semicolon, tab and bar that the header
        has.
    encoding : str, default="utf-8"
        Of text.
    rows, most : int, optional
        Rows of a table, and about how many characters of it, at most; default: all, in one table.
    """
    form = form or format_of(path)
    source = "standard input" if path == STANDARD else path
    if path != STANDARD and Path(path).is_dir():
        raise DataError(f"{path} is a folder; give a file.")
    if path != STANDARD and not Path(path).exists():
        raise DataError(f"there is no file {path}.")
    with io.BytesIO(sys.stdin.buffer.read()) if path == STANDARD else open(path, "rb") as file:
        begin = file.read(FEW_BYTES)
        file.seek(0)
        if not begin.strip():
            raise DataError(f"{source} is empty.")
        if form == "parquet":
            yield from _parquet_pieces(file, source, rows)
            return
        text = io.TextIOWrapper(file, encoding := encoding_of(begin, encoding), newline="")
        try:
            if form == "jsonl":
                yield _json_lines(text, source)
            else:
                yield from csv_pieces(text, source, form, delimiter, rows, most)
        except UnicodeError as error:
            odd = isinstance(error, UnicodeDecodeError)
            byte = f" (byte {error.object[error.start]:#04x})" if odd else ""  # type: ignore[attr-defined]
            raise DataError(
                f"{source} is not {encoding.removesuffix('-sig')}{byte}; say what it is with "
                "--encoding, such as latin-1 or utf-16."
            ) from None


def count_rows(path: str, form: str) -> int:
    """Return how many rows a file has, or of text how many lines; 0: that is not known."""
    if form == "parquet":
        try:
            from pyarrow import ArrowException, parquet

            return int(parquet.read_metadata(path).num_rows)
        except (ImportError, ArrowException, OSError):  # said where the table is read
            return 0
    if form == "jsonl" or not Path(path).is_file():
        return 0
    n = 0  # the header counts for a last line without an end
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            n += max(block.count(b"\n"), block.count(b"\r"))
    return n


def format_of(path: str) -> str:
    """Return the format that a file's ending means; that of standard input is CSV.

    Examples
    --------
    >>> format_of("names.TSV"), format_of("-")
    ('tsv', 'csv')
    """
    ending = Path(path).suffix.lower()
    if path == STANDARD:
        return "csv"
    if ending not in FORMATS:
        raise DataError(
            f"the ending of {path} must be one of {', '.join(FORMATS)}; got {ending!r}. Or say "
            "what it is with --format."
        )
    return FORMATS[ending]


def encoding_of(begin: bytes, given: str) -> str:
    """Return Python's name of an encoding, given the first bytes of a text."""
    if given.lower() in ("utf-8", "utf8"):
        # Spreadsheets put a mark before UTF-8, and before UTF-16, which nothing else begins with.
        marked = begin.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        return "utf-16" if marked else "utf-8-sig"
    try:
        io.TextIOWrapper(io.BytesIO(), given)  # refuses codecs that are none of text, as rot13
    except LookupError:
        raise DataError(
            f"--encoding {given} is not a known text encoding; try utf-8 or latin-1."
        ) from None
    return given


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


def csv_pieces(
    text: TextIO,
    source: str,
    form: str,
    delimiter: str | None,
    rows: int | None = None,
    most: int | None = None,
) -> Iterator[Table]:
    """Yield the rows of a text, a table of some at a time; see `pieces`.

    By Python's own reader: pandas fills up short rows, pyarrow passes over a quote that is never
    closed, and neither knows lines, which messages name.
    """
    between, lines = _delimiter(text, form, delimiter)
    if len(between) != 1:
        raise DataError(f"--delimiter must be one character, not {between!r}.")
    found = _full_rows(csv.reader(lines, delimiter=between, strict=True), source)
    header = next(found, None)
    if header is None:
        raise DataError(f"{source} is empty.")
    names = [name.strip() for name in header[0]]
    require_names(names, source)
    first = True
    while True:
        cells: list[list[str]] = []
        numbers, letters = [], 0
        for row, number in found:
            if len(row) != len(names):
                raise DataError(
                    f"line {number} of {source} has {len(row)} field{'s' * (len(row) != 1)} and "
                    f"the header has {len(names)}."
                )
            cells.append(row)
            numbers.append(number)
            letters += 0 if most is None else sum(map(len, row))
            if len(cells) == rows or (most is not None and letters >= most):
                break
        if not cells and not first:
            return
        columns = map(list, zip(*cells, strict=True)) if cells else ([] for _ in names)
        yield Table(source, dict(zip(names, columns, strict=True)), numbers, between == ";")
        first = False


def _full_rows(reader: Any, source: str) -> Iterator[tuple[list[str], int]]:
    """Yield the rows that are not empty, each with the line where it ends."""
    limit = csv.field_size_limit(LONGEST_FIELD)  # one setting of the whole process
    try:
        yield from ((row, reader.line_num) for row in reader if row)
    except csv.Error as error:
        raise DataError(f"line {reader.line_num} of {source} is not valid CSV: {error}.") from None
    finally:
        csv.field_size_limit(limit)


def _delimiter(text: TextIO, form: str, given: str | None) -> tuple[str, Iterator[str]]:
    """Return the delimiter, and the lines; the one in which Excel states it is made empty."""
    begin: list[str] = []
    header = ""
    for line in text:
        begin.append(line)
        header = line.rstrip("\r\n")
        if header:
            break
    stated = re.fullmatch(r'"?sep=([^\w"])"?', header)
    if stated and form == "csv":
        begin[-1] = begin[-1].removeprefix(header)  # so that the others keep their numbers
        given = given or stated[1]
    lines = chain(begin, text)
    if given is not None or form == "tsv":
        return NAMED_DELIMITERS.get(given or "tab", given or ""), lines
    bare = re.sub(r'"[^"]*"', "", header)
    return next((mark for mark in DELIMITERS if mark in bare), ","), lines


def _json_lines(text: TextIO, source: str) -> Table:
    numbers, rows = [], []
    for number, line in enumerate(text, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise DataError(f"line {number} of {source} is not JSON: {error}.") from None
        if not isinstance(row, dict):
            raise DataError(
                f"line {number} of {source} is not a JSON object, such as {{'name': …}}."
            )
        numbers.append(number)
        rows.append(row)
    names = list(dict.fromkeys(name for row in rows for name in row))
    require_names(names, source)
    return Table(source, {name: [row.get(name) for row in rows] for name in names}, numbers)


def _parquet_pieces(file: Any, source: str, rows: int | None) -> Iterator[Table]:
    """Yield batches of rows; cells become Python's own values, whose dates reach less far."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise ImportError("Parquet needs pyarrow: pip install 'seamark[parquet]'") from error
    try:
        # In this thread alone: `parquet.read_table` reads ahead in others, and one of them that
        # frees the last reference to our bytes while Python ends aborts the process.
        if rows is None:
            data = parquet.ParquetFile(pyarrow.BufferReader(file.read()))
            batches = [data.read(use_threads=False)]
        else:
            batches = parquet.ParquetFile(file.name).iter_batches(rows, use_threads=False)
        first = 1
        for batch in batches:
            names = [str(name) for name in batch.schema.names]
            require_names(names, source)
            columns = [_python_cells(batch, i, first, source) for i in range(len(names))]
            numbers = list(range(first, first + batch.num_rows))
            yield Table(source, dict(zip(names, columns, strict=True)), numbers)
            first += batch.num_rows
    except pyarrow.ArrowException as error:
        raise DataError(f"{source} is not a valid Parquet file: {error}.") from None


def _python_cells(batch: Any, i: int, first: int, source: str) -> list[Any]:
    column, cells = batch.column(i), []
    try:
        for cell in column:
            cells.append(cell.as_py())  # noqa: PERF401 - where it stops, the row is known
    except (ValueError, OverflowError):
        raise DataError(
            f"{batch.schema.names[i]!r} in row {len(cells) + first} of {source} is a {column.type} "
            "that Python cannot represent; correct it, or store the column as text or numbers."
        ) from None
    return cells


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


def table_lines(
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
        # csv quotes what its own line end is made of; a lone carriage return must be, too.
        writer: Any = csv.writer(_Echo(), delimiter=between, lineterminator="\r\n")
        for row in chain([names], rows):
            line: str = writer.writerow(row if raw else map(inert, row))
            yield line.removesuffix("\r\n") + "\n"

    return lines


class _Echo:
    """A file that gives back what is written to it."""

    def write(self, text: str) -> str:
        return text


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
    """Stop before any work if the output cannot, or must not, be written.

    Standard output may go to a file that is read, too, as after ``>>``.
    """
    if options.output != STANDARD:
        require_output(options.output, *inputs, overwrite=options.force)
    else:
        _require_other(_status(STANDARD, sys.stdout), "standard output", inputs)


def deliver(options: argparse.Namespace, names: list[str], rows: Iterable[list[Any]]) -> None:
    """Write a table where the options say."""
    counter = itertools.count()
    counted = (row for row, _ in zip(rows, counter, strict=False))
    if options.output != STANDARD:
        lines = table_lines(format_of(options.output), names, counted, raw=options.raw)
        with atomic_file(options.output, overwrite=options.force) as file:
            file.writelines(line.encode("utf-8", "surrogatepass") for line in lines)
        if options.json:
            show_json({"output": options.output, "rows": next(counter), "columns": names})
        return
    given = "jsonl" if options.json else str(options.format or format_of(options.data))
    form = "csv" if given == "parquet" else given
    sys.stdout.flush()
    for line in table_lines(form, names, counted, raw=options.raw):
        if sys.stdout.isatty() and not options.raw:  # with control codes made visible
            line = "\t".join(map(visible, line.removesuffix("\n").split("\t"))) + "\n"  # noqa: PLW2901
        # UTF-8 whatever the terminal's habits.
        sys.stdout.buffer.write(line.encode("utf-8", "surrogatepass"))
