"""`main`: from arguments to an exit code."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import Any

from .messages import in_options, one_line, say, show_text, warnings_in_a_line
from .options import parser
from .tables import DataError

DONE, FAILED, WRONG, INTERRUPTED = 0, 1, 2, 130
"""Exit codes: failed is our or the machine's fault, wrong is the user's data or options."""
# Commands have a module of their own, but for these, which share one.
MODULES = {"describe": "explain", "link": "dedupe"}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments; default: those of the process.

    Returns
    -------
    int
        0 done, 1 failed, 2 wrong options or data, 130 interrupted.

    Examples
    --------
    >>> main(["measures", "levenshtein"])
    name        levenshtein
    ...
    0
    """
    if hasattr(sys.stdout, "reconfigure"):  # a terminal may lack a character, which is no error
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        options = parser().parse_args(argv)
    except SystemExit as stop:  # argparse has said why
        return int(stop.code or DONE)
    except KeyboardInterrupt:
        return INTERRUPTED
    try:
        with warnings_in_a_line(options.quiet):
            _run(options)
            sys.stdout.flush()
    except KeyboardInterrupt:
        say("interrupted.")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone: send what Python would still flush to nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except Exception as error:
        if options.debug:
            show_text(traceback.format_exc().rstrip(), sys.stderr)
        users = isinstance(error, (ValueError, TypeError, OSError))
        say(f"{'error' if users else 'failed'}: {_sentence(error)}")
        return WRONG if users else FAILED
    return DONE


def _sentence(error: Exception) -> str:
    said = one_line(error) or type(error).__name__
    return said if isinstance(error, DataError) else in_options(said)


def _run(options: argparse.Namespace) -> None:
    # Imported only now: models bring half of scikit-learn.
    name = MODULES.get(options.command, options.command)
    module = import_module(f".{name}", __package__)
    run: Callable[[argparse.Namespace], None] = module.run
    with _device(getattr(options, "device", "cpu")):
        run(options)


def _device(name: str) -> AbstractContextManager[Any]:
    if name == "cpu":
        return nullcontext()
    from ..engine import using  # only here: it takes numpy

    return using(name)
