"""Objects and landmarks on one plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .curves import COLOURS, QUIET, add_legend, axes_for, plain
from .text import visible


class LandmarkMapDisplay:
    """Objects and landmarks on the two principal axes of their features.

    Parameters
    ----------
    points : array-like of shape (n, 2)
    landmarks : array-like of shape (R, 2), optional
    y : array-like of shape (n,), optional
        Labels: few different ones get colours and a legend, numbers a colour scale.
    shares : array-like of shape (2,), optional
        Of the variance, on each axis.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.

    Examples
    --------
    >>> import seamark as sm
    >>> words = ["sea", "see", "tea", "mark", "marked", "market"]
    >>> bearings = sm.LandmarkMap("levenshtein", n_landmarks=3, random_state=0).fit(words)
    >>> display = LandmarkMapDisplay.from_estimator(bearings, words, ["a", "a", "a", "b", "b", "b"])
    >>> display.points.shape, display.landmarks.shape
    ((6, 2), (3, 2))
    """

    def __init__(
        self,
        points: ArrayLike,
        landmarks: ArrayLike | None = None,
        y: ArrayLike | None = None,
        shares: ArrayLike | None = None,
    ) -> None:
        self.points = np.asarray(points, dtype=np.float64)
        self.landmarks = None if landmarks is None else np.asarray(landmarks, dtype=np.float64)
        self.y = None if y is None else np.asarray(y)
        self.shares = None if shares is None else np.asarray(shares, dtype=np.float64)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any = None, *, ax: Any = None) -> Self:
        """Draw objects by the features that a fitted model or map gives them.

        Parameters
        ----------
        estimator : fitted landmark model or map
        X : objects
        y : array-like, optional
            Labels to colour them by.
        ax : matplotlib axes, optional

        Notes
        -----
        Landmarks of a precomputed matrix are columns, of which no features are known; they are
        left out, and so are parts of objects, and landmarks of single blocks.
        """
        from sklearn.decomposition import PCA

        bearings = getattr(estimator, "map_", estimator)
        features = np.asarray(bearings.transform(X), dtype=np.float64)
        if min(features.shape) < 2:
            raise ValueError("a map needs at least two objects and two landmarks.")
        pca = PCA(n_components=2, svd_solver="full").fit(features)
        landmarks = getattr(bearings, "landmarks_", None)
        if landmarks is not None:
            # Columns of a matrix, parts of objects, and landmarks of one block have no features.
            known = not getattr(bearings, "is_union", False) and not hasattr(landmarks, "indices")
            known = known and not bearings.measures_[0].compares_parts
            # In the units of `transform`, which may differ from those of a block.
            drawn = bearings.scaled(bearings.block(landmarks)) if known else None
            landmarks = pca.transform(drawn) if known else None
        shares = pca.explained_variance_ratio_
        return cls(pca.transform(features), landmarks, y, shares).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw objects as dots and landmarks as diamonds around them."""
        self.figure_, self.ax_ = axes_for(ax)
        a, b = self.points.T
        labels, codes = np.unique([] if self.y is None else self.y, return_inverse=True)
        if self.y is None:
            self.ax_.scatter(a, b, s=14, color=QUIET)
        elif len(labels) > len(COLOURS):
            colours = self.y if self.y.dtype.kind in "iuf" else codes
            self.figure_.colorbar(self.ax_.scatter(a, b, s=14, c=colours), ax=self.ax_)
        else:
            for k, label in enumerate(labels):
                of = codes == k
                self.ax_.scatter(a[of], b[of], s=14, color=COLOURS[k], label=visible(label, 30))
        if self.landmarks is not None:
            a, b = self.landmarks.T
            self.ax_.scatter(
                a, b, s=46, marker="D", facecolors="none", edgecolors="black", label="landmarks"
            )
        said = ["", ""] if self.shares is None else [f" ({s:.0%} of variance)" for s in self.shares]
        self.ax_.set(
            xlabel=f"first axis{said[0]}", ylabel=f"second axis{said[1]}", title="Landmark map"
        )
        plain(self.ax_)
        if self.ax_.get_legend_handles_labels()[1]:
            add_legend(self.ax_)
        return self


# Objects in groups on one plane, each group named by one of its objects.


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
            point = self.points[row]
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
        plain(self.ax_)
        self.ax_.set(xticks=[], yticks=[], title=f"{len(numbers)} groups, named by their medoids")
        return self
