"""Free memory, looked up before a large array is made, so that no process is killed for it."""

from __future__ import annotations

import os
from pathlib import Path

ASKED_BYTES = 1 << 30  # of an array from which on free memory is looked up
_CGROUP = Path("/sys/fs/cgroup")
_NAMES = (
    ("memory.max", "memory.current", "inactive_file"),
    ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "total_inactive_file"),
)
"""A limit, what is used of it, and what of that the system gives back; as Linux names them now and
as it did before."""


def require_room(n_bytes: int, what: str, remedy: str) -> None:
    """Stop if so many bytes are more than this process can get.

    Parameters
    ----------
    n_bytes : int
    what : str
        What they are for.
    remedy : str
        What the user can do.

    Examples
    --------
    >>> require_room(1 << 60, "features of 10 rows", "take fewer")
    Traceback (most recent call last):
    ...
    MemoryError: features of 10 rows take 1073741824.0 GB, and ... GB are free; take fewer.
    """
    if n_bytes < ASKED_BYTES:
        return
    free = free_bytes()
    if free is not None and n_bytes > free:
        size, left = n_bytes / 2**30, free / 2**30
        raise MemoryError(f"{what} take {size:.1f} GB, and {left:.1f} GB are free; {remedy}.")


def free_bytes() -> int | None:
    """Return the memory that this process can still get; None: nobody can tell.

    What the system has free, caches included, or what is left of a container's limit.
    """
    found = [left for left in (_of_system(), _of_container()) if left is not None]
    return min(found, default=None)


def _of_system() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _of_container() -> int | None:
    """Return what is left of a limit; pages of files that can be dropped are not in use."""
    for limit, used, dropped in _NAMES:
        try:
            most = (_CGROUP / limit).read_text().strip()
            taken = int((_CGROUP / used).read_text())
            if most == "max":
                return None
            lines = (_CGROUP / used).with_name("memory.stat").read_text().splitlines()
            taken -= next((int(line.split()[1]) for line in lines if line.startswith(dropped)), 0)
            return max(0, int(most) - taken)
        except (OSError, ValueError, IndexError):
            continue
    return None
