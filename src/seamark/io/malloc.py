"""Memory of a Dask worker: kept while a partition is worked on, given back when it is done."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ..engine import settings

VARIABLE = "MALLOC_TRIM_THRESHOLD_"
TRIM, MMAP = -1, -3  # glibc's numbers of the two thresholds
LARGE = 1 << 25  # bytes: the most that glibc takes
PLAIN_LARGE = 1 << 17  # glibc's own
GROWN_TRIM = 1 << 26  # what glibc comes to by itself, where nobody sets anything


class _Malloc:
    """The thresholds of glibc's malloc, which are settings of the whole process, and so counted."""

    def __init__(self) -> None:
        self._lock, self._users = threading.Lock(), 0

    @contextmanager
    def kept(self, in_worker: bool = False) -> Iterator[None]:
        """Keep freed memory inside, where Dask has asked for giving back each piece at once.

        Dask starts workers with a low threshold, so that memory is not held for nothing. Then
        every array of more than 128 kB is fresh memory, which the system has to clear page by
        page: half as much time again for a chunk of many small steps. What is kept is bounded, and
        given back at the end. A worker that nobody gave a threshold has tasks in a thread that is
        not the first of its process, whose memory glibc gives back often, too.
        """
        given = os.environ.get(VARIABLE, "")
        if not given.isdigit() and not in_worker:
            yield
            return
        self._enter()
        try:
            yield
        finally:
            self._leave(*((int(given), PLAIN_LARGE) if given.isdigit() else (GROWN_TRIM, LARGE)))

    def _enter(self) -> None:
        with self._lock, suppress(AttributeError, OSError):  # no glibc: nothing to do
            self._users += 1
            if self._users == 1:
                libc = ctypes.CDLL(None)
                libc.mallopt(TRIM, settings().freed_bytes)
                libc.mallopt(MMAP, LARGE)

    def _leave(self, trim: int, large: int) -> None:
        with self._lock, suppress(AttributeError, OSError):
            self._users -= 1
            if self._users == 0:
                libc = ctypes.CDLL(None)
                libc.mallopt(TRIM, trim)
                libc.mallopt(MMAP, large)
                libc.malloc_trim(0)


keeping_memory = _Malloc().kept
