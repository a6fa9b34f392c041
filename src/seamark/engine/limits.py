"""`Limited`: a Python function whose calls may not take longer than some seconds."""

from __future__ import annotations

import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any

from .errors import MeasureError
from .evaluate import name_of, reason
from .kernels import carried, restored
from .limited_process import CALL, FUNCTION, receive, send
from .packing import cloudpickle

LOOK_SECONDS = 0.25  # how often a thread that waits can itself be interrupted


class Limited:
    """A function that raises TimeoutError where a call takes too long.

    A process of its own calls it, which the system ends at the time limit: nothing else interrupts
    a loop in a library. Each thread has one such process, for all functions; it is started once,
    in about 0.2 s, and again after a call that took too long.

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
        if not hasattr(signal, "setitimer"):
            raise MeasureError("timeout= needs a system that has timers; leave it out here.")
        try:
            self._packed = cloudpickle.dumps((f, cloudpickle.dumps, seconds))
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
        process = _process()
        try:
            if process.packed != self._packed:
                around = pickle.dumps((restored, carried()))
                process.asked(FUNCTION, pickle.dumps((sys.path, self._packed, around)))
                process.packed = self._packed
            return process.asked(CALL, sent)
        except _Ended:
            code: int = process.end() or 0
        if code == -signal.SIGALRM:
            raise TimeoutError(f"the call took longer than {self.seconds:g} s")
        raise RuntimeError(
            f"the process of the call ended ({_ending(code)}): it was killed, ran out of memory, "
            "or crashed in native code."
        )


class _Ended(Exception):
    """The process has ended in the middle of a call."""


class _Process:
    """A process that calls functions for one thread."""

    def __init__(self) -> None:
        self.packed = b""  # the function that it holds
        self.owner = os.getpid()
        self._socket, theirs = socket.socketpair()
        self._socket.settimeout(LOOK_SECONDS)
        program = os.path.join(os.path.dirname(__file__), "limited_process.py")
        with theirs:
            self._popen = subprocess.Popen(  # noqa: S603 (our own program)
                [sys.executable, "-P", program, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                process_group=0,  # Ctrl-C is for us; we end it
            )
        self.end = weakref.finalize(self, _end, self._popen, self._socket, self.owner)

    def asked(self, kind: bytes, data: bytes) -> Any:
        """Return what a message is answered with, or raise it; `_Ended` if the process ends."""
        try:
            send(self._socket, kind, data)
            answer = receive(self._socket)
        except (EOFError, OSError):
            raise _Ended from None
        except BaseException:  # Ctrl-C: nobody waits for the call any more
            self.end()
            raise
        result, raised = pickle.loads(answer)  # noqa: S301 (our own bytes)
        if raised is not None:
            raise raised
        return result


_own = threading.local()


def _process() -> _Process:
    """Return the process that works for this thread."""
    process: _Process | None = getattr(_own, "process", None)
    if process is None or not process.end.alive or process.owner != os.getpid():
        process = _own.process = _Process()
    return process


def _end(popen: subprocess.Popen[bytes], own: socket.socket, owner: int) -> int:
    """End a process, unless it is that of the process that this one was forked from."""
    if owner != os.getpid():
        own.close()
        return 0
    if popen.poll() is None:
        popen.kill()
    own.close()
    return popen.wait()


def _ending(code: int) -> str:
    if code >= 0:
        return f"exit status {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"
