"""Finished cells on disk, one JSON file each, so that an interrupted run resumes."""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import seamark as sm

from .spec import Cell, Row, Table


@dataclass(frozen=True)
class WholeRun:
    """What a run of all cells of a table took."""

    seconds: float
    jobs: int


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

    def kept(self, table: Table, cells: Iterable[Cell]) -> dict[Cell, dict[str, Any]]:
        """Return the results there are."""
        found = {cell: self.get(table, cell) for cell in cells}
        return {cell: result for cell, result in found.items() if result is not None}

    def put(self, table: Table, cell: Cell, result: dict[str, Any]) -> None:
        """Keep a result; the file appears whole or not at all."""
        definition = table.define(cell, table.row(cell.row))
        content = asdict(cell) | result | {"definition": definition, "code": code_digest()}
        write_whole(self._path(table, cell), content)

    def whole_run(self, table: Table) -> WholeRun | None:
        """Return what a run of all cells took, if they were those of the present definition."""
        path = self._run_path(table)
        content = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        if content.pop("cells", None) != self._names(table, self._ready(table)):
            return None
        return WholeRun(**content)

    def put_run(self, table: Table, cells: list[Cell], run: WholeRun) -> None:
        """Keep what a run took, if it was of all cells that have data."""
        names = self._names(table, cells)
        if names and names == self._names(table, self._ready(table)):
            write_whole(self._run_path(table), asdict(run) | {"cells": names})

    def _ready(self, table: Table) -> list[Cell]:
        return [cell for cell in table.cells() if self.has_data(table.row(cell.row))]

    def _names(self, table: Table, cells: list[Cell]) -> list[str]:
        return sorted(self._path(table, cell).stem for cell in cells)

    def _run_path(self, table: Table) -> Path:
        return self.folder / f"{table.name}.run.json"

    def _path(self, table: Table, cell: Cell) -> Path:
        row = table.row(cell.row)
        definition = table.define(cell, row)
        # The data count too: a folder may hold another version of a set under the same name.
        facts = [asdict(cell), sm.__version__, definition, _checksum(self._data_file(row))]
        digest = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:20]
        return self.folder / table.name / f"{digest}.json"

    def _data_file(self, row: Row) -> Path:
        return Path(self.data or "") / f"{row.data}.npz"


def write_whole(path: Path, content: dict[str, Any]) -> None:
    """Write a JSON file that appears whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(f".{os.getpid()}.tmp")
    unfinished.write_text(json.dumps(content, indent=1), encoding="utf-8")
    unfinished.replace(path)


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
