"""Objects drawn as what they are: letters, curves, clouds of points, or their own text."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from ..alignment import aligned, runs
from ..frame import Cloud, Curves, DrawingScale, Letters, Shape
from ..text import escaped, glyph
from .scale import Scale

WIDTH, HEIGHT, EDGE = 240.0, 90.0, 4.0
MOST_LETTERS = 300


def drawing(frame: DrawingScale, thing: Any) -> str:
    """Return one object as HTML."""
    shape = frame.shape(thing)
    if isinstance(shape, (Curves, Cloud)):
        return _svg(frame, [(shape, "own")])
    letters = " letters" if isinstance(shape, Letters) else ""
    return f'<bdi class="words{letters}">{escaped(thing, MOST_LETTERS) or "(empty)"}</bdi>'


def comparison(frame: DrawingScale, thing: Any, landmark: Any) -> str:
    """Return a landmark as HTML, beside or under the object it was compared with."""
    shapes = frame.shape(thing), frame.shape(landmark)
    if isinstance(shapes[0], Letters) and isinstance(shapes[1], Letters):
        return _letter_under_letter(shapes[0].text, shapes[1].text)
    if all(isinstance(shape, (Curves, Cloud)) for shape in shapes):
        return _svg(frame, [(shapes[0], "other"), (shapes[1], "own")])
    return drawing(frame, landmark)


def _letter_under_letter(text: str, landmark: str) -> str:
    """Two rows of letters; what is equal stands out from what is not."""
    rows: tuple[list[str], list[str]] = ([], [])
    for state, columns in runs(aligned(text[:MOST_LETTERS], landmark[:MOST_LETTERS])):
        for row, letters in zip(rows, zip(*columns, strict=True), strict=True):
            shown = "".join(glyph(c) if c else "–" for c in letters)
            row.append(f'<span class="{state}">{escape(shown)}</span>')
    cut = [
        f" … ({len(s) - MOST_LETTERS} more)" if len(s) > MOST_LETTERS else ""
        for s in (text, landmark)
    ]
    return (
        '<div class="aligned" tabindex="0" role="group" aria-label="object above, landmark below">'
        f'<div class="above" dir="ltr">{"".join(rows[0])}{cut[0]}</div>'
        f'<div dir="ltr">{"".join(rows[1])}{cut[1]}</div></div>'
    )


def _svg(frame: DrawingScale, shapes: list[tuple[Shape, str]]) -> str:
    left, right, bottom, top = frame.limits or (0.0, 1.0, 0.0, 1.0)
    x = Scale(left, right, EDGE, WIDTH - EDGE)
    y = Scale(bottom, top, HEIGHT - EDGE, EDGE)
    inside = "".join(_drawn(shape, role, x, y) for shape, role in shapes)
    return (
        f'<svg class="drawing" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img" '
        f'aria-label="{_said(shapes[-1][0])}">{inside}</svg>'
    )


def _said(shape: Shape) -> str:
    if isinstance(shape, Curves):
        return f"{len(shape.lines)} curve{'s' if len(shape.lines) > 1 else ''}"
    return f"{len(shape.points)} points" if isinstance(shape, Cloud) else ""


def _drawn(shape: Shape, role: str, x: Scale, y: Scale) -> str:
    if isinstance(shape, Cloud):
        return f'<g class="cloud {role}">{_dots(shape, x, y)}</g>'
    if isinstance(shape, Curves):
        return f'<g class="curves {role}">{_paths(shape, x, y)}</g>'
    return ""


def _dots(cloud: Cloud, x: Scale, y: Scale) -> str:
    known = np.isfinite(cloud.points).all(axis=1)
    places = ((x.at(a), y.at(b)) for a, b in cloud.points[known])
    return "".join(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.4"/>' for a, b in places)


def _paths(curves: Curves, x: Scale, y: Scale) -> str:
    paths = []
    for k, line in enumerate(curves.lines):
        known = np.isfinite(line)
        places = ((x.at(a), y.at(b)) for a, b in zip(curves.x[known], line[known], strict=True))
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
        paths.append(f'<polyline class="c{k}" points="{points}"/>')
    return "".join(paths)
