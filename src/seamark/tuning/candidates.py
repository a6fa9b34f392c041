"""What there is to choose from where a parameter is left open, "auto"."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from ..landmarks import Generated, Strategy
from ..maps import CachedFeatures
from ..transfers import Decay, Identity, Ramp, Transfer, get_transfer

# Multiples of the typical γ. Small ones all but reach the distances themselves, which stand first.
GAMMAS = tuple(float(g) for g in 10.0 ** np.arange(-1.5, 1.01, 0.5))
SLOPES = (1.0, 5.0, 10.0, 50.0, 100.0, 1000.0)  # Kar and Jain's
# Random objects by domain: few of the sizes and scales that D2KE's authors try, and that won. The
# paper may be read as strings of one length; long ones serve better where letters have places.
SIZES = {
    "strings": ((2, 5), (2, 10), (2, 20), (2, 50), (50, 50)),
    "series": ((2, 10), (2, 30), (2, 80)),
    "sets": ((3, 5), (3, 15)),
}
SCALES = {"series": (0.5, 1.0, 2.0), "vectors": (0.5, 1.0, 2.0)}


def candidates(wanted: Any, fitted: Transfer, kind: str | None) -> list[Transfer]:
    """Return the transfers a model may choose among: several if γ or slope is open, else one.

    Parameters
    ----------
    wanted : str or Transfer
        What the user asked for.
    fitted : Transfer
        The same after fitting, with a typical γ.
    kind : {"distance", "similarity", "difference"} or None
        Of the values.

    Examples
    --------
    >>> candidates("identity", Identity(), "distance")
    [Identity()]
    >>> len(candidates("auto", Decay(0.1), "distance"))
    7
    >>> [ramp.slope for ramp in candidates(Ramp("auto"), Ramp(1.0, 0.0, 1.0), "similarity")]
    [1.0, 5.0, 10.0, 50.0, 100.0, 1000.0]
    """
    transfer = get_transfer(wanted, kind)
    if isinstance(transfer, Decay) and transfer.gamma == "auto" and isinstance(fitted, Decay):
        gammas = (float(fitted.gamma) * np.array(GAMMAS)).tolist()
        return [Identity(), *map(type(fitted), gammas)]
    if isinstance(transfer, Ramp) and transfer.slope == "auto" and isinstance(fitted, Ramp):
        return [Ramp(slope, fitted.middle, fitted.half) for slope in SLOPES]
    return [fitted]


def joint_candidates(features: CachedFeatures, wanted: Any) -> list[list[Transfer]]:
    """Return choices of one transfer per measure: all are given the same multiple or slope."""
    options = []
    for fitted, measure in zip(features.map.transfers_, features.map.measures_, strict=True):
        options.append(candidates(wanted, fitted, features.map.kind_of(measure)))
    longest = max(map(len, options))
    for option in options:  # the last one of a short list stands for those it lacks
        option.extend(option[-1:] * (longest - len(option)))
    return list(map(list, zip(*options, strict=True)))


def landmark_candidates(strategy: Strategy, domain: str) -> list[Strategy]:
    """Return the ways to find landmarks a model may choose among: several if sizes are open.

    Parameters
    ----------
    strategy : Strategy
        What the user asked for.
    domain : str
        Name of what the objects are.

    Examples
    --------
    >>> len(landmark_candidates(Generated(sizes="auto", scale="auto"), "series"))
    9
    >>> landmark_candidates(Generated(scale="auto"), "strings")
    [Generated()]
    """
    if not isinstance(strategy, Generated) or strategy.sampler is not None:
        return [strategy]
    sizes = SIZES.get(domain, (None,)) if strategy.sizes == "auto" else (strategy.sizes,)
    scales = SCALES.get(domain, (1.0,)) if strategy.scale == "auto" else (strategy.scale,)
    return [Generated(size, scale) for size, scale in product(sizes, scales)]
