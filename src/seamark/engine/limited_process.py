"""The program of a process that calls a function for `Limited`.

It is run as a file and imports the standard library only, so that it starts quickly; the rest of
this package only comes in where the function needs it.
"""

from __future__ import annotations

import pickle
import sys
import traceback
from contextlib import ExitStack, suppress
from multiprocessing.connection import Connection
from typing import Any

FUNCTION, CALL = b"f", b"c"  # first byte of a message: what follows


def main(at: Connection) -> None:
    """Answer messages until nobody sends any more."""
    f: Any = None
    dumps = pickle.dumps
    with ExitStack() as settings:
        while True:
            data = at.recv_bytes()
            try:
                answer = None
                if data[:1] == FUNCTION:
                    sys.path[:], function, around = pickle.loads(data[1:])  # noqa: S301 (our own bytes)
                    f, dumps = pickle.loads(function)  # noqa: S301 (our own bytes)
                    settings.close()
                    if "seamark" in sys.modules:  # nothing else reads them
                        restored, sent = pickle.loads(around)  # noqa: S301 (our own bytes)
                        settings.enter_context(restored(sent))
                else:
                    answer = f(*pickle.loads(data[1:]))  # noqa: S301 (our own bytes)
                reply = dumps((answer, None))
            except BaseException as error:
                reply = dumps((None, _portable(error, dumps)))
            at.send_bytes(reply)


def _portable(error: BaseException, dumps: Any) -> BaseException:
    """Return an error that can be sent, with its traceback as a note."""
    try:
        error.add_note("In the process of timeout=:\n" + traceback.format_exc())
        pickle.loads(dumps(error))  # noqa: S301 (our own bytes)
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


if __name__ == "__main__":
    with suppress(EOFError, OSError):
        main(Connection(int(sys.argv[1])))
