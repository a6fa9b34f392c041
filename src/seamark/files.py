"""Files that appear complete or not at all."""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

if sys.platform != "win32":
    import fcntl

__all__ = ["atomic_file", "require_place"]

FULL = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}
"""What systems say where there is no room: on the disk, in a file, in what is allowed to a user."""
TOKEN = 6
"""Random bytes in the name of a draft."""


@contextmanager
def atomic_file(path: str | os.PathLike[str], *, overwrite: bool = False) -> Iterator[BinaryIO]:
    """Open a file that appears under its name only when all is written.

    A link is followed: the file it leads to is written, and the link stays. What is no regular
    file, such as a device, is refused. Drafts that a killed process left behind are removed. Where
    the disk is full, what the file held before stays, and the error says so.

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
    require_place(path, overwrite=overwrite)
    target = Path(os.path.realpath(path))
    _remove_leftovers(target)
    with _draft_of(target) as draft:
        with _explained(path), draft.open("r+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        require_place(path, overwrite=overwrite)  # one may have come while we wrote
        if overwrite:
            os.replace(draft, target)
        else:
            try:
                _name_first(draft, target)
            except FileExistsError:  # … or since we looked
                raise _taken(path) from None


@contextmanager
def _explained(path: str | os.PathLike[str]) -> Iterator[None]:
    """Say what a full disk means for the file, in one sentence."""
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise OSError(
            f"{path} could not be written ({error.strerror}); what it held before is still there: "
            "make room, and try again."
        ) from error


def require_place(path: str | os.PathLike[str], *, overwrite: bool) -> None:
    """Stop if a file cannot, or must not, be written there.

    Parameters
    ----------
    path : path
        The file to be written; for a link, the file it leads to is checked.
    overwrite : bool
        Whether a file that is there may be replaced.
    """
    # The system also follows links that are no paths, such as /dev/stdout: check the name itself.
    target, named = Path(os.path.realpath(path)), Path(path)
    if named.is_dir():
        raise IsADirectoryError(f"{path} is a folder; give the name of a file.")
    if named.exists() and not named.is_file():
        raise OSError(
            f"{path} is a {_kind_of(named)}, and only regular files are written; give the name of "
            "a file."
        )
    if not target.parent.is_dir():
        raise FileNotFoundError(f"the folder {target.parent} does not exist; make it first.")
    if target.is_symlink():
        raise FileNotFoundError(f"{path} is a link that leads nowhere; give the name of a file.")
    if target.exists() and not overwrite:
        raise _taken(path)


def _taken(path: str | os.PathLike[str]) -> FileExistsError:
    return FileExistsError(f"{path} already exists; use overwrite=True to overwrite it.")


def _name_first(draft: Path, target: Path) -> None:
    """Give a draft its name, unless the name is taken; of several at once, one succeeds."""
    if sys.platform == "win32":
        os.rename(draft, target)  # replaces nothing there
        return
    try:
        os.link(draft, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without links: whoever makes an empty file may replace it
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        os.replace(draft, target)


def _kind_of(path: Path) -> str:
    mode = path.stat().st_mode
    if stat.S_ISFIFO(mode):
        return "pipe"
    return "socket" if stat.S_ISSOCK(mode) else "device"


@contextmanager
def _draft_of(target: Path) -> Iterator[Path]:
    """Make an empty draft, and lock it until it has its name, so that nobody removes it.

    It lies beside the target, so that the last step stays on one file system, and is made as any
    other file, not by `mkstemp`, so that it has the permissions of one.
    """
    while True:
        draft = target.with_name(f".{target.name}.{secrets.token_hex(TOKEN)}.part")
        holder = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666)
        # Another process may have removed it before we locked it: make another.
        if _hold(holder) and draft.exists():
            break
        os.close(holder)
    try:
        if sys.platform == "win32":
            os.close(holder)  # an open file can be neither renamed nor removed there
        yield draft
    finally:
        draft.unlink(missing_ok=True)
        if sys.platform != "win32":
            os.close(holder)


def _hold(descriptor: int) -> bool:
    """Lock a file, unless another process, or another thread of this one, has it."""
    if sys.platform != "win32":
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # a file system without locks: leftovers then stay
            return True
    return True


def _remove_leftovers(target: Path) -> None:
    """Remove drafts of this file that no living process writes."""
    name = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{{2 * TOKEN}}}\.part")
    with suppress(OSError):  # a folder may be written to and not be read
        for found in list(target.parent.iterdir()):
            if name.fullmatch(found.name):
                with suppress(OSError):  # held, gone already, or not ours to remove
                    _remove_unheld(found)


def _remove_unheld(draft: Path) -> None:
    if sys.platform == "win32":
        draft.unlink()  # fails while it is open
        return
    descriptor = os.open(draft, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        draft.unlink()
    finally:
        os.close(descriptor)
