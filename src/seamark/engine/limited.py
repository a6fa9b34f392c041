"""A Python function whose calls may not take longer than some seconds."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from multiprocessing import Pipe
from typing import Any

from .backends import carried, restored
from .limited_process import CALL, FUNCTION
from .plan import MeasureError
from .python_calls import cloudpickle, name_of, reason


class Limited:
    """A function that raises TimeoutError where a call takes too long.

    A process of its own calls it, which is killed at the time limit: nothing else interrupts a loop
    in a library. Each thread has one such process, for all functions; it is started once, in about
    0.2 s, and again after a call that took too long. A pool of loky's would do the same: it takes
    220 µs a call in place of 60, and a second to start, for it imports this package.

    Parameters
    ----------
    f : callable
        It and its objects must be such that they can be sent to a process, as lambdas can.
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
        if os.name != "posix":
            raise MeasureError("timeout= needs Linux or macOS; leave it out here.")
        try:
            self._packed = cloudpickle.dumps((f, cloudpickle.dumps))
        except Exception as error:
            raise MeasureError(
                f"timeout= runs {self.__name__} in a process of its own, and it cannot be sent "
                f"there ({reason(error)}); create what it holds inside the function, or leave "
                "timeout out."
            ) from error

    def __getstate__(self) -> dict[str, Any]:  # what a digest reads, too
        return {"f": self.f, "seconds": self.seconds}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def __call__(self, *objects: Any) -> Any:
        """Have the process call the function."""
        try:
            sent = cloudpickle.dumps(objects)
        except Exception as error:
            raise TypeError(
                f"timeout= runs {self.__name__} in a process of its own, and the objects cannot be "
                f"sent there ({reason(error)}); leave timeout out."
            ) from error
        process: _Process | None = getattr(_own, "process", None)
        if process is None or not process.end.alive or process.owner != os.getpid():
            process = _own.process = _Process()
        if process.packed != self._packed:
            around = pickle.dumps((restored, carried()))
            process.asked(FUNCTION, pickle.dumps((sys.path, self._packed, around)))
            process.packed = self._packed
        return process.asked(CALL, sent, self.seconds)


_own = threading.local()  # `process`: what works for this thread


class _Process:
    """A process that calls functions for one thread."""

    def __init__(self) -> None:
        self.packed = b""  # the function that it holds
        self.owner = os.getpid()
        self._ours, theirs = Pipe()
        program = os.path.join(os.path.dirname(__file__), "limited_process.py")
        with theirs:
            popen = subprocess.Popen(  # noqa: S603 (our own program)
                [sys.executable, "-P", program, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                process_group=0,  # Ctrl-C is for us; we end it
            )
        self.end = weakref.finalize(self, _end, popen, self._ours, self.owner)

    def asked(self, kind: bytes, data: bytes, seconds: float | None = None) -> Any:
        """Return what a message is answered with, or raise it; TimeoutError after the seconds."""
        try:
            self._ours.send_bytes(kind + data)
            if not self._ours.poll(seconds):
                self.end()
                raise TimeoutError(f"the call took longer than {seconds:g} s")
            answer = self._ours.recv_bytes()
        except (EOFError, ConnectionError):
            code: int = self.end() or 0
            how = signal.Signals(-code).name if code < 0 else f"exit status {code}"
            raise RuntimeError(
                f"the process of the call ended ({how}): it was killed, ran out of memory, or "
                "crashed in native code."
            ) from None
        except BaseException:  # Ctrl-C: nobody waits for the call any more
            self.end()
            raise
        result, raised = pickle.loads(answer)  # noqa: S301 (our own bytes)
        if raised is not None:
            raise raised
        return result


def _end(popen: subprocess.Popen[bytes], ours: Any, owner: int) -> int:
    """End a process, unless it is that of the process that this one was forked from."""
    ours.close()
    if owner != os.getpid():
        return 0
    if popen.poll() is None:
        popen.kill()
    return popen.wait()
