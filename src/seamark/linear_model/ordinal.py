"""Ordered labels: a linear score, cut by thresholds, with hinges on both sides of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from ..engine import blas_for, warn_user
from ..targets import checked_weights, require_targets, too_few_classes
from ..validation import require_bounded
from .newton import Bends, Curvature, DoubleRows, Floats, Minimum, Places, newton


def ordered_ranks(
    y: Any, categories: Sequence[Any] | None = None
) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Labels in their order, and the rank of every y among them, from 0.

    Examples
    --------
    >>> ordered_ranks([3, 1, 3])
    (array([1, 3]), array([1, 0, 1]))
    """
    order = declared_order(y, categories)
    labels = np.asarray(y)
    classes = labels_in_order(labels, order)
    return classes, ranks_among(labels, classes)


def declared_order(y: Any, categories: Sequence[Any] | None) -> list[Any] | None:
    """Order of the labels that a user states, or an ordered pandas Categorical carries."""
    if categories is not None:
        order = list(categories)
        if len(set(order)) < len(order):
            raise ValueError(f"categories={order} names a label twice; name each once.")
        return order
    dtype: Any = getattr(y, "dtype", None)
    return list(dtype.categories) if getattr(dtype, "ordered", False) else None


def labels_in_order(y: NDArray[Any], order: list[Any] | None) -> NDArray[Any]:
    """Labels present, from lowest to highest."""
    present = set(y.tolist())
    if order is not None:
        unknown = present.difference(order)
        if unknown:
            raise ValueError(f"label {unknown.pop()!r} of y is not among categories={order}.")
        classes = np.array([label for label in order if label in present], dtype=y.dtype)
    else:
        strange = [label for label in present if not isinstance(label, (bool, int, float))]
        if strange:
            raise ValueError(
                f"labels must be ordered, and the place of {strange[0]!r} is not known: give "
                "categories=, the labels from lowest to highest."
            )
        whole = all(float(label).is_integer() for label in present)
        if not whole and 2 * len(present) > len(y):
            raise ValueError(
                f"y looks continuous, with {len(present)} values in {len(y)} objects: cut it into "
                "ordered bins, or use a regressor."
            )
        classes = np.unique(y)
    if len(classes) < 2:
        raise too_few_classes(classes, ", with weights above 0")
    return classes


def ranks_among(y: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.intp]:
    """Place of each label among `classes`, from 0."""
    place = {label: i for i, label in enumerate(classes.tolist())}
    try:
        return np.array([place[label] for label in y.tolist()], dtype=np.intp)
    except KeyError as error:
        raise ValueError(
            f"label {error.args[0]!r} was not in the y of fit, so that it has no rank."
        ) from None


# Margin losses of scores against thresholds, and what they promise of labels.


def margin_losses(
    score: Floats, rank: NDArray[np.intp], thresholds: Floats, margin: float, variant: str
) -> Floats:
    """Hinge losses of scores, one per object.

    Examples
    --------
    >>> b = np.array([1.5, 2.5])
    >>> margin_losses(np.array([2.0, 3.5]), np.array([1, 0]), b, 0.5, "exc").tolist()
    [0.0, 2.5]
    """
    sides = sides_of(rank, len(thresholds), variant)
    slacks = margin - sides * (score[:, None] - thresholds)
    return np.asarray((np.abs(sides) * np.maximum(slacks, 0.0)).sum(axis=1))


def sides_of(rank: NDArray[np.intp], n_thresholds: int, variant: str) -> Floats:
    """+1 where a score belongs above a threshold, −1 below, 0 where the variant does not look."""
    above = rank[:, None] - np.arange(n_thresholds)  # of a label's own two thresholds: 1 and 0
    sides = np.where(above > 0, 1.0, -1.0)
    return sides if variant == "imc" else np.where((above == 0) | (above == 1), sides, 0.0)


class Guarantees(NamedTuple):
    """What a mean margin loss promises of the labels on the same sample."""

    mislabelling: float
    absolute_error: float


def guarantees(
    loss: float, margin: float, spacing: float = 1.0, variant: str = "exc"
) -> Guarantees:
    """Bounds on the errors of a model whose mean margin loss is known.

    A label k ranks off lies beyond k thresholds, so that its loss is at least γ + (k − 1)Δ, and
    kγ with IMC. Hence mislabelling ≤ ε₀/γ; and mean absolute error, in ranks, ≤ ε₀/min(γ, Δ),
    ≤ (ε₀ + Δ − γ)/Δ where γ ≤ Δ, ≤ ε₀/γ with IMC: the least of those that apply is given. (The
    paper's bound, with max{γ, 1} in the place of γ, fails for γ < 1.)

    Parameters
    ----------
    loss : float
        Mean margin loss ε₀.
    margin : float
        γ.
    spacing : float, default=1
        Least distance Δ of two thresholds; ``inf`` if there is only one.
    variant : {"exc", "imc"}, default="exc"
        Which loss it is.

    Returns
    -------
    Guarantees
        Named tuple (mislabelling, absolute_error).

    Examples
    --------
    >>> guarantees(loss=0.1, margin=0.5)
    Guarantees(mislabelling=0.2, absolute_error=0.2)
    """
    step = margin if variant == "imc" else min(margin, spacing)
    absolute = loss / step if step > 0 else np.inf
    if margin <= spacing:
        absolute = min(absolute, 1.0 + (loss - margin) / spacing)
    return Guarantees(min(1.0, loss / margin), absolute)


# Hinges of scores against thresholds, minimised.


_LAST = 1e-12  # slope along Newton's last step, per unit of the hinges' width
_START = 0.2  # the same for a solution that only starts the next one
_FLAT = 1e-11  # damping of thresholds, which nothing may hold; larger ones only slow
_FACTOR = 10.0  # from one width to the next


class ThresholdHinges:
    """Σ_k c_k [z_k(θ)]₊ + p/2 ‖w‖² in θ = (w, τ): scores Zw, thresholds base + basis·τ.

    Kinks are rounded over a `width`: smooth, for Newton's method.

    Fixed thresholds move together (τ is minus the intercept), learned ones each by themselves.
    EXC may want thresholds out of order, and either variant thresholds nearer than a `spacing` Δ.
    Then hinges [b_j + Δ − b_{j+1}]₊ are added: whoever moves all thresholds from one on gains no
    more than the weight of all objects, 1, for each threshold that an object looks at on this side,
    so that twice that price keeps the distances exactly.
    """

    def __init__(
        self,
        Z: Floats,
        sides: Floats,
        weight: Floats,
        *,
        base: Floats,
        basis: Floats,
        margin: float,
        penalty: float,
        ordered: bool,
        spacing: float = 0.0,
    ) -> None:
        self.rows, self.base, self.basis = DoubleRows(Z), base, basis
        self.penalty = penalty
        # Only those that the variant looks at: of each hinge its row, threshold and side.
        self.row, self.border = np.nonzero(sides)
        self.side = sides[self.row, self.border]
        self.n_gaps = len(base) - 1 if ordered else 0
        self.gaps = np.diff(np.eye(len(base)), axis=0)[: self.n_gaps] @ basis
        self.price = 2.0 * max(1.0, np.abs(sides).sum(axis=1).max() - 1.0)  # EXC looks at two
        self.weights = np.append(weight[self.row], np.full(self.n_gaps, self.price))[:, None]
        self.total = float(self.weights.sum())
        fixed = margin + self.side * base[self.border]
        self.at_zero = np.append(fixed, spacing - np.diff(base)[: self.n_gaps])[:, None]
        self.curvature, self.width = Curvature(self.rows), 1.0

    def thresholds(self, theta: Floats) -> Floats:
        """Every b_j at θ."""
        return np.asarray(self.base + self.basis @ theta[self.rows.width :])

    def change(self, step: Floats) -> Floats:
        """Of every slack: of each object and threshold, γ ∓ (score − b), then of the gaps."""
        weights, borders = step[: self.rows.width, 0], step[self.rows.width :, 0]
        moved = self.rows.scores(weights)[self.row] - (self.basis @ borders)[self.border]
        return np.append(-self.side * moved, -self.gaps @ borders)[:, None]

    def gradient(self, pulls: Floats) -> Floats:
        """Σ_k pulls_k ∇z_k."""
        pull, of_gaps = self.side * pulls[: len(self.side), 0], pulls[len(self.side) :, 0]
        of_rows = np.asarray(np.bincount(self.row, pull, len(self.rows.A)), dtype=np.float64)
        of_borders = np.bincount(self.border, pull, len(self.base))
        borders = of_borders @ self.basis - of_gaps @ self.gaps
        return np.append(-self.rows.sum(of_rows), borders)

    def slacks(self, theta: Floats) -> Floats:
        """Every z_k."""
        return self.at_zero + self.change(theta)

    def slopes(self, slacks: Floats, which: Places) -> Floats:
        """Weight times a share that rises from 0 to 1 within the width."""
        return np.asarray(self.weights * (np.clip(slacks, 0.0, self.width) / self.width))

    def step(self, theta: Floats, slacks: Floats, which: Places) -> Floats:
        """Newton's step; all is multiplied by the width, so that sums of rows outlive a change."""
        n_columns = self.rows.width
        right = self.gradient(self.slopes(slacks, which))
        right[:n_columns] += self.penalty * theta[:n_columns, 0]
        # Hinges within their widths, of which each counts by its weight.
        inside = ((slacks > 0) & (slacks < self.width))[:, 0]
        bent, gaps = np.flatnonzero(inside[: len(self.side)]), self.gaps[inside[len(self.side) :]]
        own = self.price * gaps.T @ gaps
        own.flat[:: len(own) + 1] += _FLAT
        bends = Bends(self.row[bent], self.weights[bent, 0], self.basis[self.border[bent]], own)
        return -self.curvature.solve(bends, self.width * self.penalty, self.width * right)[:, None]

    def along(self, theta: Floats, step: Floats, which: Places) -> tuple[Floats, Floats, Floats]:
        """See `newton`."""
        weights = self.penalty * step[: self.rows.width]
        linear = (weights * theta[: len(weights)]).sum(axis=0)
        quadratic = (weights * step[: len(weights)]).sum(axis=0)
        return self.change(step), linear, quadratic

    def unit(self, theta: Floats, slacks: Floats, which: Places) -> Floats:
        """The width, of which a hinge may be off by half."""
        return np.array([self.width])


def minimise(
    hinges: ThresholdHinges, start: Floats, first: float, last: float, max_iter: int
) -> Minimum:
    """Minimise hinges rounded over falling widths, every one from the solution before.

    Parameters
    ----------
    hinges : ThresholdHinges
        The objective.
    start : ndarray of shape (D + q,)
        Where to start.
    first, last : float
        Widths between which to go, by factors of about 10.
    max_iter : int
        Most Newton steps, of all widths together.
    """
    widths = np.geomspace(first, last, 2 + int(np.log(first / last) / np.log(_FACTOR)))
    found = Minimum(start[:, None], np.zeros(1, dtype=np.intp), True)
    for width in widths.tolist():
        # Solutions on the way only start the next: their accuracy is a waste.
        enough = _LAST if width == widths[-1] else _START
        steps = found.steps
        hinges.width = width
        found = newton(hinges, found.theta, enough, max_iter - int(steps[0]))
        found = found._replace(steps=found.steps + steps)
    return found


# `Ordinal`: large-margin regression onto ordered labels.


VARIANTS = ("exc", "imc")
THRESHOLDS = ("fixed", "learned")


@dataclass(eq=False, repr=False)
class Ordinal(ClassifierMixin, BaseEstimator):
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
        exact penalty, and may set two of them equal, which leaves the label between them unused
        (see `spacing`).
    margin : float, default=0.5
        γ. With fixed thresholds, no more than ½ if inner labels are to reach loss 0.
    spacing : float, default=0.0
        Δ, the least distance of two learned thresholds. With 1 a bound on mislabelling is one on
        the absolute error too (`guarantees`). Fixed thresholds are 1 apart in any case.
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

    variant: str = "exc"
    thresholds: str = "fixed"
    _: KW_ONLY
    margin: float = 0.5
    spacing: float = 0.0
    penalty: float = 1e-3
    categories: Sequence[Any] | None = None
    tol: float = 1e-3
    max_iter: int = 1000

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
        require_bounded(type(self), vars(self))
        for name, allowed in (("variant", VARIANTS), ("thresholds", THRESHOLDS)):
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} must be one of {allowed}; got {getattr(self, name)!r}.")
        for name in ("margin", "penalty", "tol"):
            value: Any = getattr(self, name)
            if not (isinstance(value, Real) and 0 < float(value) < np.inf):
                raise ValueError(f"{name}={value!r} must be a number above 0.")
        spacing: Any = self.spacing
        if not (isinstance(spacing, Real) and 0 <= float(spacing) < np.inf):
            raise ValueError(f"spacing={self.spacing!r} must be a number, 0 or more.")
        if self.spacing and self.thresholds == "fixed":
            raise ValueError('spacing= is for thresholds="learned"; fixed ones are 1 apart.')
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
            ordered=not fixed and (self.variant == "exc" or self.spacing > 0),
            spacing=self.spacing,
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
        apart = self.spacing * np.arange(r - 1)
        b = np.maximum.accumulate(hinges.thresholds(theta) - apart) + apart
        shift = b[0] if r == 2 else theta[-1] if fixed else 0.0
        self.thresholds_ = hinges.base if fixed and r > 2 else b - shift
        self.intercept_ = float(-mean @ self.coef_ - shift)
        losses = margin_losses(self._scores(X), rank, self.thresholds_, self.margin, self.variant)
        self.loss_ = float(weight @ losses)

    def _scores(self, X: Any) -> Floats:
        return np.asarray(X @ self.coef_ + self.intercept_)

    def scores(self, X: Any) -> Floats:
        """Score f of each object: the higher, the higher its label.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples,)
            Scores, to be compared with `thresholds_`.
        """
        check_is_fitted(self)
        return self._scores(
            validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64)
        )

    def decision_function(self, X: Any) -> Floats:
        """How far inside the place of each label the score lies, as scikit-learn wants it.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples, r)
            Distance to the nearer threshold of the label, below 0 outside; the label of the
            largest is predicted. For two labels the score itself, of shape (n_samples,).
        """
        return self.depths(self.scores(X))

    def depths(self, score: Floats) -> Floats:
        """Return the decision that belongs to scores."""
        if len(self.classes_) == 2:
            return score
        edges = np.concatenate([[-np.inf], self.thresholds_, [np.inf]])
        depth = np.minimum(score[:, None] - edges[:-1], edges[1:] - score[:, None])
        return np.asarray(depth)

    def predict(self, X: Any) -> NDArray[Any]:
        """Label of each object.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels out of `classes_`.
        """
        score = self.scores(X)
        labels: NDArray[Any] = self.classes_[np.searchsorted(self.thresholds_, score)]
        return labels

    def absolute_error(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Mean distance, in ranks, of predicted and true labels.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            Features.
        y : array of shape (n_samples,)
            Labels out of `classes_`.
        sample_weight : array of shape (n_samples,), default=None
            Weights of the objects.

        Returns
        -------
        float
            Mean absolute error.
        """
        predicted = np.searchsorted(self.thresholds_, self.scores(X))
        distance = np.abs(predicted - ranks_among(np.asarray(y), self.classes_))
        return float(np.average(distance, weights=sample_weight))

    def margin_loss(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Mean margin loss ε₀, for `guarantees` about other objects than the training sample.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            Features.
        y : array of shape (n_samples,)
            Labels out of `classes_`.
        sample_weight : array of shape (n_samples,), default=None
            Weights of the objects.

        Returns
        -------
        float
            ε₀.
        """
        score, rank = self.scores(X), ranks_among(np.asarray(y), self.classes_)
        losses = margin_losses(score, rank, self.thresholds_, self.margin, self.variant)
        return float(np.average(losses, weights=sample_weight))

    def guarantees(self, loss: float | None = None) -> Guarantees:
        """Bounds on mislabelling and absolute error that follow from a margin loss.

        Parameters
        ----------
        loss : float, default=None
            Mean margin loss of a sample, from `margin_loss`; by default that of the training
            sample.

        Returns
        -------
        Guarantees
            Named tuple (mislabelling, absolute_error), true of the same sample.
        """
        check_is_fitted(self)
        spacing = float(np.min(np.diff(self.thresholds_), initial=np.inf))
        loss = self.loss_ if loss is None else loss
        return guarantees(loss, self.margin, spacing, self.variant)


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
