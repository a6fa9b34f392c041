"""Ridge without products of all columns: a few passes over the rows, each of n × R operations.

Standardised columns Z minimise ‖ZW − Y‖²/n + λ‖W‖². Directions are collected in a basis Q, for all
targets together; a pass over the rows gives ZᵀZQ of the new ones, from which the best W = QC
follows for any number of penalties, and its true residual. The next directions are the residual
times the inverse of the same matrix on a sample of the rows: preconditioned block conjugate
gradients, without recurrences that rounding could lead astray. Products of rows are float32, sums
and all that is small float64.

A tenth of the rows is held out, and chooses the penalty and, if that is open, the number of
columns. Sums of both sides are kept apart, so that the model of all rows goes on from the same
basis, and mostly needs few passes more.

References
----------
Rudi, Carratino and Rosasco (2017), FALKON: an optimal large scale kernel method.
O'Leary (1980), The block conjugate gradient algorithm and related methods.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial, reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError

from ..data import with_seed
from ..engine import n_threads, settings, side_by_side, tick
from ..engine.lapack import add_products, cholesky, cholesky_solve, tiles
from ..features import Features, Floats, Mask, Rows, Selected
from ..targets import signs
from .ridge_fit import Fitted, RidgeTask
from .ridge_solve import CEILING, FLOOR, HALF, PenaltyChoice, choose, nested_sizes
from .ridge_statistics import Precision, require_finite

StripSums = Callable[[NDArray[Any], Floats, Floats, Mask], Any]

HELD_OUT = 10  # one row in so many is held out
N_PARTS = 5  # of the held-out rows, where what is learned from them is judged out of fold
MOST_PASSES = 60
# Error of predictions, relative to their size, at which the iteration ends; while penalties are
# compared, so small an error is far below what tells them apart.
CLOSE, CLOSE_ENOUGH = 5e-4, 5e-3
WORTH_A_STEP = 0.999  # times the error of a penalty: what the next one has to reach
BLOCK_WIDTH = 16  # directions of one pass that cost little more than one
FEW_COLUMNS = 1000  # of which the first guess of the penalty is made
LARGEST_FACTOR = 12_288  # rows and columns of the largest matrix that is factorised
CENTRE_ROWS = 512
STRIP_ROWS = 256  # rows of one float32 product
BASIS_BYTES = 256 << 20
VALUE_COST = 300.0  # of reading a feature once more, in multiplications
TYPICAL_PASSES = 20
FACTORS = 15  # of a ridge that chooses its penalty by folds


def is_cheaper(n: int, width: int, n_targets: int = 1, n_factors: int = FACTORS) -> bool:
    """Tell whether passes over the rows take fewer operations than products of all columns.

    Parameters
    ----------
    n, width, n_targets : int
        Rows, columns and targets.
    n_factors : int
        How often a ridge that adds up products would factorise them.
    """
    if width <= 2 * FEW_COLUMNS or n <= 2 * width:
        return False
    direct = float(width) ** 2 * (n + n_factors * width / 3)
    per_value = VALUE_COST + 2 * max(n_targets, BLOCK_WIDTH)
    return direct > TYPICAL_PASSES * per_value * float(n) * width


def iterates(task: RidgeTask) -> bool:
    """Tell whether a task is one for passes over the rows, and can be solved so."""
    n = task.behind or task.n_used
    open_ = task.penalty is None or task.nested
    possible = not (
        getattr(task.everything, "folder", None) is not None  # where sums are kept
        or task.features.mixes_landmarks
        or task.features.made_with_targets
        or task.on_device() is not None
        or task.folds.max(initial=0) < 1
    )
    cheaper = is_cheaper(n, task.n_features, task.Y.shape[1], FACTORS if open_ else 1)
    return possible and cheaper


def iterative_bytes(width: int) -> int:
    """Return the bytes that an iteration holds beside features."""
    largest = largest_factor()
    rows = min(width, largest)
    factor = 12 * rows**2 if width <= largest else 12 * (rows // 2) ** 2 + 2 * rows * width
    return factor + settings().share(4, BASIS_BYTES)


def largest_factor() -> int:
    """Return the rows and columns of the largest matrix that may be factorised."""
    budget = settings().budget
    return LARGEST_FACTOR if budget is None else min(LARGEST_FACTOR, int((budget / 24) ** 0.5))


def sample_rows(n: int, width: int) -> int:
    """Return of how many rows a preconditioner should be made, to spare the most operations.

    Eigenvalues of m rows lie within (1 ± √(R/m))² of those of all, which says how many passes
    over n rows are left; a row more costs R² operations.
    """
    multiples = np.array([1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0])
    roots = 1 / np.sqrt(multiples)
    passes = (1 + roots) / (1 - roots) * np.log(2 / CLOSE)
    costs = multiples * width**2 * width + passes * VALUE_COST * float(n) * width
    return int(multiples[np.argmin(costs)] * width)


@dataclass(frozen=True, eq=False)
class IterativeFit(Fitted):
    """Coefficients (T, R) and intercepts (T,), and those of the model without held-out rows."""

    coef: Floats
    intercept: Floats
    choice: PenaltyChoice
    without_held_out: tuple[Floats, Floats]
    n_passes: int
    precision: Precision = "single"
    tried: None = None

    def unseen_scores(self, task: RidgeTask) -> Floats:
        """Score the held-out rows by the model without them; others get 0."""
        scores, held = np.zeros(task.Y.shape), np.flatnonzero(task.folds >= 0)
        scores[held] = scores_of_rows(task.features, held, *self.without_held_out)
        return scores

    def unseen_of(self, task: RidgeTask, rows: Rows, block: Floats) -> Floats:
        """See `Fitted`; one model has not seen any of them."""
        coef, intercept = self.without_held_out
        return np.asarray(block @ coef.T + intercept)


def fit_iteratively(task: RidgeTask) -> tuple[IterativeFit, RidgeTask]:
    """Fit, and return the fit and the task with the held-out rows as its folds."""
    held = held_out_rows(task)
    data, rows = Sides.of(task, held), np.flatnonzero(held)
    sizes = [task.n_features]
    if task.nested:
        sizes = [size for size in nested_sizes(task.n_features) if size >= FEW_COLUMNS // 2][::-1]
    tried: dict[int, dict[float, float]] = {}
    penalty, start, best, squares = first_penalty(task), None, None, None
    for size in sizes:
        search = Iteration(data.leading(size), penalty, task.penalty is None, start)
        search.choose()
        search.approach(search.penalty, CLOSE_ENOUGH)
        tried[size] = search.errors
        if task.nested:
            scores = scores_of_rows(task.features, rows, *search.model())
            errors = np.square(scores - task.Y[rows]).mean(axis=1)
            if squares is not None:  # are they less, by more than their standard error?
                gain = squares - errors
                if gain.mean() <= gain.std() / np.sqrt(len(gain)):
                    break
            squares = errors
        best, start = search, search.weights()
        # Eigenvalues grow with the number of columns, and what is best with them.
        penalty = search.penalty * 2
    if best is None:
        raise ValueError("there are no columns to fit to.")
    without = best.model()
    best.approach(best.penalty, CLOSE, everything=True)
    # A table as of cross-validation; NaN where a penalty was not tried.
    shown, penalties = sorted(tried), sorted(set().union(*tried.values()))
    table = np.array([[tried[size].get(one, np.nan) for size in shown] for one in penalties])
    results = {"penalty": np.array(penalties), "n_features": np.array(shown), "mean_error": table}
    results["sd_error"] = np.full(table.shape, np.nan)
    choice = PenaltyChoice(best.penalty, best.data.width, results)
    fit = IterativeFit(*best.model(), choice, without, best.n_passes)
    folds, groups = np.full(len(task.folds), -1), task.features.groups
    numbers = rows if groups is None else groups[held]
    folds[held] = np.unique(numbers, return_inverse=True)[1].ravel() % N_PARTS
    return fit, replace(task, folds=folds)


def held_out_rows(task: RidgeTask) -> Mask:
    """Return which rows are held out: of the first fold as much as makes a tenth of all.

    Equal objects stay together.
    """
    if task.behind:
        return _held_by_hash(task.features.groups, task.seed)
    fold = np.flatnonzero(task.folds == 0)
    share = max(1, round(len(fold) * HELD_OUT / task.n_used))
    groups = fold if task.features.groups is None else task.features.groups[fold]
    numbers = np.unique(groups, return_inverse=True)[1].ravel()
    held = np.zeros(len(task.folds), dtype=bool)
    held[fold[numbers % share == 0]] = True
    return held


def first_penalty(task: RidgeTask) -> float:
    """Return the penalty that is given, or a first guess: what is best for few columns."""
    if task.penalty is not None:
        return task.penalty
    if isinstance(task.start, float):
        return task.start
    few = min(FEW_COLUMNS, task.n_features)
    small = replace(task.some(np.arange(few)), nested=False, start=None)
    # Eigenvalues grow with the number of columns, and what is best with them.
    return choose(small.ridges(), [few]).penalty * task.n_features / few


def scores_of_rows(features: Features, rows: Rows, coef: Floats, intercept: Floats) -> Floats:
    """Score some rows, a few at a time, from the leading columns."""
    columns = np.arange(coef.shape[1])
    step = max(1, settings().share(16, settings().feature_bytes) // (8 * len(columns)))
    blocks = tiles(0, len(rows), step)
    scores = [features.rows(rows[some], columns) @ coef.T + intercept for some in blocks]
    return np.concatenate(scores)


# Sums over the rows of two sides, the rows to learn from and those held out. Columns and targets
# are less a centre that all rows share.


def first_sums(moved: NDArray[Any], Y: Floats, weights: Floats, held: Mask) -> Floats:
    """Sum columns a, targets y and weights w over the rows of a chunk, for each side.

    Returns
    -------
    ndarray of shape (2, R + 2, 2 + T)
        Of each column Σ w a, Σ w a² and Σ w a y; below them Σ w, 0 and Σ w y; and 0, 0 and Σ w y².
    """
    found, squares = np.zeros((2, moved.shape[1] + 2, 2 + Y.shape[1])), np.square(moved)
    for own, side in zip(found, weights * np.stack([~held, held]), strict=True):
        beside = (side[:, None] * np.column_stack([np.ones(len(Y)), Y])).astype(np.float32)
        products = moved.T @ beside
        own[:-2, 0], own[:-2, 2:] = products[:, 0], products[:, 1:]
        own[:-2, 1] = squares.T @ beside[:, 0]
        own[-2, 0], own[-2, 2:], own[-1, 2:] = side.sum(), side @ Y, side @ Y**2
    return found


def product_sums(
    V: NDArray[np.float32], moved: NDArray[Any], Y: Floats, weights: Floats, held: Mask
) -> Floats:
    """Sums of Zᵀ(ZV), (2, R, k): of all rows, and of those held out."""
    scores = moved @ V
    if (weights != 1).any():
        scores *= weights[:, None].astype(np.float32)
    whole = (moved.T @ scores).astype(np.float64)
    part = (moved[held].T @ scores[held]).astype(np.float64)
    return np.stack([whole, part])


@dataclass(frozen=True, eq=False)
class Strips:
    """What is added up of a few rows at a time, about a centre of columns and targets.

    Of rows that are read from a source, it is called for each chunk, and can travel.

    Attributes
    ----------
    part : callable
        `first_sums` or `product_sums`.
    centre, middle : ndarray of shape (R,) and (T,)
        Of columns and targets.
    check : bool
        Whether features may not be finite.
    columns : list of ndarray
        Features in use, one choice among another.
    seed : int
        Says which rows are held out.
    classes : ndarray or None
        Targets are ±1 for each of these; None: they are numbers.
    """

    part: StripSums
    centre: NDArray[np.float32]
    middle: Floats
    check: bool
    columns: list[Rows]
    seed: int
    classes: NDArray[Any] | None

    def __call__(
        self, features: Features, y: NDArray[Any], weights: Floats | None, hashes: Any
    ) -> Any:
        """Return the sums of a chunk."""
        for some in self.columns:
            features = Selected(features, some)
        Y = y.reshape(len(y), -1) if self.classes is None else signs(y, self.classes)
        weights = np.ones(len(y)) if weights is None else weights
        return self.add_up(features, Y, weights, _held_by_hash(hashes, self.seed))

    def add_up(self, features: Features, Y: Floats, weights: Floats, held: Mask) -> Any:
        """Pass over rows of features."""
        Y = Y - self.middle

        def of_chunk(rows: slice, block: NDArray[Any]) -> Any:
            if self.check:
                require_finite(block, np.arange(rows.start, rows.stop))
            step = max(1, min(STRIP_ROWS, -(-len(block) // n_threads())))

            def of_strip(some: slice) -> Any:
                moved = np.subtract(block[some], self.centre, dtype=np.float32)
                own = slice(rows.start + some.start, rows.start + some.stop)
                return self.part(moved, Y[own], weights[own], held[own])

            found = side_by_side(of_strip, tiles(0, len(block), step))
            tick()
            return reduce(add, found)

        return features.reduce(of_chunk)


def _held_by_hash(hashes: Any, seed: int) -> Mask:
    return np.asarray(with_seed(hashes, seed) % np.uint64(HELD_OUT) == 0)


@dataclass(frozen=True, eq=False)
class Sides:
    """Standardised columns of the rows to learn from and of those held out.

    Attributes
    ----------
    task : RidgeTask
    held : ndarray of bool, shape (n,)
    centre : ndarray of shape (R,), float32
        What is taken from columns before they are multiplied.
    middle : ndarray of shape (T,)
        The same of targets.
    sums : ndarray of shape (2, R + 2, 2 + T)
        See `first_sums`.
    scale : ndarray of shape (R,)
        One over the standard deviation of each column; 0 of columns that do not vary.
    allowed : ndarray of bool, shape (R,)
        Columns that do not come from held-out rows.
    """

    task: RidgeTask
    held: Mask
    centre: NDArray[np.float32]
    middle: Floats
    sums: Floats
    scale: Floats
    allowed: Mask

    @classmethod
    def of(cls, task: RidgeTask, held: Mask) -> Sides:
        """Pass over the rows once."""
        width, used = task.n_features, np.flatnonzero(task.folds >= 0)
        centre, middle = np.zeros(width, dtype=np.float32), np.zeros(task.Y.shape[1])
        if task.centred:
            few = used[np.linspace(0, len(used) - 1, min(CENTRE_ROWS, len(used))).astype(np.intp)]
            some = task.features.rows(few, np.arange(width))
            centre, middle = some.mean(axis=0).astype(np.float32), task.Y[used].mean(axis=0)
        bare = cls(task, held, centre, middle, None, None, None)  # type: ignore[arg-type]
        sums: Floats = bare.total(first_sums, check=True)
        both = sums.sum(axis=0)
        mean, square = both[:-2, :2].T / both[-2, 0]
        variance = square - mean**2 if task.centred else square
        varies = variance > 1e-12 * (square + np.square(centre.astype(np.float64)))
        scale = np.where(varies, 1.0 / np.sqrt(np.where(varies, variance, 1.0)), 0.0)
        allowed, columns = np.ones(width, dtype=bool), task.features.columns_without(held)
        if columns is not None:
            allowed = np.isin(np.arange(width), columns)
        return cls(task, held, centre, middle, sums, scale, allowed)

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.centre)

    def leading(self, size: int) -> Sides:
        """Return the same for the leading columns."""
        sums = np.delete(self.sums, slice(size, self.width), axis=1)
        centre, scale, allowed = self.centre[:size], self.scale[:size], self.allowed[:size]
        return replace(self, centre=centre, sums=sums, scale=scale, allowed=allowed)

    def total(self, part: StripSums, check: bool = False) -> Any:
        """Add up what `part` makes of each strip: columns, targets, weights, who is held out."""
        task, leading = self.task, np.arange(self.width)
        known = [*task.choices, leading], task.seed, task.classes
        strips = Strips(part, self.centre, self.middle, check, *known)
        if task.behind:
            return task.everything.add_up(strips)
        weights = np.ones(len(task.Y)) if task.weights is None else task.weights
        weights = np.where(task.folds >= 0, weights, 0.0)
        fewer = self.width < task.n_features
        features = Selected(task.features, leading) if fewer else task.features
        return strips.add_up(features, task.Y, weights, self.held)

    def products(self, Q: Floats) -> Floats:
        """Pass over the rows: Zᵀ Z Q of all rows and of those held out, about the centre."""
        V = (Q * self.scale[:, None]).astype(np.float32)
        found: Floats = self.total(partial(product_sums, V)) * self.scale[:, None]
        return found

    def means(self, everything: bool) -> tuple[float, Floats, Floats]:
        """Weight of all rows or of those to learn from, and their means about the centre.

        Of the columns, standardised, and of the targets; 0 if there is no intercept.
        """
        sums = self.sums[: 2 if everything else 1].sum(axis=0)
        weight, centred = float(sums[-2, 0]), float(self.task.centred)
        return weight, centred * sums[:-2, 0] * self.scale / weight, centred * sums[-2, 2:] / weight

    def matrix_times(self, Q: Floats, products: Floats, everything: bool) -> Floats:
        """Return ZᵀZQ/n of what `products` says of Q."""
        weight, mean, _ = self.means(everything)
        found = products[0] if everything else products[0] - products[1]
        return np.asarray(found / weight - np.outer(mean, mean @ Q))

    def response(self, everything: bool) -> Floats:
        """Return ZᵀY/n."""
        weight, mean, target = self.means(everything)
        cross = self.sums[: 2 if everything else 1, :-2, 2:].sum(axis=0) * self.scale[:, None]
        return np.asarray(cross / weight - np.outer(mean, target))


# Krylov's subspace, in blocks.


class Iteration:
    """A basis of directions, what the rows say of it, and the best penalty in their span.

    Parameters
    ----------
    data : Sides
    penalty : float
        A first guess, or what is given.
    is_open : bool
        Whether the penalty is to be chosen.
    start : ndarray, optional
        Weights to start from, of the leading columns.
    """

    def __init__(
        self, data: Sides, penalty: float, is_open: bool, start: Floats | None = None
    ) -> None:
        self.data, self.penalty, self.is_open = data, penalty, is_open
        self.inverse = Preconditioner(data, penalty)
        self.basis, self.products = np.zeros((data.width, 0)), np.zeros((2, data.width, 0))
        self.everything, self.n_passes = False, 0
        self.errors: dict[float, float] = {}
        most = settings().share(4, BASIS_BYTES) // (3 * 8 * data.width)
        self.most = max(most, 4 * data.task.Y.shape[1])
        if start is not None:
            self._extend(np.pad(start, ((0, data.width - len(start)), (0, 0))))

    def choose(self) -> None:
        """Go from the first guess to larger or smaller penalties while held-out rows gain by it."""
        errors = self.errors
        errors[self.penalty] = self._error_at(self.penalty)
        for step in (HALF, 1 / HALF) if self.is_open else ():
            while True:
                penalty = self.penalty * step
                errors[penalty] = self._error_at(penalty)
                if errors[penalty] > WORTH_A_STEP * errors[self.penalty]:
                    break
                self.penalty = penalty
            if len(errors) > 2:  # larger ones were better
                break

    def _error_at(self, penalty: float) -> float:
        """Return the mean squared error of held-out rows, from their sums.

        Infinite beyond what float32 can tell.
        """
        data, s = self.data, self.data.sums[1]
        trace = float(np.count_nonzero(data.scale))
        if len(self.errors) and not FLOOR <= penalty / trace <= CEILING:
            return np.inf
        self.approach(penalty, CLOSE_ENOUGH)
        C = self._solved([penalty])[0]
        _, mean, target = data.means(False)
        W, products = self.basis @ C, self.products[1] @ C
        weight, first = s[-2, 0], s[:-2, 0] * data.scale
        cross = s[:-2, 2:] * data.scale[:, None] - np.outer(mean, s[-2, 2:])
        cross -= np.outer(first - weight * mean, target)
        inner = products - np.outer(first, mean @ W) - np.outer(mean, first @ W)
        inner += weight * np.outer(mean, mean @ W)
        squares = s[-1, 2:] - 2 * s[-2, 2:] * target + weight * target**2
        errors = squares - 2 * np.einsum("rt,rt->t", W, cross) + np.einsum("rt,rt->t", W, inner)
        return float(errors.mean() / weight)

    def approach(self, penalty: float, close: float, everything: bool = False) -> None:
        """Add directions until predictions are as close as asked for, with all rows or without."""
        self.everything = everything
        penalties, before = [penalty, penalty / HALF, penalty * HALF], None
        for _ in range(MOST_PASSES):
            solved = self._solved(penalties)
            residual = self._residual(solved[0], penalty)
            found = [self.inverse(residual, self._open)]
            error = max(float(np.vdot(residual, found[0])), 0.0) ** 0.5
            size = max(float(np.vdot(solved[0], self._inner @ solved[0])), 0.0) ** 0.5
            if error <= close * size or not residual.any():
                break
            n_targets = residual.shape[1]
            for other, C in list(zip(penalties, solved, strict=True))[1:]:
                if self.is_open and not everything and (1 + len(found)) * n_targets <= BLOCK_WIDTH:
                    found.append(self.inverse(self._residual(C, other), self._open))
            if self.basis.shape[1] + len(found) * n_targets > self.most:
                # Keep what conjugate gradients go on from: the weights and the last step.
                kept = solved[0]
                if before is not None:
                    step = kept.copy()
                    step[: len(before)] -= before
                    kept = np.hstack([kept, step])
                turn, triangle = np.linalg.qr(kept)
                diagonal = np.abs(np.diag(triangle))
                turn = turn[:, diagonal > 1e-9 * diagonal.max(initial=0.0)]
                self.basis, self.products = self.basis @ turn, self.products @ turn
                solved = self._solved(penalties)
            before = solved[0]
            self._extend(np.hstack(found))

    @property
    def _open(self) -> Mask:
        """Columns that may be used."""
        return np.ones(self.data.width, dtype=bool) if self.everything else self.data.allowed

    @property
    def _inner(self) -> Floats:
        """QᵀZᵀZQ/n."""
        found = self.basis.T @ self.data.matrix_times(self.basis, self.products, self.everything)
        return (found + found.T) / 2

    def _solved(self, penalties: list[float]) -> list[Floats]:
        """Return the best coefficients of the basis for each penalty."""
        inner, right = self._inner, self.basis.T @ self.data.response(self.everything)
        values, vectors = np.linalg.eigh(inner) if len(inner) else (np.zeros(0), inner)
        turned = vectors.T @ right
        values = np.maximum(values, 0.0)
        return [vectors @ (turned / (values + one)[:, None]) for one in penalties]

    def _residual(self, C: Floats, penalty: float) -> Floats:
        """Return ZᵀY/n − (ZᵀZ/n + λ) QC on the columns that may be used."""
        there = self.data.matrix_times(self.basis @ C, self.products @ C, self.everything)
        found = self.data.response(self.everything) - there - penalty * (self.basis @ C)
        return np.where(self._open[:, None], found, 0.0)

    def _extend(self, directions: Floats) -> None:
        """Add directions that are new to the basis, after a pass over the rows."""
        sizes = np.linalg.norm(directions, axis=0)
        new = directions[:, sizes > 0] / sizes[sizes > 0]
        for _ in range(2):  # the second time for digits
            new = new - self.basis @ (self.basis.T @ new)
            new, triangle = np.linalg.qr(new)
            kept = np.abs(np.diag(triangle)) > 1e-6
            new = new[:, kept]
        found = self.data.products(new)
        self.n_passes += 1
        self.basis = np.hstack([self.basis, new])
        self.products = np.concatenate([self.products, found], axis=2)

    def weights(self) -> Floats:
        """Weights of the standardised columns."""
        return np.asarray(self.basis @ self._solved([self.penalty])[0])

    def model(self) -> tuple[Floats, Floats]:
        """Coefficients (T, R) and intercepts (T,) for columns as they came."""
        data, W = self.data, self.weights()
        coef = (W * data.scale[:, None]).T
        _, mean, target = data.means(self.everything)
        return coef, data.middle + target - mean @ W - coef @ data.centre.astype(np.float64)


class Preconditioner:
    """The inverse of ZᵀZ/m + λ of a sample of m rows.

    Of up to 12,288 columns by the factor of that matrix. Of more, by that of ZZᵀ/m + λ of fewer
    rows: what these do not span is divided by λ.

    Parameters
    ----------
    data : Sides
    penalty : float
    """

    def __init__(self, data: Sides, penalty: float) -> None:
        task, width = data.task, data.width
        rows = np.flatnonzero((task.folds >= 0) & ~data.held)
        by_columns = width <= largest_factor()
        most = sample_rows(len(rows), width) if by_columns else largest_factor() // 2
        rng = np.random.default_rng(0)
        rows = np.sort(rng.choice(rows, min(most, len(rows)), replace=False))
        weights = np.ones(len(rows)) if task.weights is None else task.weights[rows]
        roots = np.sqrt(weights / weights.sum()).astype(np.float32)
        columns, scale = np.arange(width), data.scale.astype(np.float32)
        mean = data.means(False)[1].astype(np.float32)
        step = max(1, settings().share(16, settings().feature_bytes) // (4 * width))

        def read(some: slice) -> NDArray[np.float32]:
            found = task.features.rows(rows[some], columns)
            block = np.subtract(found, data.centre, dtype=np.float32)
            block *= scale
            block -= mean
            block *= roots[some, None]
            return np.asarray(block)

        self.penalty = penalty
        self.rows: NDArray[np.float32] | None = None
        if by_columns:
            total = np.zeros((width, width), dtype=np.float32)
            for some in tiles(0, len(rows), step):
                add_products([total], [read(some)])
        else:
            sample = np.concatenate([read(some) for some in tiles(0, len(rows), step)])
            total = np.zeros((len(rows), len(rows)), dtype=np.float32)
            for some in tiles(0, width, 2048):
                add_products([total], [np.ascontiguousarray(sample[:, some].T)])
            self.rows = sample
        while True:  # float32 products may ask for a larger penalty
            try:
                self.factor = cholesky(total.T.astype(np.float64), self.penalty)
                break
            except LinAlgError:
                self.penalty *= 10

    def __call__(self, residual: Floats, used: Mask) -> Floats:
        """Multiply; columns that are not used stay 0."""
        if self.rows is None:
            found = cholesky_solve(self.factor, residual)
        else:
            found = self._by_rows(self.rows, residual)
            # In float32 what the rows span is all but lost beside the rest.
            there = self.rows.T @ (self.rows @ found.astype(np.float32)) + self.penalty * found
            found = found + self._by_rows(self.rows, residual - there)
        return np.where(used[:, None], found, 0.0)

    def _by_rows(self, rows: NDArray[np.float32], residual: Floats) -> Floats:
        seen = cholesky_solve(self.factor, (rows @ residual.astype(np.float32)).astype(np.float64))
        return np.asarray((residual - rows.T @ seen.astype(np.float32)) / self.penalty)
