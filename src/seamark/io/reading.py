"""`rows`: any data as a source of rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .base import RowSource, as_targets
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
    data : path, list of paths, pyarrow dataset, table, array, sequence, callable, Dask collection
        Files (Parquet, Arrow, CSV), patterns such as ``"data/*.parquet"`` or folders of them; an
        array, also a memory-mapped one; or a function that returns, each time it is called, a new
        iterator of blocks: objects, or tuples of objects and targets (and weights). Columns of
        dask.dataframe, bags and arrays of Dask; `fit` takes these as they are, too.
    column : str or list of str, optional
        Of files and tables: the column of objects; several make a table. Default: the only one
        that is left.
    target, weight : str or array, optional
        Of files and tables, the names of columns; else the targets and weights themselves.
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
    if paths or type(data).__module__.startswith(("pyarrow._dataset", "pyarrow.lib")):
        from .files import file_rows

        return file_rows(data, column, target, weight, format, chunk_rows)
    if is_collection(data):
        return dask_rows(data if column is None else data[column], target, weight)
    if callable(data):
        return FactoryRows(data)
    if hasattr(data, "columns"):
        return _frame_rows(data, column, target, weight, chunk_rows)
    if not hasattr(data, "shape") and not (hasattr(data, "__len__") and hasattr(data, "__iter__")):
        once = hasattr(data, "__next__")
        raise TypeError(
            f"rows of a {type(data).__name__} cannot be read "
            + ("again; give the function that makes it." if once else "; give files or a list.")
        )
    return ArrayRows(data, target, weight, chunk_rows)


def _frame_rows(
    frame: Any, column: Any, target: Any, weight: Any, chunk_rows: int | None
) -> RowSource:
    """Return rows of a frame of pandas or polars, in which columns may be named as in files."""
    named = [one for one in (target, weight) if isinstance(one, str)]
    if column is None and named:
        column = [name for name in frame.columns if name not in named]
        column = column[0] if len(column) == 1 else column
    missing = [name for name in named if name not in frame.columns]
    for name in (*([column] if isinstance(column, str) else column or ()), *missing):
        if name not in frame.columns:
            known = ", ".join(map(str, list(frame.columns)[:20]))
            raise ValueError(f"there is no column {name!r}; the columns are {known}.")
    found = [np.asarray(frame[one]) if isinstance(one, str) else one for one in (target, weight)]
    objects = frame if column is None else frame[column]
    return ArrayRows(objects, as_targets(found[0]) if named else found[0], found[1], chunk_rows)


def _are_paths(data: Any) -> bool:
    return len(data) > 0 and all(isinstance(one, (str, Path)) for one in data)
