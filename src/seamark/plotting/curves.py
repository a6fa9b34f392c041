"""Figures of a document, a learned distribution, a spectrum and weights, drawn with matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from .page.chart import floats, scale_for
from .text import visible

COLOURS = ("#0b4f6c", "#b5541c", "#2f7d5b", "#7a4a8c", "#8a6d00", "#a33a55")
QUIET = "#7b8794"


def axes_for(ax: Any = None, **figure: Any) -> tuple[Any, Any]:
    """Return figure and axes: those given, or new ones."""
    if ax is not None:
        return ax.figure, ax
    return pyplot().subplots(layout="constrained", **figure)  # type: ignore[no-any-return]


def pyplot() -> Any:
    """Return matplotlib's pyplot, or say how to get it."""
    try:
        from matplotlib import pyplot as plt
    except ImportError:
        raise ImportError(
            "pictures are drawn by matplotlib, which is missing: pip install 'seamark[plot]'."
        ) from None
    return plt


def add_legend(ax: Any, *, beside: bool = False) -> None:
    """Add a legend, `beside` the drawing if there is no room inside; names are never formulas."""
    place = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)} if beside else {}
    for text in ax.legend(frameon=False, **place).get_texts():
        text.set_parse_math(False)


def plain(ax: Any) -> None:
    """Remove the frame lines that show nothing."""
    ax.spines[["top", "right"]].set_visible(False)


def figure_about(assessment: Any, topic: str) -> Mapping[str, Any]:
    """Return the figure of an assessment's document that has a word in its title or axes."""
    figures: Sequence[Mapping[str, Any]] = assessment.document()["figures"]
    for figure in figures:
        if topic in f"{figure['title']} {figure['xlabel']}".casefold():
            return figure
    titles = ", ".join(repr(figure["title"]) for figure in figures) or "none"
    raise ValueError(f"the assessment has no figure about {topic}; its figures are: {titles}.")


# All figures of an assessment, side by side.


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
    def from_assessment(cls, assessment: Any, *, about: str | None = None) -> Self:
        """Draw what an assessment found.

        Parameters
        ----------
        assessment : object with a method `document`
        about : str, optional
            A word in the title of one figure, such as "goodness"; default: all figures.
        """
        document = assessment.document()
        if about is not None:
            return cls([figure_about(assessment, about)]).plot()
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
            continue
        line = "none" if one.get("kind", figure["kind"]) == "points" else "solid"
        name, x = visible(one["name"], 60), floats(one["x"])
        ax.plot(x, floats(one["y"]), color=colour, marker=".", linestyle=line, label=name)
        if one.get("low") is not None and one.get("high") is not None:
            low, high = floats(one["low"]), floats(one["high"])
            ax.fill_between(x, low, high, color=colour, alpha=0.18, linewidth=0)
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
        # As lists: matplotlib asks arrays of a single bar in a way that numpy warns of.
        error = np.abs(np.array([y - one["low"], np.asarray(one["high"]) - y])).tolist()
    ax.bar(places, y, width, yerr=error, color=colour, label=visible(one["name"], 60))
    every = max(1, len(names) // 10)
    shown = names[::every]
    crowded = sum(map(len, shown)) > FITTING_LETTERS
    slant = {"rotation": 20, "ha": "right", "rotation_mode": "anchor"} if crowded else {}
    ax.set_xticks(np.arange(len(names))[::every], shown, parse_math=False, **slant)


# A learned distribution over features.


class DistributionDisplay:
    """Weights of features that have any, the largest first, beside the uniform distribution.

    Parameters
    ----------
    distribution : array-like of shape (N,)
        Not negative; sums to 1.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.

    Examples
    --------
    >>> display = DistributionDisplay([0.0, 0.7, 0.3, 0.0]).plot()
    >>> display.ax_.get_title()
    '2 of 4 features'
    """

    def __init__(self, distribution: ArrayLike) -> None:
        self.distribution = np.asarray(distribution, dtype=np.float64)

    def plot(self, ax: Any = None) -> Self:
        """Draw it, on new axes if none are given."""
        self.figure_, self.ax_ = axes_for(ax)
        q = np.sort(self.distribution)[::-1]
        found = np.count_nonzero(q)
        places = np.arange(1, found + 1)
        self.ax_.bar(places, q[:found], width=1.0, color=COLOURS[0], label="learned")
        self.ax_.axhline(1.0 / len(q), color=COLOURS[1], label="uniform")
        self.ax_.set(xlabel="feature, by weight", ylabel="weight")
        self.ax_.set_title(f"{found} of {len(q)} features")
        plain(self.ax_)
        add_legend(self.ax_)
        return self


# The spectrum of a measure: how far it is from an inner product.


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


# Learned weights of features.


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
