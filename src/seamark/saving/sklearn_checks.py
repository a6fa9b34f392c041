"""What scikit-learn's fitted estimators are made of: one table, `FITTED`, class by class.

Native code of others trusts its arrays: a support vector machine with a negative count of support
vectors, or an encoder that promises fewer columns than it fills, reads and writes memory that is
not its own. So every attribute that `predict` or `transform` uses is checked for its shape, type,
sign and sum when a file is read, and when one is written.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .errors import ModelFileError
from .sklearn_rules import (
    Sizes,
    State,
    fits_together,
    rule_of_categories,
    rule_of_columns,
    rule_of_indicator,
    rule_of_libsvm,
    rule_of_one_hot,
    rule_of_quantiles,
    rule_of_steps,
)

NUMBERS = (np.ndarray, np.generic, float, int)


@dataclass(frozen=True)
class Part:
    """An attribute that `fit` sets.

    Attributes
    ----------
    shapes : tuple of str
        The shapes it may have, as names of sizes: "k d", or "" for one number. Equal names in one
        estimator are equal sizes; d is the number of features, c that of classes.
    kinds : str
        Kinds of numpy's types.
    finite : bool
        Whether NaN and infinity are refused.
    optional : bool
        Whether it may be None, or not be there.
    """

    shapes: tuple[str, ...]
    kinds: str = "f"
    finite: bool = True
    optional: bool = False


@dataclass(frozen=True)
class Rules:
    """What an estimator of one class must have; `rule` says what no shape can.

    `always`: also of one that is not fitted, as a pipeline never says whether it is.
    """

    parts: dict[str, Part]
    rule: Callable[[State, Sizes], None] | None = None
    always: bool = False


def _numbers(*shapes: str, **options: Any) -> Part:
    return Part(shapes, **options)


def floats(**shapes: str) -> dict[str, Part]:
    """Return parts that are arrays of floats, by their names and shapes."""
    return {name: Part((shape,)) for name, shape in shapes.items()}


def ints(**shapes: str) -> dict[str, Part]:
    """Return parts that are arrays of whole numbers, by their names and shapes."""
    return {name: Part((shape,), "i") for name, shape in shapes.items()}


CLASSES = Part(("c",), "biufSUO", finite=False)
PER_FEATURE = _numbers("d", finite=False, optional=True)
"""Scalers let missing values through, and leave out what they were told to leave out."""
LINEAR = {"coef_": _numbers("k d", "d"), "intercept_": _numbers("k", "1", "", kinds="fi")}
CLASSIFIER = {**LINEAR, "classes_": CLASSES}
REGRESSORS = ("ElasticNet", "Lasso", "LinearRegression", "Ridge")
TUNED_REGRESSORS = ("ElasticNetCV", "LassoCV", "RidgeCV")
CLASSIFIERS = ("LogisticRegression", "LogisticRegressionCV", "RidgeClassifier")
LIBSVM = {
    **ints(support_="l", _n_support="m"),
    **floats(_intercept_="p", intercept_="p", _probA="a", _probB="b"),
    "class_weight_": _numbers("w", optional=True),
}

FITTED: dict[str, dict[str, Rules]] = {
    "sklearn.compose": {
        "ColumnTransformer": Rules({}, rule_of_columns),
        "TransformedTargetRegressor": Rules({}),
    },
    "sklearn.decomposition": {
        "PCA": Rules(floats(components_="k d", mean_="d", explained_variance_="k")),
        "TruncatedSVD": Rules(floats(components_="k d")),
    },
    "sklearn.impute": {
        "MissingIndicator": Rules(ints(features_="m", _n_features=""), rule_of_indicator),
        "SimpleImputer": Rules({"statistics_": Part(("d",), "biufSUO", finite=False)}),
    },
    "sklearn.linear_model": {
        **dict.fromkeys((*REGRESSORS, *TUNED_REGRESSORS), Rules(LINEAR)),
        **dict.fromkeys(("ElasticNetCV", "LassoCV", "RidgeCV"), Rules(LINEAR)),
        **dict.fromkeys(CLASSIFIERS, Rules(CLASSIFIER)),
    },
    "sklearn.pipeline": {
        "FeatureUnion": Rules({}, rule_of_steps, always=True),
        "Pipeline": Rules({}, rule_of_steps, always=True),
    },
    "sklearn.preprocessing": {
        "Binarizer": Rules({}),
        "FunctionTransformer": Rules({}),
        "LabelBinarizer": Rules({"classes_": CLASSES}),
        "LabelEncoder": Rules({"classes_": CLASSES}),
        "MaxAbsScaler": Rules({"scale_": PER_FEATURE, "max_abs_": PER_FEATURE}),
        "MinMaxScaler": Rules(
            dict.fromkeys(("scale_", "min_", "data_min_", "data_max_", "data_range_"), PER_FEATURE)
        ),
        "Normalizer": Rules({}),
        "OneHotEncoder": Rules({}, rule_of_one_hot),
        "OrdinalEncoder": Rules({}, rule_of_categories),
        "PowerTransformer": Rules({"lambdas_": _numbers("d", finite=False)}),
        "QuantileTransformer": Rules(
            {"references_": _numbers("q"), "quantiles_": _numbers("q d", finite=False)},
            rule_of_quantiles,
        ),
        "RobustScaler": Rules({"scale_": PER_FEATURE, "center_": PER_FEATURE}),
        "StandardScaler": Rules(
            dict.fromkeys(("scale_", "mean_", "var_"), PER_FEATURE)
            | {"n_samples_seen_": _numbers("d", "", kinds="fi")}
        ),
    },
    "sklearn.svm": {
        "LinearSVC": Rules(CLASSIFIER),
        "LinearSVR": Rules(LINEAR),
        "SVC": Rules({**LIBSVM, "classes_": CLASSES}, rule_of_libsvm),
        "SVR": Rules(LIBSVM, rule_of_libsvm),
    },
}
"""The classes of scikit-learn that a file may name, by their public modules."""
ONE_ROW_FOR_TWO = {"LogisticRegression", "LogisticRegressionCV", "LinearSVC"}
"""Classifiers that keep one row of coefficients for two classes, and else one for each."""


def require_fitted_well(cls: type, state: State) -> None:
    """Stop at the state of an estimator of scikit-learn whose parts do not go together.

    Parameters
    ----------
    cls : type
        Of a class that is not in the table, or below one that is, nothing is known.
    state : dict
        Its parameters, and what `fit` set.
    """
    found = next(filter(None, map(_rules_of, cls.__mro__)), None)
    if found is None or not (found.always or any(map(_is_fitted_name, state))):
        return
    require_parts(cls, state, found)


def require_parts(cls: type, state: State, found: Rules) -> None:
    """Stop unless a state has the parts that its rules name, and they go together."""
    sizes = _sizes_of(cls, state)
    for name, part in found.parts.items():
        _require(cls, state, name, part, sizes)
    if found.rule is not None:
        found.rule({**state, "class": cls.__name__}, sizes)


def _rules_of(cls: type) -> Rules | None:
    room = ".".join(cls.__module__.split(".")[:2])
    return FITTED.get(room, {}).get(cls.__name__)


def _is_fitted_name(name: str) -> bool:
    return name.endswith("_") and not name.startswith("__")


def _sizes_of(cls: type, state: State) -> Sizes:
    """Return the sizes that are known before any array is looked at."""
    sizes: Sizes = {}
    if (features := state.get("n_features_in_")) is not None:
        if type(features) is not int or features < 0:
            raise ModelFileError(f"its {cls.__name__} has {str(features)[:20]!r} features.")
        sizes["d"] = features
    names = state.get("feature_names_in_")
    if names is not None:
        sound = isinstance(names, np.ndarray) and names.shape == (sizes.get("d"),)
        fits_together(sound and all(isinstance(n, str) for n in names), cls, "feature_names_in_")
    classes = state.get("classes_")
    if isinstance(classes, np.ndarray) and classes.ndim == 1 and len(classes):
        sizes["c"] = len(classes)
        if cls.__name__ in ONE_ROW_FOR_TWO:
            sizes["k"] = 1 if len(classes) == 2 else len(classes)
    return sizes


def _require(cls: type, state: State, name: str, part: Part, sizes: Sizes) -> None:
    value = state.get(name)
    if value is None:
        fits_together(part.optional, cls, name, "is missing")
        return
    right = isinstance(value, NUMBERS) and not isinstance(value, bool)
    fits_together(right, cls, name, "is no array of numbers")
    array = np.asarray(value)
    fits_together(array.dtype.kind in part.kinds, cls, name, f"is of type {array.dtype}")
    bounds = [_bound(array.shape, shape, sizes) for shape in part.shapes]
    bound = next((one for one in bounds if one is not None), None)
    fits_together(bound is not None, cls, name, f"has the shape {array.shape}")
    sizes.update(bound or {})
    if part.finite and array.dtype.kind == "f":
        fits_together(bool(np.isfinite(array).all()), cls, name, "is not finite")


def _bound(shape: tuple[int, ...], names: str, sizes: Sizes) -> Sizes | None:
    """Return the sizes that a shape says, or None if it contradicts those that are known."""
    wanted = names.split()
    if len(wanted) != len(shape):
        return None
    bound: Sizes = {}
    for name, side in zip(wanted, shape, strict=True):
        known = int(name) if name.isdigit() else sizes.get(name, bound.get(name, side))
        if known != side:
            return None
        bound[name] = side
    return bound
