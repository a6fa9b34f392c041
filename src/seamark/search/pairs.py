"""All pairs of objects, or of rows of tables, within a distance."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import clone

from .. import engine
from ..measures import Measure, get, matrix_inside, require_whole_objects
from ..validation import require_count
from .near_pairs import Pairs, near_pairs, numbered
from .tables import table_pairs


def duplicates(
    objects: Any,
    measure: Any = "levenshtein",
    *,
    within: float | Mapping[Any, float] | list[Mapping[Any, float]],
    weights: Mapping[Any, float] | None = None,
    max_pairs: int = 10_000_000,
    n_jobs: int | None = None,
    progress: bool | engine.Progress = False,
) -> Pairs:
    """Find all pairs of objects within a distance of each other, and their groups. Exact.

    Parameters
    ----------
    objects : objects
    measure : Measure, str or callable, default="levenshtein"
        Levenshtein's distance never compares strings that share no segment; every other measure
        looks each object up in an `Index`. Asymmetric ones compare the earlier object with the
        later, in this order. Of a table a dict by column: measures, or "date" (days apart) and
        "number" (the difference).
    within : float, dict of float by column, or list of such dicts
        The largest distance, or the smallest similarity. Of a table: limits by column, all of which
        must hold; of several dicts, those of one. Columns without a limit are reported. With
        `weights`, the largest sum.
    weights : dict of float by column, optional
        Of a table: distances of all columns are added up with these weights; a similarity counts by
        what it lacks of the largest there is.
    max_pairs : int, default=10_000_000
        More pairs than this are refused: they would fill the memory.
    n_jobs : int, optional
        Threads or processes.
    progress : bool or Progress, default=False
        Show a progress bar.

    Returns
    -------
    Pairs

    Examples
    --------
    >>> import seamark as sm
    >>> names = ["Acme Ltd", "Apex Inc", "Acme Ltd.", "ACME Ltd"]
    >>> print(sm.duplicates(names, within=3))
    2 pairs in 1 group
    1: Acme Ltd ~ Acme Ltd.
    3: Acme Ltd ~ ACME Ltd
    >>> sm.duplicates(names, within=3).labels()
    array([ 0, -1,  0,  0])
    """
    with engine.using(n_jobs=n_jobs):
        return _all_pairs(objects, None, measure, within, weights, max_pairs, progress)


def link(
    left: Any,
    right: Any,
    measure: Any = "levenshtein",
    *,
    within: float | Mapping[Any, float] | list[Mapping[Any, float]],
    weights: Mapping[Any, float] | None = None,
    max_pairs: int = 10_000_000,
    n_jobs: int | None = None,
    progress: bool | engine.Progress = False,
) -> Pairs:
    """Find all pairs of an object of one collection and one of another within a distance. Exact.

    Parameters
    ----------
    left, right : objects
    measure : Measure, str or callable, default="levenshtein"
        Levenshtein's distance never compares strings that share no segment; every other measure
        looks each object up in an `Index`. Asymmetric ones compare left with right, in this order.
        Of tables a dict by column: measures, or "date" (days apart) and "number" (the
        difference).
    within : float, dict of float by column, or list of such dicts
        The largest distance, or the smallest similarity. Of a table: limits by column, all of which
        must hold; of several dicts, those of one. Columns without a limit are reported. With
        `weights`, the largest sum.
    weights : dict of float by column, optional
        Of a table: distances of all columns are added up with these weights; a similarity counts by
        what it lacks of the largest there is.
    max_pairs : int, default=10_000_000
        More pairs than this are refused: they would fill the memory.
    n_jobs : int, optional
        Threads or processes.
    progress : bool or Progress, default=False
        Show a progress bar.

    Returns
    -------
    Pairs

    Examples
    --------
    >>> import seamark as sm
    >>> sm.link(["Acme Ltd", "Apex Inc"], ["Apex Inc.", "Baltic Oil"], within=1)
    1 pair in 1 group
    1: Apex Inc ~ Apex Inc.
    """
    with engine.using(n_jobs=n_jobs):
        return _all_pairs(left, right, measure, within, weights, max_pairs, progress)


def _all_pairs(
    left: Any, right: Any, measure: Any, within: Any, weights: Any, max_pairs: int, progress: Any
) -> Pairs:
    """Return all pairs within one collection, where `right` is None, or between two."""
    if isinstance(measure, Mapping):
        return table_pairs(left, right, measure, within, weights, max_pairs, progress)
    one: Measure = clone(get(measure))
    one.check_parameters()
    if matrix_inside(one) is not None:
        raise ValueError(
            "a precomputed matrix holds every pair already: take np.argwhere(matrix <= within)."
        )
    is_distance = one.distance_sign() > 0
    require_whole_objects(one, "a search for pairs")
    if isinstance(within, (Mapping, list)) or weights is not None:
        raise ValueError(
            "limits and weights by column are for tables: give measure= as a dict by column, too."
        )
    if not isinstance(within, numbers.Real) or not np.isfinite(float(within)):
        raise ValueError(f"within must be a finite number, not {within!r}.")
    if is_distance and float(within) < 0:
        raise ValueError(
            f"within={within!r} is negative, and no distance is; give the largest distance of a "
            "pair, such as 1."
        )
    require_count("max_pairs", max_pairs)
    X = one.domain.ingest(left)
    Y = X if right is None else one.domain.ingest(right, like=X)
    fitted, others = one.fitted_to(Y, np.random.default_rng(0)), None if right is None else Y
    found = near_pairs(fitted, X, others, float(within), max_pairs, None, progress)
    return numbered(*found, X, Y)
