"""What our own fitted parts are made of, where a file might say otherwise: shapes and counts."""

from __future__ import annotations

from dataclasses import is_dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from ..bounds import BOUNDS, require_bounded
from ..linear_model.base import StreamedRidge
from ..linear_model.calibrated_order import OrderedCalibration
from ..linear_model.ordinal import Thresholded
from ..linear_model.sums import FoldSums
from ..maps.trees import Trees
from ..measures import FilledColumns
from .errors import ModelFileError
from .sklearn_checks import Part, Rules, floats, ints, require_parts
from .sklearn_rules import Sizes, State, fits_together


def require_sound(cls: type, state: State) -> None:
    """Stop at the state of an instance of ours whose parts do not go together.

    Examples
    --------
    >>> from seamark.linear_model import SoftmaxCalibration
    >>> require_sound(SoftmaxCalibration, {"slope": np.nan, "offset": np.zeros(2)})
    Traceback (most recent call last):
    seamark.saving.errors.ModelFileError: slope of its SoftmaxCalibration is not finite.
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
    fits_together(isinstance(state.get("head_"), Thresholded), cls, "head_", "has no thresholds")
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
    """Every way from a root ends in a leaf: children come later, and leaves have words."""
    cls, n, columns = state["class"], sizes["k"], state["columns"]
    roots, left, right = state["roots"], state["left"], state["right"]
    fits_together(bool(((roots >= 0) & (roots < n)).all()), cls, "roots")
    leaf, place = columns < 0, np.arange(n)
    for name, child in (("left", left), ("right", right)):
        sound = (child[~leaf] > place[~leaf]) & (child[~leaf] < n)
        fits_together(bool(sound.all()), cls, name, "does not lead on")
    words = left[leaf]
    fits_together(bool(((words >= 0) & (words < sizes["l"])).all()), cls, "left")
    reached = np.concatenate([roots, left[~leaf], right[~leaf]])  # by one way only, as in trees
    fits_together(len(np.unique(reached)) == len(reached), cls, "roots", "share their nodes")
    level, depth = roots[~leaf[roots]], 0
    while len(level) and depth <= BOUNDS[cls]["depth"]:
        level, depth = np.concatenate([left[level], right[level]]), depth + 1
        level = level[~leaf[level]]
    _require_bounded(Trees, {"depth": depth})


def _rule_of_history(state: State, sizes: Sizes) -> None:
    """There is room for the next loss: pairs of stretches, of a width, not all of them full."""
    cls: str = state["class"]
    n: Any = state.get("_n")
    width: Any = state.get("_width")
    fits_together(sizes["m"] > 0 and sizes["m"] % 2 == 0, cls, "_sums")
    fits_together(type(width) is int and width > 0, cls, "_width", "is no such number")
    sound = type(n) is int and 0 <= n < sizes["m"] * width
    fits_together(sound, cls, "_n", "is no such number")


def _rule_of_forest(state: State, sizes: Sizes) -> None:
    """Trees ask for columns there are, and say as many numbers as there are features."""
    cls, n = state["class"], state.get("n_features_out_")
    trees: Any = state.get("trees_")
    fits_together(isinstance(trees, Trees), cls, "trees_", "are no trees")
    width, filling = sizes["d"], state.get("filling_")
    if filling is not None:  # a further column says where each number that may be is missing
        known = isinstance(filling, FilledColumns) and getattr(filling.medians, "shape", None) == (
            width,
        )
        fits_together(known, cls, "filling_")
        width += len(filling.gaps)
    fits_together(len(state["centre_"]) == width, cls, "centre_", "has another shape")
    asked = int(trees.columns.max(initial=-1))
    fits_together(len(trees.roots) > 0 and asked < width, cls, "trees_")
    fits_together(type(n) is int and trees.said.shape[1] == n, cls, "n_features_out_")
    fits_together(len(state["feature_numbers_"]) == n, cls, "feature_numbers_")
    fits_together(bool((state["scale_"] > 0).all()), cls, "scale_", "is not positive")


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
    "Running": Rules(
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
            **ints(roots="m", columns="k"),
            **floats(thresholds="k"),
            **ints(left="k", right="k"),
            **floats(said="l t"),
        },
        _rule_of_trees,
    ),
    "ForestScores": Rules(
        floats(centre_="m", scale_="m") | ints(feature_numbers_="t"), _rule_of_forest
    ),
    "History": Rules(floats(_sums="m"), _rule_of_history),
    "EachLabel": Rules(ints(places_="m", always_="c"), _rule_of_each_label),
}
"""Classes of ours by name: their arrays, and what no shape says."""
