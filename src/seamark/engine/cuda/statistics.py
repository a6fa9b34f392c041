"""Statistics on the device: sums of a ridge over folds, scores, and rows of a calibration."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..lapack import PRODUCT_ROWS
from ..plan import Doubles
from .device import Device

THREADS = 256
ALIGNED = 8  # numbers: rows of a product begin aligned
WORKING = 3  # matrices beside the folds' that a solution takes: the total, the equations, a factor


@dataclass(frozen=True, eq=False)
class ChunkOfRows:
    """What is known of a chunk of rows beside its features.

    Attributes
    ----------
    y : ndarray of shape (m, T)
        Targets in their units: of each row, or of some that differ.
    which : ndarray of int, shape (n,)
        Those of each row.
    folds : ndarray of int, shape (n,)
        Negative for rows that are left out.
    roots : ndarray of shape (n,) or None
        Of the weights; None: all 1.
    """

    y: Doubles
    which: NDArray[np.int32]
    folds: NDArray[Any]
    roots: Doubles | None


class DeviceMoments:
    """Second moments Σ a aᵀ of rows a = √w (1, φ, y) of each fold, in float64.

    Parameters
    ----------
    device : Device
    n_folds : int
    centre, scale : ndarray of shape (R,)
        Of the features.
    n_targets : int
    single : bool
        Whether products are made in float32, of at most 4,096 rows, and added up in float64.
    """

    def __init__(
        self,
        device: Device,
        n_folds: int,
        centre: Doubles,
        scale: Doubles,
        n_targets: int,
        single: bool = False,
    ) -> None:
        self.single = single
        self.device, self.R, self.T = device, len(centre), n_targets
        self.width = -(-(1 + self.R + self.T) // ALIGNED) * ALIGNED
        self.centre, self.per_scale = device.upload(centre), device.upload(1.0 / scale)
        self.folds: list[Any] = [None] * n_folds
        self._total: Any = None

    @staticmethod
    def n_bytes(n_folds: int, width: int) -> int:
        """Return what folds of so many columns take, with what a solution needs beside them."""
        return 8 * (n_folds + WORKING) * (width + ALIGNED) ** 2

    def launch(self, kernel: str, blocks: int, *given: Any) -> None:
        """Run a kernel of `moments.cu`."""
        kind = {"Number": "float"} if self.single else {}
        self.device.launch("moments", kernel, kind, (max(1, blocks), 1), THREADS, 0, *given)

    def add(self, features: Any, chunk: ChunkOfRows) -> None:
        """Add a chunk of rows, each to its fold; features are float32 on the device."""
        upload, weighted = self.device.upload, chunk.roots is not None
        y = upload(np.ascontiguousarray(chunk.y))
        which, roots = upload(chunk.which), y if chunk.roots is None else upload(chunk.roots)
        small = chunk.folds.astype(np.int16) if len(self.folds) < 2**15 else chunk.folds
        order = np.argsort(small, kind="stable").astype(np.int32)  # of few bits: by counting
        starts = np.searchsorted(small[order], np.arange(len(self.folds) + 1))
        members = upload(order)
        stride = np.int64(features.strides[0] // 4)
        most = PRODUCT_ROWS
        step, kind = (most, np.float32) if self.single else (len(order) + 1, np.float64)
        for fold, (first, last) in enumerate(pairwise(starts.tolist())):
            for start in range(first, last, step):
                count = min(step, last - start)
                rows = self.device.empty((count, self.width), kind)
                given = features, stride, members[start : start + count], count
                known = self.centre, self.per_scale, y, which, roots
                shape = int(weighted), self.R, self.T, self.width
                self.launch("standard_rows", min(count, 65535), *given, *known, *shape, rows)
                with self.device.speaking():
                    self._add(fold, rows.T @ rows)

    def _add(self, fold: int, product: Any) -> None:
        self._total = None
        if self.folds[fold] is None:
            self.folds[fold] = product if not self.single else product.astype(np.float64)
        else:
            self.folds[fold] += product

    def __iadd__(self, other: DeviceMoments) -> DeviceMoments:
        for fold, moments in enumerate(other.folds):
            if moments is not None:
                self._add(fold, moments)
        return self

    @property
    def total(self) -> Any:
        """Sum of all folds."""
        if self._total is None:
            some = [moments for moments in self.folds if moments is not None]
            with self.device.speaking():
                self._total = some[0].copy()
                for moments in some[1:]:
                    self._total += moments
        return self._total

    def edges(self) -> tuple[Doubles, Doubles]:
        """Return first rows and diagonals of all folds' moments, (n_folds, 1 + R + T) each."""
        found = np.zeros((len(self.folds), 2, self.width))
        for moments, out in zip(self.folds, found, strict=True):
            if moments is not None:
                both = self.device.empty(out.shape, np.float64)
                self.launch("edge_of", -(-self.width // THREADS), moments, self.width, both)
                self.device.download(both, out)
        used = found[:, :, : 1 + self.R + self.T]
        return used[:, 0], used[:, 1]

    def whole(self) -> Doubles:
        """Return the moments on the host, (n_folds, 1 + R + T, 1 + R + T)."""
        used = 1 + self.R + self.T
        out = np.zeros((len(self.folds), used, used))
        for moments, to in zip(self.folds, out, strict=True):
            if moments is not None:
                every = np.empty((self.width, self.width))
                self.device.download(moments, every)
                to[:] = every[:used, :used]
        return out

    def system(
        self,
        without: int | None,
        size: int,
        weight: float,
        mean: Doubles,
        unit: Doubles,
        penalty: float,
    ) -> tuple[Any, Any]:
        """Return correlations of the leading features, penalised, and theirs with the targets.

        Parameters
        ----------
        without : int or None
            Fold to leave out.
        size : int
            How many features.
        weight : float
            Of the rows that count.
        mean : ndarray of shape (1 + R + T,)
        unit : ndarray of shape (R,)
            How columns are standardised.
        penalty : float
        """
        less = without is not None and self.folds[without] is not None
        fold = self.folds[without] if less and without is not None else self.total
        A = self.device.empty((size, size), np.float64)
        b = self.device.empty((size, self.T), np.float64)
        sums = self.total, fold, int(less), self.width, self.R, self.T, size
        standard = np.float64(weight), self.device.upload(mean), self.device.upload(unit)
        self.launch(
            "normal_equations", min(size, 65535), *sums, *standard, np.float64(penalty), A, b
        )
        return A, b

    def times(self, fold: int, vectors: Doubles) -> Doubles:
        """Return a fold's moments times vectors, (1 + R + T, k)."""
        padded = np.zeros((self.width, vectors.shape[1]))
        padded[: len(vectors)] = vectors
        with self.device.speaking():
            product = self.folds[fold] @ self.device.upload(padded)
        return fetched(self.device, product)[: len(vectors)]


def fetched(device: Device, array: Any) -> NDArray[Any]:
    """Return a copy on the host."""
    out = np.empty(array.shape, array.dtype)
    device.download(array, out)
    return out


def linear(device: Device, features: Any, coef: Doubles) -> Doubles:
    """Return features on the device times coefficients (T, R), on the host, in float64."""
    with device.speaking():
        return fetched(device, features.astype(np.float64) @ device.upload(coef.T.copy()))


# Sums for a ridge on the device: second moments of folds, solutions, and scores of unseen rows.


THREADS_SUMS, SCRATCH = 256, 8 * 257
CALIBRATION_THREADS = 64


class FoldMoments:
    """Second moments of rows (1, φ, y) of each fold; y are ±1 for each of some classes.

    Parameters
    ----------
    device : Device
    n_landmarks, n_targets, n_folds : int
    table : ndarray of shape (256,)
        Features of whole-numbered distances.
    centre : device array of shape (n_landmarks,)
        Taken off the features: any near their mean.
    """

    def __init__(
        self,
        device: Device,
        n_landmarks: int,
        n_targets: int,
        n_folds: int,
        table: Any,
        centre: Any,
    ) -> None:
        self.device, self.R, self.T, self.n_folds = device, n_landmarks, n_targets, n_folds
        self.width = -(-(1 + n_landmarks + n_targets) // 8) * 8  # a product's rows begin aligned
        self.table, self.centre = table, centre
        self.moments: list[Any] = [None] * n_folds
        self.total: Any = None

    def launch(self, kernel: str, blocks: int, shared: int, *given: Any) -> None:
        """Run a kernel of `sums.cu`."""
        self.device.launch("sums", kernel, {}, (blocks, 1), THREADS_SUMS, shared, *given)

    def rows(self, values: Any, y: Any, members: Any) -> Any:
        """Return the rows (1, φ, y) of some members of a chunk."""
        count, R, T = len(members), self.R, self.T
        out = self.device.empty((count, self.width), np.float64)
        given = members, count, self.table, self.centre, y, R, T, self.width, out
        blocks = min(count, 16 * self.device.multiprocessors)
        if count:
            self.launch("rows_of", blocks, SCRATCH, values, np.int64(values.shape[1]), *given)
        return out

    def add(self, fold: int, values: Any, y: Any, members: Any) -> None:
        """Add some members of a chunk to the sums of a fold."""
        rows = self.rows(values, y, members)
        product = rows.T @ rows
        if self.moments[fold] is None:
            self.moments[fold] = product
        else:
            self.moments[fold] += product
        self.total = None

    def equations(self, fold: int | None) -> Equations:
        """Return the normal equations of all rows but a fold's."""
        if self.total is None:
            self.total = self.moments[0].copy()
            for moments in self.moments[1:]:
                self.total += moments
        return Equations(self, fold)


class Equations:
    """Normal equations in correlations, without the rows of a fold; see `FoldMoments`."""

    def __init__(self, sums: FoldMoments, fold: int | None) -> None:
        self.sums = sums
        R, T, empty = sums.R, sums.T, sums.device.empty
        held_out = sums.total if fold is None else sums.moments[fold]
        self.M = sums.total, held_out, int(fold is not None), sums.width, R, T
        self.mean, self.unit = empty(R + T, np.float64), empty(R, np.float64)
        sums.launch("units", -(-(R + T) // THREADS_SUMS), 0, *self.M, self.mean, self.unit)

    def system(self, penalty: float) -> tuple[Any, Any]:
        """Return correlations of the features, with the penalty, and with the targets."""
        sums, R, T = self.sums, self.sums.R, self.sums.T
        A, b = sums.device.empty((R, R), np.float64), sums.device.empty((R, T), np.float64)
        given = self.mean, self.unit, np.float64(penalty), A, b
        sums.launch("equations", min(R, 65535), 0, *self.M, *given)
        return A, b

    def residuals(self, penalty: float) -> Any:
        """Return vectors: times rows (1, φ, y), what the ridge of a penalty leaves of y."""
        sums, R, T = self.sums, self.sums.R, self.sums.T
        out = sums.device.empty((sums.width, T), np.float64)
        solution = sums.device.solve(*self.system(penalty))
        sums.launch("residuals", T, SCRATCH, solution, self.mean, self.unit, R, T, sums.width, out)
        return out

    def error(self, vectors: Any, out: Any, place: int) -> None:
        """Write the squared errors, summed, of the fold's rows to a place of a device array."""
        product = self.M[1] @ vectors
        self.sums.launch("product", 1, SCRATCH, vectors, product, vectors.size, out, place)


def means(device: Device, values: Any, table: Any, n_landmarks: int) -> Any:
    """Return the mean features of some rows of distances, on the device."""
    out = device.empty(n_landmarks, np.float64)
    given = values, np.int64(values.shape[1]), len(values), table, n_landmarks, out
    grid = (-(-n_landmarks // THREADS_SUMS), 1)
    device.launch("sums", "means_of", {}, grid, THREADS_SUMS, 0, *given)
    return out


def byte_counts(device: Device, values: Any, n_landmarks: int) -> NDArray[np.int32]:
    """Return how often each byte occurs in the first columns of an array on the device."""
    counts, found = device.upload(np.zeros(256, np.int32)), np.empty(256, np.int32)
    n, stride = values.shape
    grid = (min(n, 8 * device.multiprocessors), 1)
    given = values, np.int64(stride), n, n_landmarks, counts
    device.launch("sums", "count_bytes", {}, grid, THREADS_SUMS, 4 * THREADS_SUMS, *given)
    device.download(counts, found)
    return found


class UnseenScores:
    """Scores of rows by ridges that have not seen them, and the loss of their calibration."""

    def __init__(self, device: Device, n: int, n_classes: int) -> None:
        self.device, self.n, self.T = device, n, n_classes
        self.scores = device.empty((n, n_classes), np.float32)
        self.y = device.empty(n, np.int32)

    def put(self, first: int, left: Any, members: Any, y: Any) -> None:
        """Keep the scores of some members of the chunk of rows that begins at `first`."""
        scores, count = self.scores[first:], len(members)
        self.y[first : first + len(y)] = y
        blocks = max(1, min(-(-count * self.T // THREADS_SUMS), 65535))
        given = left, members, count, y, self.T, scores
        self.device.launch("sums", "scores_of", {}, (blocks, 1), THREADS_SUMS, 0, *given)

    def loss(self, parameters: Doubles, own: Any) -> tuple[float, Doubles]:
        """Return the mean cross-entropy of slope and offsets, and its derivatives."""
        T, blocks = self.T, min(8 * self.device.multiprocessors, -(-self.n // CALIBRATION_THREADS))
        sums = np.empty((blocks, 2 + T))
        out = self.device.empty(sums.shape, np.float64)
        given = self.scores, self.y, np.int64(self.n), T, self.device.upload(parameters), own, out
        shared = 8 * CALIBRATION_THREADS * (2 + 2 * T)
        grid = (blocks, 1)
        self.device.launch("sums", "calibration", {}, grid, CALIBRATION_THREADS, shared, *given)
        self.device.download(out, sums)
        whole = sums.sum(axis=0) / self.n
        return float(whole[0]), whole[1:]


# What is asked of many rows beside their features: hashes, and sums of a calibration.


THREADS_ROWS = 64


def hashes_on(device: Device, text: NDArray[Any], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the hashes of texts as `seamark.data.hashes` does; symbols are unsigned numbers."""
    n = len(offsets) - 1
    if n == 0:
        return np.empty(0, np.int64)
    flat = np.ascontiguousarray(text) if len(text) else np.zeros(1, text.dtype)
    out = device.empty(n, np.uint64)
    given = device.upload(flat.view(np.uint8)), flat.itemsize, device.upload(offsets), np.int64(n)
    grid = (max(1, min(-(-n // THREADS_ROWS), 1 << 20)), 1)
    device.launch("rows", "hashes", {}, grid, THREADS_ROWS, 0, *given, out)
    return fetched(device, out).view(np.int64)


class SoftmaxSums:
    """Sums over rows that the loss of a calibration and its derivatives are made of.

    Parameters
    ----------
    device : Device
    scores : ndarray of shape (n, T)
    weights : ndarray of shape (n,)
    """

    def __init__(self, device: Device, scores: Doubles, weights: Doubles) -> None:
        self.device, (self.n, self.T) = device, scores.shape
        self.scores = device.upload(np.ascontiguousarray(scores, np.float64))
        self.weights = device.upload(np.ascontiguousarray(weights, np.float64))
        self.shared = 8 * THREADS_ROWS * (2 + 2 * self.T)

    @staticmethod
    def fits(device: Device, n_classes: int) -> bool:
        """Tell whether so many classes fit a block's memory."""
        return 8 * THREADS_ROWS * (2 + 2 * n_classes) <= device.shared_bytes

    def __call__(self, slope: float, offsets: Doubles) -> tuple[float, float, Doubles]:
        """Return Σ w log Σ exp, Σ w p·s and Σ w p, with p = softmax(slope · s + offsets)."""
        blocks = max(1, min(8 * self.device.multiprocessors, -(-self.n // THREADS_ROWS)))
        out = self.device.empty((blocks, 2 + self.T), np.float64)
        parameters = self.device.upload(np.concatenate([[slope], offsets]))
        given = self.scores, self.weights, np.int64(self.n), self.T, parameters, out
        self.device.launch(
            "rows", "softmax_sums", {}, (blocks, 1), THREADS_ROWS, self.shared, *given
        )
        sums = fetched(self.device, out).sum(axis=0)
        return float(sums[0]), float(sums[1]), sums[2:]
