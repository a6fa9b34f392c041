"""JSON of a bounded size: how much it would become is counted before anything is built of it."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np

from ..engine import settings
from .errors import ModelFileError

DOCUMENT = "model.json"
TEXT = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
"""A text; also one without an end, so that the search never starts again inside it."""
NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def write_document(document: Any) -> bytes:
    """Return JSON that `read_document` takes, in ASCII."""
    data = json.dumps(document, allow_nan=False, separators=(",", ":")).encode("ascii")
    require_bounded(data)
    return data


def read_document(data: bytes) -> Any:
    """Return what JSON says, unless it says too much.

    Examples
    --------
    >>> read_document(b'{"a": [1, "]]"]}')
    {'a': [1, ']]']}
    """
    require_bounded(data)
    # Only UTF-8 can be counted byte by byte; json would guess other encodings, and take them.
    return json.loads(data.decode("utf-8"), parse_constant=_no_constant)


def require_bounded(data: bytes) -> None:
    """Stop at JSON that is too long, has too many values, or is nested too deep.

    Examples
    --------
    >>> require_bounded(b"[" * 1000)
    Traceback (most recent call last):
    seamark.saving.errors.ModelFileError: its model.json is nested more than 200 levels deep.
    """
    now = settings()  # JSON grows when it becomes Python objects: an empty list from 3 bytes to 60
    if len(data) > now.document_bytes:
        raise ModelFileError(f"its {DOCUMENT} has more than {now.document_bytes} bytes.")
    _require_few(data.count(b'"') - data.count(rb"\""))  # texts, before they are looked for
    bare = TEXT.sub(b"", data)  # brackets and commas inside texts do not count
    _require_few(sum(map(bare.count, (b",", b":", b"[", b"{"))))
    brackets = np.frombuffer(bare.translate(None, NO_BRACKETS), np.uint8)
    steps = np.where((brackets == ord("[")) | (brackets == ord("{")), 1, -1)
    if np.cumsum(steps).max(initial=0) > (most := now.document_levels):
        raise ModelFileError(f"its {DOCUMENT} is nested more than {most} levels deep.")


def _require_few(nodes: int) -> None:
    if nodes > (most := settings().document_nodes):
        raise ModelFileError(
            f"its {DOCUMENT} has more than {most} names and values; numbers belong into arrays."
        )


def _no_constant(name: str) -> Any:
    raise ModelFileError(f"its {DOCUMENT} holds {name}, which is no JSON.")
