"""The middle and the size of numbers, which decide what float32 keeps of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import engine

SAMPLE = 101  # rows that are looked at
TINY = 2.0**-30  # squares of differences of smaller numbers may leave the range of float32
TINIEST = 2.0**-150  # float32 holds nothing smaller

Doubles = NDArray[np.float64]
Offsets = NDArray[np.int64]


def centre_of(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return a median of every column, taken off before values are rounded to float32.

    Differences do not change if all values are shifted alike, but rounding does: it is relative to
    the distance from the centre. A mean would follow one outlier away from all other values. Some
    of the rows tell enough. Of two medians it is the smaller one, not their mean: so one of two
    values may be an outlier, and whole numbers stay whole.

    Examples
    --------
    >>> centre_of(np.array([[1.0, 10.0], [2.0, 20.0], [1e9, 30.0]]))
    array([ 2., 20.])
    """
    sample = values[:: len(values) // (SAMPLE + 1) + 1]
    lower, upper = (len(sample) - 1) // 2, len(sample) // 2
    ordered = np.partition(sample, (lower, upper), axis=0).astype(np.float64)
    smaller = np.abs(ordered[lower]) <= np.abs(ordered[upper])
    return np.asarray(np.where(smaller, ordered[lower], ordered[upper]))


def power_of_two(size: float) -> float:
    """Return the power of two at or below a size, by which division rounds nothing; of 0 it is 1.

    It is no smaller than 2⁻⁵⁰⁰, so that its square is above 0.

    Examples
    --------
    >>> power_of_two(5.0), power_of_two(0.3), power_of_two(1e-300) == 2.0**-500
    (4.0, 0.25, True)
    """
    return max(float(np.ldexp(0.5, np.frexp(size)[1])), 2.0**-500) if size > 0 else 1.0


class Magnified:
    """A kernel's plan for objects of any size: pairs of tiny ones are magnified by a power of two.

    The kernel takes squares in float32, where those of tiny numbers are 0. Objects of which every
    number is tiny go to a second plan, of the tiny landmarks alone; it is made when it is needed.

    Parameters
    ----------
    make : callable
        ``make(values, offsets, centre, unit)`` returns the kernel's plan of landmarks, which come
        less the centre and in the unit.
    values, offsets : ndarray
        The landmarks, less the centre.
    centre : ndarray or float
        What the kernel takes off the rows; 0: they come without it.
    root : bool, default=False
        Whether the root of the kernel's values is taken.
    power : int, default=1
        Values, after the root, grow with this power of the objects' size.
    unit : float, default=1
        What the numbers of the landmarks are multiples of.
    """

    def __init__(
        self,
        make: Callable[..., engine.KernelPlan],
        values: Doubles,
        offsets: Offsets,
        centre: Any = 0.0,
        *,
        root: bool = False,
        power: int = 1,
        unit: float = 1.0,
    ) -> None:
        self.make, self.root, self.power, self.unit = make, root, power, unit
        self.centre = centre
        self.plan = make(values, offsets, centre, unit)
        self.fills_device = getattr(self.plan, "fills_device", False)
        sizes = _sizes(values, offsets)
        self.tiny = sizes < TINY if unit > TINIEST else np.zeros(len(sizes), dtype=bool)
        self.size = sizes[self.tiny].max(initial=0.0)
        self.landmarks = _some(values, offsets, self.tiny)
        self.second: Magnified | None = None

    def run(self, values: Any, offsets: Offsets, out: Any, stop: Any) -> None:
        """Write the finished values of rows into `out`."""
        small = np.zeros(len(out), dtype=bool)
        if self.tiny.any() and len(out):
            centred = values - self.centre
            sizes = _sizes(centred, offsets)
            small = sizes < TINY
            if not max(self.size, sizes[small].max(initial=0.0)):
                small[:] = False  # nothing but copies of the centre
        if not (small.all() and self.tiny.all()) or not len(out):
            self.plan.run(values, offsets, out, stop)
            if stop[0]:
                return  # what was not computed is anything
            if self.root:
                np.sqrt(out, out=out)
            if self.unit != 1 and self.power:
                out *= np.float64(self.unit**self.power)
        if not small.any():
            return
        if self.second is None:
            numbers, ends = self.landmarks
            how = {"root": self.root, "power": self.power, "unit": self.unit * TINY}
            centre = 0.0 * np.asarray(self.centre, np.float64)
            self.second = Magnified(self.make, numbers / TINY, ends, centre, **how)  # type: ignore[arg-type]
        tiny, ends = _some(centred, offsets, small)
        part = np.empty_like(out, shape=(len(ends) - 1, int(self.tiny.sum())))
        self.second.run(tiny / TINY, ends, part, stop)
        if not stop[0]:
            out[np.ix_(np.flatnonzero(small), np.flatnonzero(self.tiny))] = part


def _sizes(values: Doubles, offsets: Offsets) -> Doubles:
    """Return the largest magnitude among the numbers of each object."""
    if not len(offsets) - 1:
        return np.zeros(0)
    largest = np.abs(values).reshape(len(values), -1).max(axis=1, initial=0.0)
    return np.asarray(np.maximum.reduceat(largest, offsets[:-1]))


def _some(values: Doubles, offsets: Offsets, which: NDArray[np.bool_]) -> tuple[Doubles, Offsets]:
    """Return the values and offsets of some objects."""
    lengths = np.diff(offsets)
    ends = np.concatenate([[0], np.cumsum(lengths[which])]).astype(np.int64)
    return np.ascontiguousarray(values[np.repeat(which, lengths)]), ends
