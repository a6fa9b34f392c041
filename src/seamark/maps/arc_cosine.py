"""Random features of the arc-cosine kernels: a layer of random units."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..measures import ArcCosineKernel
from .base import DEFAULT_COMPONENTS, VectorMap
from .chunks import Floats32, chunks, project


class ArcCosine(VectorMap):
    """Random features √2 H(wᵀx)(wᵀx)ᵖ/√D of the arc-cosine kernel of order p, w Gaussian.

    Parameters
    ----------
    order : {0, 1, 2}, default=1
        p: steps, rectified linear units, or their squares.
    n_components : int, default=1000
        D.
    random_state : int, RandomState or Generator, optional
        Decides which random features are drawn.

    Attributes
    ----------
    kernel_ : ArcCosineKernel
    weights_ : ndarray
        w.

    Examples
    --------
    >>> import seamark as sm
    >>> Z = sm.ArcCosine(0, 20_000, random_state=0).fit_transform([[1.0, 0.0], [0.0, 1.0]])
    >>> (Z @ Z.T).round(1)  # the share of half-spaces that hold both: a half of those of one
    array([[1. , 0.5],
           [0.5, 1. ]], dtype=float32)
    """

    def __init__(
        self, order: int = 1, n_components: int = DEFAULT_COMPONENTS, *, random_state: Any = None
    ) -> None:
        self.order = order
        self.n_components = n_components
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        ArcCosineKernel(self.order).check_parameters()

    def _draw(self, X: Any, rng: np.random.Generator) -> None:
        self.kernel_ = ArcCosineKernel(self.order)
        self.weights_ = rng.normal(size=(self.n_components, X.shape[1])).astype(np.float32)
        self.scale_ = np.sqrt(2.0 / self.n_components)
        self.n_features_out_ = self.n_components

    @property
    def has_independent_columns(self) -> bool:
        """Always."""
        return True

    def fill(self, X: Any, out: Floats32) -> None:
        """Write the features of a few rows."""
        for rows, part in chunks(X, out):
            project(rows, self.weights_, part)
            _activate(part, self.order, np.float32(self.scale_))

    def _pick(self, columns: NDArray[np.intp]) -> None:
        self.weights_ = self.weights_[columns]


def _activate(values: Floats32, order: int, scale: np.float32) -> None:
    """Replace wᵀx by the feature, in place."""
    if order == 0:
        np.greater(values, 0, out=values)
    else:
        np.maximum(values, 0, out=values)
    if order == 2:
        values *= values
    values *= scale
