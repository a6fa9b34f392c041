"""`Look`: what the objects of a collection have in common, and later ones must have too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Look:
    """What objects look like; small enough to be kept with a fitted model.

    Parameters
    ----------
    kind : str, optional
        Such as "text" or "bytes"; None if objects of several kinds were seen.
    width : int, optional
        Channels of series, dimension of the vectors of sets, columns of vectors.

    Examples
    --------
    >>> from seamark.data import series, strings
    >>> series.look(series.ingest(np.zeros((5, 2, 20))))
    Look(kind='series', width=2)
    >>> strings.look(strings.ingest([b"sea"]))
    Look(kind='bytes', width=None)
    """

    kind: str | None = None
    width: int | None = None

    def differs(self, other: Look) -> bool:
        """Whether the two contradict each other; something unknown contradicts nothing."""
        pairs = ((self.kind, other.kind), (self.width, other.width))
        return any(None not in pair and pair[0] != pair[1] for pair in pairs)


def kind_of(item: Any) -> str | None:
    """Return the kind of one object, if it is text, bytes or an array; None for other types.

    Examples
    --------
    >>> kind_of("sea"), kind_of(b"sea"), kind_of(np.zeros((2, 9))), kind_of({"sea"})
    ('text', 'bytes', 'arrays of 2 dimensions', None)
    """
    if isinstance(item, str):
        return "text"
    if isinstance(item, (bytes, bytearray)):
        return "bytes"
    if isinstance(item, np.ndarray):
        return f"arrays of {item.ndim} dimension{'s' if item.ndim != 1 else ''}"
    return None
