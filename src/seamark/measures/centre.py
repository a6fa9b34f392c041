"""Where the middle of a collection of numbers lies."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

SAMPLE = 101  # rows that are looked at


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
