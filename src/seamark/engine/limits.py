"""`Limited`: a Python function whose calls may not take longer than some seconds."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from typing import Any

from .evaluate import name_of


class Limited:
    """A function that raises TimeoutError where a call takes too long.

    A timer of the system interrupts it, as Ctrl-C would: Python code ends at its next step, a call
    into a library when it returns.

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
        """Call the function, under a timer."""
        require_timer()
        before = signal.signal(signal.SIGALRM, self._stop)
        left, again = signal.setitimer(signal.ITIMER_REAL, self.seconds)
        try:
            return self.f(*objects)
        finally:
            signal.setitimer(signal.ITIMER_REAL, left, again)
            signal.signal(signal.SIGALRM, before)

    def _stop(self, *_: Any) -> None:
        raise TimeoutError(f"the call took longer than {self.seconds:g} s")


def require_timer() -> None:
    """Stop where there is no timer to interrupt a function."""
    if not hasattr(signal, "setitimer"):
        raise RuntimeError("timeout= needs a timer that this system does not have; leave it out.")
    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError(
            "timeout= works in the main thread of a process only; call from there, or leave it out."
        )
