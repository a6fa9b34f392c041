"""D2KE's fit with everything on the device: values, transfer, products, fold sums and solutions.

A study for the heads: the model is that of ``LandmarkClassifier("levenshtein", landmarks=
Generated(sizes=(2, 50)))``, chosen the same way; only coefficients and predictions come back.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import minimize

from seamark.heads.calibration import _smoothed
from seamark.heads.folds import deal
from seamark.tuning.candidates import GAMMAS

COMPARED_ROWS, COMPARED_LANDMARKS = 10_000, 512
FIRST_POWERS = 10.0 ** np.arange(-7.0, 1.0)
HALF_DECADE = 10.0**0.5


@dataclass
class Clock:
    """Seconds of each part; the device is waited for at the end of one."""

    device: object
    parts: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def __call__(self, name):
        start = time.perf_counter()
        yield
        if hasattr(self.device, "synchronise"):
            self.device.synchronise()
        self.parts[name] = self.parts.get(name, 0.0) + time.perf_counter() - start


def library(device):
    """CuPy on a GPU, else numpy."""
    return getattr(device, "cupy", np)


def solve(xp, A, b):
    """Solve A x = b for a positive definite A, which may be overwritten."""
    if xp is np:
        from scipy.linalg import cho_factor, cho_solve

        return cho_solve(cho_factor(A, lower=True, check_finite=False), b, check_finite=False)
    from cupyx import errstate, lapack

    with errstate(linalg="ignore"):  # what is not positive definite shows as an error of NaN
        return lapack.posv(A, b)


class Sums:
    """Second moments of rows (1, φ, y) of each fold, in float64, on the device."""

    def __init__(self, xp, blocks, n_targets):
        self.xp, self.n_targets = xp, n_targets
        self.moments = [rows.T @ rows for rows in blocks]
        self.total = sum(self.moments[1:], self.moments[0])

    def equations(self, fold):
        """Correlation matrix, response, mean, unit, target mean of all rows but a fold's."""
        xp, T = self.xp, self.n_targets
        M = self.total if fold is None else self.total - self.moments[fold]
        weight, columns = M[0, 0], slice(1, -T)
        mean = M[0] / weight
        variance = xp.diagonal(M)[columns] / weight - mean[columns] ** 2
        varies = variance > 1e-12 * xp.diagonal(M)[columns] / weight
        unit = xp.where(varies, 1 / xp.sqrt(xp.where(varies, variance, 1.0)), 0.0)
        response = unit[:, None] * (M[columns, -T:] / weight - xp.outer(mean[columns], mean[-T:]))
        A = M[columns, columns] / weight
        A -= xp.outer(mean[columns], mean[columns])
        A *= unit
        A *= unit[:, None]
        return A, response, mean[columns], unit, mean[-T:]

    def vectors(self, equations, penalty):
        """Residual vectors of the ridge of that penalty."""
        xp, T = self.xp, self.n_targets
        A, response, mean, unit, target_mean = equations
        A = A.copy()
        A.ravel()[:: len(A) + 1] += penalty
        coef = unit[:, None] * solve(xp, A, response)
        return xp.concatenate([(mean @ coef - target_mean)[None], -coef, xp.eye(T)])


class Search:
    """Cross-validated errors of penalties, on one stream for each fold."""

    def __init__(self, sums, streams):
        self.sums, self.xp = sums, sums.xp
        self.streams = streams
        self.errors, self.solutions = {}, {}
        self.n_folds = len(sums.moments)
        self.equations = [None] * self.n_folds
        for fold in range(self.n_folds):
            with self._stream(fold):
                self.equations[fold] = sums.equations(fold)

    @contextmanager
    def _stream(self, fold):
        if self.streams:
            with self.streams[fold % len(self.streams)]:
                yield
        else:
            yield

    def evaluate(self, penalties):
        """Solve for every fold and penalty, then look at the errors."""
        new = [float(p) for p in penalties if float(p) not in self.errors]
        found = {}
        for penalty in new:
            for fold in range(self.n_folds):
                with self._stream(fold):
                    vectors = self.sums.vectors(self.equations[fold], penalty)
                    squares = (vectors * (self.sums.moments[fold] @ vectors)).sum()
                    self.solutions[penalty, fold] = vectors
                    found[penalty, fold] = squares
        for stream in self.streams or []:
            stream.synchronize()
        n = float(self.sums.total[0, 0])
        for penalty in new:
            error = sum(float(found[penalty, fold]) for fold in range(self.n_folds))
            error /= n * self.sums.n_targets
            self.errors[penalty] = error if np.isfinite(error) and error > 0 else np.inf

    def best(self):
        return min(self.errors, key=self.errors.get)

    def choose(self):
        """Decades, further while the best is at an end, then half a decade either side."""
        top = self._largest()
        self.evaluate(top * FIRST_POWERS)
        while True:
            tried, best = sorted(self.errors), self.best()
            if best == tried[0] and best > 1.5e-8 * top:
                self.evaluate([best / 10])
            elif best == tried[-1] and best < 1e3 * top / 1.5:
                self.evaluate([best * 10])
            else:
                break
        self.evaluate([best / HALF_DECADE, best * HALF_DECADE])
        return self.best()

    def _largest(self):
        A = self.equations[0][0]
        vector = self.xp.ones(len(A))
        for _ in range(12):
            vector = A @ (vector / self.xp.linalg.norm(vector))
        return max(1.0, float(self.xp.linalg.norm(vector)))


@dataclass
class Fitted:
    """What a fit leaves on the device, and the time of its parts."""

    plan: object
    table: object  # features of whole-numbered distances
    coef: object
    intercept: np.ndarray
    gamma: float | None
    penalty: float
    clock: Clock

    def predict(self, device, codes, offsets):
        """Classes of strings."""
        values = self.plan.values(codes, offsets, np.uint8)
        xp = library(device)
        scores = featured(xp, values, self.table) @ self.coef
        best = (scores + xp.asarray(self.intercept)).argmax(axis=1)
        return best.get() if hasattr(best, "get") else best


def feature_table(xp, gamma):
    """exp(−γd), or d, of all distances that a byte holds."""
    d = np.arange(256.0)
    return xp.asarray(d if gamma is None else np.exp(-gamma * d))


def featured(xp, values, table):
    """Features of distances, by the table."""
    if xp is np:
        return table[values]
    look_up = xp.ElementwiseKernel(
        "T v, raw float64 table", "float64 out", "out = table[v]", "look_up"
    )
    return look_up(values, table)


def fold_blocks(xp, values, table, Y, folds):
    """Yield rows (1, φ, y) of one fold after another; φ about the first rows' mean."""
    centre = featured(xp, values[:4096], table).mean(axis=0)
    for rows in folds:
        phi = featured(xp, values[rows], table)
        phi -= centre
        yield xp.concatenate([xp.ones((len(rows), 1)), phi, Y[rows]], axis=1)


def fit(device, make_plan, codes, offsets, y, *, n_classes, seed=0, n_streams=5):
    """Fit as `LandmarkClassifier` does; returns `Fitted`."""
    xp, clock, rng = library(device), Clock(device), np.random.default_rng(seed)
    n = len(y)
    with clock("landmarks"):
        plan = make_plan()
    with clock("values"):
        values = plan.values(codes, offsets, np.uint8)
    streams = [xp.cuda.Stream() for _ in range(n_streams)] if xp is not np and n_streams else None
    with clock("targets"):
        Y = xp.asarray(np.where(y[:, None] == np.arange(n_classes), 1.0, -1.0))
    with clock("γ"):
        gamma = choose_gamma(xp, values, y, Y, rng, streams)
    folds = deal(np.ones(n, dtype=bool), 5, rng, y)
    members = [xp.asarray(np.flatnonzero(folds == fold)) for fold in range(5)]
    table = feature_table(xp, gamma)
    with clock("sums"):
        sums = Sums(xp, fold_blocks(xp, values, table, Y, members), n_classes)
    with clock("penalty"):
        search = Search(sums, streams)
        penalty = search.choose()
    with clock("solution"):
        vectors = sums.vectors(sums.equations(None), penalty)
    with clock("unseen scores"):
        centre = featured(xp, values[:4096], table).mean(axis=0)
        scores = xp.empty((n, n_classes))
        for fold, rows in enumerate(members):
            phi = featured(xp, values[rows], table)
            scores[rows] = scores_of(phi, centre, search.solutions[penalty, fold])
    with clock("calibration"):
        offset = calibrated_offset(xp, scores, y, n_classes)
    coef = -vectors[1:-n_classes]
    intercept = -vectors[0] - centre @ coef
    intercept = (intercept.get() if xp is not np else intercept) + offset
    return Fitted(plan, table, coef, intercept, gamma, penalty, clock)


def calibrated_offset(xp, scores, y, n_classes):
    """Offsets as `SoftmaxCalibration` finds them, its sums over rows made on the device."""
    targets = xp.asarray(_smoothed(y, np.ones(len(y)), n_classes)) / len(y)

    def loss(parameters):
        logits = parameters[0] * scores + xp.asarray(np.concatenate([[0.0], parameters[1:]]))
        logits -= logits.max(axis=1, keepdims=True)
        logs = logits - xp.log(xp.exp(logits).sum(axis=1, keepdims=True))
        error = xp.exp(logs) / len(y) - targets
        sums = xp.concatenate([(error * scores).sum()[None], error.sum(axis=0)[1:]])
        both = xp.concatenate([-(targets * logs).sum()[None], sums])
        both = both.get() if xp is not np else both
        return float(both[0]), both[1:]

    start = np.concatenate([[2.0], np.zeros(n_classes - 1)])
    bounds = [(1e-3, None)] + [(None, None)] * (n_classes - 1)
    options = {"maxiter": 500, "ftol": 1e-12, "gtol": 1e-7}
    best = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options).x
    offset = np.concatenate([[0.0], best[1:]]) / best[0]
    return offset - offset.mean()


def scores_of(phi, centre, vectors):
    """Predictions of targets from features as they came."""
    T = vectors.shape[1]
    coef = -vectors[1:-T]
    return phi @ coef + (-vectors[0] - centre @ coef)


def choose_gamma(xp, values, y, Y, rng, streams):
    """γ of the least cross-validated error, on some rows and landmarks; None: no decay."""
    some = np.sort(rng.permutation(len(y))[:COMPARED_ROWS])
    folds = deal(np.ones(len(some), dtype=bool), 5, rng, y[some])
    few = values[xp.asarray(some)][:, :COMPARED_LANDMARKS]
    Y = Y[xp.asarray(some)]
    positive = few[few > 0]
    typical = 1.0 / float(xp.median(positive))
    members = [xp.asarray(np.flatnonzero(folds == fold)) for fold in range(5)]
    errors = {}
    for gamma in [None, *(typical * factor for factor in GAMMAS)]:
        table = feature_table(xp, gamma)
        search = Search(Sums(xp, fold_blocks(xp, few, table, Y, members), Y.shape[1]), streams)
        search.choose()
        errors[gamma] = search.errors[search.best()]
    return min(errors, key=errors.get)
