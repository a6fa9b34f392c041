"""Parquet files of more rows than are read at once."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from ..engine import settings
from ..sources import RowSource, rows
from ..sources.files import batches_of
from .reading import Reading
from .tables import STANDARD, Table, arrow_table, format_of

HEAD = 10_000  # rows that show what the columns are
PIECE = 65_536  # rows predicted at a time


def large_data(options: argparse.Namespace, reading: Reading) -> Any:
    """Return the dataset of a Parquet file that is too long to be read at once; None: it is not.

    Series and sets in long format, ordered labels and queries need all rows, and get them.
    """
    task = getattr(options, "task", "auto")
    whole = reading.id or reading.query or getattr(options, "order", None)
    if whole or task not in ("auto", "classify", "regress") or options.data == STANDARD:
        return None
    if (options.format or format_of(options.data)) != "parquet":
        return None
    try:
        import pyarrow as pa
        from pyarrow import dataset
    except ImportError:  # said where the table is read
        return None
    try:
        data = dataset.dataset(options.data, format="parquet")
        return data if data.count_rows() > settings().hashed_from else None
    except (pa.ArrowException, OSError):
        return None


def head_of(data: Any, source: str) -> Table:
    """Return the first rows as a table, by which columns are chosen and checked."""
    return arrow_table(data.head(HEAD), source)


def pieces_of(data: Any, source: str) -> Iterator[Table]:
    """Yield all rows, a table of some at a time."""
    for batch in batches_of(data, data.schema.names, PIECE):
        yield arrow_table(batch, source)


def source_of(data: Any, reading: Reading) -> RowSource:
    """Return the rows to learn from."""
    columns = reading.columns if reading.column is None else reading.column
    return rows(data, column=columns, target=reading.target)
