"""Transfers: from values of a measure to features, pointwise or fitted."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone

from .measures import Measure

Values = NDArray[np.float32]


@dataclass(frozen=True)
class Seen:
    """What a map saw at fit, for transfers to be fitted to.

    Attributes
    ----------
    values : ndarray
        A sample of values, rows × landmarks.
    between : ndarray or None
        Values of the landmarks against themselves.
    kind : {"distance", "similarity"} or None
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
            return cls(values, None, measure.kind, -span, span)
        low = low if np.isfinite(low) else float(seen.min())
        high = high if np.isfinite(high) else float(seen.max())
        return cls(values, between, measure.kind, low, high)


class Transfer(BaseEstimator):
    """A function of values. `fitted_to` makes all its parameters numbers; `apply` computes."""

    averaged: bool = True
    """Whether features are divided by √R, so that their inner product is a mean."""
    looks_between: bool = False
    """Whether it is fitted to values of landmarks against landmarks."""

    def fitted_to(self, seen: Seen) -> Self:
        """Return a copy whose parameters are numbers."""
        return self

    @abstractmethod
    def apply(self, values: Values) -> Values:
        """Return features; `values` may be overwritten."""

    def n_features(self, n_landmarks: int) -> int:
        """How many features come of so many landmarks."""
        return n_landmarks

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

    def apply(self, values: Values) -> Values:
        """Nothing to do."""
        return values


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

    power = 1

    def __init__(self, gamma: float | Literal["median", "auto"] = "median") -> None:
        self.gamma = gamma

    def fitted_to(self, seen: Seen) -> Self:
        """Return a copy whose γ is a number."""
        if seen.kind == "similarity":
            raise ValueError(
                f"{self!r} turns distances into similarities, and the measure is a similarity "
                'already; use transfer="identity", or negate the measure.'
            )
        if not isinstance(self.gamma, str):
            return self
        if self.gamma not in ("median", "auto"):
            raise ValueError(f'gamma must be a number, "median" or "auto", not {self.gamma!r}.')
        return self._with(gamma=self.typical_gamma(seen))

    def typical_gamma(self, seen: Seen) -> float:
        """One over the median positive value (to the power of this decay)."""
        positive = seen.values[seen.values > 0]
        middle = float(np.median(positive)) if positive.size else 1.0
        return 1.0 / middle**self.power

    def apply(self, values: Values) -> Values:
        """Exponentiate, in place."""
        if self.power == 2:
            np.square(values, out=values)
        values *= np.float32(-float(self.gamma))
        return np.exp(values, out=values)


class GaussianDecay(Decay):
    """exp(−γd²).

    Examples
    --------
    >>> GaussianDecay(gamma=1.0).apply(np.array([[0.0, 1.0]], dtype=np.float32)).round(3)
    array([[1.   , 0.368]], dtype=float32)
    """

    power = 2


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

    def _centred(self, values: Values) -> Values:
        values -= np.float32(self.middle)
        values /= np.float32(self.half)
        return values


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

    def __init__(
        self,
        slope: float | Literal["auto"] = 1.0,
        middle: float | Literal["seen"] = "seen",
        half: float | Literal["seen"] = "seen",
    ) -> None:
        self.slope = slope
        self.middle = middle
        self.half = half

    def fitted_to(self, seen: Seen) -> Self:
        """Return a copy that knows the range of values, and a slope."""
        fitted = super().fitted_to(seen)
        if not isinstance(self.slope, str):
            return fitted
        if self.slope != "auto":
            raise ValueError(f'slope must be a number or "auto", not {self.slope!r}.')
        return fitted._with(slope=1.0)

    def apply(self, values: Values) -> Values:
        """Scale and clip, in place."""
        values = self._centred(values)
        values *= np.float32(float(self.slope))
        return np.clip(values, -1, 1, out=values)


class Sign(_Centred):
    """The sign of values about the middle of their range.

    Examples
    --------
    >>> Sign(middle=1.0).apply(np.array([[0.0, 3.0, 1.0]], dtype=np.float32))
    array([[-1.,  1.,  0.]], dtype=float32)
    """

    half: float = 1.0

    def __init__(self, middle: float | Literal["seen"] = "seen") -> None:
        self.middle = middle

    def apply(self, values: Values) -> Values:
        """Compare, in place."""
        values -= np.float32(self.middle)
        return np.sign(values, out=values)


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

    averaged = False
    looks_between = True

    def __init__(
        self, transfer: Transfer | None = None, rcond: float = 1e-5, projection: Any = None
    ) -> None:
        self.transfer = transfer
        self.rcond = rcond
        self.projection = projection

    def fitted_to(self, seen: Seen) -> Self:
        """Return a copy that holds U |λ|^(−½)."""
        if seen.between is None:
            raise ValueError("whitening needs values of landmarks against each other, not pairs.")
        inner = (self.transfer or Identity()).fitted_to(seen)
        K = inner.apply(seen.between.copy()).astype(np.float64)
        eigenvalues, vectors = np.linalg.eigh((K + K.T) / 2)
        size = np.abs(eigenvalues)
        order = np.argsort(-size)
        order = order[size[order] > self.rcond * size.max()]
        projection = vectors[:, order] / np.sqrt(size[order])
        return self._with(transfer=inner, projection=projection.astype(np.float32))

    def apply(self, values: Values) -> Values:
        """Project."""
        features: Values = (self.transfer or Identity()).apply(values) @ self.projection
        return features

    def n_features(self, n_landmarks: int) -> int:
        """Return the number of eigenvalues kept."""
        return int(self.projection.shape[1])


class SideBySide(Transfer):
    """The features of several transfers, one block of R after another.

    Parameters
    ----------
    transfers : list of Transfer

    Examples
    --------
    >>> both = SideBySide([Identity(), Decay(gamma=1.0)])
    >>> both.apply(np.array([[0.0, 1.0]], dtype=np.float32)).round(3)
    array([[0.   , 1.   , 1.   , 0.368]], dtype=float32)
    """

    averaged = False

    def __init__(self, transfers: list[Transfer]) -> None:
        self.transfers = transfers

    @property
    def looks_between(self) -> bool:  # type: ignore[override]
        """Whether one of them does."""
        return any(transfer.looks_between for transfer in self.transfers)

    def fitted_to(self, seen: Seen) -> Self:
        """Fit each."""
        return self._with(transfers=[transfer.fitted_to(seen) for transfer in self.transfers])

    def apply(self, values: Values) -> Values:
        """Apply each to a copy."""
        parts = [transfer.apply(values.copy()) for transfer in self.transfers]
        return np.concatenate(parts, axis=1)

    def n_features(self, n_landmarks: int) -> int:
        """Return the sum."""
        return sum(transfer.n_features(n_landmarks) for transfer in self.transfers)


TRANSFERS: dict[str, type[Transfer]] = {
    "identity": Identity,
    "decay": Decay,
    "gaussian_decay": GaussianDecay,
    "ramp": Ramp,
    "sign": Sign,
    "whitening": Whitening,
}


def get_transfer(transfer: Any, kind: str | None) -> Transfer:
    """Return the transfer that a user's `transfer=` means; "auto" depends on the measure's kind.

    Examples
    --------
    >>> get_transfer("auto", "distance"), get_transfer("auto", "similarity")
    (Decay(gamma='auto'), Identity())
    """
    if isinstance(transfer, Transfer):
        return transfer
    if transfer == "auto":
        return Decay("auto") if kind == "distance" else Identity()
    if transfer not in TRANSFERS:
        raise ValueError(
            f"transfer={transfer!r} is none of auto, {', '.join(TRANSFERS)}, nor a Transfer."
        )
    return TRANSFERS[transfer]()
