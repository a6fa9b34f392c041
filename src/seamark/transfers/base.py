"""What `transfer=` means: what transfers are fitted to, and the plain ones, values and exp(−γd)."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone

from ..measures import Measure

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

    name = "decay"
    power = 1
    needs_distances = True

    def __init__(self, gamma: float | Literal["median", "auto"] = "median") -> None:
        self.gamma = gamma

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
            f"transfer={transfer!r} is none of auto, {', '.join(sorted(TRANSFERS))}, "
            "nor a Transfer."
        )
    found: Transfer = TRANSFERS[transfer]()
    return found
