"""Plans (landmarks compiled for a kernel), recipes of plans, and the job of a run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from .progress import Progress
from .settings import in_force


class MeasureError(RuntimeError):
    """A Python function failed on a pair of objects, or returned what is no finite number.

    The message names the row of X and the landmark; what the function raised is ``__cause__``.
    """


class PairError(ValueError):
    """A row, or a row and a landmark, that cannot be compared.

    A plan numbers them as it sees them; the executor adds where its chunk begins.

    Parameters
    ----------
    text : str
        A sentence with ``{row}`` in it, and perhaps ``{landmark}``.
    row, landmark : int
        Their numbers.

    Examples
    --------
    >>> print(PairError("row {row} is longer than landmark {landmark}.", 2, 7).named(102, 7))
    row 102 is longer than landmark 7.
    """

    def __init__(self, text: str, row: int, landmark: int = 0) -> None:
        super().__init__(text, row, landmark)
        self.text, self.row, self.landmark = text, row, landmark

    def __str__(self) -> str:
        return self.text.format(row=self.row, landmark=self.landmark)

    def named(self, row: int, landmark: int) -> Self:
        """Return the same error with other numbers."""
        return type(self)(self.text, row, landmark)


class SlowMeasureWarning(UserWarning):
    """The calls still to come are estimated to take long; says how long, and what would help."""


# What runs: plans (landmarks compiled for a kernel), recipes of plans, the job of a run, `run`.


Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Offsets = NDArray[np.int64]
Things = NDArray[np.int32]
Points = NDArray[np.uint32]
Values = Floats
Stop = NDArray[np.uint8]
"""One number; not 0 when the work is to end early."""


class Plan(ABC):
    """Rows in, values against fixed landmarks out; serves fit and predict alike.

    A plan fills rows and estimates seconds. How many rows at once, on which threads, in which
    process, is the executor's business.
    """

    n_landmarks: int
    scratch_per_row: int = 0
    """Bytes of temporaries that `fill` needs per row."""
    n_parts: int = 1
    """Evaluations that one value takes."""
    fills_device: bool = False
    """Whether `fill` takes an array on the device of the backend that it was compiled for."""
    home: ClassVar[str] = "threads"
    """Who runs it if nobody says: "threads" (`fill` releases the GIL), "library" (it holds the
    GIL, and brings threads of its own) or "calls" (it calls a Python function of the user's)."""

    @abstractmethod
    def fill(self, X: Any, out: Values, stop: Stop) -> None:
        """Fill ``out[i, j]`` with the value of row i of X against landmark j.

        It looks at `stop` from time to time. A problem with a row or a pair is a `PairError`.
        """

    @abstractmethod
    def seconds(self, X: Any) -> NDArray[np.float64]:
        """Estimated seconds of work for each row, on one thread."""

    def largest(self, X: Any) -> int | None:
        """Return a bound of the values, if these are whole numbers from 0; else None."""
        return None

    def check(self, X: Any) -> None:  # noqa: B027
        """Stop, before any work, at rows that cannot be compared with the landmarks."""


@dataclass(eq=False, repr=False)
class Recipe:
    """A measure's compiler and landmarks: compiled where it runs, once for each backend.

    Parameters
    ----------
    compile : callable
        ``compile(landmarks)`` returns a `Plan`; a measure's method, which takes the measure along.
    landmarks : objects
        Ingested. None: it is compiled already, and stays in this process.

    Examples
    --------
    >>> import seamark as sm
    >>> recipe = Recipe(sm.measures.Levenshtein().compile, sm.data.strings.ingest(["sea"]))
    >>> recipe.plan() is recipe.plan(), recipe.plan().n_landmarks
    (True, 1)
    """

    compile: Callable[[Any], Plan]
    landmarks: Any
    _plans: dict[Any, Plan] = field(default_factory=dict)  # by backend; None: the default one

    @classmethod
    def of(cls, plan: Plan | Recipe) -> Recipe:
        """Return a recipe unchanged; wrap a plan into a recipe that needs no compiling."""
        if isinstance(plan, Recipe):
            return plan
        recipe = cls(lambda landmarks: plan, None)
        recipe._plans[in_force.get().backend] = plan
        return recipe

    def plan(self) -> Plan:
        """Return the plan for the backend in force."""
        backend = in_force.get().backend
        if backend not in self._plans:
            self._plans[backend] = self.compile(self.landmarks)
        return self._plans[backend]

    def __reduce__(self) -> tuple[Any, ...]:
        return Recipe, (self.compile, self.landmarks)


class CombinedPlan(Plan):
    """Several plans over the same landmarks, their values combined.

    Parameters
    ----------
    recipes : sequence of Recipe
        At least one; all for the same landmarks.
    combine : callable
        ``combine(rows, blocks)`` gets the rows and one block of values per plan, and leaves the
        result in ``blocks[0]``.
    """

    def __init__(
        self, recipes: Sequence[Recipe], combine: Callable[[Any, Sequence[Values]], None]
    ) -> None:
        self.recipes, self.combine = recipes, combine
        self.plans = plans = [recipe.plan() for recipe in recipes]
        self.n_landmarks = plans[0].n_landmarks
        self.n_parts = sum(plan.n_parts for plan in plans)
        further = 4 * self.n_landmarks * len(plans)  # and what `combine` needs
        self.scratch_per_row = further + sum(plan.scratch_per_row for plan in plans)

    @property
    def home(self) -> str:  # type: ignore[override]
        """Threads, if all parts run there; otherwise each part runs on its own executor."""
        homes = {plan.home for plan in self.plans}
        return "threads" if homes == {"threads"} else "parts"

    def fill(self, X: Any, out: Values, stop: Stop) -> None:
        """Fill by one plan after another, and combine them."""
        blocks = [out, *(np.empty_like(out) for _ in self.recipes[1:])]
        for plan, block in zip(self.plans, blocks, strict=True):
            plan.fill(X, block, stop)
        self.combine(X, blocks)

    def seconds(self, X: Any) -> NDArray[np.float64]:
        """Sum of the parts."""
        return np.asarray(np.sum([plan.seconds(X) for plan in self.plans], axis=0))

    def check(self, X: Any) -> None:
        """Check for every part."""
        for plan in self.plans:
            plan.check(X)


@dataclass
class Job:
    """What an executor tells of the work it does."""

    progress: Progress = field(default_factory=Progress)
    first_row: int = 0
    """Number, among the user's, of the first row and landmark at work: messages name objects."""
    first_landmark: int = 0

    def row(self, i: int) -> int:
        """Return the user's number of row i of this part."""
        return in_force.get().row(self.first_row + i)

    def finished(self, evaluations: int, values: int | None = None) -> None:
        """Count evaluations, and show how many values they gave if not one each."""
        in_force.get().count(evaluations)
        self.progress.advance(evaluations if values is None else values)

    def moved(self, rows: int, landmarks: int = 0) -> Job:
        """Return the same job for a part that begins so many rows and landmarks later."""
        return replace(
            self,
            first_row=self.first_row + rows,
            first_landmark=self.first_landmark + landmarks,
        )

    @contextmanager
    def naming(self, start: int = 0) -> Iterator[None]:
        """Name pairs by the user's numbers, in a part that begins at row `start` of the job."""
        try:
            yield
        except PairError as error:
            row, landmark = self.row(start + error.row), self.first_landmark + error.landmark
            raise error.named(row, landmark) from None


class Executor(ABC):
    """Fills rows with the values of a recipe: cuts them, runs the pieces, tells the job."""

    sends: ClassVar[bool] = False
    """Whether recipes leave this process; a plan that is compiled already cannot."""

    def takes(self, plan: Plan) -> bool:
        """Whether it should run such a plan, in place of the plan's own executor."""
        return True

    @abstractmethod
    def run(self, recipe: Recipe, X: Any, out: Values, job: Job) -> None:
        """Fill ``out[i, j]`` with the value of row i of X against landmark j."""
