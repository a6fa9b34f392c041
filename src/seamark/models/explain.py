"""Explain predictions: each a sum over what decided it, block by block."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import nnls
from sklearn.utils.validation import check_is_fitted

from .. import engine
from ..data import Members, Series, Sets, as_table, collected
from ..landmarks import NOT_A_ROW
from ..linear_model import coefficients_of
from ..maps.base import Contribution, dense32
from ..measures import FilledColumns, ScaledColumns, matrix_inside
from .explanation import Example, Explanation, Explanations, Reason, grouped
from .importance import compares_columns, contributions_of_columns, merged_columns
from .saliency import CONTRASTED, nearest_members, places_of
from .tables import as_row, cells_of

Floats = NDArray[np.float64]
EXPLAINED_BYTES = 2**28  # features of landmarks, while objects are explained


@dataclass(frozen=True)
class Decision:
    """Predictions, and the scores that an explanation takes apart.

    Attributes
    ----------
    predictions : ndarray of shape (n,)
    scores : ndarray of shape (n,)
        Of the target above its rival; of numbers, the prediction.
    weights : ndarray of shape (n, features)
        Coefficients of each score.
    targets, rivals : ndarray of shape (n,) or None
        The class asked about, and the best other one; None of numbers.
    """

    predictions: NDArray[Any]
    scores: Floats
    weights: Floats
    targets: NDArray[Any] | None = None
    rivals: NDArray[Any] | None = None


def of_classes(head: Any, classes: NDArray[Any], features: NDArray[Any], target: Any) -> Decision:
    """Return the score of a class above the best other one, for each object.

    Parameters
    ----------
    head : fitted classifier
        Its classes are numbers of the model's.
    classes : ndarray
        The model's.
    features : ndarray
    target : class or None
        None: the one that is predicted.
    """
    predictions = np.asarray(head.predict(features), dtype=np.intp)
    known = np.asarray(head.classes_, dtype=np.intp)
    coefficients = coefficients_of(head)
    if hasattr(head, "decision_function"):
        scores = np.asarray(head.decision_function(features), dtype=np.float64)
    else:
        scores = features @ coefficients.T + np.ravel(getattr(head, "intercept_", 0.0))
    scores = scores.reshape(len(features), -1)
    if len(known) == 2:
        # One row speaks for the second class. Halves, so that a class is above the other by it.
        coefficients = np.concatenate([-coefficients, coefficients]) / 2
        scores = np.concatenate([-scores, scores], axis=1) / 2
    rows = np.arange(len(features))
    asked = predictions
    if target is not None:
        asked = np.array([k for k in known if classes[k] == target][:1], dtype=np.intp)
        if not len(asked):
            shown = ", ".join(map(repr, classes[:10].tolist()))
            raise ValueError(f"target must be one of the classes {shown}; got {target!r}.")
    mine = np.broadcast_to(np.searchsorted(known, asked), len(features))
    rest = scores.copy()
    rest[rows, mine] = -np.inf
    rival = rest.argmax(axis=1)
    return Decision(
        classes[predictions],
        scores[rows, mine] - scores[rows, rival],
        coefficients[mine] - coefficients[rival],
        classes[known[mine]],
        classes[known[rival]],
    )


def of_numbers(
    head: Any, features: NDArray[Any], predictions: NDArray[Any], scores: Any, output: int = 0
) -> Decision:
    """Return the linear score behind predictions; of several, that of one output."""
    weights = np.broadcast_to(coefficients_of(head)[output], features.shape)
    return Decision(predictions, np.asarray(scores, dtype=np.float64), weights)


def require_no_target(target: Any, model: Any) -> None:
    """Stop where a class is asked about and there are none."""
    if target is not None:
        raise ValueError(
            f"target={target!r} asks about a class, and {type(model).__name__} predicts none; "
            "leave it out."
        )


# Objects that have any number of labels: each label is explained by itself.


def has_labels(model: Any) -> bool:
    """Whether a model was fitted to labels, and not to classes."""
    return bool(getattr(model, "multilabel_", False))


def decision_of_label(
    head: Any, labels: NDArray[Any], features: NDArray[Any], target: Any
) -> Decision:
    """Return the score of one label, for each object: to have it, or not."""
    place = place_of(labels, target)
    scores = np.asarray(head.decision_function(features), dtype=np.float64)[:, place]
    names = np.array([f"not {target}", str(target)], dtype=object)
    said = (scores > 0).astype(np.intp)
    weights = np.broadcast_to(coefficients_of(head)[place], features.shape)
    asked, rivals = (np.broadcast_to(names[[k]], len(features)) for k in (1, 0))
    return Decision(names[said], scores, weights, asked, rivals)


def place_of(labels: NDArray[Any], target: Any) -> int:
    """Return the column of a label; stop if there is none, or none was named."""
    shown = ", ".join(map(repr, labels[:10].tolist()))
    if target is None:
        raise ValueError(
            f"objects have several labels; say which one to explain, such as explain(X, "
            f"target={labels.tolist()[0]!r}). The labels are {shown}."
        )
    places = np.flatnonzero(labels == target)
    if not len(places):
        raise ValueError(f"target must be one of the labels {shown}; got {target!r}.")
    return int(places[0])


def sides_of(labels: Any, place: int, name: Any) -> Any:
    """Return of each landmark whether it has a label, in words; None: its labels are not known."""
    if labels is None:
        return None
    words = f"not {name}", str(name)
    return np.array([None if one is None else words[int(one[place])] for one in labels], object)


# An object as a mixture of a few landmarks: what a decision looks like in terms of examples.


Rows = NDArray[np.intp]

CANDIDATES = 50  # landmarks near an object, of which few are taken
EMPHASIS = 2.0  # of the score, in units of all features together: what is explained is the score
LEAST_SHARE = 1e-6  # what is less is rounding


def mixture(x: Floats, rows: Floats, score: float, scores: Floats, n: int) -> tuple[Rows, Floats]:
    """Return at most n of the rows and their shares, whose mixture is like x in features and score.

    Shares are positive and sum to 1. Rows are taken one by one, by what is left to be explained,
    and all shares are found anew after each.

    Parameters
    ----------
    x : ndarray of shape (features,)
    rows : ndarray of shape (k, features)
    score, scores : float and ndarray of shape (k,)
        Of x, and of the rows.
    n : int

    Examples
    --------
    >>> rows = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])
    >>> places, shares = mixture(np.array([3.0, 0.0]), rows, 0.75, np.array([0.0, 1.0, 5.0]), 2)
    >>> places, shares.round(2)
    (array([0, 1]), array([0.25, 0.75]))
    """
    side, target = _equations(x, rows, score, scores)
    sizes = np.maximum(np.linalg.norm(side, axis=0), 1e-300)
    taken: list[int] = []
    shares: Floats = np.zeros(0)
    for _ in range(min(n, len(rows))):
        gain = side.T @ (target - side[:, taken] @ shares) / sizes
        gain[taken] = -np.inf
        best = int(np.argmax(gain))
        if gain[best] <= 0:
            break
        taken.append(best)
        shares = nnls(side[:, taken], target)[0]
        some = shares > LEAST_SHARE * shares.sum()
        taken, shares = [one for one, kept in zip(taken, some, strict=True) if kept], shares[some]
    order = np.argsort(taken)
    return np.array(taken, dtype=np.intp)[order], (shares / shares.sum())[order]


def _equations(x: Floats, rows: Floats, score: float, scores: Floats) -> tuple[Floats, Floats]:
    """Return a column for each row, and the one they are to add up to.

    Features in units of their spread, together as heavy as a single score; then the score; then 1,
    which shares sum to.
    """
    centre, spread = rows.mean(axis=0), rows.std(axis=0)
    unit = np.where(spread > 1e-6 * np.abs(centre), spread, np.inf) * np.sqrt(len(x))
    level, width = scores.mean(), scores.std()
    factor = EMPHASIS / width if width > 1e-9 * abs(level) else 0.0
    side = np.vstack([((rows - centre) / unit).T, factor * (scores - level), np.ones(len(rows))])
    target = np.concatenate([(x - centre) / unit, [factor * (score - level), 1.0]])
    return side, target


def near(values: NDArray[Any], kind: str | None) -> Rows:
    """Return landmarks to begin with: the nearest; a spread of all if nearness has no direction.

    Examples
    --------
    >>> near(np.array([3.0, 1.0, np.nan, 2.0]), "distance")
    array([1, 3, 0])
    """
    known = np.flatnonzero(np.isfinite(values))
    if kind is None:
        few = np.linspace(0, len(known) - 1, min(CANDIDATES, len(known)))
        return known[few.round().astype(np.intp)]
    away = values[known] if kind == "distance" else -values[known]
    return known[np.argsort(away, kind="stable")[:CANDIDATES]]


class Profiles:
    """Features of landmarks themselves, each computed when first asked for.

    Parameters
    ----------
    of_landmarks : callable
        From places of landmarks to their features.
    """

    def __init__(self, of_landmarks: Callable[[Rows], NDArray[Any]]) -> None:
        self._of_landmarks = of_landmarks
        self._known: dict[int, Floats] = {}

    def learn(self, places: Rows) -> None:
        """Compute what is missing of these, together."""
        missing = np.array([j for j in np.unique(places) if int(j) not in self._known], np.intp)
        if not len(missing):
            return
        made = np.asarray(self._of_landmarks(missing), dtype=np.float64)
        size = (len(self._known) + len(made)) * made.shape[1] * made.itemsize
        if size > EXPLAINED_BYTES:
            self._known.clear()
        self._known |= {int(j): row for j, row in zip(missing, made, strict=True)}

    def of(self, places: Rows) -> Floats:
        """Return the features of some landmarks, a row each."""
        self.learn(places)
        return np.stack([self._known[int(j)] for j in places])


# What one block says of objects: the landmarks of which they are a mixture, or its own things.


MOST_NAMED = 3  # columns of a block
IN_WORDS = {
    "BagScores": "n-grams",
    "BoostedScores": "boosted trees",
    "ForestScores": "trees",
    "MissingShares": "missing values",
    "NeighbourScores": "neighbours",
    "RandomConvolution": "convolutions",
    "NumericColumns": "numbers",
    "DateParts": "dates",
    "Coordinates": "columns",
    "Summaries": "summaries",
}


@dataclass(frozen=True)
class Told:
    """What a block says of one object: reasons, all that it adds, and how well these fit."""

    reasons: list[Reason]
    total: float
    fidelity: float | None = None


class Evidence:
    """One block of a fitted model, and what it has seen of a few objects.

    Parameters
    ----------
    model : fitted landmark model
    number : int
        Of the block.
    """

    def __init__(self, model: Any, number: int) -> None:
        whole = model.map_
        self.number = number
        self.map = whole.blocks_[number]
        labels = model.landmark_labels_
        self.labels = labels[number] if whole.is_union else labels
        self.name = block_name(whole, number) if whole.is_union else None
        self.columns = whole.columns_[number] if whole.is_union else None
        self.mixes = getattr(self.map, "compares_objects", False)
        self.by_column = whole.is_union and compares_columns(self.map)
        self.all_names = getattr(model, "feature_names_in_", None)
        self.profiles: Any = Profiles(self.map.of_landmarks) if self.mixes else None
        means = model.feature_means_
        self.means: Floats = _by_block(whole, means[None])[number][0]
        self.said: dict[int, Any] = {}
        """What the model predicts of landmarks, as far as it was asked."""

    def look(self, part: Any) -> NDArray[Any]:
        """Compute features and values of a few ingested objects, keep them, return the features."""
        self.part = part
        if self.mixes:
            features, self.values = self.map.seen(part)
        else:
            features = self.map.block(part)
        self.features: NDArray[Any] = dense32(features)
        return self.features

    def contributions(self, weights: Floats) -> list[list[Contribution]]:
        """Return what each thing in the objects adds, where these are no mixtures."""
        names = list(map(str, self.columns)) if isinstance(self.columns, list) else None
        if names is None and self.columns is None and self.all_names is not None:
            names = list(map(str, self.all_names))
        if self.by_column:
            given = names or [f"x{k}" for k in range(self.part.shape[1])]
            return contributions_of_columns(self.map, self.part, weights, self.means, given)
        found = self.map.contributions(self.part, weights, self.means, names)
        measure = self.measure
        if measure is None or not isinstance(measure.landmark_domain, Members):
            return found  # type: ignore[no-any-return]
        return [self._with_members(i, measure, things) for i, things in enumerate(found)]

    def _with_members(self, i: int, measure: Any, things: list[Contribution]) -> list[Contribution]:
        """Name the member of a set that is nearest to each landmark, whose value is the set's."""
        nearest = nearest_members(measure, self.part[i], self.map.landmarks_)
        return [
            one
            if one.landmark is None
            else one._replace(where=((k := int(nearest[one.landmark]), k + 1),))
            for one in things
        ]

    @property
    def measure(self) -> Any:
        """The measure, if there is one alone."""
        measures = getattr(self.map, "measures_", [])
        return measures[0] if len(measures) == 1 else None

    @property
    def kind(self) -> str | None:
        """Whether small values are near ones, or large; None: neither is known."""
        return self.map.nearness if self.mixes else None

    def landmark(self, place: int) -> Any:
        """Return a landmark; one of several columns with their names."""
        thing = self.map.landmarks_[place]
        several = isinstance(self.columns, list) and len(self.columns) > 1
        return cells_of(self.columns, thing, self.map) if several else thing

    def about(self, place: int) -> tuple[int | None, Any]:
        """Return the row of fit that a landmark is or was cut from, and its label."""
        sources = self.map.landmark_sources_
        row = NOT_A_ROW if sources is None else int(sources[place])
        known = row != NOT_A_ROW and self.labels is not None
        return (row, self.labels[place]) if known else (None, None)


def evidence_of(
    block: Evidence,
    weights: Floats,
    decided: Decision,
    n: int,
    own: NDArray[np.intp] | None = None,
) -> list[Told]:
    """Return what a block says of each object it has looked at.

    Parameters
    ----------
    block : Evidence
    weights : ndarray
        Of the block's features, for each object.
    decided : Decision
    n : int
        Landmarks of a mixture, at most.
    own : ndarray, optional
        Rows of fit that the objects are; that a row is like itself is no reason.
    """
    if not block.mixes or block.by_column:
        told = []
        for things in block.contributions(weights):
            reasons = []
            for one in things:
                if one.what is not None:
                    row, label = None, None
                    if one.landmark is not None:
                        row, label = block.about(one.landmark)
                    given = one.value, one.amount, None, block.name, one.where
                    reasons.append(Reason(one.what, row, label, *given))
            told.append(Told(reasons, sum(one.contribution for one in reasons)))
        return told
    values = block.values
    if own is not None:
        sources = block.map.landmark_sources_
        known = np.array([NOT_A_ROW]) if sources is None else np.asarray(sources)
        values = np.where(known == own[:, None], np.nan, values)
    chosen = [near(some, block.kind) for some in values]
    block.profiles.learn(np.concatenate(chosen))
    above = ((block.features.astype(np.float64) - block.means) * weights).sum(axis=1)
    # The landmarks of a block that is alone take on what an average object scores, so that classes
    # are measured from their border.
    alone = block.name is None and decided.rivals is not None
    base = decided.scores - above if alone else np.zeros(len(above))
    return [_mixed(block, i, weights[i], places, n, base[i]) for i, places in enumerate(chosen)]


def _mixed(
    block: Evidence, i: int, weights: Floats, places: NDArray[np.intp], n: int, base: float
) -> Told:
    """Write one object as a mixture of landmarks, which add `base` too."""
    x = block.features[i].astype(np.float64)
    level = float(weights @ block.means) - base
    if not len(places):
        added = float(weights @ block.features[i]) - level
        return Told([Reason("missing", None, None, np.nan, added, None, block.name)], added)
    rows = block.profiles.of(places)
    score, scores = float(weights @ x) - level, rows @ weights - level
    taken, shares = mixture(x, rows, score, scores, n)
    reasons = []
    for k, share in zip(taken, shares, strict=True):
        place = int(places[k])
        thing, value = block.landmark(place), float(block.values[i, place])
        added = float(share * scores[k])
        reasons.append(Reason(thing, *block.about(place), value, added, float(share), block.name))
    # The share of the object's distance from the average one that the mixture has, by squares.
    apart = float(((x - block.means) ** 2).sum())
    left = float(((x - shares @ rows[taken]) ** 2).sum())
    return Told(reasons, score, max(0.0, 1.0 - left / apart) if apart > 0 else 1.0)


def block_name(whole: Any, number: int) -> str:
    """Return what a block is called: its columns, what compares them, or both."""
    how, columns = block_kind(whole.maps_[number]), whole.columns_[number]
    if columns is None:
        return how
    name = columns_name(columns)
    return name if whole.columns_.count(columns) == 1 else f"{name}: {how}"


def columns_name(columns: Any) -> str:
    """Return a column's name, or those of a few, and how many more there are."""
    if not isinstance(columns, list):
        return str(columns)
    named = list(map(str, columns))
    if len(named) <= MOST_NAMED:
        return ", ".join(named)
    return f"{named[0]}, {named[1]} and {len(named) - 2} more columns"


def block_kind(one: Any) -> str:
    """Return what compares the objects of a block, in a word or two."""
    inner = getattr(one, "map_", one)  # of a column in which some are missing
    measures = getattr(inner, "measures_", None)
    what = inner_measure(measures[0]) if measures else inner
    how = type(what).__name__
    return getattr(what, "name", "") or IN_WORDS.get(how, how)


def inner_measure(measure: Any) -> Any:
    """Return what compares columns once missing values are filled and scales are one."""
    while isinstance(measure, (FilledColumns, ScaledColumns)):
        measure = measure.measure
    return measure


def measure_weights(
    whole: Any, block: NDArray[Any], coefficients: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the share of each block, or of each measure of one, in what moves the decision.

    A decision is a sum over these; their parts are compared by variance over a chunk of rows,
    summed over outputs. Weights of single features would not do: they say little where features
    are alike.
    """
    if whole.is_union:
        owners, n = whole.owners(), len(whole.maps_)
    else:
        owners, n = whole.cells // whole.n_landmarks_, len(whole.measures_)
    varied = block - block.mean(axis=0, dtype=np.float64)
    spread = [
        (varied[:, owners == m] @ coefficients[:, owners == m].T).var(axis=0).sum()
        for m in range(n)
    ]
    total = np.sum(spread)
    return np.asarray(spread) / total if total > 0 else np.full(n, 1.0 / n)


# Landmarks to compare an object with: of its class, of others, and what would change it.


SHOWN = 3


def examples_of(
    model: Any, block: Evidence | None, i: int, decided: Decision, asked: Any
) -> dict[str, Any]:
    """Return the nearest examples for and against, and the nearest that is predicted otherwise.

    Empty where classes or nearness are not known: of numbers, of columns of tables, of parts.
    """
    if block is None or decided.targets is None or block.kind is None or block.labels is None:
        return {}
    values = block.values[i]
    known = np.flatnonzero(np.isfinite(values))
    order = known[np.argsort(values[known] if block.kind == "distance" else -values[known])]
    same = np.array([label == decided.targets[i] for label in block.labels[order]], dtype=bool)
    found: dict[str, Any] = {
        "supporting": [_example(block, i, int(j)) for j in order[same][:SHOWN]],
        "opposing": [_example(block, i, int(j)) for j in order[~same][:SHOWN]],
    }
    if decided.rivals is not None:
        rival = np.array([label == decided.rivals[i] for label in block.labels[order]], dtype=bool)
        for name, some in (("alike", same), ("unlike", rival)):
            found[name] = [block.map.landmarks_[int(j)] for j in order[some][:CONTRASTED]]
    # Of a union all blocks must take the landmarks of one as objects, and predict classes.
    if model.map_.is_union and (matrix_inside(block.measure) is not None or has_labels(model)):
        return found
    # Near ones are known already; landmarks of other classes are likely to be predicted so.
    tried = np.concatenate([order[:CANDIDATES], order[~same][:CANDIDATES]])
    said = _predicted(model, block, tried, asked)
    other = [k for k, one in enumerate(said) if one != decided.predictions[i]]
    if decided.rivals is not None:  # what would make it the runner-up, if anything would
        other = [k for k in other if said[k] == decided.rivals[i]] or other
    if other:
        k = other[np.argmin([int(np.flatnonzero(order == tried[j])[0]) for j in other])]
        found["counterfactual"] = _example(block, i, int(tried[k]), said[k])
    return found


def _predicted(model: Any, block: Evidence, places: Any, asked: Any) -> list[Any]:
    """Return what the model says of some landmarks; what it said before is known."""
    new = np.array([j for j in np.unique(places) if int(j) not in block.said], dtype=np.intp)
    if len(new):
        if model.map_.is_union:  # other blocks have not seen these
            features = dense32(model.map_.block(block.map.landmarks_[new]))
        else:
            features = block.profiles.of(new).astype(np.float32)
        said = model._decide(features, asked).predictions
        block.said |= dict(zip(new.tolist(), said, strict=True))
    return [block.said[int(j)] for j in places]


def _example(block: Evidence, i: int, place: int, said: Any = None) -> Example:
    thing, value = block.map.landmarks_[place], float(block.values[i, place])
    return Example(thing, *block.about(place), value, said)


def strongest(contributions: NDArray[Any], n: int) -> NDArray[np.intp]:
    """Positions of the n largest contributions by size.

    Examples
    --------
    >>> strongest(np.array([0.1, -3.0, 2.0]), 2)
    array([1, 2])
    """
    return np.argsort(-np.abs(contributions), kind="stable")[:n]


# Explanations of all objects that are asked about.


def as_one(X: Any, landmark: Any, *, table: bool) -> Any:
    """Return a collection of one, if X is a single object and not a collection; else None.

    Parameters
    ----------
    X : object or objects
    landmark : object
        What single objects look like.
    table : bool
        Whether objects are rows of a matrix: then whatever has one dimension is one of them.

    Examples
    --------
    >>> as_one("text", "a landmark", table=False)
    ['text']
    >>> as_one(["text"], "a landmark", table=False) is None
    True
    """
    if table:
        dicts = isinstance(X, (list, tuple)) and len(X) > 0 and isinstance(X[0], dict)
        if sparse.issparse(X) or isinstance(X, dict) or dicts or np.ndim(X) != 1:
            return None
        return X.to_frame().T if hasattr(X, "to_frame") else np.asarray(X)[None]
    if isinstance(landmark, np.ndarray):
        numeric = isinstance(X, np.ndarray) and X.dtype != object
        return [X] if numeric and X.ndim == landmark.ndim else None
    # A list is a collection, even where objects are lists themselves.
    one = isinstance(X, type(landmark)) and not isinstance(X, (list, tuple))
    return [X] if one else None


def explain_objects(model: Any, X: Any, n_landmarks: int, target: Any) -> Any:
    """Return an explanation for each object, or of a single object its own; see `explain`."""
    check_is_fitted(model, "head_")
    X = collected(X)
    if isinstance(X, dict) and hasattr(model.map_, "n_features_in_") and len(as_table(X)) == 1:
        alone: Any = X
    else:
        alone = as_one(X, _one_landmark(model), table=hasattr(model, "n_features_in_"))
    found = explanations_of(model, X if alone is None else alone, n_landmarks, target)
    return found if alone is None else found[0]


def _one_landmark(model: Any) -> Any:
    """Return what single objects look like, as far as landmarks show it."""
    blocks = model.map_.blocks_
    landmarks = model.landmarks_ if model.map_.is_union else [model.landmarks_]
    some = [
        (objects, one)
        for objects, one in zip(landmarks, blocks, strict=True)
        if objects is not None
    ]
    whole = [objects for objects, one in some if getattr(one, "compares_objects", False)]
    for one in () if whole else blocks:  # landmarks are parts: windows, members
        look = getattr(one, "look_", None)
        if isinstance(one.domain, Series) and look is not None:
            return np.zeros((look.width, 1) if look.width > 1 else 1)
        if isinstance(one.domain, Sets):
            return np.zeros((1, 1))
    return whole[0][0] if whole else some[0][0][0] if some else None


def explanations_of(
    model: Any, X: Any, n_landmarks: int, target: Any, own: NDArray[np.intp] | None = None
) -> Explanations:
    """Explain objects; `own` are their rows in fit, which say nothing of themselves."""
    objects = model._ingested(X)
    names = getattr(X, "index", None)  # of a DataFrame; a list has a method of this name
    names = range(objects.shape[0]) if names is None or callable(names) else names.tolist()
    blocks = [Evidence(model, k) for k in range(len(model.map_.blocks_))]
    if has_labels(model):
        place = place_of(model.classes_, target)
        for block in blocks:
            block.labels = sides_of(block.labels, place, target)
    explanations = Explanations()
    for rows in model.map_.row_chunks(objects.shape[0]):
        some = objects[rows]
        parts = getattr(some, "parts", [some] * len(blocks))
        with engine.numbering(rows):
            features = [block.look(part) for block, part in zip(blocks, parts, strict=True)]
        whole = np.concatenate(features, axis=1)
        whole = whole[:, model.map_.order_] if model.map_.is_union else whole
        decided = model._decide(whole, target)
        mine = None if own is None else own[rows]
        found = [
            evidence_of(block, weights, decided, n_landmarks, mine)
            for block, weights in zip(blocks, _by_block(model.map_, decided.weights), strict=True)
        ]
        for i in range(len(whole)):
            told = [one[i] for one in found]
            known = _explanation(model, decided, i, blocks, told, n_landmarks, target)
            thing, row = as_row(model.map_, objects[rows.start + i]), names[rows.start + i]
            explanations.append(Explanation(object=thing, row=row, **known))
    return explanations


def _explanation(
    model: Any,
    decided: Decision,
    i: int,
    blocks: list[Evidence],
    told: list[Told],
    n_landmarks: int,
    asked: Any,
) -> dict[str, Any]:
    """Put together what the blocks say of one object."""
    reasons = [reason for one in told for reason in one.reasons]
    owners = [block for block, one in zip(blocks, told, strict=True) for _ in one.reasons]
    reasons, owners = merged_columns(reasons, owners)
    order = strongest(np.array([one.contribution for one in reasons]), n_landmarks)
    total = float(sum(one.total for one in told))
    near = _heaviest(model, [one for one in blocks if one.kind is not None])
    has_places = [any(reason.where for reason in one.reasons) for one in told]
    places = [
        one for one, has in zip(blocks, has_places, strict=True) if has or one.measure is not None
    ]
    where = _heaviest(model, places)
    examples = examples_of(model, near, i, decided, asked)
    if where is not near:  # whose landmarks are parts, and no examples
        examples = {**examples, "alike": [], "unlike": []}
    marks = None
    if where is not None and has_places[where.number]:
        marks = _marks(told[where.number].reasons, where.part[i])
    kinds = {block.map.domain.name for block in blocks}
    target, rival = (
        None if some is None else some[i] for some in (decided.targets, decided.rivals)
    )
    return {
        "prediction": decided.predictions[i],
        "reasons": [_placed(reasons[k], owners[k], i) for k in order],
        "total": total,
        "domain": kinds.pop() if len(kinds) == 1 else "objects",
        "target": target,
        "rival": rival,
        "base": float(decided.scores[i]) - total,
        "groups": grouped(reasons, decided.rivals is not None),
        "fidelity": None if model.map_.is_union else told[0].fidelity,
        "measure": None if where is None else where.measure,
        "block": None if where is None else where.name,
        "marks": marks,
        **examples,
    }


def _placed(reason: Reason, block: Evidence, i: int) -> Reason:
    """Return a reason with the place at which a window or substring is most like the object."""
    if reason.where or reason.share is not None or block.measure is None:
        return reason
    places = places_of(block.measure, block.part[i], reason.landmark)
    if places is None or not places.any():
        return reason
    like = np.flatnonzero(places)
    return replace(reason, where=((int(like[0]), int(like[-1]) + 1),))


def _marks(reasons: list[Reason], thing: Any) -> Floats:
    """Share what n-grams, stretches or members add out over letters, steps or members."""
    series = isinstance(thing, np.ndarray) and not any(one.is_member for one in reasons)
    marks = np.zeros(thing.shape[-1] if series else len(thing))
    for one in reasons:
        for start, stop in one.where:
            if stop > start:
                marks[start:stop] += one.contribution / len(one.where) / (stop - start)
    return marks


def _heaviest(model: Any, blocks: list[Evidence]) -> Evidence | None:
    """Return the block that moves decisions most; None: there is none, or each has columns."""
    if not blocks or any(one.columns is not None for one in blocks):
        return None
    weights = getattr(model, "measure_weights_", np.ones(len(model.map_.blocks_)))
    return max(blocks, key=lambda one: float(weights[one.number]))


def _by_block(whole: Any, features: NDArray[Any]) -> list[NDArray[Any]]:
    """Return the features of each block, in its own order."""
    if not whole.is_union:
        return [features]
    sizes = [int(one.n_features_out_) for one in whole.maps_]
    return np.split(features[:, np.argsort(whole.order_)], np.cumsum(sizes)[:-1], axis=1)
