"""Checks of fitted estimators that a file holds, before they can predict."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, is_dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from ..linear_model.calibration import OrderedCalibration
from ..linear_model.ordinal import Ordinal
from ..linear_model.ridge import StreamedRidge
from ..linear_model.ridge_statistics import FoldSums
from ..maps.trees import Levels, Trees
from ..measures import FilledColumns, Measure
from ..validation import BOUNDS, require_bounded
from .format import ModelFileError

State = dict[str, Any]
Sizes = dict[str, int]
KERNELS = ("linear", "poly", "rbf", "sigmoid", "precomputed")


def fits_together(sound: bool, cls: Any, name: str, fault: str = "does not fit the rest") -> None:
    """Stop unless a part is sound."""
    if not sound:
        title = cls if isinstance(cls, str) else cls.__name__
        raise ModelFileError(f"{name[:40]} of its {title} {fault}.")


def rule_of_libsvm(state: State, sizes: Sizes) -> None:
    """Check a support vector machine: libsvm counts, sums and indexes without a look."""
    cls, kernel, n = state["class"], state["kernel"], sizes["l"]
    # What a function of one's own answers cannot be known beforehand.
    known = isinstance(kernel, str) and kernel in KERNELS
    shown = kernel[:40] if isinstance(kernel, str) else type(kernel).__name__
    fault = f"must be one of {', '.join(KERNELS)}; got {shown!r}"
    fits_together(known, cls, "kernel", fault)
    fits_together("d" in sizes, cls, "n_features_in_", "is missing")
    in_sparse = state.get("_sparse")
    fits_together(type(in_sparse) is bool, cls, "_sparse")
    fits_together(not (in_sparse and kernel == "precomputed"), cls, "_sparse")
    classes = sizes.get("c", 2)
    fits_together(classes >= 2, cls, "classes_")
    counts, support = state["_n_support"], state["support_"]
    right = len(counts) == classes and bool((counts >= 0).all())
    # Regression has "two classes", each with all support vectors.
    total = counts.astype(np.int64).sum() if "classes_" in state else counts.max(initial=0)
    fits_together(right and total == n, cls, "_n_support")
    pairs = len(state["_intercept_"])
    fits_together(pairs == classes * (classes - 1) // 2, cls, "_intercept_")
    shape = state.get("shape_fit_")
    right = type(shape) is tuple and len(shape) == 2 and all(type(side) is int for side in shape)
    fits_together(right, cls, "shape_fit_")
    rows = shape[0] if shape is not None else 0
    fits_together(bool(((support >= 0) & (support < rows)).all()), cls, "support_")
    for name in ("_dual_coef_", "dual_coef_"):
        right = _is_matrix(state.get(name), (classes - 1, n), bool(in_sparse), full=True)
        fits_together(right, cls, name)
    if kernel == "precomputed":  # whose rows are filled up to so many columns
        most = BOUNDS["SVC"]["shape_fit_"]
        sound = max(state["shape_fit_"]) <= most
        fits_together(sound, cls, "shape_fit_", f"must be at most {most}")
    wanted = (0, 0) if kernel == "precomputed" else (n, sizes["d"])
    right = _is_matrix(state.get("support_vectors_"), wanted, bool(in_sparse))
    fits_together(right, cls, "support_vectors_")
    probable = state.get("_effective_probability", state.get("probability"))
    fits_together(type(probable) is bool, cls, "probability", "is neither true nor false")
    several = (0, pairs) if "c" in sizes else (0,)
    right = sizes["a"] == sizes["b"] and sizes["a"] in several
    fits_together(right and (sizes["a"] == pairs or not probable), cls, "_probA")


def _is_matrix(value: Any, shape: tuple[int, int], in_sparse: bool, full: bool = False) -> bool:
    """Whether a value is a finite matrix of doubles, or a sparse one with every entry stored."""
    if sparse.issparse(value) != in_sparse or np.shape(value) != shape:
        return False
    if not in_sparse:
        return _is_doubles(value) and value.ndim == 2
    every = not full or len(value.data) == shape[0] * shape[1]
    return every and _is_doubles(value.data) and bool((value.indices < shape[1]).all())


def _is_doubles(value: Any) -> bool:
    right = isinstance(value, np.ndarray) and value.dtype == np.float64
    return right and bool(np.isfinite(value).all())


def rule_of_categories(state: State, sizes: Sizes) -> None:
    """Check the categories of an encoder: numbers are searched, so they must rise."""
    cls, categories = state["class"], state.get("categories_")
    right = type(categories) is list and len(categories) == sizes.get("d")
    fits_together(right and all(map(_are_categories, categories or ())), cls, "categories_")
    fits_together(type(state.get("_infrequent_enabled")) is bool, cls, "_infrequent_enabled")
    if state["_infrequent_enabled"]:
        for name in ("_infrequent_indices", "_default_to_infrequent_mappings"):
            found = state.get(name)
            fits_together(type(found) is list and len(found) == sizes["d"], cls, name)


def _are_categories(values: Any) -> bool:
    if not isinstance(values, np.ndarray) or values.ndim != 1 or values.dtype.kind not in "biufUSO":
        return False
    if values.dtype.kind in "US":
        return len(set(values.tolist())) == len(values)
    listed = values.tolist()
    while listed and (listed[-1] is None or listed[-1] != listed[-1]):
        listed.pop()  # missing values come last
    if all(isinstance(one, (str, bytes)) for one in listed):
        return len(set(listed)) == len(listed)
    numbers = all(isinstance(one, (bool, int, float)) for one in listed)
    return numbers and all(a < b for a, b in itertools.pairwise(listed))


def rule_of_one_hot(state: State, sizes: Sizes) -> None:
    """Check that an encoder fills no column that it does not promise."""
    rule_of_categories(state, sizes)
    cls, widths = state["class"], [len(one) for one in state["categories_"]]
    if state["_infrequent_enabled"]:
        widths = [_grouped(state, i, width) for i, width in enumerate(widths)]
    dropped = state.get("_drop_idx_after_grouping")
    if dropped is not None:
        right = isinstance(dropped, np.ndarray) and dropped.shape == (len(widths),)
        fits_together(right, cls, "_drop_idx_after_grouping")
        for i, (drop, width) in enumerate(zip(dropped.tolist(), widths, strict=True)):
            right = drop is None or (isinstance(drop, (int, np.integer)) and 0 <= int(drop) < width)
            fits_together(right, cls, "_drop_idx_after_grouping")
            widths[i] = width - (drop is not None)
    promised = state.get("_n_features_outs")
    right = type(promised) is list and all(isinstance(n, (int, np.integer)) for n in promised)
    fits_together(right and promised == widths, cls, "_n_features_outs")


def _grouped(state: State, i: int, width: int) -> int:
    """Return how many columns a feature has once its rare categories are one."""
    rare, mapping = state["_infrequent_indices"][i], state["_default_to_infrequent_mappings"][i]
    if rare is None and mapping is None:
        return width
    right = all(
        isinstance(one, np.ndarray) and one.ndim == 1 and one.dtype.kind == "i"
        for one in (rare, mapping)
    )
    right = right and len(mapping) == width and 0 < len(set(rare.tolist())) == len(rare) <= width
    right = right and bool(((rare >= 0) & (rare < width)).all())
    frequent = width - len(rare) if right else 0
    right = right and bool(((mapping >= 0) & (mapping <= frequent)).all())
    fits_together(right, state["class"], "_default_to_infrequent_mappings")
    return frequent + 1


def rule_of_quantiles(state: State, sizes: Sizes) -> None:
    """Check that quantiles never fall: they are searched."""
    for name in ("references_", "quantiles_"):
        falls = bool((np.diff(state[name], axis=0) < 0).any())
        fits_together(not falls, state["class"], name, "falls somewhere")


def rule_of_indicator(state: State, sizes: Sizes) -> None:
    """Check that the features with missing values are among the features."""
    features, known = state["features_"], int(state["_n_features"])
    right = bool(((features >= 0) & (features < known)).all())
    fits_together(right, state["class"], "features_")


def rule_of_steps(state: State, sizes: Sizes) -> None:
    """Check that a pipeline or union is a list of names and estimators."""
    name = "steps" if "steps" in state else "transformer_list"
    parts = state.get(name)
    right = type(parts) in (list, tuple) and all(_is_step(one, 2) for one in parts or ())
    fits_together(right, state["class"], name)


def rule_of_columns(state: State, sizes: Sizes) -> None:
    """Check that a transformer of columns is made of names, estimators and columns."""
    fits_together("d" in sizes, state["class"], "n_features_in_", "is missing")
    for name in ("transformers", "transformers_"):
        parts = state.get(name)
        right = type(parts) in (list, tuple) and all(_is_step(one, 3) for one in parts or ())
        fits_together(right, state["class"], name)


def _is_step(one: Any, n: int) -> bool:
    if type(one) not in (list, tuple) or len(one) != n or not isinstance(one[0], str):
        return False
    if one[1] is None or isinstance(one[1], str):
        return one[1] in ("passthrough", "drop", None)
    return hasattr(one[1], "get_params")


# What scikit-learn's fitted estimators are made of: one table, `FITTED`, class by class.


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


def floats(**shapes: str) -> dict[str, Part]:
    """Return parts that are arrays of floats, by their names and shapes."""
    return {name: Part((shape,)) for name, shape in shapes.items()}


def ints(**shapes: str) -> dict[str, Part]:
    """Return parts that are arrays of whole numbers, by their names and shapes."""
    return {name: Part((shape,), "i") for name, shape in shapes.items()}


CLASSES = Part(("c",), "biufSUO", finite=False)
PER_FEATURE = Part(("d",), finite=False, optional=True)
"""Scalers let missing values through, and leave out what they were told to leave out."""
LINEAR = {"coef_": Part(("k d", "d")), "intercept_": Part(("k", "1", ""), kinds="fi")}
CLASSIFIER = {**LINEAR, "classes_": CLASSES}
REGRESSORS = ("ElasticNet", "Lasso", "LinearRegression", "Ridge")
TUNED_REGRESSORS = ("ElasticNetCV", "LassoCV", "RidgeCV")
CLASSIFIERS = ("LogisticRegression", "LogisticRegressionCV", "RidgeClassifier")
LIBSVM = {
    **ints(support_="l", _n_support="m"),
    **floats(_intercept_="p", intercept_="p", _probA="a", _probB="b"),
    "class_weight_": Part(("w",), optional=True),
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
        "PowerTransformer": Rules({"lambdas_": Part(("d",), finite=False)}),
        "QuantileTransformer": Rules(
            {"references_": Part(("q",)), "quantiles_": Part(("q d",), finite=False)},
            rule_of_quantiles,
        ),
        "RobustScaler": Rules({"scale_": PER_FEATURE, "center_": PER_FEATURE}),
        "StandardScaler": Rules(
            dict.fromkeys(("scale_", "mean_", "var_"), PER_FEATURE)
            | {"n_samples_seen_": Part(("d", ""), kinds="fi")}
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
    for base in cls.__mro__:
        room = ".".join(base.__module__.split(".")[:2])
        found = FITTED.get(room, {}).get(base.__name__)
        if found is not None:
            fitted = any(name.endswith("_") and not name.startswith("__") for name in state)
            if found.always or fitted:
                require_parts(cls, state, found)
            return


def require_parts(cls: type, state: State, found: Rules) -> None:
    """Stop unless a state has the parts that its rules name, and they go together."""
    sizes = _sizes_of(cls, state)
    for name, part in found.parts.items():
        _require(cls, state, name, part, sizes)
    if found.rule is not None:
        found.rule({**state, "class": cls.__name__}, sizes)


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


# What our own fitted parts are made of, where a file might say otherwise: shapes and counts.


def require_sound_state(cls: type, state: State) -> None:
    """Stop at the state of an instance of ours whose parts do not go together.

    Examples
    --------
    >>> from seamark.linear_model import SoftmaxCalibration
    >>> require_sound_state(SoftmaxCalibration, {"slope": np.nan, "offset": np.zeros(2)})
    Traceback (most recent call last):
    seamark.saving.format.ModelFileError: slope of its SoftmaxCalibration is not finite.
    """
    _require_bounded(cls, state)
    found = OWN.get(cls.__name__) if cls.__module__.startswith("seamark.") else None
    if found is not None and (is_dataclass(cls) or any(name in state for name in found.parts)):
        require_parts(cls, state, found)


def _require_bounded(cls: type, state: State) -> None:
    try:
        require_bounded(cls, state)
    except ValueError as error:
        raise ModelFileError(str(error)) from None


def _rule_of_sums(state: State, sizes: Sizes) -> None:
    """Features are some of the columns, and units of them are no 0."""
    cls, n, width = state["class"], state.get("n_features"), sizes["w"]
    fits_together(type(n) is int and 0 <= n < width, cls, "n_features")
    fits_together(state.get("precision") in ("single", "double"), cls, "precision")
    fits_together(bool((state["scale"] > 0).all()), cls, "scale", "is not positive")
    allowed: Any = state.get("allowed")
    right = isinstance(allowed, np.ndarray) and allowed.dtype == bool
    right = right and allowed.shape == (sizes["f"] + 1, n)
    fits_together(allowed is None or right, cls, "allowed")


def _rule_of_running(state: State, sizes: Sizes) -> None:
    """Sums and pool are of the same features, in as many folds as are counted."""
    cls, n_folds, sums = state["class"], state.get("n_folds"), state.get("sums")
    fits_together(isinstance(state.get("head"), StreamedRidge), cls, "head", "is no ridge")
    for name, most in (("seed", 2**64), ("n_rows", 2**63), ("n_folds", 2**63)):
        right = type(state.get(name)) is int and 0 <= state[name] < most
        fits_together(right, cls, name, "is no such number")
    width = sizes.get("r", 0)
    if sums is not None:
        right = isinstance(sums, FoldSums) and len(sums.moments) == n_folds
        fits_together(right and sums.n_features == width, cls, "sums")
    hidden: Any = state.get("hidden")
    right = isinstance(hidden, list) and len(hidden) in (0, n_folds)
    right = right and all(one is None or _are_places(one, width) for one in hidden)
    fits_together(right, cls, "hidden", "names features that there are not")


def _rule_of_calibrated(state: State, sizes: Sizes) -> None:
    """A slope for all classes, or one for each label, and a head that is there."""
    cls, n = state["class"], sizes["s"]
    fits_together(n == 1 or n == sizes.get("c"), cls, "slopes_")
    fits_together(isinstance(state.get("head_"), BaseEstimator), cls, "head_", "is no estimator")


def _rule_of_cuts(state: State, sizes: Sizes) -> None:
    """Cuts rise, and a higher score speaks for no lower label."""
    cls: str = state["class"]
    fits_together(bool((np.diff(state["cuts"]) > 0).all()), cls, "cuts", "do not rise")
    fits_together(float(state["slope"]) >= 0, cls, "slope", "is negative")


def _rule_of_calibrated_order(state: State, sizes: Sizes) -> None:
    """A head with thresholds, and as many cuts."""
    cls: str = state["class"]
    fits_together(isinstance(state.get("head_"), Ordinal), cls, "head_", "has no thresholds")
    known: Any = state.get("calibration_")
    right = isinstance(known, OrderedCalibration) and len(known.cuts) == sizes["c"] - 1
    fits_together(known is None or right, cls, "calibration_")


def _rule_of_each_label(state: State, sizes: Sizes) -> None:
    """As many members as there are labels that vary."""
    cls: str = state["class"]
    members: Any = state.get("members_")
    right = isinstance(members, list) and len(members) == sizes["m"]
    right = right and all(isinstance(one, BaseEstimator) for one in members)
    fits_together(right, cls, "members_")
    fits_together(_are_places(state["places_"], sizes.get("c", 0)), cls, "places_")


def _rule_of_trees(state: State, sizes: Sizes) -> None:
    """Level by level, every node of a tree is a leaf or has two children on the next level."""
    cls, trees, inner = state["class"], state["sizes"], state["columns"] >= 0
    fits_together(bool((trees > 0).all()) and trees.sum(dtype=np.int64) == sizes["k"], cls, "sizes")
    fits_together(sizes["i"] == int(inner.sum()), cls, "thresholds", "has another shape")
    fits_together(sizes["m"] == int((~inner).sum()), cls, "leaves", "has another shape")
    fits_together(int(state["leaves"].max(initial=0)) < sizes["l"], cls, "leaves")
    before = np.concatenate([[0], np.cumsum(inner)])
    deepest, last = 0, 0
    for size in trees.tolist():
        start, stop, depth = last, last + 1, 0
        last += size
        while start < stop <= last and depth <= BOUNDS[cls]["depth"] + 1:
            start, stop = stop, stop + 2 * int(before[stop] - before[start])
            depth += 1
        deepest = max(deepest, depth - 1)
        _require_bounded(Trees, {"depth": deepest})
        fits_together(start == stop == last, cls, "sizes", "does not lead on")


def _rule_of_levels(state: State, sizes: Sizes) -> None:
    """Cuts rise within a column, and their codes have room in 16 bits."""
    cls, cuts, offsets = state["class"], state["cuts"], state["offsets"]
    sound = len(offsets) > 0 and offsets[0] == 0 and offsets[-1] == len(cuts)
    steps = np.diff(offsets)
    fits_together(sound and bool(((steps >= 0) & (steps < 2**16)).all()), cls, "offsets")
    begins = np.zeros(len(cuts) + 1, dtype=bool)
    begins[offsets] = True
    fits_together(bool((begins[1:-1] | (cuts[1:] > cuts[:-1])).all()), cls, "cuts", "does not rise")


def _rule_of_history(state: State, sizes: Sizes) -> None:
    """There is room for the next loss: pairs of stretches, of a width, not all of them full."""
    cls: str = state["class"]
    n: Any = state.get("_n")
    width: Any = state.get("_width")
    fits_together(sizes["m"] > 0 and sizes["m"] % 2 == 0, cls, "_sums")
    fits_together(type(width) is int and width > 0, cls, "_width", "is no such number")
    sound = type(n) is int and 0 <= n < sizes["m"] * width
    fits_together(sound, cls, "_n", "is no such number")


def _rule_of_tree_scores(state: State, sizes: Sizes) -> None:
    """Trees ask for columns there are, and say as many numbers as there are features."""
    cls, n = state["class"], state.get("n_features_out_")
    trees: Any = state.get("trees_")
    fits_together(isinstance(trees, Trees), cls, "trees_", "are no trees")
    levels: Any = state.get("levels_")
    fits_together(isinstance(levels, Levels), cls, "levels_", "is none")
    width, filling = sizes["d"], state.get("filling_")
    if filling is not None:  # a further column says where each number that may be is missing
        known = isinstance(filling, FilledColumns) and getattr(filling.medians, "shape", None) == (
            width,
        )
        fits_together(known, cls, "filling_")
        width += len(filling.gaps)
    fits_together(len(levels.offsets) == width + 1, cls, "levels_", "has another shape")
    asked = int(trees.columns.max(initial=-1))
    fits_together(len(trees.sizes) > 0 and asked < width, cls, "trees_")
    fits_together(type(n) is int and trees.values.shape[1] == n, cls, "n_features_out_")
    fits_together(len(state["feature_numbers_"]) == n, cls, "feature_numbers_")


def _rule_of_neighbour_scores(state: State, sizes: Sizes) -> None:
    """As many objects vote as there are targets, and no more than all of them on one."""
    cls, n = state["class"], sizes["m"]
    fits_together(isinstance(state.get("measure_"), Measure), cls, "measure_", "is none")
    shape = getattr(state.get("objects_"), "shape", ())
    fits_together(shape[:1] == (n,) and n > 0, cls, "objects_")
    k, decay = state.get("k_"), state.get("decay_")
    fits_together(type(k) is int and 0 <= k <= n, cls, "k_")
    fits_together(type(decay) is float and np.isfinite(decay), cls, "decay_")
    fits_together(state.get("n_features_out_") == sizes["t"], cls, "n_features_out_")


def _are_places(places: Any, n: int) -> bool:
    """Whether an array holds different numbers from 0 to n − 1, rising."""
    if not isinstance(places, np.ndarray) or places.dtype.kind != "i" or places.ndim != 1:
        return False
    inside = bool(((places >= 0) & (places < n)).all())
    return inside and bool((places[1:] > places[:-1]).all())


OWN: dict[str, Rules] = {
    "SoftmaxCalibration": Rules(floats(slope="", offset="c")),
    "Spread": Rules(floats(coef="t r", intercept="t", bounds="t 2", ratios="m t")),
    "FoldSums": Rules(floats(moments="f w w", centre="w", scale="w"), _rule_of_sums),
    "IncrementalState": Rules(
        {
            "features": Part(("p r",), optional=True),
            "y": Part(("p", "p t"), "if", optional=True),
            "weights": Part(("p",), optional=True),
            "hashes": Part(("p",), "iu", optional=True),
            "luck": Part(("p",), optional=True),
        },
        _rule_of_running,
    ),
    "RidgeLabels": Rules(
        {
            **floats(coef_="c d", intercept_="c"),
            "slopes_": Part(("c",), optional=True),
            "oof_confusion_": Part(("c 2 2",), "i", optional=True),
        }
    ),
    "Calibrated": Rules(floats(slopes_="s", offsets_="s"), _rule_of_calibrated),
    "OrderedCalibration": Rules(floats(slope="", cuts="t"), _rule_of_cuts),
    "CalibratedOrder": Rules({"classes_": Part(("c",), "iuf")}, _rule_of_calibrated_order),
    "Trees": Rules(
        {
            **ints(sizes="t", columns="k"),
            "thresholds": Part(("i",), "u"),
            "leaves": Part(("m",), "u"),
            **floats(values="l w"),
        },
        _rule_of_trees,
    ),
    "Levels": Rules(floats(cuts="m") | ints(offsets="k"), _rule_of_levels),
    "BoostedScores": Rules(ints(feature_numbers_="t"), _rule_of_tree_scores),
    "ForestScores": Rules(ints(feature_numbers_="t"), _rule_of_tree_scores),
    "NeighbourScores": Rules(
        floats(targets_="m t") | ints(feature_numbers_="t"), _rule_of_neighbour_scores
    ),
    "History": Rules(floats(_sums="m"), _rule_of_history),
    "EachLabel": Rules(ints(places_="m", always_="c"), _rule_of_each_label),
}
"""Classes of ours by name: their arrays, and what no shape says."""
