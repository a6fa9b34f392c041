"""`seamark measures`."""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any

from ..measures import Measure, catalogue, get, library_measures
from .messages import show_json, show_table


def run(options: argparse.Namespace) -> None:
    """List the measures, or describe one."""
    if options.name is not None:
        _describe(options.name, as_json=options.json)
        return
    entries = list(catalogue().values())
    others = library_measures()
    if options.json:
        own = [_facts(entry.name, entry.measure) for entry in entries]
        show_json({"measures": own, "libraries": others})
        return
    header = ("name", "objects", "kind", "bounds", "symmetric", "triangle", "psd")
    show_table(header, [entry.cells() for entry in entries])
    print("\nMeasures of other libraries, if these are installed:")
    # A name without a library means our own measure, so a name that several have needs one.
    several = Counter([*catalogue(), *(name for names in others.values() for name in names)])
    for library, names in others.items():
        plain = [name for name in names if "." not in name]
        shown = [f"{library}:{name}" if several[name] > 1 else name for name in plain]
        print(f"  {library}: {', '.join(shown)}")


def _describe(name: str, *, as_json: bool) -> None:
    measure = get(name)
    facts = _facts(name, measure)
    if as_json:
        show_json(facts)
        return
    parameters = facts.pop("parameters")
    facts["bounds"] = "{:g}..{:g}".format(*facts["bounds"])
    rows = [(key, "?" if value is None else value) for key, value in facts.items()]
    rows += [(f"--measure-arg {key}", f"default {value!r}") for key, value in parameters.items()]
    show_table(("", ""), rows)


def _facts(name: str, measure: Measure) -> dict[str, Any]:
    return {
        "name": name,
        "summary": (measure.__doc__ or "").strip().splitlines()[0],
        "objects": measure.domain.name,
        "kind": measure.kind,
        "bounds": measure.bounds,
        "symmetric": measure.symmetric,
        "triangle": measure.triangle,
        "psd": measure.psd,
        "parameters": measure.get_params(deep=False),
    }
