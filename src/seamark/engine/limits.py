"""`Limited`: a Python function whose calls may not take longer than some seconds."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from typing import Any

from .evaluate import name_of
from .lent_threads import lent_thread


class Limited:
    """A function that raises TimeoutError where a call takes too long.

    In the main thread of a process a timer of the system interrupts it, as Ctrl-C would: Python
    code ends at its next step, a call into a library when it returns. Any other thread has calls
    made by a thread of its own, and goes on without it, even where a library hangs.

    Parameters
    ----------
    f : callable
    seconds : float

    Examples
    --------
    >>> import time
    >>> Limited(time.sleep, 0.01)(5)
    Traceback (most recent call last):
    ...
    TimeoutError: the call took longer than 0.01 s
    """

    def __init__(self, f: Callable[..., Any], seconds: float) -> None:
        self.f, self.seconds = f, seconds
        self.__name__ = name_of(f)

    def __call__(self, *objects: Any) -> Any:
        """Call the function, under a timer or by another thread."""
        if not has_timer():
            return self._elsewhere(objects)
        before = signal.signal(signal.SIGALRM, self._stop)
        left, again = signal.setitimer(signal.ITIMER_REAL, self.seconds)
        try:
            return self.f(*objects)
        finally:
            signal.setitimer(signal.ITIMER_REAL, left, again)
            signal.signal(signal.SIGALRM, before)

    def _elsewhere(self, objects: tuple[Any, ...]) -> Any:
        lent = lent_thread()
        try:
            return lent.call(self.f, objects, self.seconds)
        except TimeoutError:
            if lent.is_free:  # the function's own error
                raise
        return self._stop()

    def _stop(self, *_: Any) -> None:
        raise TimeoutError(f"the call took longer than {self.seconds:g} s")


def has_timer() -> bool:
    """Whether a timer of the system can interrupt this thread."""
    is_main = threading.current_thread() is threading.main_thread()
    return is_main and hasattr(signal, "setitimer")
