"""The one place that searches: which transfer, on values that are computed once.

Penalties and nested numbers of landmarks are chosen by the head itself, from sums; here the
features change, so a head is fitted to each candidate, on a part of the data if they are many.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .features import Features, Selected
from .maps import MappedFeatures
from .transfers import Decay, Identity, Transfer, get_transfer

PILOT_ROWS = 10_000
PILOT_LANDMARKS = 512
# Multiples of the typical γ. Small ones all but reach the distances themselves, which stand first.
GAMMAS = tuple(float(g) for g in 10.0 ** np.arange(-1.5, 1.01, 0.5))


def candidates(wanted: Any, fitted: Transfer, kind: str | None) -> list[Transfer]:
    """Return the transfers a model may choose among: several if γ is left open, else just one.

    Parameters
    ----------
    wanted : str or Transfer
        What the user asked for.
    fitted : Transfer
        The same after fitting, with a typical γ.
    kind : {"distance", "similarity"} or None
        Of the measure.

    Examples
    --------
    >>> candidates("identity", Identity(), "distance")
    [Identity()]
    >>> len(candidates("auto", Decay(0.1), "distance"))
    7
    """
    transfer = get_transfer(wanted, kind)
    open_gamma = isinstance(transfer, Decay) and transfer.gamma == "auto"
    if not open_gamma or not isinstance(fitted, Decay):
        return [fitted]
    typical = float(fitted.gamma)
    return [Identity(), *(type(fitted)(typical * factor) for factor in GAMMAS)]


def choose_transfers(
    features: MappedFeatures, wanted: Any, y: NDArray[Any], head: Any, rng: np.random.Generator
) -> tuple[list[Transfer], dict[str, list[Any]]]:
    """Choose the transfers of a fitted map by the head's own cross-validated error.

    All measures of a map are given the same multiple of their typical γ.

    Parameters
    ----------
    features : MappedFeatures
        Of the training objects; their values are computed once, and kept.
    wanted : str or Transfer
        What the user asked for.
    y : ndarray
        Targets.
    head : estimator
        With `cv_results_` after fit: the yardstick.
    rng : Generator
        Draws the rows, if there are more than are needed to choose.

    Returns
    -------
    transfers : list of Transfer
    results : dict
        "transfer" and "error" of every candidate; empty if there was nothing to choose.
    """
    bearings = features.map
    options = [
        candidates(wanted, fitted, measure.kind)
        for fitted, measure in zip(bearings.transfers_, bearings.measures_, strict=True)
    ]
    rows = max(len(option) for option in options)
    choices = [[option[min(i, len(option) - 1)] for option in options] for i in range(rows)]
    if len(choices) == 1:
        return choices[0], {}
    pilot = _Pilot(features, y, rng)
    errors = [pilot.error(choice, head) for choice in choices]
    best = int(np.argmin(errors))
    return choices[best], {"transfer": choices, "error": errors}


class _Pilot:
    """Features of enough rows and landmarks to choose by; all of them if there are few."""

    def __init__(self, features: MappedFeatures, y: NDArray[Any], rng: np.random.Generator) -> None:
        n, width = features.shape
        self.features, self.y = features, y
        self.columns = np.arange(min(width, PILOT_LANDMARKS))
        if n > PILOT_ROWS:
            rows = np.sort(rng.permutation(n)[:PILOT_ROWS])
            self.features, self.y = features.of_rows(rows, self.columns), y[rows]

    def error(self, transfers: list[Transfer], head: Any) -> float:
        """Cross-validated error under some transfers."""
        changed: Features = self.features.with_transfers(transfers)
        if changed.shape[1] > len(self.columns):
            changed = Selected(changed, self.columns)
        results = clone(head).fit(changed, self.y).cv_results_
        return float(np.min(results["mean_error"]))
