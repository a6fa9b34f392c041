"""All figures of an assessment, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from .axes import COLOURS, add_legend, plain, pyplot
from .curves import DrawnCurve
from .page.scale import floats, scale_for
from .text import visible

FITTING_LETTERS = 40
"""If the names of the bars have more letters than this in total, they are slanted."""


class AssessmentDisplay:
    """The figures of a document: curves, bars and points in a grid.

    Parameters
    ----------
    figures : sequence of dict
        As `seamark.plotting.page.Document` has them.
    title : str, optional

    Attributes
    ----------
    axes_, figure_
        Where they were drawn.

    Examples
    --------
    >>> bars = {"name": "accuracy", "x": ["1-NN", "landmarks"], "y": [0.8, 0.9]}
    >>> figure = {"kind": "bars", "title": "Yardsticks", "series": [bars]}
    >>> figure |= {"xlabel": "method", "ylabel": "accuracy"}
    >>> [ax.get_title() for ax in AssessmentDisplay([figure]).plot().axes_]
    ['Yardsticks']
    """

    def __init__(self, figures: Sequence[Mapping[str, Any]], title: str | None = None) -> None:
        self.figures = list(figures)
        if not self.figures:
            raise ValueError("there are no figures to draw.")
        self.title = title

    @classmethod
    def from_assessment(cls, assessment: Any) -> Self:
        """Draw all that an assessment found."""
        document = assessment.document()
        return cls(document["figures"], document["title"]).plot()

    def plot(self) -> Self:
        """Draw a figure of two columns."""
        columns = min(2, len(self.figures))
        rows = -(-len(self.figures) // columns)
        size = (5.2 * columns, 3.6 * rows)
        self.figure_ = pyplot().figure(figsize=size, layout="constrained")
        cells = self.figure_.subplots(rows, columns, squeeze=False).ravel()
        self.axes_ = cells[: len(self.figures)]
        for ax, figure in zip(self.axes_, self.figures, strict=True):
            draw_figure(ax, figure)
        for ax in cells[len(self.figures) :]:
            ax.set_axis_off()
        if self.title is not None:
            self.figure_.suptitle(visible(self.title, 120), parse_math=False)
        return self


def draw_figure(ax: Any, figure: Mapping[str, Any]) -> None:
    """Draw one figure of a document."""
    series = figure["series"]
    for k, one in enumerate(series):
        colour = COLOURS[k % len(COLOURS)]
        if figure["kind"] == "bars":
            _bars(ax, one, k, len(series), colour)
        else:
            line = "none" if figure["kind"] == "points" else "solid"
            DrawnCurve.of(one).draw(ax, color=colour, marker=".", linestyle=line)
    for name in ("title", "xlabel", "ylabel"):
        getattr(ax, f"set_{name}")(visible(figure[name], 80), parse_math=False)
    if figure["kind"] != "bars":
        places = np.concatenate([floats(one["x"]) for one in series])
        if scale_for(places, 0.0, 1.0).log:  # as on the page
            ax.set_xscale("log")
    plain(ax)
    if len(series) > 1:
        add_legend(ax, beside=figure["kind"] == "bars")


def _bars(ax: Any, one: Mapping[str, Any], k: int, groups: int, colour: str) -> None:
    names = [visible(x, 20) for x in one["x"]]
    y = np.asarray(one["y"], dtype=np.float64)
    width = 0.8 / groups
    places = np.arange(len(names)) + (k - (groups - 1) / 2) * width
    error = None
    if one.get("low") is not None and one.get("high") is not None:
        error = np.abs(np.array([y - one["low"], np.asarray(one["high"]) - y]))
    ax.bar(places, y, width, yerr=error, color=colour, label=visible(one["name"], 60))
    every = max(1, len(names) // 10)
    shown = names[::every]
    crowded = sum(map(len, shown)) > FITTING_LETTERS
    slant = {"rotation": 20, "ha": "right", "rotation_mode": "anchor"} if crowded else {}
    ax.set_xticks(np.arange(len(names))[::every], shown, parse_math=False, **slant)
