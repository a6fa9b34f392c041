"""Tables from files: CSV, TSV, JSON lines, Parquet; which columns a command reads."""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import accumulate, chain, islice
from pathlib import Path
from typing import Any, TextIO

from ..measures.adapters import did_you_mean
from .messages import listed

__all__ = ["STANDARD", "DataError", "Table", "arrow_table", "format_of", "read_table"]


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


# CSV and TSV, read whole or a piece at a time.


DELIMITERS = ",;\t|"
"""What may stand between fields of a CSV file, the likeliest first."""
NAMED_DELIMITERS = {"tab": "\t", r"\t": "\t"}
"""What shells make hard to type."""
LONGEST_FIELD = 2**31 - 1
"""Of a CSV file, in characters; a genome is longer than csv's own limit."""
GROWTH = 8
FETCHED_ROWS = 4096  # of a CSV file at a time
"""Times as many rows are fetched as before: few at first, for they may be long."""
LINE_END = re.compile("\r\n|\r|\n")


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


def csv_pieces(
    text: TextIO,
    source: str,
    form: str,
    delimiter: str | None,
    rows: int | None = None,
    most: int | None = None,
) -> Iterator[Table]:
    """Yield the rows of a text, a table of some at a time.

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
        Rows of a table, and characters of it, at most; default: all, in one table.
    """
    between, lines = _delimiter(text, form, delimiter)
    if len(between) != 1:
        raise DataError(f"--delimiter must be one character, not {between!r}.")
    reader = csv.reader(lines, delimiter=between, strict=True)
    names: list[str] = []
    while not names:
        header = _fetched(reader, source, 1)
        if header is None:
            raise DataError(f"{source} is empty.")
        names = [name.strip() for row in header[0] for name in row]
    require_names(names, source)
    empty = partial(Table, source, names, comma=between == ";")
    piece, yielded = _Piece(empty([], []), rows, most), False
    while (batch := _fetched(reader, source, piece.wanted)) is not None:
        piece.add(*batch)
        if piece.is_full:
            yield piece.table
            piece, yielded = _Piece(empty([], []), rows, most, piece.wanted), True
    if piece.table.rows or not yielded:
        yield piece.table


@dataclass
class _Piece:
    """A table that grows to some rows, or some characters, and how many rows to fetch next.

    Many are fetched at a time, which takes a tenth of what one by one takes; few at first, for they
    may be long.
    """

    table: Table
    rows: int | None
    most: int | None
    batch: int = 1
    letters: int = 0

    def add(self, rows: list[list[str]], lines: list[int]) -> None:
        """Take in some rows."""
        _require_width(rows, lines, len(self.table.names), self.table.source)
        self.table.rows.extend(rows)
        self.table.lines.extend(lines)
        self.letters += sum(map(len, chain.from_iterable(rows)))
        self.batch = min(FETCHED_ROWS, GROWTH * self.batch)

    @property
    def is_full(self) -> bool:
        """Whether it has as many rows or characters as it may have."""
        enough = self.most is not None and self.letters >= self.most
        return enough or len(self.table.rows) == self.rows

    @property
    def wanted(self) -> int:
        """How many rows to fetch next, so that they are not too many."""
        found, n = self.batch, len(self.table.rows)
        if self.rows is not None:
            found = min(found, self.rows - n)
        if self.most is not None and n:
            found = min(found, (self.most - self.letters) * n // max(1, self.letters))
        return max(1, found)


def _fetched(reader: Any, source: str, n: int) -> tuple[list[list[str]], list[int]] | None:
    """Return the next n rows that are not empty, or fewer, and their lines; None: at the end."""
    before, limit = reader.line_num, csv.field_size_limit(LONGEST_FIELD)
    try:
        some = list(islice(reader, n))
    except csv.Error as error:
        said = f"line {reader.line_num} of {source} is not valid CSV: {error}."
        raise DataError(said) from None
    finally:
        csv.field_size_limit(limit)  # one setting of the whole process
    if not some:
        return None
    lines = _lines_of(some, before, reader.line_num)
    if not all(some):
        lines = [line for line, row in zip(lines, some, strict=True) if row]
        some = [row for row in some if row]
    return some, lines


def _lines_of(rows: list[list[str]], before: int, after: int) -> list[int]:
    """Return the line where each row ends, given those before the first and of the last."""
    if after - before == len(rows):
        return list(range(before + 1, after + 1))
    ends = [1 + sum(len(LINE_END.findall(cell)) for cell in row) for row in rows]
    return [before + n for n in accumulate(ends)]


def _require_width(rows: list[list[str]], lines: list[int], width: int, source: str) -> None:
    """Stop at a row that has more or fewer fields than the header."""
    if set(map(len, rows)) <= {width}:
        return
    row, line = next(both for both in zip(rows, lines, strict=True) if len(both[0]) != width)
    raise DataError(
        f"line {line} of {source} has {len(row)} field{'s' * (len(row) != 1)} and the header has "
        f"{width}."
    )


def _delimiter(text: TextIO, form: str, given: str | None) -> tuple[str, Iterator[str]]:
    """Return the delimiter, and the lines; the one in which Excel states it is made empty."""
    begin: list[str] = []
    header = ""
    for line in text:
        begin.append(line)
        header = line.rstrip("\r\n")
        if header:
            break
    said = re.fullmatch(r'"?sep=([^\w"])"?', header)
    if said and form == "csv":
        begin[-1] = begin[-1].removeprefix(header)  # so that the others keep their numbers
        given = given or said[1]
    lines = chain(begin, text)
    if given is not None or form == "tsv":
        return NAMED_DELIMITERS.get(given or "tab", given or ""), lines
    bare = re.sub(r'"[^"]*"', "", header)
    return next((one for one in DELIMITERS if one in bare), ","), lines


# Tables from files: CSV, TSV, JSON lines, Parquet.


STANDARD = "-"
"""Standard input or output, in place of a file."""


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
    data = _bytes(path)
    if not data.strip():
        raise DataError(f"{source} is empty.")
    if form == "parquet":
        table = _parquet(data, source)
    else:
        text = _decoded(data, source, encoding)
        whole = io.StringIO(text, newline="")
        table = (
            _json_lines(text, source)
            if form == "jsonl"
            else next(csv_pieces(whole, source, form, delimiter))
        )
    if not table.rows:
        raise DataError(f"{source} has a header and no rows.")
    return table


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


def _bytes(path: str) -> bytes:
    if path == STANDARD:
        return sys.stdin.buffer.read()
    if Path(path).is_dir():
        raise DataError(f"{path} is a folder; give a file.")
    if not Path(path).exists():
        raise DataError(f"there is no file {path}.")
    return Path(path).read_bytes()


def _decoded(data: bytes, source: str, encoding: str) -> str:
    encoding = encoding_of(data, encoding)
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise DataError(
            f"{source} is not {encoding.removesuffix('-sig')} (byte {data[error.start]:#04x} at "
            f"{error.start}); say what it is with --encoding, such as latin-1 or utf-16."
        ) from None


def _json_lines(text: str, source: str) -> Table:
    numbered = [(i, line) for i, line in enumerate(text.split("\n"), 1) if line.strip()]
    found = [(i, _json_object(line, i, source)) for i, line in numbered]
    names = list(dict.fromkeys(name for _, row in found for name in row))
    require_names(names, source)
    rows = [[row.get(name) for name in names] for _, row in found]
    return Table(source, names, rows, [i for i, _ in found])


def _json_object(line: str, number: int, source: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DataError(f"line {number} of {source} is not JSON: {error}.") from None
    if not isinstance(row, dict):
        raise DataError(f"line {number} of {source} is not a JSON object, such as {{'name': …}}.")
    return row


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


def arrow_table(read: Any, source: str) -> Table:
    """Return a pyarrow table, or batch of one, as a table."""
    names = [str(name) for name in read.schema.names]
    require_names(names, source)
    columns = [_cells(read.column(i), name, source) for i, name in enumerate(names)]
    rows = [list(row) for row in zip(*columns, strict=True)]
    return Table(source, names, rows, list(range(1, len(rows) + 1)))


def _cells(column: Any, name: str, source: str) -> list[Any]:
    """Return a pyarrow column as Python's own values, which reach less far than Arrow's dates."""
    try:
        found: list[Any] = column.to_pylist()
    except (ValueError, OverflowError):
        row = next(i for i in range(len(column)) if not _is_python(column[i]))
        raise DataError(
            f"{name!r} in row {row + 1} of {source} is a {column.type} that Python cannot "
            "represent; correct it, or store the column as text or numbers."
        ) from None
    return found


def _is_python(value: Any) -> bool:
    try:
        value.as_py()
    except (ValueError, OverflowError):
        return False
    return True


# `Reading`: which columns are what.


@dataclass(frozen=True)
class Reading:
    """Which columns are what; kept with a saved model, so that `predict` reads alike.

    Attributes
    ----------
    column : str or None
        The column of strings.
    columns : list of str or None
        Numeric columns, for vectors.
    id, time, value : str, str, list of str; or None
        Of a long format, one row for each step of a series or each vector of a set.
    target, query : str or None
        Columns that are no part of an object.
    targets : list of str or None
        All that are predicted, where they are several.
    separator : str or None
        What stands between several labels in a cell of the target.
    table : dict of str or None
        Columns of several kinds, and what each holds: "numbers", "text" or "objects".
    decimals : dict of bool or None
        Whether numbers have decimal commas, of columns that show it.
    """

    column: str | None = None
    columns: list[str] | None = None
    id: str | None = None
    time: str | None = None
    value: list[str] | None = None
    target: str | None = None
    query: str | None = None
    table: dict[str, str] | None = None
    targets: list[str] | None = None
    separator: str | None = None
    decimals: dict[str, bool] | None = None

    def filled(self, other: Reading) -> Reading:
        """Return a copy in which what is missing is taken from another."""
        return replace(
            other, **{name: value for name, value in vars(self).items() if value is not None}
        )

    @property
    def predicted(self) -> list[str]:
        """The columns that are predicted."""
        one = [] if self.target is None else [self.target]
        return self.targets or one

    @property
    def compared(self) -> list[str]:
        """The columns that objects are made of."""
        one = [name for name in (self.column, self.time) if name is not None]
        return [*one, *(self.columns or []), *(self.value or []), *(self.table or {})]

    def require_apart(self) -> None:
        """Stop if a target is also one of the columns it is predicted from, or named twice."""
        for name in self.predicted:
            if name in (*self.compared, self.id, self.query):
                raise DataError(
                    f"{name!r} is the --target; it cannot also be used to predict the target."
                )
        if len(set(self.predicted)) < len(self.predicted):
            raise DataError("a --target is named twice; name each once.")
