"""Ridge heads on features that come in chunks: regression, classes, and any number of labels."""

from __future__ import annotations

from abc import abstractmethod
from copy import copy
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin, MultiOutputMixin, RegressorMixin, clone
from sklearn.metrics import multilabel_confusion_matrix
from sklearn.utils import check_array, check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from ..data import seed_from
from ..engine import blas_for, require_room, settings, step, tick
from ..engine.threads import SMALL_MATRIX
from ..features import Features, Floats, InMemory, Mask, Rows, Selected
from ..targets import (
    checked_weights,
    class_factors,
    deal,
    decided,
    label_matrix,
    require_targets,
    signs,
    strata,
    too_few_classes,
)
from ..validation import require_bounded
from .calibration import OUT_OF_FOLD as OF_CLASSES
from .calibration import (
    ChosenCalibration,
    MixedCalibration,
    SoftmaxCalibration,
    class_quantiles,
    clearly_likelier,
    copies_of,
    independent_rows,
    judge,
    out_of_fold_report,
    quantiles,
)
from .intervals import ErrorsOutOfFold, Spread
from .iterative import fit_iteratively, iterates
from .multinomial import Multinomial
from .ridge_blocks import fit_blocks, most_likely, solving_bytes
from .ridge_fit import (
    Fitted,
    RidgeFit,
    RidgeTask,
    fit_ridge,
    hashed_folds,
    linear_scores,
    solved,
    unseen_scores,
)
from .ridge_solve import HALF, CollinearError

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
        given = y
        if not isinstance(y, str):
            given = require_targets(y, numeric=options.get("y_numeric", False))
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
        y = check_array(given, ensure_2d=False, dtype=kind, input_name="y")
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
        if hasattr(self, "blocks_"):  # those of blocks that are in use; one at least
            offered = np.arange(features.shape[1]) if columns is None else columns
            owners = np.asarray(features.owners)[offered]
            used = np.unique(owners[np.atleast_2d(self.coef_)[:, offered].any(axis=0)])
            if not len(used):
                names, sizes = np.unique(owners, return_counts=True)
                used = names[[np.argmin(sizes)]]
            kept = offered[np.isin(owners, used)]
            columns = columns if len(kept) == len(offered) else kept
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

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the target, class, labels or score of each row.

        Parameters
        ----------
        X : array, CSR matrix or Features of shape (n, R)
            Features.

        Returns
        -------
        ndarray of shape (n,), or (n, T) of several targets
        """
        return self._answer(self._scores(X), "predict")

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


@dataclass(eq=False, repr=False)
class StreamedRidge(Streamed):
    """A ridge on chunks of rows; knows targets as a matrix of floats."""

    penalty: Any = "cv"
    _: KW_ONLY
    cv: Any = 5
    n_features: Any = None
    fit_intercept: bool = True
    precision: str = "auto"
    calibrate: bool = True
    random_state: Any = None

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
        penalty, size, width = self.penalty, self.n_features, features.shape[1]
        if isinstance(penalty, str) and penalty == "cv":
            penalty = DEFAULT_PENALTY if getattr(self, "cv_reliable_", None) is False else None
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
        everything = features.everything
        dealt, of_all = folded or penalty is None or nested, {}
        rng = check_random_state(self.random_state) if dealt else None
        folds = np.where(used, 0, -1)
        if rng is not None and everything is None:
            folds = deal(used, self.cv, rng, labels, features.groups)
        elif everything is not None:
            of_all = {"everything": everything, "classes": getattr(self, "classes_", None)}
            if rng is not None and (not isinstance(self.cv, (int, np.integer)) or self.cv < 2):
                raise ValueError(
                    f"cv must be a number of folds from 2, not {self.cv!r}, where rows are read in "
                    "chunks: folds are then dealt by a hash of each object."
                )
            if rng is not None:
                of_all |= {"seed": seed_from(rng), "n_folds": int(self.cv)}
                hashed = hashed_folds(
                    np.asarray(features.groups), of_all["seed"], of_all["n_folds"]
                )
                folds = np.where(used, hashed, -1)
        penalty = None if penalty is None else float(penalty)
        start = self.__dict__.pop("_start", None)
        columns, allowed = usable_columns(features, folds, int(size))
        some = features if len(columns) == width else Selected(features, columns)
        return RidgeTask(
            some, Y, folds, weights, penalty, nested, self.fit_intercept, allowed, start, columns,
            **of_all,
        )  # fmt: skip

    def _fit(
        self, features: Features, Y: Floats, weights: Floats | None, labels: Any, folded: bool
    ) -> tuple[Fitted, RidgeTask]:
        """Fit, and return the fit and what was fitted; `folded` asks for folds in any case."""
        require_bounded(type(self), vars(self))
        task = self._task(features, Y, weights, labels, folded)
        owners, n_folds, width = task.features.owners, int(task.folds.max()) + 1, task.n_features
        several = owners is not None and np.ptp(owners) > 0
        in_blocks = several and task.penalty is None and not task.nested
        by_passes = not in_blocks and self.precision != "double" and iterates(task)
        parts = 2 if task.penalty is not None and not task.nested else 8 + n_folds
        if not by_passes:
            of_blocks = np.unique(np.asarray(owners), return_counts=True)[1].tolist()
            widths = of_blocks if in_blocks else [width]
            n_bytes = solving_bytes(task.n_used, n_folds, widths, apart=not task.behind)
            what = f"{n_folds} folds of {width} features"
            remedy = "take fewer landmarks, or fewer folds (cv=)"
            budget = settings().budget
            if budget is not None and n_bytes > max(budget, LEAST_BUDGET):
                raise MemoryError(
                    f"to solve for {what} takes {n_bytes} bytes, more than budget={budget}; give a "
                    f"budget of {n_bytes} at least, {remedy}."
                )
            require_room(n_bytes, f"sums of {what}", remedy)
        fit: Fitted
        with blas_for(0), step("fitting", 0 if by_passes else parts):
            if by_passes:
                fit, task = fit_iteratively(task)
            else:
                fit = fit_blocks(task) if in_blocks else fit_ridge(task, self.precision)
        self.__dict__.pop("blocks_", None)  # of an earlier fit
        if fit.tried is not None:
            self.blocks_ = fit.tried
        columns: Rows = task.columns
        self.penalty_ = fit.choice.penalty
        self.n_features_ = int(columns[fit.choice.n_features - 1]) + 1
        self.cv_results_, self.precision_ = fit.choice.results, fit.precision
        self.coef_ = np.zeros((len(fit.coef), features.shape[1]))
        self.coef_[:, columns[: fit.coef.shape[1]]] = fit.coef
        self.intercept_ = fit.intercept if self.fit_intercept else np.zeros(len(fit.coef))
        return fit, task


def usable_columns(features: Features, folds: Rows, size: int) -> tuple[Rows, Mask | None]:
    """Return those of so many leading columns that any model may use, and which of them which may.

    The model without a fold may not use columns that come from the fold's rows. Which may use which
    is as in `FoldSums`, None where each may use all.
    """
    n_folds, width = int(folds.max()) + 1, features.shape[1]
    hidden = np.zeros((n_folds + 1, len(folds)), dtype=bool)  # from the last model nothing is
    if n_folds > 1:  # else there is no model without the fold
        hidden[:-1] = folds == np.arange(n_folds)[:, None]
    every = features.columns_by_fold(list(hidden))
    allowed = np.zeros((len(hidden), width), dtype=bool)
    for row, some in zip(allowed, every, strict=True):
        row[slice(None) if some is None else some] = True
    columns = np.flatnonzero(allowed.any(axis=0))
    columns = columns[: int(np.searchsorted(columns, size))]
    return columns, None if all(some is None for some in every) else allowed[:, columns]


# Ridge regression on features that never need to be in memory at once.


OUT_OF_FOLD = tuple(f"oof_{name}_" for name in ErrorsOutOfFold._fields)


@dataclass(eq=False, repr=False)
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

    _: KW_ONLY
    calibrate: bool = False

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to a matrix or features X and targets y, (n,) or (n, T)."""
        features, Y, weights, _ = self._read(X, y, sample_weight)
        fit, task = self._fit(features, Y, weights, None, self.calibrate)
        for name in ("spread_", *OUT_OF_FOLD):  # of an earlier fit
            self.__dict__.pop(name, None)
        if self.calibrate:
            with step("calibration", 2):
                self.spread_, told = Spread.of(fit, task, RidgeRegressor(), features.shape[1])
            self.__dict__.update(zip(OUT_OF_FOLD, told, strict=True))
        if np.asarray(y).ndim == 1:
            self.coef_, self.intercept_ = self.coef_[0], float(self.intercept_[0])
        return self

    def _read(self, X: Any, y: Any, sample_weight: Any) -> Any:
        X, y = self._validated(X, y, multi_output=True, y_numeric=True)
        weights = None if sample_weight is None else checked_weights(sample_weight, len(y))
        return X, y.astype(np.float64, copy=False).reshape(len(y), -1), weights, None

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


# Ridge classification, with calibrated probabilities: of one class, or of any number of labels.

SMALLER = 3  # penalties below that of the least squared error, by half decades
TINY = 1e-9  # added to probabilities whose logarithm is taken
CLEARLY = 0.25  # of a standard error: what a smaller penalty must gain in accuracy


class Scored(StreamedRidge):
    """A ridge whose scores say classes or labels, with a probability each."""

    def decision_function(self, X: Any) -> Floats:
        """Score of the second of two classes, (n,), else of every class or label, (n, L)."""
        return self._answer(self._scores(X), "decision_function")

    @available_if(lambda self: self.calibrate)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class or label, (n, L); those of labels need not sum to 1."""
        return self._answer(self._scores(X), "predict_proba")


@dataclass(eq=False, repr=False)
class RidgeClassifier(ClassifierMixin, Scored):
    """Ridge regression on ±1 targets, one per class, with calibrated probabilities.

    Penalty and size are chosen by the out-of-fold squared error on those targets; where that takes
    little, a smaller penalty is taken if it is right more often. A second pass
    over the features then scores each row by the model that has not seen it; probabilities
    are softmax(slope · decision) fitted to these scores, c equal objects as √c, after offsets that
    are added to `intercept_`: so `predict`, `decision_function` and `predict_proba` always agree.
    Offsets that cost accuracy out of fold, by more than a standard error, are left out. Scores of
    more than two classes are mixed, coefficients with them, where that makes unseen rows clearly
    likelier and is right as often; see `MixedCalibration`. Where these have 100 rows or more, but
    no more than columns, and no penalty is given, coefficients are averaged with those of a
    multinomial logistic regression if that makes unseen rows likelier.

    Parameters
    ----------
    penalty : "cv" or float, default="cv"
        Weight of ‖β‖² against the mean squared error, for columns of mean 0 and variance 1; "cv":
        by cross-validation, which costs no second pass. `RidgeRegressor` says more.
    cv : int, array of shape (n,), splitter or splits, default=5
        Number of random folds, which hold every class in equal parts, or the fold number of each
        row, or what scikit-learn takes.
    n_features : None, "cv" or int, default=None
        Use the leading columns only: all, a number of them, or the fewest of n, n/2, n/4, …
        whose error is within one standard error of the best.
    fit_intercept : bool, default=True
        False fits through the origin, with columns scaled by their root mean square.
    precision : {"auto", "single", "double"}, default="auto"
        Of the products of rows: "auto" is float32 only where that is quicker and can be trusted.
    calibrate : bool, default=True
        False saves the second pass; there is no `predict_proba` then.
    random_state : int, RandomState or None, default=None
        Deals the folds.
    class_weight : None, "balanced" or dict, default=None
        Factors of the sample weights; "balanced" gives all classes the same weight.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels.
    coef_ : ndarray of shape (1, R) or (n_classes, R)
        For features as they came; one row for two classes.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Constants, the offsets of the calibration included.
    calibration_ : SoftmaxCalibration
        Slope of the probabilities, and the offsets that are part of `intercept_`.
    conformity_scores_ : ndarray
        1 − probability of the true class out of fold, rising, if calibrated: 1,000 of them.
    class_conformity_scores_ : list of ndarray
        The same of the rows of each class.
    cv_reliable_ : bool
        Whether at least half of the rows are of a class that has others. If not, out-of-fold errors
        say nothing: the penalty is 1, and there are no offsets.
    oof_independent_ : float
        How many rows without copies tell as much as those of `oof_score_`.
    oof_score_ : float
        Out-of-fold accuracy, if calibrated.
    oof_recall_ : ndarray of shape (n_classes,)
        Share of each class that was recognised out of fold, if calibrated.
    oof_confusion_ : ndarray of shape (n_classes, n_classes)
        How many rows of each class, down, were taken for each class, across, out of fold, if
        calibrated.
    oof_worst_ : ndarray of shape (k, 3)
        A few rows that were most surely taken for another class: row, class, prediction.
    oof_reliability_ : ndarray of shape (k, 3)
        For answers given out of fold with like probability: its mean, the share of them that was
        right, how many.
    penalty_, n_features_, cv_results_, precision_, n_features_in_, blocks_
        As in `RidgeRegressor`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> y = np.where(X[:, 0] + 0.3 * rng.normal(size=300) > 0, "sea", "land")
    >>> model = RidgeClassifier(random_state=0).fit(X, y)
    >>> model.predict([[-2.0, 0.0], [2.0, 0.0]])
    array(['land', 'sea'], dtype='<U4')
    >>> model.predict_proba([[2.0, 0.0]]).round(2)
    array([[0., 1.]])
    """

    _: KW_ONLY
    class_weight: Any = None
    cv_reliable_: bool = field(init=False)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to a matrix or features X and labels y."""
        features, Y, weights, labels = self._read(X, y, sample_weight)
        fit, task = self._fit(features, Y, weights, labels, self.calibrate)
        if not self.calibrate:
            return self
        with blas_for(0), step("calibration", 2):
            used, two = task.folds >= 0, len(self.classes_) == 2
            labels = labels[used]
            weights = np.ones(len(labels)) if weights is None else weights[used]
            copies = copies_of(task.features.groups, used)
            # A fold takes all copies of an object away, which new rows may well have among the
            # known: classes of few names that come often look unknown, and offsets in their favour
            # cost the others. As one row, those that do come again would count for too little.
            by_object = weights / np.sqrt(copies)
            # Copies are right or wrong together: so many rows tell as much as all of these.
            self.oof_independent_ = independent_rows(copies)
            scores = self._most_right(fit, task, labels, by_object)[used]
            tick()
            scores = scores[:, 0] if two else scores
            offsets = self.fit_intercept and self.cv_reliable_
            folds = task.folds[used]
            chosen = ChosenCalibration.of(scores, labels, by_object, folds, offsets)
            whole = chosen.whole
            if isinstance(whole, MixedCalibration):
                # Scores are linear in features, and so are mixed ones.
                self.coef_ = whole.matrix.T @ self.coef_
                self.intercept_ = self.intercept_ @ whole.matrix
                whole = whole.calibration
            self.calibration_ = whole
            shift = self.calibration_.offset[1:] if two else self.calibration_.offset
            self.intercept_ = self.intercept_ + shift
            average = None
            if offsets and not two:
                known = labels, by_object, chosen.unseen_probabilities(scores, folds)
                average = self._averaged(fit, task, *known)
            if fit.tried is not None:
                scores = fit.judged().unseen_scores(task)[used]
                scores = scores[:, 0] if two else scores
            chances = chosen.unseen_probabilities(scores, folds)
            if average is not None:
                chances = softmax(average[0] * np.log(chances + TINY) + average[1], axis=1)
            true = chances[np.arange(len(labels)), labels]
            self.conformity_scores_ = quantiles(1.0 - true, self.oof_independent_)
            self.class_conformity_scores_ = class_quantiles(
                1.0 - true, labels, len(self.classes_), self.oof_independent_
            )
            decided = scores + shift[0] if two else np.log(chances + TINY)
            rows, sure = np.flatnonzero(used), chances.max(axis=1)
            told = out_of_fold_report(decided, labels, rows, weights, sure)
            self.__dict__.update(zip(OF_CLASSES, told, strict=True))
        return self

    def _most_right(self, fit: Fitted, task: RidgeTask, labels: Any, weights: Floats) -> Floats:
        """Return scores of unseen rows at a penalty that is right most often; keep its model.

        The squared error asks for larger ones than decisions do. So smaller ones are tried, for as
        long as they are right more often by a quarter of a standard error, and as sure.
        """
        used, size, n_targets = task.folds >= 0, fit.choice.n_features, task.Y.shape[1]
        if not isinstance(fit, RidgeFit) or fit.tried is not None or not task.is_open:
            return fit.unseen_scores(task)
        if fit.ridges.n_unknowns > SMALL_MATRIX:
            return fit.unseen_scores(task)
        best = fit.choice.penalty
        penalties = [best / HALF**k for k in range(SMALLER + 1)]
        try:
            left = fit.ridges.left_at(penalties, size)
        except CollinearError:
            return fit.unseen_scores(task)
        each = unseen_scores(task, fit.ridges, left, size)
        shares, share, least, scores = weights / weights.sum(), -1.0, np.inf, each[0]
        for penalty, other in zip(penalties, each, strict=True):
            said = other[used, 0] > 0 if n_targets == 1 else other[used].argmax(axis=1)
            right = float(shares @ (said == labels))
            spread = float(np.sqrt(max(share * (1 - share), 0.0) * (shares @ shares)))
            if right <= share + CLEARLY * spread:
                continue
            some = other[used, 0] if len(self.classes_) == 2 else other[used]
            chances = SoftmaxCalibration.fit(some, labels, weights, False).probabilities(some)
            loss = -float(shares @ np.log(chances[np.arange(len(labels)), labels] + TINY))
            if loss <= least:
                share, least, best, scores = right, loss, penalty, other
        if best != fit.choice.penalty:
            found = solved(replace(task, penalty=best), fit.ridges)
            self.penalty_ = best
            self.coef_[:, self.coef_.any(axis=0)] = found.coef[:, fit.coef.any(axis=0)]
            self.intercept_ = found.intercept if self.fit_intercept else self.intercept_
        return scores

    def _averaged(
        self, fit: Fitted, task: RidgeTask, labels: Rows, weights: Floats, chances: Floats
    ) -> tuple[float, Floats] | None:
        """Average the model with a multinomial regression, if that makes unseen rows likelier.

        A ridge judges each class by itself. Of few rows and many classes, a regression that has
        classes compete is often surer, and right about other rows: logits are added.

        Parameters
        ----------
        fit, task : Fitted and RidgeTask
        labels, weights : ndarray of shape (n,)
        chances : ndarray of shape (n, n_classes)
            Calibrated probabilities of unseen rows.

        Returns
        -------
        tuple of float and ndarray of shape (n, n_classes), or None
            What logits of unseen rows are to be multiplied by, and what is to be added.
        """
        n, k = chances.shape
        asked = task.is_open and Multinomial.pays(n, k)
        ridges = fit.from_rows(task) if asked else None
        if ridges is None:
            return None
        other, shares = Multinomial.fit(ridges, labels, k), weights / weights.sum()
        logits = np.stack([np.log(chances + TINY), other.unseen])
        factors = most_likely(logits, labels, shares)[0]
        if not factors[1]:
            return None
        own, others = (float(one) for one in factors / factors.sum())
        both = own * logits[0] + others * logits[1]
        found = SoftmaxCalibration.fit(both, labels, weights, offsets=False)
        averaged, alone = judge(found.probabilities(both), labels), judge(chances, labels)
        if not clearly_likelier(averaged, alone, shares):
            return None
        before = self.calibration_
        self.coef_ = own * self.coef_
        self.coef_[:, task.columns] += others / before.slope * other.coef
        self.intercept_ = own * self.intercept_ + others / before.slope * other.intercept
        self.calibration_ = SoftmaxCalibration(found.slope * before.slope, own * before.offset)
        return found.slope * own, found.slope * others * other.unseen

    def _read(self, X: Any, y: Any, sample_weight: Any) -> Any:
        """Set `classes_`, those with any weight; else as `StreamedRidge` says."""
        X, y = self._validated(X, y)
        if y.ndim != 1 or y.dtype.kind != "i":  # whole numbers are classes, whatever they are
            check_classification_targets(y)
            y = column_or_1d(y, warn=True)
        weights = None if sample_weight is None else checked_weights(sample_weight, len(y))
        used = np.ones(len(y), dtype=bool) if weights is None else weights > 0
        labels = np.full(len(y), -1, dtype=np.intp)
        self.classes_, labels[used] = np.unique(y[used], return_inverse=True)
        if len(self.classes_) < 2:
            raise too_few_classes(self.classes_, ", with weights above 0")
        # A model of the other rows knows nothing of a class with one row: its errors there only ask
        # for the largest penalty.
        counts = np.bincount(labels[used])
        self.cv_reliable_ = bool(counts[counts > 1].sum() >= counts.sum() / 2)
        Y = signs(labels, np.arange(len(self.classes_)))
        if self.class_weight is not None:
            weights = np.ones(len(y)) if weights is None else weights.copy()
            of_used = labels[used], weights[used]
            weights[used] *= class_factors(self.class_weight, self.classes_, *of_used)
        return X, Y, weights, labels

    def _answer(self, scores: Floats, method: str) -> NDArray[Any]:
        if method == "predict":
            return decided(scores, self.classes_)
        scores = scores[:, 0] if len(self.classes_) == 2 else scores
        if method == "decision_function":
            return scores
        # Scores hold the offsets of the calibration already.
        slope = self.calibration_.slope
        return SoftmaxCalibration(slope, np.zeros(len(self.classes_))).probabilities(scores)


# `EachLabel`: any classifier, once for each label.


def _tells(name: str) -> Any:
    """Have a method where all members, or the one to be cloned, have it."""
    return available_if(
        lambda self: all(hasattr(one, name) for one in getattr(self, "members_", [self.head]))
    )


class OfLabels(MultiOutputMixin, ClassifierMixin):
    """A classifier of objects that have any number of labels: y is a matrix of 0 and 1."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.multi_label = True
        tags.target_tags.single_output = False
        return tags


class EachLabel(OfLabels, BaseEstimator):
    """A classifier for each of several labels, that says whether an object has it.

    Parameters
    ----------
    head : classifier
        Cloned for each label. A label that all rows of `fit` have, or none, needs no classifier.

    Attributes
    ----------
    classes_ : ndarray of shape (L,)
        Numbers of the labels.
    members_ : list of classifiers
        Of the labels that vary.
    places_ : ndarray of int
        Which labels these are.
    always_ : ndarray of shape (L,), int8
        What is said of the others.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 2))
    >>> EachLabel(LogisticRegression()).fit(X, X > 0).predict([[1.0, -1.0], [1.0, 1.0]])
    array([[1, 0],
           [1, 1]])
    """

    def __init__(self, head: Any) -> None:
        self.head = head

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to a matrix X and a matrix of 0 and 1, (n, L)."""
        X, y = validate_data(self, X, y, multi_output=True, dtype=[np.float64, np.float32])
        codes = label_matrix(np.arange(y.shape[1] if y.ndim == 2 else 0), y)
        options = {} if sample_weight is None else {"sample_weight": sample_weight}
        self.classes_ = np.arange(codes.shape[1])
        self.places_ = np.flatnonzero(np.ptp(codes, axis=0))
        self.always_ = codes[0]
        self.members_ = [clone(self.head).fit(X, codes[:, k], **options) for k in self.places_]
        return self

    @property
    def coef_(self) -> Floats:
        """Coefficients (L, features), 0 of a label that needs no classifier."""
        check_is_fitted(self)
        rows = [np.ravel(one.coef_) for one in self.members_]
        found = np.zeros((len(self.classes_), self.n_features_in_))
        found[self.places_] = rows
        return found

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict which labels each row has: a matrix of 0 and 1."""
        return self._said(X, self.always_, lambda one, Z: one.predict(Z)).astype(np.intp)

    @_tells("decision_function")  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Floats:
        """Score of every label, (n, L)."""
        return self._said(X, 2.0 * self.always_ - 1, lambda one, Z: one.decision_function(Z))

    @_tells("predict_proba")  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Probability of each label, (n, L); they need not sum to 1."""
        return self._said(X, self.always_, lambda one, Z: one.predict_proba(Z)[:, 1])

    def _said(self, X: Any, always: Any, say: Any) -> Floats:
        check_is_fitted(self)
        X = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        found = np.repeat(np.asarray(always, dtype=np.float64)[None], X.shape[0], axis=0)
        for place, one in zip(self.places_, self.members_, strict=True):
            found[:, place] = say(one, X)
        return found


# Ridge for any number of labels an object, with a calibrated probability for each.


class RidgeLabels(OfLabels, Scored):
    """Ridge regression on the labels of each row, all from one factor, with a probability each.

    An object has any number of labels: y is a matrix of 0 and 1, with a column for each. All labels
    share folds, penalty and factor, so that a further one costs next to nothing. Out-of-fold scores
    of a label give it Platt's sigmoid, of which the offset is part of `intercept_`: a label is
    predicted where its probability is above one half.

    Parameters
    ----------
    penalty : "cv" or float, default="cv"
        One for all labels: weight of ‖β‖² against the mean squared error, for columns of mean 0 and
        variance 1; "cv": by cross-validation, which costs no second pass.
    cv : int, array of shape (n,), splitter or splits, default=5
        Number of folds, which hold rare labels in equal parts, or the fold number of each row, or
        what scikit-learn takes.
    n_features : None, "cv" or int, default=None
        Use the leading columns only: all, a number of them, or the fewest of n, n/2, n/4, …
        whose error is within one standard error of the best.
    fit_intercept : bool, default=True
        False fits through the origin, with columns scaled by their root mean square.
    precision : {"auto", "single", "double"}, default="auto"
        Of the products of rows: "auto" is float32 only where that is quicker and can be trusted.
    calibrate : bool, default=True
        False saves the second pass; there is no `predict_proba` then.
    random_state : int, RandomState or None, default=None
        Deals the folds.

    Attributes
    ----------
    classes_ : ndarray of shape (L,)
        Numbers of the labels.
    coef_ : ndarray of shape (L, R)
        For features as they came.
    intercept_ : ndarray of shape (L,)
        Constants, offsets of the calibration included.
    slopes_ : ndarray of shape (L,)
        Of the probabilities, expit(slope · score), if calibrated.
    oof_score_ : float
        Share of rows whose labels were all right out of fold, if calibrated.
    oof_confusion_ : ndarray of shape (L, 2, 2)
        How many rows lack or have each label, down, and were said to, across, out of fold, if
        calibrated: as scikit-learn's `multilabel_confusion_matrix`.
    commonest_ : float
        Share of the rows that have the commonest combination of labels.
    penalty_, n_features_, cv_results_, precision_, n_features_in_, blocks_
        As in `RidgeRegressor`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> head = RidgeLabels(random_state=0).fit(X, X + 0.3 * rng.normal(size=(300, 2)) > 0)
    >>> head.predict([[2.0, 2.0], [-2.0, 2.0]])
    array([[1, 1],
           [0, 1]])
    >>> head.predict_proba([[2.0, -2.0]]).round(2)
    array([[1., 0.]])
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to a matrix or features X and a matrix of 0 and 1, (n, L)."""
        # Of streamed rows, `classes_` would say that targets are numbers of classes.
        self.__dict__.pop("classes_", None)
        features, Y, weights, labels = self._read(X, y, sample_weight)
        fit, task = self._fit(features, Y, weights, labels, self.calibrate)
        self.classes_ = np.arange(Y.shape[1])
        self.commonest_ = float(np.unique(Y, axis=0, return_counts=True)[1].max() / len(Y))
        # Scores are on ±1, as those of classes are: positive for a label that is likely.
        self.coef_, self.intercept_ = 2 * self.coef_, 2 * self.intercept_ - 1
        if not self.calibrate:
            return self
        with step("calibration", 2):
            scores = fit.unseen_scores(task)
            tick()
            used = task.folds >= 0
            scores, has = 2 * scores[used] - 1, Y[used] > 0
            weights = np.ones(len(scores)) if weights is None else weights[used]
            found = [
                SoftmaxCalibration.safe(
                    score, own.astype(np.intp), weights, offsets=self.fit_intercept
                )
                for score, own in zip(scores.T, has.T, strict=True)
            ]
            self.slopes_ = np.array([one.slope for one in found])
            shift = np.array([one.offset[1] for one in found])
            self.intercept_ = self.intercept_ + shift
            said = scores + shift > 0
            self.oof_confusion_ = multilabel_confusion_matrix(has, said)
            self.oof_score_ = float(np.average((said == has).all(axis=1), weights=weights))
        return self

    def _read(self, X: Any, y: Any, sample_weight: Any) -> Any:
        X, y = self._validated(X, y, multi_output=True)
        codes = label_matrix(np.arange(np.shape(y)[1] if np.ndim(y) == 2 else 0), y)
        weights = None if sample_weight is None else checked_weights(sample_weight, len(y))
        return X, codes.astype(np.float64), weights, strata(codes)

    def _answer(self, scores: Floats, method: str) -> NDArray[Any]:
        if method == "predict":
            return (scores > 0).astype(np.intp)
        return scores if method == "decision_function" else np.asarray(expit(self.slopes_ * scores))
