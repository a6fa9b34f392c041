"""Objects on cards: landmarks to look at and to search, and what was mistaken."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from ..frame import DrawingScale
from ..text import escaped, visible
from .document import Landmark, Mistaken
from .drawings import drawing
from .scale import short, signed


def browser(
    landmarks: Sequence[Landmark],
    total: int,
    frame: DrawingScale,
    labels: dict[str, str],
    number: int,
    title: str = "Landmarks",
) -> str:
    """Return the landmarks themselves, to look at and to search."""
    if not landmarks:
        return ""
    largest = largest_of(one["weight"] for one in landmarks)
    cards = "".join(_card(one, frame, labels, largest) for one in landmarks)
    shown = len(landmarks) if len(landmarks) == total else f"the first {len(landmarks)} of {total}"
    return (
        f'<div class="tools"><label for="find{number}">Search objects, labels and rows</label>'
        f'<input type="search" id="find{number}" autocomplete="off" spellcheck="false">'
        f'<output class="count" for="find{number}">{shown} shown</output></div>'
        f'<ul class="cards" tabindex="0" aria-label="{escaped(title)}">{cards}</ul>'
    )


def _card(one: Landmark, frame: DrawingScale, labels: dict[str, str], largest: float) -> str:
    row = "" if one["index"] is None else f"row {one['index']}"
    sought = " ".join(visible(part, 400) for part in (one["object"], one["label"], row))
    weight = one["weight"]
    drawn = "" if weight is None else bar(weight, largest, "weight")
    if one.get("note"):
        drawn = f'<span class="amount">{escaped(one["note"])}</span>'
    return (
        f'<li data-text="{escaped(sought.lower())}">{drawing(frame, one["object"])}'
        f'<div class="meta">{label_of(one["label"], labels)}<span>{row}</span>{drawn}</div></li>'
    )


def mistakes(
    mistaken: Sequence[Mistaken], frame: DrawingScale, labels: dict[str, str], title: str
) -> str:
    """Return objects that were taken for another, as cards."""
    if not mistaken:
        return ""
    cards = "".join(
        f'<li>{drawing(frame, one["object"])}<div class="meta">{label_of(one["truth"], labels)}'
        f"<span>predicted</span>{label_of(one['prediction'], labels)}"
        f"<span>row {one['index']}</span></div></li>"
        for one in mistaken
    )
    return (
        '<p class="note">By models that had not seen them. Is the label right? Does the measure '
        "see what tells them apart?</p>"
        f'<ul class="cards" tabindex="0" aria-label="{escaped(title)}">{cards}</ul>'
    )


def label_of(label: Any, labels: dict[str, str]) -> str:
    """Return a label with its colour."""
    if label is None:
        return ""
    colour = labels.get(visible(label), "plain")
    return f'<bdi class="chip {colour}">{escaped(short(label), 40)}</bdi>'


def largest_of(values: Iterable[float | None]) -> float:
    """Return the largest size of the finite ones."""
    sizes = (abs(value) for value in values if value is not None)
    return max(filter(math.isfinite, sizes), default=0.0)


def bar(value: float, largest: float, name: str) -> str:
    """A number, and a bar to the left or right of zero."""
    is_drawn = largest > 0 and math.isfinite(value)
    part = 29.0 * abs(value) / largest if is_drawn else 0.0
    side, left = ("plus", 30.0) if value >= 0 else ("minus", 30.0 - part)
    return (
        f'<span class="amount"><svg class="bar" viewBox="0 0 60 8" aria-hidden="true">'
        f'<line x1="30" x2="30" y1="0" y2="8"/><rect class="{side}" x="{left:.1f}" y="1.5" '
        f'width="{part:.1f}" height="5"/></svg><span class="unseen">{name} </span>'
        f"{signed(value)}</span>"
    )
