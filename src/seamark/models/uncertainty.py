"""What a model does not know: intervals, sets of classes, and objects unlike any seen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .. import engine
from ..data import Amounts, Categories, Mixed
from ..linear_model import core_of
from ..linear_model.intervals import conformal_quantile
from ..maps import LandmarkMap, WithGaps
from ..measures import matrix_inside
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
        return _of_new_categories(measure, objects)
    recipe = measure.recipe(one.landmarks_)
    if isinstance(measure.domain, Categories):
        return np.asarray(_nearest(one, recipe, objects) > -1, dtype=np.float64)
    n = one.landmarks_.shape[0]
    few = min(n, USUAL_LANDMARKS)
    some = np.unique(np.linspace(0, n - 1, few).round().astype(np.intp))
    usual = np.sort(_nearest(one, recipe, one.landmarks_[some], some))
    return np.searchsorted(usual, _nearest(one, recipe, objects)) / len(usual)


def _of_new_categories(measure: Any, rows: Floats) -> Floats | None:
    """Return 1 for each row of which a category is new; 0: all are known, or missing as in fit.

    None where there are no categories.
    """
    if not isinstance(measure.domain, Mixed):
        return None
    known = [names is not None for names in measure.names]
    whole = np.setdiff1d(np.flatnonzero(known), measure.gaps)
    return np.asarray(np.isnan(rows[:, whole]).any(axis=1), dtype=np.float64)


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


def intervals(
    model: Any, X: Any, coverage: float, groups: Any = None, calibration: Any = None
) -> Floats:
    """Return lower and upper ends (n, 2), or (n, T, 2) of several targets."""
    check_is_fitted(model, "head_")
    spread = getattr(model.head_, "spread_", None)
    if spread is None:
        raise ValueError(
            "intervals need errors out of fold, and the head kept none; take head='ridge', or "
            "RidgeRegressor(calibrate=True)."
        )
    said = np.asarray(model._predict(X, "spread"), dtype=np.float64)
    if groups is None and calibration is None:
        factors = spread.factors(coverage)
    else:
        held_out = HeldOut.of(calibration, groups, len(said))
        known = np.asarray(model._predict(held_out.X, "spread"), dtype=np.float64)
        truth = np.asarray(held_out.y, dtype=np.float64).reshape(len(known), -1)
        ratios = np.abs(truth - known[:, :, 0]) / known[:, :, 1]
        factors = np.stack([held_out.quantiles(one, coverage) for one in ratios.T], axis=1)
    reach = factors * said[:, :, 1]
    ends = np.stack([said[:, :, 0] - reach, said[:, :, 0] + reach], axis=2)
    return ends[:, 0] if np.ndim(model.head_.coef_) == 1 else ends


@dataclass(frozen=True)
class HeldOut:
    """Rows that a model has not seen, by which its intervals and sets are calibrated.

    Attributes
    ----------
    X, y : objects and targets
    own : ndarray of shape (m,)
        The group of each of these rows.
    groups : ndarray of shape (n,)
        The group of each row that is asked about.
    """

    X: Any
    y: Any
    own: NDArray[Any]
    groups: NDArray[Any]

    @classmethod
    def of(cls, calibration: Any, groups: Any, n: int) -> HeldOut:
        """Read ``calibration=`` and ``groups=``, of which at least one is given."""
        form = "calibration=(X, y)" if groups is None else "calibration=(X, y, groups)"
        parts = calibration if isinstance(calibration, (tuple, list)) else ()
        if len(parts) != (2 if groups is None else 3):
            raise ValueError(
                f"Give {form}: objects that fit has not seen, and their targets"
                f"{'' if groups is None else ' and groups'}."
            )
        X, y = parts[:2]
        own = np.zeros(len(y), dtype=np.intp) if groups is None else np.asarray(parts[2])
        asked = np.zeros(n, dtype=np.intp) if groups is None else np.asarray(groups)
        if len(own) != len(y) or len(asked) != n:
            raise ValueError("Give one group for each object, of X and of calibration=.")
        return cls(X, y, own, asked)

    def quantiles(self, scores: Floats, coverage: float) -> Floats:
        """Return the quantile of the scores of its group for each row that is asked about.

        Infinity where a group has too few rows for the coverage.
        """
        found = {
            group: conformal_quantile(np.sort(scores[self.own == group]), coverage)
            for group in np.unique(self.groups)
        }
        return np.array([found[group] for group in self.groups])


def has_probabilities(model: Any) -> bool:
    """Whether a classifier has probabilities, or will have them once it is fitted."""
    if hasattr(model, "head_"):
        return hasattr(model.head_, "predict_proba")
    head = model._parts(np.random.default_rng(0))[0]
    return hasattr(head, "predict_proba") or (
        model.calibrate and hasattr(head, "decision_function")
    )


def class_sets(
    model: Any,
    X: Any,
    coverage: float,
    by_class: bool = False,
    groups: Any = None,
    calibration: Any = None,
) -> NDArray[np.bool_]:
    """Return which classes are in the set of each object, (n, n_classes)."""
    check_is_fitted(model, "head_")
    if has_labels(model):
        raise ValueError(
            "sets of classes are for objects of one class each, and these have several labels; "
            "predict_proba says how likely each label is."
        )
    if groups is not None or calibration is not None:
        return _sets_from_held_out(model, X, coverage, by_class, groups, calibration)
    name = "class_conformity_scores_" if by_class else "conformity_scores_"
    head = core_of(model.head_)
    scores = getattr(head, name, None)
    if scores is None and getattr(head, "conformity_scores_", None) is not None:
        raise ValueError(
            "by_class=True needs conformity scores of each class, which this model lacks: it was "
            "saved by an older version. Fit it again, or give calibration=(X, y)."
        )
    if scores is None:
        raise ValueError(
            "sets of classes need probabilities out of fold, and the head kept none; take "
            "head='ridge'."
        )
    if by_class:
        most = np.array([_largest_score(one, coverage) for one in scores])
    else:
        most = np.array([_largest_score(scores, coverage)])
    return np.asarray(1.0 - model.predict_proba(X) <= most)


def _sets_from_held_out(
    model: Any, X: Any, coverage: float, by_class: bool, groups: Any, calibration: Any
) -> NDArray[np.bool_]:
    """Return sets by the scores of rows that fit has not seen, of each group, or of each class."""
    chances = model.predict_proba(X)
    if by_class and groups is not None:
        raise ValueError("Give either by_class=True or groups=, not both.")
    held_out = HeldOut.of(calibration, groups, len(chances))
    codes = np.searchsorted(model.classes_, np.asarray(held_out.y))
    if not np.array_equal(model.classes_.take(codes, mode="clip"), held_out.y):
        raise ValueError("calibration= holds a class that fit has not seen.")
    scores = 1.0 - model.predict_proba(held_out.X)[np.arange(len(codes)), codes]
    if not by_class:
        return np.asarray(1.0 - chances <= held_out.quantiles(scores, coverage)[:, None])
    every = np.arange(len(model.classes_))
    own_class = replace(held_out, own=codes, groups=every)
    return np.asarray(1.0 - chances <= own_class.quantiles(scores, coverage))


def _largest_score(scores: NDArray[Any], coverage: float) -> float:
    """Return how unlikely a class may be out of fold, and still belong to a set.

    Of a model that says nearly the same of all rows, those of the folds and the whole one differ
    by chance: were the quantile the border, all rows or none would have a class. So where more rows
    than may be left out lie within a probability's own error of the border, they count as ties.
    """
    most = conformal_quantile(scores, coverage)
    if np.isfinite(most):
        error = np.sqrt(max(most * (1.0 - most), 0.0) / len(scores))
        if (np.abs(scores - most) <= error).mean() > 1.0 - coverage:
            most += error
    return most
