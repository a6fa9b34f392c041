"""Nadaraya–Watson regression: the mean of known targets, weighted by similarity."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin

from .. import engine
from ..estimating import Numbers, generator
from ..targets import number_targets
from .base import OverObjects, Values, some_rows

# Below this share of Σ|K| a sum ΣK is what rounding left of terms that cancel.
CANCELLED = 1e-5


class KernelRegression(RegressorMixin, OverObjects):
    """Nadaraya–Watson: Σ yᵢ K(x, xᵢ) / Σ K(x, xᵢ).

    RegLand is compared with it. Where the denominator vanishes, since all similarities are 0 or
    since those of a sign-changing similarity cancel, the prediction is the mean of y.

    Parameters
    ----------
    measure : Measure, str or callable, default="gaussian"
        A similarity, as a rule. The ratio does not change with the sign of K, so a distance and
        its negative give the same; both weigh far objects more, as in the paper's tables.
    n_references : int, optional
        Training objects to compare with, drawn uniformly. Default: all.
    random_state : int, Generator or None
        Draws the references.
    n_jobs : int, optional
        Threads or processes of the measure.

    Attributes
    ----------
    measure_ : Measure
        With numeric parameters.
    references_ : objects
    targets_ : ndarray
        Their targets.
    fallback_ : float
        The mean of y.
    n_evaluations_ : int
        Measure evaluations of fit.

    Examples
    --------
    >>> from seamark.measures import Custom
    >>> model = KernelRegression(Custom(lambda a, b: float(a[0] == b[0]), kind="similarity"))
    >>> model.fit(["ant", "ape", "bee"], [1.0, 3.0, 8.0]).predict(["asp", "bat", "cow"])
    array([2., 8., 4.])
    """

    def __init__(
        self,
        measure: Any = "gaussian",
        *,
        n_references: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.measure = measure
        self.n_references = n_references
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # the papers' width, the mean distance, is wide
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Keep references and their targets.

        Parameters
        ----------
        X : objects
        y : array-like of shape (n,)

        Returns
        -------
        self
        """
        y = number_targets(self, y)
        measure, objects = self._ingest(X, y)
        rng = generator(self.random_state)
        rows = some_rows(objects.shape[0], self.n_references, rng, "n_references")
        with engine.counting() as counter:
            self.measure_ = measure.fitted_to(objects, rng)
        self.references_ = measure.domain.landmarks(objects, rows)
        self.targets_ = y[rows]
        self.fallback_ = float(y.mean())
        self.n_evaluations_ = counter.evaluations
        return self

    def predict(self, X: Any) -> Numbers:
        """Weighted means of the targets.

        Parameters
        ----------
        X : objects

        Returns
        -------
        ndarray of shape (n,)
        """
        objects = self._ingest_new(X)
        return self._stacked(objects, lambda _, values: self._weighted_means(values))

    def _weighted_means(self, values: Values) -> Numbers:
        K = values.astype(np.float64)
        total = K.sum(axis=1)
        sound = np.abs(total) > CANCELLED * np.abs(K).sum(axis=1)
        means = np.full(len(K), self.fallback_)
        # Targets are centred first, so that a denominator just above the guard meets small sums.
        centred = K @ (self.targets_ - self.fallback_)
        means[sound] += centred[sound] / total[sound]
        return means
