"""One ridge: what is fitted to which rows, the fit, and scores of rows that it has not seen."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..data import with_seed
from ..engine import backend, side_by_side, tick
from ..engine.lapack import tiles
from ..features import Features, Floats, Rows, Selected
from ..targets import signs
from .ridge_solve import (
    WHOLE,
    CollinearError,
    Dual,
    PenaltyChoice,
    Primal,
    Ridges,
    choose,
    nested_sizes,
    raw_coefficients,
)
from .ridge_statistics import FoldRows, FoldSums, Precision, Standard

Models = list[tuple[Floats, Floats]]

# Multiplications of a ridge up to which float64 takes so little time that nothing is saved.
SMALL_JOB = 4e9
SCORED_VALUES = 1 << 19  # features scored at a time; float64 copies of them stay in cache


def linear_scores(block: Any, coef: Floats) -> Floats:
    """Return a block of features times coefficients (T, R), on the host."""
    if isinstance(block, np.ndarray):
        return np.asarray(block @ coef.T)
    on = backend()
    scores: Floats = on.statistics.linear(on.device, block, coef)
    return scores


# Fit a ridge to features that stream by: one pass, or two where float32 is not enough.


FEW_ROWS = 5  # per column: the float64 factors of cross-validation then cost more than products
SINGLE_ERROR = 1.5e-8  # of an entry of a correlation matrix from float32 products, measured
NOISE = 1e-3  # tolerated in predictions (root mean square), in sd of the target
DRIFT = 10.0  # tolerated distance of the first rows' mean, in standard deviations


@dataclass(eq=False)
class RidgeTask:
    """What to fit, to which features (all of them are in use), and how."""

    features: Features
    Y: Floats
    folds: NDArray[np.intp]
    weights: Floats | None
    penalty: float | None  # None: by cross-validation
    nested: bool  # whether fewer leading features may do
    centred: bool
    allowed: NDArray[np.bool_] | None = None  # as in `FoldSums`
    start: float | dict[int, float] | None = None  # of the search for the penalty; of each block
    columns: Any = None  # in use, of the features that were given
    # Where features, targets and folds are those of a sample: all rows, with `n_rows` and with
    # `add_up`, which adds up what `ChunkSums` makes of each chunk of them; and what deals folds.
    everything: Any = None
    seed: int = 0
    n_folds: int = 1
    classes: NDArray[Any] | None = None
    backend: Any = field(default_factory=backend)  # where sums of many rows are made
    n_features: int = field(init=False)
    n_used: int = field(init=False)  # rows in use
    behind: int = field(init=False)  # rows that these are a sample of; 0: they are all
    sizes: list[int] = field(init=False)  # numbers of leading features to try

    def __post_init__(self) -> None:
        self.n_features = width = self.features.shape[1]
        self.sizes = nested_sizes(width) if self.nested else [width]
        self.n_used = int(np.count_nonzero(self.folds >= 0))
        self.behind = 0 if self.everything is None else int(self.everything.n_rows)

    @property
    def is_open(self) -> bool:
        """Tell whether only the penalty is to be found, on columns that are the same for all folds.

        Not so if rows are a sample.
        """
        fixed = self.penalty is not None or self.nested or self.behind
        return not fixed and not self.features.mixes_landmarks

    @property
    def choices(self) -> list[Rows]:
        """Columns in use of the features that everything has, one choice among another."""
        columns: list[Rows] = []
        features = self.features
        while isinstance(features, Selected):
            if features.columns is not None:
                columns.insert(0, features.columns)
            features = features.features
        return columns

    @property
    def is_wide(self) -> bool:
        """Tell whether rows are so few that the dual form is quicker.

        It factorises an n × n matrix for every size, where one R × R factor serves them all. As
        measured, it takes a quarter of the time at n = 0.7 R, half to four fifths at n = R, and
        falls behind beyond 1.2 R; with eight sizes, beyond half of R.
        """
        if self.behind:  # there are many rows
            return False
        return len(self.sizes) * float(self.n_used) ** 3 <= float(self.n_features) ** 3

    def on_device(self) -> Features | None:
        """Return features whose chunks are on the device, if sums are many, and fit there."""
        n = self.behind or self.n_used
        device = self.backend.device
        if device is None or float(n) * self.n_features**2 < device.sums_from:
            return None
        width, n_folds = 1 + self.n_features + self.Y.shape[1], int(self.folds.max()) + 1
        fits = self.backend.statistics.DeviceMoments.n_bytes(n_folds, width) <= device.free_bytes()
        return self.features.on_device() if fits else None

    def some(self, columns: Rows) -> RidgeTask:
        """Return the task on some of the columns."""
        allowed = None if self.allowed is None else self.allowed[:, columns]
        return replace(self, features=Selected(self.features, columns), allowed=allowed)

    def least_error(self, start: float | None = None, bar: float = np.inf) -> tuple[float, float]:
        """Return the least cross-validated error, and the penalty of it, without a fit.

        Parameters
        ----------
        start : float, optional
            Penalty that was best for features like these; spares half of the search.
        bar : float
            Error to be reached; where that is out of reach, a rough answer comes sooner.
        """
        choice = choose(self.ridges(), self.sizes, self.penalty, start, bar, False)
        return float(np.min(choice.results["mean_error"])), choice.penalty

    def ridges(
        self, standard: tuple[Floats, Floats] | None = None, precision: Precision = "double"
    ) -> Ridges:
        """Pass over the rows once: keep them if they are few, else add up their products.

        Sums are made where the backend has the features. `standard` is as in `FoldSums.of`.
        """
        given = self.Y, self.folds, self.weights
        if precision == "double" and self.is_wide:
            kept: Any = {"centred": self.centred, "allowed": self.allowed}
            return Dual(FoldRows.of(self.features, *given, **kept), self.centred)
        sums: Any
        if self.behind:  # about the centre and in the units of the sample
            how = Standard.of(
                self.features, *given, dtype=np.float64, centred=self.centred, standard=standard
            )
            known = self.seed, self.n_folds, self.classes, precision, self.centred
            centre_and_scale = how.centre[1:], how.scale[1:]
            sums = self.everything.add_up(ChunkSums(centre_and_scale, self.choices, *known))
            if sums.fold_weights.min() <= 0:
                raise ValueError(
                    f"{self.n_folds} folds cannot be made: too few objects differ; give fewer "
                    "(cv=), or the penalty as a number."
                )
            sums = replace(sums, allowed=self.allowed)
        else:
            there = self.on_device()
            kind, features = FoldSums, self.features
            if there is not None:
                from .ridge_device import DeviceSums

                kind, features = DeviceSums, there  # type: ignore[assignment]
            options: Any = {"precision": precision, "centred": self.centred, "standard": standard}
            sums = kind.of(features, *given, **options, allowed=self.allowed)
        if isinstance(sums, FoldSums):
            return Primal(sums, self.centred)
        from .ridge_device import DevicePrimal

        if not np.isfinite(sums.edges[1]).all():
            raise ValueError(
                "the features hold NaN or infinity; ridge needs finite numbers, so drop or impute."
            )
        return DevicePrimal(sums, self.centred)


class Fitted:
    """Coefficients (T, R) and intercepts (T,), how they came about, and scores of unseen rows."""

    coef: Floats
    intercept: Floats
    choice: PenaltyChoice
    tried: dict[str, Any] | None  # of features in blocks
    precision: Precision = "double"  # of the products

    def judged(self) -> Self:
        """The same for scores to report: of one block no weights are chosen."""
        return self

    @abstractmethod
    def unseen_scores(self, task: RidgeTask) -> Floats:
        """Score every row of the task that was fitted by the model of the other folds."""

    def from_rows(self, task: RidgeTask) -> Dual | None:
        """Return ridges of the columns in use, all alike; None unless rows are fewer."""
        return None

    def unseen_of(self, task: RidgeTask, rows: Rows, block: Floats) -> Floats:
        """Return the same for some rows, whose features in use are there as a block."""
        return np.asarray(self.unseen_scores(task)[rows])


@dataclass(frozen=True, eq=False)
class RidgeFit(Fitted):
    """A fit, and the ridges that tell what models without each fold leave of its rows."""

    coef: Floats
    intercept: Floats
    choice: PenaltyChoice
    ridges: Ridges
    tried: dict[str, Any] | None = None
    precision: Precision = "double"

    def fold_models(self) -> Models:
        """Coefficients and intercepts of each fold's model; of rows there are none."""
        left = self.ridges.left(self.choice)
        return [raw_coefficients(self.ridges.data, vectors) for vectors in left]

    def unseen_scores(self, task: RidgeTask) -> Floats:
        """See `Fitted`; features are read once more, unless ridges are judged by rows."""
        if task.features.mixes_landmarks:
            return _unseen_by_mixtures(task, self.choice.penalty)
        left = [of_fold[None] for of_fold in self.ridges.left(self.choice)]
        return unseen_scores(task, self.ridges, left, self.choice.n_features)[0]

    def from_rows(self, task: RidgeTask) -> Dual | None:
        """See `Fitted`; rows of which there are sums only are read again."""
        if task.n_used > task.n_features:
            return None
        if isinstance(self.ridges, Dual):
            return self.ridges
        given = task.features, task.Y, task.folds, task.weights
        kept = FoldRows.of(*given, centred=task.centred, allowed=task.allowed)
        return Dual(kept, task.centred)

    def unseen_of(self, task: RidgeTask, rows: Rows, block: Floats) -> Floats:
        """See `Fitted`; sums know the models."""
        if isinstance(self.ridges, Dual) or task.features.mixes_landmarks:
            return super().unseen_of(task, rows, block)
        said = np.zeros((len(rows), task.Y.shape[1]))
        for fold, (coef, intercept) in enumerate(self.fold_models()):
            of_fold = task.folds[rows] == fold
            constant = intercept if task.centred else 0.0
            said[of_fold] = block[of_fold] @ coef[:, : block.shape[1]].T + constant
        return said


def unseen_scores(task: RidgeTask, ridges: Ridges, left: list[Floats], size: int) -> list[Floats]:
    """Score every row by P models of the other folds, from the leading columns: P times (n, T).

    Parameters
    ----------
    task : RidgeTask
        Says the folds; its features are read once more, unless ridges are judged by rows.
    ridges : Ridges
    left : list of ndarray of shape (P, k, T)
        Of each fold; see `Ridges.trial`.
    size : int
        Columns in use.
    """
    data = ridges.data
    if isinstance(ridges, Dual):  # residuals √w (y − ŷ)
        found = np.zeros((len(left[0]), *task.Y.shape))
        used, scale = np.flatnonzero(task.folds >= 0), data.scale[1 + data.n_features :]
        for fold, of_fold in enumerate(left):
            rows = np.flatnonzero(data.folds == fold)
            some = used[rows]
            found[:, some] = task.Y[some] - of_fold / data.rows[rows, :1] * scale
        return list(found)
    models = []  # of each fold the coefficients (P·T, R) and intercepts (P·T,)
    for of_fold in left:
        each = [raw_coefficients(data, vectors) for vectors in of_fold]
        coef, intercept = zip(*each, strict=True)
        models.append((np.concatenate(coef), np.concatenate(intercept) * float(task.centred)))
    return np.split(scores_of_folds(task, models, size), len(left[0]), axis=1)


def scores_of_folds(task: RidgeTask, models: Models, size: int) -> Floats:
    """Score each row by its fold's coefficients (T, R) and intercepts (T,), in one pass."""

    def part(rows: slice, block: NDArray[Any]) -> list[Floats]:
        most = max(1, SCORED_VALUES // block.shape[1])  # rows
        if len(block) > most:
            pieces = tiles(0, len(block), most)
            numbers = [slice(rows.start + some.start, rows.start + some.stop) for some in pieces]
            return list(chain(*side_by_side(part, numbers, [block[some] for some in pieces])))
        scores = np.zeros((len(block), len(models[0][0])))
        for fold, (coef, intercept) in enumerate(models):
            member = np.flatnonzero(task.folds[rows] == fold)
            scores[member] = block[member] @ coef[:, :size].T + intercept
        return [scores]

    leading = None if size == task.n_features else np.arange(size)
    there = task.on_device()
    if there is None:
        return np.concatenate(task.features.reduce(part, leading))
    coefs = np.concatenate([coef[:, :size] for coef, _ in models])
    constants = np.stack([constant for _, constant in models])

    def of_device(rows: slice, block: Any) -> Floats:
        """Score by all models in one product, and take each row's own."""
        folds = task.folds[rows]
        every = linear_scores(block, coefs).reshape(len(folds), *constants.shape)
        own = np.maximum(folds, 0)
        scores = every[np.arange(len(folds)), own] + constants[own]
        scores[folds < 0] = 0.0
        return scores

    return there.stacked(of_device, leading)


def _unseen_by_mixtures(task: RidgeTask, penalty: float) -> Floats:
    """Score every row by a model of the other folds, on columns made without its fold's landmarks.

    Such columns differ from fold to fold. A row that is a landmark would be unlike any new row: no
    other equals a landmark.
    """
    scores = np.zeros(task.Y.shape)
    for fold in range(int(task.folds.max()) + 1):
        out = task.folds == fold
        features = task.features.made_without(out)
        folds = np.where(out | (task.folds < 0), -1, 0)
        own = replace(task, features=features, folds=folds, penalty=penalty)
        fit = solved(own, own.ridges())
        constant = fit.intercept if task.centred else 0.0
        scores[out] = features.rows(np.flatnonzero(out)) @ fit.coef.T + constant
    return scores


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
    device = task.backend.device
    quick = device is not None and device.fast_doubles and task.on_device() is not None
    # Would float32 products save time worth having? With few rows there is little to save and much
    # to lose: features of 2,233 strings against 4,096 random ones are so collinear that float32 hid
    # the best penalty, and cost ten points of accuracy.
    n, width = task.behind or len(task.Y), task.n_features
    few = task.is_wide or (task.penalty is None and n <= FEW_ROWS * width)
    large = not few and float(n) * width**2 > SMALL_JOB
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
            if precision == "single" or _trusted(fit):
                return fit
            del fit
        standard = ridges.data.location(task.centred)
        del ridges  # as large as the sums to come
    return solved(task, task.ridges(standard))


def solved(task: RidgeTask, ridges: Ridges) -> RidgeFit:
    """Choose, where there is a choice, and solve."""
    tick()  # the sums are there
    if task.penalty is None or task.nested:
        start = None if isinstance(task.start, dict) else task.start
        choice = choose(ridges, task.sizes, task.penalty, start)
    else:
        choice = PenaltyChoice(task.penalty, task.n_features, {})
    vectors = ridges.vectors(choice.penalty, choice.n_features)
    coef, intercept = raw_coefficients(ridges.data, vectors)
    return RidgeFit(coef, intercept, choice, ridges, precision=ridges.data.precision)


def _trusted(fit: RidgeFit) -> bool:
    """Tell whether float32 products moved the predictions by less than is tolerated.

    An error E of independent entries ε in A moves the predictions by (A + λI)^(−1/2) E β, which is
    about ε √R ‖β‖ / √(λ + λ_min) at most, in standard deviations of the target. On collinear
    features that was 0.8 to 3 times the root mean square of the true error; the worst row had
    five times that.
    """
    ridges: Any = fit.ridges
    data, choice = ridges.data, fit.choice
    if data.precision == "double":
        return True
    if ridges.centred and data.drift() > DRIFT:
        return False
    if choice.results:
        tried, errors = choice.results["penalty"], choice.results["mean_error"]
        below = errors[tried < choice.penalty]
        if len(below) and not np.isfinite(below[-1]).all():  # a smaller one might have been better
            return False
    unit, R = ridges.unit[WHOLE], data.n_features
    deviations = data.scale[1 : 1 + R] / np.where(unit > 0, unit, np.inf)
    beta = fit.coef * deviations / data.scale[1 + R :, None]
    size = np.linalg.norm(beta, axis=1).max() * np.sqrt(choice.n_features)
    allowed = float((SINGLE_ERROR * size / NOISE) ** 2)  # least eigenvalue that is safe
    return choice.penalty >= allowed or ridges.smallest_eigenvalue(choice.penalty) >= allowed


# Rows that are read in chunks: features of a sample, and sums of all.


def hashed_folds(hashes: NDArray[Any], seed: int, n_folds: int) -> Rows:
    """Deal objects to folds by the hash of seed and object; see `deal`."""
    return np.asarray((with_seed(hashes, seed) % np.uint64(n_folds)).astype(np.intp))


@dataclass(frozen=True, eq=False)
class ChunkSums:
    """What is added up: the sums of one chunk, about a centre that all chunks share.

    Attributes
    ----------
    standard : tuple of two ndarrays of shape (R + T,)
        Centre and scale of features and targets.
    columns : list of ndarray
        Features in use, one choice among another.
    seed, n_folds : int
        Deal the folds.
    classes : ndarray or None
        Targets are ±1 for each of these; None: they are numbers.
    precision, centred
        As in `FoldSums.of`.
    """

    standard: tuple[Floats, Floats]
    columns: list[Rows]
    seed: int
    n_folds: int
    classes: NDArray[Any] | None
    precision: Precision
    centred: bool

    def __call__(
        self, features: Features, y: NDArray[Any], weights: Floats | None, hashes: Rows
    ) -> Any:
        """Return the sums of a chunk; None if no row of it has any weight."""
        if weights is not None and not (weights > 0).any():
            return None
        for some in self.columns:
            features = Selected(features, some)
        folds = hashed_folds(hashes, self.seed, self.n_folds)
        how: Any = {"n_folds": self.n_folds, "centred": self.centred, "standard": self.standard}
        how["precision"] = self.precision
        there = features.on_device() if backend().device is not None else None
        classes = self.classes
        if there is not None and classes is not None:
            from .ridge_device import DeviceSums

            which = np.clip(y, 0, len(classes) - 1).astype(np.int32)  # classes are mostly 0, 1, …
            if np.array_equal(classes[which], y):
                targets = signs(classes, classes)
                return DeviceSums.of(there, targets, folds, weights, which=which, **how)
        Y = y.reshape(len(y), -1) if classes is None else signs(y, classes)
        return FoldSums.of(features, Y, folds, weights, **how)
