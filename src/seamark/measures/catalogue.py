"""The catalogue of measures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .base import Fact, Kind, Measure, named
from .precomputed import Precomputed


@dataclass(frozen=True)
class Entry:
    """One line of the catalogue: a name, the measure with its defaults, and its facts."""

    name: str
    measure: Measure
    domain: str
    kind: Kind | None
    bounds: tuple[float, float]
    symmetric: Fact
    triangle: Fact
    psd: Fact
    summary: str

    def cells(self) -> tuple[str, ...]:
        """Texts of a table row."""
        facts = (self.symmetric, self.triangle, self.psd)
        words = ["?" if fact is None else "yes" if fact else "no" for fact in facts]
        low, high = self.bounds
        return (self.name, self.domain, self.kind or "?", f"{low:g}..{high:g}", *words)


class Catalogue(dict[str, Entry]):
    """Entries by name; prints itself as a table."""

    def __repr__(self) -> str:
        head = ("name", "objects", "kind", "bounds", "symmetric", "triangle", "psd")
        lines = [head, *(entry.cells() for entry in self.values())]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def catalogue() -> Catalogue:
    """List the measures this package computes itself, with their facts.

    Examples
    --------
    >>> import seamark as sm
    >>> sm.measures.catalogue()["levenshtein"].triangle
    True
    """
    entries = [_entry(cls()) for cls in named() if cls is not Precomputed]  # which computes nothing
    entries.sort(key=lambda entry: (entry.domain, entry.kind or "", entry.name))
    return Catalogue((entry.name, entry) for entry in entries)


def _entry(measure: Measure) -> Entry:
    facts = facts_of(measure)
    return Entry(name=measure.name, measure=measure, domain=measure.domain.name, **facts)


def facts_of(measure: Measure) -> dict[str, Any]:
    """Return what a measure declares, and what it is in a line."""
    names = ("kind", "bounds", "symmetric", "triangle", "psd")
    summary = (measure.__doc__ or "").strip().splitlines()[0]
    return {"summary": summary, **{name: getattr(measure, name) for name in names}}
