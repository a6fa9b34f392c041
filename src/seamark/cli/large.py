"""Files of more rows than are read at once: Parquet, CSV and TSV."""

from __future__ import annotations

import argparse
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from ..data import Domain
from ..engine import settings
from ..io import FactoryRows, RowSource, rows
from ..io.files import batches_of
from .cells import decimal_marks
from .columns import read_objects
from .delimited import csv_pieces, encoding_of
from .mixed import as_frame
from .reading import Reading
from .tables import STANDARD, DataError, Table, arrow_table, format_of
from .targets import TargetColumn, labels_or_numbers


class LargeFile(ABC):
    """A table that is read a piece at a time, as often as needed.

    Attributes
    ----------
    path : str
    n_rows : int
        How many there are, or about as many.
    """

    path: str
    n_rows: int

    @cached_property
    def marks(self) -> dict[str, dict[str, tuple[str, str]]]:
        """How numbers of all rows are written, by column, where that is to be found out."""
        return {}

    @abstractmethod
    def pieces(self, n: int | None = None) -> Iterator[Table]:
        """Yield all rows, a table of at most `n` at a time."""

    @abstractmethod
    def source(self, reading: Reading, domain: Domain, target: TargetColumn) -> RowSource:
        """Return the rows to learn from."""

    def head(self) -> Table:
        """Return the first rows as a table, by which columns are chosen and checked."""
        return next(self.pieces(settings().head_rows))

    def table_source(self, reading: Reading, target: TargetColumn) -> RowSource:
        """Return the rows to learn from, where they have columns of several kinds."""
        return PieceRows(partial(self._frames, reading, target), self)

    def _frames(self, reading: Reading, target: TargetColumn) -> Iterator[tuple[Any, Any]]:
        for table in self.pieces():
            table.marks.update(self.marks)
            said = labels_or_numbers(table, str(reading.target), target.task)
            yield as_frame(table, reading.table or {}), said


@dataclass
class LargeParquet(LargeFile):
    """A Parquet file; see `LargeFile`."""

    path: str
    n_rows: int
    data: Any

    def pieces(self, n: int | None = None) -> Iterator[Table]:
        """Yield all rows, a table of at most `n` at a time."""
        for batch in batches_of(self.data, self.data.schema.names, n or settings().chunk_rows):
            yield arrow_table(batch, self.path)

    def head(self) -> Table:
        """Return the first rows."""
        return arrow_table(self.data.head(settings().head_rows), self.path)

    def source(self, reading: Reading, domain: Domain, target: TargetColumn) -> RowSource:
        """Return the rows to learn from, as pyarrow reads them."""
        columns = reading.columns if reading.column is None else reading.column
        return rows(self.data, column=columns, target=reading.target)


@dataclass
class LargeText(LargeFile):
    """A CSV or TSV file; see `LargeFile`."""

    path: str
    n_rows: int
    form: str
    delimiter: str | None
    encoding: str

    def pieces(self, n: int | None = None) -> Iterator[Table]:
        """Yield all rows, a table of at most `n` at a time."""
        with open(self.path, encoding=self.encoding, newline="") as text:
            most = n or settings().chunk_rows, settings().chunk_bytes
            pieces = csv_pieces(text, self.path, self.form, self.delimiter, *most)
            try:
                yield from pieces
            except UnicodeDecodeError as error:
                raise DataError(
                    f"{self.path} is not {self.encoding.removesuffix('-sig')} (byte "
                    f"{error.object[error.start]:#04x}); say what it is with --encoding, such as "
                    "latin-1 or utf-16."
                ) from None

    def head(self) -> Table:
        """Return the first rows, whose numbers are read as all are."""
        table = super().head()
        table.marks.update(self.marks)
        return table

    @cached_property
    def marks(self) -> dict[str, dict[str, tuple[str, str]]]:
        """See `LargeFile`."""
        marks: dict[str, dict[str, tuple[str, str]]] = {}
        for table in self.pieces():
            if not table.comma:
                break
            for name in table.names:
                known = marks.setdefault(name, {})
                if "text" not in known:
                    marks[name] = decimal_marks(table, name) | known
        return marks

    def source(self, reading: Reading, domain: Domain, target: TargetColumn) -> RowSource:
        """Return the rows to learn from."""
        return PieceRows(partial(self._blocks, reading, domain, target), self)

    def _blocks(
        self, reading: Reading, domain: Domain, target: TargetColumn
    ) -> Iterator[tuple[Any, Any]]:
        for table in self.pieces():
            table.marks.update(self.marks)
            objects = read_objects(table, reading, domain)
            yield objects.data, labels_or_numbers(table, str(reading.target), target.task)


@dataclass(eq=False, repr=False)
class PieceRows(FactoryRows):
    """Rows of a file as tables, of which about as many are expected as a text file has lines."""

    file: LargeFile

    @property
    def expected_rows(self) -> int:
        """For the time left."""
        return self.file.n_rows

    @property
    def fingerprint(self) -> str:
        """The file with its size and time."""
        facts = Path(self.file.path).stat()
        return f"{self.file.path} {facts.st_size} {facts.st_mtime_ns}"


def large_file(options: argparse.Namespace, reading: Reading) -> LargeFile | None:
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
    form, most = options.format or format_of(options.data), settings().hashed_from
    if form == "parquet":
        found: LargeFile | None = _parquet(options.data)
    elif form in ("csv", "tsv") and Path(options.data).is_file():
        found = _text(options, form, most)
    else:
        found = None
    return found if found is not None and found.n_rows > most else None


def _parquet(path: str) -> LargeParquet | None:
    try:
        import pyarrow as pa
        from pyarrow import dataset
    except ImportError:  # said where the table is read
        return None
    try:
        data = dataset.dataset(path, format="parquet")
        return LargeParquet(path, int(data.count_rows()), data)
    except (pa.ArrowException, OSError):
        return None


def _text(options: argparse.Namespace, form: str, most: int) -> LargeText | None:
    """Return a text file, if it may have more rows than `most`."""
    path, n = Path(options.data), 0  # the header counts for a last line without an end
    if path.stat().st_size <= 2 * most:  # a row has a character and a line end at least
        return None
    with path.open("rb") as file:
        begin = file.read(4)
        file.seek(0)
        while some := file.read(1 << 20):
            n += max(some.count(b"\n"), some.count(b"\r"))
    encoding = encoding_of(begin, options.encoding)
    return LargeText(options.data, n, form, options.delimiter, encoding)
