"""Kernels of ``sklearn.metrics.pairwise``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ... import engine
from ...data import vectors
from ..vector_plans import VectorPlan
from .base import Adapter, Facts, Params, keep_inside

COORDINATE_SECONDS = 1e-9  # per coordinate: the slower kernels are loops, not matrix products

_ANY = Facts(kind="similarity", bounds=(-np.inf, np.inf))
_FALLING = Facts(kind="similarity", bounds=(0.0, 1.0), psd=True)

TABLE = {
    "additive_chi2": Facts(kind="similarity", bounds=(-np.inf, 0.0), psd=False, cost=1.5),
    "chi2": replace(_FALLING, cost=1.5),
    "cosine": Facts(kind="similarity", bounds=(-1.0, 1.0), psd=True, cost=0.1),
    "laplacian": replace(_FALLING, cost=0.5),
    "linear": replace(_ANY, psd=True, cost=0.1),
    "poly": replace(_ANY, psd=True, cost=0.1),
    "polynomial": replace(_ANY, psd=True, cost=0.1),
    "rbf": replace(_FALLING, cost=0.2),
    "sigmoid": Facts(kind="similarity", bounds=(-1.0, 1.0), cost=0.1),
}
DENSE_ONLY = {"additive_chi2", "chi2"}


class SklearnKernel(Adapter):
    """A kernel of scikit-learn's ``pairwise_kernels`` between vectors. Computed in float64.

    Parameters
    ----------
    metric : str or function
        "chi2", "additive_chi2" (dense, never negative); "rbf", "laplacian", "poly", "sigmoid",
        "linear", "cosine" (dense or sparse); or the kernel function itself.
    params : dict, optional
        Keyword parameters, such as ``{"gamma": 0.5}``; scikit-learn's defaults otherwise.

    Examples
    --------
    >>> SklearnKernel("chi2").cross([[0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]]).round(3)
    array([[1.   , 0.135]], dtype=float32)
    """

    library: ClassVar[str] = "sklearn"
    table = TABLE
    domain = vectors

    def __init__(self, metric: Any, params: Params = None) -> None:
        self.metric = metric
        self.params = params

    @classmethod
    def name_of(cls, function: Any) -> str | None:
        """Return the kernel's name, if this is one of scikit-learn's own functions."""
        from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS as functions

        return next((name for name in TABLE if functions.get(name) is function), None)

    def facts(self) -> Facts:
        """Return the table's facts, which hold for a positive gamma and a usual polynomial."""
        facts, keywords = super().facts(), self.keywords()
        gamma, degree = keywords.get("gamma"), keywords.get("degree", 3)
        if gamma is not None and gamma <= 0:
            return replace(facts, bounds=(-np.inf, np.inf), psd=None)
        if keywords.get("coef0", 1) < 0 or degree != int(degree) or degree < 1:
            return replace(facts, psd=None)
        return facts

    def compile(self, L: Any) -> engine.Plan:
        """Keep the landmarks as float64."""
        return _Kernel(L, self.chosen(), self.keywords(), self.facts())


class _Kernel(VectorPlan):
    def __init__(self, L: Any, metric: str, keywords: dict[str, Any], facts: Facts) -> None:
        super().__init__(L)
        from sklearn.metrics.pairwise import pairwise_kernels

        self.kernels, self.metric = pairwise_kernels, metric
        self.keywords, self.facts = keywords, facts
        self.L = self._prepared(L)
        self.scratch_per_row = 24 * self.n_landmarks + 16 * self.n_features

    def _prepared(self, X: Any) -> Any:
        if sparse.issparse(X) and self.metric in DENSE_ONLY:
            raise TypeError(
                f"X is sparse, and scikit-learn's {self.metric!r} kernel needs dense vectors; "
                "give X.toarray()."
            )
        return X.astype(np.float64, copy=False)

    def seconds(self, X: Any) -> NDArray[np.float64]:
        work = self.n_landmarks * (self.n_features * self.facts.cost + 5) * COORDINATE_SECONDS
        return np.full(X.shape[0], work)

    def fill(self, X: Any, out: NDArray[np.float32], stop: Any) -> None:
        X, L = self._prepared(X), self.L
        if sparse.issparse(X) != sparse.issparse(L):  # some kernels want both alike
            X, L = sparse.csr_matrix(X), sparse.csr_matrix(L)
        out[:] = self.kernels(X, L, metric=self.metric, **self.keywords)
        keep_inside(out, self.facts.bounds)
