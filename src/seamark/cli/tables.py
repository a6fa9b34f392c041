"""Tables from files: CSV, TSV, JSON lines, Parquet."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

from .delimited import csv_pieces, encoding_of
from .table import DataError, Table, require_names

__all__ = ["STANDARD", "DataError", "Table", "arrow_table", "format_of", "read_table"]
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
