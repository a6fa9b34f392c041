"""Ridge regression on features that come in chunks, from memory or from a stream of rows."""

from __future__ import annotations

from abc import abstractmethod
from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from ..bounds import require_bounded
from ..data import seed_from, unmasked
from ..engine import blas_for, require_room, settings, step
from ..features import Features, InMemory, Rows, Selected
from ..targets import checked_weights, deal, require_targets
from .intervals import ErrorsOutOfFold, Spread
from .iterative import fit_iteratively, iterates
from .ridge_blocks import ApartFit, BlockFit, fit_blocks, solving_bytes
from .ridge_fit import RidgeFit, RidgeTask, fit_ridge, hashed_folds, linear_scores

Floats = NDArray[np.float64]
Hashes = NDArray[np.int64]


# What heads share that read features in chunks: checks, folds, the ridge and linear scores.


LEAST_BUDGET = 64 << 20  # bytes that any fit may take
DEFAULT_PENALTY = 1.0  # the penalty where folds do not tell which is best


class Streamed(BaseEstimator):
    """A linear model on chunks of rows."""

    n_features_in_: int
    n_features_: int
    coef_: Floats
    intercept_: Any

    def _validated(self, X: Any, y: Any = "no_validation", **options: Any) -> Any:
        """Return features, and y if given, checked: a matrix as scikit-learn does.

        Of features only the shape can be checked here.
        """
        options = {"accept_sparse": "csr", "dtype": [np.float64, np.float32]} | options
        if not isinstance(y, str):
            require_targets(y, numeric=options.get("y_numeric", False))
        if not isinstance(X, Features):
            checked = validate_data(self, X, y, **options)
            return InMemory(checked) if isinstance(y, str) else (InMemory(checked[0]), checked[1])
        if isinstance(y, str):
            if X.shape[1] != self.n_features_in_:
                raise ValueError(
                    f"X has {X.shape[1]} features, but {type(self).__name__} was fitted to "
                    f"{self.n_features_in_}."
                )
            return X
        kind = "numeric" if options.get("y_numeric") else None
        y = check_array(unmasked(y), ensure_2d=False, dtype=kind, input_name="y")
        check_consistent_length(X, y)
        self.n_features_in_ = X.shape[1]
        return X, y

    def narrowed(self, columns: NDArray[np.intp]) -> Self:
        """Return the same model on some columns, in this order, for features that lack the others.

        The others must not be in use, or predictions change.
        """
        other = copy(self)
        other.coef_ = self.coef_[..., columns]
        other.n_features_ = other.n_features_in_ = len(columns)
        return other

    def fitted_to(
        self, features: Features, y: Any, options: dict[str, Any], start: Any = None
    ) -> tuple[Self, Rows | None]:
        """Fit, and return the head for the columns that it keeps, and these; None: all.

        Parameters
        ----------
        features : Features
        y : ndarray
        options : dict
            Further arguments of `fit`; None is left out.
        start : float or dict of int and float, optional
            Where a ridge begins to look for its penalty, or for that of each block.
        """
        given = {name: value for name, value in options.items() if value is not None}
        order, some = features.order, getattr(self, "n_features", None) is not None
        leading = None if order is None or not some else order
        self._start = start
        self.fit(features if leading is None else Selected(features, leading), y, **given)
        self.__dict__.pop("_start", None)  # which is nothing to heads that look for none
        if leading is not None:
            few = leading[: self.n_features_]
            return self.narrowed(np.argsort(few)), np.sort(few)
        # By now features know what folds there are.
        columns = features.columns_without(np.zeros(features.shape[0], dtype=bool))
        if order is not None and columns is not None and len(columns) == len(order):
            columns = None  # all are kept, and such columns stay as they stand
        if hasattr(self, "blocks_"):
            columns = in_use(self, features, columns)
        return (self if columns is None else self.narrowed(columns)), columns

    def predict_block(self, block: Any, method: str) -> NDArray[Any]:
        """Return what a method says of a chunk of features, here or on the device, unchecked."""
        coef = self.coef_ if self.coef_.ndim == 2 else self.coef_[None]
        here = isinstance(block, np.ndarray)
        scores = (block @ coef.T if here else linear_scores(block, coef)) + self.intercept_
        return self._answer(scores, method)

    @abstractmethod
    def _answer(self, scores: Floats, method: str) -> NDArray[Any]:
        """Return what a method, such as "predict", says of linear scores (n, T)."""

    def _scores(self, X: Any) -> Floats:
        """Linear scores (n, T), from the leading columns in use only."""
        check_is_fitted(self)
        features: Features = self._validated(X, reset=False)
        coef = np.atleast_2d(self.coef_)[:, : self.n_features_]
        everything = self.n_features_ == self.n_features_in_
        columns = None if everything else np.arange(self.n_features_)
        return features.stacked(lambda _, block: block @ coef.T + self.intercept_, columns)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class StreamedRidge(Streamed):
    """A ridge on chunks of rows; knows targets as a matrix of floats."""

    penalty: Any
    cv: Any
    n_features: Any
    fit_intercept: bool
    precision: str
    random_state: Any
    _start: float | dict[int, float]  # where the next `fit` searches the penalty, or each block's
    cv_reliable_: bool | None = None
    """False where errors out of fold say nothing of the penalty."""

    @abstractmethod
    def _read(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[Features, Floats, Floats | None, Any]:
        """Return features, targets (n, T), weights, and classes for folds to share out evenly."""

    def task(self, X: Any, y: Any, sample_weight: Any = None) -> RidgeTask:
        """Return what `fit` would fit, dealt to folds: for comparisons of features like these."""
        return self._task(*self._read(X, y, sample_weight), True)

    def _task(
        self, features: Features, Y: Floats, weights: Floats | None, labels: Any, folded: bool
    ) -> RidgeTask:
        """Return what to fit; `folded` asks for folds in any case."""
        require_bounded(type(self), vars(self))
        penalty, size, width = self.penalty, self.n_features, features.shape[1]
        if isinstance(penalty, str) and penalty == "cv":
            penalty = DEFAULT_PENALTY if self.cv_reliable_ is False else None
        elif isinstance(penalty, str) or not 0 < penalty < np.inf:
            raise ValueError(f"penalty={penalty!r} must be 'cv' or a positive number.")
        nested = isinstance(size, str)
        if size is None or (nested and size == "cv"):
            size = width
        elif nested or not 1 <= size <= width:
            raise ValueError(
                f"n_features={size!r} must be None, 'cv' or one of 1..{width}, the columns of X."
            )
        used = np.ones(len(Y), dtype=bool) if weights is None else weights > 0
        # Their scale means nothing to the penalty, and float32 wants it near 1.
        weights = None if weights is None else weights / weights.max()
        folded, sampled = folded or penalty is None or nested, features.sampled
        rng = check_random_state(self.random_state) if folded else None
        if rng is not None and sampled is None:
            folds = deal(used, self.cv, rng, labels, features.groups)
        else:
            folds = np.where(used, 0, -1)
        penalty = None if penalty is None else float(penalty)
        how = penalty, int(size), nested, self.fit_intercept
        task = RidgeTask(features, Y, folds, weights, *how)
        if sampled is not None:
            task = self._of_sample(task, sampled, rng)
        return allowed_only(replace(task, start=self.__dict__.pop("_start", None)))

    def _of_sample(self, task: RidgeTask, sampled: Any, rng: Any) -> RidgeTask:
        """Return the task of `SampledFeatures` as one of all rows, dealt to folds if by an rng."""
        classes = getattr(self, "classes_", None)
        task = replace(task, everything=sampled.everything, classes=classes)
        if rng is None:
            return task
        if not isinstance(self.cv, (int, np.integer)) or self.cv < 2:
            raise ValueError(
                f"cv must be a number of folds from 2, not {self.cv!r}, where rows are read in "
                "chunks: folds are then dealt by a hash of each object."
            )
        n_folds, seed = int(self.cv), seed_from(rng)
        dealt = hashed_folds(np.asarray(sampled.groups), seed, n_folds)
        return replace(task, folds=np.where(task.folds >= 0, dealt, -1), seed=seed, n_folds=n_folds)

    def _fit(
        self, features: Features, Y: Floats, weights: Floats | None, labels: Any, folded: bool
    ) -> tuple[RidgeFit, RidgeTask]:
        """Fit, and return the fit and what was fitted; `folded` asks for folds in any case."""
        task = self._task(features, Y, weights, labels, folded)
        columns = task.columns
        owners = task.features.owners
        several = owners is not None and np.ptp(owners) > 0
        in_blocks = several and task.penalty is None and not task.nested
        self.__dict__.pop("blocks_", None)  # of an earlier fit
        if not in_blocks and self.precision != "double" and iterates(task):
            with blas_for(0), step("fitting"):
                found: Any
                found, task = fit_iteratively(task)
            self._keep(found, columns, features.shape[1])
            return found, task
        n_folds = int(task.folds.max()) + 1
        parts = 2 if task.penalty is not None and not task.nested else 8 + n_folds
        widths: Any = [task.n_features]
        if in_blocks:
            widths = np.unique(np.asarray(owners), return_counts=True)[1]
        n = int(np.count_nonzero(task.folds >= 0))
        n_bytes = solving_bytes(n, n_folds, widths, apart=not task.behind)
        what = f"{n_folds} folds of {task.n_features} features"
        remedy = "take fewer landmarks, or fewer folds (cv=)"
        budget = settings().budget
        if budget is not None and n_bytes > max(budget, LEAST_BUDGET):
            raise MemoryError(
                f"to solve for {what} takes {n_bytes} bytes, more than budget={budget}; give a "
                f"budget of {n_bytes} at least, {remedy}."
            )
        require_room(n_bytes, f"sums of {what}", remedy)
        with blas_for(0), step("fitting", parts):
            fit: Any = fit_blocks(task) if in_blocks else fit_ridge(task, self.precision)
        if isinstance(fit, (ApartFit, BlockFit)):
            self.blocks_ = fit.tried
        self._keep(fit, columns, features.shape[1])
        return fit, task

    def _keep(self, fit: Any, columns: Rows, width: int) -> None:
        """Keep what a fit to some columns of so many has found."""
        self.penalty_ = fit.choice.penalty
        self.n_features_ = int(columns[fit.choice.n_features - 1]) + 1
        self.cv_results_, self.precision_ = fit.choice.results, fit.precision
        self.coef_ = np.zeros((len(fit.coef), width))
        self.coef_[:, columns[: fit.coef.shape[1]]] = fit.coef
        self.intercept_ = fit.intercept if self.fit_intercept else np.zeros(len(fit.coef))


def allowed_only(task: RidgeTask) -> RidgeTask:
    """Return the task on the leading columns that any of its models may use.

    The model without a fold may not use columns that come from the fold's rows.
    """
    n_folds, width = int(task.folds.max()) + 1, task.features.shape[1]
    hidden = np.zeros((n_folds + 1, len(task.folds)), dtype=bool)  # from the last model nothing is
    if n_folds > 1:  # else there is no model without the fold
        hidden[:-1] = task.folds == np.arange(n_folds)[:, None]
    allowed, always = np.zeros((len(hidden), width), dtype=bool), True
    if task.features.chooses:
        task.features.expect(task.folds)
    for row, some in zip(allowed, map(task.features.columns_without, hidden), strict=True):
        row[slice(None) if some is None else some] = True
        always &= some is None
    columns = np.flatnonzero(allowed.any(axis=0))
    columns = columns[: int(np.searchsorted(columns, task.n_features))]
    if len(columns) < width:
        chosen = Selected(task.features, columns)
        task = replace(task, features=chosen, n_features=len(columns))
    return replace(task, columns=columns, allowed=None if always else allowed[:, columns])


def in_use(head: Any, features: Features, columns: Rows | None) -> Rows | None:
    """Return those of the columns whose blocks the head uses; None: all.

    Where it uses none, the smallest block stays: a map has at least one feature.
    """
    offered = np.arange(features.shape[1]) if columns is None else columns
    owners = np.asarray(features.owners)[offered]
    used = np.unique(owners[np.atleast_2d(head.coef_)[:, offered].any(axis=0)])
    if not len(used):
        names, sizes = np.unique(owners, return_counts=True)
        used = names[[np.argmin(sizes)]]
    kept = offered[np.isin(owners, used)]
    return columns if len(kept) == len(offered) else kept


# Ridge regression on features that never need to be in memory at once.


OUT_OF_FOLD = tuple(f"oof_{name}_" for name in ErrorsOutOfFold._fields)


class RidgeRegressor(MultiOutputMixin, RegressorMixin, StreamedRidge):
    """Ridge regression whose penalty is chosen in the one pass that fits it.

    Reads chunks of rows, keeps sums of products per fold, and chooses the penalty by exact
    K-fold cross-validation from them. Where there are no more rows than columns, the rows are kept
    instead, which needs less memory, and the same model is found sooner, in its dual form. Of
    thousands of columns and many more rows, products of all columns are not formed: the same model
    is found by some passes over the rows, and its penalty on a tenth of them, held out.

    Parameters
    ----------
    penalty : "cv" or float, default="cv"
        Weight of ‖β‖² against the mean squared error, for columns of mean 0 and variance 1. It is
        relative to the mean eigenvalue of their correlation matrix, so that the same number means
        the same on other units, other row numbers and other weights: scikit-learn's
        ``Ridge(alpha=penalty * n)`` after a ``StandardScaler``. "cv": by cross-validation, which
        costs no second pass.
    cv : int, array of shape (n,), splitter or splits, default=5
        Number of random folds, or the fold number of each row, or what scikit-learn takes.
    n_features : None, "cv" or int, default=None
        Use the leading columns only: all, a number of them, or the fewest of n, n/2, n/4, …
        whose error is within one standard error of the best.
    fit_intercept : bool, default=True
        False fits through the origin, with columns scaled by their root mean square.
    precision : {"auto", "single", "double"}, default="auto"
        Of the products of rows. "auto": float64 where that is quick, else float32 where that can
        be trusted, else float32 followed by a second pass in float64. "single" always keeps sums.
    calibrate : bool, default=False
        Whether errors out of fold are looked at, for intervals of a model's predictions.
    random_state : int, RandomState or None, default=None
        Deals the folds.

    Attributes
    ----------
    spread_ : Spread
        Sizes of errors, if calibrated.
    oof_r2_, oof_error_, oof_constant_ : ndarray of shape (T,)
        If calibrated, of rows that the models had not seen: R², the mean absolute error, and that
        of the targets' median.
    oof_interval_ : ndarray of shape (T, 2)
        Where R² lies in 95 of 100 cases.
    oof_n_ : int
        How many rows that were.
    oof_worst_ : ndarray of shape (k, 3)
        Of one target, the rows that were furthest off: row, truth, prediction.
    coef_ : ndarray of shape (R,) or (T, R)
        For features as they came; 0 for columns not in use.
    intercept_ : float or ndarray of shape (T,)
        Constant of each target.
    penalty_ : float
        The penalty used.
    n_features_ : int
        How many leading columns are in use.
    cv_results_ : dict
        "penalty" (P,), "n_features" (S,) and the "mean_error" and "sd_error" (P, S) over folds
        of the out-of-fold squared error; empty if nothing was to be chosen.
    precision_ : str
        "single" or "double".
    n_features_in_ : int
        R.
    blocks_ : dict
        Of features in blocks: the "rule", "averaged" (a ridge for each block, added up with
        weights) or "together" (one ridge on all, blocks times factors after standardising),
        whichever erred least out of fold; the "weights" or factors, 0 for blocks that do not help;
        and what was "tried" with which "error". `penalty_` is an array if averaged.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 5))
    >>> y = X @ [1.0, 2.0, 0.0, 0.0, -1.0] + 3.0
    >>> model = RidgeRegressor(random_state=0).fit(X, y)
    >>> model.coef_.round(2) + 0.0
    array([ 1.,  2.,  0.,  0., -1.])
    >>> model.predict(np.zeros((1, 5))).round(2)
    array([3.])
    """

    def __init__(
        self,
        penalty: Any = "cv",
        *,
        cv: Any = 5,
        n_features: Any = None,
        fit_intercept: bool = True,
        precision: str = "auto",
        calibrate: bool = False,
        random_state: Any = None,
    ) -> None:
        self.penalty = penalty
        self.cv = cv
        self.n_features = n_features
        self.fit_intercept = fit_intercept
        self.precision = precision
        self.calibrate = calibrate
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to a matrix or features X and targets y, (n,) or (n, T)."""
        features, Y, weights, _ = self._read(X, y, sample_weight)
        fit, task = self._fit(features, Y, weights, None, self.calibrate)
        for name in ("spread_", *OUT_OF_FOLD):  # of an earlier fit
            self.__dict__.pop(name, None)
        if self.calibrate:
            with step("calibration", 2):
                self.spread_, told = Spread.of(fit, task, RidgeRegressor(), features)
            for name, value in zip(OUT_OF_FOLD, told, strict=True):
                setattr(self, name, value)
        if np.asarray(y).ndim == 1:
            self.coef_, self.intercept_ = self.coef_[0], float(self.intercept_[0])
        return self

    def _read(self, X: Any, y: Any, sample_weight: Any) -> Any:
        X, y = self._validated(X, y, multi_output=True, y_numeric=True)
        weights = None if sample_weight is None else checked_weights(sample_weight, len(y))
        return X, y.astype(np.float64, copy=False).reshape(len(y), -1), weights, None

    def predict(self, X: Any) -> Floats:
        """Predict targets, (n,) or (n, T) as they were given."""
        return self._answer(self._scores(X), "predict")

    def _answer(self, scores: Floats, method: str) -> Floats:
        return scores[:, 0] if self.coef_.ndim == 1 else scores

    def narrowed(self, columns: NDArray[np.intp]) -> Self:
        """Return the same model on some columns; see `Streamed.narrowed`."""
        other = super().narrowed(columns)
        if hasattr(self, "spread_"):
            other.spread_ = self.spread_.narrowed(columns)
        return other

    def predict_block(self, block: Any, method: str) -> NDArray[Any]:
        """Return what a method says of a chunk; "spread" says predictions and sizes of errors."""
        if method != "spread":
            return super().predict_block(block, method)
        scores = super().predict_block(block, "predict")
        return np.stack([scores.reshape(len(block), -1), self.spread_.sizes(block)], axis=2)
