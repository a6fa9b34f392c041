"""What ``measure="auto"`` means: blocks by what the objects are, and how many rows there are.

A ridge head then keeps the blocks that help, by their out-of-fold errors.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from ..data import (
    Domain,
    Ragged,
    Series,
    Vectors,
    amounts,
    domain_of,
    looks_like_time,
    missing_in,
    vectors,
    without_gaps,
)
from ..data.series import reach
from ..data.tables import naming_column, part_of
from ..engine import settings, warn_user
from ..landmarks import AtMost
from ..linear_model.base import StreamedRidge
from ..maps import BagScores, DateParts, ForestScores, LandmarkMap, Numbers
from ..measures import Equality, FilledColumns, Measure, ScaledColumns, Subsequence
from .auto_many import blocks_for_many, fewer_for_many, fewer_of
from .offers import EFFORTS, Effort, measures_for, require_effort, single_measure_for
from .table_columns import single_measures

__all__ = [
    "Effort",
    "affordable",
    "auto_measure",
    "measures_for",
    "measures_of_columns",
    "read_kind",
    "single_measure_for",
]

FACTORS = (0.3, 1.0, 10.0)  # of the time that values may take
SECONDS, SECONDS_A_NUMBER = 0.5, 4e-6  # of a block, and
SERIES_SECONDS, SERIES_SECONDS_A_NUMBER = 0.05, 5e-7  # where others take a microsecond a number
FEWEST_LANDMARKS = 32
MANY_ROWS, OF_MANY_ROWS = 5000, 700
FEWEST_FOR_TREES = 500
LANDMARKS_A_NUMBER = 100  # of a table: distances of one column need few to say all
MOST_IN_TABLE = (6000, 15_000, 40_000)  # features of all columns of a table, by effort


def read_kind(X: Any) -> Domain | None:
    """Return the domain of X, None for a table of several kinds; say so if it may be another."""
    domain = domain_of(X)
    if isinstance(domain, Vectors) and getattr(X, "ndim", 0) == 2 and looks_like_time(X):
        warn_user(
            f"the {X.shape[1]} columns of X look like steps of time, and are read as columns of a "
            'table; for series give X[:, None, :], or say measure="dtw".'
        )
    return domain


def auto_measure(model: Any, X: Any, behind: int = 0) -> Any:
    """Return what ``measure="auto"`` means for a model and its X, as `measure=` takes it.

    Options that speak of the landmarks of one measure get one measure. Rows with many `behind`
    them, of which they are a sample, get fewer landmarks.
    """
    require_effort(model.effort)
    domain = read_kind(X)
    if domain is None:
        columns = single_measures(X) if _wants_one(model) else measures_of_columns(X, model)
        return fewer_for_many(columns, model, behind) if behind else columns
    if _wants_one(model):
        return single_measure_for(domain)
    objects = domain.ingest(X)
    blocks = _offered(domain, objects, model)
    blocks = blocks_for_many(blocks, objects, model, behind) if behind else blocks
    return affordable(blocks, objects, FACTORS[EFFORTS.index(model.effort)])


def measures_of_columns(frame: Any, model: Any = None) -> dict[Any, Any]:
    """Return what compares each column of a table, as a model's `measure=` takes it.

    Each column gets the blocks that it would get alone. Columns of numbers, and of yes and no, are
    one entry: `Numbers`, standardised, with missing values filled with medians and reported; rows
    compared with rows on these columns; and a forest, where rows are many. Dates become
    `DateParts`. Text with few different values that come again is compared by `Equality`, which
    makes it one-hot; other text gets the blocks of strings: edit distance, n-grams, substrings and
    `BagScores`. Lists and arrays of numbers get the blocks of series. Text that says dates, as
    2024-02-29 or 29.02.2024, is dates.

    Parameters
    ----------
    frame : DataFrame of pandas or polars, table of pyarrow
    model : LandmarkModel, optional
        Whose `effort`, `n_landmarks` and head count; default: a `LandmarkClassifier`.

    Returns
    -------
    dict
        Of measures, maps and lists of them by column, or by a tuple of columns; yours to change
        before a model gets it.

    Examples
    --------
    >>> import pandas as pd
    >>> import seamark as sm
    >>> table = pd.DataFrame({
    ...     "wine": ["Rioja", "Roija", "Medoc", "Médoc"] * 3,
    ...     "colour": ["red", "red", "red", None] * 3,
    ...     "price": [8.5, None, 21.0, 19.0] * 3,
    ...     "sold": pd.to_datetime(["2024-05-01", "2024-05-03", "2025-01-02", "2025-02-01"] * 3),
    ... })
    >>> sm.models.measures_of_columns(table)
    {'wine': Equality(), 'colour': Equality(), 'sold': DateParts(), ('price',): [Numbers(), ...]}
    """
    if model is None:
        from .classifier import LandmarkClassifier

        model = LandmarkClassifier()
    found = {key: _of_column(frame, key, one, model) for key, one in single_measures(frame).items()}
    most = MOST_IN_TABLE[EFFORTS.index(model.effort)]
    return fewer_of(found, most, model.strategy)  # type: ignore[no-any-return]


def _of_column(frame: Any, key: Any, single: Any, model: Any) -> Any:
    """Return the blocks of one column, or of all columns of numbers, given its single measure."""
    numbers = isinstance(key, tuple)
    if not numbers and isinstance(single, (Equality, DateParts)):
        return single
    domain = amounts if numbers else single.domain
    raw = part_of(frame, list(key) if numbers else key, domain)
    with naming_column(key):
        missing = np.zeros(1, dtype=bool) if numbers else missing_in(raw)
        objects = domain.ingest(without_gaps(raw, missing) if missing.any() else raw)
    if numbers:
        blocks = _offered(vectors, objects, model)
        for block in blocks:
            if isinstance(block, LandmarkMap):
                few = min(block.landmarks.n, LANDMARKS_A_NUMBER * len(key))
                block.set_params(measure=FilledColumns(block.measure), landmarks__n=few)
            else:
                block.set_params(missing=True)
    else:
        blocks = _offered(domain, objects, model)
        if isinstance(single, LandmarkMap):  # spellings of few things: which of them are nearest
            few = AtMost(blocks[0].landmarks.n, model.strategy)
            blocks = [single.set_params(landmarks=few, n_jobs=model.n_jobs), *blocks]
    blocks = affordable(blocks, objects, FACTORS[EFFORTS.index(model.effort)])
    return [Numbers(), *blocks] if numbers else blocks


def _wants_one(model: Any) -> bool:
    """Tell whether options speak of the landmarks of one measure."""
    asked = {name: getattr(model, name) for name in USUAL}
    unusual = any(not _is(asked[name], usual) for name, usual in USUAL.items())
    return unusual or model.n_landmarks == "cv"


def _offered(domain: Domain, objects: Any, model: Any) -> list[Any]:
    """Return the blocks for objects of a kind, as the options of a model allow them."""
    ridge = isinstance(model._parts(np.random.default_rng(0))[0], StreamedRidge)
    blocks = measures_for(domain, model.effort, model.n_landmarks, few=not ridge)
    if getattr(model, "_in_blocks", False):  # later rows add to sums in which y is not to be
        blocks = [block for block in blocks if not block.sees_targets]
    if not ridge:  # which alone judges a forest by itself: beside other columns it gives y away
        blocks = [block for block in blocks if not isinstance(block, ForestScores)]
    for block in blocks:
        if "n_jobs" in block.get_params(deep=False):
            block.set_params(n_jobs=model.n_jobs)
        if isinstance(block, LandmarkMap) and not block.measure.compares_parts:
            block.set_params(landmarks__strategy=model.strategy)
        _suit(block, objects, model)
    return blocks


def _suit(block: Any, objects: Any, model: Any) -> None:
    """Fit a block to the data: how long windows are, how many landmarks so many rows bear.

    Windows are no longer than most series. Many rows of a table get fewer landmarks, for
    the fit to stay under 10 s; but not for many classes, for which others take longer too.
    """
    measure = getattr(block, "measure", None)
    if isinstance(measure, Subsequence):
        longest = reach(objects.lengths) - measure.differenced
        measure.set_params(length=max(2, min(measure.length, longest)))
    elif model.n_landmarks is not None or model.effort == "quick":
        return
    elif isinstance(measure, ScaledColumns) and isinstance(measure.domain, Vectors):
        few_classes = len(getattr(model, "classes_", ())) <= 2
        if few_classes and objects.shape[0] > MANY_ROWS and model.effort == "default":
            block.landmarks.n = min(block.landmarks.n, OF_MANY_ROWS)


def affordable(blocks: list[Any], objects: Any, factor: float = 1.0) -> list[Any]:
    """Return the blocks, with fewer landmarks where values of so many would take too long.

    A block may take about `factor` times 0.5 s, and 4 µs more for every number of the data; of
    series 0.05 s and 0.5 µs, with which more landmarks told no more. It is left out where that buys
    fewer than 32 landmarks, unless it is the only one.

    Parameters
    ----------
    blocks : list of Map
        Those that are landmark maps have `AtMost` so many.
    objects : objects
        Ingested.
    factor : float
    """
    n = objects.shape[0]
    size = objects.flat.size if isinstance(objects, Ragged) else n * objects.shape[1]
    allowed = SECONDS, SECONDS_A_NUMBER
    if isinstance(objects, Ragged) and isinstance(objects.domain, Series):
        allowed = SERIES_SECONDS, SERIES_SECONDS_A_NUMBER
    seconds = factor * (allowed[0] + allowed[1] * size)
    kept = []
    for block in blocks:
        if isinstance(block, LandmarkMap) and not block.measure.compares_parts:
            number = int(seconds / (n * _seconds_a_value(block.measure, objects)))
            if number < min(FEWEST_LANDMARKS, n):
                continue
            block.set_params(landmarks__n=min(block.landmarks.n, number))
        elif not _bears(block, objects, size):
            continue
        kept.append(block)
    return kept or [blocks[0].set_params(landmarks__n=FEWEST_LANDMARKS)]


def _bears(block: Any, objects: Any, size: int) -> bool:
    """Tell whether there is room for n-grams, and so many rows that trees are no chance."""
    if isinstance(block, BagScores):
        return size <= settings().held_letters
    if isinstance(block, ForestScores):
        n, d = objects.shape
        few = d <= settings().relevance_columns
        return n >= FEWEST_FOR_TREES and few and not sparse.issparse(objects)
    return True


def _seconds_a_value(measure: Measure, objects: Any) -> float:
    """Return about how long a value of two of the objects takes, on one thread."""
    rows = np.linspace(0, objects.shape[0] - 1, min(objects.shape[0], 16)).astype(np.intp)
    some = objects[rows]
    fitted = measure.fitted_to(some, np.random.default_rng(0))

    def seconds(n: int) -> float:
        landmarks = fitted.landmark_domain.landmarks(some, np.arange(n))
        return float(np.mean(fitted.compile(landmarks).seconds(some)))

    n = some.shape[0]  # what a row takes by itself, without any landmarks, does not count
    return max(seconds(n) - seconds(n // 2), 1e-12) / (n - n // 2) if n > 1 else seconds(1)


USUAL: dict[str, Any] = {
    "landmarks": "auto",
    "transfer": "auto",
    "weighing": None,
    "tune": "cv",
    "passthrough": False,
}


def _is(given: Any, usual: Any) -> bool:
    return type(given) is type(usual) and given == usual
