"""Distances of ``scipy.spatial.distance``, through its ``cdist``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ... import engine
from ...data import vectors
from ..vector_plans import VectorPlan
from .base import Adapter, Facts, Params, keep_inside

COORDINATE_SECONDS = 1e-9  # per coordinate of the cheaper metrics

_METRIC = Facts(triangle=True)
_ANGLE = Facts(bounds=(0.0, 2.0), triangle=False)
_SHARE = Facts(bounds=(0.0, 1.0), triangle=True)

TABLE = {
    "braycurtis": Facts(triangle=False),
    "canberra": _METRIC,
    "chebyshev": _METRIC,
    "cityblock": _METRIC,
    "correlation": _ANGLE,
    "cosine": _ANGLE,
    "dice": replace(_SHARE, triangle=False),
    "euclidean": _METRIC,
    "hamming": _SHARE,
    "jaccard": _SHARE,
    "jensenshannon": Facts(bounds=(0.0, 0.83255467), triangle=True, cost=15.0),  # √ln 2
    "mahalanobis": _METRIC,
    "minkowski": replace(_METRIC, cost=10.0),
    "rogerstanimoto": _SHARE,
    "russellrao": _SHARE,
    "seuclidean": _METRIC,
    "sokalsneath": _SHARE,
    "sqeuclidean": Facts(triangle=False),
    "yule": Facts(bounds=(0.0, 2.0), triangle=False),
}

# scipy's own functions ask only whether a coordinate is zero, and so do we; its cdist does not
# always (jaccard), and copies (the others).
BOOLEAN = {"dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule"}


class Scipy(Adapter):
    """A distance of ``scipy.spatial.distance`` between dense vectors.

    Computed in float64. Where scipy gives NaN (the correlation of a constant vector, the
    Jensen–Shannon distance of negative numbers), so does this.

    Parameters
    ----------
    metric : str or function
        Name or function, such as "canberra", "braycurtis", "chebyshev", "jensenshannon"; all are in
        ``Scipy.table``. Boolean ones ("jaccard", "dice", …) ask only whether a coordinate is zero.
    params : dict, optional
        Keyword parameters, such as ``{"p": 3}`` or ``{"w": weights}``. What "mahalanobis" (VI) and
        "seuclidean" (V) need is estimated from the data, once, if it is not given.

    Examples
    --------
    >>> Scipy("chebyshev").cross([[0.0, 0.0]], [[3.0, 4.0]])
    array([[4.]], dtype=float32)
    >>> Scipy("minkowski", {"p": 1}).cross([[0.0, 0.0]], [[3.0, 4.0]])
    array([[7.]], dtype=float32)
    """

    library: ClassVar[str] = "scipy"
    table = TABLE
    domain = vectors

    def __init__(self, metric: Any, params: Params = None) -> None:
        self.metric = metric
        self.params = params

    @classmethod
    def name_of(cls, function: Any) -> str | None:
        """Return the metric's name, if this is one of scipy's own functions."""
        from scipy.spatial import distance

        name = getattr(function, "__name__", "")
        return name if name in TABLE and getattr(distance, name, None) is function else None

    def facts(self) -> Facts:
        """Return the table's facts, less those that p or VI take away."""
        facts, keywords = super().facts(), self.keywords()
        if keywords.get("p", 2) < 1:
            return replace(facts, triangle=False)
        if "VI" in keywords and not _is_psd(np.asarray(keywords["VI"])):
            return replace(facts, triangle=None)
        return facts

    def fitted_to(self, X: Any, rng: np.random.Generator) -> Self:
        """Return a copy with the (co)variances of X, if the metric needs them and has none."""
        keyword, estimate = ESTIMATED.get(self.chosen(), ("", None))
        keywords = self.keywords()
        if estimate is None or keyword in keywords:
            return self
        return self._with(params={**keywords, keyword: estimate(_dense(X))})

    def compile(self, L: Any) -> engine.Plan:
        """Keep the landmarks as float64 or booleans."""
        return _Distances(L, self.chosen(), self.keywords(), self.facts())


class _Distances(VectorPlan):
    def __init__(self, L: Any, metric: str, keywords: dict[str, Any], facts: Facts) -> None:
        super().__init__(L)
        from scipy.spatial.distance import cdist

        self.cdist, self.metric, self.keywords, self.facts = cdist, metric, keywords, facts
        self.L = self._prepared(L)
        self.scratch_per_row = 8 * (self.n_landmarks + 2 * self.n_features)
        self.cost = facts.cost * (self.n_features / 4 if "VI" in keywords else 1.0)
        try:
            cdist(self.L[:1], self.L[:1], metric, **keywords)
        except TypeError as error:
            raise TypeError(
                f"scipy's cdist does not take params={keywords!r} for {metric!r}: {error}."
            ) from error

    def _prepared(self, X: Any) -> NDArray[Any]:
        dense = _dense(X)
        return dense != 0 if self.metric in BOOLEAN else np.asarray(dense, np.float64)

    def seconds(self, X: Any) -> NDArray[np.float64]:
        work = self.n_landmarks * self.n_features * self.cost * COORDINATE_SECONDS
        return np.full(X.shape[0], work)

    def fill(self, X: Any, out: NDArray[np.float32], stop: Any) -> None:
        out[:] = self.cdist(self._prepared(X), self.L, self.metric, **self.keywords)
        keep_inside(out, self.facts.bounds)


def _dense(X: Any) -> NDArray[Any]:
    if sparse.issparse(X):
        raise TypeError(
            "X is sparse, and scipy's distances need dense vectors; give X.toarray(), or use a "
            "measure of the catalogue that takes sparse ones, such as 'euclidean' or 'cosine'."
        )
    return np.asarray(X)


def _is_psd(VI: NDArray[Any]) -> bool:
    values = np.linalg.eigvalsh((VI + VI.T) / 2)
    return bool(values[0] >= -1e-12 * max(values[-1], 0.0))


def _variances(X: NDArray[Any]) -> NDArray[np.float64]:
    V = np.asarray(X.var(axis=0, ddof=1 if len(X) > 1 else 0, dtype=np.float64))
    constant = np.flatnonzero(V == 0)
    if len(constant):
        raise ValueError(
            f"column {constant[0]} does not vary over the {len(X)} rows that 'seuclidean' takes "
            "its variances from; drop the column, or give params={'V': variances}."
        )
    return V


def _inverse_covariance(X: NDArray[Any]) -> NDArray[np.float64]:
    n, d = X.shape
    if n > d:
        covariance = np.atleast_2d(np.cov(X.T.astype(np.float64)))
        if np.linalg.matrix_rank(covariance, hermitian=True) == d:
            inverse = np.linalg.inv(covariance)
            return np.asarray((inverse + inverse.T) / 2)
    raise ValueError(
        f"the covariance of {n} rows with {d} columns cannot be inverted for 'mahalanobis'; give "
        "more rows, or params={'VI': np.linalg.pinv(np.cov(X.T))}."
    )


ESTIMATED: dict[str, tuple[str, Callable[[NDArray[Any]], NDArray[np.float64]]]] = {
    "mahalanobis": ("VI", _inverse_covariance),
    "seuclidean": ("V", _variances),
}
