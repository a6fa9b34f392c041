"""Transfers: from values of a measure to features, pointwise or fitted."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone

from .engine import backend
from .measures import Measure

__all__ = [
    "Decay",
    "GaussianDecay",
    "Identity",
    "Ramp",
    "Seen",
    "Shares",
    "SideBySide",
    "Sign",
    "Transfer",
    "Whitening",
]

Values = NDArray[np.float32]

TRANSFERS: dict[str, Any] = {}
"""Classes by the names that users may give; see `Transfer.name`."""
GAMMAS = tuple(float(g) for g in 10.0 ** np.arange(-1.5, 1.01, 0.5))
"""Multiples of the typical γ. Small ones all but reach the distances, which stand first."""


@dataclass(frozen=True)
class Seen:
    """What a map saw at fit, for transfers to be fitted to.

    Attributes
    ----------
    values : ndarray
        A sample of values, rows × landmarks.
    between : ndarray or None
        Values of the landmarks against themselves.
    kind : {"distance", "similarity", "difference"} or None
        Differences are of pairs of landmarks.
    low, high : float
        Bounds of the values: the measure's if they are finite, else what was seen.
    """

    values: Values
    between: Values | None
    kind: str | None
    low: float
    high: float

    @classmethod
    def of(cls, measure: Measure, values: Values, between: Values | None, paired: bool) -> Seen:
        """Gather the facts; differences of pairs lie symmetrically about zero."""
        low, high = measure.bounds
        seen = values if between is None else np.concatenate([values.ravel(), between.ravel()])
        if paired:
            span = high - low if np.isfinite(high - low) else float(np.abs(seen).max())
            return cls(values, None, "difference", -span, span)
        low = low if np.isfinite(low) else float(seen.min())
        high = high if np.isfinite(high) else float(seen.max())
        return cls(values, between, measure.kind, low, high)


class Transfer(BaseEstimator):
    """A function of values. `fitted_to` makes all its parameters numbers; `apply` computes."""

    name: ClassVar[str] = ""
    """What `transfer=` may say in place of it; a class that states one is found by it."""
    averaged: bool = True
    """Whether features are divided by √R, so that their inner product is a mean."""
    needs_distances: bool = False
    """Whether it makes no sense of values below 0."""
    looks_between: bool = False
    """Whether it is fitted to values of landmarks against landmarks."""
    pointwise: bool = True
    """Whether each landmark has a feature of its own."""
    mixes: bool = False
    """Whether a feature depends on several landmarks, so that none can be hidden from a fold."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "name" in vars(cls):
            TRANSFERS.setdefault(cls.name, cls)

    def check_kind(self, kind: str | None) -> None:
        """Stop at values that this is not for, before any is computed."""

    def fitted_to(self, seen: Seen) -> Self:
        """Return a copy whose parameters are numbers."""
        return self

    @abstractmethod
    def apply(self, values: Values) -> Values:
        """Return features; `values` may be overwritten."""

    def choices(self, fitted: Transfer) -> list[Transfer]:
        """Return what a model may choose among: several if something is open, else what is fitted.

        Parameters
        ----------
        fitted : Transfer
            The same after fitting, with a typical γ.
        """
        return [fitted]

    def n_features(self, n_landmarks: int) -> int:
        """How many features come of so many landmarks."""
        return n_landmarks

    def divisible(self) -> Transfer:
        """Return what stands in for this where landmarks are to be dropped; itself, mostly."""
        return self

    def _with(self, **parameters: Any) -> Self:
        copy: Self = clone(self)
        return copy.set_params(**parameters)  # type: ignore[no-any-return]


class Identity(Transfer):
    """The values themselves.

    Examples
    --------
    >>> Identity().apply(np.array([[1.0, 2.0]], dtype=np.float32))
    array([[1., 2.]], dtype=float32)
    """

    name = "identity"

    def apply(self, values: Values) -> Values:
        """Nothing to do."""
        return values


@dataclass(eq=False, repr=False)
class Decay(Transfer):
    """exp(−γd): near landmarks count, far ones fade.

    Parameters
    ----------
    gamma : float, "median" or "auto", default="median"
        γ; "median" is one over the median distance seen; "auto" leaves the choice to a model's
        tuning, and means "median" without one.

    Examples
    --------
    >>> Decay(gamma=0.5).apply(np.array([[0.0, 2.0]], dtype=np.float32)).round(3)
    array([[1.   , 0.368]], dtype=float32)
    """

    gamma: float | Literal["median", "auto"] = "median"

    name = "decay"
    power = 1
    needs_distances = True

    def check_kind(self, kind: str | None) -> None:
        """Stop at similarities, and at differences of pairs."""
        if kind == "similarity":
            raise ValueError(
                f"{self!r} turns distances into similarities, and the measure is a similarity "
                'already; use transfer="identity", or negate the measure.'
            )
        if kind == "difference":
            raise ValueError(
                f"{self!r} is for distances, and differences of pairs have either sign; use "
                'transfer="ramp", "sign" or "identity".'
            )

    def fitted_to(self, seen: Seen) -> Self:
        """Return a copy whose γ is a number."""
        self.check_kind(seen.kind)
        if not isinstance(self.gamma, str):
            return self
        if self.gamma not in ("median", "auto"):
            raise ValueError(f'gamma must be a number, "median" or "auto", not {self.gamma!r}.')
        positive = seen.values[seen.values > 0]
        middle = float(np.median(positive)) if positive.size else 1.0
        return type(self)(1.0 / middle**self.power)

    def choices(self, fitted: Transfer) -> list[Transfer]:
        """Return the distances themselves and several γ, if that is open.

        Examples
        --------
        >>> len(Decay("auto").choices(Decay(0.1))), Decay(0.1).choices(Decay(0.1))
        (7, [Decay(gamma=0.1)])
        """
        if self.gamma != "auto" or not isinstance(fitted, Decay):
            return [fitted]
        gammas = (float(fitted.gamma) * np.array(GAMMAS)).tolist()
        return [Identity(), *map(type(fitted), gammas)]

    def apply(self, values: Values) -> Values:
        """Exponentiate, in place."""
        if self.power == 2:
            np.square(values, out=values)
        values *= np.float32(-float(self.gamma))
        return np.exp(values, out=values)


class GaussianDecay(Decay):
    """exp(−γd²): near landmarks count, far ones fade.

    Parameters
    ----------
    gamma : float, "median" or "auto", default="median"
        γ; "median" is one over the squared median distance seen; "auto" leaves the choice to a
        model's tuning, and means "median" without one.

    Examples
    --------
    >>> GaussianDecay(gamma=1.0).apply(np.array([[0.0, 1.0]], dtype=np.float32)).round(3)
    array([[1.   , 0.368]], dtype=float32)
    """

    name = "gaussian_decay"
    power = 2


def features_of(transfer: Transfer, values: Values, scale: float) -> Values:
    """Return what a transfer makes of values, which may be overwritten.

    Times `scale`, 1/√R, where features are averaged.
    """
    features = transfer.apply(values)
    if transfer.averaged:
        features *= np.float32(scale)
    return features


def get_transfer(transfer: Any, kind: str | None) -> Transfer:
    """Return the transfer that a user's `transfer=` means; "auto" depends on the values' kind.

    Examples
    --------
    >>> get_transfer("auto", "distance"), get_transfer("auto", "similarity")
    (Decay(gamma='auto'), Identity())
    >>> get_transfer("auto", "difference")  # of pairs of landmarks
    Ramp(slope='auto')
    """
    if isinstance(transfer, Transfer):
        return transfer
    if transfer == "auto":
        if kind == "distance":
            return Decay("auto")
        return TRANSFERS["ramp"]("auto") if kind == "difference" else Identity()
    if transfer not in TRANSFERS:
        raise ValueError(
            f"transfer must be auto, {', '.join(sorted(TRANSFERS))} or a Transfer; "
            f"got {transfer!r}."
        )
    found: Transfer = TRANSFERS[transfer]()
    return found


# Values about the middle of their range: ramps, and their limit, the sign.


SLOPES = (1.0, 5.0, 10.0, 50.0, 100.0, 1000.0)  # Kar and Jain's


class _Centred(Transfer):
    """A function of values shifted and scaled to [−1, 1]."""

    averaged = False
    middle: float | Literal["seen"]
    half: float | Literal["seen"]

    def fitted_to(self, seen: Seen) -> Self:
        """Return a copy that knows the range of values."""
        parameters = {}
        if isinstance(self.middle, str):
            parameters["middle"] = (seen.low + seen.high) / 2
        if isinstance(self.half, str):
            parameters["half"] = ((seen.high - seen.low) / 2) or 1.0
        return self._with(**parameters) if parameters else self


@dataclass(eq=False, repr=False)
class Ramp(_Centred):
    """clip(slope · t, −1, 1) of values t shifted and scaled to [−1, 1].

    Parameters
    ----------
    slope : float or "auto", default=1
        "auto" leaves the choice to a model's tuning, and means 1 without one.
    middle, half : float or "seen", default="seen"
        Centre and half-width of the range of values: the measure's bounds, or what fit sees.

    Examples
    --------
    >>> Ramp(2.0, middle=0.0, half=1.0).apply(np.array([[-1.0, 0.25]], dtype=np.float32))
    array([[-1. ,  0.5]], dtype=float32)
    """

    slope: float | Literal["auto"] = 1.0
    middle: float | Literal["seen"] = "seen"
    half: float | Literal["seen"] = "seen"

    name = "ramp"

    def fitted_to(self, seen: Seen) -> Self:
        """Return a copy that knows the range of values, and a slope."""
        fitted = super().fitted_to(seen)
        if not isinstance(self.slope, str):
            return fitted
        if self.slope != "auto":
            raise ValueError(f'slope must be a number or "auto", not {self.slope!r}.')
        return fitted._with(slope=1.0)

    def choices(self, fitted: Transfer) -> list[Transfer]:
        """Return several slopes, if that is open.

        Examples
        --------
        >>> [ramp.slope for ramp in Ramp("auto").choices(Ramp(1.0, 0.0, 1.0))]
        [1.0, 5.0, 10.0, 50.0, 100.0, 1000.0]
        """
        if self.slope != "auto" or not isinstance(fitted, Ramp):
            return [fitted]
        return [Ramp(slope, fitted.middle, fitted.half) for slope in SLOPES]

    def apply(self, values: Values) -> Values:
        """Scale and clip, in place."""
        values -= np.float32(self.middle)
        values /= np.float32(self.half)
        values *= np.float32(float(self.slope))
        return np.clip(values, -1, 1, out=values)


@dataclass(eq=False, repr=False)
class Sign(_Centred):
    """The sign of values about the middle of their range.

    Parameters
    ----------
    middle : float or "seen", default="seen"
        Where the sign changes: a number, or the middle of the measure's bounds or of what fit sees.

    Examples
    --------
    >>> Sign(middle=1.0).apply(np.array([[0.0, 3.0, 1.0]], dtype=np.float32))
    array([[-1.,  1.,  0.]], dtype=float32)
    """

    middle: float | Literal["seen"] = "seen"

    name = "sign"

    half = 1.0

    def apply(self, values: Values) -> Values:
        """Compare, in place."""
        values -= np.float32(self.middle)
        return np.sign(values, out=values)


# `Shares`: how an object is shared out among the landmarks that it is near to.


class Shares(GaussianDecay):
    """exp(−γd²) over its sum: the share of each landmark in what an object is near to.

    What counts is which landmarks are nearer than others, not how near they are: a new spelling of
    a name, three letters off all that are known, has shares as large as one that is one letter off,
    where features of `GaussianDecay` fade and predictions with them. A linear model on shares is a
    smoothed vote of the neighbours.

    Every feature depends on all landmarks: none can be dropped, and folds hide none. A model that
    drops landmarks takes `GaussianDecay` in place of shares whose γ is "auto".

    Parameters
    ----------
    gamma : float, "median" or "auto", default="median"
        γ; "median" is one over the squared median distance seen; "auto" leaves the choice to a
        model's tuning, and means "median" without one. The larger, the fewer neighbours count.

    Examples
    --------
    >>> Shares(gamma=1.0).apply(np.array([[1.0, 2.0], [3.0, 3.0]], np.float32)).round(2)
    array([[0.95, 0.05],
           [0.5 , 0.5 ]], dtype=float32)
    """

    pointwise = False
    mixes = True

    def divisible(self) -> Transfer:
        """Return the same without the sum, if the choice is open."""
        return GaussianDecay("auto") if self.gamma == "auto" else self

    def apply(self, values: Values) -> Values:
        """Exponentiate in units of the nearest, and divide by the sum."""
        np.square(values, out=values)
        values -= values.min(axis=1, keepdims=True)  # so that the sum is 1 at least
        values *= np.float32(-float(self.gamma))
        np.exp(values, out=values)
        values /= values.sum(axis=1, keepdims=True)
        return values


# Several transfers at once.


@dataclass(eq=False, repr=False)
class SideBySide(Transfer):
    """The features of several transfers, those of one after those of another.

    Parameters
    ----------
    transfers : list of Transfer
        Each is applied to all values.

    Examples
    --------
    >>> from seamark.transfers import Decay, Identity
    >>> both = SideBySide([Identity(), Decay(gamma=1.0)])
    >>> both.apply(np.array([[0.0, 1.0]], dtype=np.float32)).round(3)
    array([[0.   , 1.   , 1.   , 0.368]], dtype=float32)
    """

    transfers: list[Transfer]

    averaged = False

    @property
    def looks_between(self) -> bool:  # type: ignore[override]
        """Whether one of them does."""
        return any(transfer.looks_between for transfer in self.transfers)

    @property
    def mixes(self) -> bool:  # type: ignore[override]
        """Whether one of them does."""
        return any(transfer.mixes for transfer in self.transfers)

    @property
    def pointwise(self) -> bool:  # type: ignore[override]
        """No, unless there is one transfer only that is."""
        return len(self.transfers) == 1 and self.transfers[0].pointwise

    def fitted_to(self, seen: Seen) -> Self:
        """Fit each."""
        return self._with(transfers=[transfer.fitted_to(seen) for transfer in self.transfers])

    def apply(self, values: Values) -> Values:
        """Apply each to a copy."""
        parts = [transfer.apply(values.copy()) for transfer in self.transfers]
        return np.concatenate(parts, axis=1)

    def owners(self, n_landmarks: int) -> NDArray[np.intp]:
        """Return the number of the transfer that each feature comes from."""
        sizes = [transfer.n_features(n_landmarks) for transfer in self.transfers]
        return np.repeat(np.arange(len(sizes)), sizes)

    def n_features(self, n_landmarks: int) -> int:
        """Return the sum."""
        return len(self.owners(n_landmarks))


# Nyström features, safe on indefinite and asymmetric values.


_NOT_PAIRS = "whitening needs values of landmarks against each other, not pairs."


@dataclass(eq=False, repr=False)
class Whitening(Transfer):
    """Nyström: features whose inner products are the landmarks' kernel, |λ| for indefinite ones.

    Values of the landmarks against themselves, symmetrised, have eigenvectors U and eigenvalues
    λ; features are V U |λ|^(−½), for those |λ| that are not small against the largest.

    Parameters
    ----------
    transfer : Transfer, optional
        Applied first; a distance wants `Decay`.
    rcond : float, default=1e-5
        Eigenvalues below this share of the largest are cut (values are float32).
    projection : ndarray, optional
        Set by `fitted_to`.
    """

    transfer: Transfer | None = None
    rcond: float = 1e-5
    projection: Any = None

    name = "whitening"

    averaged = False
    looks_between = True
    pointwise = False
    mixes = True

    def check_kind(self, kind: str | None) -> None:
        """Stop at differences of pairs, and where the inner transfer does."""
        if kind == "difference":
            raise ValueError(_NOT_PAIRS)
        (self.transfer or Identity()).check_kind(kind)

    def fitted_to(self, seen: Seen) -> Self:
        """Return a copy that holds U |λ|^(−½)."""
        if seen.between is None:
            raise ValueError(_NOT_PAIRS)
        inner = (self.transfer or Identity()).fitted_to(seen)
        K = inner.apply(seen.between.copy()).astype(np.float64)
        return self._with(transfer=inner, projection=self._projection(K))

    def without(self, between: Values, kept: NDArray[np.bool_]) -> Self:
        """Return what this would be had there been some of the landmarks only.

        Parameters
        ----------
        between : ndarray of shape (R, R)
            Values of all landmarks against each other, after the inner transfer.
        kept : ndarray of bool, shape (R,)
            Which landmarks there are; values of the others count for nothing.
        """
        own = self._projection(between[np.ix_(kept, kept)].astype(np.float64))
        projection = np.zeros((len(kept), own.shape[1]), dtype=np.float32)
        projection[kept] = own
        return self._with(projection=projection)

    def _projection(self, K: NDArray[np.float64]) -> NDArray[np.float32]:
        """U |λ|^(−½) of values between landmarks."""
        eigenvalues, vectors = np.linalg.eigh((K + K.T) / 2)
        size = np.abs(eigenvalues)
        order = np.argsort(-size)
        order = order[size[order] > self.rcond * size.max()]
        return np.asarray(vectors[:, order] / np.sqrt(size[order]), dtype=np.float32)

    def apply(self, values: Values) -> Values:
        """Project."""
        own = (self.transfer or Identity()).apply(values)
        features = np.empty((len(own), self.projection.shape[1]), dtype=np.float32)
        backend().products(own, np.ascontiguousarray(self.projection.T), features)
        return features

    def n_features(self, n_landmarks: int) -> int:
        """Return the number of eigenvalues kept."""
        return int(self.projection.shape[1])
