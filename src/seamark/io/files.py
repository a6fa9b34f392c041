"""Rows of Parquet, Arrow and CSV files, and 'rows', which reads any data as a source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from glob import glob, has_magic
from pathlib import Path
from typing import Any

import numpy as np

from ..data import is_collection
from .base import ArrayRows, Chunk, FactoryRows, RowSource, as_targets, rows_of_bytes
from .dask import dask_rows

FORMATS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "ipc",
    ".feather": "ipc",
    ".csv": "csv",
}
"""Endings that say what a file is."""


@dataclass(eq=False, repr=False)
class FileRows(RowSource):
    """Some columns of a pyarrow dataset.

    Parameters
    ----------
    dataset : pyarrow.dataset.Dataset
    column : str or list of str
        Of the objects; several make a table.
    target : str, list of str, optional
        Of the targets.
    weight : str, optional
        Of the rows' weights.
    chunk_rows : int, optional
        Rows of a chunk; default: up to 65,536, and 64 MB.
    """

    dataset: Any
    column: str | list[str]
    target: str | list[str] | None = None
    weight: str | None = None
    chunk_rows: int | None = None
    names: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.n_rows = int(self.dataset.count_rows())
        wanted = [self.column, self.target, self.weight]
        lists = [one if isinstance(one, list) else [one] for one in wanted if one is not None]
        self.names = list(dict.fromkeys(name for some in lists for name in some))
        known = self.dataset.schema.names
        missing = next((name for name in self.names if name not in known), None)
        if missing is not None:
            raise ValueError(
                f"there is no column {missing!r}; the columns are {', '.join(known[:20])}."
            )
        if self.n_rows == 0:
            raise ValueError("the files have no rows.")
        if self.chunk_rows is None:
            first = self.dataset.head(1000, columns=self.names)
            self.chunk_rows = rows_of_bytes(first.nbytes / max(1, first.num_rows))

    def chunks(self, start: int = 0) -> Iterator[Chunk]:
        """Yield chunks of equally many rows, whatever the files' own batches are."""
        from pyarrow import Table

        size = int(self.chunk_rows or 1)
        waiting: list[Any] = []
        have, first = 0, start * size
        for batch in batches_of(self.dataset, self.names, size, first):
            waiting.append(batch)
            have += batch.num_rows
            while have >= size:
                table = Table.from_batches(waiting)
                yield self._chunk(first, table.slice(0, size))
                first, have = first + size, have - size
                waiting = table.slice(size).to_batches()
        if have:
            yield self._chunk(first, Table.from_batches(waiting))

    def _chunk(self, first: int, table: Any) -> Chunk:
        several = isinstance(self.column, list)
        objects = table.select(self.column) if several else table.column(self.column)
        return Chunk(first, objects, _numbers(table, self.target), _numbers(table, self.weight))

    @property
    def fingerprint(self) -> str:
        """Files with their sizes and times, and the columns."""
        files = sorted(getattr(self.dataset, "files", []))
        facts = [(file, Path(file).stat().st_size, Path(file).stat().st_mtime_ns) for file in files]
        return repr((facts, self.n_rows, self.names, self.chunk_rows))


def _numbers(table: Any, names: str | list[str] | None) -> Any:
    """Return a column as an array, or several as a matrix."""
    arrays = []
    for name in [names] if isinstance(names, str) else names or ():
        column = table.column(name)
        exact = str(column.type).startswith("decimal")  # which numpy does not know
        arrays.append((column.cast("float64") if exact else column).to_numpy())
    if not arrays:
        return None
    return np.column_stack(arrays) if isinstance(names, list) else as_targets(arrays[0])


def file_rows(
    paths: Any, column: Any, target: Any, weight: Any, format: str | None, chunk_rows: int | None
) -> FileRows:
    """Return the rows of a file, of those that a pattern or a folder holds, or of several."""
    try:
        import pyarrow as pa
        from pyarrow import dataset
    except ImportError as error:
        raise ImportError("rows of files need pyarrow: pip install 'seamark[parquet]'") from error
    if isinstance(paths, pa.Table):
        paths = dataset.dataset(paths)
    if not isinstance(paths, dataset.Dataset):
        files = _files(paths)
        ending = Path(files[0]).suffix.lower()
        if not format and ending not in FORMATS:
            raise ValueError(
                f"the ending of {files[0]} must be one of {', '.join(FORMATS)}; got {ending!r}. "
                "Or say what it is with format=."
            )
        form = format or FORMATS[ending]
        try:
            paths = dataset.dataset(files, format=form)
        except (pa.ArrowException, OSError) as error:
            raise ValueError(f"{files[0]} cannot be read as {form}: {error}") from error
    if column is None:
        names = [name for name in paths.schema.names if name not in (target, weight)]
        if len(names) != 1:
            raise ValueError(
                f"column= must say which of {', '.join(names[:20])} holds the objects."
            )
        column = names[0]
    return FileRows(paths, column, target, weight, chunk_rows)


def batches_of(dataset: Any, names: list[str], size: int, skip: int = 0) -> Iterator[Any]:
    """Yield batches of some columns from row `skip` on, of one row group after the other.

    A scan of the whole dataset would read on while a batch is worked on, up to all of it.
    """
    for fragment in dataset.get_fragments():
        split = getattr(fragment, "split_by_row_group", None)
        for part in split() if split is not None else [fragment]:
            if skip and skip >= (n := _n_rows(part)):
                skip -= n
                continue
            schema = dataset.schema
            for batch in part.to_batches(schema=schema, columns=names, batch_size=size):
                some = batch.slice(min(skip, batch.num_rows))
                skip -= batch.num_rows - some.num_rows
                if some.num_rows:
                    yield some


def _n_rows(part: Any) -> int:
    """Count the rows of a fragment; its own method would count those of the whole file."""
    groups = getattr(part, "row_groups", None)
    return int(part.count_rows() if groups is None else sum(one.num_rows for one in groups))


def _files(paths: Any) -> list[str]:
    found: list[str] = []
    for one in paths if isinstance(paths, (list, tuple)) else [paths]:
        text = str(one)
        if has_magic(text):
            found += sorted(glob(text, recursive=True))
        elif Path(text).is_dir():
            found += sorted(str(p) for p in Path(text).rglob("*") if p.suffix.lower() in FORMATS)
        elif Path(text).exists():
            found.append(text)
        else:
            raise FileNotFoundError(f"there is no file {text}.")
    if not found:
        raise FileNotFoundError(f"no file matches {paths}.")
    return found


# `rows`: any data as a source of rows.


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
    listed = isinstance(data, (list, tuple)) and column is not None and len(data) > 0
    several = listed and all(isinstance(one, (str, Path)) for one in data)
    paths = several or isinstance(data, (str, Path))
    if paths or type(data).__module__.startswith(("pyarrow._dataset", "pyarrow.lib")):
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
