"""Several transfers at once."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import NDArray

from .base import Seen, Transfer, Values


class SideBySide(Transfer):
    """The features of several transfers, those of one after those of another.

    Parameters
    ----------
    transfers : list of Transfer
        Each is applied to all values.

    Examples
    --------
    >>> from seamark.transfers import Decay, Identity
    >>> both = SideBySide([Identity(), Decay(gamma=1.0)])
    >>> both.apply(np.array([[0.0, 1.0]], dtype=np.float32)).round(3)
    array([[0.   , 1.   , 1.   , 0.368]], dtype=float32)
    """

    averaged = False

    def __init__(self, transfers: list[Transfer]) -> None:
        self.transfers = transfers

    @property
    def looks_between(self) -> bool:  # type: ignore[override]
        """Whether one of them does."""
        return any(transfer.looks_between for transfer in self.transfers)

    @property
    def mixes(self) -> bool:  # type: ignore[override]
        """Whether one of them does."""
        return any(transfer.mixes for transfer in self.transfers)

    @property
    def pointwise(self) -> bool:  # type: ignore[override]
        """No, unless there is one transfer only that is."""
        return len(self.transfers) == 1 and self.transfers[0].pointwise

    def fitted_to(self, seen: Seen) -> Self:
        """Fit each."""
        return self._with(transfers=[transfer.fitted_to(seen) for transfer in self.transfers])

    def apply(self, values: Values) -> Values:
        """Apply each to a copy."""
        parts = [transfer.apply(values.copy()) for transfer in self.transfers]
        return np.concatenate(parts, axis=1)

    def owners(self, n_landmarks: int) -> NDArray[np.intp]:
        """Return the number of the transfer that each feature comes from."""
        sizes = [transfer.n_features(n_landmarks) for transfer in self.transfers]
        return np.repeat(np.arange(len(sizes)), sizes)

    def n_features(self, n_landmarks: int) -> int:
        """Return the sum."""
        return len(self.owners(n_landmarks))
