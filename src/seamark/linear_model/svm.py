"""One class against the rest: squared hinges by Newton's method, and models of single classes."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from ..engine import blas_for, warn_user
from ..targets import checked_weights, decided, require_targets, signs, too_few_classes
from ..validation import require_bounded
from .newton import Bends, Curvature, DoubleRows, Floats, Places, newton, solve_positive


class OneVsRest(ClassifierMixin, BaseEstimator):
    """What linear classifiers of one class against the rest share.

    Their `fit` sets `coef_`, a row for each class; a single one, for the second, if there are two.
    """

    classes_: NDArray[Any]
    coef_: NDArray[np.float64]
    intercept_: NDArray[np.float64]

    def _labels(self, y: NDArray[Any]) -> NDArray[Any]:
        """Set `classes_`, and return those that get a row."""
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise too_few_classes(self.classes_)
        return self.classes_[1:] if len(self.classes_) == 2 else self.classes_

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Scores: (n,) for two classes, else (n, number of classes)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        scores = DoubleRows(X).scores(self.coef_.T) + self.intercept_
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of the largest score."""
        return decided(self.decision_function(X), self.classes_)


class PerClass(OneVsRest):
    """Linear classifiers, one for each class against the rest, on columns of their own.

    scikit-learn's `OneVsRestClassifier` gives all of them the same parameters and columns.

    Parameters
    ----------
    members : list of (classifier, columns)
        In the order of the classes; a single one, for the second class, if there are two.

    Attributes
    ----------
    classes_ : ndarray
    coef_ : ndarray of shape (number of members, n_features)
        0 outside a member's columns.
    intercept_ : ndarray of shape (number of members,)

    Examples
    --------
    >>> from sklearn.svm import LinearSVC
    >>> X = np.array([[0.0, 1.0], [0.2, 0.0], [1.0, 0.0], [0.8, 1.0]])
    >>> head = PerClass([(LinearSVC(C=10.0), [0])]).fit(X, [0, 0, 1, 1])
    >>> head.predict(X), head.coef_.astype(bool)
    (array([0, 0, 1, 1]), array([[ True, False]]))
    """

    def __init__(self, members: list[tuple[Any, Any]]) -> None:
        self.members = members

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit each member to its columns, and to its class against the rest."""
        require_targets(y)
        X, y = validate_data(self, X, y, dtype=[np.float64, np.float32])
        labels = self._labels(y)
        if len(labels) != len(self.members):
            raise ValueError(
                f"{len(self.members)} members do not fit {len(self.classes_)} classes."
            )
        self.coef_ = np.zeros((len(labels), X.shape[1]))
        self.intercept_ = np.zeros(len(labels))
        for row, (label, (member, columns)) in enumerate(zip(labels, self.members, strict=True)):
            fitted = clone(member).fit(X[:, columns], y == label, sample_weight=sample_weight)
            self.coef_[row, columns] = np.ravel(fitted.coef_)
            self.intercept_[row] = np.ravel(fitted.intercept_)[0]
        return self


# The squared hinge by Newton's method: from products of rows with rows, or on growing samples.


FREE = 1e-8  # penalty of the intercept: next to nothing, but enough to keep Newton's matrix regular
_ROWS_PER_COLUMN = 4  # of the first sample: with fewer its solution is far from that of all
_LEAST_SAMPLE = 1000
_GROWTH = 4
_TIMES = 5  # as many rows as a sample has there must be: it costs more than it saves otherwise
_ROUGH, _ROUGH_STEPS = 1e-2, 12  # solutions of samples only start the next
_FEW_ROWS = 2  # per column: with more, products of rows with rows are too many


class SquaredHinges:
    """½‖w‖² + Σ c max(0, 1 − s(w·a + b))² for every column of signs, at any costs c.

    Costs are tried one after another, each from the solution of the one before.

    Parameters
    ----------
    A : ndarray of shape (n, D)
    signs : ndarray of shape (n, T)
        ±1.

    Examples
    --------
    >>> A, signs = np.array([[-1.0], [1.0], [2.0]]), np.array([[-1.0], [1.0], [1.0]])
    >>> hinges = SquaredHinges(A, signs)
    >>> coef, intercept, _, _ = hinges.minimise(np.full(3, 100.0), 1e-9, 50)
    >>> coef.round(2), intercept.round(2) + 0.0
    (array([[1.]]), array([0.]))
    """

    def __init__(self, A: NDArray[Any], signs: Floats) -> None:
        self.rows, self.signs = DoubleRows(A, often=True), signs
        self.few = len(A) <= _FEW_ROWS * A.shape[1]
        self.start = np.zeros(((len(A) if self.few else A.shape[1]) + 1, signs.shape[1]))

    @cached_property
    def gram(self) -> Floats:
        """Products of rows with rows."""
        A = self.rows.some(slice(None))
        return np.asarray(A @ A.T)

    def minimise(
        self, costs: Floats, tol: float, max_iter: int
    ) -> tuple[Floats, Floats, int, bool]:
        """Minimise.

        Parameters
        ----------
        costs : ndarray of shape (n,)
            c, above 0.
        tol : float
            Slope along the last step, as a share of the objective.
        max_iter : int
            Most steps on all rows.

        Returns
        -------
        coef : ndarray of shape (T, D)
        intercept : ndarray of shape (T,)
        n_iter : int
            Most steps that a column took on all rows.
        converged : bool
        """
        if self.few:
            hinges = _OfGram(self.gram, self.signs, costs)
            self.start, steps, converged = newton(hinges, self.start, tol, max_iter)
            coef = self.rows.sum(self.start[:-1]).T
            return coef, self.start[-1].copy(), int(steps.max()), converged
        known = self.start.any()
        for stride in [1] if known else _strides(*self.rows.A.shape):
            # Every k-th row, for k times its cost: classes that come sorted stay in proportion.
            sample, share = self.rows.every(stride), stride * costs[::stride]
            sums = Curvature(sample, sample.sure_in_single(2.0 * float(share.max())))
            if not self.start.any():
                sums.follow(_bends(np.arange(len(share)), 2.0 * share))  # which all classes share
            limits = (tol, max_iter) if stride == 1 else (max(tol, _ROUGH), _ROUGH_STEPS)
            found = [
                newton(_OfRows(sample, signs[:, None], share, sums), start[:, None], *limits)
                for signs, start in zip(self.signs[::stride].T, self.start.T, strict=True)
            ]
            self.start = np.hstack([one.theta for one in found])
        n_iter = max(int(one.steps[0]) for one in found)
        converged = all(one.converged for one in found)
        return self.start[:-1].T.copy(), self.start[-1].copy(), n_iter, converged


def _strides(n: int, width: int) -> list[int]:
    """Return falling distances of the rows in each sample; the last, 1, takes all."""
    size = max(_ROWS_PER_COLUMN * width, _LEAST_SAMPLE)
    strides = []
    while _TIMES * size <= n:
        strides.append(n // size)
        size *= _GROWTH
    return [*strides, 1]


def _bends(inside: Places, pull: Floats) -> Bends:
    """Losses within the margin, with the intercept for a border."""
    return Bends(inside, pull[inside], np.full((len(inside), 1), -1.0), np.array([[FREE]]))


class _Hinges:
    """Losses Σ c max(0, slack)² with slacks 1 − s f, and what they are minimised with."""

    def __init__(self, signs: Floats, costs: Floats) -> None:
        self.signs, self.pull = signs, 2.0 * costs[:, None]

    def slopes(self, slacks: Floats, which: Places) -> Floats:
        """2 c max(0, slack)."""
        return np.asarray(self.pull * np.maximum(slacks, 0.0))

    def losses(self, slacks: Floats) -> Floats:
        """Their sums, (T,)."""
        return np.asarray((0.5 * self.pull * np.square(np.maximum(slacks, 0.0))).sum(axis=0))


class _OfRows(_Hinges):
    """One column, in θ = (w, b)."""

    def __init__(self, rows: DoubleRows, signs: Floats, costs: Floats, known: Curvature) -> None:
        super().__init__(signs, costs)
        self.rows, self.curvature = rows, known.copy()

    def slacks(self, theta: Floats) -> Floats:
        """1 − s f; negative beyond the margin."""
        return np.asarray(1.0 - self.signs * (self.rows.scores(theta[:-1]) + theta[-1]))

    def unit(self, theta: Floats, slacks: Floats, which: Places) -> Floats:
        """The objective."""
        return np.asarray(self.losses(slacks) + 0.5 * np.square(theta[:-1]).sum(axis=0))

    def step(self, theta: Floats, slacks: Floats, which: Places) -> Floats:
        """Newton's step."""
        pulls = self.signs * self.slopes(slacks, which)
        free = FREE * theta[-1] - pulls.sum(axis=0)
        right = np.append(theta[:-1] - self.rows.sum(pulls), free)
        bends = _bends(np.flatnonzero(slacks > 0), self.pull[:, 0])
        return -self.curvature.solve(bends, 1.0, right)[:, None]

    def along(self, theta: Floats, step: Floats, which: Places) -> tuple[Floats, Floats, Floats]:
        """See `newton`."""
        weighed = step * np.append(np.ones(len(step) - 1), FREE)[:, None]
        linear, quadratic = (weighed * theta).sum(axis=0), (weighed * step).sum(axis=0)
        change = -self.signs * (self.rows.scores(step[:-1]) + step[-1])
        return change, linear, quadratic


class _OfGram(_Hinges):
    """All columns, in θ = (β, b): weights are sums Σ β a of the rows."""

    def __init__(self, gram: Floats, signs: Floats, costs: Floats) -> None:
        super().__init__(signs, costs)
        self.gram = gram

    @cached_property
    def penalised(self) -> Floats:
        """K + 1/2c."""
        matrix = self.gram.copy()
        matrix.flat[:: len(matrix) + 1] += 1.0 / self.pull[:, 0]
        return matrix

    @cached_property
    def inverse(self) -> Floats | None:
        """Its inverse, which serves all columns; None if rounding has left it indefinite."""
        factor, failed = lapack.dpotrf(self.penalised.T, lower=1)
        if failed:
            return None
        lower = lapack.dpotri(factor, lower=1, overwrite_c=1)[0]  # and zeros above
        lower += np.tril(lower, -1).T
        return np.asarray(lower)

    def slacks(self, theta: Floats) -> Floats:
        """1 − s f; negative beyond the margin."""
        return np.asarray(1.0 - self.signs * (self.gram @ theta[:-1] + theta[-1]))

    def unit(self, theta: Floats, slacks: Floats, which: Places) -> Floats:
        """The objective."""
        scores = (1.0 - slacks) * self.signs[:, which] - theta[-1]
        return np.asarray(self.losses(slacks) + 0.5 * np.einsum("it,it->t", theta[:-1], scores))

    def pieces(self, slacks: Floats) -> NDArray[np.bool_]:
        """Which losses bend: as long as they do, the function is quadratic."""
        return slacks > 0

    def step(self, theta: Floats, slacks: Floats, which: Places) -> Floats:
        """To the solution of (K + 1/2c) β = s − b over the rows within the margin, Σβ = 0."""
        inside = np.ascontiguousarray((slacks > 0).T)  # of each column, a row
        signs = self.signs.T[which] * inside
        many = 2 * inside.sum(axis=1) >= len(slacks)
        inverse = self.inverse if many.any() else None
        # For each column what solves for the signs and for 1, over the rows within the margin.
        solved = np.zeros((len(which), 2, len(slacks)))
        if inverse is not None:
            solved[many, 0] = signs[many] @ inverse
            solved[many, 1] = inside[many] @ inverse
        for own, within, sign, by_all in zip(solved, inside, signs, many.tolist(), strict=True):
            if by_all and inverse is not None:
                # Of the solutions with all rows, take what gives rows outside a share.
                outside = (~within).nonzero()[0]
                if len(outside):
                    excess = _solved_among(inverse, outside, own[:, outside])
                    np.subtract(own, excess @ inverse[outside], out=own)
                    own[:, outside] = 0.0
            else:
                some = within.nonzero()[0]
                right = np.array([sign[some], np.ones(len(some))])
                own[:, some] = _solved_among(self.penalised, some, right)
        sums = solved.sum(axis=2)
        constant = sums[:, 0] / (sums[:, 1] + FREE)
        found = np.empty_like(theta)
        found[:-1], found[-1] = (solved[:, 0] - constant[:, None] * solved[:, 1]).T, constant
        return found - theta

    def along(self, theta: Floats, step: Floats, which: Places) -> tuple[Floats, Floats, Floats]:
        """See `newton`."""
        product = self.gram @ step[:-1]
        linear = np.einsum("it,it->t", theta[:-1], product)
        quadratic = np.einsum("it,it->t", step[:-1], product)
        return -self.signs[:, which] * (product + step[-1]), linear, quadratic


def _solved_among(matrix: Floats, some: Places, right: Floats) -> Floats:
    """Solve with some rows and columns of a symmetric matrix, for right-hand sides (2, k)."""
    square = matrix[some].take(some, axis=1)
    factor, failed = lapack.dpotrf(square.T, lower=1, clean=0)
    if failed:
        return solve_positive(square, right.T).T
    return np.asarray(lapack.dpotrs(factor, right.T, lower=1)[0].T)


# `LinearSVM`: the squared hinge by Newton's method, for few columns and many classes.


class LinearSVM(OneVsRest):
    """Linear SVM with squared hinge, one class against the rest.

    Minimises ½‖w‖² + C Σ max(0, 1 − y(w·x + b))²; the intercept is free. scikit-learn's
    `LinearSVC(dual=False)` does the same by conjugate gradients. Dense features by the hundred are
    solved faster by Newton's own steps, on growing samples of the rows (`squared_hinge`).

    Parameters
    ----------
    C : float, default=1.0
        Cost of errors.
    tol : float, default=1e-4
        Gain that a last step may promise, as a share of the objective.
    max_iter : int, default=50
        Most steps for a class, on all rows.

    Attributes
    ----------
    classes_ : ndarray
    coef_ : ndarray of shape (1 or n_classes, n_features)
    intercept_ : ndarray of shape (1 or n_classes,)
    n_iter_ : int
        Most steps that a class took, on all rows.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> head = LinearSVM(C=100.0).fit(X, ["sea", "sea", "land", "land"])
    >>> head.predict([[0.5], [2.5]])
    array(['sea', 'land'], dtype='<U4')
    """

    def __init__(self, C: float = 1.0, *, tol: float = 1e-4, max_iter: int = 50) -> None:
        self.C = C
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to a matrix and labels."""
        X, hinges, weights = self._hinges(X, y, sample_weight)
        with blas_for(X.shape[1]):
            return self._solved(hinges, weights)

    def fit_each(
        self, grid: Sequence[dict[str, Any]], X: Any, y: Any, sample_weight: Any = None
    ) -> list[Self]:
        """Fit for several parameters, each from the solution before.

        Parameters
        ----------
        grid : sequence of dict
            Parameters; neighbours should be near each other.
        X : array-like or CSR matrix of shape (n, R)
            Features.
        y : array-like of shape (n,)
            The class of each row.
        sample_weight : array-like of shape (n,), optional
            How much each row counts; default: all alike.

        Returns
        -------
        list of LinearSVM
            One for each, which say the same as if they had been fitted alone.

        Examples
        --------
        >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
        >>> heads = LinearSVM().fit_each([{"C": 0.1}, {"C": 10.0}], X, [0, 0, 1, 1])
        >>> [head.coef_.round(2).tolist() for head in heads]
        [[[0.4]], [[1.82]]]
        """
        X, hinges, weights = self._hinges(X, y, sample_weight)
        heads, known = [], set(self._get_param_names())  # which takes as long as a small fit
        with blas_for(X.shape[1]):
            for parameters in grid:
                head = copy(self)
                if known.issuperset(parameters):
                    for name, value in parameters.items():
                        setattr(head, name, value)
                else:
                    head.set_params(**parameters)  # and says what is wrong
                heads.append(head._solved(hinges, weights))
        return heads

    def _hinges(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, SquaredHinges, Any]:
        """Check the data; return the matrix, its hinges, and the weights of rows that count."""
        require_targets(y)
        X, y = validate_data(self, X, y, dtype=[np.float64, np.float32])
        check_classification_targets(y)
        self._labels(y)
        weights, sides = checked_weights(sample_weight, len(X)), signs(y, self.classes_)
        if not weights.all():
            X, sides, weights = X[weights > 0], sides[weights > 0], weights[weights > 0]
        return X, SquaredHinges(X, sides), weights

    def _solved(self, hinges: SquaredHinges, weights: Any) -> Self:
        require_bounded(type(self), vars(self))
        if not 0 < self.C < np.inf:
            raise ValueError(f"C={self.C!r} must be a positive number.")
        found = hinges.minimise(self.C * weights, self.tol, self.max_iter)
        self.coef_, self.intercept_, self.n_iter_, converged = found
        if not converged:
            warn_user(
                f"LinearSVM took all {self.max_iter} steps; raise max_iter, or lower C.",
                ConvergenceWarning,
            )
        return self
