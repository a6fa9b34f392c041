"""Ridges from sums that stay on a device: only equations' solutions and errors come back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine import backend
from ..features import Features, Floats, Rows
from .ridge_solve import WHOLE, Ridges, power_iteration, power_start, residual_vectors
from .ridge_statistics import FoldStatistics, FoldSums, Precision, Standard, require_finite


@dataclass(frozen=True, eq=False)
class DeviceSums(FoldStatistics):
    """What `FoldSums` are, in float64 on the device; first rows and diagonals are known here.

    Parameters
    ----------
    sums : DeviceMoments
        Of the backend's `statistics`.
    centre, scale : ndarray of shape (1 + R + T,)
        Where the columns are measured from, and in which unit.
    n_features : int
        Leading features that count; the device may have more.
    allowed : ndarray of bool, shape (n_folds + 1, R), optional
        As in `FoldSums`.
    """

    sums: Any
    centre: Floats
    scale: Floats
    n_features: int
    allowed: NDArray[np.bool_] | None = None
    precision: Precision = "double"

    @classmethod
    def of(
        cls,
        features: Features,
        Y: Floats,
        folds: Rows,
        sample_weight: Floats | None = None,
        *,
        n_folds: int | None = None,
        precision: Precision = "double",
        centred: bool = True,
        standard: tuple[Floats, Floats] | None = None,
        which: NDArray[np.int32] | None = None,
        allowed: NDArray[np.bool_] | None = None,
    ) -> DeviceSums:
        """Sum over the rows in one pass; parameters as in `FoldSums.of`.

        `features` read their blocks on the device. If `which` is given, Y are the targets that
        differ, with a standard, and it says which of them each row has.
        """
        how = Standard.of(
            features, Y, folds, sample_weight,
            dtype=np.float64, centred=centred, standard=standard,
        )  # fmt: skip
        n_folds, R = n_folds or int(how.folds.max()) + 1, how.n_features
        of_targets = how.centre[1 + R :], how.scale[1 + R :]
        given = how.centre[1 : 1 + R], how.scale[1 : 1 + R], Y.shape[1]
        on = backend()
        sums = on.statistics.DeviceMoments(on.device, n_folds, *given, precision == "single")

        def part(rows: slice, block: Any) -> None:
            own = how.Y[rows] if which is None else how.Y
            y = (own - of_targets[0]) / of_targets[1]
            numbers = np.arange(len(own), dtype=np.int32) if which is None else which[rows]
            roots = None if how.weights is None else np.sqrt(how.weights[rows])
            sums.add(block, on.statistics.ChunkOfRows(y, numbers, how.folds[rows], roots))

        features.reduce(part)
        made = cls(sums, how.centre, how.scale, R, allowed, precision)
        if which is None and not np.isfinite(made.edges[1]).all():

            def name(rows: slice, block: Any) -> None:
                on_host = on.statistics.fetched(on.device, block)
                require_finite(on_host, np.arange(rows.start, rows.stop))

            features.reduce(name)  # which stops at the first row that is not finite
        return made

    @property
    def moments(self) -> Floats:
        """As `FoldSums` have them, on the host."""
        return np.asarray(self.sums.whole()[:, self.kept[:, None], self.kept])

    @cached_property
    def kept(self) -> Rows:
        """Columns that count, of those on the device."""
        features, R = np.arange(1 + self.n_features), self.sums.R
        return np.concatenate([features, np.arange(1 + R, 1 + R + self.sums.T)])

    @cached_property
    def edges(self) -> tuple[Floats, Floats]:
        """Σ w a and Σ w a² over the rows of each fold."""
        first, diagonal = self.sums.edges()
        return first[:, self.kept], diagonal[:, self.kept]

    def leading(self, size: int) -> DeviceSums:
        """Return the sums of the leading columns, and of the targets; nothing is copied."""
        kept = np.r_[: 1 + size, 1 + self.n_features : len(self.centre)]
        return replace(
            self,
            centre=self.centre[kept],
            scale=self.scale[kept],
            n_features=size,
            allowed=None if self.allowed is None else self.allowed[:, :size],
        )

    def __iadd__(self, other: DeviceSums | FoldSums) -> DeviceSums | FoldSums:
        if isinstance(other, FoldSums):
            return other + self  # type: ignore[operator]  # it has what such sums have
        self.sums.__iadd__(other.sums)
        return replace(self)  # what was known of the edges is so no more


@dataclass(eq=False)
class DevicePrimal(Ridges):
    """What `Primal` is, solved on the device."""

    data: DeviceSums
    centred: bool

    def leading(self, size: int) -> DevicePrimal:
        """The same ridges on the leading columns."""
        return DevicePrimal(self.data.leading(size), self.centred)

    def _system(self, without: int, penalty: float, size: int) -> tuple[Any, Any]:
        sums, R = self.data.sums, self.data.n_features
        mean, unit = np.zeros(1 + sums.R + sums.T), np.zeros(sums.R)
        mean[self.data.kept], unit[:R] = self.mean[without], self.unit[without]
        fold, weight = None if without == WHOLE else without, float(self.weight[without])
        equations: tuple[Any, Any] = sums.system(fold, size, weight, mean, unit, penalty)
        return equations

    def trial(
        self, folds: Sequence[int], penalties: Sequence[float], sizes: Sequence[int]
    ) -> list[Floats]:
        """See `Ridges`."""
        device, fetched, vectors = self.data.sums.device, backend().statistics.fetched, []
        for fold in folds:
            shape = len(penalties), len(sizes), self.data.n_features, self.data.n_targets
            beta = np.zeros(shape)
            for p, penalty in enumerate(penalties):
                for s, size in enumerate(sizes):
                    solved = fetched(device, device.solve(*self._system(fold, penalty, size)))
                    beta[p, s, :size] = solved if np.isfinite(solved).all() else np.nan
            vectors.append(residual_vectors(beta, self.mean[fold], self.unit[fold]))
        return vectors

    def squared_errors(self, fold: int, left: Floats) -> Floats:
        """See `Ridges`."""
        data = self.data
        vectors = np.moveaxis(left, -2, 0).reshape(left.shape[-2], -1)
        whole = np.zeros((1 + data.sums.R + data.sums.T, vectors.shape[1]))
        whole[data.kept] = vectors
        squares = np.einsum("pt,pt->t", whole, data.sums.times(fold, whole))
        return np.asarray(np.maximum(squares, 0.0).reshape(*left.shape[:-2], -1))

    def top(self) -> float:
        """See `Ridges`."""
        device, size = self.data.sums.device, self.data.n_features
        fetched = backend().statistics.fetched
        matrix, unit = self._system(WHOLE, 0.0, size)[0], self.unit[WHOLE]

        def product(vector: Floats) -> Floats:
            return np.asarray(fetched(device, matrix @ device.upload(vector[:, None]))[:, 0])

        return power_iteration(product, np.where(unit > 0, power_start(np.arange(size)), 0.0))

    def smallest_eigenvalue(self, penalty: float, n_steps: int = 6) -> float:
        """Of A + λI, by inverse iteration: a little too high is good enough."""
        device, size = self.data.sums.device, self.data.n_features
        fetched = backend().statistics.fetched
        matrix, value = self._system(WHOLE, penalty, size)[0], 1.0
        vector = np.cos(np.arange(size) ** 2.0)
        for _ in range(n_steps):
            given = device.upload((vector / np.linalg.norm(vector))[:, None])
            vector = fetched(device, device.solve(matrix, given))[:, 0]
            value = 1 / float(np.linalg.norm(vector))
        return max(value, penalty)
