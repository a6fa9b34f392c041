"""Hinges of scores against thresholds: what they cost, what they promise, how to minimise them.

A sum of hinges is convex but has kinks, where gradient methods zigzag; nearly collinear features
make it worse. Rounding each kink over a `width` δ gives a piecewise quadratic function, which
Newton's method solves in a few steps whatever the conditioning, and whose least value is within
δ/2 per hinge of the one wanted. Wide roundings are solved first, and start the narrow ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from .descent import solve_positive, step_length

Vector = NDArray[np.float64]

_GAP = 1e-20  # predicted decrease, per unit of the hinges' widths, at which Newton has arrived
_START = 1e-8  # the same for a solution that only starts the next one
_ROUNDING = 1e-7  # a gap that may be all rounding, if it no longer halves
_PATIENCE = 5  # steps to wait for that
_FLAT = 1e-11  # damping of unpenalised directions, which may be flat; larger ones only slow


def rounded(z: Vector, width: float) -> tuple[Vector, Vector, Vector]:
    """Value, slope and curvature of the hinge [z]₊ with its kink rounded over (0, width).

    It is z²/(2·width) there and z − width/2 above, hence at most width/2 below the hinge.

    Examples
    --------
    >>> value, slope, curvature = rounded(np.array([-1.0, 0.25, 2.0]), 0.5)
    >>> value.tolist(), slope.tolist(), curvature.tolist()
    ([0.0, 0.0625, 1.75], [0.0, 0.5, 1.0], [0.0, 2.0, 0.0])
    """
    inside = np.clip(z, 0.0, width)
    slope = inside / width
    curvature = np.where((z > 0) & (z < width), 1.0 / width, 0.0)
    return slope * (np.maximum(z, 0.0) - 0.5 * inside), slope, curvature


class Hinges(Protocol):
    """Σ_k c_k [z_k(θ)]₊ + ½ Σ_i p_i θ_i², every slack z_k affine in θ."""

    weights: Vector  # c
    penalty: Vector  # p

    def slacks(self, theta: Vector) -> Vector:
        """Every z_k at θ."""

    def gradient(self, slopes: Vector) -> Vector:
        """Σ_k slopes_k ∇z_k."""

    def hessian(self, curvatures: Vector) -> NDArray[np.float64]:
        """Σ_k curvatures_k ∇z_k ∇z_kᵀ."""


def minimise(
    hinges: Hinges, theta: Vector, first: float, last: float, max_iter: int
) -> tuple[Vector, int, bool]:
    """Minimise hinges rounded over falling widths, every one from the solution before.

    Parameters
    ----------
    hinges : Hinges
        The objective.
    theta : ndarray
        Where to start.
    first, last : float
        Widths between which to go, by factors of about 4.
    max_iter : int
        Most Newton steps.

    Returns
    -------
    theta : ndarray
        Minimiser for the last width.
    n_iter : int
        Newton steps, of all widths together.
    converged : bool
        Whether the last width was reached and solved.
    """
    n_iter = 0
    widths = np.geomspace(first, last, 2 + int(np.log(first / last) / np.log(4))).tolist()
    for width in widths:
        # Solutions on the way only start the next: their accuracy is a waste.
        enough = _GAP if width == widths[-1] else _START
        best, patience = np.inf, _PATIENCE
        while True:
            step, gap = _newton_step(hinges, theta, width)
            best, patience = (gap, _PATIENCE) if gap < 0.5 * best else (best, patience - 1)
            if gap <= enough * width or (patience <= 0 and gap <= _ROUNDING * width):
                break
            if n_iter == max_iter:
                return theta, n_iter, False
            length = step_length(_slope_along(hinges, theta, step, width))
            if length == 0:  # no way down that rounding does not hide
                break
            theta = theta + length * step
            n_iter += 1
    return theta, n_iter, True


def _newton_step(hinges: Hinges, theta: Vector, width: float) -> tuple[Vector, float]:
    """Return the Newton step and the decrease it predicts."""
    _, slope, curvature = rounded(hinges.slacks(theta), width)
    gradient = hinges.gradient(hinges.weights * slope) + hinges.penalty * theta
    hessian = hinges.hessian(hinges.weights * curvature)
    damping = np.where(hinges.penalty > 0, hinges.penalty, _FLAT / width)
    step = -solve_positive(hessian, gradient, damping)
    return step, float(-0.5 * step @ gradient)


def _slope_along(
    hinges: Hinges, theta: Vector, step: Vector, width: float
) -> Callable[[float], float]:
    """Derivative of the objective along a step, at the price of the slacks alone."""
    slacks = hinges.slacks(theta)
    change = hinges.slacks(theta + step) - slacks
    pull = hinges.weights * change
    linear, quadratic = hinges.penalty * theta @ step, hinges.penalty * step @ step

    def slope(t: float) -> float:
        inside = np.clip(slacks + t * change, 0.0, width)
        return float(pull @ inside / width + linear + t * quadratic)

    return slope


def margin_losses(
    score: Vector, rank: NDArray[np.intp], thresholds: Vector, margin: float, variant: str
) -> Vector:
    """Hinge losses of scores, one per object.

    Examples
    --------
    >>> b = np.array([1.5, 2.5])
    >>> margin_losses(np.array([2.0, 3.5]), np.array([1, 0]), b, 0.5, "exc").tolist()
    [0.0, 2.5]
    """
    sides = sides_of(rank, len(thresholds), variant)
    slacks = margin - sides * (score[:, None] - thresholds)
    return np.asarray((np.abs(sides) * np.maximum(slacks, 0.0)).sum(axis=1))


def sides_of(rank: NDArray[np.intp], n_thresholds: int, variant: str) -> Vector:
    """+1 where a score belongs above a threshold, −1 below, 0 where the variant does not look."""
    above = rank[:, None] - np.arange(n_thresholds)  # of a label's own two thresholds: 1 and 0
    sides = np.where(above > 0, 1.0, -1.0)
    return sides if variant == "imc" else np.where((above == 0) | (above == 1), sides, 0.0)


class Guarantees(NamedTuple):
    """What a mean margin loss promises of the labels on the same sample."""

    mislabelling: float
    absolute_error: float


def guarantees(
    loss: float, margin: float, spacing: float = 1.0, variant: str = "exc"
) -> Guarantees:
    """Bounds on the errors of a model whose mean margin loss is known.

    A label k ranks off lies beyond k thresholds, so that its loss is at least γ + (k − 1)Δ, and
    kγ with IMC. Hence mislabelling ≤ ε₀/γ; and mean absolute error, in ranks, ≤ ε₀/min(γ, Δ),
    ≤ (ε₀ + Δ − γ)/Δ where γ ≤ Δ, ≤ ε₀/γ with IMC: the least of those that apply is given. (The
    paper's bound, with max{γ, 1} in the place of γ, fails for γ < 1.)

    Parameters
    ----------
    loss : float
        Mean margin loss ε₀.
    margin : float
        γ.
    spacing : float, default=1
        Least distance Δ of two thresholds; ``inf`` if there is only one.
    variant : {"exc", "imc"}, default="exc"
        Which loss it is.

    Returns
    -------
    Guarantees
        Named tuple (mislabelling, absolute_error).

    Examples
    --------
    >>> guarantees(loss=0.1, margin=0.5)
    Guarantees(mislabelling=0.2, absolute_error=0.2)
    """
    step = margin if variant == "imc" else min(margin, spacing)
    absolute = loss / step if step > 0 else np.inf
    if margin <= spacing:
        absolute = min(absolute, 1.0 + (loss - margin) / spacing)
    return Guarantees(min(1.0, loss / margin), absolute)


class ThresholdHinges:
    """The objective in θ = (w, τ): scores Zw, thresholds base + basis·τ.

    Fixed thresholds move together (τ is minus the intercept), learned ones each by themselves.
    EXC may want thresholds out of order. Then hinges [b_j − b_{j+1}]₊ are added: no threshold
    gains more than the weight of all objects, 1, by crossing another, so that a price of 2
    keeps them in order exactly.
    """

    def __init__(
        self,
        Z: Vector,
        sides: Vector,
        weight: Vector,
        *,
        base: Vector,
        basis: Vector,
        margin: float,
        alpha: float,
        ordered: bool,
    ) -> None:
        self.Z, self.sides, self.base, self.basis, self.margin = Z, sides, base, basis, margin
        n_gaps = len(base) - 1 if ordered else 0
        self.gaps = np.diff(np.eye(len(base)), axis=0)[:n_gaps]
        self.weights = np.concatenate([np.repeat(weight, len(base)), np.full(n_gaps, 2.0)])
        self.total = float(np.abs(sides).sum(axis=1) @ weight) + 2.0 * n_gaps
        self.penalty = np.repeat([alpha, 0.0], [Z.shape[1], basis.shape[1]])

    def thresholds(self, theta: Vector) -> Vector:
        """Every b_j at θ."""
        return np.asarray(self.base + self.basis @ theta[self.Z.shape[1] :])

    def slacks(self, theta: Vector) -> Vector:
        """γ ∓ (score − b) of every object and threshold, then of the gaps."""
        b = self.thresholds(theta)
        score = self.Z @ theta[: self.Z.shape[1]]
        slacks = np.abs(self.sides) * self.margin - self.sides * (score[:, None] - b)
        return np.concatenate([slacks.ravel(), -self.gaps @ b])

    def _split(self, values: Vector) -> tuple[Vector, Vector]:
        n = self.sides.size
        return values[:n].reshape(self.sides.shape), values[n:]

    def gradient(self, slopes: Vector) -> Vector:
        """Σ_k slopes_k ∇z_k."""
        hinges, gaps = self._split(slopes)
        pull = self.sides * hinges
        by_threshold = pull.sum(axis=0) - gaps @ self.gaps
        return np.concatenate([-self.Z.T @ pull.sum(axis=1), self.basis.T @ by_threshold])

    def hessian(self, curvatures: Vector) -> Vector:
        """Σ_k curvatures_k ∇z_k ∇z_kᵀ."""
        hinges, gaps = self._split(curvatures)
        total = hinges.sum(axis=1)
        rows = np.flatnonzero(total)  # few once the kinks are narrow
        Z = self.Z[rows]
        mixed = -Z.T @ hinges[rows] @ self.basis
        own = np.diag(hinges.sum(axis=0)) + (self.gaps.T * gaps) @ self.gaps
        return np.block(
            [[Z.T @ (total[rows, None] * Z), mixed], [mixed.T, self.basis.T @ own @ self.basis]]
        )
