"""Heads of any kind: fitted to features at once, tried with several parameters, and read."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ..features import Features, Mask, Rows, Selected, location, selected
from .calibration import Calibrated, CalibratedOrder, FromUnseen
from .ordinal import Ordinal
from .ridge import Streamed
from .svm import OneVsRest


def fitted_at_once(
    head: Any, features: Features, y: NDArray[Any], options: dict[str, Any], calibrate: bool
) -> tuple[Any, Rows | None]:
    """Fit a head that gets n × R features at once, standardised; `Streamed` ones read blocks.

    It gets probabilities from rows it has not seen, if that is asked for and it has scores.

    Returns the head, and the columns of the features that it is for; None: all.
    """
    options = {name: value for name, value in options.items() if value is not None}
    columns, order = features.columns_without(np.zeros(len(y), dtype=bool)), features.order
    if order is not None and columns is not None and len(columns) == len(order):
        columns = None  # all are kept, and such columns stay as they stand
    matrix = selected(features, columns).stacked(lambda _, block: block)
    scaler = StandardScaler(copy=False)
    matrix = scaler.fit_transform(matrix)
    if calibrate and hasattr(head, "decision_function") and not isinstance(head, FromUnseen):
        head = CalibratedOrder(head) if isinstance(head, Ordinal) else Calibrated(head)
    if isinstance(head, FromUnseen):
        offered = np.arange(features.shape[1]) if columns is None else columns

        def allowed(hidden: Mask) -> Rows | None:
            """Columns that a model without hidden rows may use, as places among those offered."""
            some = features.columns_without(hidden)
            return None if some is None else np.flatnonzero(np.isin(offered, some))

        options = {**options, "groups": features.groups, "allowed": allowed}
    head.fit(matrix, y, **options)
    return make_pipeline(scaler.set_params(copy=True), head), columns


def core_of(head: Any) -> Any:
    """Return the head itself, without the scaling before it."""
    return head.steps[-1][1] if hasattr(head, "steps") else head


def coefficients_of(head: Any) -> NDArray[np.float64]:
    """Coefficients of a linear head, (rows, features), for features as the map gives them."""
    scale: Any = 1.0
    if hasattr(head, "steps"):
        scaler, head = head.steps[0][1], head.steps[-1][1]
        scale = scaler.scale_
    if not hasattr(head, "coef_"):
        raise TypeError(f"{head!r} has no coefficients, so nothing can be explained by landmarks.")
    coefficients: NDArray[np.float64] = np.atleast_2d(head.coef_) / scale
    return coefficients


# Trials of a head's parameters: fitted to some rows, scored on others, features read once.


Grid = Sequence[Mapping[str, Any]]


class Trials:
    """Features of rows to fit to and of rows to score on, for a head with any parameters.

    Parameters
    ----------
    features : Features
    options : dict
        Further arguments of the head's `fit` and `score`, one entry per row; None is left out.
    sides : pair of ndarray of int
        Rows to fit to, and rows to score on, which are all that must not be known.

    Examples
    --------
    >>> from seamark.features import InMemory
    >>> from seamark.linear_model import LinearSVM
    >>> X, y = np.array([[0.0], [1.0], [4.0], [5.0], [1.5], [3.9]]), np.array([0, 0, 1, 1, 0, 1])
    >>> trials = Trials(InMemory(X), {}, (np.arange(4), np.array([4, 5])))
    >>> trials.scores(LinearSVM(), [{"C": 0.1}, {"C": 10.0}], y)
    [1.0, 1.0]
    """

    def __init__(
        self, features: Features, options: dict[str, Any], sides: tuple[Rows, Rows]
    ) -> None:
        self.sides = sides
        self.shown = Selected(features, kept=sides[0], hides=sides[1])
        self.hidden = Selected(features, kept=sides[1])
        given = {name: np.asarray(value) for name, value in options.items() if value is not None}
        self.options = [{name: value[side] for name, value in given.items()} for side in sides]

    @cached_property
    def _matrices(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """Features of both sides, standardised by those shown."""
        columns = self.shown.columns_without(np.zeros(self.shown.shape[0], dtype=bool))
        seen, unseen = (
            selected(side, columns).stacked(lambda _, block: block)
            for side in (self.shown, self.hidden)
        )
        centre, scale = (one.astype(seen.dtype) for one in location(seen, True))
        return (seen - centre) / scale, (unseen - centre) / scale

    def scores(self, head: Any, grid: Grid, y: NDArray[Any]) -> list[float]:
        """Score a head with each of several parameters; y is of all rows."""
        later, found = y[self.sides[1]], []
        if isinstance(head, Streamed):  # which reads blocks
            for one in grid:
                new = clone(head).set_params(**one)
                new, columns = new.fitted_to(self.shown, y[self.sides[0]], self.options[0])
                unseen = selected(self.hidden, columns).stacked(lambda _, block: block)
                found.append(float(new.score(unseen, later, **self.options[1])))
            return found
        heads = self._fitted(head, grid, y)
        return [float(one.score(self._matrices[1], later, **self.options[1])) for one in heads]

    def scores_of_classes(
        self, head: Any, grid: Grid, y: NDArray[Any], labels: NDArray[Any]
    ) -> list[list[float]]:
        """Score, for each of some classes, a head that tells it from the rest."""
        if not isinstance(head, OneVsRest):
            return [self.scores(head, grid, (y == one).astype(np.intp)) for one in labels]
        # All of them are in one fit.
        is_class = y[self.sides[1], None] == labels
        weights, shares = self.options[1].get("sample_weight"), []
        for one in self._fitted(head, grid, y):
            decisions = one.decision_function(self._matrices[1]).reshape(is_class.shape)
            shares.append(np.average((decisions > 0) == is_class, axis=0, weights=weights))
        return [list(map(float, row)) for row in np.transpose(shares)]

    def _fitted(self, head: Any, grid: Grid, y: NDArray[Any]) -> list[Any]:
        """Heads fitted to the matrix; one that has `fit_each` knows what its fits share."""
        X, now, options = self._matrices[0], y[self.sides[0]], self.options[0]
        with warnings.catch_warnings():
            # Of a candidate that is not chosen nobody needs to know; the final fit warns.
            warnings.simplefilter("ignore", ConvergenceWarning)
            if hasattr(head, "fit_each"):
                return list(clone(head).fit_each(grid, X, now, **options))
            return [clone(head).set_params(**one).fit(X, now, **options) for one in grid]
