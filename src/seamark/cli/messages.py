"""Messages and tables that people see, in the words of the command line."""

from __future__ import annotations

import json
import math
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from ..plotting import visible

TASKS = {
    "classification": "classify",
    "regression": "regress",
    "ordinal": "ordinal",
    "ranking": "rank",
}
PHRASES = (
    (r"overwrite=True(,? or --force)?", "--force"),
    (r"\bn_landmarks\b", "--landmarks"),
    (r"\bn_jobs\b", "--jobs"),
    (r"\busing\(\"cuda\"\)", "--device cuda"),
    (r"\brandom_state\b", "--seed"),
    (r"\bclass_weight\b", "--class-weight"),
    (r"\bqid\b", "--query"),
    (r"\bby_class=True\b", "--by-class"),
    (r"\b(groups|calibration)=", r"--\1 "),
    (
        r"; convert them with pandas\.to_numeric\([^;]*\)\)",
        "; write them without commas, as 1234.00",
    ),
    (r", or convert it with pandas\.to_datetime", ""),
    (r"\bmax_pairs\b", "--max-pairs"),
    (r"\bmeasures\.(catalogue\(\)|\w+\.table)", "`seamark measures`"),
    *((rf"\btask='{ours}'", f"--task {theirs}") for ours, theirs in TASKS.items()),
    (r"(--[a-z-]+)=", r"\1 "),
    (r"`y`|\by\b(?= (has|holds|is|contains))", "the target"),
)
"""What the library calls a thing, and what the command line calls it."""


def in_options(message: str) -> str:
    """Return a message of the library with parameters replaced by options.

    Examples
    --------
    >>> in_options("m already exists; use overwrite=True to overwrite it.")
    'm already exists; use --force to overwrite it.'
    >>> in_options("n_landmarks=500, but there are only 9 objects")
    '--landmarks 500, but there are only 9 objects'
    """
    for theirs, ours in PHRASES:
        message = re.sub(theirs, ours, message)
    return message


# What people see: tables on standard output, messages on standard error.


MOST_SHOWN, MOST_LISTED = 60, 12
"""Characters of a cell, and items of a list, in a message."""
LONGEST_MESSAGE = 2000
"""In characters: a file without line ends has names of any length."""


def show_table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print a table; with rich, if it is installed and a terminal is there."""
    header = [visible(name) for name in header]
    cells = [[visible(cell) for cell in row] for row in rows]
    if sys.stdout.isatty() and find_spec("rich"):
        _rich_table(header, cells)
        return
    lines = [list(header), *cells] if any(header) else cells
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        print("  ".join(map(str.ljust, line, widths)).rstrip())


def _rich_table(header: Sequence[str], cells: list[list[str]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=any(header), header_style="bold", pad_edge=False)
    for name in header:
        table.add_column(name)
    for row in cells:
        table.add_row(*map(Text, row))  # as Text: cells may hold what rich takes for markup
    Console().print(table)


def show_text(text: Any, file: Any = None) -> None:
    """Print lines, with terminal control codes made visible."""
    print("\n".join(map(visible, str(text).split("\n"))), file=file)


def show_json(document: Any) -> None:
    """Print JSON for machines."""
    print(json.dumps(plain(document), indent=2, allow_nan=False))


def plain(value: Any) -> Any:
    """Return the same as types that JSON has; numbers that are not finite become null.

    Examples
    --------
    >>> import numpy as np
    >>> plain({"a": np.array([1.0, np.inf]), "b": {"set"}})
    {'a': [1.0, None], 'b': "{'set'}"}
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)


def one_line(thing: Any) -> str:
    """Return the text of an object in one line."""
    return " ".join(str(thing).split())


def say(message: str) -> None:
    """Write one line to standard error, with terminal control codes made visible."""
    print(f"seamark: {visible(message, LONGEST_MESSAGE)}", file=sys.stderr)


def progress_wanted(quiet: bool) -> bool:
    """Whether standard error is a terminal, which a person reads."""
    return not quiet and sys.stderr.isatty()


@contextmanager
def warnings_in_a_line(quiet: bool) -> Iterator[None]:
    """Show warnings as messages, each once, without the line of code."""
    said: set[str] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if quiet else "default")

        def show(message: Any, *where: Any, **more: Any) -> None:
            text = in_options(one_line(message))
            if text not in said:  # folds and candidates repeat what the first has said
                said.add(text)
                say(f"warning: {text}")

        warnings.showwarning = show
        yield


def shown(cell: Any) -> str:
    """Return a cell for a message: text in quotes, shortened if it is long.

    Examples
    --------
    >>> print(shown("NA"), shown([1]), shown("A" * 300_000)[-19:])
    'NA' [1] AAA… (299940 more)'
    """
    text = visible(cell, MOST_SHOWN)
    return f"'{text}'" if isinstance(cell, str) else text


def listed(items: list[str]) -> str:
    """Return names for a message, and how many more there are.

    Examples
    --------
    >>> listed(["a", "b"])
    'a, b'
    >>> listed([f"c{i}" for i in range(2000)])[-22:]
    'c10, c11 and 1988 more'
    """
    rest = len(items) - MOST_LISTED
    some = ", ".join(visible(item, MOST_SHOWN) for item in items[:MOST_LISTED])
    return f"{some} and {rest} more" if rest > 0 else some
