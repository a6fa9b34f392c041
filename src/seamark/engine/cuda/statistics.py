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
