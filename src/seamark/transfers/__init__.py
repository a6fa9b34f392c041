"""Transfers: from values of a measure to features, pointwise or fitted."""

from .base import Decay, GaussianDecay, Identity, Seen, Transfer, Values
from .names import TRANSFERS, get_transfer
from .ramp import Ramp, Sign
from .side_by_side import SideBySide
from .whitening import Whitening

__all__ = [
    "Decay",
    "GaussianDecay",
    "Identity",
    "Ramp",
    "Seen",
    "SideBySide",
    "Sign",
    "Transfer",
    "Whitening",
]
