"""Python values to JSON and back; what JSON does not have is written as `FORMS` say."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from . import npy
from .errors import ModelFileError
from .forms import FORMS

TAG = "$"
"""Key of the form's name, in a JSON object that stands for something else."""
DEEPEST = 60
"""Levels of nesting: more than any model has, fewer than Python's stack can take."""
PLAIN = (type(None), bool, int, str)
BY_TAG = {form.tag: form for form in FORMS}


class _Depth:
    """How deep we are; models that hold themselves, and hostile files, go too deep."""

    _depth = 0

    def _deeper(self, where: str) -> None:
        """Go one level down. No way up is needed after an error: it ends the whole."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise ModelFileError(
                f"{where[:80]} is nested more than {DEEPEST} levels deep, or holds itself."
            )


class Writer(_Depth):
    """Turns values into JSON, and gathers their arrays and functions.

    Attributes
    ----------
    arrays : list of bytes
        Every array, as `.npy`; those of equal content are one.
    functions : dict
        Functions by the names they were written under.
    """

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}
        self.functions: dict[str, Any] = {}

    @property
    def arrays(self) -> list[bytes]:
        """All arrays, in the order of their numbers."""
        return list(self._numbers)

    def array(self, array: NDArray[Any]) -> int:
        """Keep an array; return its number."""
        return self._numbers.setdefault(npy.to_bytes(array), len(self._numbers))

    def tree(self, value: Any, where: str) -> Any:
        """Return JSON for a value; `where` names it in messages."""
        if type(value) in PLAIN or (type(value) is float and math.isfinite(value)):
            return value
        self._deeper(where)
        tree = self.trees(value, where) if type(value) is list else self._formed(value, where)
        self._depth -= 1
        return tree

    def _formed(self, value: Any, where: str) -> dict[str, Any]:
        form = next((form for form in FORMS if form.holds(value)), None)
        if form is None:
            raise TypeError(
                f"{where} is a {type(value).__name__}, which cannot be saved without pickle; "
                "use numbers, text, lists, dicts, arrays, or estimators of seamark."
            )
        return {TAG: form.tag, **form.write(value, self, where)}

    def trees(self, values: Any, where: str) -> list[Any]:
        """Return JSON for each of several values."""
        return [self.tree(one, f"{where}[{i}]") for i, one in enumerate(values)]


class Reader(_Depth):
    """Turns JSON back into values.

    Parameters
    ----------
    arrays : list of bytes
        As the writer gathered them.
    functions : mapping
        What the caller of `load` brings, by import path.
    max_bytes : int
        How many bytes of arrays may be handed out. Each use of one is a copy: two parts of a model
        must not share what one of them may change.
    """

    def __init__(self, arrays: list[bytes], functions: Mapping[str, Any], max_bytes: int) -> None:
        self._arrays = arrays
        self._left = max_bytes
        self.functions = functions

    def array(self, number: Any) -> NDArray[Any]:
        """Return a copy of an array."""
        if type(number) is not int or not 0 <= number < len(self._arrays):
            raise ModelFileError(f"it has no array {str(number)[:20]}.")
        data = self._arrays[number]
        self._left -= len(data)
        if self._left < 0:
            raise ModelFileError("its arrays take more than max_bytes; raise it if you trust it.")
        return npy.from_bytes(data)

    def tree(self, node: Any) -> Any:
        """Return the value that JSON stands for."""
        if not isinstance(node, (list, dict)):
            return node
        self._deeper("it")
        value = self.trees(node) if isinstance(node, list) else self._formed(node)
        self._depth -= 1
        return value

    def _formed(self, node: dict[str, Any]) -> Any:
        parts = dict(node)
        tag = parts.pop(TAG, None)
        form = BY_TAG.get(tag) if isinstance(tag, str) else None
        if form is None:
            raise ModelFileError(f"it holds a {str(tag)[:40]!r}, a kind not known here.")
        if set(parts) != form.keys:
            odd = sorted(set(parts) ^ form.keys)[0]
            raise ModelFileError(f"a {tag} in it has, or lacks, the key {odd[:40]!r}.")
        return form.read(parts, self)

    def trees(self, nodes: Any) -> list[Any]:
        """Return the values of a JSON list."""
        if not isinstance(nodes, list):
            raise ModelFileError("it has something else where a list should be.")
        return [self.tree(node) for node in nodes]

    def named(self, nodes: Any) -> dict[str, Any]:
        """Return the values of a JSON object, by name."""
        if not isinstance(nodes, dict):
            raise ModelFileError("it has something else where names and values should be.")
        return {name: self.tree(node) for name, node in nodes.items()}
