"""From numbers to positions: axes with round ticks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..frame import Numbers, span


@dataclass(frozen=True)
class Scale:
    """A linear or logarithmic axis from `low` to `high`, drawn from `start` to `end`.

    Examples
    --------
    >>> Scale(0.0, 10.0, 100.0, 200.0).at(5.0)
    150.0
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        """Return where a value is drawn."""
        low, high, value = ((math.log(v) if self.log else v) for v in (self.low, self.high, value))
        return self.start + (value - low) / (high - low) * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Return round values inside."""
        return log_ticks(self.low, self.high) if self.log else round_ticks(self.low, self.high)


def round_ticks(low: float, high: float, most: int = 7) -> list[float]:
    """Return multiples of 1, 2 or 5 times a power of ten, at most about `most` of them.

    Examples
    --------
    >>> round_ticks(0.0, 1.0)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    rough = (high - low) / (most - 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{k * step:.12g}") + 0.0 for k in range(first, last + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Return 1, 2 and 5 times powers of ten, or powers of ten alone if these are many.

    Examples
    --------
    >>> log_ticks(10.0, 500.0)
    [10.0, 20.0, 50.0, 100.0, 200.0, 500.0]
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    heads = (1, 2, 5) if len(powers) <= 4 else (1,)
    ticks = (m * 10.0**p for p in powers for m in heads)
    return [t for t in ticks if low * (1 - 1e-9) <= t <= high * (1 + 1e-9)]


def scale_for(values: Numbers, start: float, end: float, *, room: float = 0.0) -> Scale:
    """Return an axis that shows all finite values, with some room around them.

    Counts that grow in ever larger steps get a logarithm.

    Examples
    --------
    >>> scale_for(np.array([1.0, 10.0, 100.0]), 0.0, 1.0).at(10.0)
    0.5
    """
    low, high = span(values)
    if room == 0.0 and _growing_counts(values):
        return Scale(low, high, start, end, log=True)
    pad = room * (high - low)
    return Scale(low - pad, high + pad, start, end)


def _growing_counts(values: Numbers) -> bool:
    counts = np.unique(values[np.isfinite(values)])
    whole = len(counts) > 2 and bool(np.all(counts == np.round(counts)))
    if not whole or counts[0] < 1 or counts[-1] < 16 * counts[0]:
        return False
    steps = np.diff(counts)
    return bool(steps[-1] > 2 * steps[0])


def floats(values: Sequence[Any] | None) -> Numbers:
    """Return values as an array, what is missing as NaN."""
    return np.array([np.nan if v is None else v for v in values or ()], dtype=np.float64)


def short(value: Any) -> str:
    """Return a number in at most four digits; anything else as it is.

    Examples
    --------
    >>> short(0.123456), short(1000.0), short("class a")
    ('0.1235', '1000', 'class a')
    """
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.number)):
        return str(value)
    return str(value) if isinstance(value, int) else f"{value:.4g}".replace("-", "−")


def signed(value: float) -> str:
    """Return a number with its sign, in three digits.

    Examples
    --------
    >>> signed(-0.12345), signed(2)
    ('−0.123', '+2')
    """
    return f"{value:+.3g}".replace("-", "−")
