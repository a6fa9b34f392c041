"""Any linear head, ours or scikit-learn's: fitted to features, scored, and its coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ..features import Features, Mask, Rows, selected
from .calibrated import Calibrated, FromUnseen
from .calibrated_order import CalibratedOrder
from .ordinal import Thresholded


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
        head = CalibratedOrder(head) if isinstance(head, Thresholded) else Calibrated(head)
    if isinstance(head, FromUnseen):
        offered = np.arange(features.shape[1]) if columns is None else columns
        options = {**options, "groups": features.groups, "allowed": _Allowed(features, offered)}
    head.fit(matrix, y, **options)
    return make_pipeline(scaler.set_params(copy=True), head), columns


class _Allowed:
    """Which of some columns a model without hidden rows may use, as places among them."""

    def __init__(self, features: Features, offered: Rows) -> None:
        self.features, self.offered = features, offered

    def __call__(self, hidden: Mask) -> Rows | None:
        some = self.features.columns_without(hidden)
        return None if some is None else np.flatnonzero(np.isin(self.offered, some))


def head_score(head: Any, features: Features, y: NDArray[Any], options: dict[str, Any]) -> float:
    """Return what a fitted head says of its own predictions: larger is better.

    A pipeline would not hand queries on to the last step without metadata routing.
    """
    options = {name: value for name, value in options.items() if value is not None}
    matrix = features.stacked(lambda _, block: block)
    if hasattr(head, "steps"):
        (_, scaler), (_, head) = head.steps
        matrix = scaler.transform(matrix)
    return float(head.score(matrix, y, **options))


def core_of(head: Any) -> Any:
    """Return the head itself, without the scaling before it."""
    return head.steps[-1][1] if hasattr(head, "steps") else head


def has_coefficients(head: Any) -> bool:
    """Tell whether `coefficients_of` a fitted head are to be had."""
    return hasattr(core_of(head), "coef_")


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
