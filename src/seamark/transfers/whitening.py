"""Nyström features, safe on indefinite and asymmetric values."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..engine import backend
from .base import Identity, Seen, Transfer, Values

_NOT_PAIRS = "whitening needs values of landmarks against each other, not pairs."


class Whitening(Transfer):
    """Nyström: features whose inner products are the landmarks' kernel, |λ| for indefinite ones.

    Values of the landmarks against themselves, symmetrised, have eigenvectors U and eigenvalues
    λ; features are V U |λ|^(−½), for those |λ| that are not small against the largest.

    Parameters
    ----------
    transfer : Transfer, optional
        Applied first; a distance wants `Decay`.
    rcond : float, default=1e-5
        Eigenvalues below this share of the largest are cut (values are float32).
    projection : ndarray, optional
        Set by `fitted_to`.
    """

    name = "whitening"

    averaged = False
    looks_between = True
    pointwise = False
    mixes = True

    def __init__(
        self, transfer: Transfer | None = None, rcond: float = 1e-5, projection: Any = None
    ) -> None:
        self.transfer = transfer
        self.rcond = rcond
        self.projection = projection

    def check_kind(self, kind: str | None) -> None:
        """Stop at differences of pairs, and where the inner transfer does."""
        if kind == "difference":
            raise ValueError(_NOT_PAIRS)
        (self.transfer or Identity()).check_kind(kind)

    def fitted_to(self, seen: Seen) -> Self:
        """Return a copy that holds U |λ|^(−½)."""
        if seen.between is None:
            raise ValueError(_NOT_PAIRS)
        inner = (self.transfer or Identity()).fitted_to(seen)
        K = inner.apply(seen.between.copy()).astype(np.float64)
        eigenvalues, vectors = np.linalg.eigh((K + K.T) / 2)
        size = np.abs(eigenvalues)
        order = np.argsort(-size)
        order = order[size[order] > self.rcond * size.max()]
        projection = vectors[:, order] / np.sqrt(size[order])
        return self._with(transfer=inner, projection=projection.astype(np.float32))

    def apply(self, values: Values) -> Values:
        """Project."""
        own = (self.transfer or Identity()).apply(values)
        features = np.empty((len(own), self.projection.shape[1]), dtype=np.float32)
        backend().products(own, np.ascontiguousarray(self.projection.T), features)
        return features

    def n_features(self, n_landmarks: int) -> int:
        """Return the number of eigenvalues kept."""
        return int(self.projection.shape[1])
