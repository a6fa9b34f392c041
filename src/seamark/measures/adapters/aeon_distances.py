"""Distances of aeon between time series, through its ``pairwise_distance``."""

from __future__ import annotations

import threading
from dataclasses import replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ... import engine
from ...data import Ragged, series
from .base import Adapter, Facts, Params, keep_inside, load

CELL_SECONDS = 3e-9  # per cell of the alignment matrix and channel

_METRIC = Facts(triangle=True)
_ELASTIC = Facts(triangle=False)
_POINTWISE = Facts(cost=0.1)  # series of unequal lengths are cut, and then anything may happen

TABLE = {
    "adtw": _ELASTIC,
    "ddtw": _ELASTIC,
    "dtw": _ELASTIC,
    "dtw_gi": Facts(symmetric=None, cost=100.0),
    "edr": Facts(bounds=(0.0, 1.0), triangle=False),
    # A metric in its paper; but aeon's border cells hold the sum of a whole series.
    "erp": _ELASTIC,
    "euclidean": _POINTWISE,
    "lcss": Facts(bounds=(0.0, 1.0), triangle=False),
    "manhattan": _POINTWISE,
    "minkowski": _POINTWISE,
    "msm": replace(_METRIC, cost=3.0),
    "sbd": Facts(bounds=(0.0, 2.0)),
    "shape_dtw": replace(_ELASTIC, cost=20.0),
    "shift_scale": Facts(symmetric=None, cost=10.0),
    "soft_dtw": Facts(bounds=(-np.inf, np.inf), triangle=False, cost=20.0),
    "squared": replace(_POINTWISE, triangle=False),
    "twe": replace(_METRIC, cost=3.0),
    "wddtw": _ELASTIC,
    "wdtw": _ELASTIC,
}
EQUAL_LENGTHS = {"shift_scale"}

EXTRA = "seamark[series]"

# numba's default thread pool ends the process if two threads enter it at once.
_one_at_a_time = threading.Lock()


class Aeon(Adapter):
    """A distance of aeon between time series. The first call compiles, which takes seconds.

    Parameters
    ----------
    metric : str or function
        "msm", "erp", "twe", "wdtw", "ddtw", "adtw", "lcss", "edr", "shape_dtw", "sbd", … (all are
        in ``Aeon.table``); or aeon's function, ``msm_distance`` or ``msm_pairwise_distance``.
    params : dict, optional
        Keyword parameters, such as ``{"window": 0.1, "c": 0.5}``; aeon's defaults otherwise.

    Examples
    --------
    >>> Aeon("msm", {"c": 0.5})
    Aeon(metric='msm', params={'c': 0.5})
    >>> Aeon("msm").triangle, Aeon("lcss").bounds
    (True, (0.0, 1.0))
    """

    library: ClassVar[str] = "aeon"
    table = TABLE
    domain = series

    def __init__(self, metric: Any, params: Params = None) -> None:
        self.metric = metric
        self.params = params

    @classmethod
    def name_of(cls, function: Any) -> str | None:
        """Return the distance's name, if this is aeon's function of a pair or of collections."""
        aeon = _distances()
        for name in TABLE:
            own = aeon.get_distance_function(name), aeon.get_pairwise_distance_function(name)
            if any(function is f for f in own):
                return name
        return None

    def facts(self) -> Facts:
        """Return the table's facts; parameters (a window, a penalty) take away the triangle."""
        facts = super().facts()
        return replace(facts, triangle=None) if self.keywords() else facts

    def compile(self, L: Ragged) -> engine.Plan:
        """Lay the landmarks out as aeon wants them."""
        return _Distances(L, self.chosen(), self.keywords(), self.facts())


class _Distances(engine.Plan):
    """aeon holds the GIL and threads by itself: chunks go to it one after another."""

    home = "library"

    def __init__(self, L: Ragged, metric: str, keywords: dict[str, Any], facts: Facts) -> None:
        self.pairwise = _distances().pairwise_distance
        self.most_threads = int(load("numba", library="aeon", needs=EXTRA).config.NUMBA_NUM_THREADS)
        self.metric, self.keywords, self.facts = metric, keywords, facts
        self.lengths = L.lengths
        self.L = channel_major(L)
        # aeon looks only at the second collection to learn whether lengths differ, and reads
        # beyond its arrays if they differ in the first alone: one more landmark tells it.
        longer = np.concatenate([self.L[0], self.L[0][:, -1:]], axis=1)
        self.L_and_longer = [*self.L, longer]
        self.n_landmarks = len(L)
        self.scratch_per_row = 8 * (self.n_landmarks + 1) + 16 * int(L.lengths.max())

    def seconds(self, X: Ragged) -> NDArray[np.float64]:
        per_cell = CELL_SECONDS * self.facts.cost * X.values.shape[1]
        return np.asarray(X.lengths * (float(self.lengths.sum()) * per_cell), np.float64)

    def fill(self, X: Ragged, out: NDArray[np.float32], stop: Any) -> None:
        rows: Any = channel_major(X)
        landmarks: Any = self.L if _alike(X.lengths) else self.L_and_longer
        if self.metric in EQUAL_LENGTHS:
            rows, landmarks = self._stacked(X, rows)
        how = {"method": self.metric, "n_jobs": min(engine.n_threads(), self.most_threads)}
        with _one_at_a_time:
            values = self.pairwise(rows, landmarks, **how, **self.keywords)
        out[:] = values[:, : self.n_landmarks]
        keep_inside(out, self.facts.bounds)

    def _stacked(self, X: Ragged, rows: list[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        lengths = np.concatenate([X.lengths, self.lengths])
        if not _alike(lengths):
            raise ValueError(
                f"aeon's {self.metric!r} needs series of one length, and these have "
                f"{lengths.min()} to {lengths.max()} steps; resample them, or take another."
            )
        return np.stack(rows), np.stack(self.L)


def _alike(lengths: NDArray[np.int64]) -> bool:
    return bool((lengths == lengths[0]).all())


def channel_major(X: Ragged) -> list[NDArray[np.float64]]:
    """Return the series as contiguous, writeable (channels, time): numba compiles for this once."""
    flat = np.array(X.flat.T, dtype=np.float64, order="C")
    cuts = (X.offsets - X.offsets[0]).tolist()
    return [flat[:, a:b].copy() for a, b in pairwise(cuts)]


def _distances() -> Any:
    return load("aeon.distances", library="aeon", needs=EXTRA)
