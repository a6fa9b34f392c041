"""Kernel and SVM learned together over random features: problem (9) of Sinha and Duchi."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.svm import SVC
from sklearn.utils.validation import check_is_fitted

from ..bounds import require_bounded
from ..estimating import Numbers, generator, require_number, require_same_length, seeded
from ..feature_selection import alignment_weights, check_ball
from ..maps import RandomFourier
from ..maps.base import require_map
from ..maps.evaluating import unscaled
from ..targets import class_targets, decided, signs
from .base import LARGEST, some_rows


class JointFeatureSVM(ClassifierMixin, BaseEstimator):
    """SVM on Σ qₘ φₘ(x) φₘ(x′), with the q near uniform that minimises the SVM's dual optimum.

    `Aligned` looks at labels once; this solves an SVM again and again, and is its costly rival.

    Parameters
    ----------
    map : Map, optional
        Where features come from; default `RandomFourier`.
    rho_per_feature : float, default=0.01
        How far q may be from uniform, see `seamark.feature_selection.alignment_weights`.
    power : float, default=2
        k of the divergence tᵏ − 1.
    C : float, default=1.0
        Cost of errors.
    n_sample : int, default=2000
        Rows, drawn at random, to train on; all if there are fewer. Fit holds n × n and n × N.
    tol : float, default=0.01
        Relative duality gap to stop at.
    max_iter : int, default=100
        SVMs to solve at most.
    random_state : int, RandomState or Generator, optional
        Of the rows, and of a map that has none of its own.

    Attributes
    ----------
    distribution_ : ndarray of shape (N,)
        q.
    support_ : ndarray of int
        Features with weight.
    map_ : Map
        Fitted; has these features alone.
    coef_, intercept_ : ndarray, float
        Of these features.
    gap_ : float
        Relative duality gap reached.
    n_iter_ : int
        SVMs solved.
    classes_ : ndarray

    Notes
    -----
    The optimum over α is convex in q, with gradient −½(Σ αᵢyᵢφₘ(xᵢ))², so that the best vertex of
    the ball of distributions is `alignment_weights` of (Φᵀ(α∘y))²: the conditional gradient method
    with steps 2/(t + 2), whose gap bounds the distance from the optimum. It starts where all α
    are 1, which is the solution of `Aligned`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 2))
    >>> y = np.linalg.norm(X, axis=1) > 1.2
    >>> fourier = RandomFourier(n_components=400)
    >>> model = JointFeatureSVM(fourier, rho_per_feature=0.1, random_state=0)
    >>> model.fit(X, y).score(X, y) > 0.9, len(model.support_) < 200
    (True, True)
    """

    def __init__(
        self,
        map: Any = None,
        *,
        rho_per_feature: float = 0.01,
        power: float = 2.0,
        C: float = 1.0,
        n_sample: int = 2000,
        tol: float = 0.01,
        max_iter: int = 100,
        random_state: Any = None,
    ) -> None:
        self.map = map
        self.rho_per_feature = rho_per_feature
        self.power = power
        self.C = C
        self.n_sample = n_sample
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Find q and the SVM together.

        Parameters
        ----------
        X : objects of the map
        y : array-like of shape (n,)
            Two classes.

        Returns
        -------
        self
        """
        self.classes_, codes = class_targets(y)
        if len(self.classes_) > 2:
            raise ValueError(
                f"y has {len(self.classes_)} classes; problem (9) is for two. Only binary "
                "classification is supported."
            )
        require_bounded(type(self), vars(self))
        require_number("C", self.C, 0, LARGEST, "a positive number")
        check_ball(self.rho_per_feature, self.power)
        rng = generator(self.random_state)
        if self.map is not None:
            require_map(self.map)
        bearings = unscaled(RandomFourier() if self.map is None else self.map)
        bearings = seeded(bearings, rng).fit(X, y)
        objects = bearings.ingest(X)
        require_same_length(objects, codes)
        rows = some_rows(objects.shape[0], self.n_sample, rng, "n_sample")
        features = bearings.block(objects[rows])
        features = features.toarray() if sparse.issparse(features) else features
        # Features of a map are over √N; the paper's, of which q is a distribution, are not.
        phi = features.astype(np.float64) * np.sqrt(features.shape[1])
        svm, signed = self._solve(phi, codes[rows])
        self.support_ = np.flatnonzero(self.distribution_)
        self.map_ = bearings.subset(self.support_)
        if hasattr(bearings, "n_features_in_"):
            self.n_features_in_ = bearings.n_features_in_
        scale = np.sqrt(features.shape[1])
        self.coef_ = scale * (self.distribution_ * (phi.T @ signed))[self.support_]
        self.intercept_ = float(svm.intercept_[0])
        return self

    def _solve(self, phi: Numbers, codes: NDArray[np.intp]) -> tuple[SVC, Numbers]:
        """Set the distribution; return the SVM of it, and αᵢyᵢ of every row."""
        q = self._vertex(np.square(phi.T @ signs(codes, np.arange(2))[:, 0]))
        for n_iter in range(1, self.max_iter + 1):
            K = (phi * q) @ phi.T
            svm = SVC(C=self.C, kernel="precomputed").fit(K, codes)
            signed = np.zeros(len(codes))
            signed[svm.support_] = svm.dual_coef_[0]
            v = np.square(phi.T @ signed)
            vertex = self._vertex(v)
            value = float(np.abs(signed).sum() - 0.5 * q @ v)
            self.gap_ = 0.5 * float((vertex - q) @ v) / max(abs(value), 1e-12)
            self.distribution_, self.n_iter_ = q, n_iter
            if self.gap_ <= self.tol:
                break
            q = q + 2.0 / (n_iter + 2.0) * (vertex - q)
        return svm, signed

    def _vertex(self, v: Numbers) -> Numbers:
        return alignment_weights(v, self.rho_per_feature, self.power)

    def decision_function(self, X: Any) -> Numbers:
        """Return the score of the second class."""
        check_is_fitted(self, "coef_")
        return np.asarray(self.map_.transform(X) @ self.coef_ + self.intercept_)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each object."""
        return decided(self.decision_function(X), self.classes_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = self.map is None
        return tags
