"""Parameters of `Greedy`, checked, and its names resolved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine import warn_user
from ..targets import TASKS, reads_classes
from .budget import budgeted_selection
from .losses import EpsilonInsensitive, Logistic, SmoothLoss, Squared, SquaredHinge
from .path import Path, Problem
from .pursuit import orthogonal_matching_pursuit
from .refits import forward_selection

_USUAL = 50  # features, as in the papers' tables


@dataclass(frozen=True)
class Solver:
    """How a path is found, and what its parameters are if not given."""

    run: Callable[[Problem], Path]
    tol: float
    usual: int | None  # features; None: as many as it takes


def _corrective(problem: Problem) -> Path:
    quadratic = problem.loss.quadratic
    return orthogonal_matching_pursuit(problem) if quadratic else forward_selection(problem)


SOLVERS = {
    "corrective": Solver(_corrective, tol=1e-20, usual=_USUAL),
    "budget": Solver(budgeted_selection, tol=0.05, usual=None),
}
LOSSES: dict[str, Callable[[Any], SmoothLoss]] = {
    "squared": lambda _: Squared(),
    "squared_hinge": lambda _: SquaredHinge(),
    "logistic": lambda _: Logistic(),
    "epsilon_insensitive": lambda p: EpsilonInsensitive(p.insensitivity, p.smoothing),
}


@dataclass(frozen=True)
class Options:
    """What the parameters of a `Greedy` mean."""

    solver: Solver
    loss: SmoothLoss
    tol: float
    penalty: float
    task: str  # how to read y

    def reads_classes(self, y: NDArray[Any]) -> bool:
        """Whether y is to be read as classes."""
        return self.loss.for_classes or reads_classes(y, self.task)


def resolve(parameters: Any) -> Options:
    """Check parameters and look up names; every complaint names the parameter."""
    for name in ("budget", "smoothing"):
        _number(parameters, name, low=0.0, strict=True)
    _number(parameters, "insensitivity", low=0.0)
    _number(parameters, "penalty", low=0.0)
    if parameters.tol is not None:
        _number(parameters, "tol", low=0.0, strict=True)
    if parameters.validation is not None:
        _number(parameters, "validation", low=0.0, strict=True, high=1.0)
    _count(parameters, "refit_every")
    if parameters.n_features is not None:
        _count(parameters, "n_features")
    loss = _look_up(parameters, "loss", LOSSES)(parameters)
    solver = _look_up(parameters, "solver", SOLVERS)
    task = _look_up(parameters, "task", {name: name for name in TASKS})
    if loss.for_classes and task == "regression":
        raise ValueError(
            f"loss={parameters.loss!r} is one for classes, but task='regression'; use "
            "loss='squared' or 'epsilon_insensitive'."
        )
    tol = solver.tol if parameters.tol is None else float(parameters.tol)
    penalty = float(parameters.penalty)
    return Options(solver, loss, tol, penalty, task)


def feature_count(asked: int | None, solver: Solver, width: int) -> int:
    """Return how many features to choose out of `width`."""
    if asked is None:
        return min(solver.usual or width, width)
    if asked > width:
        warn_user(f"n_features={asked} is more than the {width} columns of X; all may be chosen.")
    return min(int(asked), width)


def _look_up(parameters: Any, name: str, table: Mapping[str, Any]) -> Any:
    given = getattr(parameters, name)
    if not isinstance(given, str) or given not in table:
        choices = ", ".join(map(repr, table))
        raise ValueError(f"{name}={given!r} is unknown; choose one of {choices}.")
    return table[given]


def _count(parameters: Any, name: str) -> None:
    given = getattr(parameters, name)
    if isinstance(given, bool) or not isinstance(given, Integral) or given < 1:
        raise ValueError(f"{name}={given!r} must be a whole number of at least 1.")


def _number(
    parameters: Any,
    name: str,
    low: float,
    *,
    strict: bool = False,
    high: float = np.inf,
    value: Any = None,
) -> None:
    given = getattr(parameters, name) if value is None else value
    number = isinstance(given, Real) and not isinstance(given, bool)
    fine = number and low <= float(given) < high
    if not fine or (strict and given == low):
        bounds = f"{'above' if strict else 'at least'} {low:g}"
        bounds += "" if high == np.inf else f" and below {high:g}"
        raise ValueError(f"{name}={given!r} must be a number {bounds}.")
