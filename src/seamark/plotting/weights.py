"""Learned weights of features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .axes import COLOURS, axes_for, plain
from .text import visible


class WeightsDisplay:
    """The largest weights of features, by size.

    Parameters
    ----------
    weights : array-like of shape (features,)
    names : sequence of str, optional
        Of the features.
    n_features : int, default=20
        How many to draw.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.

    Examples
    --------
    >>> display = WeightsDisplay([0.1, -2.0, 1.0], n_features=2).plot()
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['feature 1', 'feature 2']
    """

    def __init__(
        self, weights: ArrayLike, names: Sequence[Any] | None = None, *, n_features: int = 20
    ) -> None:
        self.weights = np.asarray(weights, dtype=np.float64)
        if self.weights.ndim != 1:
            raise ValueError(
                f"weights have shape {self.weights.shape}; give one row, e.g. weights[0]."
            )
        n = len(self.weights)
        self.names = [f"feature {k}" for k in range(n)] if names is None else list(names)
        if len(self.names) != n:
            raise ValueError(f"there are {n} weights and {len(self.names)} names.")
        self.n_features = n_features

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, output: int = 0, n_features: int = 20, ax: Any = None
    ) -> Self:
        """Draw the weights of a fitted estimator.

        Parameters
        ----------
        estimator : fitted estimator
            `coef_` or, where a weighing learned them, `weights_`.
        output : int, default=0
            Which row of the coefficients: with several classes, the number of the class.
        n_features : int, default=20
        ax : matplotlib axes, optional
        """
        found = getattr(estimator, "coef_", None)
        found = getattr(estimator, "weights_", None) if found is None else found
        if found is None:
            raise TypeError(f"{estimator!r} has neither coef_ nor weights_; is it fitted?")
        weights = np.atleast_2d(found)[output]
        names = _names(getattr(estimator, "map_", estimator))
        if names is not None and len(names) != len(weights):
            names = None
        return cls(weights, names, n_features=n_features).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the largest as bars, the largest on top."""
        self.figure_, self.ax_ = axes_for(ax)
        top = np.argsort(-np.abs(self.weights), kind="stable")[: self.n_features]
        places = np.arange(len(top))
        colours = np.where(self.weights[top] < 0, COLOURS[1], COLOURS[0])
        self.ax_.barh(places, self.weights[top], color=colours)
        self.ax_.axvline(0.0, color="black", linewidth=0.8)
        shown = [visible(self.names[k], 60) for k in top]
        self.ax_.set_yticks(places, shown, parse_math=False)
        self.ax_.invert_yaxis()
        self.ax_.set(xlabel="weight", title="Weights")
        plain(self.ax_)
        return self


def _names(bearings: Any) -> Sequence[Any] | None:
    """Names of a map's features: the landmarks themselves, where they can be read."""
    texts = bearings.landmark_texts() if hasattr(bearings, "landmark_texts") else None
    if texts is not None:
        return list(texts)
    if not hasattr(bearings, "get_feature_names_out"):
        return None
    return list(bearings.get_feature_names_out())
