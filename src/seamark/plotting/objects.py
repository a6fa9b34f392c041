"""Objects drawn by matplotlib: letters, curves, clouds of points, or their own text."""

from __future__ import annotations

from typing import Any

from .alignment import aligned, runs
from .axes import COLOURS, QUIET
from .frame import Cloud, Curves, DrawingScale, Letters, Shape
from .text import glyph, visible

MOST_LETTERS = 60
STATES = {"same": COLOURS[2], "other": COLOURS[5], "gap": QUIET}


def draw_object(ax: Any, frame: DrawingScale, thing: Any, beside: Any = None) -> None:
    """Draw an object, in grey under it the one it is compared with.

    Strings stand letter under letter: the other above, this one below.

    Examples
    --------
    >>> from matplotlib import pyplot as plt
    >>> _, ax = plt.subplots()
    >>> draw_object(ax, DrawingScale([[1.0, 3.0]], "series"), [1.0, 3.0])
    >>> len(ax.lines)
    1
    """
    shape, other = frame.shape(thing), None if beside is None else frame.shape(beside)
    ax.set(xticks=[], yticks=[])
    ax.patch.set_alpha(0.0)
    if isinstance(shape, Letters) and isinstance(other, Letters):
        _letter_under_letter(ax, other.text, shape.text)
    elif isinstance(shape, (Curves, Cloud)):
        if other is not None:
            _draw(ax, other, beneath=True)
        _draw(ax, shape, beneath=False)
        _fit(ax, frame)
    else:
        ax.set_axis_off()
        style = {"family": "monospace", "va": "center", "parse_math": False, "fontsize": 8}
        ax.text(0.0, 0.5, visible(thing, MOST_LETTERS), transform=ax.transAxes, **style)


def _fit(ax: Any, frame: DrawingScale) -> None:
    if frame.limits is not None:
        left, right, bottom, top = frame.limits
        aside, above = 0.03 * (right - left), 0.08 * (top - bottom)
        ax.set(xlim=(left - aside, right + aside), ylim=(bottom - above, top + above))
    ax.spines[:].set_visible(False)
    ax.patch.set(alpha=1.0, facecolor="#f2f1ec")


def _draw(ax: Any, shape: Shape, *, beneath: bool) -> None:
    if isinstance(shape, Cloud):
        fill = {"facecolors": "none", "edgecolors": QUIET} if beneath else {"color": COLOURS[0]}
        ax.scatter(*shape.points.T, s=12, **fill)
    elif isinstance(shape, Curves):
        for k, line in enumerate(shape.lines):
            style = {"color": QUIET, "linewidth": 2.4, "alpha": 0.5} if beneath else {}
            ax.plot(shape.x, line, **{"color": COLOURS[k % 6], "linewidth": 1.2, **style})


def _letter_under_letter(ax: Any, above: str, below: str) -> None:
    columns = aligned(above[:MOST_LETTERS], below[:MOST_LETTERS])
    ax.set(xlim=(-0.5, max(len(columns), 24) - 0.5), ylim=(-0.9, 1.9))
    ax.set_axis_off()
    style = {"family": "monospace", "ha": "center", "va": "center", "parse_math": False}
    at = 0
    for state, some in runs(columns):
        for pair in some:
            for row, letter in zip((1.0, 0.0), pair, strict=True):
                shown = glyph(letter) if letter else "–"
                ax.text(at, row, shown, color=STATES[state], fontsize=7, **style)
            at += 1
