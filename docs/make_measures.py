"""Write `seamark/measures/__init__.py` from the classes there: ``python docs/make_measures.py``.

Every measure that can be built, and whose name has no underscore in front, is public. The file is
written rather than filled when it is imported, so that editors and type checkers can read it.
"""

from __future__ import annotations

import inspect
import pkgutil
from collections import defaultdict
from importlib import import_module
from pathlib import Path

from seamark import measures
from seamark.measures.base import Measure

FILE = Path(measures.__path__[0]) / "__init__.py"
DOCUMENTATION = '''\
"""Measures: similarities and distances between objects, one class each.

`get` resolves a name, a callable or a measure; `catalogue` lists what there is; `cross` computes.
"""

# Written by docs/make_measures.py from the classes of this room; `make api` writes it again.

'''
NO_MEASURES = {
    "..engine": ["MeasureError", "SlowMeasureWarning"],
    ".base": ["Measure"],
    ".precomputed": ["Columns", "matrix_inside"],
    ".resolve": [
        "ObjectEstimator",
        "as_measures",
        "catalogue",
        "cross",
        "get",
        "library_measures",
    ],
}
SHARED = {
    ".columns": ["summaries_of"],
    ".resolve": ["require_whole_objects"],
}
"""What other rooms take from this one, and users do not."""
WIDEST = 100


def public() -> dict[str, list[str]]:
    """Return the public names of each module or package of the room."""
    found = defaultdict(list, {module: list(names) for module, names in NO_MEASURES.items()})
    for info in pkgutil.walk_packages(measures.__path__, f"{measures.__name__}."):
        for name, thing in vars(import_module(info.name)).items():
            if _is_public_measure(thing) and thing.__module__ == info.name:
                found[f".{info.name.split('.')[2]}"].append(name)
    return dict(sorted(found.items()))


def _is_public_measure(thing: object) -> bool:
    is_measure = isinstance(thing, type) and issubclass(thing, Measure)
    return is_measure and not inspect.isabstract(thing) and not thing.__name__.startswith("_")


def by_kind(name: str) -> tuple[int, str]:
    """Sort as linters do: CAPITALS, then Classes, then functions."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name


def source() -> str:
    """Return the file."""
    modules = public()
    imported = {module: names + SHARED.get(module, []) for module, names in modules.items()}
    text = DOCUMENTATION + "".join(_line(module, names) for module, names in imported.items())
    names = sorted({name for names in modules.values() for name in names}, key=by_kind)
    return text + "\n__all__ = [\n" + "".join(f'    "{name}",\n' for name in names) + "]\n"


def _line(module: str, names: list[str]) -> str:
    names = sorted(names, key=by_kind)
    line = f"from {module} import {', '.join(names)}\n"
    if len(line) <= WIDEST + 1:
        return line
    return f"from {module} import (\n" + "".join(f"    {name},\n" for name in names) + ")\n"


if __name__ == "__main__":
    FILE.write_text(source(), encoding="utf-8")
