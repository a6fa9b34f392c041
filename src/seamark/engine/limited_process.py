"""The program of a process that calls a function for `Limited`.

It is run as a file and imports the standard library only, so that it starts quickly; the rest of
this package only comes in where the function needs it.
"""

from __future__ import annotations

import pickle
import signal
import socket
import struct
import sys
import traceback
from contextlib import ExitStack, suppress
from typing import Any

FUNCTION, CALL = b"f", b"c"  # first byte of a message: what follows
LENGTH = struct.Struct("<Q")


def send(to: socket.socket, *parts: bytes) -> None:
    """Send one message; a timeout of the socket only lets Python look for signals."""
    left = memoryview(b"".join((LENGTH.pack(sum(map(len, parts))), *parts)))
    while left:
        with suppress(TimeoutError):
            left = left[to.send(left) :]


def receive(at: socket.socket) -> bytes:
    """Return the next message; EOFError if the other side has gone."""
    return _exactly(at, LENGTH.unpack(_exactly(at, LENGTH.size))[0])


def _exactly(at: socket.socket, n: int) -> bytes:
    data = bytearray()
    while len(data) < n:
        try:
            piece = at.recv(min(n - len(data), 1 << 20))
        except TimeoutError:
            continue
        if not piece:
            raise EOFError
        data += piece
    return bytes(data)


def main(at: socket.socket) -> None:
    """Answer messages until nobody sends any more."""
    f: Any = None
    dumps, seconds = pickle.dumps, 0.0
    with ExitStack() as settings:
        while True:
            data = receive(at)
            try:
                answer = None
                if data[:1] == FUNCTION:
                    sys.path[:], function, around = pickle.loads(data[1:])  # noqa: S301 (our own bytes)
                    f, dumps, seconds = pickle.loads(function)  # noqa: S301 (our own bytes)
                    settings.close()
                    if "seamark" in sys.modules:  # nothing else reads them
                        restored, sent = pickle.loads(around)  # noqa: S301 (our own bytes)
                        settings.enter_context(restored(sent))
                else:
                    objects = pickle.loads(data[1:])  # noqa: S301 (our own bytes)
                    signal.setitimer(signal.ITIMER_REAL, seconds)
                    try:
                        answer = f(*objects)
                    finally:
                        signal.setitimer(signal.ITIMER_REAL, 0)
                reply = dumps((answer, None))
            except BaseException as error:
                reply = dumps((None, _portable(error, dumps)))
            send(at, reply)


def _portable(error: BaseException, dumps: Any) -> BaseException:
    """Return an error that can be sent, with its traceback as a note."""
    try:
        error.add_note("In the process of timeout=:\n" + traceback.format_exc())
        pickle.loads(dumps(error))  # noqa: S301 (our own bytes)
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


if __name__ == "__main__":
    # The system ends the process at the time limit: a loop in C would never come to a handler.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    with suppress(EOFError, OSError):
        main(socket.socket(fileno=int(sys.argv[1])))
