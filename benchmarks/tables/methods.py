"""Methods of the tables by name: each a factory (measure, n_landmarks, random_state) → estimator.

The papers' methods are the presets of `seamark.papers`; where that is not installed, the same
composition without the papers' tuning stands in, and says so in its definition.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import seamark as sm
from seamark.heads import Ordinal
from seamark.rivals import KernelRegression

try:
    from seamark import papers
except ImportError:
    papers = None

Factory = Callable[[Any, int, int], Any]


def kernel_regression(measure: Any, n_landmarks: int, random_state: int) -> Any:
    """KR looks at the whole training set: the number of landmarks is not its business."""
    return KernelRegression(measure, random_state=random_state)


def regland(measure: Any, n_landmarks: int, random_state: int) -> Any:
    return sm.LandmarkRegressor(
        measure,
        n_landmarks=n_landmarks,
        transfer="identity",
        head="svr",
        random_state=random_state,
    )


def regland_sp(measure: Any, n_landmarks: int, random_state: int) -> Any:
    """Choose so many landmarks among the default number of candidates."""
    return sm.LandmarkRegressor(
        measure,
        transfer="identity",
        weighing=sm.Greedy(n_features=n_landmarks, task="regression"),
        random_state=random_state,
    )


def orland(measure: Any, n_landmarks: int, random_state: int) -> Any:
    return sm.LandmarkOrdinal(
        measure,
        n_landmarks=n_landmarks,
        landmarks="uniform",
        transfer="identity",
        head=Ordinal("exc", "fixed"),
        random_state=random_state,
    )


def default_regressor(measure: Any, n_landmarks: int, random_state: int) -> Any:
    return sm.LandmarkRegressor(as_users_say(measure), random_state=random_state)


def default_ordinal(measure: Any, n_landmarks: int, random_state: int) -> Any:
    return sm.LandmarkOrdinal(as_users_say(measure), random_state=random_state)


def as_users_say(measure: Any) -> Any:
    """A distance that the papers negate is given to our own models as it is."""
    return measure.measure if isinstance(measure, sm.measures.Negated) else measure


STAND_INS: dict[str, Factory] = {
    "regland": regland,
    "regland_sp": regland_sp,
    "orland": orland,
}


def preset(name: str) -> Factory:
    """Return a preset of `seamark.papers`, or its stand-in."""
    known = getattr(papers, name, None)
    if known is None:
        return STAND_INS[name]
    return lambda measure, n_landmarks, random_state: known(
        measure, n_landmarks=n_landmarks, random_state=random_state
    )


def is_stand_in(name: str) -> bool:
    return getattr(papers, name, None) is None


def definition(estimator: Any) -> str:
    """Everything that makes an estimator what it is, in text: its class and all parameters."""
    parameters = {
        name: value if isinstance(value, (int, float, str, bool, type(None))) else repr(value)
        for name, value in sorted(estimator.get_params(deep=True).items())
    }
    return f"{type(estimator).__module__}.{type(estimator).__qualname__} {parameters}"
