"""`Greedy`: few columns out of many, chosen one after another by the gradient of a loss."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..engine import warn_user
from ..features import groups_of
from ..targets import TASKS, decided, reads_classes, split_off
from ..validation import require_count, require_number
from .columns import (
    Array,
    Chosen,
    Rows,
    check_rows,
    check_training,
    check_weights,
    encode,
    read,
)
from .pursuit import (
    CandidateColumns,
    Model,
    Path,
    Problem,
    orthogonal_matching_pursuit,
    settled,
)

USUAL = 50  # features, as in the papers' tables
LARGEST = float(np.finfo(np.float64).max)
RESIDUAL, GAP = 1e-20, 0.05  # default tol without and with a budget


@dataclass(frozen=True)
class LossPath:
    """Losses after each step, of the rows fitted and of rows held out.

    Parameters
    ----------
    training : ndarray
        Mean loss of the final fit, summed over outputs.
    validation : ndarray or None
        Mean loss on held-out rows of a first fit on the others, which went on to the end.
    """

    training: Array
    validation: Array | None = None


class NoUsefulColumnError(ValueError):
    """No column of X helps to predict y."""


@dataclass
class EpsilonInsensitive:
    """max(0, |f − y| − ε), made β-smooth: quadratic for the first 1/β beyond the tube.

    Lies below the ε-insensitive loss by at most 1/(2β).

    Parameters
    ----------
    insensitivity : float
        ε, half the width of the tube.
    smoothness : float
        β, the largest curvature.

    Examples
    --------
    >>> EpsilonInsensitive(0.1, 10.0).value(np.array([0.1, 0.15, 1.0]), np.zeros(3)).round(4)
    array([0.    , 0.0125, 0.85  ])
    """

    insensitivity: float
    smoothness: float

    def value(self, f: Array, y: Array) -> Array:
        """β/2 e² up to e = 1/β, e − 1/(2β) beyond, where e is the excess over ε."""
        excess = np.maximum(0.0, np.abs(f - y) - self.insensitivity)
        bent = np.minimum(excess, 1.0 / self.smoothness)
        return np.asarray(0.5 * self.smoothness * np.square(bent) + (excess - bent))

    def slope(self, f: Array, y: Array) -> Array:
        """±min(1, β e)."""
        excess = np.maximum(0.0, np.abs(f - y) - self.insensitivity)
        return np.asarray(np.copysign(np.minimum(1.0, self.smoothness * excess), f - y))


def iteration_bound(smoothness: float, budget: float, peak: float, tol: float) -> int:
    """Return k = ⌈8 β C_W² c² / tol⌉: after so many steps the loss is within `tol` of the least.

    The paper prints ⌈8 C_W²/ε²⌉, which is the case β = 1/ε and c = max |feature| = 1.

    Examples
    --------
    >>> iteration_bound(smoothness=10.0, budget=1.0, peak=1.0, tol=0.1)
    800
    """
    return math.ceil(8.0 * smoothness * (budget * peak) ** 2 / tol)


def budgeted_selection(problem: Problem, loss: EpsilonInsensitive, budget: float) -> Path:
    """Algorithm 2 of Kar and Jain: Frank–Wolfe, until the duality gap is at most `tol`.

    Every step goes some way towards the best vertex of the ball Σ_j ‖w_j‖₂ ≤ C_W over features j,
    which with one output is the ℓ₁ ball; a vertex has all its weight on one feature.
    """
    columns, targets, offset = problem.columns, problem.targets, problem.offset
    row_weights, peak = columns.weights, columns.peak
    curvature = 4.0 * loss.smoothness * (budget * peak) ** 2
    place: dict[int, int] = {}  # feature to row of weights, in order of entry
    weights = np.zeros((0, targets.shape[1]))
    chosen: list[Array] = []  # columns, so that none is read twice
    scores = np.zeros_like(targets) + offset
    losses: list[float] = []
    models: list[Model] = []

    def keep() -> None:
        """Record the model as the last one with this many features."""
        if place:
            means = columns.statistics.means[list(place)]
            models.append((weights.copy(), offset - means @ weights))
            losses.append(float(row_weights @ loss.value(scores, targets).sum(axis=1)))

    stopped = "bound"
    for _ in range(iteration_bound(loss.smoothness, budget, peak, problem.tol)):
        gradient = columns.correlate(row_weights[:, None] * loss.slope(scores, targets))
        lengths = np.linalg.norm(gradient, axis=1)
        j = int(lengths.argmax())
        gap = float(np.sum(gradient[list(place)] * weights)) + budget * float(lengths[j])
        if gap <= problem.tol or lengths[j] == 0.0:
            stopped = "gap"
            break
        if j not in place and len(place) == problem.n_features:
            stopped = "n_features"
            break
        share, vertex = min(1.0, gap / curvature), -budget * gradient[j] / lengths[j]
        if share == 1.0:  # nothing is left of what was
            place.clear()
            chosen.clear()
            losses.clear()
            models.clear()
            weights = weights[:0]
        elif j not in place:
            keep()
        if j not in place:
            place[j] = len(place)
            chosen.append(columns.column(j))
            weights = np.vstack([weights, np.zeros_like(vertex)])
        weights *= 1.0 - share
        weights[place[j]] += share * vertex
        scores = offset + (1.0 - share) * (scores - offset)
        scores += share * np.outer(chosen[place[j]], vertex)
    keep()
    return Path(list(place), losses, models.__getitem__, stopped)


@dataclass(eq=False, repr=False)
class Greedy(Chosen):
    """Forward greedy selection of features.

    Starts with no feature and adds, again and again, the column along which the loss falls
    fastest. Works on the columns of any matrix, and on `Features` that come in chunks.

    Parameters
    ----------
    n_features : int or None, default=None
        Features to choose. None: 50, or all if there are fewer; with a budget, as many as it takes.
    budget : float or None, default=None
        None: least squares on the chosen columns, all weights found again after each choice
        (orthogonal matching pursuit). A number C_W: the smoothed ε-insensitive loss is lowered by
        moving towards one feature at a time while Σ|weight| stays within C_W (Algorithm 2 of the
        paper). Features scaled by c need ``budget / c`` for the same predictions.
    smoothing : float, default=20.0
        With a budget, β of the loss: it is smoothed over 1/β beyond the tube.
    insensitivity : float, default=0.01
        With a budget, ε of the loss, in units of y; not a tolerance.
    tol : float or None, default=None
        Without a budget: stop at this share of the loss without features; None: 1e-20. With one:
        stop when the loss is surely within `tol` of the least; None: 0.05.
    validation : float or None, default=None
        Share of rows to hold out (of each class alike). The number of features is then the one
        with the least loss on them, and all is chosen again from all rows.
    normalise : bool, default=False
        Without a budget: divide gradients by the norms of the columns, as textbooks do and the
        paper does not.
    fit_intercept : bool, default=True
        Centre columns, and have an intercept. Algorithm 2 as printed has none.
    task : {"auto", "regression", "classification"}, default="auto"
        How to read y. "auto": as classes, unless it holds numbers that are not whole, or more
        than 30 distinct ones. Classes become numbers, 1 for a class and −1 for the rest.
    random_state : int, RandomState or None, default=None
        Chooses the rows of `validation`.

    Attributes
    ----------
    support_ : ndarray of int
        Columns in the order chosen.
    weights_ : ndarray
        Scale of each chosen column: ones.
    coef_ : ndarray of shape (k,) or (outputs, k)
        Weights of the columns in `support_`.
    intercept_ : float or ndarray of shape (outputs,)
        Intercepts.
    path_ : LossPath
        Training loss after each step, and the loss on held-out rows if asked for.
    stopped_ : str
        Why selection ended: "n_features"; "residual", nothing left to explain; "span", no column
        left that would help; "gap", within `tol` of the least loss; "bound", the number of
        iterations that guarantees this.
    classes_ : ndarray or None
        Labels; None for regression.
    n_features_in_ : int
        Columns seen.

    See Also
    --------
    sklearn.linear_model.OrthogonalMatchingPursuit : divides by norms; no Features, no classes.

    Notes
    -----
    A column whose part orthogonal to the chosen ones is below 1e-6 of its norm (float32: 2e-6) is
    passed over. A step costs one product of all columns with the residual.
    Large arrays are scored in float32 and the best columns again in float64.

    Features of more than 4 GiB are not held. Without a budget they are read once for a Gram matrix
    in float64 and then once more, only the chosen columns; with one, at every step. `validation`
    selects twice.

    Several outputs, or classes, share one support, chosen by the sum of their squared gradients.

    A budget may take ⌈8 β C_W² c² / tol⌉ iterations, c = max |feature|, each of the cost of a step.
    With several outputs it bounds the sum over features of the norm of their weights.

    References
    ----------
    Kar and Jain, "Supervised Learning with Similarity Functions", 2012, Algorithm 2.
    Shalev-Shwartz, Srebro and Zhang, "Trading accuracy for sparsity in optimization problems with
    sparsity constraints", 2010.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(50, 20))
    >>> y = 3 * X[:, 7] - 2 * X[:, 4] + 1
    >>> greedy = Greedy(n_features=5).fit(X, y)
    >>> greedy.support_, greedy.coef_.round(3), greedy.stopped_
    (array([7, 4]), array([ 3., -2.]), 'residual')
    >>> greedy.transform(X).shape
    (50, 2)
    """

    n_features: int | None = None
    _: KW_ONLY
    budget: float | None = None
    smoothing: float = 20.0
    insensitivity: float = 0.01
    tol: float | None = None
    validation: float | None = None
    normalise: bool = False
    fit_intercept: bool = True
    task: str = "auto"
    random_state: Any = None

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Greedy:
        """Choose columns.

        Parameters
        ----------
        X : array-like, CSR matrix or Features of shape (n, R)
            Candidates.
        y : array-like of shape (n,) or (n, outputs)
            Numbers or classes.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows, none negative.

        Returns
        -------
        Greedy
            Itself.
        """
        self._check_parameters()
        groups = groups_of(X)
        X, y = check_training(self, X, y)
        target = encode(y, classes=reads_classes(y, self.task))
        weights, width = check_weights(sample_weight, len(y)), X.shape[1]
        X, rows, validation = settled(X), np.arange(len(y)), None
        k = USUAL if self.budget is None else width
        if self.n_features is not None:
            k = int(self.n_features)
            if k > width:
                warn_user(
                    f"n_features={k} is more than the {width} columns of X; all may be chosen."
                )
        k = min(k, width)
        if self.validation is not None:
            rng = check_random_state(self.random_state)
            counts = [2] if target.codes is None else np.bincount(target.codes)
            if np.min(counts) < 2:
                single: Any = target.classes[np.argmin(counts)]  # type: ignore[index]
                raise ValueError(
                    f"validation={self.validation} holds out rows of every class, but class "
                    f"{single!s} has one row only; do without, or leave that class out."
                )
            fitted, held = split_off(rows, self.validation, rng, target.codes, groups)
            path = self._path(X, target.values, weights, fitted, k)
            values = read(X, held, path.support).astype(np.float64, copy=False)
            smoothed = EpsilonInsensitive(self.insensitivity, self.smoothing)
            losses = []
            for weight, constant in map(path.model_at, range(len(path.losses))):
                scores = values[:, : len(weight)] @ weight + constant
                each = (scores - target.values[held]) ** 2
                if self.budget is not None:
                    each = smoothed.value(scores, target.values[held])
                losses.append(each.sum(axis=1))
            validation = np.array(losses) @ check_weights(weights[held], len(held))
            k = int(validation.argmin()) + 1
        path = self._path(X, target.values, weights, rows, k)
        coef, intercept = path.model_at(len(path.losses) - 1)
        single = target.flat and target.classes is None
        self.support_ = np.array(path.support, dtype=np.intp)
        self.weights_ = np.ones(len(path.support))
        self.coef_ = coef[:, 0] if single else np.ascontiguousarray(coef.T)
        self.intercept_ = float(intercept[0]) if single else intercept
        self.path_ = LossPath(np.array(path.losses), validation)
        self.stopped_, self.classes_ = path.stopped, target.classes
        return self

    def _path(self, X: Any, targets: Array, weights: Array, rows: Rows, k: int) -> Path:
        """Choose up to k columns by some rows."""
        usual = RESIDUAL if self.budget is None else GAP
        tol = usual if self.tol is None else float(self.tol)
        share = check_weights(weights[rows], len(rows))
        columns = CandidateColumns(X, rows, share, centred=self.fit_intercept)
        problem = Problem(columns, targets[rows], k, tol, self.normalise)
        if self.budget is None:
            path = orthogonal_matching_pursuit(problem)
        else:
            loss = EpsilonInsensitive(self.insensitivity, self.smoothing)
            path = budgeted_selection(problem, loss, self.budget)
        if not path.support:
            raise NoUsefulColumnError(
                f"none of the {X.shape[1]} columns of X lowers the loss by more than tol={tol:g} "
                "asks; give columns that vary with y, or lower tol."
            )
        return path

    def _check_parameters(self) -> None:
        """Stop at parameters that make no sense; every message names the parameter."""
        if self.n_features is not None:
            require_count("n_features", self.n_features)
        for name in ("budget", "smoothing", "tol"):
            if getattr(self, name) is not None or name == "smoothing":
                require_number(name, getattr(self, name), 0.0, LARGEST, "a positive number")
        below_zero, below_one = np.nextafter([0.0, 1.0], [-1.0, 0.0])
        require_number("insensitivity", self.insensitivity, below_zero, LARGEST, "0 or more")
        if self.validation is not None:
            require_number("validation", self.validation, 0.0, below_one, "between 0 and 1")
        if self.task not in TASKS:
            raise ValueError(f"task must be one of {', '.join(TASKS)}; got {self.task!r}.")

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict numbers or classes, by the weights found with the support.

        Parameters
        ----------
        X : array-like, CSR matrix or Features of shape (n, R)
            The same columns as in `fit`, those that were not chosen included.

        Returns
        -------
        ndarray of shape (n,) or (n, outputs)
            A class or a number for each row, or as many numbers as y had columns.
        """
        check_is_fitted(self)
        X = check_rows(self, X)
        coef = np.atleast_2d(self.coef_)
        scores = read(X, np.arange(X.shape[0]), self.support_) @ coef.T + self.intercept_
        if self.classes_ is not None:
            return decided(scores, self.classes_)
        return scores[:, 0] if self.coef_.ndim == 1 else scores
