"""Contributions of columns: what each number of a row adds, block by block and in all."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data import Amounts, Vectors
from ..maps import LandmarkMap, NumericColumns
from ..maps.base import Contribution, dense32
from ..maps.forest import TreeScores
from .explanation import Reason

Floats = NDArray[np.float64]

MOST_COLUMNS = 100  # that are taken out of a row one after the other


def compares_columns(block: Any) -> bool:
    """Whether a block compares rows with landmarks by several columns of numbers."""
    if not isinstance(block, LandmarkMap) or not isinstance(block.domain, (Vectors, Amounts)):
        return False
    landmarks = block.landmarks_
    is_dense = isinstance(landmarks, np.ndarray) and landmarks.ndim == 2
    return is_dense and block.compares_objects and 2 <= landmarks.shape[1] <= MOST_COLUMNS


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
    replaced = np.arange(rows.shape[1]) < np.arange(rows.shape[1] + 1)[:, None]
    found = []
    for row, own in zip(rows, weights, strict=True):
        forwards, backwards = np.where(replaced, row, typical), np.where(replaced, typical, row)
        features = dense32(block.block(np.concatenate([forwards, backwards])))
        scores = features.astype(np.float64) @ own
        added = (np.diff(scores[: len(replaced)]) - np.diff(scores[len(replaced) :])) / 2
        some = [Contribution(None, float(scores[0] - own @ means))]
        for name, amount, number in zip(names, added, row, strict=True):
            what = f"{name} missing" if np.isnan(number) else name
            some.append(Contribution(what, float(amount), float(number)))
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
