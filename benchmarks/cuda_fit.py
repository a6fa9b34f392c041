"""D2KE's fit with everything on the device: values, transfer, products, fold sums and solutions.

A study for the heads: the model is that of ``LandmarkClassifier("levenshtein", landmarks=
Generated(sizes=(2, 50)))``, chosen the same way; only coefficients and predictions come back.
"""

from __future__ import annotations

import time
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import minimize

from seamark.engine.cuda.device import part_of
from seamark.engine.cuda.statistics import FoldMoments, UnseenScores, byte_counts, means
from seamark.targets import deal
from seamark.transfers import GAMMAS

COMPARED_ROWS, COMPARED_LANDMARKS, N_FOLDS = 10_000, 512, 5
FIRST_POWERS = 10.0 ** np.arange(-7.0, 1.0)
HALF_DECADE = 10.0**0.5
CHUNK_BYTES = 1 << 30  # distances of one chunk of rows, and their features in float64
EVENLY = 2_000_000  # rows up to which folds are dealt evenly by class


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


def fetched(device, array):
    out = np.empty(array.shape, array.dtype)
    device.download(array, out)
    return out


# --- rows -----------------------------------------------------------------------------------------


@dataclass
class Chunk:
    """Some rows on the device: distances as bytes, classes, and row numbers by fold."""

    first: int
    values: object
    y: object
    order: object
    starts: np.ndarray  # of the folds in `order`

    def members(self, fold):
        return self.order[int(self.starts[fold]) : int(self.starts[fold + 1])]


class Chunks:
    """All rows in chunks; distances are kept on the device if they fit, else computed again."""

    def __init__(self, device, plan, codes, offsets, y, folds, encode):
        self.device, self.plan, self.encode = device, plan, encode
        self.codes, self.offsets, self.y, self.folds = codes, offsets, y, folds
        n, R = len(y), plan.n_landmarks
        self.size = max(1, CHUNK_BYTES // (R * (1 + 8 // N_FOLDS + 1)))
        self.cut = [slice(k, min(k + self.size, n)) for k in range(0, n, self.size)]
        self.kept = [] if n * R <= 0.8 * device.free_bytes() else None

    def __iter__(self):
        if self.kept:
            yield from self.kept
            return
        widest = max(int(self.offsets[c.stop] - self.offsets[c.start]) for c in self.cut)
        sent = self.device.stream(map(self._host_arrays, self.cut), widest + 16 * (self.size + 1))
        for cut, (codes, offsets, y, order) in zip(self.cut, sent, strict=True):
            longest = int(np.diff(self.offsets[cut.start : cut.stop + 1]).max())
            values = self.device.empty((len(y), self.plan.n_landmarks), np.uint8)
            self.plan.fill(codes, offsets, 1, longest, values)
            counts = np.bincount(self.folds[cut], minlength=N_FOLDS)
            starts = np.concatenate([[0], np.cumsum(counts)])
            chunk = Chunk(cut.start, values, y, order, starts)
            if self.kept is not None:
                chunk = Chunk(cut.start, values, y.copy(), order.copy(), starts)
                self.kept.append(chunk)
            yield chunk

    def _host_arrays(self, cut):
        codes, offsets = part_of(self.codes, self.offsets, cut)
        order = np.argsort(self.folds[cut], kind="stable").astype(np.int32)
        return self.encode(codes), offsets, self.y[cut].astype(np.int32), order


def sample(device, plan, codes, offsets, rows, encode):
    """Distances of some strings, as bytes on the device."""
    pieces = [codes[offsets[r] : offsets[r + 1]] for r in rows]
    own = np.concatenate([[0], np.cumsum([len(piece) for piece in pieces])]).astype(np.int64)
    return plan.values(encode(np.concatenate(pieces)), own, np.uint8)


# --- penalty --------------------------------------------------------------------------------------


class Search:
    """Cross-validated errors of penalties, on one stream for each fold."""

    def __init__(self, sums, n, streams):
        self.sums, self.n, self.streams = sums, n, streams
        self.errors, self.solutions = {}, {}
        self.equations = [sums.equations(fold) for fold in range(N_FOLDS)]

    def _stream(self, fold):
        return self.streams[fold % len(self.streams)] if self.streams else nullcontext()

    def evaluate(self, penalties):
        """Solve for every fold and penalty, then look at the errors."""
        new = [float(p) for p in penalties if float(p) not in self.errors]
        out = self.sums.device.upload(np.zeros(len(new) * N_FOLDS))
        for number, penalty in enumerate(new):
            for fold, equations in enumerate(self.equations):
                with self._stream(fold):
                    vectors = equations.residuals(penalty)
                    equations.error(vectors, out, number * N_FOLDS + fold)
                    self.solutions[penalty, fold] = vectors
        for stream in self.streams or []:
            stream.synchronize()
        found = fetched(self.sums.device, out).reshape(len(new), N_FOLDS).sum(axis=1)
        for penalty, squares in zip(new, found / (self.n * self.sums.T), strict=True):
            good = np.isfinite(squares) and squares > 0
            self.errors[penalty] = float(squares) if good else np.inf

    def best(self):
        return min(self.errors, key=self.errors.get)

    def choose(self):
        """Whole decades, further ones where the best is at an end, then half a decade."""
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
        """The largest eigenvalue of the first fold's equations, by powers."""
        A, _ = self.equations[0].system(0.0)
        vector = self.sums.device.upload(np.ones((self.sums.R, 1)))
        for _ in range(12):  # at most R¹², which float64 holds
            before, vector = vector, A @ vector
        norms = [np.linalg.norm(fetched(self.sums.device, v)) for v in (vector, before)]
        return max(1.0, float(norms[0] / norms[1]))


def feature_table(gamma):
    """exp(−γd), or d, of all distances that a byte holds."""
    d = np.arange(256.0)
    return d if gamma is None else np.exp(-gamma * d)


def median_of(counts):
    """The median of whole numbers above 0, from how often each occurs."""
    ends = np.cumsum(counts[1:])
    middle = [
        np.searchsorted(ends, k, side="right") + 1 for k in ((ends[-1] - 1) // 2, ends[-1] // 2)
    ]
    return float(np.mean(middle))


def choose_gamma(device, values, y, n_classes, rng, streams):
    """γ of the least cross-validated error, on some rows and landmarks; None: no decay."""
    R = min(COMPARED_LANDMARKS, values.shape[1])
    folds = deal(np.ones(len(y), dtype=bool), N_FOLDS, rng, y)
    typical = 1.0 / median_of(byte_counts(device, values, R))
    members = [device.upload(np.flatnonzero(folds == f).astype(np.int32)) for f in range(N_FOLDS)]
    on_device = device.upload(y.astype(np.int32))
    errors = {}
    for gamma in [None, *(typical * factor for factor in GAMMAS)]:
        table = device.upload(feature_table(gamma))
        centre = means(device, values[:1024], table, R)
        sums = FoldMoments(device, R, n_classes, N_FOLDS, table, centre)
        for fold in range(N_FOLDS):
            sums.add(fold, values, on_device, members[fold])
        search = Search(sums, len(y), streams)
        search.choose()
        errors[gamma] = search.errors[search.best()]
    return min(errors, key=errors.get)


# --- the fit --------------------------------------------------------------------------------------


@dataclass
class Fitted:
    """What a fit leaves on the device, and the time of its parts."""

    plan: object
    sums: object
    vectors: object
    offset: np.ndarray
    gamma: float | None
    penalty: float
    clock: Clock
    encode: object
    kept: bool

    def predict(self, device, codes, offsets):
        """Classes of strings."""
        values = self.plan.values(self.encode(codes), offsets, np.uint8)
        n = len(values)
        y, everyone = (
            device.upload(a) for a in (np.zeros(n, np.int32), np.arange(n, dtype=np.int32))
        )
        left = fetched(device, self.sums.rows(values, y, everyone) @ self.vectors)
        targets = np.where(np.arange(self.sums.T) == 0, 1.0, -1.0)
        return (targets - left + self.offset).argmax(axis=1)


def wake_libraries(device):
    """Load the libraries of products and factorisations, which take time at first use."""
    A = device.upload(np.eye(8))
    device.solve(A.T @ A, device.upload(np.ones((8, 2))))


def fit(device, make_plan, codes, offsets, y, *, n_classes, encode, seed=0, n_streams=5):
    """Fit as `LandmarkClassifier` does; `encode` turns symbols into the plan's codes."""
    clock, rng, n = Clock(device), np.random.default_rng(seed), len(y)
    cupy = getattr(device, "cupy", None)
    streams = [cupy.cuda.Stream() for _ in range(n_streams)] if cupy and n_streams else None
    with clock("libraries"):
        wake_libraries(device)
    with clock("landmarks"):
        plan = make_plan()
    with clock("γ"):
        some = np.sort(rng.choice(n, min(n, COMPARED_ROWS), replace=False, shuffle=False))
        values = sample(device, plan, codes, offsets, some, encode)
        gamma = choose_gamma(device, values, y[some], n_classes, rng, None)
    with clock("folds"):
        if n <= EVENLY:
            folds = deal(np.ones(n, dtype=bool), N_FOLDS, rng, y).astype(np.uint8)
        else:
            folds = rng.integers(0, N_FOLDS, n, dtype=np.uint8)
    table = device.upload(feature_table(gamma))
    chunks = Chunks(device, plan, codes, offsets, y, folds, encode)
    with clock("values and sums"):
        centre = means(device, values[:1024], table, plan.n_landmarks)
        sums = FoldMoments(device, plan.n_landmarks, n_classes, N_FOLDS, table, centre)
        for chunk in chunks:
            for fold in range(N_FOLDS):
                sums.add(fold, chunk.values, chunk.y, chunk.members(fold))
    with clock("penalty"):
        search = Search(sums, n, streams)
        penalty = search.choose()
    with clock("solution"):
        vectors = sums.equations(None).residuals(penalty)
    with clock("unseen scores"):
        scores = UnseenScores(device, n, n_classes)
        for chunk in chunks:
            for fold in range(N_FOLDS):
                members = chunk.members(fold)
                left = sums.rows(chunk.values, chunk.y, members) @ search.solutions[penalty, fold]
                scores.put(chunk.first, left, members, chunk.y)
    with clock("calibration"):
        offset = calibrated_offset(device, scores, np.bincount(y, minlength=n_classes))
    kept = chunks.kept is not None
    return Fitted(plan, sums, vectors, offset, gamma, penalty, clock, encode, kept)


def calibrated_offset(device, scores, counts):
    """Offsets as `SoftmaxCalibration` finds them, its sums over rows made on the device."""
    own = device.upload(1.0 - 1.0 / (counts + 2.0))

    def loss(parameters):
        value, gradient = scores.loss(np.concatenate([parameters[:1], [0.0], parameters[1:]]), own)
        return value, np.delete(gradient, 1)

    start = np.concatenate([[2.0], np.zeros(scores.T - 1)])
    bounds = [(1e-3, None)] + [(None, None)] * (scores.T - 1)
    options = {"maxiter": 500, "ftol": 1e-12, "gtol": 1e-7}
    best = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options).x
    offset = np.concatenate([[0.0], best[1:]]) / best[0]
    return offset - offset.mean()
