"""Pairwise losses: how wrong a parameter is about a new point and those in the buffer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator

from ..estimating import Numbers

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
        raise ValueError(f"surrogate={name!r} is none of {', '.join(SURROGATES)}.")
    return SURROGATES[name]


# Pairwise losses: how wrong a parameter is about a new point and those in the buffer.


Codes = NDArray[np.int64]


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
        self, w: Numbers, x: Numbers, label: int, X: Numbers, labels: Codes
    ) -> tuple[float, Numbers]:
        """Mean over the buffer (X, labels) of the loss of (x, label), and its gradient in w."""


def likeness(label: int, labels: Codes) -> Numbers:
    """1 where the labels are the same, −1 where they differ; for two classes that is yy′."""
    return np.where(labels == label, 1.0, -1.0)


def shares(sign: Numbers, average: str) -> Numbers:
    """Weights of pairs in a mean: all the same, or half for pairs of one class, half for others."""
    if average == "buffer":
        return np.full(len(sign), 1 / len(sign))
    n_like = int((sign > 0).sum())
    counts: Numbers = np.where(sign > 0, n_like, len(sign) - n_like)
    return 0.5 / counts


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
        self, w: Numbers, x: Numbers, label: int, X: Numbers, labels: Codes
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


class MetricLoss(_Averaged):
    """φ(±(1 − M(x, x′))), + for one class, M = (x − x′)ᵀW(x − x′): like near, unlike far.

    With the hinge: M for points of one class, [2 − M]₊ for others.

    Parameters
    ----------
    surrogate : {"hinge", "squared", "logistic", "exponential"}, default="hinge"
        The surrogate φ of the 0/1 loss, a function of the margin.
    average : {"buffer", "balanced"}, default="buffer"
        Mean over the buffer, or half the mean over points of the same class and half over others:
        pairs of the same class are rare if there are many classes.

    Examples
    --------
    >>> MetricLoss().value_and_gradient(
    ...     np.eye(1), np.array([0.5]), 0, np.array([[0.0], [1.0]]), np.array([0, 1]))
    (1.0, array([[0.]]))
    """

    def value_and_gradient(
        self, w: Numbers, x: Numbers, label: int, X: Numbers, labels: Codes
    ) -> tuple[float, Numbers]:
        """The gradient is a weighted sum of outer products of differences."""
        phi, sign = get_surrogate(self.surrogate), likeness(label, labels)
        differences = x - X
        margins = sign * (1 - np.einsum("ij,ij->i", differences @ w, differences))
        share = shares(sign, self.average)
        slopes = -sign * share * phi.slope(margins)
        return float(share @ phi.value(margins)), (differences.T * slopes) @ differences


class AlignmentLoss(PairwiseLoss):
    """φ(± xᵀWx′), + for one class: the bilinear similarity agrees with the labels.

    Parameters
    ----------
    surrogate : {"hinge", "squared", "logistic", "exponential"}, default="hinge"
        The surrogate φ of the 0/1 loss, a function of the margin.

    Examples
    --------
    >>> AlignmentLoss().value_and_gradient(
    ...     np.eye(1), np.array([0.5]), 0, np.array([[1.0], [-1.0]]), np.array([0, 1]))
    (0.5, array([[-0.5]]))
    """

    def value_and_gradient(
        self, w: Numbers, x: Numbers, label: int, X: Numbers, labels: Codes
    ) -> tuple[float, Numbers]:
        """The gradient is one outer product."""
        phi, sign = get_surrogate(self.surrogate), likeness(label, labels)
        margins = sign * (X @ (x @ w))
        slopes = sign * phi.slope(margins) / len(labels)
        return float(phi.value(margins).mean()), np.outer(x, slopes @ X)


class GoodnessLoss(PairwiseLoss):
    """φ(mean of ± xᵀWx′), the mean *inside*: a point is on average more like its own class.

    Parameters
    ----------
    surrogate : {"hinge", "squared", "logistic", "exponential"}, default="hinge"
        The surrogate φ of the 0/1 loss, a function of the margin.

    Examples
    --------
    >>> GoodnessLoss().value_and_gradient(
    ...     np.eye(1), np.array([0.5]), 0, np.array([[1.0], [-1.0]]), np.array([0, 1]))
    (0.5, array([[-0.5]]))
    """

    def value_and_gradient(
        self, w: Numbers, x: Numbers, label: int, X: Numbers, labels: Codes
    ) -> tuple[float, Numbers]:
        """One mean point, one outer product."""
        phi = get_surrogate(self.surrogate)
        mean = likeness(label, labels) @ X / len(labels)
        margin = x @ w @ mean
        return float(phi.value(margin)), np.outer(x, phi.slope(margin) * mean)


@dataclass(eq=False, repr=False)
class Combination(_Averaged):
    """φ(± Σ μᵢKᵢ(x, x′)): a weighted sum of kernels agrees with the labels.

    A point is (its row in `values`, its column there): what the kernels say of its object.

    Parameters
    ----------
    surrogate : {"hinge", "squared", "logistic", "exponential"}, default="hinge"
        The surrogate φ of the 0/1 loss, a function of the margin.
    average : {"buffer", "balanced"}, default="buffer"
        Mean over the buffer, or half the mean over points of the same class and half over others.
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
        self, w: Numbers, x: Numbers, label: int, X: Numbers, labels: Codes
    ) -> tuple[float, Numbers]:
        """Linear in μ: the gradient is a weighted sum of kernel values."""
        phi, sign = get_surrogate(self.surrogate), likeness(label, labels)
        values = self.values[int(x[0]), X[:, 1].astype(np.intp)]
        margins = sign * (values @ w)
        share = shares(sign, self.average)
        return float(share @ phi.value(margins)), (sign * share * phi.slope(margins)) @ values
