"""Objects in groups on one plane, each group named by one of its objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .axes import COLOURS, QUIET, axes_for, plain
from .text import visible

LONGEST_NAME = 24


class GroupsDisplay:
    """Objects as dots in the colours of their groups, and the names of the groups.

    Parameters
    ----------
    points : array-like of shape (n, 2)
    groups : array-like of shape (n,)
        Number of each object's group, −1 for none.
    medoids : array-like of shape (n_groups,)
        Which object stands for each group, in the order of their numbers.
    names : sequence
        What to write beside them: text, or objects that are shown as text.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.

    Examples
    --------
    >>> display = GroupsDisplay([[0, 0], [0, 1], [5, 5]], [0, 0, 1], [0, 2], ["sea", "mark"]).plot()
    >>> [text.get_text() for text in display.ax_.texts]
    ['sea', 'mark']
    """

    def __init__(
        self, points: ArrayLike, groups: ArrayLike, medoids: ArrayLike, names: Sequence[Any]
    ) -> None:
        self.points = np.asarray(points, dtype=np.float64)
        self.groups = np.asarray(groups)
        self.medoids = np.asarray(medoids)
        self.names = list(names)

    def plot(self, ax: Any = None) -> Self:
        """Draw objects as dots, medoids as diamonds with their names.

        Parameters
        ----------
        ax : matplotlib axes, optional
        """
        self.figure_, self.ax_ = axes_for(ax)
        numbers = np.unique(self.groups[self.groups >= 0])
        alone = self.points[self.groups < 0]
        self.ax_.scatter(*alone.T, s=10, color=QUIET)
        for k, number in enumerate(numbers):
            own, colour = self.points[self.groups == number], COLOURS[k % len(COLOURS)]
            marker = "osv^"[k // len(COLOURS) % 4]
            self.ax_.scatter(*own.T, s=14, color=colour, marker=marker, alpha=0.6)
        for row, name in zip(self.medoids, self.names, strict=True):
            self._name(self.points[row], name)
        plain(self.ax_)
        self.ax_.set(xticks=[], yticks=[], title=f"{len(numbers)} groups, named by their medoids")
        return self

    def _name(self, point: Any, name: Any) -> None:
        self.ax_.scatter(*point, s=46, marker="D", facecolors="none", edgecolors="black")
        self.ax_.annotate(
            visible(name, LONGEST_NAME),
            point,
            xytext=(6, 4),
            textcoords="offset points",
            fontsize="small",
            bbox={"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none", "alpha": 0.8},
            parse_math=False,
        )
