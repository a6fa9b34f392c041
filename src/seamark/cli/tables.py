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
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from ..atomic_files import atomic_file, require_place
from ..measures import did_you_mean
from ..plotting import visible
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

    def rows(self) -> Iterator[list[Any]]:
        """Yield the cells of each row."""
        return map(list, zip(*self.cells.values(), strict=True))

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
    """Read a file.

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
    """
    form = form or format_of(path)
    source = "standard input" if path == STANDARD else path
    if path == STANDARD:
        data = sys.stdin.buffer.read()
    elif Path(path).is_dir():
        raise DataError(f"{path} is a folder; give a file.")
    elif not Path(path).exists():
        raise DataError(f"there is no file {path}.")
    else:
        data = Path(path).read_bytes()
    if not data.strip():
        raise DataError(f"{source} is empty.")
    if form == "parquet":
        table = _parquet(data, source)
    else:
        encoding = encoding_of(data, encoding)
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError as error:
            raise undecodable(error, source, encoding) from None
        if form == "jsonl":
            table = _json_lines(text, source)
        else:
            head = next(csv_pieces(io.StringIO(text, newline=""), source, form, delimiter, 1))
            table = _plain_csv(text, head, delimiter, form) or next(
                csv_pieces(io.StringIO(text, newline=""), source, form, delimiter)
            )
    if not len(table):
        raise DataError(f"{source} has a header and no rows.")
    return table


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
            f"the ending of {path} is none of {', '.join(FORMATS)}; say what it is with --format."
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


def undecodable(error: UnicodeDecodeError, source: str, encoding: str) -> DataError:
    """Return the error for a file of another encoding."""
    return DataError(
        f"{source} is not {encoding.removesuffix('-sig')} (byte {error.object[error.start]:#04x}); "
        "say what it is with --encoding, such as latin-1 or utf-16."
    )


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
    """Yield the rows of a text, a table of some at a time.

    By Python's own reader: pandas fills up short rows, pyarrow passes over a quote that is never
    closed, and neither knows lines, which messages name.

    Parameters
    ----------
    text : text stream
        With its own line ends (``newline=""``).
    source : str
        Its name, for messages.
    form : str
        "csv" or "tsv".
    delimiter : str, optional
        Default: the first of comma, semicolon, tab and bar that the header has.
    rows, most : int, optional
        Rows of a table, and about how many characters of it, at most; default: all, in one table.
    """
    between, lines = _delimiter(text, form, delimiter)
    if len(between) != 1:
        raise DataError(f"--delimiter must be one character, not {between!r}.")
    reader = csv.reader(lines, delimiter=between, strict=True)
    header, _ = _next_rows(reader, source, None, 1, None)
    if not header:
        raise DataError(f"{source} is empty.")
    names = [name.strip() for name in header[0]]
    require_names(names, source)
    first = True
    while True:
        cells, numbers = _next_rows(reader, source, len(names), rows, most)
        if not cells and not first:
            return
        columns = map(list, zip(*cells, strict=True)) if cells else ([] for _ in names)
        yield Table(source, dict(zip(names, columns, strict=True)), numbers, between == ";")
        first = False


def _plain_csv(text: str, head: Table, delimiter: str | None, form: str) -> Table | None:
    """Return a text without quotes, as pyarrow reads it; None: something needs a closer look.

    There each line is a row, and readers agree. Of 300,000 rows of three columns this takes
    0.2 s, and `csv_pieces` 1.0 s.
    """
    plain = '"' not in text and "\0" not in text and text.count("\r") == text.count("\r\n")
    if not plain or text[:4].lower() == "sep=" or not find_spec("pyarrow"):
        return None
    import pyarrow
    from pyarrow import csv as arrow

    between, _ = _delimiter(io.StringIO(text, newline=""), form, delimiter)
    # In memory of Arrow's own: it reads in another thread, which may free it while Python ends.
    stream = pyarrow.BufferOutputStream()
    try:
        stream.write(text.encode())
        columns = arrow.read_csv(
            pyarrow.BufferReader(stream.getvalue()),
            arrow.ReadOptions(use_threads=False, column_names=head.names, skip_rows=1),
            arrow.ParseOptions(delimiter=between, quote_char=False),
            arrow.ConvertOptions(column_types=dict.fromkeys(head.names, pyarrow.string())),
        ).columns
    except (pyarrow.ArrowException, UnicodeError, ValueError):
        return None
    n = len(columns[0])
    if text.count("\n") + (not text.endswith("\n")) != n + 1:  # with the header; some are empty
        return None
    cells = dict(zip(head.names, (column.to_pylist() for column in columns), strict=True))
    return Table(head.source, cells, list(range(2, n + 2)), head.comma)


def _next_rows(
    reader: Any, source: str, width: int | None, rows: int | None, most: int | None
) -> tuple[list[list[str]], list[int]]:
    """Return the next rows that are not empty, and the line where each ends."""
    found: list[list[str]] = []
    lines: list[int] = []
    letters = 0
    limit = csv.field_size_limit(LONGEST_FIELD)  # one setting of the whole process
    try:
        for row in reader:
            if not row:
                continue
            if width is not None and len(row) != width:
                fields = f"{len(row)} field{'s' * (len(row) != 1)}"
                raise DataError(
                    f"line {reader.line_num} of {source} has {fields} and the header has {width}."
                )
            found.append(row)
            lines.append(reader.line_num)
            if most is not None:
                letters += sum(map(len, row))
                if letters >= most:
                    break
            if len(found) == rows:
                break
    except csv.Error as error:
        raise DataError(f"line {reader.line_num} of {source} is not valid CSV: {error}.") from None
    finally:
        csv.field_size_limit(limit)
    return found, lines


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


def _json_lines(text: str, source: str) -> Table:
    numbers, rows = [], []
    for number, line in enumerate(text.split("\n"), 1):
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


def _parquet(data: bytes, source: str) -> Table:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise ImportError("Parquet needs pyarrow: pip install 'seamark[parquet]'") from error
    try:
        # In this thread alone: `parquet.read_table` reads ahead in others, and one of them that
        # frees the last reference to our bytes while Python ends aborts the process.
        read = parquet.ParquetFile(pyarrow.BufferReader(data)).read(use_threads=False)
    except pyarrow.ArrowException as error:
        raise DataError(f"{source} is not a valid Parquet file: {error}.") from None
    return arrow_table(read, source)


def arrow_table(read: Any, source: str, first: int = 1) -> Table:
    """Return a pyarrow table, or batch of one, as a table; `first` is the number of its first row.

    Cells become Python's own values, whose dates reach less far than Arrow's.
    """
    names = [str(name) for name in read.schema.names]
    require_names(names, source)
    cells = {}
    for i, name in enumerate(names):
        column = read.column(i)
        try:
            cells[name] = column.to_pylist()
        except (ValueError, OverflowError):
            row = next(i for i in range(len(column)) if not _is_python(column[i]))
            raise DataError(
                f"{name!r} in row {row + first} of {source} is a {column.type} that Python cannot "
                "represent; correct it, or store the column as text or numbers."
            ) from None
    return Table(source, cells, list(range(first, first + read.num_rows)))


def _is_python(value: Any) -> bool:
    try:
        value.as_py()
    except (ValueError, OverflowError):
        return False
    return True


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
    lines: Iterable[str] = table_lines(_format(options), names, counted, raw=options.raw)
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
