"""`Checkpoint`: sums of finished chunks on disk, so that a killed fit goes on where it was."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from ..engine import warn_user
from ..files import atomic_file

Arrays = dict[str, NDArray[Any]]
BEGUN = "fit.json"
EVERY_SECONDS = 5.0  # between two files of a pass
FACTS = "key", "data", "all_data", "chunks", "rows"


@dataclass
class Checkpoint:
    """What is kept of one pass.

    A file holds the sums of the first chunks and how many these are. It appears whole or not at
    all, so that whatever ends the process, the last one is there. Chunks are always added in the
    same order: a fit that was resumed gives the same bits as one that was not.

    Parameters
    ----------
    folder : path
    name : str
        Of the pass.
    key : str
        Stands for everything the sums depend on but the rows; those of another key are left alone.
    data : list of str
        Digests of the first 0, 1, 2, … chunks: sums are taken up if the chunks in them are what
        they were.
    arrays : callable
        Returns what is added up as named arrays.
    taking : callable
        Turns such arrays back.
    """

    folder: Path
    name: str
    key: str
    data: list[str]
    arrays: Callable[[Any], Arrays]
    taking: Callable[[Arrays], Any]
    rows: int = 0
    _saved: float = field(default_factory=time.monotonic)

    @property
    def path(self) -> Path:
        """The file."""
        return self.folder / f"{self.name}.npz"

    def found(self) -> tuple[Any, int]:
        """Return the sums that are there and the number of chunks in them; (None, 0): none."""
        if not self.path.exists():
            return None, 0
        try:
            with self.path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
                arrays = dict(file)
            key, data, whole, number, rows = (arrays.pop(name).item() for name in FACTS)
            number, rows = int(number), int(rows)
        except (OSError, ValueError, KeyError, EOFError, TypeError, BadZipFile) as error:
            raise ValueError(
                f"{self.path} is not a valid checkpoint ({error}); remove it, and what it held "
                "will be computed again."
            ) from error
        if not 0 <= number < len(self.data) or data != self.data[number]:
            warn_user(
                f"the checkpoint {self.path} is of other data: rows, targets or weights have "
                "changed since; the fit starts again from the first row."
            )
            return None, 0
        if key != self.key:
            what = "sums of another step" if whole == self.data[-1] else "a fit to other data"
            warn_user(f"{self.path} holds {what}; this step starts from its first row.")
            return None, 0
        self.rows = rows
        return (self.taking(arrays) if arrays else None), number

    def keep(self, total: Any, number: int, rows: int, *, now: bool = False) -> None:
        """Save the sums of so many chunks, unless they were saved a moment ago."""
        if not now and time.monotonic() - self._saved < EVERY_SECONDS:
            return
        self.rows = rows if rows >= 0 else self.rows
        held = {} if total is None else self.arrays(total)
        data = self.data[min(number, len(self.data) - 1)], self.data[-1]
        facts = dict(zip(FACTS, (self.key, *data, number, self.rows), strict=True))
        with atomic_file(self.path, overwrite=True) as file:
            np.savez(file, **{**facts, **held})  # type: ignore[arg-type]
        self._saved = time.monotonic()


def begun(folder: str | os.PathLike[str], job: str, seed: int) -> tuple[Path, int]:
    """Return the folder of a checkpoint and the seed of the fit in it, new ones if it is empty.

    Parameters
    ----------
    folder : path
        Made if it is not there.
    job : str
        What is fitted to what; a folder of another one is refused.
    seed : int
        For a fit that begins here. One that goes on has the seed it began with.
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    note = place / BEGUN
    if not note.exists():
        with atomic_file(note) as file:
            file.write(json.dumps(_note(_short(job), seed)).encode())
        return place, seed
    try:
        kept = json.loads(note.read_text("utf-8"))
        before, seed = kept["job"], kept["seed"]
        if kept != _note(before, seed):
            raise ValueError("its checksum is of something else")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{note} is not a valid checkpoint; give an empty folder.") from error
    if before != _short(job):
        raise ValueError(
            f"checkpoint={str(folder)!r} holds another fit, of other rows or parameters; give an "
            "empty folder, or remove this one."
        )
    return place, seed


def _note(job: str, seed: int) -> dict[str, Any]:
    return {"job": job, "seed": seed, "checksum": _short(f"{job} {seed!r}")}


def _short(text: str) -> str:
    return blake2b(text.encode(), digest_size=16).hexdigest()


def key_of(*parts: Any) -> str:
    """Return a short text that stands for arrays, numbers and texts."""
    found = blake2b(digest_size=16)
    for part in parts:
        held = part.tobytes() if isinstance(part, np.ndarray) else repr(part).encode()
        found.update(len(held).to_bytes(8, "little") + held)
    return found.hexdigest()
