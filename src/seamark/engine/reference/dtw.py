"""Dynamic time warping in numpy: what the native kernel computes, where no compiler was found."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..plan import Stop
from ..protocols import Doubles, Floats

Ints = NDArray[np.int64]

_GROUP = 64  # landmarks swept together
_SIMILAR = 1.25  # longest over shortest length in a group: bounds the work wasted on padding


def band_bounds(rows: int, columns: int, steps: int, fraction: float) -> tuple[Ints, Ints]:
    """Columns a warping path may visit, per row of a rows × columns matrix.

    Parameters
    ----------
    rows, columns : int
        Lengths of the two series.
    steps : int
        Largest allowed |i − j|; −1: no such band.
    fraction : float
        Thickness of aeon's Sakoe–Chiba band, of the shorter length; negative or 1: no such band.

    Returns
    -------
    low, high : ndarray of shape (rows,)
        Row i may visit the columns low[i] ≤ j < high[i].
    """
    i = np.arange(rows)
    if steps >= 0:
        return np.maximum(i - steps, 0), np.minimum(i + steps + 1, columns)
    if fraction < 0 or fraction == 1.0:
        return np.zeros_like(i), np.full_like(i, columns)
    # aeon walks the longer side in `longer + 1` steps and opens `thickness` cells of the shorter
    # side around each; its steps 0 and 1 open the same cells.
    longer, shorter = max(rows, columns), min(rows, columns)
    thickness = int(min(fraction * shorter, shorter))
    centre = np.floor(np.arange(1, longer + 1) / (longer + 1) * shorter).astype(np.int64)
    if rows > columns:
        return np.maximum(centre - thickness, 0), np.minimum(centre + thickness + 1, columns)
    low = np.searchsorted(centre, i - thickness, side="left")
    high = np.searchsorted(centre, i + thickness, side="right")
    return low.astype(np.int64), high.astype(np.int64)


class SeriesPlan(ABC):
    """Landmark series in groups of about one length, and the pass of rows over them.

    Parameters
    ----------
    values, offsets, steps, fraction
        As in `DTWPlan`.
    shortest : int
        Time steps of a series that is not empty.
    """

    def __init__(
        self, values: Doubles, offsets: Ints, steps: int, fraction: float, shortest: int = 1
    ) -> None:
        self._shortest = shortest
        self._check(values, offsets)
        if values.shape[1] == 0:
            raise ValueError("landmarks must have at least one channel")
        if np.isnan(fraction):
            raise ValueError("fraction must be a number")
        if steps >= 0 and fraction >= 0:
            raise ValueError("a band is given in steps or as a fraction, not both")
        self._steps, self._fraction = steps, fraction
        self._channels = values.shape[1]
        self.n_landmarks = len(offsets) - 1
        self._groups = [Group(values, offsets, members) for members in similar(np.diff(offsets))]

    def _check(self, values: Doubles, offsets: Ints) -> None:
        check_series(values, offsets)
        if (np.diff(offsets) < self._shortest).any():
            raise ValueError("the measure is not defined for an empty series")

    @property
    def nbytes(self) -> int:
        """Bytes held by the landmarks."""
        return sum(group.values.nbytes for group in self._groups)

    def run(self, values: Doubles, offsets: Ints, out: Floats, stop: Stop) -> None:
        """Write the path costs, without a root, of the series to the landmarks into out.

        Parameters
        ----------
        values : ndarray of shape (total, channels)
            Time steps of the series.
        offsets : ndarray of shape (n + 1,)
            Series i holds the time steps offsets[i] to offsets[i + 1].
        out : ndarray of shape (n, n_landmarks)
            Receives the costs; infinity where the band has no path.
        stop : ndarray of shape (1,)
            Not zero: return as soon as possible.
        """
        self._check(values, offsets)
        if values.shape[1] != self._channels:
            raise ValueError("series and landmarks differ in their number of channels")
        if out.shape != (len(offsets) - 1, self.n_landmarks):
            raise ValueError("out has the wrong shape")
        for i, (start, end) in enumerate(pairwise(offsets)):
            x = values[start:end].astype(np.float64)
            for group in self._groups:
                if stop[0]:
                    return
                with np.errstate(over="ignore"):  # beyond float32: infinity, as in the kernel
                    out[i, group.members] = self._costs(x, group)

    @abstractmethod
    def _costs(self, x: Doubles, group: Group) -> Doubles:
        """Path costs of one series to the landmarks of a group."""


class DTWPlan(SeriesPlan):
    """Landmark series prepared for dynamic time warping.

    Parameters
    ----------
    values : ndarray of shape (total, channels)
        Time steps of all landmarks, one landmark after the other.
    offsets : ndarray of shape (n_landmarks + 1,)
        Landmark r holds the time steps offsets[r] to offsets[r + 1].
    steps : int
        Largest allowed difference of time steps; −1: no such band.
    fraction : float
        Sakoe–Chiba band as in aeon; negative: no such band.
    euclidean : bool
        Local cost is the Euclidean distance instead of its square.

    Examples
    --------
    >>> import numpy as np
    >>> landmark, series = np.array([[0.0], [2.0]]), np.array([[0.0], [1.0], [2.0]])
    >>> plan = DTWPlan(landmark.astype("f4"), np.array([0, 2]), -1, -1.0, False)
    >>> out = np.empty((1, 1), dtype="f4")
    >>> plan.run(series.astype("f4"), np.array([0, 3]), out, np.zeros(1, dtype="u1"))
    >>> float(out[0, 0])
    1.0
    """

    def __init__(
        self,
        values: Doubles,
        offsets: Ints,
        steps: int,
        fraction: float,
        euclidean: bool,
    ) -> None:
        super().__init__(values, offsets, steps, fraction)
        self._euclidean = euclidean

    def _costs(self, x: Doubles, group: Group) -> Doubles:
        """Path costs of one series to the landmarks of a group, along anti-diagonals."""
        n, m = len(x), group.values.shape[1]
        low, high = group.bounds(n, self._steps, self._fraction)
        result = np.empty(len(group.members))
        # A diagonal is kept by row: entry i + 1 is cell (i, d − i), entry 0 and the rest infinity.
        before = np.full((len(group.members), n + 1), np.inf)
        last, now = before.copy(), before.copy()
        for d in range(n + m - 1):
            i = np.arange(max(0, d - m + 1), min(n, d + 1))
            best = np.minimum(last[:, i], np.minimum(last[:, i + 1], before[:, i]))
            if d == 0:
                best[:] = 0.0
            cost = ((x[i] - group.values[:, d - i]) ** 2).sum(axis=2)
            best += np.sqrt(cost) if self._euclidean else cost
            now.fill(np.inf)
            now[:, i + 1] = np.where((low[:, i] <= d - i) & (d - i < high[:, i]), best, np.inf)
            ends = group.lengths == d - n + 2
            result[ends] = now[ends, n]
            before, last, now = last, now, before
        return result


class Group:
    """Landmarks of similar length, padded to the longest."""

    def __init__(self, values: Doubles, offsets: Ints, members: Ints) -> None:
        self.members = members
        self.lengths = np.diff(offsets)[members]
        self.values = np.zeros((len(members), self.lengths.max(), values.shape[1]))
        for row, r in zip(self.values, members, strict=True):
            row[: offsets[r + 1] - offsets[r]] = values[offsets[r] : offsets[r + 1]]

    def bounds(
        self, rows: int, steps: int, fraction: float, columns: Ints | None = None
    ) -> tuple[Ints, Ints]:
        """Bounds of the band, (landmarks, rows) each; `columns` where not all steps count."""
        columns = self.lengths if columns is None else columns
        lengths, which = np.unique(columns, return_inverse=True)
        pairs = [band_bounds(rows, int(length), steps, fraction) for length in lengths]
        low, high = (np.stack(ends)[which] for ends in zip(*pairs, strict=True))
        return low, high


def similar(lengths: Ints) -> Iterator[Ints]:
    """Landmarks in groups of similar length."""
    order = np.argsort(lengths, kind="stable")
    start = 0
    while start < len(order):
        most = lengths[order[start]] * _SIMILAR
        end = int(np.searchsorted(lengths[order], most, side="right"))
        end = min(end, start + _GROUP)
        yield order[start:end]
        start = end


def check_series(values: Doubles, offsets: Ints) -> None:
    """Refuse offsets that leave the values, and empty series."""
    if len(offsets) == 0 or offsets[0] < 0 or offsets[-1] > len(values):
        raise ValueError("offsets out of range")
    if (np.diff(offsets) < 0).any():
        raise ValueError("offsets must not fall")
    if (np.diff(offsets) == 0).any():
        raise ValueError("DTW is not defined for an empty series")
