"""The command line: ``seamark fit | predict | dedupe | …``; `seamark --help` lists all commands."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from importlib import import_module

from .messages import in_options, one_line, say, show_text, warnings_in_a_line
from .options import parser
from .tables import DataError

__all__ = ["main"]

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
        text = one_line(error) or type(error).__name__
        text = text if isinstance(error, DataError) else in_options(text)
        say(f"{'error' if users else 'failed'}: {text}")
        return WRONG if users else FAILED
    return DONE


def _run(options: argparse.Namespace) -> None:
    # Imported only now: models bring half of scikit-learn.
    name = MODULES.get(options.command, options.command)
    module = import_module(f".{name}", __package__)
    run: Callable[[argparse.Namespace], None] = module.run
    device = getattr(options, "device", "cpu")
    if device == "cpu":
        run(options)
        return
    from ..engine import using  # only here: it takes numpy

    with using(device):
        run(options)
