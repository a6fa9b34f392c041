"""Where a command may write: never over what it reads."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import Any

from ..atomic_files import require_place
from .tables import STANDARD, DataError


def require_output(path: str, *inputs: str, overwrite: bool) -> None:
    """Stop before any work if a file cannot, or must not, be written.

    Parameters
    ----------
    path : str
        The output; links are followed.
    *inputs : str
        What is read; ``"-"`` is standard input. To write over these is refused, forced or not.
    overwrite : bool
        Whether another file of that name may be replaced.
    """
    if path == STANDARD:
        raise DataError("this output cannot go to standard output; give the name of a file.")
    _require_other(_status(path, None), path, inputs)
    require_place(Path(path), overwrite=overwrite)


def require_other_stream(*inputs: str) -> None:
    """Stop if standard output goes to a file that is read, as after ``>>``."""
    _require_other(_status(STANDARD, sys.stdout), "standard output", inputs)


def _require_other(output: os.stat_result | None, name: str, inputs: tuple[str, ...]) -> None:
    if output is None or not stat.S_ISREG(output.st_mode):
        return  # a terminal is both read and written
    for path in inputs:
        found = _status(path, sys.stdin)
        if found is not None and os.path.samestat(output, found):
            source = "standard input" if path == STANDARD else path
            raise DataError(
                f"{name} and {source} are the same file, which would be lost; give the output "
                "another name."
            )


def _status(path: str, stream: Any) -> os.stat_result | None:
    try:
        return os.fstat(stream.fileno()) if path == STANDARD else os.stat(path)
    except (OSError, ValueError, AttributeError):  # not there, or a stream that is no file
        return None
