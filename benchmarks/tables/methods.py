"""Methods of the tables by name: each a factory (measure, n_landmarks, random_state) → estimator.

The papers' methods are the presets of `seamark.papers`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import seamark as sm
from seamark import papers
from seamark.baselines import KernelRegression

Factory = Callable[[Any, Any, int], Any]


def kernel_regression(measure: Any, n_landmarks: int | None, random_state: int) -> Any:
    """KR looks at the whole training set: the number of landmarks is not its business."""
    return KernelRegression(measure, random_state=random_state)


def default_classifier(measure: Any, n_landmarks: int | None, random_state: int) -> Any:
    return sm.LandmarkClassifier(as_users_say(measure), random_state=random_state)


def default_regressor(measure: Any, n_landmarks: int | None, random_state: int) -> Any:
    return sm.LandmarkRegressor(as_users_say(measure), random_state=random_state)


def default_ordinal(measure: Any, n_landmarks: int | None, random_state: int) -> Any:
    return sm.LandmarkOrdinal(as_users_say(measure), random_state=random_state)


def as_users_say(measure: Any) -> Any:
    """A distance that the papers negate is given to our own models as it is."""
    return measure.measure if isinstance(measure, sm.measures.Negated) else measure


def preset(name: str, parameters: dict[str, Any] | None = None, **options: Any) -> Factory:
    """Return a preset of `seamark.papers`.

    Parameters
    ----------
    name : str
    parameters : dict, optional
        To be set afterwards, such as ``tune__share``.
    **options
        For the preset.
    """
    build = getattr(papers, name)

    def with_parameters(measure: Any, n_landmarks: int, random_state: int) -> Any:
        model = build(measure, n_landmarks=n_landmarks, random_state=random_state, **options)
        return model.set_params(**(parameters or {}))

    return with_parameters


def definition(estimator: Any) -> str:
    """Everything that makes an estimator what it is, in text: its class and all parameters."""
    parameters = {
        name: value if isinstance(value, (int, float, str, bool, type(None))) else repr(value)
        for name, value in sorted(estimator.get_params(deep=True).items())
    }
    return f"{type(estimator).__module__}.{type(estimator).__qualname__} {parameters}"
