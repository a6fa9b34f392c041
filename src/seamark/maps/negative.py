"""What is said of distances below 0."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..measures import Measure

Rows = NDArray[np.intp]

ROUNDING = 1e-5  # of the largest value: what is above minus this is 0, rounded


def reject_negative(
    values: NDArray[np.float32],
    measure: Measure,
    landmarks: Rows | None = None,
) -> None:
    """Stop at a negative distance, unless the measure declares how low its distances go.

    Parameters
    ----------
    values : ndarray of shape (n, R)
    measure : Measure
    landmarks : ndarray, optional
        The numbers of the landmarks; default: from 0.
    """
    lowest = float(values.min(initial=0.0))
    declared = -np.inf < measure.bounds[0] < 0
    if declared or lowest >= -ROUNDING * float(np.abs(values).max(initial=0.0)):
        return
    i, j = np.unravel_index(int(values.argmin()), values.shape)
    row = engine.settings().row(int(i))
    number = int(j) if landmarks is None else int(landmarks[j])
    raise ValueError(
        f"{measure!r} gives row {row} of X and landmark {number} the negative distance "
        f'{lowest:g}; make it a distance from 0 on, or declare kind="similarity" if large values '
        'mean alike, or take transfer="identity".'
    )
