"""Sums for a ridge on the device: second moments of folds, solutions, and scores of unseen rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..protocols import Doubles
from .device import Device

THREADS, SCRATCH = 256, 8 * 257
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
        self.device.launch("sums", kernel, {}, (blocks, 1), THREADS, shared, *given)

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
        sums.launch("units", -(-(R + T) // THREADS), 0, *self.M, self.mean, self.unit)

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
    grid = (-(-n_landmarks // THREADS), 1)
    device.launch("sums", "means_of", {}, grid, THREADS, 0, *given)
    return out


def byte_counts(device: Device, values: Any, n_landmarks: int) -> NDArray[np.int32]:
    """Return how often each byte occurs in the first columns of an array on the device."""
    counts, found = device.upload(np.zeros(256, np.int32)), np.empty(256, np.int32)
    n, stride = values.shape
    grid = (min(n, 8 * device.multiprocessors), 1)
    given = values, np.int64(stride), n, n_landmarks, counts
    device.launch("sums", "count_bytes", {}, grid, THREADS, 4 * THREADS, *given)
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
        blocks = max(1, min(-(-count * self.T // THREADS), 65535))
        given = left, members, count, y, self.T, scores
        self.device.launch("sums", "scores_of", {}, (blocks, 1), THREADS, 0, *given)

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
