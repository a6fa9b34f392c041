"""Estimates and curves with bootstrap intervals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]

LEVEL = 0.95
REPEATS = 200  # resamples: enough for the quantiles of a 95 % interval to two digits


@dataclass(frozen=True)
class Estimate:
    """A number with its interval.

    Examples
    --------
    >>> print(Estimate(0.912, 0.88, 0.9375))
    0.912 (0.88 … 0.938)
    >>> print(Estimate(0.25, 0.25, 0.25))
    0.25
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        value, low, high = (f"{one:.3g}" for one in (self.value, self.low, self.high))
        return value if value == low == high else f"{value} ({low} … {high})"


@dataclass(frozen=True)
class Curve:
    """Numbers over a grid, each with its interval.

    Attributes
    ----------
    name, xlabel, ylabel : str
        What it shows.
    x, y, low, high : ndarray
        The grid, the numbers, and the ends of their intervals.

    Examples
    --------
    >>> y = np.array([0.7, 0.9])
    >>> curve = Curve("accuracy", "landmarks", "accuracy", np.array([10.0, 100.0]), y, y, y)
    >>> curve.at(80).value
    0.9
    """

    name: str
    xlabel: str
    ylabel: str
    x: Floats
    y: Floats
    low: Floats
    high: Floats

    def series(self) -> dict[str, Any]:
        """Return the curve as plain lists."""
        keys = ("x", "y", "low", "high")
        return {"name": self.name, **{key: getattr(self, key).tolist() for key in keys}}

    def at(self, x: float) -> Estimate:
        """Return the estimate at the point of the grid that is nearest to x."""
        i = int(np.argmin(np.abs(self.x - x)))
        return Estimate(float(self.y[i]), float(self.low[i]), float(self.high[i]))


class Bootstrap:
    """Resamples of units: rows, or whole queries.

    The same resamples serve every statistic, so that what is compared is compared on equal rows.

    Parameters
    ----------
    groups : ndarray of shape (n,) or None
        What is drawn together: the query of each row; None draws rows one by one.
    n : int
        Number of rows.
    rng : Generator

    Examples
    --------
    >>> bootstrap = Bootstrap(None, 50, np.random.default_rng(0))
    >>> x = np.arange(50.0)
    >>> print(bootstrap.estimate(lambda rows: x[rows].mean()))
    24.5 (20.9 … 28.1)
    """

    def __init__(self, groups: Rows | None, n: int, rng: np.random.Generator) -> None:
        self.every = np.arange(n)
        if groups is None:
            self.samples = [rng.integers(n, size=n) for _ in range(REPEATS)]
        else:
            members = [np.flatnonzero(groups == group) for group in np.unique(groups)]
            drawn = rng.integers(len(members), size=(REPEATS, len(members)))
            self.samples = [np.concatenate([members[i] for i in row]) for row in drawn]

    def draws(self, statistic: Callable[[Rows], Any]) -> Floats:
        """Return what is computed from all rows, and then from every resample."""
        every = (self.every, *self.samples)
        return np.array([statistic(rows) for rows in every], dtype=np.float64)

    def estimate(self, statistic: Callable[[Rows], float]) -> Estimate:
        """Return a number computed from rows, with its interval."""
        return Estimate(*map(float, bounds(self.draws(statistic))))

    def share(self, statistic: Callable[[Rows], float], n: int | None = None) -> Estimate:
        """Return a share of n objects, default all, with its interval.

        If all objects are right, so are all resamples; the interval then ends at the share at
        which all of n would still be right in 2.5 % of cases. Resamples that give NaN are left out.

        Examples
        --------
        >>> bootstrap = Bootstrap(None, 100, np.random.default_rng(0))
        >>> print(bootstrap.share(lambda rows: 1.0))
        1 (0.964 … 1)
        """
        draws = self.draws(statistic)
        value, low, high = map(float, bounds(draws[~np.isnan(draws)]))
        end = ((1 - LEVEL) / 2) ** (1 / (n or len(self.every)))
        if value == low == high == 1.0:
            low = end
        elif value == low == high == 0.0:
            high = 1 - end
        return Estimate(value, low, high)

    def mean(self, values: NDArray[Any]) -> Estimate:
        """Return the mean of one number per row, with its interval."""
        return self.estimate(lambda rows: float(values[rows].mean()))

    def curve(
        self,
        name: str,
        labels: tuple[str, str],
        x: Any,
        statistic: Callable[[Rows], Any],
    ) -> Curve:
        """Return several numbers computed from rows, one for each point of a grid."""
        return Curve(name, *labels, np.asarray(x, dtype=np.float64), *bounds(self.draws(statistic)))


def bounds(draws: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the first number, and the interval of the others, widened if needed to contain it.

    Examples
    --------
    >>> tuple(map(float, bounds(np.array([5.0, 1.0, 2.0, 3.0]))))
    (5.0, 1.05, 5.0)
    """
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(draws[1:], [tail, 1 - tail], axis=0)
    # The quantiles of a biased statistic can leave its value out.
    return draws[0], np.minimum(low, draws[0]), np.maximum(high, draws[0])
