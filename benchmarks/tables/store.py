"""Finished cells on disk, one JSON file each, so that an interrupted run resumes."""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import seamark as sm

from .spec import Cell, Row, Table


class Store:
    """A folder of results, and the folder of data they come from."""

    def __init__(self, folder: Path, data: Path | None) -> None:
        self.folder = folder
        self.data = data

    def has_data(self, row: Row) -> bool:
        return self._data_file(row).is_file() if self.data else False

    def get(self, table: Table, cell: Cell) -> dict[str, Any] | None:
        """Return the result of a cell, or None if it has not been run as it is defined now."""
        if not self.has_data(table.row(cell.row)):
            return None
        path = self._path(table, cell)
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None

    def put(self, table: Table, cell: Cell, result: dict[str, Any]) -> None:
        """Keep a result; the file appears whole or not at all."""
        path = self._path(table, cell)
        path.parent.mkdir(parents=True, exist_ok=True)
        definition = table.define(cell, table.row(cell.row))
        content = asdict(cell) | result | {"definition": definition, "code": code_digest()}
        unfinished = path.with_suffix(f".{os.getpid()}.tmp")
        unfinished.write_text(json.dumps(content, indent=1), encoding="utf-8")
        unfinished.replace(path)

    def _path(self, table: Table, cell: Cell) -> Path:
        row = table.row(cell.row)
        definition = table.define(cell, row)
        # The data count too: a folder may hold another version of a set under the same name.
        facts = [asdict(cell), sm.__version__, definition, _checksum(self._data_file(row))]
        digest = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:20]
        return self.folder / table.name / f"{digest}.json"

    def _data_file(self, row: Row) -> Path:
        return Path(self.data or "") / f"{row.data}.npz"


@cache
def _checksum(path: Path) -> int:
    return zlib.crc32(path.read_bytes())


@cache
def code_digest() -> str:
    """Digest of the package's sources: not part of a key, but pages say if cells differ in it."""
    digest = hashlib.sha256()
    package = Path(sm.__file__).parent
    for path in sorted(package.rglob("*")):
        if path.suffix in (".py", ".cpp", ".hpp"):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
