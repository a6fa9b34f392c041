"""Fit a ridge to features that stream by: one pass, or two where float32 is not enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError

from ..engine import backend, settings, tick
from ..features import Features
from .calibration import unseen_scores
from .dual import Dual
from .normal import Primal, raw_coefficients
from .rows import FoldRows
from .selection import PenaltyChoice, Ridges, choose, nested_sizes
from .sums import FoldSums, Precision
from .tridiagonal import solve_each

Floats = NDArray[np.float64]

FEW_ROWS = 5  # per column: the float64 factors of cross-validation then cost more than products
SINGLE_ERROR = 1.5e-8  # of an entry of a correlation matrix from float32 products, measured
NOISE = 1e-3  # tolerated in predictions (root mean square), in sd of the target
DRIFT = 10.0  # tolerated distance of the first rows' mean, in standard deviations


class CollinearError(ValueError):
    """Rounding has left no solution: a penalty is too small for features."""

    def __init__(self, penalty: float | None) -> None:
        super().__init__(
            f"penalty={penalty} is too small for features so nearly collinear; "
            "use a larger one, or 'cv'."
        )


@dataclass(frozen=True, eq=False)
class RidgeTask:
    """What to fit, to which features (all of them are in use), and how."""

    features: Features
    Y: Floats
    folds: NDArray[np.intp]
    weights: Floats | None
    penalty: float | None  # None: by cross-validation
    n_features: int
    nested: bool  # whether fewer leading features may do
    centred: bool
    allowed: NDArray[np.bool_] | None = None  # as in `FoldSums`
    start: float | dict[int, float] | None = None  # of the search for the penalty; of each block
    behind: int = 0  # rows that these are a sample of, if they are

    @property
    def sizes(self) -> list[int]:
        """Numbers of leading features to try."""
        return nested_sizes(self.n_features) if self.nested else [self.n_features]

    @property
    def is_wide(self) -> bool:
        """Tell whether rows are so few that the dual form is quicker.

        It factorises an n × n matrix for every size, where one R × R factor serves them all. As
        measured, it takes a quarter of the time at n = 0.7 R, half to four fifths at n = R, and
        falls behind beyond 1.2 R; with eight sizes, beyond half of R.
        """
        n = np.count_nonzero(self.folds >= 0)
        return len(self.sizes) * float(n) ** 3 <= float(self.n_features) ** 3

    def on_device(self) -> Features | None:
        """Return features whose chunks are on the device, if sums are better made there."""
        from .on_device import worth_it

        n = self.behind or int(np.count_nonzero(self.folds >= 0))
        n_folds = int(self.folds.max()) + 1
        worth = worth_it(n, self.n_features, self.Y.shape[1], n_folds)
        return self.features.on_device() if worth else None

    def ridges(
        self, standard: tuple[Floats, Floats] | None = None, precision: Precision = "double"
    ) -> Any:
        """Pass over the rows once: keep them if they are few, else add up their products.

        Sums are made where the backend has the features. `standard` is as in `FoldSums.of`.
        """
        given = self.Y, self.folds, self.weights
        if precision == "double" and self.is_wide:
            rows = FoldRows.of(self.features, *given, centred=self.centred)
            rows = replace(rows, allowed=self.allowed)
            return Dual(rows, self.centred, by_rows=not self.nested and Dual.fits(rows))
        there = self.on_device() if backend().device is not None else None
        how: Any = {"precision": precision, "centred": self.centred, "standard": standard}
        sums: Any
        if there is not None:
            from .on_device import DeviceSums

            sums = DeviceSums.of(there, *given, **how)
        else:
            sums = FoldSums.of(self.features, *given, **how)
        tick()
        sums = replace(sums, allowed=self.allowed)
        return Primal(sums, self.centred) if there is None else ridges_of(sums, self.centred)


@dataclass(frozen=True, eq=False)
class RidgeFit:
    """Coefficients (T, R) and intercepts (T,), and how they came about."""

    coef: Floats
    intercept: Floats
    vectors: Floats  # the same as residual vectors
    choice: PenaltyChoice
    ridges: Ridges
    # False: float32 products may have moved predictions too far.
    trusted: bool = field(default=True, kw_only=True)

    @property
    def precision(self) -> Precision:
        """Of the products."""
        found: Precision = self.ridges.data.precision
        return found

    @property
    def knows_unseen(self) -> bool:
        """Tell whether `unseen_scores` are known without a look at the features."""
        return self.ridges.by_rows

    def judged(self) -> RidgeFit:
        """The same for scores to report: of one block no weights are chosen."""
        return self

    def fold_models(self) -> list[tuple[Floats, Floats]]:
        """Coefficients and intercepts of each fold's model, fitted to the other folds."""
        data = self.ridges.data
        if self.choice.solutions is not None and not self.ridges.by_rows:
            return list(map(raw_coefficients, repeat(data), self.choice.solutions))
        return fold_models(self.ridges, [self.choice.penalty], self.choice.n_features)

    def left_out(self) -> list[Floats]:
        """Residuals √w (y − ŷ) of the rows of each fold, in units of the targets."""
        if self.choice.solutions is not None:
            return self.choice.solutions
        folds, wanted = range(self.ridges.data.n_folds), [self.choice.n_features]
        try:
            return [self.ridges.trial(k).solve(self.choice.penalty, wanted)[0] for k in folds]
        except LinAlgError:
            raise CollinearError(self.choice.penalty) from None

    def unseen_scores(self, task: RidgeTask) -> Floats:
        """Score every row by the model of the other folds.

        Parameters
        ----------
        task : RidgeTask
            Which was fitted; its features are read once more, unless ridges are judged by rows.
        """
        data: Any = self.ridges.data
        if not self.ridges.by_rows:
            return unseen_scores(task, self.fold_models(), self.choice.n_features)
        residuals = self.left_out()
        scores, used = np.zeros(task.Y.shape), np.flatnonzero(task.folds >= 0)
        scale = data.scale[1 + data.n_features :]
        for fold, of_fold in enumerate(residuals):
            rows = np.flatnonzero(data.folds == fold)
            some = used[rows]
            scores[some] = task.Y[some] - of_fold / data.rows[rows, :1] * scale
        return scores


def ridges_of(sums: Any, centred: bool) -> Primal:
    """Return the ridges of sums, which are solved where they are."""
    if isinstance(sums, FoldSums):
        return Primal(sums, centred)
    from .on_device import DevicePrimal

    if not np.isfinite(sums.edges(None)[1]).all():
        raise ValueError(
            "the features hold NaN or infinity; ridge needs finite numbers, so drop or impute."
        )
    return DevicePrimal(sums, centred)  # type: ignore[return-value]  # it does what a `Primal` does


def fit_ridge(task: RidgeTask, precision: str = "auto") -> RidgeFit:
    """Fit; `precision` "auto" takes float64 for small jobs and wherever float32 cannot be trusted.

    Parameters
    ----------
    task : RidgeTask
        What to fit.
    precision : {"auto", "single", "double"}
        Of the products of rows.
    """
    if precision not in ("auto", "single", "double"):
        raise ValueError(f"precision={precision!r} must be 'auto', 'single' or 'double'.")
    standard = None
    device = backend().device
    quick = device is not None and task.on_device() is not None and device.fast_doubles
    # Would float32 products save time worth having? With few rows there is little to save and much
    # to lose: features of 2,233 strings against 4,096 random ones are so collinear that float32 hid
    # the best penalty, and cost ten points of accuracy.
    n, width = task.behind or len(task.Y), task.n_features
    few = task.is_wide or (task.penalty is None and n <= FEW_ROWS * width)
    large = not few and float(n) * width**2 > settings().small_job
    if precision == "single" or (precision == "auto" and large and not quick):
        ridges = task.ridges(precision="single")
        try:
            fit = solved(task, ridges)
        except CollinearError:
            if precision == "single":
                raise ValueError(
                    "the features are too nearly collinear for float32 products at this penalty; "
                    "use precision='auto' or 'double', or a larger penalty."
                ) from None
        else:
            if precision == "single" or fit.trusted:
                return fit
            del fit
        standard = ridges.data.location(task.centred)
        del ridges  # as large as the sums to come
    return solved(task, task.ridges(standard))


def solved(task: RidgeTask, ridges: Ridges) -> RidgeFit:
    """Choose, where there is a choice, and solve."""
    if task.penalty is None or task.nested:
        start = None if isinstance(task.start, dict) else task.start
        choice = choose(ridges, task.sizes, task.penalty, start)
    else:
        choice = PenaltyChoice(task.penalty, task.n_features, {})
    try:
        equations = ridges.equations()
        vectors = equations.solve(choice.penalty, [choice.n_features])[0]
    except LinAlgError:
        raise CollinearError(task.penalty) from None
    single = ridges.data.precision == "single"
    trusted = not single or _trusted(ridges, equations, choice, vectors)
    return RidgeFit(
        *raw_coefficients(ridges.data, vectors), vectors, choice, ridges, trusted=trusted
    )


def fold_models(
    ridges: Ridges, penalties: Sequence[float], size: int
) -> list[tuple[Floats, Floats]]:
    """Coefficients (P·T, R) and intercepts (P·T,) of the models without each fold.

    Parameters
    ----------
    ridges : Primal or Dual
    penalties : sequence of float
        P of them; the models of one stand together.
    size : int
        Columns in use.
    """
    models = []
    for fold in range(ridges.data.n_folds):
        try:
            solutions = solve_each(ridges.equations(fold), penalties, size)
        except LinAlgError as error:
            raise CollinearError(error.args[0]) from None
        of_fold = [raw_coefficients(ridges.data, vectors) for vectors in solutions]
        coef, intercept = zip(*of_fold, strict=True)
        models.append((np.concatenate(coef), np.concatenate(intercept)))
    return models


def _trusted(ridges: Any, equations: Any, choice: PenaltyChoice, vectors: Floats) -> bool:
    """Tell whether float32 products moved the predictions by less than is tolerated.

    An error E of independent entries ε in A moves the predictions by (A + λI)^(−1/2) E β, which is
    about ε √R ‖β‖ / √(λ + λ_min) at most, in standard deviations of the target. On collinear
    features that was 0.8 to 3 times the root mean square of the true error; the worst row had
    five times that.
    """
    if ridges.centred and ridges.data.drift() > DRIFT:
        return False
    if choice.results:
        tried, errors = choice.results["penalty"], choice.results["mean_error"]
        below = errors[tried < choice.penalty]
        if len(below) and not np.isfinite(below[-1]).all():  # a smaller one might have been better
            return False
    unit = np.where(equations.unit > 0, equations.unit, np.inf)[:, None]
    beta = vectors[1 + equations.columns] / unit
    size = np.linalg.norm(beta, axis=0).max() * np.sqrt(choice.n_features)
    allowed = float((SINGLE_ERROR * size / NOISE) ** 2)  # least eigenvalue that is safe
    return choice.penalty >= allowed or equations.smallest_eigenvalue(choice.penalty) >= allowed
