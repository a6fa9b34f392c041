"""Threads that call functions for another thread, which goes on without them if they hang."""

from __future__ import annotations

import contextvars
import ctypes
import threading
import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any

LOOK_SECONDS = 0.25  # how often a thread that waits can itself be interrupted


class GivenUp(BaseException):
    """Nobody waits for the call any more; no error of the function, so nothing should handle it."""


class LentThread:
    """A thread that calls functions one by one, for a thread that waits for each.

    Only the main thread of a process can be interrupted by a timer, and work of a cluster, of a
    server or of a notebook's extension runs in others. A call that takes too long is left behind:
    Python code in it ends at its next step, a call into a library when that returns, and the thread
    with it. To hand over a call and its result takes about 20 µs.

    Examples
    --------
    >>> LentThread().call(len, ("sea",), seconds=5)
    3
    """

    def __init__(self) -> None:
        self._todo: SimpleQueue[Any] = SimpleQueue()
        self._done: SimpleQueue[Any] = SimpleQueue()
        name, queues = "seamark-lent", (self._todo, self._done)
        self._thread = threading.Thread(target=_serve, args=queues, name=name, daemon=True)
        self._thread.start()
        self.is_free = True

    def call(self, f: Callable[..., Any], objects: tuple[Any, ...], seconds: float) -> Any:
        """Return what ``f(*objects)`` does; TimeoutError if it has not ended after some seconds."""
        end = time.monotonic() + seconds
        self.is_free = False
        self._todo.put((contextvars.copy_context(), f, objects))
        try:
            result, error = self._answer(end)
        except BaseException:
            interrupt(self._thread.ident, GivenUp)
            raise
        self.is_free = True
        if error is not None:
            raise error
        return result

    def _answer(self, end: float) -> Any:
        while (left := end - time.monotonic()) > 0:
            try:
                return self._done.get(timeout=min(left, LOOK_SECONDS))
            except Empty:
                pass
        raise TimeoutError

    def __del__(self) -> None:
        self._todo.put(None)


def _serve(todo: SimpleQueue[Any], done: SimpleQueue[Any]) -> None:
    """Call what comes, until nothing more will."""
    try:
        while (work := todo.get()) is not None:
            context, f, objects = work
            answer: Any = None
            try:
                answer = context.run(f, *objects), None
            except GivenUp:
                raise
            except BaseException as error:
                answer = None, error
            done.put(answer)
            work = context = f = objects = answer = None  # they may be large
    except GivenUp:
        pass


_own = threading.local()


def lent_thread() -> LentThread:
    """Return the thread that works for this one; another, if the last call of that one hangs."""
    found: LentThread | None = getattr(_own, "lent", None)
    if found is None or not found.is_free:
        found = _own.lent = LentThread()
    return found


def interrupt(thread: int | None, kind: type[BaseException]) -> None:
    """Raise an exception in another thread, when that comes to its next step of Python code."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread or 0), ctypes.py_object(kind))
