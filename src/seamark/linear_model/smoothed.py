"""Hinges of scores against thresholds, minimised.

A sum of hinges is convex but has kinks, where gradient methods zigzag; nearly collinear features
make it worse. Rounding each kink over a `width` δ gives a piecewise quadratic function, which
Newton's method solves in a few steps whatever the conditioning, and whose least value is within
δ/2 per hinge of the one wanted. Wide roundings are solved first, and start the narrow ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .curvature import Bends, Curvature, DoubleRows
from .newton import Floats, Minimum, Places, newton

_LAST = 1e-12  # slope along Newton's last step, per unit of the hinges' width
_START = 0.2  # the same for a solution that only starts the next one
_FLAT = 1e-11  # damping of thresholds, which nothing may hold; larger ones only slow
_FACTOR = 10.0  # from one width to the next


class ThresholdHinges:
    """Σ_k c_k [z_k(θ)]₊ + p/2 ‖w‖² in θ = (w, τ): scores Zw, thresholds base + basis·τ.

    Fixed thresholds move together (τ is minus the intercept), learned ones each by themselves.
    EXC may want thresholds out of order. Then hinges [b_j − b_{j+1}]₊ are added: no threshold
    gains more than the weight of all objects, 1, by crossing another, so that a price of 2
    keeps them in order exactly.
    """

    def __init__(
        self,
        Z: Floats,
        sides: Floats,
        weight: Floats,
        *,
        base: Floats,
        basis: Floats,
        margin: float,
        penalty: float,
        ordered: bool,
    ) -> None:
        self.rows, self.base, self.basis = DoubleRows(Z), base, basis
        self.penalty = penalty
        # Only those that the variant looks at: of each hinge its row, threshold and side.
        self.row, self.border = np.nonzero(sides)
        self.side = sides[self.row, self.border]
        self.n_gaps = len(base) - 1 if ordered else 0
        self.gaps = np.diff(np.eye(len(base)), axis=0)[: self.n_gaps] @ basis
        self.weights = np.append(weight[self.row], np.full(self.n_gaps, 2.0))[:, None]
        self.total = float(self.weights.sum())
        fixed = margin + self.side * base[self.border]
        self.at_zero = np.append(fixed, -np.diff(base)[: self.n_gaps])[:, None]
        self.curvature = Curvature(self.rows)

    def thresholds(self, theta: Floats) -> Floats:
        """Every b_j at θ."""
        return np.asarray(self.base + self.basis @ theta[self.rows.width :])

    def change(self, step: Floats) -> Floats:
        """Of every slack: of each object and threshold, γ ∓ (score − b), then of the gaps."""
        weights, borders = step[: self.rows.width, 0], step[self.rows.width :, 0]
        moved = self.rows.scores(weights)[self.row] - (self.basis @ borders)[self.border]
        return np.append(-self.side * moved, -self.gaps @ borders)[:, None]

    def gradient(self, pulls: Floats) -> Floats:
        """Σ_k pulls_k ∇z_k."""
        pull, of_gaps = self.side * pulls[: len(self.side), 0], pulls[len(self.side) :, 0]
        of_rows = np.asarray(np.bincount(self.row, pull, len(self.rows.A)), dtype=np.float64)
        of_borders = np.bincount(self.border, pull, len(self.base))
        borders = of_borders @ self.basis - of_gaps @ self.gaps
        return np.append(-self.rows.sum(of_rows), borders)

    def bends(self, inside: NDArray[np.bool_]) -> Bends:
        """Hinges within their widths, of which each counts by its weight."""
        which, gaps = np.flatnonzero(inside[: len(self.side)]), self.gaps[inside[len(self.side) :]]
        borders = self.basis[self.border[which]]
        return Bends(self.row[which], self.weights[which, 0], borders, 2.0 * gaps.T @ gaps)


class Rounded(NamedTuple):
    """Hinges with their kinks rounded over a width: smooth, for Newton's method."""

    hinges: ThresholdHinges
    width: float

    def slacks(self, theta: Floats) -> Floats:
        """Every z_k."""
        return self.hinges.at_zero + self.hinges.change(theta)

    def slopes(self, slacks: Floats, which: Places) -> Floats:
        """Weight times a share that rises from 0 to 1 within the width."""
        return np.asarray(self.hinges.weights * (np.clip(slacks, 0.0, self.width) / self.width))

    def step(self, theta: Floats, slacks: Floats, which: Places) -> Floats:
        """Newton's step; all is multiplied by the width, so that sums of rows outlive a change."""
        hinges, width = self.hinges, self.hinges.rows.width
        right = hinges.gradient(self.slopes(slacks, which))
        right[:width] += hinges.penalty * theta[:width, 0]
        bends = hinges.bends(((slacks > 0) & (slacks < self.width))[:, 0])
        bends.own.flat[:: len(bends.own) + 1] += _FLAT
        solved = hinges.curvature.solve(bends, self.width * hinges.penalty, self.width * right)
        return -solved[:, None]

    def along(self, theta: Floats, step: Floats, which: Places) -> tuple[Floats, Floats, Floats]:
        """See `newton`."""
        weights = self.hinges.penalty * step[: self.hinges.rows.width]
        linear = (weights * theta[: len(weights)]).sum(axis=0)
        quadratic = (weights * step[: len(weights)]).sum(axis=0)
        return self.hinges.change(step), linear, quadratic

    def unit(self, theta: Floats, slacks: Floats, which: Places) -> Floats:
        """The width, of which a hinge may be off by half."""
        return np.array([self.width])


def minimise(
    hinges: ThresholdHinges, start: Floats, first: float, last: float, max_iter: int
) -> Minimum:
    """Minimise hinges rounded over falling widths, every one from the solution before.

    Parameters
    ----------
    hinges : ThresholdHinges
        The objective.
    start : ndarray of shape (D + q,)
        Where to start.
    first, last : float
        Widths between which to go, by factors of about 10.
    max_iter : int
        Most Newton steps, of all widths together.
    """
    widths = np.geomspace(first, last, 2 + int(np.log(first / last) / np.log(_FACTOR)))
    found = Minimum(start[:, None], np.zeros(1, dtype=np.intp), True)
    for width in widths.tolist():
        # Solutions on the way only start the next: their accuracy is a waste.
        enough = _LAST if width == widths[-1] else _START
        steps = found.steps
        found = newton(Rounded(hinges, width), found.theta, enough, max_iter - int(steps[0]))
        found = found._replace(steps=found.steps + steps)
    return found
