"""Methods of the tables by name: each a factory (measure, n_landmarks, random_state) → estimator.

The papers' methods are the presets of `seamark.papers`; where that is not installed, the same
composition without the papers' tuning stands in, and says so in its definition.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import seamark as sm
from seamark.heads import Ordinal
from seamark.landmarks import Diverse, Pairs
from seamark.rivals import DBoost, KernelRegression
from seamark.transfers import Ramp

try:
    from seamark import papers
except ImportError:
    papers = None

Factory = Callable[[Any, Any, int], Any]


def kernel_regression(measure: Any, n_landmarks: int | None, random_state: int) -> Any:
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


def bbs(measure: Any, n_landmarks: int, random_state: int, landmarks: Any = "uniform") -> Any:
    return sm.LandmarkClassifier(
        measure,
        n_landmarks=n_landmarks,
        landmarks=landmarks,
        transfer="identity",
        head="svm",
        random_state=random_state,
    )


def bbs_d(measure: Any, n_landmarks: int, random_state: int) -> Any:
    return bbs(measure, n_landmarks, random_state, Diverse())


def ftune(measure: Any, n_landmarks: int, random_state: int, diverse: bool = False) -> Any:
    """Of the slopes only the first: nothing is tuned."""
    landmarks = Pairs(Diverse()) if diverse else Pairs()
    return bbs(measure, n_landmarks, random_state, landmarks).set_params(transfer=Ramp())


def dboost(measure: Any, n_landmarks: int, random_state: int) -> Any:
    return DBoost(measure, n_pairs=n_landmarks, random_state=random_state)


def default_classifier(measure: Any, n_landmarks: int | None, random_state: int) -> Any:
    return sm.LandmarkClassifier(as_users_say(measure), random_state=random_state)


def default_regressor(measure: Any, n_landmarks: int | None, random_state: int) -> Any:
    return sm.LandmarkRegressor(as_users_say(measure), random_state=random_state)


def default_ordinal(measure: Any, n_landmarks: int | None, random_state: int) -> Any:
    return sm.LandmarkOrdinal(as_users_say(measure), random_state=random_state)


def as_users_say(measure: Any) -> Any:
    """A distance that the papers negate is given to our own models as it is."""
    return measure.measure if isinstance(measure, sm.measures.Negated) else measure


STAND_INS: dict[str, Factory] = {
    "regland": regland,
    "regland_sp": regland_sp,
    "orland": orland,
    "bbs": bbs,
    "bbs_d": bbs_d,
    "ftune": ftune,
    "ftune_m": ftune,
    "dboost": dboost,
}


def preset(name: str, parameters: dict[str, Any] | None = None, **options: Any) -> Factory:
    """Return a preset of `seamark.papers`, or its stand-in.

    Parameters
    ----------
    name : str
    parameters : dict, optional
        To be set where the estimator has them; a stand-in may not.
    **options
        For the preset.
    """
    build = getattr(papers, name, STAND_INS[name])

    def with_parameters(measure: Any, n_landmarks: int, random_state: int) -> Any:
        model = build(measure, n_landmarks=n_landmarks, random_state=random_state, **options)
        known = model.get_params()
        return model.set_params(**{k: v for k, v in (parameters or {}).items() if k in known})

    return with_parameters


def stand_ins(*names: str) -> tuple[str, ...]:
    """Say on the page that the papers' own tuning was not at hand, if so."""
    missing = [name for name in names if getattr(papers, name, None) is None]
    if not missing:
        return ()
    return (f"Without the paper's tuning, for want of `seamark.papers`: {', '.join(missing)}.",)


def definition(estimator: Any) -> str:
    """Everything that makes an estimator what it is, in text: its class and all parameters."""
    parameters = {
        name: value if isinstance(value, (int, float, str, bool, type(None))) else repr(value)
        for name, value in sorted(estimator.get_params(deep=True).items())
    }
    return f"{type(estimator).__module__}.{type(estimator).__qualname__} {parameters}"
