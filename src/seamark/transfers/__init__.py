"""Transfers: from values of a measure to features, pointwise or fitted."""

from .base import (
    GAMMAS,
    TRANSFERS,
    Decay,
    GaussianDecay,
    Identity,
    Seen,
    Transfer,
    Values,
    get_transfer,
)
from .ramp import SLOPES, Ramp, Sign
from .shares import Shares
from .side_by_side import SideBySide
from .whitening import Whitening

__all__ = [
    "Decay",
    "GaussianDecay",
    "Identity",
    "Ramp",
    "Seen",
    "Shares",
    "SideBySide",
    "Sign",
    "Transfer",
    "Whitening",
]
