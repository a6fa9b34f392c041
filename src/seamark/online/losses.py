"""What is learned online: pairwise losses of a parameter, and constraints on it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator

from ..validation import require_number

Numbers = NDArray[np.float64]


MOST_COMPARED = 1000  # numbers whose distances show what is near
STEEPEST = 50.0  # exponents beyond this are cut: exp(50) is as wrong as anything larger


class Surrogate(NamedTuple):
    """φ(m) and φ′(m), pointwise."""

    value: Callable[[Any], Any]
    slope: Callable[[Any], Any]


def _exponential(margin: Any) -> Any:
    return np.exp(np.minimum(-margin, STEEPEST))


SURROGATES: dict[str, Surrogate] = {
    "hinge": Surrogate(lambda m: np.maximum(1 - m, 0), lambda m: -1.0 * (m < 1)),
    "squared": Surrogate(lambda m: np.square(1 - m), lambda m: -2 * (1 - m)),
    "logistic": Surrogate(lambda m: np.logaddexp(0, -m), lambda m: -expit(-m)),
    "exponential": Surrogate(_exponential, lambda m: -_exponential(m)),
}


def get_surrogate(name: Any) -> Surrogate:
    """Return the surrogate of a name.

    Examples
    --------
    >>> float(get_surrogate("hinge").value(0.25)), float(get_surrogate("squared").slope(0.25))
    (0.75, -1.5)
    """
    if name not in SURROGATES:
        raise ValueError(f"surrogate must be one of {', '.join(SURROGATES)}; got {name!r}.")
    return SURROGATES[name]


# Pairwise losses: how wrong a parameter is about a new point and those in the buffer.


Labels = NDArray[Any]  # class numbers, or numbers


@dataclass(eq=False, repr=False)
class PairwiseLoss(BaseEstimator, ABC):
    """The mean loss of a new point against the points of a buffer, and its gradient.

    Parameters
    ----------
    surrogate : {"hinge", "squared", "logistic", "exponential"}, default="hinge"
        The surrogate φ of the 0/1 loss, a function of the margin.
    """

    surrogate: str = "hinge"

    def check(self, n_classes: int) -> None:
        """Stop if the loss makes no sense for so many classes."""
        get_surrogate(self.surrogate)

    def shape(self, width: int, n_classes: int) -> tuple[int, ...]:
        """Shape of the parameter for points of so many features: a square matrix, mostly."""
        return (width, width)

    @abstractmethod
    def value_and_gradient(
        self, w: Numbers, x: Numbers, label: float, X: Numbers, labels: Labels
    ) -> tuple[float, Numbers]:
        """Mean over the buffer (X, labels) of the loss of (x, label), and its gradient in w."""


def likeness(label: float, labels: NDArray[Any], scale: float | None = None) -> Numbers:
    """1 where the classes are the same, −1 where they differ; for two classes that is yy′.

    Of numbers, 1 − |y − y′|/scale, and −1 for all that are two scales apart or more.

    Examples
    --------
    >>> likeness(1, np.array([1, 0])), likeness(1.0, np.array([1.0, 1.5, 5.0]), scale=1.0)
    (array([ 1., -1.]), array([ 1. ,  0.5, -1. ]))
    """
    if scale is None:
        return np.where(labels == label, 1.0, -1.0)
    return np.asarray(np.maximum(1 - np.abs(labels - label) / scale, -1.0))


def spread(numbers: Numbers) -> float:
    """Return the median distance of two numbers, or if most are equal the mean: see `likeness`.

    Examples
    --------
    >>> spread(np.array([0.0, 1.0, 3.0]))
    2.0
    """
    few = numbers[:MOST_COMPARED]
    distances = np.abs(few[:, None] - few)[np.triu_indices(len(few), 1)]
    found = float(np.median(distances)) if len(distances) else 0.0
    found = found or (float(distances.mean()) if len(distances) else 0.0)
    if not found > 0:
        raise ValueError("the first targets are all the same; begin with some that differ.")
    return found


def shares(sign: Numbers, average: str) -> Numbers:
    """Weights of pairs in a mean: all the same, or half for pairs of one class, half for others."""
    if average == "buffer":
        return np.full(len(sign), 1 / len(sign))
    n_like = int((sign > 0).sum())
    counts: Numbers = np.where(sign > 0, n_like, len(sign) - n_like)
    return 0.5 / counts


@dataclass(eq=False, repr=False)
class _Likeness(PairwiseLoss):
    """A loss of pairs that should be near or far as their targets are.

    Parameters
    ----------
    surrogate : {"hinge", "squared", "logistic", "exponential"}, default="hinge"
        The surrogate φ of the 0/1 loss, a function of the margin.
    scale : float, optional
        Of targets that are numbers: those nearer than this are alike, those farther are not, the
        more the farther; a pair weighs as much as it is either. None: targets are classes.
    """

    scale: float | None = field(default=None, kw_only=True)

    def signs_and_weights(self, label: float, labels: NDArray[Any]) -> tuple[Numbers, Numbers]:
        """Whether pairs are alike (1) or not (−1), and how clearly; always 1 for classes."""
        s = likeness(label, labels, self.scale)
        return np.where(s > 0, 1.0, -1.0), np.abs(s)


@dataclass(eq=False, repr=False)
class _Averaged(PairwiseLoss):
    """A loss whose mean over the buffer may be taken in another way than over all points."""

    average: str = "buffer"
    other: ClassVar[str] = "balanced"
    """That way; see `shares`."""

    def check(self, n_classes: int) -> None:
        """Check the parameters."""
        super().check(n_classes)
        if self.average not in ("buffer", self.other):
            raise ValueError(f'average={self.average!r} is neither "buffer" nor "{self.other}".')


class AUC(_Averaged):
    """φ(½(y − y′)wᵀ(x − x′)): pairs in the wrong order. Several classes: each against the rest.

    Pairs of one class cost nothing.

    Parameters
    ----------
    surrogate : {"hinge", "squared", "logistic", "exponential"}, default="hinge"
        The surrogate φ of the 0/1 loss, a function of the margin.
    average : {"buffer", "opposite"}, default="buffer"
        Divide by the number of points in the buffer, or by those of the other class.

    Examples
    --------
    >>> value, gradient = AUC().value_and_gradient(
    ...     np.array([[1.0, 0.0]]), np.array([0.5, 1.0]), 1,
    ...     np.array([[0.0, 0.0], [2.0, 1.0]]), np.array([0, 1]))
    >>> value, gradient
    (0.25, array([[-0.25, -0.5 ]]))
    """

    other: ClassVar[str] = "opposite"

    def shape(self, width: int, n_classes: int) -> tuple[int, ...]:
        """One row for two classes, else one for each."""
        return (1 if n_classes == 2 else n_classes, width)

    def value_and_gradient(
        self, w: Numbers, x: Numbers, label: float, X: Numbers, labels: Labels
    ) -> tuple[float, Numbers]:
        """One matrix product for the scores, one for the gradient."""
        positive = np.array([1]) if len(w) == 1 else np.arange(len(w))
        sign = np.where(positive == label, 1.0, -1.0)
        opposite = (labels[:, None] == positive) != (sign > 0)
        margins = sign * (w @ x - X @ w.T)
        phi = get_surrogate(self.surrogate)
        counts = opposite.sum(axis=0) if self.average == "opposite" else len(labels)
        share = opposite / np.maximum(counts, 1)
        slopes = share * phi.slope(margins) * sign
        gradient = slopes.sum(axis=0)[:, None] * x - slopes.T @ X
        return float((share * phi.value(margins)).sum()), gradient


@dataclass(eq=False, repr=False)
class MetricLoss(_Likeness, _Averaged):
    """φ(±(1 − M(x, x′))), + for one class, M = (x − x′)ᵀW(x − x′): like near, unlike far.

    With the hinge: M for points of one class, [2 − M]₊ for others. Numbers y, y′ are alike if s =
    max(1 − |y − y′|/scale, −1) > 0, and their pair weighs |s|.

    Parameters
    ----------
    surrogate : {"hinge", "squared", "logistic", "exponential"}, default="hinge"
        The surrogate φ of the 0/1 loss, a function of the margin.
    average : {"buffer", "balanced"}, default="buffer"
        Mean over the buffer, or half the mean over points of the same class and half over others:
        pairs of the same class are rare if there are many classes.
    scale : float, optional
        Of targets that are numbers; None: they are classes.

    Examples
    --------
    >>> MetricLoss().value_and_gradient(
    ...     np.eye(1), np.array([0.5]), 0, np.array([[0.0], [1.0]]), np.array([0, 1]))
    (1.0, array([[0.]]))
    """

    def value_and_gradient(
        self, w: Numbers, x: Numbers, label: float, X: Numbers, labels: Labels
    ) -> tuple[float, Numbers]:
        """The gradient is a weighted sum of outer products of differences."""
        phi, (sign, weights) = get_surrogate(self.surrogate), self.signs_and_weights(label, labels)
        differences = x - X
        margins = sign * (1 - np.einsum("ij,ij->i", differences @ w, differences))
        share = weights * shares(sign, self.average)
        slopes = -sign * share * phi.slope(margins)
        return float(share @ phi.value(margins)), (differences.T * slopes) @ differences


class AlignmentLoss(_Likeness):
    """φ(± xᵀWx′), + for one class: the bilinear similarity agrees with the labels.

    Numbers y, y′ are alike if s = max(1 − |y − y′|/scale, −1) > 0, and their pair weighs |s|.

    Parameters
    ----------
    surrogate : {"hinge", "squared", "logistic", "exponential"}, default="hinge"
        The surrogate φ of the 0/1 loss, a function of the margin.
    scale : float, optional
        Of targets that are numbers; None: they are classes.

    Examples
    --------
    >>> AlignmentLoss().value_and_gradient(
    ...     np.eye(1), np.array([0.5]), 0, np.array([[1.0], [-1.0]]), np.array([0, 1]))
    (0.5, array([[-0.5]]))
    """

    def value_and_gradient(
        self, w: Numbers, x: Numbers, label: float, X: Numbers, labels: Labels
    ) -> tuple[float, Numbers]:
        """The gradient is one outer product."""
        phi, (sign, weights) = get_surrogate(self.surrogate), self.signs_and_weights(label, labels)
        margins = sign * (X @ (x @ w))
        slopes = sign * weights * phi.slope(margins) / len(labels)
        return float((weights * phi.value(margins)).mean()), np.outer(x, slopes @ X)


class GoodnessLoss(_Likeness):
    """φ(mean of ± xᵀWx′), the mean *inside*: a point is on average more like its own class.

    Of numbers, s = max(1 − |y − y′|/scale, −1) stands for ±.

    Parameters
    ----------
    surrogate : {"hinge", "squared", "logistic", "exponential"}, default="hinge"
        The surrogate φ of the 0/1 loss, a function of the margin.
    scale : float, optional
        Of targets that are numbers; None: they are classes.

    Examples
    --------
    >>> GoodnessLoss().value_and_gradient(
    ...     np.eye(1), np.array([0.5]), 0, np.array([[1.0], [-1.0]]), np.array([0, 1]))
    (0.5, array([[-0.5]]))
    """

    def value_and_gradient(
        self, w: Numbers, x: Numbers, label: float, X: Numbers, labels: Labels
    ) -> tuple[float, Numbers]:
        """One mean point, one outer product."""
        phi = get_surrogate(self.surrogate)
        mean = likeness(label, labels, self.scale) @ X / len(labels)
        margin = x @ w @ mean
        return float(phi.value(margin)), np.outer(x, phi.slope(margin) * mean)


@dataclass(eq=False, repr=False)
class Combination(_Likeness, _Averaged):
    """φ(± Σ μᵢKᵢ(x, x′)): a weighted sum of kernels agrees with the labels.

    A point is (its row in `values`, its column there): what the kernels say of its object.

    Parameters
    ----------
    surrogate : {"hinge", "squared", "logistic", "exponential"}, default="hinge"
        The surrogate φ of the 0/1 loss, a function of the margin.
    average : {"buffer", "balanced"}, default="buffer"
        Mean over the buffer, or half the mean over points of the same class and half over others.
    scale : float, optional
        Of targets that are numbers, as in `MetricLoss`; None: they are classes.
    values : ndarray of shape (n, R, number of kernels), optional
        Kernel values of the objects of rows against those of columns.

    Examples
    --------
    >>> Combination(values=np.array([[[1.0, 0.0], [1.0, 0.0]]])).value_and_gradient(
    ...     np.array([0.5, 0.5]), np.array([0, -1.0]), 0, np.array([[0, 0], [0, 1.0]]),
    ...     np.array([0, 1]))
    (1.0, array([0., 0.]))
    """

    values: Any = None

    def shape(self, width: int, n_classes: int) -> tuple[int, ...]:
        """μ."""
        return (self.values.shape[2],)

    def value_and_gradient(
        self, w: Numbers, x: Numbers, label: float, X: Numbers, labels: Labels
    ) -> tuple[float, Numbers]:
        """Linear in μ: the gradient is a weighted sum of kernel values."""
        phi, (sign, weights) = get_surrogate(self.surrogate), self.signs_and_weights(label, labels)
        values = self.values[int(x[0]), X[:, 1].astype(np.intp)]
        margins = sign * (values @ w)
        share = weights * shares(sign, self.average)
        return float(share @ phi.value(margins)), (sign * share * phi.slope(margins)) @ values


# Constraints: sets in which a parameter must lie, with the nearest point of each.


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
