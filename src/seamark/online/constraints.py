"""Constraints: sets in which a parameter must lie, with the nearest point of each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator

from ..validation import require_number
from .losses import Numbers


class Constraint(BaseEstimator, ABC):
    """A closed convex set in which a parameter must lie."""

    def check(self) -> None:
        """Stop if a parameter of the set makes no sense."""

    def start(self, shape: tuple[int, ...]) -> Numbers:
        """Return where learning starts: 0 unless that lies outside."""
        return np.zeros(shape)

    @abstractmethod
    def project(self, w: Numbers) -> Numbers:
        """Return the nearest point of the set; w may be overwritten."""


class Everywhere(Constraint):
    """No constraint."""

    def project(self, w: Numbers) -> Numbers:
        """Return w."""
        return w


@dataclass(eq=False, repr=False)
class _Ball(Constraint):
    """A ball of some norm around 0."""

    radius: float = 1.0

    def check(self) -> None:
        """Require a positive radius."""
        require_number("radius", self.radius, 0, np.inf, "a positive number")


class L2Ball(_Ball):
    """Each row's Euclidean norm at most `radius`.

    Parameters
    ----------
    radius : float, default=1.0
        Largest norm.

    Examples
    --------
    >>> L2Ball(1.0).project(np.array([3.0, 4.0]))
    array([0.6, 0.8])
    """

    def project(self, w: Numbers) -> Numbers:
        """Scale what is too long."""
        norms = np.sqrt(np.sum(w * w, axis=-1, keepdims=True))
        return np.asarray(w * (self.radius / np.maximum(norms, self.radius)))


class L1Ball(_Ball):
    """Sum of absolute values at most `radius`; for a matrix, over all its entries.

    Parameters
    ----------
    radius : float, default=1.0
        Largest norm.

    Examples
    --------
    >>> L1Ball(1.0).project(np.array([2.0, 1.0, 0.0]))
    array([1., 0., 0.])
    """

    def project(self, w: Numbers) -> Numbers:
        """Shrink all absolute values by one amount."""
        return np.sign(w) * capped(np.abs(w), self.radius)


class RowBall(_Ball):
    """Sum of the rows' Euclidean norms at most `radius`: the (2,1) norm.

    Parameters
    ----------
    radius : float, default=1.0
        Largest norm.

    Examples
    --------
    >>> RowBall(1.0).project(np.array([[0.0, 2.0], [0.0, 1.0]]))
    array([[0., 1.],
           [0., 0.]])
    """

    def project(self, w: Numbers) -> Numbers:
        """Shrink the norms."""
        norms = np.sqrt(np.sum(w * w, axis=-1))
        return np.asarray(w * (capped(norms, self.radius) / np.where(norms > 0, norms, 1))[:, None])


class Simplex(Constraint):
    """Non-negative weights that sum to 1.

    Examples
    --------
    >>> Simplex().project(np.array([1.0, 0.0, -3.0])), Simplex().start((2,))
    (array([1., 0., 0.]), array([0.5, 0.5]))
    """

    def start(self, shape: tuple[int, ...]) -> Numbers:
        """Return equal weights."""
        return np.full(shape, 1 / np.prod(shape))

    def project(self, w: Numbers) -> Numbers:
        """Shift all weights by one amount, and cut at 0."""
        return shifted(w, 1.0)


class PositiveBall(_Ball):
    """Non-negative weights of Euclidean norm at most `radius`.

    The positive *sphere* is not convex; a useful combination of kernels ends on it anyway.

    Parameters
    ----------
    radius : float, default=1.0
        Largest norm.

    Examples
    --------
    >>> PositiveBall(1.0).project(np.array([3.0, 4.0, -1.0]))
    array([0.6, 0.8, 0. ])
    """

    def start(self, shape: tuple[int, ...]) -> Numbers:
        """Return equal weights on the sphere."""
        return np.full(shape, self.radius / np.sqrt(np.prod(shape)))

    def project(self, w: Numbers) -> Numbers:
        """First onto the cone, then onto the ball: exact for a ball around the cone's tip."""
        return L2Ball(self.radius).project(np.maximum(w, 0))


class PSDCone(Constraint):
    """Symmetric positive semidefinite matrices.

    Examples
    --------
    >>> PSDCone().project(np.diag([2.0, -1.0]))
    array([[2., 0.],
           [0., 0.]])
    """

    def project(self, w: Numbers) -> Numbers:
        """Cut negative eigenvalues; none are computed if Cholesky finds there are none."""
        w = (w + w.T) / 2
        try:
            np.linalg.cholesky(w)
        except np.linalg.LinAlgError:
            values, vectors = np.linalg.eigh(w)
            return composed(np.maximum(values, 0), vectors)
        return w


@dataclass(eq=False, repr=False)
class _MatrixBall(_Ball):
    """A ball of matrices, or its part in the cone of positive semidefinite ones."""

    psd: bool = False


class FrobeniusBall(_MatrixBall):
    """Matrices of Frobenius norm at most `radius`, optionally positive semidefinite.

    Parameters
    ----------
    radius : float, default=1.0
        Largest norm.
    psd : bool, default=False
        Whether matrices must be symmetric and positive semidefinite too.

    Examples
    --------
    >>> FrobeniusBall(1.0, psd=True).project(np.diag([2.0, -1.0]))
    array([[1., 0.],
           [0., 0.]])
    """

    def project(self, w: Numbers) -> Numbers:
        """First onto the cone, then onto the ball."""
        w = PSDCone().project(w) if self.psd else w
        return L2Ball(self.radius).project(w.reshape(-1)).reshape(w.shape)


class TraceBall(_MatrixBall):
    """Matrices whose singular values sum to at most `radius`, optionally positive semidefinite.

    Parameters
    ----------
    radius : float, default=1.0
        Largest norm.
    psd : bool, default=False
        Whether matrices must be symmetric and positive semidefinite too.

    Examples
    --------
    >>> TraceBall(1.0).project(np.diag([2.0, -1.0]))
    array([[1., 0.],
           [0., 0.]])
    """

    def project(self, w: Numbers) -> Numbers:
        """Shrink singular values, or cut and shrink eigenvalues."""
        if self.psd:
            values, vectors = np.linalg.eigh((w + w.T) / 2)
            return composed(capped(np.maximum(values, 0), self.radius), vectors)
        left, values, right = np.linalg.svd(w, full_matrices=False)
        return np.asarray((left * capped(values, self.radius)) @ right)


def composed(values: Numbers, vectors: Numbers) -> Numbers:
    """Return the symmetric matrix of these eigenvalues and eigenvectors."""
    return np.asarray((vectors * values) @ vectors.T)


def capped(values: Numbers, radius: float) -> Numbers:
    """Nearest non-negative numbers to non-negative ones whose sum is at most `radius`."""
    return values if values.sum() <= radius else shifted(values, radius)


def shifted(values: Numbers, total: float) -> Numbers:
    """Nearest non-negative numbers with a given sum: max(v − θ, 0) for one θ."""
    falling = np.sort(values, axis=None)[::-1]
    excess = (np.cumsum(falling) - total) / np.arange(1, falling.size + 1)
    theta = excess[np.flatnonzero(falling > excess)[-1]]
    return np.asarray(np.maximum(values - theta, 0))
