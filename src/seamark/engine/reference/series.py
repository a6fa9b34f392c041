"""Series: dynamic time warping, other elastic measures, distances to envelopes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..array_checks import check_elastic, check_out, check_series
from ..plan import Doubles, Floats, Stop

Ints = NDArray[np.int64]

_GROUP = 64  # landmarks swept together, of about one length


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


class ElasticPlan:
    """Landmark series in groups of about one length, prepared for an elastic measure.

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
    rule : {"dtw", "wdtw", "adtw", "erp", "edr", "lcss", "msm", "twe"}
        What a cell costs, and what the edges of the matrix hold.
    first, second : float
        Numbers of the rule: of "dtw", whether the local cost is the Euclidean distance instead of
        its square. Of "twe" every series begins with a step that stands for its origin.
    gap : ndarray of shape (channels,)
        The gap value of "erp".

    Examples
    --------
    >>> landmark, series = np.array([[0.0], [2.0]]), np.array([[0.0], [1.0], [2.0]])
    >>> plan = ElasticPlan(landmark, np.array([0, 2]), -1, -1.0, "erp", 0.0, 0.0, np.zeros(1))
    >>> out = np.empty((1, 1), dtype="f4")
    >>> plan.run(series, np.array([0, 3]), out, np.zeros(1, dtype="u1"))
    >>> float(out[0, 0])
    1.0
    """

    def __init__(
        self,
        values: Doubles,
        offsets: Ints,
        steps: int,
        fraction: float,
        rule: str,
        first: float,
        second: float,
        gap: Doubles,
    ) -> None:
        check_elastic(values, offsets, steps, fraction, rule, first, second, gap)
        self._lead = int(rule == "twe")
        self._steps, self._fraction = steps, fraction
        self._rule, self._numbers, self._gap = rule, (first, second), gap
        self._channels = values.shape[1]
        self.n_landmarks = len(offsets) - 1
        order = np.argsort(np.diff(offsets), kind="stable")
        pieces = [order[start : start + _GROUP] for start in range(0, len(order), _GROUP)]
        self._groups = [Group(values, offsets, members) for members in pieces]

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
        check_series(values, offsets, self._channels, self._lead)
        check_out(out, offsets, self.n_landmarks)
        for i, (start, end) in enumerate(pairwise(offsets)):
            x = values[start:end].astype(np.float64)
            for group in self._groups:
                if stop[0]:
                    return
                with np.errstate(over="ignore"):  # beyond float32: infinity, as in the kernel
                    out[i, group.members] = self._costs(x, group)

    def _costs(self, x: Doubles, group: Group) -> Doubles:
        """Path costs of one series to the landmarks of a group, along anti-diagonals."""
        pair = _Pair(self._rule, self._numbers, self._gap, x, group, self._lead)
        n, m, lengths = pair.n, pair.m, pair.lengths
        bounds = [band_bounds(n, int(k), self._steps, self._fraction) for k in lengths]
        low, high = map(np.stack, zip(*bounds, strict=True))
        edge = np.where(low == 0, pair.edge, pair.outside)
        j = np.arange(m)
        top = np.where((low[:, :1] <= j) & (j < high[:, :1]), pair.top, pair.outside)
        result = np.full(len(lengths), np.inf)
        # A diagonal is kept by row: entry i + 1 is cell (i, d − i), entry 0 the edge above.
        before = np.full((len(lengths), n + 2), pair.outside)
        last, now = before.copy(), before.copy()
        before[:, 0] = 0.0
        last[:, 0], last[:, 1] = top[:, 0], edge[:, 0]
        for d in range(n + m - 1):
            i = np.arange(max(0, d - m + 1), min(n, d + 1))
            value = pair.cell(i, d - i, before[:, i], last[:, i], last[:, i + 1])
            inside = (low[:, i] <= d - i) & (d - i < high[:, i])
            now.fill(pair.outside)
            now[:, i + 1] = np.where(inside, value, pair.outside)
            if d + 1 < m:
                now[:, 0] = top[:, d + 1]
            if d + 1 < n:
                now[:, d + 2] = edge[:, d + 1]
            ends = (lengths == d - n + 2) & (high[:, n - 1] >= lengths)
            result[ends] = now[ends, n]
            before, last, now = last, now, before
        return result


class _Pair:
    """One series and a group of landmarks: what their cells cost."""

    def __init__(
        self,
        rule: str,
        numbers: tuple[float, float],
        gap: Doubles,
        x: Doubles,
        group: Group,
        lead: int,
    ) -> None:
        self.rule, self.numbers, self.lead = rule, numbers, lead
        self.x, self.y = x, group.values
        self.n, self.m = len(x) - lead, group.values.shape[1] - lead
        self.lengths = group.lengths - lead
        self.outside = 0.0 if rule == "lcss" else np.inf
        free = rule in ("edr", "lcss")
        self.edge = np.full(self.n, 0.0 if free else np.inf)
        self.top = np.full((len(self.lengths), self.m), 0.0 if free else np.inf)
        if rule in ("erp", "twe"):
            self.alone_x, self.alone_y = self._alone(x[None], gap)[0], self._alone(self.y, gap)
        if rule == "erp":
            self.edge, self.top = self.alone_x.cumsum(), self.alone_y.cumsum(axis=1)
        if free:
            self.threshold = self._threshold(group)
        self.cell: Callable[..., Doubles] = getattr(self, rule)

    def _alone(self, series: Doubles, gap: Doubles) -> Doubles:
        """Cost of each step in one series alone."""
        if self.rule == "erp":
            return np.asarray(np.linalg.norm(series - gap, axis=2))
        return np.asarray(np.linalg.norm(np.diff(series, axis=1), axis=2) + sum(self.numbers))

    def _threshold(self, group: Group) -> Doubles:
        """Distance up to which steps match: a number, or a quarter of the larger deviation."""
        if self.numbers[0] >= 0:
            return np.full((len(self.lengths), 1), self.numbers[0])
        own = [row[:k].std() for row, k in zip(group.values, group.lengths, strict=True)]
        return np.asarray(np.maximum(self.x.std(), own)[:, None] / 4)

    def square(self, i: Ints, j: Ints) -> Doubles:
        """Squared distances of steps i of the series and j of the landmarks."""
        return np.asarray(((self.x[i] - self.y[:, j]) ** 2).sum(axis=2))

    def dtw(self, i: Ints, j: Ints, diagonal: Doubles, up: Doubles, left: Doubles) -> Any:
        cost = self.square(i, j)
        best = np.minimum(np.minimum(diagonal, left), up)
        return best + (np.sqrt(cost) if self.numbers[0] else cost)

    def wdtw(self, i: Ints, j: Ints, diagonal: Doubles, up: Doubles, left: Doubles) -> Any:
        middle = np.maximum(self.n, self.lengths)[:, None] / 2
        weight = 1 / (1 + np.exp(-self.numbers[0] * (np.abs(i - j) - middle)))
        return self.square(i, j) * weight + np.minimum(np.minimum(diagonal, left), up)

    def adtw(self, i: Ints, j: Ints, diagonal: Doubles, up: Doubles, left: Doubles) -> Any:
        return self.square(i, j) + np.minimum(diagonal, np.minimum(left, up) + self.numbers[0])

    def erp(self, i: Ints, j: Ints, diagonal: Doubles, up: Doubles, left: Doubles) -> Any:
        both = diagonal + np.sqrt(self.square(i, j))
        return np.minimum(both, np.minimum(up + self.alone_x[i], left + self.alone_y[:, j]))

    def edr(self, i: Ints, j: Ints, diagonal: Doubles, up: Doubles, left: Doubles) -> Any:
        distance = np.sqrt(self.square(i, j))
        miss = ~((distance < self.threshold) | (distance == 0))
        return np.minimum(diagonal + miss, np.minimum(up, left) + 1)

    def lcss(self, i: Ints, j: Ints, diagonal: Doubles, up: Doubles, left: Doubles) -> Any:
        match = np.sqrt(self.square(i, j)) <= self.threshold
        return np.where(match, diagonal + 1, np.maximum(up, left))

    def msm(self, i: Ints, j: Ints, diagonal: Doubles, up: Doubles, left: Doubles) -> Any:
        x, y = self.x[:, 0], self.y[:, :, 0]
        own, other = x[i], y[:, j]
        merge = self._split(other, y[:, np.maximum(j - 1, 0)], own)
        split = self._split(own, x[np.maximum(i - 1, 0)], other)
        return np.minimum(diagonal + np.abs(own - other), np.minimum(left + merge, up + split))

    def _split(self, a: Any, b: Any, c: Any) -> Any:
        """Cost of a split or merge to a, beside b, against c."""
        between = (a - b) * (a - c) <= 0
        return self.numbers[0] + np.where(between, 0.0, np.minimum(np.abs(a - b), np.abs(a - c)))

    def twe(self, i: Ints, j: Ints, diagonal: Doubles, up: Doubles, left: Doubles) -> Any:
        now, last = np.sqrt(self.square(i + 1, j + 1)), np.sqrt(self.square(i, j))
        both = diagonal + now + last + 2 * self.numbers[0] * np.abs(i - j)
        return np.minimum(both, np.minimum(up + self.alone_x[i], left + self.alone_y[:, j]))


def dtw(
    values: Doubles, offsets: Ints, steps: int, fraction: float, euclidean: bool
) -> ElasticPlan:
    """Return a plan of dynamic time warping; `euclidean`: local costs are not squared."""
    return ElasticPlan(values, offsets, steps, fraction, "dtw", float(euclidean), 0.0, np.zeros(1))


class Group:
    """Landmarks of similar length, padded to the longest."""

    def __init__(self, values: Doubles, offsets: Ints, members: Ints) -> None:
        self.members = members
        self.lengths = np.diff(offsets)[members]
        self.values = np.zeros((len(members), self.lengths.max(), values.shape[1]))
        for row, r in zip(self.values, members, strict=True):
            row[: offsets[r + 1] - offsets[r]] = values[offsets[r] : offsets[r + 1]]


def envelopes(points: Floats, low: Floats, high: Floats, out: Floats, stop: Any) -> None:
    """Write the squared distances of points to boxes into `out`."""
    if stop[0]:
        return
    beyond = np.maximum(np.maximum(low - points, points - high), 0)
    out[:] = (beyond.astype(np.float64) ** 2).sum(axis=1)
