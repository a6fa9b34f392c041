"""Features: n × R numbers that may be too many to hold, so they come in chunks of rows."""

from .base import (
    ColumnMoments,
    Features,
    InMemory,
    Mask,
    Rows,
    Selected,
    as_features,
    groups_of,
    location,
    selected,
)
from .rows import SomeRows

__all__ = ["ColumnMoments", "Features", "InMemory", "Selected", "SomeRows", "as_features"]
