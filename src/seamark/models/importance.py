"""Importance of columns: for the score on unseen rows, and in one prediction."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier, is_regressor

from ..data import Amounts, Mixed, Vectors, as_table
from ..maps import LandmarkMap, NumericColumns
from ..maps.base import Contribution, column_contribution, dense32
from ..maps.forest import TreeScores
from ..measures import matrix_inside
from ..validation import require_same_length
from .explanation import Reason

Rows = NDArray[np.intp]

MOST_LEARNED, MOST_HELD = 2000, 500  # rows to learn from, and to predict
MOST_COLUMNS = 200
SHARES, FEWEST_LEARNED = (0.125, 0.25, 0.5), 20  # of the rows to learn from, in a learning curve
SHUFFLED = 60  # columns times shuffles, about: three of each where there are twenty


@dataclass(frozen=True)
class Importance:
    """By how much a score falls without what one column says, and the 95 % interval."""

    column: str
    loss: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.loss:.3f} ({self.low:.3f} … {self.high:.3f})"


@dataclass(frozen=True)
class UnseenRows:
    """Rows that a copy of a model, fitted to others, has predicted.

    Attributes
    ----------
    truth, predictions : ndarray of shape (n,) or (n, T)
    importances : list of Importance
        Of columns, the largest first; empty where objects have none.
    curve : list of (int, float, float, float)
        Rows that copies were fitted to, their scores on the unseen rows, and the ends of the 95 %
        intervals: a learning curve.
    """

    truth: NDArray[Any]
    predictions: NDArray[Any]
    importances: list[Importance]
    curve: list[tuple[int, float, float, float]] = field(default_factory=list)


def unseen_rows(model: Any, X: Any, y: Any, *, curve: bool = False) -> UnseenRows | None:
    """Fit a copy of a model to three quarters of the rows, and ask it about the others.

    Out-of-fold models are not kept, and rows that a model was fitted to would flatter what it
    learned by heart. So a copy of the model is fitted to three quarters, at most 2,000 rows, and
    predicts up to 500 of the others; equal objects are in one part. A column's importance is by
    how much the score of these (accuracy, or R²) falls when its values are shuffled among them, on
    average over shuffles; the interval is that of a mean over rows. Columns that say the same
    stand in for one another: each then seems to matter less.

    Parameters
    ----------
    model : fitted LandmarkModel
    X, y : objects and targets
        Those of `fit`.
    curve : bool, default=False
        Fit copies to fewer rows, too, for a learning curve.

    Returns
    -------
    UnseenRows or None
        None of what cannot be parted like this: a matrix of values, rankings, several labels.
    """
    measures = [one for block in model.map_.blocks_ for one in getattr(block, "measures_", [])]
    whole = any(matrix_inside(one) is not None for one in measures)
    known = is_classifier(model) or is_regressor(model)
    if whole or not known or getattr(model, "multilabel_", False):
        return None
    X = as_table(X) if model._reads_tables else X
    objects = model._ingested(X)
    require_same_length(objects, np.asarray(y))
    groups = np.unique(model.map_.groups(objects), return_inverse=True)[1].ravel()
    rng = np.random.default_rng(0)
    order = rng.permutation(len(groups))
    is_held = rng.permutation(groups.max() + 1)[groups[order]] % 4 == 0
    learned, held = np.sort(order[~is_held][:MOST_LEARNED]), np.sort(order[is_held][:MOST_HELD])
    copy = clone(model).set_params(progress=False)
    unseen, truth = rows_of(X, held), np.asarray(y)[held]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # whatever there is to warn of, the fit to all rows has
        copy.fit(rows_of(X, learned), rows_of(y, learned))
        found = _predicted(copy, unseen, truth, rng)
        points = []
        for share in SHARES if curve else ():
            some = np.sort(order[~is_held][: int(share * len(learned))])
            if len(some) < FEWEST_LEARNED or (is_classifier(model) and _lacks_a_class(y, some)):
                continue
            smaller = clone(copy).fit(rows_of(X, some), rows_of(y, some))
            points.append(_scored(len(some), _losses(model, smaller.predict(unseen), truth)))
    points.append(_scored(len(learned), _losses(model, found.predictions, truth)))
    return replace(found, curve=points)


def _lacks_a_class(y: Any, rows: Rows) -> bool:
    known, counts = np.unique(np.asarray(y)[rows], return_counts=True)
    return len(known) < len(np.unique(np.asarray(y))) or counts.min() < 2


def _losses(model: Any, predictions: NDArray[Any], truth: NDArray[Any]) -> NDArray[np.float64]:
    """Return the loss of each row: 1 − their mean is the score, accuracy or R²."""
    if is_classifier(model):
        return np.asarray(predictions != truth, dtype=np.float64)
    spread = max(float(np.var(truth, axis=0).sum()), 1e-300)
    return np.asarray(((predictions - truth) ** 2).reshape(len(truth), -1).sum(axis=1) / spread)


def _scored(n: int, losses: NDArray[np.float64]) -> tuple[int, float, float, float]:
    reach = 1.96 * float(losses.std()) / np.sqrt(len(losses))
    score = 1.0 - float(losses.mean())
    return n, score, score - reach, min(1.0, score + reach)


def _predicted(copy: Any, X: Any, truth: NDArray[Any], rng: np.random.Generator) -> UnseenRows:
    objects = copy._ingested(X)
    parts = getattr(objects, "parts", [objects] * len(copy.map_.blocks_))
    features = dense32(copy.map_.block(objects))

    def predictions(features: NDArray[Any]) -> NDArray[Any]:
        predicted = np.asarray(copy._predict_block("predict", features))
        return np.asarray(copy.classes_[predicted] if hasattr(copy, "classes_") else predicted)

    def losses(features: NDArray[Any]) -> NDArray[np.float64]:
        return _losses(copy, predictions(features), truth)

    columns = _columns_of(copy, parts)
    before, found = losses(features), []
    for name, places in columns.items():
        n_shuffles = max(1, min(5, SHUFFLED // len(columns)))
        rises = [
            losses(_shuffled(copy.map_, features, parts, places, rng.permutation(len(truth))))
            - before
            for _ in range(n_shuffles)
        ]
        rise = np.mean(rises, axis=0)
        reach = 1.96 * float(rise.std()) / np.sqrt(len(rise))
        loss = float(rise.mean())
        found.append(Importance(name, loss, loss - reach, loss + reach))
    found.sort(key=lambda one: -one.loss)
    return UnseenRows(truth, predictions(features), found)


def _columns_of(model: Any, parts: list[Any]) -> dict[str, list[tuple[int, int | None]]]:
    """Return, for each column, the blocks that read it and its place in what they read.

    None in place of a place: the block reads nothing else.
    """
    union = model.map_.is_union
    found: dict[str, list[tuple[int, int | None]]] = {}
    for k, part in enumerate(parts):
        columns = model.map_.columns_[k] if union else None
        if columns is not None and not isinstance(columns, list):
            found.setdefault(str(columns), []).append((k, None))
            continue
        if not (isinstance(part, np.ndarray) and part.ndim == 2):
            return {}  # no columns, or of a sparse matrix
        names: Any = columns or getattr(model, "feature_names_in_", None)
        if names is None:
            names = [f"x{j}" for j in range(part.shape[1])]
        for j, name in enumerate(names):
            found.setdefault(str(name), []).append((k, j))
    return found if 2 <= len(found) <= MOST_COLUMNS else {}


def _shuffled(
    whole: Any, features: NDArray[Any], parts: list[Any], places: Any, order: Rows
) -> NDArray[Any]:
    """Return features of rows whose cells of one column are those of other rows."""
    changed, starts = features.copy(), np.cumsum([0, *(b.n_features_out_ for b in whole.blocks_)])
    numbers = whole.order_ if whole.is_union else np.arange(features.shape[1])
    for k, place in places:
        own = np.flatnonzero((starts[k] <= numbers) & (numbers < starts[k + 1]))
        if place is None:
            changed[:, own] = features[order][:, own]
            continue
        part = parts[k].copy()
        part[:, place] = part[order, place]
        changed[:, own] = dense32(whole.blocks_[k].block(part))[:, numbers[own] - starts[k]]
    return changed


def rows_of(X: Any, rows: Any) -> Any:
    """Return some rows of what fit got."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return X[rows] if hasattr(X, "shape") else [X[row] for row in rows]


# Contributions of columns: what each number of a row adds, block by block and in all.


Floats = NDArray[np.float64]

MOST_REPLACED = 100  # that are taken out of a row one after the other


def compares_columns(block: Any) -> bool:
    """Whether a block compares rows with landmarks by several columns of numbers."""
    if not isinstance(block, LandmarkMap) or not isinstance(block.domain, (Vectors, Amounts)):
        return False
    landmarks = block.landmarks_
    is_dense = isinstance(landmarks, np.ndarray) and landmarks.ndim == 2
    return is_dense and block.compares_objects and 2 <= landmarks.shape[1] <= MOST_REPLACED


def contributions_of_columns(
    block: Any, rows: Floats, weights: Floats, means: Floats, names: list[str]
) -> list[list[Contribution]]:
    """Return what each column adds to what a landmark map says of some rows.

    The numbers of a row take the place of those of a typical row (medians of the landmarks) one
    after the other, from the first column and from the last. A column adds what its number changes,
    on average of the two ways: exact where a measure adds up its columns.

    Parameters
    ----------
    block : fitted LandmarkMap
    rows : ndarray of shape (n, d)
        Ingested.
    weights : ndarray of shape (n, features)
    means : ndarray of shape (features,)
        Features of an average row.
    names : list of str
        Of the columns.

    Returns
    -------
    list of list of Contribution
        The first has no name: what a typical row is above an average one. All sum to the weights
        times (features − means).
    """
    typical = np.nanmedian(block.landmarks_, axis=0)
    if isinstance(block.domain, Mixed):  # between two categories there is none
        typical = np.where([names is None for names in block.domain.names], typical, np.nan)
    replaced = np.arange(rows.shape[1]) < np.arange(rows.shape[1] + 1)[:, None]
    found = []
    for row, own in zip(rows, weights, strict=True):
        forwards, backwards = np.where(replaced, row, typical), np.where(replaced, typical, row)
        features = dense32(block.block(np.concatenate([forwards, backwards])))
        scores = features.astype(np.float64) @ own
        added = (np.diff(scores[: len(replaced)]) - np.diff(scores[len(replaced) :])) / 2
        some = [Contribution(None, float(scores[0] - own @ means))]
        for j, (name, amount) in enumerate(zip(names, added, strict=True)):
            some.append(column_contribution(block.domain, j, name, amount, row[j]))
        found.append(some)
    return found


def merged_columns(reasons: list[Reason], owners: list[Any]) -> tuple[list[Reason], list[Any]]:
    """Return reasons in which each column of numbers comes once, whatever blocks read it.

    Parameters
    ----------
    reasons : list of Reason
    owners : list of Evidence
        The block of each.
    """
    places: dict[Any, int] = {}
    found: list[Reason] = []
    kept: list[Any] = []
    for one, owner in zip(reasons, owners, strict=True):
        if not (owner.by_column or isinstance(owner.map, (TreeScores, NumericColumns))):
            found.append(one)
            kept.append(owner)
        elif one.landmark in places:
            place = places[one.landmark]
            total = found[place].contribution + one.contribution
            found[place] = replace(found[place], contribution=total)
        else:
            places[one.landmark] = len(found)
            found.append(replace(one, block=None))
            kept.append(owner)
    return found, kept
