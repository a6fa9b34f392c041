"""What is asked of many rows beside their features: hashes, and sums of a calibration."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..protocols import Doubles
from .device import Device
from .moments import fetched

THREADS = 64


def hashes_on(device: Device, text: NDArray[Any], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the hashes of texts as `seamark.data.hashes` does; symbols are unsigned numbers."""
    n = len(offsets) - 1
    if n == 0:
        return np.empty(0, np.int64)
    flat = np.ascontiguousarray(text) if len(text) else np.zeros(1, text.dtype)
    out = device.empty(n, np.uint64)
    given = device.upload(flat.view(np.uint8)), flat.itemsize, device.upload(offsets), np.int64(n)
    grid = (max(1, min(-(-n // THREADS), 1 << 20)), 1)
    device.launch("rows", "hashes", {}, grid, THREADS, 0, *given, out)
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
        self.shared = 8 * THREADS * (2 + 2 * self.T)

    @staticmethod
    def fits(device: Device, n_classes: int) -> bool:
        """Tell whether so many classes fit a block's memory."""
        return 8 * THREADS * (2 + 2 * n_classes) <= device.shared_bytes

    def __call__(self, slope: float, offsets: Doubles) -> tuple[float, float, Doubles]:
        """Return Σ w log Σ exp, Σ w p·s and Σ w p, with p = softmax(slope · s + offsets)."""
        blocks = max(1, min(8 * self.device.multiprocessors, -(-self.n // THREADS)))
        out = self.device.empty((blocks, 2 + self.T), np.float64)
        parameters = self.device.upload(np.concatenate([[slope], offsets]))
        given = self.scores, self.weights, np.int64(self.n), self.T, parameters, out
        self.device.launch("rows", "softmax_sums", {}, (blocks, 1), THREADS, self.shared, *given)
        sums = fetched(self.device, out).sum(axis=0)
        return float(sums[0]), float(sums[1]), sums[2:]
