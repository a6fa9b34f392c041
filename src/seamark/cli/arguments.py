"""What options take: names, counts, seeds, parameters."""

from __future__ import annotations

import argparse
import csv
import json
from typing import Any


def names(text: str) -> list[str]:
    """Names between commas, as in a CSV file: a name with a comma stands in quotes."""
    found = [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [""])]
    if "" in found:
        raise argparse.ArgumentTypeError(f"{text!r} has an empty name")
    return found


def mark(text: str) -> str:
    """Return what stands between labels, as it is; a space will do, nothing will not."""
    if not text:
        raise argparse.ArgumentTypeError("it is empty")
    return text


def count(text: str) -> int:
    """A whole number from 1."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 1")
    return int(text)


def share(text: str) -> float:
    """Read a number between 0 and 1."""
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0 < found < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number between 0 and 1")
    return found


def seed(text: str) -> int:
    """A whole number that numpy takes for a seed."""
    if not text.isascii() or not text.isdigit() or int(text) >= 2**32:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 0 to 2^32 - 1")
    return int(text)


def pair(text: str) -> tuple[str, Any]:
    """A parameter and its value: JSON, or else text."""
    key, equals, value = text.partition("=")
    if not equals or not key.isidentifier():
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form KEY=VALUE")
    try:
        return key, json.loads(value)
    except ValueError:
        return key, value


class Several(argparse.Action):
    """Keep the columns that are named, as `const` says; the first of them by itself, too."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: Any = None) -> None:
        """Keep one more."""
        found = [*(getattr(namespace, str(self.const), None) or []), values]
        setattr(namespace, str(self.const), found)
        setattr(namespace, self.dest, found[0])
