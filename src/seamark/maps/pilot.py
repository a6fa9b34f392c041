"""`Pilot`: the rows whose values settle a map's transfers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..data import Domain, seed_from
from ..io import RowSource, hashed_sample


@dataclass(frozen=True, eq=False)
class Pilot:
    """A sample of fit's rows, rising, and their values against all landmarks.

    Transfers and units of features are settled by them; whoever then reads the features of all
    rows need not compute these again.
    """

    rows: NDArray[np.intp]
    values: NDArray[np.float32]


def sample_of(source: RowSource, domain: Domain, rng: np.random.Generator) -> Any:
    """Return different objects of a source, as many as the setting `hashed_from` says at most."""
    return hashed_sample(
        source, domain, seed_from(rng), engine.settings().hashed_from, None
    ).objects
