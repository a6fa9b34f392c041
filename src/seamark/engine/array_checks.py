"""Checks of arrays before kernels read them: what is wrong would be read beyond their ends."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .plan import Doubles, Floats, Offsets

LONGEST_SPAN = 1 << 24  # steps of a window
ELASTIC_RULES = ("dtw", "wdtw", "adtw", "erp", "edr", "lcss", "msm", "twe")


def check_offsets(offsets: Offsets, n: int) -> None:
    """Refuse offsets that fall, or leave the values."""
    if len(offsets) == 0 or offsets[0] < 0 or offsets[-1] > n:
        raise ValueError("offsets out of range")
    if np.any(offsets[1:] < offsets[:-1]):
        raise ValueError("offsets must not fall")


def check_codes(codes: NDArray[np.int32], offsets: Offsets, largest: int) -> None:
    """Refuse symbols that are negative, or beyond the largest."""
    if largest < -1:
        raise ValueError("n_symbols out of range")
    check_offsets(offsets, len(codes))
    used = codes[offsets[0] : offsets[-1]]
    if len(used) and not 0 <= int(used.min()) <= int(used.max()) <= largest:
        raise ValueError("codes out of range")


def check_series(
    values: NDArray[Any], offsets: Offsets, channels: int | None = None, lead: int = 0
) -> Doubles:
    """Refuse empty objects (a lead does not count), and numbers of columns that differ or are none.

    Returns the values in float64.
    """
    check_offsets(offsets, len(values))
    if np.any(np.diff(offsets) <= lead):
        raise ValueError("an object is empty")
    if values.ndim != 2 or values.shape[1] == 0:
        raise ValueError("objects must have at least one column")
    if channels is not None and values.shape[1] != channels:
        raise ValueError(
            "objects and landmarks differ in their number of columns (channels, dimension)"
        )
    return np.ascontiguousarray(values, np.float64)


def check_out(out: Floats, offsets: Offsets, n_landmarks: int) -> None:
    """Refuse results that have no place for each row and landmark."""
    if out.shape != (len(offsets) - 1, n_landmarks):
        raise ValueError("out has the wrong shape")


def check_band(steps: int, fraction: float) -> None:
    """Refuse two bands, and one that is no number."""
    if np.isnan(fraction):
        raise ValueError("fraction must be a number")
    if steps >= 0 and fraction >= 0:
        raise ValueError("a band is given in steps or as a fraction, not both")


def check_centre(values: Doubles, centre: Doubles) -> None:
    """Refuse a centre of another dimension."""
    if values.ndim != 2 or values.shape[1:] != centre.shape:
        raise ValueError("centre and vectors differ in dimension")


def check_elastic(
    values: Doubles,
    offsets: Offsets,
    steps: int,
    fraction: float,
    rule: str,
    first: float,
    second: float,
    gap: Doubles,
) -> Doubles:
    """Refuse what the kernels of the elastic family do not know; return values in float64."""
    if rule not in ELASTIC_RULES:
        raise ValueError(f"there is no elastic measure {rule!r}")
    values = check_series(values, offsets, lead=int(rule == "twe"))
    if rule == "msm" and values.shape[1] > 1:
        raise ValueError("msm takes one channel at a time")
    if rule == "erp" and len(gap) != values.shape[1]:
        raise ValueError("gap needs one number per channel")
    check_band(steps, fraction)
    return values


def check_windows(
    values: Doubles,
    offsets: Offsets,
    dilations: Offsets,
    channels: Offsets,
    channel_offsets: Offsets,
    normalised: NDArray[np.uint8],
    differenced: NDArray[np.uint8],
    n_channels: int,
    flat: float,
) -> None:
    """Refuse windows that are empty, reach too far, or lie in channels that series lack."""
    n = len(dilations)
    if {len(offsets) - 1, len(channel_offsets) - 1, len(normalised), len(differenced)} != {n}:
        raise ValueError("the arrays of windows differ in length")
    check_offsets(offsets, len(values))
    check_offsets(channel_offsets, len(channels))
    sizes, counts = np.diff(offsets), np.diff(channel_offsets)
    if np.any(counts < 1) or np.any(sizes < 1) or np.any(sizes % np.maximum(counts, 1)):
        raise ValueError("a window has no values, or not as many in each channel")
    if np.any(dilations < 1) or np.any(dilations * (sizes // counts - 1) > LONGEST_SPAN):
        raise ValueError("the dilation of a window is out of range")
    if len(channels) and not 0 <= channels.min() <= channels.max() < n_channels:
        raise ValueError("a window lies in a channel that series lack")
