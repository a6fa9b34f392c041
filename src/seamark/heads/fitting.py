"""Fit a ridge to features that stream by: one pass, or two where float32 is not enough."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError

from ..features import Features
from .normal import NormalEquations, raw_coefficients
from .selection import Choice, choose, nested_sizes
from .sums import FoldSums, Precision

Floats = NDArray[np.float64]

SMALL_JOB = 2e10  # multiplications that take about a second in float64: nothing to save
FEW_ROWS = 10  # per column: the float64 factors of cross-validation then cost more than products
SINGLE_ERROR = 1.5e-8  # of an entry of a correlation matrix from float32 products, measured
NOISE = 1e-3  # tolerated in predictions (root mean square), in sd of the target
DRIFT = 10.0  # tolerated distance of the pilot's mean, in standard deviations


@dataclass(frozen=True, eq=False)
class Task:
    """What to fit, and how."""

    features: Features
    Y: Floats
    folds: NDArray[np.intp]
    weights: Floats | None
    penalty: float | None  # None: by cross-validation
    n_features: int
    nested: bool  # whether fewer leading features may do
    centred: bool
    allowed: NDArray[np.bool_] | None = None  # as in `FoldSums`

    def sums(self, precision: Precision, pilot: tuple[Floats, Floats] | None = None) -> FoldSums:
        """Pass over the rows once."""
        every = self.n_features == self.features.shape[1]
        sums = FoldSums.of(
            self.features,
            self.Y,
            self.folds,
            self.weights,
            columns=None if every else np.arange(self.n_features),
            precision=precision,
            centred=self.centred,
            pilot=pilot,
        )
        allowed = None if self.allowed is None else self.allowed[:, : self.n_features]
        return replace(sums, allowed=allowed)


@dataclass(frozen=True, eq=False)
class RidgeFit:
    """Coefficients (T, R) and intercepts (T,), and how they came about."""

    coef: Floats
    intercept: Floats
    choice: Choice
    trusted: bool  # whether rounding stayed below what is tolerated
    sums: FoldSums
    centred: bool

    def fold_models(self) -> list[tuple[Floats, Floats]]:
        """Coefficients and intercepts of each fold's model, fitted to the other folds."""
        total, choice = self.sums.total(), self.choice
        models = []
        for fold in range(self.sums.n_folds):
            equations = NormalEquations.of(self.sums, fold, total=total, centred=self.centred)
            vectors = equations.solve(choice.penalty, [choice.n_features])[0]
            models.append(raw_coefficients(self.sums, vectors))
        return models


def fit_ridge(task: Task, precision: str = "auto") -> RidgeFit:
    """Fit; `precision` "auto" takes float64 for small jobs and wherever float32 cannot be trusted.

    Parameters
    ----------
    task : Task
        What to fit.
    precision : {"auto", "single", "double"}
        Of the products of rows.
    """
    if precision not in ("auto", "single", "double"):
        raise ValueError(f"precision={precision!r} must be 'auto', 'single' or 'double'.")
    pilot = None
    if precision == "single" or (precision == "auto" and _is_large(task)):
        sums = task.sums("single")
        fit = _solve(task, sums)
        if fit is not None and (fit.trusted or precision == "single"):
            return fit
        if precision == "single":
            raise ValueError(
                "the features are too nearly collinear for float32 products at this penalty; "
                "use precision='auto' or 'double', or a larger penalty."
            )
        pilot = sums.location(task.centred)
        del sums, fit  # as large as the sums to come
    return solved(task, task.sums("double", pilot))


def solved(task: Task, sums: FoldSums) -> RidgeFit:
    """Choose, where there is a choice, and solve from float64 sums."""
    fit = _solve(task, sums)
    if fit is None:
        raise ValueError(
            f"penalty={task.penalty} is too small for features so nearly collinear; "
            "use a larger one, or 'cv'."
        )
    return fit


def unseen_scores(task: Task, models: list[tuple[Floats, Floats]], size: int) -> Floats:
    """Score every row by the model of the other folds, from the leading columns.

    Parameters
    ----------
    task : Task
        Says the folds; its features are read once more.
    models : list of (coefficients (T, R), intercepts (T,))
        One for each fold.
    size : int
        Columns in use.
    """
    scores = np.zeros((len(task.folds), len(models[0][0])))
    leading = None if size == task.features.shape[1] else np.arange(size)
    for rows, block in task.features.blocks(leading):
        for fold, (coef, intercept) in enumerate(models):
            member = task.folds[rows] == fold
            constant = intercept if task.centred else 0.0
            scores[rows][member] = block[member] @ coef[:, :size].T + constant
    return scores


def _is_large(task: Task) -> bool:
    """Tell whether float32 products would save time worth having.

    With few rows there is little to save and much to lose: features of 2,233 strings against 4,096
    random ones are so collinear that float32 hid the best penalty, and cost ten points of accuracy.
    """
    n, width = len(task.Y), task.n_features
    if task.penalty is None and n <= FEW_ROWS * width:
        return False
    return float(n) * width**2 > SMALL_JOB


def _solve(task: Task, sums: FoldSums) -> RidgeFit | None:
    """Choose and solve; None when rounding has left no solution."""
    sizes = nested_sizes(task.n_features) if task.nested else [task.n_features]
    if task.penalty is None or task.nested:
        choice = choose(sums, sizes, task.penalty, task.centred)
    else:
        choice = Choice(task.penalty, task.n_features, {})
    equations = NormalEquations.of(sums, centred=task.centred)
    try:
        vectors = equations.solve(choice.penalty, [choice.n_features])[0]
    except LinAlgError:
        return None
    coef, intercept = raw_coefficients(sums, vectors)
    trusted = sums.precision == "double" or _trusted(sums, equations, vectors, choice, task.centred)
    return RidgeFit(coef, intercept, choice, trusted, sums, task.centred)


def _trusted(
    sums: FoldSums, equations: NormalEquations, vectors: Floats, choice: Choice, centred: bool
) -> bool:
    """Tell whether float32 products moved the predictions by less than is tolerated.

    An error E of independent entries ε in A moves the predictions by (A + λI)^(−1/2) E β, which is
    about ε √R ‖β‖ / √(λ + λ_min) at most, in standard deviations of the target. On collinear
    features that was 0.8 to 3 times the root mean square of the true error; the worst row had
    five times that.
    """
    if centred and sums.drift() > DRIFT:
        return False
    if choice.results:
        tried, errors = choice.results["penalty"], choice.results["mean_error"]
        below = errors[tried < choice.penalty]
        if len(below) and not np.isfinite(below[-1]).all():  # a smaller one might have been better
            return False
    unit = np.where(equations.unit > 0, equations.unit, np.inf)[:, None]
    beta = vectors[1 : 1 + sums.n_features] / unit
    size = np.linalg.norm(beta, axis=0).max() * np.sqrt(choice.n_features)
    allowed = float((SINGLE_ERROR * size / NOISE) ** 2)  # least eigenvalue that is safe
    return choice.penalty >= allowed or equations.smallest_eigenvalue(choice.penalty) >= allowed
