"""`Pilot`: the rows whose values settle a map's transfers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Pilot:
    """A sample of fit's rows, rising, and their values against all landmarks.

    Transfers and units of features are settled by them; whoever then reads the features of all
    rows need not compute these again.
    """

    rows: NDArray[np.intp]
    values: NDArray[np.float32]
