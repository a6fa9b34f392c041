"""One prediction, and the landmarks that decided it, drawn as what they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .curves import COLOURS, QUIET, axes_for, plain
from .objects import Cloud, Curves, DrawingScale, Letters, Shape, aligned, runs
from .text import brief, glyph, visible

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
        if frame.limits is not None:
            left, right, bottom, top = frame.limits
            aside, above = 0.03 * (right - left), 0.08 * (top - bottom)
            xlim, ylim = (left - aside, right + aside), (bottom - above, top + above)
            ax.set(xlim=xlim, ylim=ylim)
        ax.spines[:].set_visible(False)
        ax.patch.set(alpha=1.0, facecolor="#f2f1ec")
    else:
        ax.set_axis_off()
        style = {"family": "monospace", "va": "center", "parse_math": False, "fontsize": 8}
        ax.text(0.0, 0.5, visible(thing, MOST_LETTERS), transform=ax.transAxes, **style)


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


# One prediction, and the landmarks that decided it, drawn as what they are.


class ExplanationDisplay:
    """Contributions of landmarks as bars; beside each, the landmark on top of the object.

    Parameters
    ----------
    contributions : array-like of shape (k,)
    landmarks : sequence of k objects
    labels : sequence, optional
        Of the landmarks.
    thing : object, optional
        What was predicted.
    prediction : object, optional
        What it was predicted to be.
    domain : str, default="objects"
        "strings", "series", "sets", "vectors": how to draw the objects.

    Attributes
    ----------
    ax_, figure_
        Axes of the bars, and the figure.

    Examples
    --------
    >>> display = ExplanationDisplay([0.4, -0.1], ["Anna", "Otto"], ["f", "m"], "Hanna", "f").plot()
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['f', 'm']
    """

    def __init__(
        self,
        contributions: ArrayLike,
        landmarks: Sequence[Any],
        labels: Sequence[Any] | None = None,
        thing: Any = None,
        prediction: Any = None,
        *,
        domain: str = "objects",
    ) -> None:
        self.contributions = np.asarray(contributions, dtype=np.float64)
        self.landmarks = list(landmarks)
        self.labels = [None] * len(self.landmarks) if labels is None else list(labels)
        if not len(self.contributions) == len(self.landmarks) == len(self.labels):
            raise ValueError("contributions, landmarks and labels must be equally many.")
        self.thing = thing
        self.prediction = prediction
        self.domain = domain

    @classmethod
    def from_explanation(cls, explanation: Any, *, ax: Any = None) -> Self:
        """Draw what a model's `explain` returned for one object."""
        reasons = explanation.reasons
        display = cls(
            [reason.contribution for reason in reasons],
            [reason.landmark for reason in reasons],
            [reason.label for reason in reasons],
            explanation.object,
            explanation.prediction,
            domain=explanation.domain,
        )
        return display.plot(ax)

    @classmethod
    def from_estimator(
        cls, estimator: Any, x: Any, *, n_landmarks: int = 5, ax: Any = None
    ) -> Self:
        """Explain the prediction of one object by a fitted model, and draw that.

        Parameters
        ----------
        estimator : fitted landmark model
        x : object
        n_landmarks : int, default=5
        ax : matplotlib axes, optional
        """
        return cls.from_explanation(estimator.explain(x, n_landmarks=n_landmarks), ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw bars, and to their right the landmarks.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Whose room is shared by bars and landmarks.
        """
        n = max(1, len(self.landmarks))
        self.figure_, room = axes_for(ax, figsize=(8.5, 1.0 + 0.7 * n))
        room.set_axis_off()
        room.set_title(f"predicted {brief(self.prediction, 40)}", parse_math=False)
        self.ax_ = room.inset_axes((0.1, 0.1, 0.28, 0.9))
        places = np.arange(len(self.landmarks))
        colours = np.where(self.contributions < 0, COLOURS[1], COLOURS[0])
        self.ax_.barh(places, self.contributions, height=0.6, color=colours)
        self.ax_.axvline(0.0, color="black", linewidth=0.8)
        shown = ["" if label is None else brief(label, 30) for label in self.labels]
        self.ax_.set_yticks(places, shown, parse_math=False)
        self.ax_.set_ylim(n - 0.5, -0.5)
        self.ax_.set_xlabel("contribution")
        plain(self.ax_)
        frame = DrawingScale([*self.landmarks, self.thing], self.domain)
        for k, landmark in enumerate(self.landmarks):
            place = (0.42, 1.0 - 0.9 * (k + 0.9) / n, 0.58, 0.72 / n)
            draw_object(room.inset_axes(place), frame, landmark, self.thing)
        return self
