"""CSV and TSV, read whole or a piece at a time."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, chain, islice
from typing import Any, TextIO

from ..engine import settings
from .table import DataError, Table, require_names

DELIMITERS = ",;\t|"
"""What may stand between fields of a CSV file, the likeliest first."""
NAMED_DELIMITERS = {"tab": "\t", r"\t": "\t"}
"""What shells make hard to type."""
LONGEST_FIELD = 2**31 - 1
"""Of a CSV file, in characters; a genome is longer than csv's own limit."""
GROWTH = 8
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
        self.batch = min(settings().fetched_rows, GROWTH * self.batch)

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
