"""`rows`: any data as a source of rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .base import RowSource
from .collections import dask_rows, is_collection
from .given import ArrayRows, FactoryRows


def rows(
    data: Any,
    *,
    column: str | list[str] | None = None,
    target: Any = None,
    weight: Any = None,
    format: str | None = None,
    chunk_rows: int | None = None,
) -> RowSource:
    """Return rows to learn from that need not fit into memory.

    Models and maps take what this returns in place of X: `fit`, `predict`, `transform`; and so does
    `assess`. Rows are read several times, always in the same order.

    Parameters
    ----------
    data : path, list of paths, pyarrow dataset, array, sequence, callable or Dask collection
        Files (Parquet, Arrow, CSV), patterns such as ``"data/*.parquet"`` or folders of them; an
        array, also a memory-mapped one; or a function that returns, each time it is called, a new
        iterator of blocks: objects, or tuples of objects and targets (and weights). Columns of
        dask.dataframe, bags and arrays of Dask; `fit` takes these as they are, too.
    column : str or list of str, optional
        Of files: the column of objects; several make a table. Default: the only one that is left.
    target, weight : str or array, optional
        Of files, the names of columns; of an array, the targets and weights themselves.
    format : {"parquet", "ipc", "csv"}, optional
        Of files; default: by their ending.
    chunk_rows : int, optional
        Rows read at a time; default: up to 65,536, and 64 MB.

    Returns
    -------
    RowSource

    Examples
    --------
    >>> import numpy as np
    >>> source = rows(np.arange(10.0).reshape(5, 2), target=[0, 1, 0, 1, 0], chunk_rows=2)
    >>> source
    <ArrayRows: 5 rows>
    >>> [chunk.target.tolist() for chunk in source.chunks()]
    [[0, 1], [0, 1], [0]]
    """
    if isinstance(data, RowSource):
        return data
    paths = isinstance(data, (str, Path)) or (
        isinstance(data, (list, tuple)) and column is not None and _are_paths(data)
    )
    if paths or type(data).__module__.startswith("pyarrow._dataset"):
        from .files import file_rows

        return file_rows(data, column, target, weight, format, chunk_rows)
    if is_collection(data):
        return dask_rows(data if column is None else data[column], target, weight)
    if callable(data):
        return FactoryRows(data)
    return ArrayRows(data, target, weight, chunk_rows)


def _are_paths(data: Any) -> bool:
    return len(data) > 0 and all(isinstance(one, (str, Path)) for one in data)
