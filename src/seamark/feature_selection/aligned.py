"""`Aligned`: a kernel learned from labels, as a distribution over the features of any map."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.optimize import brentq
from sklearn.utils.validation import check_is_fitted

from ..engine import blas_for
from ..features import InMemory, groups_of
from ..linear_model import FoldSums, Primal
from ..maps import MapUnion
from ..maps.landmark import unscaled
from ..plotting import DistributionDisplay
from ..targets import TASKS, deal, reads_classes
from ..validation import generator, require_count, seeded
from .columns import (
    Array,
    Candidates,
    Chosen,
    Outputs,
    Rows,
    TargetSums,
    check_targets,
    check_training,
    encode,
)


def alignment_weights(v: ArrayLike, rho_per_feature: float, power: float = 2.0) -> Array:
    """Maximise Σ qₘvₘ over distributions q near the uniform one.

    Near means (1/N) Σ (Nqₘ)ᵏ − 1 ≤ ρ with k = `power`: problem (4) of the paper, in which vₘ is
    how well feature m goes with the labels. For k = 2 this is ‖q − 1/N‖² ≤ ρ/N.

    Parameters
    ----------
    v : array-like of shape (N,)
        Alignment of each feature. Its scale and origin do not matter.
    rho_per_feature : float
        ρ/N, at least 0. For k = 2 it has one meaning whatever N: about N/ρ features stay.
        0 leaves q uniform; if ρ ≥ (N/t)^(k−1) − 1, where t features share the largest v, q is
        uniform on these.
    power : float, default=2
        k, at least 2.

    Returns
    -------
    ndarray of shape (N,)
        q: not negative, sums to 1, and exactly 0 for the features left out.

    Notes
    -----
    The solution is q ∝ (vₘ − η)₊^(1/(k−1)) for one number η, which rises with ρ. For k = 2 its
    support follows from sums over the sorted v, and η in closed form. Otherwise η is bracketed
    and found by Brent's method; the end of the bracket that keeps the constraint is returned.

    Examples
    --------
    >>> alignment_weights([3.0, 2.0, 0.0, 0.0], rho_per_feature=0.3).round(3)
    array([0.658, 0.342, 0.   , 0.   ])
    >>> alignment_weights([1.0, 1.0, 0.0], rho_per_feature=10.0)
    array([0.5, 0.5, 0. ])
    """
    v = np.asarray(v, dtype=np.float64)
    if v.ndim != 1 or len(v) == 0:
        raise ValueError(f"v must be a list of numbers, one per feature, not {v.shape}.")
    if not np.isfinite(v).all():
        m = int(np.flatnonzero(~np.isfinite(v))[0])
        raise ValueError(f"v[{m}] is {v[m]}; leave out features that are not finite.")
    check_ball(rho_per_feature, power)
    n = len(v)
    low, high = float(v.min()), float(v.max())
    # Halves, so that a range beyond the largest float is no infinity.
    span = 0.5 * high - 0.5 * low
    lag = (0.5 * high - 0.5 * v) / span if span > 0.0 else np.zeros(n)
    tied = np.count_nonzero(lag == 0.0)
    rho = rho_per_feature * n
    if rho == 0.0 or tied == n:
        return np.full(n, 1.0 / n)
    if rho >= (n / tied) ** (power - 1.0) - 1.0:
        return np.where(lag == 0.0, 1.0 / tied, 0.0)
    return _by_sorting(lag, rho) if power == 2.0 else _by_bisection(lag, rho, power)


def check_ball(rho_per_feature: Any, power: Any) -> None:
    """Stop unless these make a ball of distributions."""
    for name, value, least in (("rho_per_feature", rho_per_feature, 0), ("power", power, 2)):
        number = isinstance(value, Real) and not isinstance(value, bool)
        if not number or not least <= value < np.inf:
            raise ValueError(f"{name} must be a number of at least {least}, not {value!r}.")


def _by_sorting(lag: Array, rho: float) -> Array:
    """Solve for k = 2 exactly, for how far each feature lags behind the best.

    On the m best features q = 1/m − s(lag − mean), whose square norm is 1/m + s²S, S the sum of
    squares about the mean. Feature m leaves when s reaches 1/Σⱼ≤ₘ(lagₘ − lagⱼ); the norm at that
    point falls with m, so the support is counted.
    """
    n = len(lag)
    allowed = (1.0 + rho) / n
    order = np.argsort(lag)
    u = lag[order]
    m = np.arange(1, n + 1)
    sums, squares = np.cumsum(u), np.cumsum(np.square(u))
    room = m * u - sums
    spread = np.maximum(squares - np.square(sums) / m, 0.0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        leaves = np.where(room > 0.0, 1.0 / m + spread / np.square(room), np.inf)
    kept = int(np.count_nonzero(leaves > allowed))
    chosen = u[:kept] - u[:kept].mean()
    total = float(chosen @ chosen)
    slope = np.sqrt(max(0.0, allowed - 1.0 / kept) / total) if total > 0.0 else 0.0
    q = np.zeros(n)
    q[order[:kept]] = np.maximum(0.0, 1.0 / kept - slope * chosen)
    return np.asarray(q / q.sum())


def _by_bisection(lag: Array, rho: float, power: float) -> Array:
    """Find h = v_max − η such that q ∝ (h − lag)₊^(1/(k−1)) is as far from uniform as allowed."""
    n = len(lag)

    def weights(h: float) -> Array:
        # Relative to h, so that no power of a tiny number underflows.
        p = np.maximum(0.0, 1.0 - lag / h) ** (1.0 / (power - 1.0))
        return np.asarray(p / p.sum())

    def excess(log_h: float) -> float:
        return float(np.mean((n * weights(np.exp(log_h))) ** power)) - 1.0 - rho

    near = np.log(lag[lag > 0.0].min())  # only those that share the maximum: too far
    far = 1.0
    while excess(far) > 0.0:
        far += 2.0
        if far > 40.0:  # ρ is below rounding
            return np.full(n, 1.0 / n)
    log_h = brentq(excess, near, far, xtol=1e-14, rtol=1e-14)
    step = 1e-15
    while excess(log_h) > 0.0 and log_h < far:
        log_h, step = min(far, log_h + step), 2.0 * step
    return weights(np.exp(log_h))


# How far from uniform a learned distribution may be: ρ, by the error of a ridge on folds.


SIZES = (8, 16, 32, 64, 125, 250, 500)  # features that the ρ tried would leave, were all alike
COMPARED_ROWS, COMPARED_COLUMNS = 5000, 2000  # the most on which values of ρ are compared
PENALTIES = (1e-4, 1e-3, 1e-2, 1e-1, 1.0)  # of the ridge


def tuned_rho(
    candidates: Candidates,
    sums: TargetSums,
    alignment: Callable[[TargetSums], Array],
    data: tuple[Rows, Array, Rows],
    power: float,
    rng: np.random.Generator,
) -> tuple[float, dict[str, list[float]]]:
    """Return the ρ/N with the least squared error of a ridge on folds, and all that was tried.

    The distribution is found again without each fold. Whatever ρ is, it leaves the features of
    the largest alignments; so one matrix of products over the widest of them, of at most 5000
    rows, serves the ridges of all.

    Parameters
    ----------
    candidates : Candidates
    sums : TargetSums
        Over each fold.
    alignment : callable
        Alignment of each feature, from sums.
    data : tuple of ndarray
        Rows that are looked at, and their targets and folds.
    power : float
    rng : Generator
    """
    rows, Y, folds = data
    n = candidates.shape[1]
    rhos = [((n / size) ** (power - 1.0) - 1.0) / n for size in SIZES if size < n]
    if not rhos:
        return 0.0, {}
    sample = np.sort(rng.permutation(len(rows))[:COMPARED_ROWS])
    errors = []
    with blas_for(COMPARED_COLUMNS):
        for fold in np.unique(folds[sample]):
            v = alignment(sums.without(fold))
            widths = [int(np.count_nonzero(alignment_weights(v, rho, power))) for rho in rhos]
            # A ρ that leaves more columns than are compared keeps an infinite error.
            tried = [width for width in widths if width <= COMPARED_COLUMNS] or widths[:1]
            values = candidates.rows(rows[sample], np.argsort(-v, kind="stable")[: max(tried)])
            held = (folds[sample] == fold).astype(np.intp)
            products = FoldSums.of(InMemory(values), Y[sample], held, n_folds=2, precision="single")
            means = Primal(products, centred=True).judge([1], PENALTIES, tried)[0][0]
            of_fold = np.full(len(rhos), np.inf)
            of_fold[: len(tried)] = means.min(axis=0) * products.n_targets
            errors.append(of_fold)
    mean = np.mean(errors, axis=0)
    return rhos[int(np.argmin(mean))], {"rho_per_feature": rhos, "error": mean.tolist()}


# `Aligned`: a kernel learned from labels, as a distribution over the features of any map.


FOLDS = 3  # to choose ρ on
ESTIMATORS = ("auto", "resample", "weigh")


@dataclass(eq=False, repr=False)
class Aligned(Chosen):
    """Keep and scale the features whose kernel goes best with the labels (Sinha and Duchi).

    Any map in front: a large number of random features is drawn, and a distribution q over them
    is found that maximises Σᵢⱼ K(xᵢ, xⱼ) yᵢ·yⱼ near the uniform one. It is sparse: `transform`
    evaluates only what it kept.

    Parameters
    ----------
    map : Map, list of maps or None, default=None
        Where features come from: `RandomFourier`, `ArcCosine`, `Coordinates`, a `LandmarkMap` with
        generated objects, …; the features of several maps stand side by side. None: the columns
        of X, a matrix, CSR or Features.
    rho_per_feature : "cv" or float, default="cv"
        ρ/N: how far from uniform q may be, see `alignment_weights`; about N/ρ features stay.
        "cv": the one of seven, leaving about 8 to 500 features, with the least error of a ridge
        on folds, q being found again without each fold.
    power : float, default=2
        k of the divergence tᵏ − 1.
    n_features : int, optional
        D, the most features to keep.
    n_sample : int, optional
        Rows, drawn at random, that q is found on; default all.
    estimator : {"auto", "resample", "weigh"}, default="auto"
        "weigh", estimator (6): keep the support of q, scaled by √(Nq); of more than D, those with
        the largest q. "resample", estimator (5): draw D features from q; one drawn c times is kept
        once and scaled by √(Nc/D). "auto": (5) if q has more than D features, else (6). Maps give
        their features over √N, so that a uniform q leaves a map's kernel as it is.
    scaled : bool, default=True
        False leaves features as they are: a ridge whose penalty does not mind scale absorbs √q.
        The heads of this library standardise their columns, so that it makes no difference there.
    centred : bool, default=True
        Subtract means from targets (numbers, or ±1 for each class against the rest), for
        predictors with an intercept. The paper has ±1 as they are.
    diagonal : bool, default=True
        Count the pairs i = j, as problem (4) does. False, as in the theory: take it where features
        are unbounded, so that a few large values do not decide.
    normalise : bool, default=False
        Divide alignments by the variances of the features, so that their units do not matter:
        for features that come from several measures, and heads that standardise.
    task : {"auto", "classification", "regression"}, default="auto"
        How to read y. "auto": as classes, unless it holds numbers that are not whole, or more
        than 30 distinct ones.
    random_state : int, RandomState or Generator, optional
        Of the rows, the folds, the draw, and of maps that have none of their own.

    Attributes
    ----------
    support_ : ndarray of int
        Features kept, the largest weight first.
    weights_ : ndarray
        Their scales.
    distribution_ : ndarray of shape (N,)
        q.
    alignment_ : float
        Σ qₘvₘ/n², the alignment reached.
    uniform_alignment_ : float
        The same for uniform q.
    rho_per_feature_ : float
        The ρ/N used.
    cv_results_ : dict
        "rho_per_feature" and "error", if there was something to choose.
    map_ : Map or None
        Fitted; has the features of `support_` alone.
    n_features_in_ : int
        Columns of X, if there is no map.

    References
    ----------
    Sinha and Duchi, "Learning Kernels with Random Features", 2016.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 50))
    >>> y = np.sign(X[:, 7] + 0.1 * rng.normal(size=200))
    >>> aligned = Aligned(rho_per_feature=0.5).fit(X, y)
    >>> int(aligned.support_[0]), aligned.alignment_ > 10 * aligned.uniform_alignment_
    (7, True)
    """

    map: Any = None
    _: KW_ONLY
    rho_per_feature: Any = "cv"
    power: float = 2.0
    n_features: int | None = None
    n_sample: int | None = None
    estimator: str = "auto"
    scaled: bool = True
    centred: bool = True
    diagonal: bool = True
    normalise: bool = False
    task: str = "auto"
    random_state: Any = None

    def fit(self, X: Any, y: Any) -> Self:
        """Find q, and keep what has weight.

        Parameters
        ----------
        X : objects of the map; without one, array-like, CSR matrix or Features
        y : array-like of shape (n,) or (n, outputs)
            Classes or numbers.

        Returns
        -------
        self
        """
        self._check_parameters()
        rng = generator(self.random_state)
        bearings, candidates, target = self._candidates(X, y, rng)
        Y = target.values - target.values.mean(axis=0) if self.centred else target.values
        rows = np.arange(len(Y))
        if self.n_sample is not None and self.n_sample < len(Y):
            rows = np.sort(rng.permutation(len(Y))[: self.n_sample])
        folds, open_rho = np.zeros(len(rows), dtype=np.intp), self.rho_per_feature == "cv"
        if open_rho:
            groups = None if candidates.groups is None else candidates.groups[rows]
            labels = None if target.codes is None else target.codes[rows]
            folds = deal(np.ones(len(rows), dtype=bool), FOLDS, rng, labels, groups)
        moments = 3 if self.normalise or not self.diagonal else 0
        sums = TargetSums.of(candidates.some(rows), Y[rows], folds, moments=moments)

        def alignment(some: TargetSums) -> Array:
            return some.alignment(diagonal=self.diagonal, normalise=self.normalise)

        if open_rho:
            data = rows, Y[rows], folds
            found = tuned_rho(candidates, sums, alignment, data, self.power, rng)
            self.rho_per_feature_, self.cv_results_ = found
        else:
            self.rho_per_feature_, self.cv_results_ = float(self.rho_per_feature), {}
        v = alignment(sums)
        self.distribution_ = alignment_weights(v, self.rho_per_feature_, self.power)
        self.alignment_, self.uniform_alignment_ = float(self.distribution_ @ v), float(v.mean())
        self.support_, shares = self._kept(rng)
        self.weights_ = np.sqrt(len(v) * shares) if self.scaled else np.ones(len(shares))
        self.map_ = None if bearings is None else bearings.subset(self.support_)
        return self

    def _check_parameters(self) -> None:
        for name, known in (("estimator", ESTIMATORS), ("task", TASKS)):
            if getattr(self, name) not in known:
                raise ValueError(
                    f"{name} must be one of {', '.join(known)}; got {getattr(self, name)!r}."
                )
        for name in ("n_features", "n_sample"):
            if getattr(self, name) is not None:
                require_count(name, getattr(self, name))
        check_ball(0.0 if self.rho_per_feature == "cv" else self.rho_per_feature, self.power)

    def _candidates(
        self, X: Any, y: Any, rng: np.random.Generator
    ) -> tuple[Any, Candidates, Outputs]:
        """Fit the map, and read y."""
        if self.map is None:
            groups = groups_of(X)
            X, y = check_training(self, X, y)
            target = encode(y, classes=reads_classes(y, self.task))
            return None, Candidates(X, groups=groups), target
        several = isinstance(self.map, (list, tuple))
        bearings = unscaled(MapUnion(list(self.map)) if several else self.map)
        bearings = seeded(bearings, rng).fit(X, y)
        if not bearings.is_divisible:
            raise ValueError(
                f"features of {bearings!r} cannot be computed one by one, so none can be chosen."
            )
        objects = bearings.ingest(X)
        y = check_targets(objects, y)
        candidates = Candidates(objects, bearings, bearings.groups(objects))
        return bearings, candidates, encode(y, classes=reads_classes(y, self.task))

    def _kept(self, rng: np.random.Generator) -> tuple[Rows, Array]:
        """Return the features kept and the share of each in the kernel."""
        q = self.distribution_
        found = np.count_nonzero(q)
        limit = self.n_features or found
        if self.estimator == "resample" or (self.estimator == "auto" and limit < found):
            shares = rng.multinomial(limit, q) / limit
        else:
            shares = q
        order = np.argsort(-shares, kind="stable")
        support = order[: min(limit, np.count_nonzero(shares))]
        return support, shares[support]

    def transform(self, X: Any) -> Any:
        """Return the features kept, scaled.

        Parameters
        ----------
        X : as in `fit`

        Returns
        -------
        ndarray or CSR matrix of shape (n, k)
            In the order of `support_`.
        """
        check_is_fitted(self)
        if self.map_ is None:
            return super().transform(X)
        features = self.map_.transform(X)
        return self._weighed(features if sparse.issparse(features) else np.asarray(features))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the features kept, as the map gives them."""
        check_is_fitted(self)
        if self.map_ is None:
            return super().get_feature_names_out(input_features)
        return np.asarray(self.map_.get_feature_names_out())

    def plot(self, ax: Any = None) -> DistributionDisplay:
        """Draw the learned distribution, features by falling weight, beside the uniform one.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        DistributionDisplay
        """
        check_is_fitted(self)
        return DistributionDisplay(self.distribution_).plot(ax)
