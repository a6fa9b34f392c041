"""CSV and TSV, read whole or a piece at a time."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterator
from itertools import chain
from typing import Any, TextIO

from .table import DataError, Table, require_names

DELIMITERS = ",;\t|"
"""What may stand between fields of a CSV file, the likeliest first."""
NAMED_DELIMITERS = {"tab": "\t", r"\t": "\t"}
"""What shells make hard to type."""
LONGEST_FIELD = 2**31 - 1
"""Of a CSV file, in characters; a genome is longer than csv's own limit."""


def encoding_of(begin: bytes, given: str) -> str:
    """Return Python's name of an encoding, given the first bytes of a text."""
    if given.lower() in ("utf-8", "utf8"):
        # Spreadsheets put a mark before UTF-8, and before UTF-16, which nothing else begins with.
        marked = begin.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        return "utf-16" if marked else "utf-8-sig"
    try:
        codecs.lookup(given)
    except LookupError:
        raise DataError(f"--encoding {given} is not known; try utf-8 or latin-1.") from None
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
    numbered = _numbered(reader, source)
    header = next(numbered, None)
    if header is None:
        raise DataError(f"{source} is empty.")
    names = [name.strip() for name in header[1]]
    require_names(names, source)
    table, size, yielded = Table(source, names, [], []), 0, False
    for line, row in numbered:
        if len(row) != len(names):
            raise DataError(
                f"line {line} of {source} has {len(row)} field{'s' * (len(row) != 1)} and the "
                f"header has {len(names)}."
            )
        table.rows.append(row)
        table.lines.append(line)
        if most is not None:
            size += sum(map(len, row))
        if len(table.rows) == rows or (most is not None and size >= most):
            yield table
            table, size, yielded = Table(source, names, [], []), 0, True
    if table.rows or not yielded:
        yield table


def _numbered(reader: Any, source: str) -> Iterator[tuple[int, list[str]]]:
    """Yield rows that are not empty, with the numbers of their lines."""
    while True:
        before = csv.field_size_limit(LONGEST_FIELD)  # one setting of the whole process
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            said = f"line {reader.line_num} of {source} is no sound CSV: {error}."
            raise DataError(said) from None
        finally:
            csv.field_size_limit(before)
        if row:
            yield reader.line_num, row


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
