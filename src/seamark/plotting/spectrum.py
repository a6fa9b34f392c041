"""The spectrum of a measure: how far it is from an inner product."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .axes import COLOURS, axes_for, plain
from .curves import figure_about


class SpectrumDisplay:
    """Eigenvalues, the largest first; negative ones have another colour.

    Parameters
    ----------
    eigenvalues : array-like

    Attributes
    ----------
    negative_share_ : float
        Negative part of the sum of absolute eigenvalues.
    ax_, figure_
        Where it was drawn.

    Examples
    --------
    >>> display = SpectrumDisplay.from_matrix([[0.0, 1.0], [1.0, 0.0]])
    >>> display.eigenvalues.round(6).tolist(), display.negative_share_
    ([1.0, -1.0], 0.5)
    """

    def __init__(self, eigenvalues: ArrayLike) -> None:
        self.eigenvalues = np.sort(np.asarray(eigenvalues, dtype=np.float64))[::-1]
        total = np.abs(self.eigenvalues).sum()
        negative = -self.eigenvalues[self.eigenvalues < 0].sum()
        self.negative_share_ = float(negative / total) if total > 0 else 0.0

    @classmethod
    def from_matrix(cls, values: ArrayLike, *, kind: str | None = None, ax: Any = None) -> Self:
        """Draw the spectrum of a square matrix of values.

        Parameters
        ----------
        values : array-like of shape (n, n)
            Symmetrised first.
        kind : {"distance", "similarity", None}, default=None
            Distances become −½ J D² J, whose eigenvalues are all ≥ 0 if and only if the objects
            are points of a Euclidean space.
        ax : matplotlib axes, optional
        """
        matrix = np.asarray(values, dtype=np.float64)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"a spectrum needs a square matrix, not one of shape {matrix.shape}.")
        matrix = (matrix + matrix.T) / 2
        if kind == "distance":
            matrix = -0.5 * matrix**2
            matrix = matrix - matrix.mean(axis=0) - matrix.mean(axis=1)[:, None] + matrix.mean()
        return cls(np.linalg.eigvalsh(matrix)).plot(ax)

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> Self:
        """Draw the spectrum of a fitted model's or map's measure on its landmarks.

        Parameters
        ----------
        estimator : fitted landmark model or map
            Of several measures, the first.
        ax : matplotlib axes, optional
        """
        bearings = getattr(estimator, "map_", estimator)
        if getattr(bearings, "is_union", False):
            raise TypeError(
                "several blocks have no spectrum in common; give one of them, such as maps_[0] of "
                "the union."
            )
        landmarks = bearings.landmarks_
        if bearings.measures_[0].compares_parts:
            raise TypeError(
                f"{bearings.measures_[0]!r} compares objects with parts of objects; a spectrum "
                "needs values of landmarks against landmarks."
            )
        if hasattr(landmarks, "indices"):  # columns of a matrix, not objects
            raise TypeError(
                "landmarks of a precomputed matrix are columns; give their square part to "
                "SpectrumDisplay.from_matrix."
            )
        values = bearings.values(landmarks)[:, : landmarks.shape[0]]
        return cls.from_matrix(values, kind=bearings.measures_[0].kind, ax=ax)

    @classmethod
    def from_assessment(cls, assessment: Any, *, ax: Any = None) -> Self:
        """Draw the spectrum that an assessment found."""
        return cls(figure_about(assessment, "spectrum")["series"][0]["y"]).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the eigenvalues as bars."""
        self.figure_, self.ax_ = axes_for(ax)
        colours = np.where(self.eigenvalues < 0, COLOURS[1], COLOURS[0])
        self.ax_.bar(range(1, len(self.eigenvalues) + 1), self.eigenvalues, color=colours)
        self.ax_.axhline(0.0, color="black", linewidth=0.8)
        self.ax_.set(
            xlabel="eigenvalue, largest first",
            ylabel="value",
            title=f"Spectrum: {self.negative_share_:.1%} negative",
        )
        plain(self.ax_)
        return self
