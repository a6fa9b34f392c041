"""What a model does not know: intervals, sets of classes, and objects unlike any seen."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .. import engine
from ..data import Amounts, Categories
from ..estimating import matrix_inside
from ..linear_model import core_of
from ..linear_model.intervals import conformal_quantile
from ..maps import LandmarkMap, WithGaps
from .explain import has_labels

Floats = NDArray[np.float64]
# Landmarks whose own nearest landmark shows how far away objects usually are.
USUAL_LANDMARKS = 300


def novelty_of(model: Any, X: Any) -> Floats:
    """Return how unlike all landmarks each object is, from 0 to 1."""
    check_is_fitted(model, "map_")
    objects = model._ingested(X)
    blocks = model.map_.blocks_
    shares = map(_share, blocks, getattr(objects, "parts", [objects] * len(blocks)))
    found = [share for share in shares if share is not None]
    if not found:
        raise ValueError(
            "novelty needs landmarks that are objects, and a measure that says whether small "
            "or large values mean alike; this model has no block with both: name such a "
            'measure, as in measure="levenshtein" or "dtw".'
        )
    return np.asarray(np.max(found, axis=0) ** len(found))


def _share(one: Any, objects: Any) -> Floats | None:
    """Return for each object the share of landmarks that are nearer to another; None: unknown."""
    if isinstance(one, WithGaps):
        if objects.objects is None:
            return np.zeros(len(objects))
        inner = _share(one.map_, objects.objects)
        return None if inner is None else np.where(objects.missing, 0.0, inner)
    if not isinstance(one, LandmarkMap) or one.landmarks_.shape[0] < 2:
        return None
    measure = one.measures_[0]
    numbers = isinstance(measure.domain, Amounts)  # which stand beside `NumericColumns`
    if (
        numbers
        or measure.kind is None
        or measure.compares_parts
        or matrix_inside(measure) is not None
    ):
        return None
    recipe = measure.recipe(one.landmarks_)
    if isinstance(measure.domain, Categories):
        return np.asarray(_nearest(one, recipe, objects) > -1, dtype=np.float64)
    n = one.landmarks_.shape[0]
    few = min(n, USUAL_LANDMARKS)
    some = np.unique(np.linspace(0, n - 1, few).round().astype(np.intp))
    usual = np.sort(_nearest(one, recipe, one.landmarks_[some], some))
    return np.searchsorted(usual, _nearest(one, recipe, objects)) / len(usual)


def _nearest(one: Any, recipe: Any, objects: Any, own: Any = None) -> Floats:
    """Return the least distance, or minus the largest similarity; not to `own` landmarks."""
    sign, n = one.measures_[0].distance_sign(), objects.shape[0]
    found = np.empty(n)
    for rows in one.row_chunks(n):
        values = sign * engine.run(recipe, objects[rows], n_jobs=one.n_jobs)
        if own is not None:
            values[np.arange(len(values)), own[rows]] = np.inf
        found[rows] = values.min(axis=1)
    return found


def intervals(model: Any, X: Any, coverage: float) -> Floats:
    """Return lower and upper ends (n, 2), or (n, T, 2) of several targets."""
    check_is_fitted(model, "head_")
    spread = getattr(model.head_, "spread_", None)
    if spread is None:
        raise ValueError(
            "intervals need errors out of fold, and the head kept none; take head='ridge', or "
            "RidgeRegressor(calibrate=True)."
        )
    factors = spread.factors(coverage)
    said = np.asarray(model._predict(X, "spread"), dtype=np.float64)
    reach = factors * said[:, :, 1]
    ends = np.stack([said[:, :, 0] - reach, said[:, :, 0] + reach], axis=2)
    return ends[:, 0] if np.ndim(model.head_.coef_) == 1 else ends


def has_probabilities(model: Any) -> bool:
    """Whether a classifier has probabilities, or will have them once it is fitted."""
    if hasattr(model, "head_"):
        return hasattr(model.head_, "predict_proba")
    head = model._parts(np.random.default_rng(0))[0]
    return hasattr(head, "predict_proba") or (
        model.calibrate and hasattr(head, "decision_function")
    )


def class_sets(model: Any, X: Any, coverage: float) -> NDArray[np.bool_]:
    """Return which classes are in the set of each object, (n, n_classes)."""
    check_is_fitted(model, "head_")
    if has_labels(model):
        raise ValueError(
            "sets of classes are for objects of one class each, and these have several labels; "
            "predict_proba says how likely each label is."
        )
    doubts = getattr(core_of(model.head_), "conformity_scores_", None)
    if doubts is None:
        raise ValueError(
            "sets of classes need probabilities out of fold, and the head kept none; take "
            "head='ridge'."
        )
    most = conformal_quantile(doubts, coverage)
    # Of a model that says nearly the same of all rows, those of the folds and the whole one differ
    # by chance: were this the border, all rows or none would have a class. So where more rows than
    # may be left out lie within a probability's own error of the border, they count as ties.
    error = np.sqrt(max(most * (1.0 - most), 0.0) / len(doubts))
    if (np.abs(doubts - most) <= error).mean() > 1.0 - coverage:
        most += error
    return np.asarray(1.0 - model.predict_proba(X) <= most)
