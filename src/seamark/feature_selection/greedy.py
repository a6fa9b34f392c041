"""`Greedy`: few columns out of many, chosen one after another by the gradient of a loss."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..engine import warn_user
from ..features import groups_of
from ..targets import TASKS, reads_classes, split_off
from .columns import (
    Array,
    Chosen,
    Outputs,
    Rows,
    candidates,
    check_rows,
    check_training,
    check_weights,
    decode,
    encode,
    read,
    settled,
)
from .greedy_solvers import (
    EpsilonInsensitive,
    Logistic,
    Path,
    Problem,
    SmoothLoss,
    Squared,
    SquaredHinge,
    budgeted_selection,
    forward_selection,
    held_out,
    orthogonal_matching_pursuit,
    united,
)

USUAL = 50  # features, as in the papers' tables
TOLERANCES = {"corrective": 1e-20, "budget": 0.05}
LOSSES: dict[str, Callable[[Any], SmoothLoss]] = {
    "squared": lambda _: Squared(),
    "squared_hinge": lambda _: SquaredHinge(),
    "logistic": lambda _: Logistic(),
    "epsilon_insensitive": lambda p: EpsilonInsensitive(p.insensitivity, p.smoothing),
}
# Of each number: the least, whether it must be above it, and what it must be below.
BOUNDS = {
    "budget": (0.0, True, np.inf),
    "smoothing": (0.0, True, np.inf),
    "insensitivity": (0.0, False, np.inf),
    "penalty": (0.0, False, np.inf),
    "tol": (0.0, True, np.inf),
    "validation": (0.0, True, 1.0),
}


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


class Greedy(Chosen):
    """Forward greedy selection of features.

    Starts with no feature and adds, again and again, the column along which the loss falls
    fastest. Works on the columns of any matrix, and on `Features` that come in chunks.

    Parameters
    ----------
    n_features : int or None, default=None
        Features to choose; for each class if not `shared`. None: 50, or all if there are fewer;
        with a budget, as many as it takes.
    loss : {"squared", "squared_hinge", "logistic", "epsilon_insensitive"}, default="squared"
        Mean over rows, summed over outputs or over classes, each against the rest.
    solver : {"corrective", "budget"}, default="corrective"
        "corrective" refits all weights after each choice: by least squares (this is orthogonal
        matching pursuit) or, for other losses, by Newton's method. "budget" keeps Σ|weight| within
        `budget` and moves towards one feature at a time (Algorithm 2 of the paper).
    budget : float, default=1.0
        C_W. Features scaled by c need ``budget / c`` for the same predictions.
    smoothing : float, default=20.0
        β of the ε-insensitive loss: it is smoothed over 1/β beyond the tube.
    insensitivity : float, default=0.01
        ε of the ε-insensitive loss, in units of y; not a tolerance.
    tol : float or None, default=None
        "corrective": stop at this share of the loss without features; None: 1e-20.
        "budget": stop when the loss is surely within `tol` of the least; None: 0.05.
    validation : float or None, default=None
        Share of rows to hold out (of each class alike). The number of features is then the one
        with the least loss on them, and all is chosen again from all rows.
    shared : bool, default=True
        Choose one support for all outputs, by the sum of their squared gradients. False: one for
        each, of which the union is kept.
    normalise : bool, default=False
        Divide gradients by the norms of the columns, as textbooks do and the paper does not.
        Of "corrective" only.
    refit_every : int, default=1
        Of "corrective" with a loss that is not squared: refit all weights after so many choices,
        and only the newest one's between.
    penalty : float, default=1e-6
        λ in λ/2 Σ (w_j ‖column j‖)² added to the mean loss in these refits, so that separable
        classes have finite weights. Norms are root mean squares; numbers y count as if they had
        variance and loss 1. Not counted in `path_`.
    fit_intercept : bool, default=True
        Centre columns, and have an intercept. Algorithm 2 as printed has none.
    task : {"auto", "regression", "classification"}, default="auto"
        How to read y. "auto": as classes if the loss is one for classes, or unless y holds numbers
        that are not whole or more than 30 distinct ones.
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
        iterations that guarantees this; "mixed", outputs ended differently.
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

    Features of more than 4 GiB are not held. With squared loss and solver="corrective" they are
    read once for a Gram matrix in float64 and then once more, only the chosen columns; other losses
    read them all at every step. `validation` selects twice, and ``shared=False`` once per output.

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

    def __init__(
        self,
        n_features: int | None = None,
        *,
        loss: str = "squared",
        solver: str = "corrective",
        budget: float = 1.0,
        smoothing: float = 20.0,
        insensitivity: float = 0.01,
        tol: float | None = None,
        validation: float | None = None,
        shared: bool = True,
        normalise: bool = False,
        refit_every: int = 1,
        penalty: float = 1e-6,
        fit_intercept: bool = True,
        task: str = "auto",
        random_state: Any = None,
    ) -> None:
        self.n_features = n_features
        self.loss = loss
        self.solver = solver
        self.budget = budget
        self.smoothing = smoothing
        self.insensitivity = insensitivity
        self.tol = tol
        self.validation = validation
        self.shared = shared
        self.normalise = normalise
        self.refit_every = refit_every
        self.penalty = penalty
        self.fit_intercept = fit_intercept
        self.task = task
        self.random_state = random_state

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
        loss = LOSSES[self.loss](self)
        groups = groups_of(X)
        X, y = check_training(self, X, y)
        target = encode(y, classes=loss.for_classes or reads_classes(y, self.task))
        weights, width = check_weights(sample_weight, len(y)), X.shape[1]
        X, rows, validation = settled(X), np.arange(len(y)), None
        k = width if self.solver == "budget" else USUAL
        if self.n_features is not None:
            k = int(self.n_features)
            if k > width:
                warn_user(
                    f"n_features={k} is more than the {width} columns of X; all may be chosen."
                )
        k = min(k, width)
        if self.validation is not None:
            rng = check_random_state(self.random_state)
            strata = target.strata(f"validation={self.validation}")
            fitted, held = split_off(rows, self.validation, rng, strata, groups)
            path = self._path(X, target.values, weights, fitted, loss, k)
            share = check_weights(weights[held], len(held))
            validation = held_out(path, X, held, target.values[held], share, loss)
            k = int(validation.argmin()) + 1
        path = self._path(X, target.values, weights, rows, loss, k)
        self._keep(path, target)
        self.path_ = LossPath(np.array(path.losses), validation)
        return self

    def _path(
        self, X: Any, targets: Array, weights: Array, rows: Rows, loss: SmoothLoss, k: int
    ) -> Path:
        """Choose up to k columns by some rows."""
        share = check_weights(weights[rows], len(rows))
        tol = TOLERANCES[self.solver] if self.tol is None else float(self.tol)
        problem = Problem(
            columns=candidates(X, rows, share, centred=self.fit_intercept),
            targets=targets[rows],
            weights=share,
            loss=loss,
            n_features=k,
            tol=tol,
            normalise=self.normalise,
            penalty=float(self.penalty),
            refit_every=self.refit_every,
            budget=self.budget,
        )
        solve = orthogonal_matching_pursuit if loss.quadratic else forward_selection
        if self.solver == "budget":
            solve = budgeted_selection
        if self.shared:
            path = solve(problem)
        else:
            alone = [replace(problem, targets=y[:, None]) for y in problem.targets.T]
            path = united([solve(one) for one in alone])
        if not path.support:
            raise NoUsefulColumnError(
                f"none of the {X.shape[1]} columns of X lowers the loss by more than tol={tol:g} "
                "asks; give columns that vary with y, or lower tol."
            )
        return path

    def _check_parameters(self) -> None:
        """Stop at parameters that make no sense; every message names the parameter."""
        for name, (low, strict, high) in BOUNDS.items():
            given = getattr(self, name)
            if given is None and name in ("tol", "validation"):
                continue
            number = isinstance(given, Real) and not isinstance(given, bool)
            if not (number and low <= float(given) < high) or (strict and given == low):
                bounds = f"{'above' if strict else 'at least'} {low:g}"
                bounds += "" if high == np.inf else f" and below {high:g}"
                raise ValueError(f"{name}={given!r} must be a number {bounds}.")
        for name in ("refit_every", "n_features"):
            given = getattr(self, name)
            if given is None and name == "n_features":
                continue
            if isinstance(given, bool) or not isinstance(given, Integral) or given < 1:
                raise ValueError(f"{name}={given!r} must be a whole number of at least 1.")
        for name, known in (("loss", LOSSES), ("solver", TOLERANCES), ("task", TASKS)):
            given = getattr(self, name)
            if not isinstance(given, str) or given not in known:
                choices = ", ".join(map(repr, known))
                raise ValueError(f"{name}={given!r} is unknown; choose one of {choices}.")
        if self.task == "regression" and LOSSES[self.loss](self).for_classes:
            raise ValueError(
                f"loss={self.loss!r} is one for classes, but task='regression'; use "
                "loss='squared' or 'epsilon_insensitive'."
            )

    def _keep(self, path: Path, target: Outputs) -> None:
        coef, intercept = path.model_at(len(path) - 1)
        single = target.flat and target.classes is None
        self.support_ = np.array(path.support, dtype=np.intp)
        self.weights_ = np.ones(len(path.support))
        self.coef_ = coef[:, 0] if single else np.ascontiguousarray(coef.T)
        self.intercept_ = float(intercept[0]) if single else intercept
        self.stopped_ = path.stopped
        self.classes_ = target.classes

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
        return decode(scores, self.classes_, flat=self.coef_.ndim == 1)
