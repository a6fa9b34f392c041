"""Any Python function as a measure."""

from __future__ import annotations

import numbers
import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..data import anything
from ..engine.limited import Limited
from ..engine.python_calls import batch, matrix, name_of, number, objects
from .base import Fact, Kind, Measure, require_one_of

# A trial batch of unequal sides: few functions of single objects return just this shape.
TRIAL = (2, 3)
# Values of a batch and of single pairs may be rounded differently, by float32 products at worst.
TOLERANCE = 1e-4


@dataclass(eq=False, repr=False)
class Custom(Measure):
    """Any Python function of two objects, or of two batches, as a measure.

    Parameters
    ----------
    f : callable
        ``f(x, y)`` returns a number for two objects; or, for batches, ``f(X, L)`` returns an array
        of shape (n, R) at once. A batch is a matrix if the objects are rows of one, else a list.
    kind : {"distance", "similarity"}, optional
        Whether small or large values mean alike. Default: not known.
    symmetric : bool, optional
        True lets half of ``cross(X)`` be mirrored; only then is it. Default: not known.
    vectorised : bool, optional
        Whether `f` takes batches. Default: found out by one trial call on a batch of 2 × 3, and
        by comparing its values with those of single pairs.
    memory : str or path, optional
        A folder. Finished values are kept in it, by content, so that a job that was interrupted,
        or comes again with other rows or landmarks, computes only what is missing.
    triangle : bool, optional
        Whether a distance keeps the triangle inequality, as a metric does. True lets `Index` leave
        out what that rules out. Default: not known.
    timeout : float, optional
        Seconds that one call may take. A call that takes longer is ended, a loop in a library
        too, and the pair is named, as for any other error; with `memory`, what was computed
        before is kept. `f` then runs in a process of its own, and it and the objects are sent
        there: what it changes outside itself is not seen here, and a call costs about 50 µs more.

    Notes
    -----
    `f` runs in this process, one call after another, unless ``n_jobs`` asks for processes and the
    work is estimated to take more than a second. Lambdas and closures work there too.

    With `memory`, a function is known by its name, code, defaults and closure, or its state if it
    is an object: editing it starts afresh, and so does a closure whose content has changed, such
    as a list that `f` appends to. A changed global, or a change in a function that `f` calls, is
    **not** noticed: give another folder then.

    If `f` takes batches, ``symmetric=True`` computes a little more than half, in oblong blocks.

    Examples
    --------
    >>> import seamark as sm
    >>> def shared(x, y):
    ...     return len(x & y) / len(x)
    >>> sm.measures.Custom(shared, kind="similarity").cross([{1, 2}, {2, 3, 4, 5}])
    array([[1.  , 0.5 ],
           [0.25, 1.  ]], dtype=float32)
    """

    f: Callable[..., Any]
    kind: Kind | None = None
    symmetric: Fact = None
    vectorised: bool | None = None
    memory: Any = None
    triangle: Fact = None
    timeout: float | None = None

    domain = anything

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        options = self.get_params(deep=False)
        f = options.pop("f")
        given = [f"{name}={value!r}" for name, value in options.items() if value is not None]
        return f"Custom({', '.join([name_of(f) if callable(f) else repr(f), *given])})"

    def __sklearn_clone__(self) -> Self:
        """Share `f`: a copy of its state would be costly, and hide its side effects."""
        return type(self)(**self.get_params(deep=False))

    def check_parameters(self) -> None:
        """Require a callable, a known kind, facts that are facts, and a path."""
        if not callable(self.f):
            raise TypeError(
                f"f must be a function of two objects, not {self.f!r}; give one, or pass a measure "
                "by its name where measure= is asked for."
            )
        require_one_of("kind", self.kind, ("distance", "similarity", None))
        for name in ("symmetric", "vectorised", "triangle"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, bool):
                raise ValueError(f"{name} must be True, False or None (not known), not {value!r}.")
        if self.memory is not None and not isinstance(self.memory, (str, os.PathLike)):
            raise TypeError(f"memory must be the path of a folder, or None, not {self.memory!r}.")
        timeout: Any = self.timeout
        number = isinstance(timeout, numbers.Real) and not isinstance(timeout, bool)
        if timeout is not None and not (number and 0 < timeout < np.inf):
            raise ValueError(f"timeout must be a positive number of seconds, not {self.timeout!r}.")

    def compile(self, L: Any) -> engine.CallPlan:
        """Remember the landmarks; the function is first called when values are asked for."""
        facts = {"memory": self.memory, "symmetric": bool(self.symmetric)}
        return engine.CallPlan(self._limited, L, self._takes_batches, **facts)

    def self_values(self, X: Any) -> NDArray[np.float64]:
        """Value of each object against itself, in one pass."""
        return engine.diagonal(self.compile(X), X).astype(np.float64)

    def _takes_batches(self, X: Any, L: Any) -> bool:
        if self.vectorised is not None:
            return bool(self.vectorised)
        return takes_batches(self._limited, X[: TRIAL[0]], L[: TRIAL[1]])

    @property
    def _limited(self) -> Callable[..., Any]:
        return self.f if self.timeout is None else Limited(self.f, self.timeout)


def takes_batches(f: Callable[..., Any], X: Any, L: Any) -> bool:
    """Find out, by trying, whether a function takes batches rather than single objects.

    Parameters
    ----------
    f : callable
    X, L : objects
        The few to try it on.

    Examples
    --------
    >>> X = np.arange(6.0).reshape(3, 2)
    >>> takes_batches(lambda a, b: a @ b.T, X[:2], X)
    True
    >>> takes_batches(lambda a, b: np.linalg.norm(a - b), X[:2], X)
    False
    """
    shape = (X.shape[0], L.shape[0])
    tried = _attempt(lambda: matrix(f(batch(X), batch(L)), shape))
    if tried is None:
        return False
    pairs = {(0, 0), (shape[0] - 1, shape[1] - 1)}
    rows, columns = objects(X), objects(L)
    alone = [_attempt(lambda: number(f(rows[i], columns[j]))) for i, j in pairs]  # noqa: B023
    in_batch = [tried[i, j] for i, j in pairs]
    scale = float(np.max(np.abs(tried[np.isfinite(tried)]), initial=0.0))
    if all(value is not None for value in alone):
        # Of one pair alone nothing can be told; then the function is what most are.
        return shape != (1, 1) and _agree(alone, in_batch, scale)
    smallest = [
        _attempt(lambda: matrix(f(batch(X[i : i + 1]), batch(L[j : j + 1])), (1, 1))[0, 0])  # noqa: B023
        for i, j in pairs
    ]
    if any(value is None for value in smallest) or _agree(smallest, in_batch, scale):
        return True
    raise engine.MeasureError(
        f"{name_of(f)} gives a pair one value in a batch and another value alone, and it does not "
        "take single objects; a measure's value must depend on the two objects only."
    )


def _agree(values: list[Any], others: list[Any], scale: float) -> bool:
    return bool(np.allclose(values, others, rtol=TOLERANCE, atol=TOLERANCE * scale, equal_nan=True))


def _attempt(call: Callable[[], Any]) -> Any:
    """Return what a trial call gives, or None; a trial may fail, and must not warn."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call()
        except Exception:
            return None


def titled(measure: Any) -> str:
    """Return what a measure is called; a function without a name is the user's own.

    Examples
    --------
    >>> titled(Custom(lambda x, y: 0.0, kind="distance"))
    'your function (distance)'
    """
    if not isinstance(measure, Custom):
        return str(measure)
    name = getattr(measure.f, "__name__", type(measure.f).__name__)
    kind = "" if measure.kind is None else f" ({measure.kind})"
    return f"{'your function' if name == '<lambda>' else name}{kind}"
