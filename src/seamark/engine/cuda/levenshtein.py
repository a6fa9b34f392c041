"""Edit distances on the device."""

from __future__ import annotations

from .string_groups import Width
from .strings import StringsPlan


class LevenshteinPlan(StringsPlan):
    """Edit distances of texts to landmark strings; see `StringsPlan`."""

    source = "levenshtein"
    widths = (Width(64, 4), Width(512, 16))
