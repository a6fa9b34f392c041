"""Tables that a command makes: to a file, or to standard output."""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterable
from typing import Any

from ..plotting.text import visible
from ..saving import atomic_file
from .outputs import require_other_stream, require_output
from .showing import show_json
from .tables import STANDARD, format_of
from .writing import written


def require_delivery(options: argparse.Namespace, *inputs: str) -> None:
    """Stop before any work if the output cannot, or must not, be written."""
    if options.output != STANDARD:
        require_output(options.output, *inputs, overwrite=options.force)
    else:
        require_other_stream(*inputs)


def deliver(options: argparse.Namespace, names: list[str], rows: Iterable[list[Any]]) -> None:
    """Write a table where the options say."""
    to_file, count = options.output != STANDARD, itertools.count()
    counted = (row for row, _ in zip(rows, count, strict=False))
    lines: Iterable[str] = written(_format(options), names, counted, raw=options.raw)
    if not to_file and sys.stdout.isatty() and not options.raw:
        lines = map(_seen, lines)
    _write(options.output, lines, overwrite=options.force)
    if to_file and options.json:
        show_json({"output": options.output, "rows": next(count), "columns": names})


def _format(options: argparse.Namespace) -> str:
    if options.output != STANDARD:
        return format_of(options.output)
    if options.json:
        return "jsonl"
    given = str(options.format or format_of(options.data))
    return "csv" if given == "parquet" else given


def _seen(line: str) -> str:
    """Return a line with terminal control codes made visible."""
    return "\t".join(map(visible, line.removesuffix("\n").split("\t"))) + "\n"


def _write(path: str, lines: Iterable[str], *, overwrite: bool) -> None:
    if path == STANDARD:
        sys.stdout.flush()
        for line in lines:  # UTF-8 whatever the terminal's habits
            sys.stdout.buffer.write(line.encode("utf-8", "surrogatepass"))
        return
    with atomic_file(path, overwrite=overwrite) as file:
        for line in lines:
            file.write(line.encode("utf-8", "surrogatepass"))
