"""What the theorems take: shares and positive numbers."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any


def require_shares(**given: Any) -> None:
    """Stop unless every number lies in (0, 1]; a probability of failure of 1 asks for nothing."""
    for name, value in given.items():
        if not isinstance(value, Real) or not 0 < float(value) <= 1:
            raise ValueError(f"{name} must lie between 0 and 1, not {value!r}.")


def require_positive(**given: Any) -> None:
    """Stop unless every number is above 0 and finite."""
    for name, value in given.items():
        if not isinstance(value, Real) or not 0 < float(value) < math.inf:
            raise ValueError(f"{name} must be a positive number, not {value!r}.")
