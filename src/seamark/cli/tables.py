"""Tables from files: CSV, TSV, JSON lines, Parquet."""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..measures.adapters import did_you_mean
from .showing import listed

STANDARD = "-"
"""Standard input or output, in place of a file."""
DELIMITERS = ",;\t|"
"""What may stand between fields of a CSV file, the likeliest first."""
NAMED_DELIMITERS = {"tab": "\t", r"\t": "\t"}
"""What shells make hard to type."""
LONGEST_FIELD = 2**31 - 1
"""Of a CSV file, in characters; a genome is longer than csv's own limit."""


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
    """

    source: str
    names: list[str]
    rows: list[list[Any]]
    lines: list[int]

    def position(self, name: str) -> int:
        """Return the number of a column; stop and list the columns if it does not exist."""
        if name not in self.names:
            guess = did_you_mean(name, self.names)
            alone = " (only one: is the --delimiter another?)" if len(self.names) == 1 else ""
            raise DataError(
                f"{self.source} has no column {name!r}{guess}; its columns are "
                f"{listed(self.names)}{alone}."
            )
        return self.names.index(name)

    def column(self, name: str) -> list[Any]:
        """Return the cells of a column."""
        at = self.position(name)
        return [row[at] for row in self.rows]

    def place(self, row: int) -> str:
        """Say where a row is."""
        return f"line {self.lines[row]} of {self.source}"


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
        table = (
            _json_lines(text, source) if form == "jsonl" else _csv(text, source, form, delimiter)
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
    if encoding.lower() in ("utf-8", "utf8"):
        # Spreadsheets put a mark before UTF-8, and before UTF-16, which nothing else begins with.
        marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        encoding = "utf-16" if marked else "utf-8-sig"
    try:
        return data.decode(encoding)
    except LookupError:
        raise DataError(f"--encoding {encoding} is not known; try utf-8 or latin-1.") from None
    except UnicodeDecodeError as error:
        raise DataError(
            f"{source} is not {encoding.removesuffix('-sig')} (byte {data[error.start]:#04x} at "
            f"{error.start}); say what it is with --encoding, such as latin-1 or utf-16."
        ) from None


def _csv(text: str, source: str, form: str, delimiter: str | None) -> Table:
    between, text = _delimiter(text, form, delimiter)
    if len(between) != 1:
        raise DataError(f"--delimiter must be one character, not {between!r}.")
    before = csv.field_size_limit(LONGEST_FIELD)
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=between, strict=True)
        numbered = [(reader.line_num, row) for row in reader if row]
    except csv.Error as error:
        raise DataError(f"line {reader.line_num} of {source} is no sound CSV: {error}.") from None
    finally:
        csv.field_size_limit(before)
    if not numbered:
        raise DataError(f"{source} is empty.")
    names = [name.strip() for name in numbered[0][1]]
    _require_names(names, source)
    for line, row in numbered[1:]:
        if len(row) != len(names):
            raise DataError(
                f"line {line} of {source} has {len(row)} field{'s' * (len(row) != 1)} and the "
                f"header has {len(names)}."
            )
    lines, rows = [line for line, _ in numbered[1:]], [row for _, row in numbered[1:]]
    return Table(source, names, rows, lines)


def _delimiter(text: str, form: str, given: str | None) -> tuple[str, str]:
    """Return the delimiter, and the text without the line in which Excel states it."""
    first = re.search(r"[^\r\n]+", text)
    header = first[0] if first else ""
    said = re.fullmatch(r'"?sep=([^\w"])"?', header)
    if said and form == "csv":
        text = text.replace(header, "", 1)  # an empty line, so that the others keep their numbers
        given = given or said[1]
    if given is not None or form == "tsv":
        return NAMED_DELIMITERS.get(given or "tab", given or ""), text
    bare = re.sub(r'"[^"]*"', "", header)
    return next((one for one in DELIMITERS if one in bare), ","), text


def _json_lines(text: str, source: str) -> Table:
    numbered = [(i, line) for i, line in enumerate(text.split("\n"), 1) if line.strip()]
    found = [(i, _json_object(line, i, source)) for i, line in numbered]
    names = list(dict.fromkeys(name for _, row in found for name in row))
    _require_names(names, source)
    rows = [[row.get(name) for name in names] for _, row in found]
    return Table(source, names, rows, [i for i, _ in found])


def _json_object(line: str, number: int, source: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DataError(f"line {number} of {source} is no JSON: {error}.") from None
    if not isinstance(row, dict):
        raise DataError(f"line {number} of {source} is no JSON object, such as {{'name': …}}.")
    return row


def _parquet(data: bytes, source: str) -> Table:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise ImportError("Parquet needs pyarrow: pip install 'seamark[parquet]'") from error
    try:
        read = parquet.read_table(pyarrow.BufferReader(data))
    except pyarrow.ArrowException as error:
        raise DataError(f"{source} is no sound Parquet: {error}.") from None
    return arrow_table(read, source)


def arrow_table(read: Any, source: str) -> Table:
    """Return a pyarrow table, or batch of one, as a table."""
    names = [str(name) for name in read.schema.names]
    _require_names(names, source)
    columns = [read.column(i).to_pylist() for i in range(len(names))]
    rows = [list(row) for row in zip(*columns, strict=True)]
    return Table(source, names, rows, list(range(1, len(rows) + 1)))


def _require_names(names: list[str], source: str) -> None:
    if "" in names:
        raise DataError(
            f"column {names.index('') + 1} of {source} has no name in the header; give it "
            "one, or drop the column."
        )
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise DataError(f"{source} has two columns named {twice!r}; rename one.")
