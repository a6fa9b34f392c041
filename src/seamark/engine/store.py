"""A small database of finished values, so that a long job can be resumed."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

FILE_NAME = "seamark-values.sqlite"
APPLICATION = 0x5EA3A2C  # marks the file as ours, in its header
VERSION = 1
PATIENCE = 60.0  # seconds to wait for another process that is writing

_SCHEMA = f"""
CREATE TABLE things (id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE);
CREATE TABLE pairs (f INTEGER, x INTEGER, l INTEGER, value REAL NOT NULL,
                    PRIMARY KEY (f, x, l)) WITHOUT ROWID;
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};
"""

Ids = NDArray[np.int64]


class Store:
    """Values by (function, object, landmark), in one SQLite file; several processes may share it.

    Parameters
    ----------
    folder : path
        Made if it does not exist; the file inside is ``seamark-values.sqlite``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store(folder) as store:
    ...     f, x, y = store.ids([b"f", b"x", b"y"])
    ...     store.put(f, [(x, y, 0.5)])
    ...     store.row(f, x)
    (array([3]), array([0.5]))
    """

    def __init__(self, folder: Any) -> None:
        self.path = Path(folder).expanduser() / FILE_NAME
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ValueError(
                f"memory={str(folder)!r} cannot be used as a folder ({error.strerror}); give the "
                "path of a folder that exists or can be made."
            ) from error
        with self._explained():
            self._base = sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None)
        try:
            with self._explained():
                self._open()
        except BaseException:
            self._base.close()
            raise

    def _open(self) -> None:
        """Recognise our file, or make it; two processes may do so at once."""
        if not self._is_ours():
            with self._transaction():
                if not self._is_ours():  # another process may have been first
                    for statement in filter(str.strip, _SCHEMA.split(";")):
                        self._base.execute(statement)
        self._use_wal()
        self._base.execute("PRAGMA synchronous = NORMAL")  # with WAL: never corrupt

    def _is_ours(self) -> bool:
        """Return whether the file is ours; False if it is empty; complain if neither."""
        application, version, tables = (
            self._base.execute(question).fetchone()[0]
            for question in (
                "PRAGMA application_id",
                "PRAGMA user_version",
                "SELECT count(*) FROM sqlite_master",
            )
        )
        if (application, version) == (APPLICATION, VERSION):
            return True
        if application == 0 and tables == 0:
            return False
        raise sqlite3.DatabaseError("it is the database of another program or version")

    def _use_wal(self) -> None:
        """Let readers and a writer work at once; SQLite does not itself wait to switch."""
        patience = time.monotonic() + PATIENCE
        while True:
            try:
                self._base.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError:
                if time.monotonic() > patience:
                    raise
                time.sleep(0.05)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn SQLite's errors into a sentence that names the file."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise OSError(
                f"the store of values {self.path} cannot be used: {error}; free it, or give "
                "another folder as memory=."
            ) from error
        except sqlite3.DatabaseError as error:
            raise ValueError(
                f"{self.path} is not a store of values of this package, or is damaged: {error}; "
                "move the file away, or give another folder as memory=."
            ) from error

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._base.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._base.execute("ROLLBACK")
            raise
        self._base.execute("COMMIT")

    def ids(self, digests: Sequence[bytes]) -> Ids:
        """Return a number for each digest, the same ever after."""
        ask = "SELECT id FROM things WHERE digest = ?"
        with self._explained(), closing(self._base.cursor()) as cursor:
            found = [cursor.execute(ask, (digest,)).fetchone() for digest in digests]
            new = {digest for digest, row in zip(digests, found, strict=True) if row is None}
            if new:
                with self._transaction():
                    cursor.executemany(
                        "INSERT OR IGNORE INTO things (digest) VALUES (?)",
                        ((digest,) for digest in digests if digest in new),
                    )
                found = [
                    row or cursor.execute(ask, (digest,)).fetchone()
                    for digest, row in zip(digests, found, strict=True)
                ]
        return np.array([row[0] for row in found], dtype=np.int64)

    def row(self, f: int, x: int) -> tuple[Ids, NDArray[np.float64]]:
        """Return the landmarks that object x has values for, rising, and the values."""
        with self._explained():
            ask = "SELECT l, value FROM pairs WHERE f = ? AND x = ? ORDER BY l"
            rows = self._base.execute(ask, (int(f), int(x))).fetchall()
        landmarks = np.array([row[0] for row in rows], dtype=np.int64)
        return landmarks, np.array([row[1] for row in rows], dtype=np.float64)

    def put(self, f: int, triples: Sequence[tuple[int, int, float]]) -> None:
        """Keep values, given as (object, landmark, value); on disk when this returns."""
        rows = ((int(f), int(x), int(lm), float(value)) for x, lm, value in triples)
        with self._explained(), self._transaction():
            self._base.executemany("INSERT OR REPLACE INTO pairs VALUES (?, ?, ?, ?)", rows)

    def close(self) -> None:
        """Let go of the file."""
        self._base.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
