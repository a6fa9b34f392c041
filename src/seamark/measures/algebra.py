"""Measures made of one measure: multiples, normalised and negated ones. Facts follow."""

from __future__ import annotations

import numbers
from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..data import Domain
from .base import Fact, Kind, Measure

Values = NDArray[np.float32]


class Wrapped(Measure):
    """A measure made of another; most facts are the other's."""

    measure: Measure

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        """Domain of the measure inside."""
        return self.measure.domain

    @property
    def landmark_domain(self) -> Domain:
        """Landmarks of the measure inside."""
        return self.measure.landmark_domain

    @property
    def kind(self) -> Kind | None:  # type: ignore[override]
        """Kind of the measure inside."""
        return self.measure.kind

    @property
    def symmetric(self) -> Fact:  # type: ignore[override]
        """As the measure inside."""
        return self.measure.symmetric

    @property
    def triangle(self) -> Fact:  # type: ignore[override]
        """As the measure inside."""
        return self.measure.triangle

    @property
    def psd(self) -> Fact:  # type: ignore[override]
        """As the measure inside."""
        return self.measure.psd

    def check_parameters(self) -> None:
        """Check the measure inside."""
        self.measure.check_parameters()

    def fitted_to(self, X: Any, rng: np.random.Generator) -> Self:
        """Fit the measure inside."""
        return self._with(measure=self.measure.fitted_to(X, rng))


class _Changed(Wrapped):
    """A measure made by a change of another's values."""

    @abstractmethod
    def _change(self, L: Any) -> Any:
        """Return ``change(rows, block)``, which alters a block of values in place."""

    def compile(self, L: Any) -> engine.Plan:
        """Compile the measure inside, and change its values chunk by chunk."""
        change = self._change(L)
        return engine.CombinedPlan(
            [self.measure.recipe(L)], lambda rows, blocks: change(rows, blocks[0])
        )


class Scaled(_Changed):
    """A positive multiple of a measure, as ``2 * m``.

    Parameters
    ----------
    measure : Measure
        What is multiplied.
    factor : float
        Positive; use `negated` for the other sign.

    Examples
    --------
    >>> import seamark as sm
    >>> (0.5 * sm.measures.Levenshtein()).cross(["sea"], ["see", "mark"])
    array([[0.5, 2. ]], dtype=float32)
    """

    def __init__(self, measure: Measure, factor: float = 1.0) -> None:
        self.measure = measure
        self.factor = factor

    def check_parameters(self) -> None:
        """Require a positive finite factor."""
        super().check_parameters()
        number = isinstance(self.factor, numbers.Real)
        if not number or not 0 < self.factor < np.inf:
            raise ValueError(
                f"a measure can be scaled by a positive number, not {self.factor!r}; "
                "use .negated() to turn its sign."
            )

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        """Scaled bounds."""
        low, high = self.measure.bounds
        return low * self.factor, high * self.factor

    def self_values(self, X: Any) -> NDArray[np.float64]:
        """Scaled self-values."""
        return self.factor * self.measure.self_values(X)

    def _change(self, L: Any) -> Any:
        def change(rows: Any, block: Values) -> None:
            block *= np.float32(self.factor)

        return change


class Negated(_Changed):
    """Minus a measure: similarity from distance, distance from similarity.

    Parameters
    ----------
    measure : Measure
        What changes its sign.

    Examples
    --------
    >>> import seamark as sm
    >>> m = sm.measures.Levenshtein().negated()
    >>> m.kind, m.cross(["sea"], ["see", "mark"])
    ('similarity', array([[-1., -4.]], dtype=float32))
    """

    triangle: Fact = None
    psd: Fact = None

    def __init__(self, measure: Measure) -> None:
        self.measure = measure

    @property
    def kind(self) -> Kind | None:  # type: ignore[override]
        """Return the other kind."""
        kinds: dict[Kind | None, Kind | None] = {
            "distance": "similarity",
            "similarity": "distance",
            None: None,
        }
        return kinds[self.measure.kind]

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        """Bounds with their signs turned."""
        low, high = self.measure.bounds
        return -high, -low

    def self_values(self, X: Any) -> NDArray[np.float64]:
        """Negated self-values."""
        return -self.measure.self_values(X)

    def _change(self, L: Any) -> Any:
        def change(rows: Any, block: Values) -> None:
            np.negative(block, out=block)

        return change


class Normalised(_Changed):
    """A measure divided by the joint size of its two objects; made by `Measure.normalised`.

    Parameters
    ----------
    measure : Measure
        A similarity, or a distance whose objects have sizes.

    Examples
    --------
    >>> import seamark as sm
    >>> sm.measures.Levenshtein().normalised().cross(["sea"], ["see", "mark"]).round(2)
    array([[0.33, 1.  ]], dtype=float32)
    """

    triangle: Fact = None

    def __init__(self, measure: Measure) -> None:
        self.measure = measure

    def check_parameters(self) -> None:
        """Require a measure whose objects have sizes."""
        super().check_parameters()
        if self.measure.compares_parts:
            raise TypeError(f"{self.measure!r} cannot be normalised: parts have no common size.")
        if self.measure.kind != "similarity" and type(self.measure).sizes is Measure.sizes:
            self.measure.sizes(None)  # says why not

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        """Return (0, 1) for distances, (-1, 1) for kernels (Cauchy–Schwarz)."""
        if self.measure.kind == "distance":
            return (0.0, 1.0)
        if self.measure.psd:
            return (0.0 if self.measure.bounds[0] >= 0 else -1.0, 1.0)
        return (0.0 if self.measure.bounds[0] >= 0 else -np.inf, np.inf)

    @property
    def psd(self) -> Fact:  # type: ignore[override]
        """Normalising keeps a kernel a kernel, and an indefinite measure indefinite."""
        return self.measure.psd

    def self_values(self, X: Any) -> NDArray[np.float64]:
        """1 for similarities, 0 for distances."""
        return np.full(X.shape[0], 1.0 if self.kind == "similarity" else 0.0)

    def _change(self, L: Any) -> Any:
        columns = self.measure.sizes(L)
        join = type(self.measure).joint_size

        def change(rows: Any, block: Values) -> None:
            size = join.outer(self.measure.sizes(rows), columns).astype(np.float32)
            np.divide(block, size, out=block, where=size > 0)

        return change
