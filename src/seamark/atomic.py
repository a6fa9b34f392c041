"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def atomic_file(path: str | os.PathLike[str], *, overwrite: bool = False) -> Iterator[BinaryIO]:
    """Open a file that appears under its name only when all is written.

    Parameters
    ----------
    path : path
        The name it gets at the end.
    overwrite : bool, default=False
        Whether a file of that name may be replaced.

    Yields
    ------
    binary file

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with atomic_file(folder / "a.txt") as file:
    ...     _ = file.write(b"whole")
    >>> [(p.name, p.read_bytes()) for p in folder.iterdir()]
    [('a.txt', b'whole')]
    """
    path = Path(path)
    require_place(path, overwrite=overwrite)
    # Beside the target, so that the last step stays on one file system; by `open`, not `mkstemp`,
    # so that it has the permissions of any other file.
    draft = path.with_name(f".{path.name}.{secrets.token_hex(6)}.part")
    try:
        with draft.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        require_place(path, overwrite=overwrite)  # one may have come while we wrote
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def require_place(path: Path, *, overwrite: bool) -> None:
    """Stop if a file cannot, or must not, be written there."""
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; give the name of a file.")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"the folder {path.parent} does not exist; make it first.")
    if path.exists() and not overwrite:
        raise FileExistsError(
            f"{path} exists already; to replace it, say so: overwrite=True, or --force."
        )
