"""Sums, multiples and other measures made of measures, and measures of prepared objects."""

from __future__ import annotations

import numbers
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..data import Anything, Domain
from .base import Fact, Kind, Measure

Values = NDArray[np.float32]


def inside(fact: str) -> Any:
    """Return a property that is a fact of `self.measure`."""
    return property(attrgetter(f"measure.{fact}"))


class Wrapped(Measure):
    """A measure made of another; facts are the other's."""

    measure: Measure
    domain = inside("domain")
    landmark_domain = inside("landmark_domain")
    kind = inside("kind")
    bounds = inside("bounds")
    symmetric = inside("symmetric")
    triangle = inside("triangle")
    psd = inside("psd")

    def check_parameters(self) -> None:
        """Check the measure inside."""
        self.measure.check_parameters()

    def fitted_to(self, X: Any, rng: np.random.Generator) -> Self:
        """Fit the measure inside."""
        return self._with(measure=self.measure.fitted_to(X, rng))

    def _changed(self, L: Any, change: Callable[[Any, Values], Any]) -> engine.Plan:
        """Compile the measure inside; ``change(rows, block)`` alters its values in place."""
        recipes = [self.measure.recipe(L)]
        return engine.CombinedPlan(recipes, lambda rows, blocks: change(rows, blocks[0]))


@dataclass(eq=False, repr=False)
class Scaled(Wrapped):
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

    measure: Measure
    factor: float = 1.0

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

    def compile(self, L: Any) -> engine.Plan:
        """Multiply the values, chunk by chunk."""
        factor = np.float32(self.factor)
        return self._changed(L, lambda rows, block: np.multiply(block, factor, out=block))


@dataclass(eq=False, repr=False)
class Negated(Wrapped):
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

    measure: Measure

    triangle = None
    psd = None

    @property
    def kind(self) -> Kind | None:  # type: ignore[override]
        """Return the other kind."""
        if self.measure.kind is None:
            return None
        return "distance" if self.measure.kind == "similarity" else "similarity"

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        """Bounds with their signs turned."""
        low, high = self.measure.bounds
        return -high, -low

    def self_values(self, X: Any) -> NDArray[np.float64]:
        """Negated self-values."""
        return -self.measure.self_values(X)

    def compile(self, L: Any) -> engine.Plan:
        """Turn the sign of values, chunk by chunk."""
        return self._changed(L, lambda rows, block: np.negative(block, out=block))


@dataclass(eq=False, repr=False)
class Normalised(Wrapped):
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

    measure: Measure

    triangle = None

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

    def self_values(self, X: Any) -> NDArray[np.float64]:
        """1 for similarities, 0 for distances."""
        return np.full(X.shape[0], 1.0 if self.kind == "similarity" else 0.0)

    def compile(self, L: Any) -> engine.Plan:
        """Divide the values by joint sizes, chunk by chunk."""
        columns = self.measure.sizes(L)
        join = type(self.measure).joint_size

        def change(rows: Any, block: Values) -> None:
            size = join.outer(self.measure.sizes(rows), columns).astype(np.float32)
            np.divide(block, size, out=block, where=size > 0)

        return self._changed(L, change)


# Measures of objects that are made into others, such as vectors, before they are compared.


class Prepared(Wrapped):
    """A measure that compares what `prepared` makes of objects."""

    @abstractmethod
    def prepared(self, X: Any) -> Any:
        """Return what the measure inside compares, of ingested objects."""

    def outline(self, X: Any) -> Any:
        """Return something as large as the prepared objects, to tell how long they will take."""
        return X

    def fitted_to(self, X: Any, rng: np.random.Generator) -> Self:
        """Fit the measure inside to what it compares."""
        self.check_parameters()
        return self._with(measure=self.measure.fitted_to(self.prepared(X), rng))

    def self_values(self, X: Any) -> NDArray[np.float64]:
        """Those of what is compared."""
        return self.measure.self_values(self.prepared(X))

    def compile(self, L: Any) -> engine.Plan:
        """Compile the prepared landmarks."""
        landmarks = self.prepared(L)
        width = landmarks.shape[1] if len(landmarks.shape) > 1 else landmarks.values.shape[1]
        plan = self.measure.compile(landmarks)
        return PlanAround(
            plan,
            prepare=self.prepared,
            outline=None if type(self).outline is Prepared.outline else self.outline,
            scratch_per_row=32 * width,
        )


class PlanAround(engine.Plan):
    """Another plan, whose rows are prepared before, or whose values are changed after.

    Parameters
    ----------
    plan : Plan
    prepare : callable, optional
        ``prepare(rows)`` returns what the plan compares.
    outline : callable, optional
        ``outline(rows)`` returns what is checked and estimated: as large as prepared rows.
    change : callable, optional
        ``change(rows, values)`` alters values in place.
    scratch_per_row : int, default=0
        Bytes of temporaries beside those of the plan.
    """

    def __init__(
        self,
        plan: engine.Plan,
        *,
        prepare: Callable[[Any], Any] | None = None,
        outline: Callable[[Any], Any] | None = None,
        change: Callable[[Any, Values], Any] | None = None,
        scratch_per_row: int = 0,
    ) -> None:
        self.plan, self.prepare, self.outline, self.change = plan, prepare, outline, change
        self.n_landmarks, self.n_parts = plan.n_landmarks, plan.n_parts
        self.home = plan.home  # type: ignore[misc]
        self.scratch_per_row = plan.scratch_per_row + scratch_per_row
        if outline is None:  # called for every chunk, and so without a detour
            self.seconds, self.check = plan.seconds, plan.check  # type: ignore[method-assign]

    def fill(self, X: Any, out: Values, stop: Any) -> None:
        """Fill by the other plan."""
        self.plan.fill(self.prepare(X) if self.prepare else X, out, stop)
        if self.change:
            self.change(X, out)

    def seconds(self, X: Any) -> NDArray[np.float64]:
        """As long as the other plan takes."""
        return self.plan.seconds(self.outline(X) if self.outline else X)

    def check(self, X: Any) -> None:
        """Check for the other plan."""
        self.plan.check(self.outline(X) if self.outline else X)


@dataclass(eq=False, repr=False)
class Sum(Measure):
    """The sum of two measures on the same objects, as ``m1 + m2``.

    Parameters
    ----------
    left, right : Measure
        What is added: two distances, or two similarities.

    Examples
    --------
    >>> import seamark as sm
    >>> m = sm.measures.Gaussian(width=1.0) + 0.5 * sm.measures.Linear()
    >>> m.psd, m.cross([[1.0, 0.0]], [[1.0, 0.0], [0.0, 0.0]]).round(3)
    (True, array([[1.5  , 0.607]], dtype=float32))
    """

    left: Measure
    right: Measure

    @property
    def domain(self) -> Domain:  # type: ignore[override]
        """Return the more specific domain: a callable takes the objects of the other measure."""
        return self._leading.domain

    @property
    def landmark_domain(self) -> Domain:
        """Landmarks of the measure of the more specific domain."""
        return self._leading.landmark_domain

    @property
    def _leading(self) -> Measure:
        return self.right if isinstance(self.left.domain, Anything) else self.left

    def check_parameters(self) -> None:
        """Require one domain and one kind."""
        self.left.check_parameters()
        self.right.check_parameters()
        for place in ("domain", "landmark_domain"):
            a, b = getattr(self.left, place), getattr(self.right, place)
            if a != b and not isinstance(a, Anything) and not isinstance(b, Anything):
                raise ValueError(f"cannot add a measure of {a.name} and one of {b.name}.")
        if None not in (self.left.kind, self.right.kind) and self.left.kind != self.right.kind:
            raise ValueError(
                f"cannot add a {self.left.kind} and a {self.right.kind}; negate one: m.negated()."
            )

    @property
    def kind(self) -> Kind | None:  # type: ignore[override]
        """Return the common kind, if both are known."""
        return self.left.kind if self.left.kind == self.right.kind else None

    @property
    def bounds(self) -> tuple[float, float]:  # type: ignore[override]
        """Return the sums of the bounds."""
        (a, b), (c, d) = self.left.bounds, self.right.bounds
        return a + c, b + d

    @property
    def symmetric(self) -> Fact:  # type: ignore[override]
        """Return True if both are; False if just one is known not to be."""
        if self.left.symmetric and self.right.symmetric:
            return True
        # Two asymmetric measures may cancel each other; one alone cannot be cancelled.
        return False if {self.left.symmetric, self.right.symmetric} == {True, False} else None

    @property
    def triangle(self) -> Fact:  # type: ignore[override]
        """Return True if both hold it; never False, as one may hide the other's violation."""
        return True if self.left.triangle and self.right.triangle else None

    @property
    def psd(self) -> Fact:  # type: ignore[override]
        """Return True if both are; the sum of an indefinite and a definite one may be either."""
        return True if self.left.psd and self.right.psd else None

    def fitted_to(self, X: Any, rng: np.random.Generator) -> Self:
        """Fit both."""
        return self._with(left=self.left.fitted_to(X, rng), right=self.right.fitted_to(X, rng))

    def self_values(self, X: Any) -> NDArray[np.float64]:
        """Return the sums of self-values."""
        return self.left.self_values(X) + self.right.self_values(X)

    def compile(self, L: Any) -> engine.Plan:
        """Compile both, and add their blocks."""

        def add(rows: Any, blocks: Sequence[Values]) -> None:
            np.add(blocks[0], blocks[1], out=blocks[0])

        return engine.CombinedPlan([self.left.recipe(L), self.right.recipe(L)], add)
