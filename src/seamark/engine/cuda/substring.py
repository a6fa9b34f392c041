"""Smallest edit distances to any substring of a text, on the device."""

from __future__ import annotations

from .string_groups import Width
from .strings import StringsPlan


class SubstringPlan(StringsPlan):
    """Distances of landmark strings to their nearest substrings of texts; see `StringsPlan`.

    How far the last row of a matrix is above its smallest value is counted in `PLANES` bits, as
    many as the longest landmark needs.
    """

    source = "substring"
    widths = (
        Width(7, 4, {"PLANES": 3}),
        Width(15, 4, {"PLANES": 4}),
        Width(63, 4, {"PLANES": 6}),
    )
