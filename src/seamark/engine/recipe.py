"""Recipes: what to compile and for which landmarks; they travel, plans do not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .plan import Plan
from .settings import settings

try:
    from joblib.externals import cloudpickle
except ImportError:  # joblib 1.6 and later depend on it instead of bringing it
    import cloudpickle

__all__ = ["Packed", "Recipe", "cloudpickle"]


class Recipe:
    """A measure's compiler and landmarks: compiled where it runs, once for each backend.

    Parameters
    ----------
    compile : callable
        ``compile(landmarks)`` returns a `Plan`; a measure's method, which takes the measure along.
    landmarks : objects
        Ingested.

    Examples
    --------
    >>> import seamark as sm
    >>> recipe = Recipe(sm.measures.Levenshtein().compile, sm.objects.strings.ingest(["sea"]))
    >>> recipe.plan() is recipe.plan(), recipe.plan().n_landmarks
    (True, 1)
    """

    def __init__(self, compile: Callable[[Any], Plan], landmarks: Any) -> None:
        self.compile = compile
        self.landmarks = landmarks
        self._plans: dict[Any, Plan] = {}  # by backend; None: the default one

    @classmethod
    def of(cls, plan: Plan | Recipe) -> Recipe:
        """Return a recipe as it is; a plan as a recipe that needs no more compiling."""
        if isinstance(plan, Recipe):
            return plan
        recipe = cls(lambda landmarks: plan, None)
        recipe._plans[settings().backend] = plan
        return recipe

    def plan(self) -> Plan:
        """Return the plan for the backend in force."""
        backend = settings().backend
        if backend not in self._plans:
            self._plans[backend] = self.compile(self.landmarks)
        return self._plans[backend]

    @cached_property
    def packed(self) -> Packed:
        """The recipe on its way to other processes."""
        return Packed.of(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return Recipe, (self.compile, self.landmarks)


@dataclass(frozen=True)
class Packed:
    """Something on its way to other processes, lambdas and closures too.

    It travels as one array, because joblib shares large arrays instead of sending them.
    """

    data: NDArray[np.uint8]
    key: str

    @classmethod
    def of(cls, thing: Any) -> Packed:
        """Pack it."""
        data = cloudpickle.dumps(thing)
        return cls(np.frombuffer(data, dtype=np.uint8), blake2b(data).hexdigest())

    def opened(self) -> Any:
        """Unpack it, in a process once for all pieces of work that name the same content."""
        if self.key not in _held:
            _held.clear()
            _held[self.key] = cloudpickle.loads(self.data.tobytes())
        return _held[self.key]


_held: dict[str, Any] = {}  # in a worker process: what is at work, with its landmarks
