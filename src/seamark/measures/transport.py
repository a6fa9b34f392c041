"""Optimal transport: the Wasserstein distance of samples of numbers, and POT's solvers for sets."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from .. import engine
from ..data import Ragged, sets
from .adapters import Adapter, Facts, LibraryPlan, load
from .base import Measure, require_number

Floats = NDArray[np.float64]

PAIR_SECONDS = 3e-9  # per pair of numbers in samples
TILE_VALUES = 1 << 20  # of quantiles that are laid out at once
POT_EXTRA = "seamark[transport]"
CALL_SECONDS = 5e-5  # of a solver for small sets
CELL_SECONDS = 1e-7  # per pair of vectors


class Wasserstein(Measure):
    """Wasserstein (earth mover's) distance of samples of numbers: sets of points on a line.

    W_p(x, y) = (∫₀¹ |F⁻¹(u) − G⁻¹(u)|ᵖ du)^(1/p), F⁻¹ and G⁻¹ being the quantile functions: every
    number of a set has the same mass, and sets may differ in size. For p = 1 it is the area between
    the two distribution functions.

    Parameters
    ----------
    p : float, default=1.0
        At least 1.

    Notes
    -----
    Exact. Sets are those of `sets`, of one column: ``x[:, None]`` for an array x of numbers. It has
    no name in the catalogue, as most sets are of vectors. Histograms over the same bins of width w
    have the distance that "manhattan" finds between ``w * np.cumsum(h / h.sum())``.

    Examples
    --------
    >>> Wasserstein().cross([[[0.0], [1.0]], [[5.0]]], [[[1.0], [2.0], [3.0]]])
    array([[1.5],
           [3. ]], dtype=float32)
    """

    domain = sets
    kind = "distance"
    bounds = (0.0, np.inf)
    symmetric = True
    triangle = True
    self_value = 0.0

    def __init__(self, p: float = 1.0) -> None:
        self.p = p

    def check_parameters(self) -> None:
        """Require a metric."""
        require_number("p", self.p, 1, np.inf)

    def compile(self, L: Ragged) -> engine.Plan:
        """Sort the landmarks, by size."""
        return _WassersteinPlan(L, float(self.p))


class _WassersteinPlan(engine.Plan):
    """Sets of n and of m numbers have quantile functions that are constant between i/n and j/m."""

    def __init__(self, L: Ragged, p: float) -> None:
        self.p, self.n_landmarks = p, L.shape[0]
        self.total = int(L.lengths.sum())
        self.sorted = sorted_by_size(L)

    def seconds(self, X: Ragged) -> Floats:
        """In proportion to the numbers of both."""
        per_row = (X.lengths + 1) * self.n_landmarks + self.total
        return np.asarray(per_row * PAIR_SECONDS * 4, np.float64)

    def fill(self, X: Ragged, out: NDArray[np.float32], stop: Any) -> None:
        """Take sets of one size against landmarks of one size."""
        for n, (rows, own) in sorted_by_size(X).items():
            for m, (columns, others) in self.sorted.items():
                left, right, mass = quantile_steps(n, m)
                few = max(1, TILE_VALUES // len(mass))
                for i in range(0, len(rows), few):
                    if stop[0]:
                        return
                    x = own[i : i + few][:, left]
                    for j in range(0, len(columns), few):
                        y = others[j : j + few][:, right]
                        values = cdist(x, y, "minkowski", p=self.p, w=mass)
                        out[np.ix_(rows[i : i + few], columns[j : j + few])] = values


def sorted_by_size(X: Ragged) -> dict[int, tuple[NDArray[np.intp], Floats]]:
    """Return numbers of sets, and the sets sorted as rows of a matrix, for each size."""
    if X.flat.shape[1] != 1:
        raise ValueError(
            f"Wasserstein compares sets of single numbers, and these are of {X.flat.shape[1]}; "
            "give one column, or take 'modified_hausdorff' for sets of vectors."
        )
    starts, found = X.offsets[:-1] - X.offsets[0], {}
    for size in np.unique(X.lengths).tolist():
        rows = np.flatnonzero(X.lengths == size)
        numbers = X.flat[starts[rows, None] + np.arange(size), 0].astype(np.float64)
        found[size] = rows, np.sort(numbers, axis=1)
    return found


def quantile_steps(n: int, m: int) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
    """Return the places among n and m sorted numbers, and the mass, of each common quantile step.

    Examples
    --------
    >>> left, right, mass = quantile_steps(2, 3)
    >>> left, right, (6 * mass).round()
    (array([0, 0, 1, 1]), array([0, 1, 1, 2]), array([2., 1., 1., 2.]))
    """
    ends = np.union1d(m * np.arange(1, n + 1), n * np.arange(1, m + 1))
    return (ends - 1) // m, (ends - 1) // n, np.diff(ends, prepend=0) / (n * m)


# Solvers of POT, for sets of vectors.


class POT(Adapter):
    """A transport cost of POT (Python Optimal Transport) between sets of vectors.

    Every vector of a set has the same mass, and moving mass costs the distance between vectors.
    "emd2" is the earth mover's distance, exactly; "sinkhorn2" adds an entropy and is no metric.

    Parameters
    ----------
    metric : {"emd2", "sinkhorn2"} or function
        The solver, or POT's function itself.
    params : dict, optional
        Keyword parameters of the solver, such as ``{"reg": 0.1}``, which "sinkhorn2" needs; and
        "ground", the distance between vectors by its name in scipy, "euclidean" by default.

    Examples
    --------
    >>> POT("emd2", {"ground": "cityblock"})
    POT(metric='emd2', params={'ground': 'cityblock'})
    >>> POT("emd2").triangle, POT("sinkhorn2", {"reg": 0.1}).triangle
    (True, None)
    """

    library: ClassVar[str] = "ot"
    table: ClassVar[dict[str, Facts]] = {
        "emd2": Facts(triangle=True),
        "sinkhorn2": Facts(bounds=(-np.inf, np.inf), cost=10.0),
    }
    domain = sets

    @classmethod
    def name_of(cls, function: Any) -> str | None:
        """Return the solver's name, if this is POT's function."""
        pot = _pot()
        return next((name for name in cls.table if getattr(pot, name) is function), None)

    def facts(self) -> Facts:
        """Return the table's facts; they are certain where vectors have the Euclidean distance."""
        ground = self.keywords().get("ground", "euclidean")
        found = super().facts()
        return found if ground == "euclidean" else Facts(bounds=found.bounds, cost=found.cost)

    def compile(self, L: Ragged) -> engine.Plan:
        """Keep the landmarks as arrays."""
        solver, keywords, facts = getattr(_pot(), self.chosen()), self.keywords(), self.facts()
        ground = keywords.pop("ground", "euclidean")
        landmarks = [L[j : j + 1].flat for j in range(len(L))]

        def call(X: Ragged) -> NDArray[Any]:
            rows = [X[i : i + 1].flat for i in range(len(X))]
            costs = [[cdist(x, y, ground) for y in landmarks] for x in rows]
            return np.array([[float(solver([], [], M, **keywords)) for M in row] for row in costs])

        per_vector = float(L.lengths.sum()) * CELL_SECONDS * facts.cost
        return LibraryPlan(
            len(L),
            call,
            lambda X: X.lengths * per_vector + len(L) * CALL_SECONDS * facts.cost,
            facts.bounds,
            8 * int(L.lengths.sum() + 1) * 64,
            home="library",
        )


def _pot() -> Any:
    return load("ot", library="POT", needs=POT_EXTRA)
