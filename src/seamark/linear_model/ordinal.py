"""`Ordinal`: large-margin regression onto ordered labels."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.validation import validate_data

from ..bounds import require_bounded
from ..engine import blas_for, warn_user
from ..targets import checked_weights, require_targets
from .margins import margin_losses, sides_of
from .newton import Floats
from .order import declared_order, labels_in_order, ranks_among
from .smoothed import ThresholdHinges, minimise
from .thresholded import Thresholded

VARIANTS = ("exc", "imc")
THRESHOLDS = ("fixed", "learned")


class Ordinal(Thresholded):
    """Linear large-margin model of ordered labels.

    A score f(x) = ⟨w, x⟩ + c is cut by r − 1 thresholds into r labels. Every object pays a hinge
    for each threshold that its score does not clear by a margin γ; the mean of that, plus
    λ/2·‖w‖² on standardised features, is minimised.

    Parameters
    ----------
    variant : {"exc", "imc"}, default="exc"
        Thresholds an object pays for: the two around its own label (explicit constraints), or
        all of them (implicit constraints), whose loss bounds the absolute error more closely.
    thresholds : {"fixed", "learned"}, default="fixed"
        Fixed: b_i = i − ½ between ranks i − 1 and i of 1, …, r, so that scores are on the scale
        of ranks. Learned: free, but in order; IMC orders them by itself, EXC is made to by an
        exact penalty, and may set two of them equal, which leaves the label between them unused.
    margin : float, default=0.5
        γ. With fixed thresholds, no more than ½ if inner labels are to reach loss 0.
    penalty : float, default=1e-3
        λ, above 0. It is compared with a mean, so needs no change with n.
    categories : sequence, default=None
        Labels from lowest to highest. Needed for strings; numbers have their order, and so has
        an ordered pandas Categorical.
    tol : float, default=1e-3
        The objective ends at most ``tol * margin`` above its least value.
    max_iter : int, default=1000
        Most Newton steps.

    Attributes
    ----------
    classes_ : ndarray of shape (r,)
        Labels present in `y`, from lowest to highest. Ranks are among these: a level that does
        not occur leaves no gap.
    coef_ : ndarray of shape (n_features,)
        w, for features as given.
    intercept_ : float
        c. With learned thresholds it makes the mean training score 0.
    thresholds_ : ndarray of shape (r - 1,)
        b_2 ≤ … ≤ b_r. With two labels it is 0 (moved into the intercept), as tools for two-class
        scores expect.
    loss_ : float
        Mean margin loss ε₀ on the training sample.
    n_iter_ : int
        Newton steps taken.

    Notes
    -----
    `score` is accuracy, as for any classifier; `absolute_error` counts ranks. For labels that
    are consecutive integers, ``scoring="neg_mean_absolute_error"`` is the same.

    All features are held at once, n × R numbers in float64, and a standardised copy of them: unlike
    squared loss, hinges have no sums that stand for the rows.

    References
    ----------
    Kar and Jain, *Supervised Learning with Similarity Functions*, NIPS 2012, section 3.3; Chu and
    Keerthi, *Support Vector Ordinal Regression*, Neural Computation 19, 2007.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
    >>> model = Ordinal(categories=["low", "fair", "high"])
    >>> y = ["low", "low", "fair", "fair", "high", "high"]
    >>> model.fit(X, y).predict([[0.2], [2.4], [9.0]]).tolist()
    ['low', 'fair', 'high']
    >>> model.thresholds_
    array([1.5, 2.5])
    """

    def __init__(
        self,
        variant: str = "exc",
        thresholds: str = "fixed",
        *,
        margin: float = 0.5,
        penalty: float = 1e-3,
        categories: Sequence[Any] | None = None,
        tol: float = 1e-3,
        max_iter: int = 1000,
    ) -> None:
        self.variant = variant
        self.thresholds = thresholds
        self.margin = margin
        self.penalty = penalty
        self.categories = categories
        self.tol = tol
        self.max_iter = max_iter

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        # The blobs by which scikit-learn judges lie in no order that one linear score could follow.
        tags.classifier_tags.poor_score = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the score and, unless fixed, the thresholds.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            Features; made dense and float64 to solve, see Notes.
        y : array of shape (n_samples,)
            Ordered labels, at least two different ones.
        sample_weight : array of shape (n_samples,), default=None
            Weights of the objects' losses; 0 is as good as absent.

        Returns
        -------
        Ordinal
            Itself.
        """
        self._check_parameters()
        order = declared_order(y, self.categories)
        require_targets(y)
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        weight = checked_weights(sample_weight, len(y))
        kept = np.flatnonzero(weight)
        self.classes_ = labels_in_order(np.asarray(y)[kept], order)
        rank = ranks_among(np.asarray(y)[kept], self.classes_)
        some = X if len(kept) == len(weight) else X[kept]
        dense = some.toarray() if sparse.issparse(some) else np.asarray(some)
        with blas_for(dense.shape[1]):
            self._solve(dense, rank, weight[kept] / weight.sum())
        return self

    def _check_parameters(self) -> None:
        require_bounded(type(self), vars(self))
        for name, allowed in (("variant", VARIANTS), ("thresholds", THRESHOLDS)):
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name}={getattr(self, name)!r} is not one of {allowed}.")
        for name in ("margin", "penalty", "tol"):
            value: Any = getattr(self, name)
            if not (isinstance(value, Real) and 0 < float(value) < np.inf):
                raise ValueError(f"{name}={value!r} must be a number above 0.")

    def _solve(self, X: Floats, rank: NDArray[np.intp], weight: Floats) -> None:
        """Standardise, minimise, and put the solution back into the features' own units."""
        r = len(self.classes_)
        fixed = self.thresholds == "fixed"
        Z, mean, scale = standardised(X, weight)
        hinges = ThresholdHinges(
            Z,
            sides_of(rank, r - 1, self.variant),
            weight,
            base=np.arange(1.5, r, dtype=np.float64) if fixed else np.zeros(r - 1),
            basis=np.ones((r - 1, 1)) if fixed else np.eye(r - 1),
            margin=self.margin,
            penalty=self.penalty,
            ordered=not fixed and self.variant == "exc",
        )
        last = 2 * min(1.0, self.tol) * self.margin / hinges.total  # each is off by half of it
        first = max(last, 2 * self.margin)
        start = np.zeros(X.shape[1] + hinges.basis.shape[1])
        if fixed:
            start[-1] = -1.0 - weight @ rank  # the mean rank, of which features know nothing yet
        found = minimise(hinges, start, first, last, self.max_iter)
        theta, self.n_iter_ = found.theta[:, 0], int(found.steps[0])
        if not found.converged:
            warn_user(
                f"Ordinal stopped after max_iter={self.max_iter} steps, before its minimum: "
                "raise max_iter, penalty or tol.",
                ConvergenceWarning,
            )
        self.coef_ = theta[: X.shape[1]] / scale
        # The rounded price of disorder lets order be missed by up to half its width.
        b = np.maximum.accumulate(hinges.thresholds(theta))
        shift = b[0] if r == 2 else theta[-1] if fixed else 0.0
        self.thresholds_ = hinges.base if fixed and r > 2 else b - shift
        self.intercept_ = float(-mean @ self.coef_ - shift)
        losses = margin_losses(self._scores(X), rank, self.thresholds_, self.margin, self.variant)
        self.loss_ = float(weight @ losses)


def standardised(X: Floats, weight: Floats) -> tuple[Floats, Floats, Floats]:
    """Return rows with columns of mean 0 and variance 1, the means, and the deviations.

    Parameters
    ----------
    X : ndarray of shape (n, D)
    weight : ndarray of shape (n,)
        Of the rows; they sum to 1.

    Examples
    --------
    >>> Z, mean, scale = standardised(np.array([[1.0, 5.0], [3.0, 5.0]]), np.array([0.5, 0.5]))
    >>> Z.tolist(), mean, scale
    ([[-1.0, 0.0], [1.0, 0.0]], array([2., 5.]), array([1., 1.]))
    """
    mean = weight @ X
    Z = X - mean
    off = weight @ Z  # of large means the first ones are rounded
    Z -= off
    mean += off
    deviation = np.sqrt(weight @ np.square(Z))
    # What a constant column varies by is rounding.
    constant = deviation <= len(X) * np.finfo(np.float64).eps * np.abs(mean)
    scale = np.where(constant, 1.0, deviation)
    Z /= scale
    return Z, mean, scale
