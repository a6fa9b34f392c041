"""Manhattan distances on the device, by tiles of rows and landmarks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..protocols import Doubles
from .device import Device
from .parts import fill, parts
from .tiles import COLUMNS, THREADS, Tile, narrow, narrow_width
from .unsure import SURE, Unsure, noted

TILE = Tile(down=4, depth=16, inner=16, at_once=3)


class ManhattanPlan:
    """Landmark rows on the device.

    Parameters
    ----------
    device : Device
    L : ndarray of shape (R, d)
    """

    def __init__(self, device: Device, L: Doubles) -> None:
        self.device = device
        self.n_landmarks, self.d = L.shape
        self.L64 = device.upload(L)
        self.L = device.upload(narrow(L))
        limits = _limits(L)
        self.limits, self.highest = device.upload(limits), float(limits.max(initial=0.0))

    def values(self, X: Doubles) -> Any:
        """Return the distances of rows as an array on the device."""
        n, R = len(X), self.n_landmarks
        out = self.device.empty((n, R), np.float32)
        if n == 0 or R == 0:
            return out
        x_limits = _limits(X)
        x, limits = self.device.upload(narrow(X)), self.device.upload(x_limits)
        highest = np.float32(1.001 * (float(x_limits.max()) + self.highest))
        grid = -(-n // TILE.rows), -(-R // COLUMNS)
        given = x, np.int64(n), self.L, R, narrow_width(self.d), limits, self.limits, highest, out

        def launch(unsure: Unsure) -> None:
            arguments = *given, *unsure.arguments
            self._launch("manhattan", grid, TILE.nbytes, *arguments)

        pairs = noted(self.device, n * R, launch)
        if len(pairs):
            grid = min(-(-len(pairs) // THREADS), 65535), 1
            again = self.device.upload(X), self.L64, R, self.d, pairs, len(pairs), out
            self._launch("manhattan_again", grid, 0, *again)
        return out

    def _launch(self, kernel: str, grid: tuple[int, int], shared: int, *given: Any) -> None:
        given = TILE.defines(False, self.d), grid, THREADS, shared, *given
        self.device.launch("tiles+manhattan", kernel, *given)

    def run(self, X: Doubles, out: NDArray[np.float32], stop: Any) -> None:
        """Write the distances of rows into `out`."""
        rows = np.arange(len(X) + 1, dtype=np.int64)
        cut = parts(self.device, rows, 4 * self.n_landmarks, 12 * self.d)
        fill(self.device, cut, lambda p: self.values(np.ascontiguousarray(X[p])), out, stop)


def _limits(rows: Doubles) -> NDArray[np.float32]:
    """What a distance must exceed, with that of the other row, to be sure in float32."""
    narrow = rows.astype(np.float32)
    return np.asarray(SURE * np.where(narrow != rows, np.abs(narrow), 0).sum(axis=1), np.float32)
