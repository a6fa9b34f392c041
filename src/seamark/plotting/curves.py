"""Curves with intervals: goodness over margins, scores over numbers of landmarks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from .axes import COLOURS, add_legend, axes_for, plain
from .text import visible


@dataclass(frozen=True)
class DrawnCurve:
    """A curve, with an interval around each value if `low` and `high` are given.

    Examples
    --------
    >>> DrawnCurve([10, 20], [0.8, 0.9]).low is None
    True
    """

    x: ArrayLike
    y: ArrayLike
    low: ArrayLike | None = None
    high: ArrayLike | None = None
    name: str | None = None

    @classmethod
    def of(cls, series: Mapping[str, Any]) -> DrawnCurve:
        """Return the curve that a figure of a document describes."""
        parts = {key: series.get(key) for key in ("low", "high", "name")}
        return cls(series["x"], series["y"], **parts)

    def draw(self, ax: Any, **options: Any) -> None:
        """Draw it, with its interval behind."""
        x, y = np.asarray(self.x), np.asarray(self.y, dtype=np.float64)
        label = None if self.name is None else visible(self.name, 60)
        (line,) = ax.plot(x, y, **{"label": label, **options})
        if self.low is not None and self.high is not None:
            low, high = (np.asarray(side, dtype=np.float64) for side in (self.low, self.high))
            ax.fill_between(x, low, high, color=line.get_color(), alpha=0.18, linewidth=0)


class CurveDisplay:
    """Curves over one axis.

    Parameters
    ----------
    curves : sequence of DrawnCurve

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.
    """

    topic: ClassVar[str]
    """A word in the title of the figure that an assessment gives."""
    xlabel: ClassVar[str]
    ylabel: ClassVar[str]
    title: ClassVar[str]

    def __init__(self, curves: Sequence[DrawnCurve]) -> None:
        self.curves = list(curves)

    @classmethod
    def from_assessment(cls, assessment: Any, *, ax: Any = None, **options: Any) -> Self:
        """Draw what an assessment found.

        Parameters
        ----------
        assessment : object with a method `document`
        ax : matplotlib axes, optional
        **options
            For the lines.
        """
        figure = figure_about(assessment, cls.topic)
        display = cls([DrawnCurve.of(series) for series in figure["series"]])
        display.xlabel, display.ylabel = figure["xlabel"], figure["ylabel"]  # type: ignore[misc]
        return display.plot(ax, **options)

    def plot(self, ax: Any = None, **options: Any) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib axes, optional
            New ones by default.
        **options
            For the lines.
        """
        self.figure_, self.ax_ = axes_for(ax)
        for k, curve in enumerate(self.curves):
            curve.draw(self.ax_, **{"color": COLOURS[k % len(COLOURS)], "marker": ".", **options})
        self.ax_.set(xlabel=self.xlabel, ylabel=self.ylabel, title=self.title)
        plain(self.ax_)
        if len(self.curves) > 1:
            add_legend(self.ax_)
        return self


class GoodnessDisplay(CurveDisplay):
    """How many objects miss a margin, over margins.

    Examples
    --------
    >>> margins, shares = [0.0, 0.1, 0.2], [0.05, 0.2, 0.6]
    >>> display = GoodnessDisplay([DrawnCurve(margins, shares, name="held out")]).plot()
    >>> display.ax_.get_xlabel()
    'margin γ'
    """

    topic = "goodness"
    xlabel = "margin γ"
    ylabel = "share ε of objects short of it"
    title = "Goodness"


class LandmarkCurveDisplay(CurveDisplay):
    """What more landmarks bring: a score over their number.

    Examples
    --------
    >>> curve = DrawnCurve([10, 100], [0.7, 0.9], low=[0.6, 0.88], high=[0.8, 0.92])
    >>> display = LandmarkCurveDisplay([curve]).plot()
    >>> display.ax_.get_xscale()
    'log'
    """

    topic = "landmarks"
    xlabel = "landmarks"
    ylabel = "score"
    title = "How many landmarks"

    def plot(self, ax: Any = None, **options: Any) -> Self:
        """Draw the curves over a logarithmic axis."""
        super().plot(ax, **options)
        self.ax_.set_xscale("log")
        return self


def figure_about(assessment: Any, topic: str) -> Mapping[str, Any]:
    """Return the figure of an assessment's document that has a word in its title."""
    figures: Sequence[Mapping[str, Any]] = assessment.document()["figures"]
    for figure in figures:
        if topic in figure["title"].casefold():
            return figure
    titles = ", ".join(repr(figure["title"]) for figure in figures) or "none"
    raise ValueError(f"the assessment has no figure about {topic}; its figures are: {titles}.")
