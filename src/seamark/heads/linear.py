"""Any linear head, ours or scikit-learn's: fitted to features, scored, and its coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ..features import Features, Mask, Rows, Selected, selected
from .base import Streamed, StreamedRidge
from .calibrated import Calibrated, FromUnseen
from .calibrated_order import CalibratedOrder
from .thresholded import Thresholded


def fitted_head(
    head: Any,
    features: Features,
    y: NDArray[Any],
    options: dict[str, Any],
    calibrate: bool = False,
    start: float | dict[int, float] | None = None,
) -> tuple[Any, Rows | None]:
    """Fit a head: some read blocks (`Streamed`), others get n × R at once, standardised.

    These get probabilities from rows they have not seen, if that is asked for and they have scores.
    A ridge begins its search for a penalty, or for that of each block, at `start`.

    Returns the head, and the columns of the features that it is for; None: all.
    """
    options = options.copy()
    for name in list(options):
        if options[name] is None:
            del options[name]
    order = features.order
    if start is not None and isinstance(head, StreamedRidge):
        head._start = start
    if isinstance(head, Streamed):
        if order is not None and getattr(head, "n_features", None) is not None:
            head.fit(Selected(features, order), y, **options)
            few = order[: head.n_features_]
            return head.narrowed(np.argsort(few)), np.sort(few)
        head.fit(features, y, **options)  # which says what folds there are
    columns = features.columns_without(np.zeros(features.shape[0], dtype=bool))
    if order is not None and columns is not None and len(columns) == len(order):
        columns = None  # all are kept, and such columns stay as they stand
    if isinstance(head, Streamed):
        if hasattr(head, "blocks_"):
            columns = _in_use(head, features, columns)
        return (head if columns is None else head.narrowed(columns)), columns
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


def _in_use(head: Any, features: Features, columns: Rows | None) -> Rows | None:
    """Return those of the columns whose blocks the head uses; None: all.

    Where it uses none, the smallest block stays: a map has at least one feature.
    """
    offered = np.arange(features.shape[1]) if columns is None else columns
    owners = np.asarray(features.owners)[offered]
    used = np.unique(owners[np.atleast_2d(head.coef_)[:, offered].any(axis=0)])
    if not len(used):
        names, sizes = np.unique(owners, return_counts=True)
        used = names[[np.argmin(sizes)]]
    kept = offered[np.isin(owners, used)]
    return columns if len(kept) == len(offered) else kept


def head_score(head: Any, features: Features, y: NDArray[Any], options: dict[str, Any]) -> float:
    """Return what a head that `fitted_head` returned says of its own predictions: larger is better.

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
