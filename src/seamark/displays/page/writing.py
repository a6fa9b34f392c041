"""Files that are there whole, or not at all."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def write_text(path: Path, text: str, *, overwrite: bool) -> Path:
    """Write text under another name first, then give it its own.

    Parameters
    ----------
    path : Path
    text : str
    overwrite : bool
        Replace the file if it exists; otherwise stop with FileExistsError.
    """
    if path.exists() and not overwrite:
        raise FileExistsError(f"{path} exists; give another path, or overwrite=True.")
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with open(unfinished, "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
    return path
