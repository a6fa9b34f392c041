"""Files of more rows than are read at once: Parquet, CSV and TSV."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ..engine import settings
from ..io import CHUNK_BYTES, FactoryRows, batches_of
from .columns import Reading, decimal_marks
from .tables import (
    STANDARD,
    Table,
    arrow_table,
    csv_pieces,
    encoding_of,
    format_of,
    undecodable,
)

HEAD_ROWS = 10_000  # that show what the columns of a long file are


@dataclass
class LongFile:
    """A table that is read a piece at a time, as often as needed.

    Attributes
    ----------
    path : str
    n_rows : int
        How many there are, or about as many.
    read : callable
        Returns tables of all rows, of at most so many each.
    """

    path: str
    n_rows: int
    read: Callable[[int], Iterator[Table]]

    @cached_property
    def _marks(self) -> dict[str, dict[str, tuple[str, str]]]:
        """How numbers of all rows are written, by column, where commas may be decimal."""
        marks: dict[str, dict[str, tuple[str, str]]] = {}
        for table in self.read(settings().chunk_rows):
            if not table.comma:
                break
            for name in table.names:
                known = marks.setdefault(name, {})
                if "text" not in known:
                    marks[name] = decimal_marks(table, name) | known
        return marks

    def tables(self, rows: int | None = None) -> Iterator[Table]:
        """Yield all rows, a table of at most so many at a time."""
        for table in self.read(rows or settings().chunk_rows):
            table.marks.update(self._marks)
            yield table

    def head(self) -> Table:
        """Return the first rows as a table, by which columns are chosen and checked."""
        return next(self.tables(HEAD_ROWS))


@dataclass(eq=False, repr=False)
class LongRows(FactoryRows):
    """Objects and targets of a long file, of which about as many are expected as it has lines."""

    file: LongFile

    @property
    def expected_rows(self) -> int:
        """For the time left."""
        return self.file.n_rows

    @property
    def fingerprint(self) -> str:
        """The file with its size and time."""
        facts = Path(self.file.path).stat()
        return f"{self.file.path} {facts.st_size} {facts.st_mtime_ns}"


def long_file(options: argparse.Namespace, reading: Reading) -> LongFile | None:
    """Return a file that is too long to be read at once; None: it is not.

    Series and sets in long format, several targets, ordered labels and queries need all rows, and
    get them.
    """
    task = getattr(options, "task", "auto")
    several = reading.targets if hasattr(options, "task") else None  # predict needs no targets
    separator = getattr(options, "separator", None)
    whole = reading.id or reading.query or several or separator or getattr(options, "order", None)
    if whole or task not in ("auto", "classify", "regress") or options.data == STANDARD:
        return None
    form = options.format or format_of(options.data)
    if form == "parquet":
        file = _parquet(options.data)
    elif form in ("csv", "tsv") and Path(options.data).is_file():
        file = _text(options, form)
    else:
        file = None
    return file if file is not None and file.n_rows > settings().hashed_from else None


def _parquet(path: str) -> LongFile | None:
    try:
        import pyarrow as pa
        from pyarrow import dataset
    except ImportError:  # said where the table is read
        return None
    try:
        data: Any = dataset.dataset(path, format="parquet")
        n_rows = int(data.count_rows())
    except (pa.ArrowException, OSError):
        return None

    def read(rows: int) -> Iterator[Table]:
        first = 1
        for batch in batches_of(data, data.schema.names, rows):
            yield arrow_table(batch, path, first)
            first += batch.num_rows

    return LongFile(path, n_rows, read)


def _text(options: argparse.Namespace, form: str) -> LongFile | None:
    """Return a text file, if it may have more rows than are read at once."""
    path, n = Path(options.data), 0  # the header counts for a last line without an end
    if path.stat().st_size <= 2 * settings().hashed_from:  # a row has a character and a line end
        return None
    with path.open("rb") as file:
        begin = file.read(4)
        file.seek(0)
        while block := file.read(1 << 20):
            n += max(block.count(b"\n"), block.count(b"\r"))
    encoding = encoding_of(begin, options.encoding)

    def read(rows: int) -> Iterator[Table]:
        with path.open(encoding=encoding, newline="") as text:
            try:
                yield from csv_pieces(
                    text, options.data, form, options.delimiter, rows, CHUNK_BYTES
                )
            except UnicodeDecodeError as error:
                raise undecodable(error, options.data, encoding) from None

    return LongFile(options.data, n, read)
