"""A small database of finished values, so that a long job can be resumed."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..data.hashing import mixed_bits

FILE_NAME = "seamark-values-2.sqlite"  # version 1 had no checks, and a file of its own
APPLICATION = 0x5EA3A2C  # marks the file as ours, in its header
VERSION = 2
PATIENCE = 60.0  # seconds to wait for another process that is writing

_SCHEMA = f"""
CREATE TABLE things (id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE);
CREATE TABLE pairs (f INTEGER, x INTEGER, l INTEGER, value REAL NOT NULL, sum INTEGER,
                    PRIMARY KEY (f, x, l)) WITHOUT ROWID;
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};
"""

Ids = NDArray[np.int64]


class Store:
    """Values by (function, object, landmark), in one SQLite file; several processes may share it.

    Every value is kept with a checksum of itself and of the digests it belongs to. One that does
    not agree, because bits of the file have changed, is not given out.

    Parameters
    ----------
    folder : path
        Made if it does not exist; the file inside is ``seamark-values-2.sqlite``.

    Attributes
    ----------
    n_damaged : int
        Values met so far whose checksum did not agree.

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
        self.n_damaged = 0
        self._keys: dict[int, int] = {}  # of the things asked for, by number
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
        # Three questions about one state of the file: another process may be making it.
        with self._transaction("DEFERRED"):
            ours = self._is_ours()
        if not ours:
            with self._transaction():
                if not self._is_ours():  # another process may have been first
                    for statement in filter(str.strip, _SCHEMA.split(";")):
                        self._base.execute(statement)
        self._base.text_factory = bytes  # damaged numbers may look like text
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
        """Let readers and a writer work at once; SQLite itself does not wait to switch."""
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
    def _transaction(self, kind: str = "IMMEDIATE") -> Iterator[None]:
        self._base.execute(f"BEGIN {kind}")
        try:
            yield
        except BaseException:
            self._base.execute("ROLLBACK")
            raise
        self._base.execute("COMMIT")

    def ids(self, digests: Sequence[bytes]) -> Ids:
        """Return a number for each digest, which stays the same."""
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
            for digest, row in zip(digests, found, strict=True):
                key = _key(digest)
                if row is None or self._keys.setdefault(row[0], key) != key:
                    raise sqlite3.DatabaseError("its numbers of objects are mixed up")
        return np.array([row[0] for row in found], dtype=np.int64)

    def row(self, f: int, x: int) -> tuple[Ids, NDArray[np.float64]]:
        """Return the landmarks that object x has values for, rising, and the values.

        Only landmarks that `ids` was asked for: others cannot be checked.
        """
        with self._explained():
            ask = "SELECT l, value, sum FROM pairs WHERE f = ? AND x = ? ORDER BY l"
            rows = self._base.execute(ask, (int(f), int(x))).fetchall()
        rows = [row for row in rows if row[0] in self._keys]
        sound = [row for row in rows if type(row[1]) is float and type(row[2]) is int]
        landmarks = np.array([row[0] for row in sound], dtype=np.int64)
        values = np.array([row[1] for row in sound], dtype=np.float64)
        sums = np.array([row[2] for row in sound], dtype=np.int64)
        good = sums == self._sums(f, [x] * len(sound), landmarks.tolist(), values)
        if len(rows) > good.sum():
            self._forget(f, x, {row[0] for row in rows} - set(landmarks[good].tolist()))
        return landmarks[good], values[good]

    def _forget(self, f: int, x: int, landmarks: set[int]) -> None:
        """Remove damaged values, so that they are not found again."""
        self.n_damaged += len(landmarks)
        rows = ((int(f), int(x), landmark) for landmark in landmarks)
        with self._explained(), self._transaction():
            self._base.executemany("DELETE FROM pairs WHERE f = ? AND x = ? AND l = ?", rows)

    def put(self, f: int, triples: Sequence[tuple[int, int, float]]) -> None:
        """Keep values, given as (object, landmark, value); on disk when this returns."""
        if not triples:
            return
        xs, landmarks, numbers = zip(*triples, strict=True)
        values = np.array(numbers, dtype=np.float64) + 0.0  # the file does not know −0
        sums = self._sums(f, xs, landmarks, values).tolist()
        of = ([int(f)] * len(xs), map(int, xs), map(int, landmarks))
        rows = zip(*of, values.tolist(), sums, strict=True)
        with self._explained(), self._transaction():
            self._base.executemany("INSERT OR REPLACE INTO pairs VALUES (?, ?, ?, ?, ?)", rows)

    def _sums(
        self, f: int, xs: Sequence[int], landmarks: Sequence[int], values: NDArray[np.float64]
    ) -> Ids:
        """Return the checksum of each value, and of what it is the value of."""
        of_rows = np.array([self._keys[int(x)] for x in xs], dtype=np.uint64)
        of_landmarks = np.array([self._keys[int(lm)] for lm in landmarks], dtype=np.uint64)
        mixed = np.full(len(values), self._keys[int(f)], dtype=np.uint64)
        for part in (of_rows, of_landmarks, values.view(np.uint64)):
            mixed = mixed_bits(mixed ^ part)
        return mixed.view(np.int64)

    def close(self) -> None:
        """Close the file."""
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


def _key(digest: bytes) -> int:
    """Return 64 bits that stand for a digest."""
    return int.from_bytes(blake2b(digest, digest_size=8).digest(), "little")
