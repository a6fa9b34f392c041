"""What a measure is: facts, parameters, one job, ``cross(X, L)``; and what `measure=` means."""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone

from .. import engine
from ..data import Domain

Kind = Literal["distance", "similarity"]
FoundPairs = tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float32]]
FoundNear = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]
Fact = bool | None
"""True and False are promises that tests try to break; None is not known."""


class Measure(BaseEstimator, ABC):
    """A similarity or distance between an object and a landmark, mostly objects of one domain.

    A subclass declares the facts, and compiles landmarks into a plan. It is a scikit-learn
    estimator without `fit`: parameters, `clone`, `repr`, nested grid search.

    Attributes
    ----------
    domain : Domain
        What the objects are.
    landmark_domain : Domain
        What landmarks are: `domain`, unless the measure compares objects with *parts*, as a series
        with a window. Such a measure is neither symmetric nor a metric nor a kernel.
    kind : {"distance", "similarity"} or None
        Whether small or large values mean alike; None if not known.
    bounds : tuple of float
        Smallest and largest value possible.
    symmetric, triangle, psd : bool or None
        Whether value(x, y) = value(y, x); whether the triangle inequality holds (a distance's
        fact); whether every matrix of values is positive semidefinite (a similarity's fact).
    """

    name: ClassVar[str] = ""
    """Name in the catalogue."""
    domain: Domain
    kind: Kind | None = None
    bounds: tuple[float, float] = (-np.inf, np.inf)
    symmetric: Fact = None
    triangle: Fact = None
    psd: Fact = None
    self_value: ClassVar[float | None] = None
    """Value of every object against itself, where all have the same."""
    ranges: ClassVar[Mapping[str, tuple[float, float]]] = {}
    """Least and largest value of parameters that are numbers."""
    choices: ClassVar[Mapping[str, tuple[Any, ...]]] = {}
    """Values of parameters that have a few."""
    joint_size: ClassVar[np.ufunc] = np.multiply
    """How `normalised` joins the sizes of two objects."""

    @property
    def landmark_domain(self) -> Domain:
        """What landmarks are."""
        return self.domain

    @property
    def compares_parts(self) -> bool:
        """Whether landmarks are parts of objects, and not objects of the rows' kind."""
        return self.landmark_domain != self.domain

    @abstractmethod
    def compile(self, L: Any) -> engine.Plan:
        """Return a plan for ingested landmarks L; all parameters are numbers by now."""

    def recipe(self, L: Any) -> engine.Recipe:
        """Return what `engine.run` takes: ingested landmarks L, compiled where they are needed."""
        return engine.Recipe(self.compile, L)

    def check_parameters(self) -> None:
        """Raise ValueError if a parameter makes no sense; called before any work."""
        for name, (low, high) in self.ranges.items():
            require_number(name, getattr(self, name), low, high)
        for name, choices in self.choices.items():
            require_one_of(name, getattr(self, name), choices)

    def fitted_to(self, X: Any, rng: np.random.Generator) -> Self:
        """Return a measure whose data-dependent parameters are numbers taken from X."""
        return self

    def cross(
        self,
        X: Any,
        L: Any = None,
        *,
        n_jobs: int | None = None,
        progress: bool | engine.Progress = False,
    ) -> NDArray[np.float32]:
        """Values of every object of X against every landmark of L.

        Parameters
        ----------
        X : objects
            Raw or ingested.
        L : objects, optional
            Landmarks; X itself if left out.
        n_jobs : int, optional
            Threads (processes for Python callables). Default: the cores available; in-process for
            callables.
        progress : bool or Progress, default=False
            Show a progress bar.

        Returns
        -------
        ndarray of shape (n, R), float32
        """
        self.check_parameters()
        X = self.domain.ingest(X)
        if L is not None:
            L = self.landmark_domain.ingest(L, like=X)
        elif self.compares_parts:
            raise ValueError(
                f"{self!r} compares {self.domain.name} with {self.landmark_domain.name}, so X "
                "cannot stand for both; give the landmarks L."
            )
        measure = self.fitted_to(X if L is None else L, np.random.default_rng(0))
        return engine.cross(
            measure.compile,
            X,
            L,
            symmetric=measure.symmetric is True,
            n_jobs=n_jobs,
            progress=progress,
        )

    def self_values(self, X: Any) -> NDArray[np.float64]:
        """Value of each object against itself."""
        if self.self_value is not None:
            return np.full(X.shape[0], self.self_value)
        rows = (X[i : i + 1] for i in range(X.shape[0]))
        return np.array([engine.run(self.recipe(x), x, n_jobs=1)[0, 0] for x in rows], np.float64)

    def sizes(self, X: Any) -> NDArray[np.float64]:
        """Size of each object; `normalised` divides by the joint size of two objects."""
        if self.kind != "similarity":
            raise TypeError(
                f"{self!r} cannot be normalised: dividing by self-similarity needs a similarity, "
                + (
                    "and its kind is not known; declare kind='similarity' if it is one."
                    if self.kind is None
                    else "and a distance of an object to itself is 0."
                )
            )
        own = self.self_values(X)
        bad = np.flatnonzero(~(own > 0))
        if len(bad):
            raise ValueError(
                f"{self.domain.one} {bad[0]} has self-similarity {own[bad[0]]:g}; normalising "
                "divides by its root, so it must be positive: drop the object or do not normalise."
            )
        root: NDArray[np.float64] = np.sqrt(own)
        return root

    def sketch(self, X: Any) -> NDArray[np.float64] | None:
        """A few numbers of each object, (n, s); None if there are no such.

        No distance is below the largest difference of two sketches, |s(x) − s(y)|: a search may
        then pass over objects without comparing them.
        """
        return None

    def bounding(self, X: Any) -> Callable[[Any], NDArray[np.float64]] | None:
        """Return a function from queries to lower bounds of their distances to X, (queries, n).

        None where there is none, or none that is quicker than the distances themselves.
        """
        return None

    def searching(self, X: Any) -> Any:
        """Return a search of X by other means than all values; None where there is none.

        `edit.EditSearch` is one. Its ``suits(queries, cutoffs, most)`` is for how many of the
        queries, from the first on, it is likely to be quicker than values. Its ``near(queries,
        cutoffs, most, n_jobs)`` returns how many were found for each query, and of all of them
        rows and distances: at most so many (None: all) within the query's cut-off, the nearest
        first, of equal ones the smallest rows.
        """
        return None

    def pairs_within(self, X: Any, Y: Any, radius: float, **options: Any) -> FoundPairs | None:
        """Rows of X and of Y whose distance is at most `radius`, and these distances.

        None where nothing is quicker than a search for each row. If Y is None, pairs of rows of X,
        the smaller number first. `options` are those of `engine.edit_pairs`.
        """
        return None

    def distance_sign(self) -> float:
        """Return 1 for a distance, −1 for a similarity: what makes large values mean far apart."""
        if self.kind is None:
            raise ValueError(
                f"{self!r} does not say whether small or large values mean alike, and a direction "
                'is needed; declare kind="distance" or kind="similarity".'
            )
        return 1.0 if self.kind == "distance" else -1.0

    def _with(self, **parameters: Any) -> Self:
        """Return a copy with some parameters replaced."""
        copy: Self = clone(self)
        return copy.set_params(**parameters)  # type: ignore[no-any-return]

    # Algebra: what these return lives in `algebra` and `sums`, which build on this class.

    def __add__(self, other: Any) -> Measure:
        from .algebra import Sum

        return Sum(self, other) if isinstance(other, Measure) else NotImplemented

    def __mul__(self, factor: Any) -> Measure:
        from .algebra import Scaled

        return Scaled(self, float(factor)) if isinstance(factor, (int, float)) else NotImplemented

    __rmul__ = __mul__

    def normalised(self) -> Measure:
        """Return the measure divided by the joint size of its two objects.

        A similarity is divided by √(K(x, x) K(y, y)), Levenshtein's distance by the longer length;
        other distances have no such size and say so.
        """
        from .algebra import Normalised

        return Normalised(self)

    def negated(self) -> Measure:
        """Return minus the measure: a similarity from a distance, a distance from a similarity."""
        from .algebra import Negated

        return Negated(self)


def require_number(name: str, value: Any, low: float = -np.inf, high: float = np.inf) -> None:
    """Stop unless a parameter is a finite number within bounds."""
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not real or not np.isfinite(float(value)) or not low <= float(value) <= high:
        between = f" from {low:g}" * (low > -np.inf) + f" to {high:g}" * (high < np.inf)
        raise ValueError(f"{name} must be a number{between}, not {value!r}.")


def require_whole(name: str, value: Any, low: int) -> None:
    """Stop unless a parameter is a whole number from `low` on."""
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not whole or value < low:
        raise ValueError(f"{name} must be a whole number from {low}, not {value!r}.")


def require_one_of(name: str, value: Any, choices: tuple[Any, ...]) -> None:
    """Stop unless a parameter is one of a few values."""
    if isinstance(value, np.bool_):
        value = bool(value)
    if not any(value is one or (isinstance(value, str) and value == one) for one in choices):
        listed = ", ".join(map(repr, choices[:-1]))
        raise ValueError(f"{name} must be {listed} or {choices[-1]!r}, not {value!r}.")
