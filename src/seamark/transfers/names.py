"""What a user's `transfer=` means."""

from __future__ import annotations

from typing import Any

from .base import Decay, GaussianDecay, Identity, Transfer
from .ramp import Ramp, Sign
from .whitening import Whitening

TRANSFERS: dict[str, type[Transfer]] = {
    "identity": Identity,
    "decay": Decay,
    "gaussian_decay": GaussianDecay,
    "ramp": Ramp,
    "sign": Sign,
    "whitening": Whitening,
}


def get_transfer(transfer: Any, kind: str | None) -> Transfer:
    """Return the transfer that a user's `transfer=` means; "auto" depends on the values' kind.

    Examples
    --------
    >>> get_transfer("auto", "distance"), get_transfer("auto", "similarity")
    (Decay(gamma='auto'), Identity())
    >>> get_transfer("auto", "difference")  # of pairs of landmarks
    Ramp(slope='auto')
    """
    if isinstance(transfer, Transfer):
        return transfer
    if transfer == "auto":
        if kind == "distance":
            return Decay("auto")
        return Ramp("auto") if kind == "difference" else Identity()
    if transfer not in TRANSFERS:
        raise ValueError(
            f"transfer={transfer!r} is none of auto, {', '.join(TRANSFERS)}, nor a Transfer."
        )
    return TRANSFERS[transfer]()
