"""An object as a mixture of a few landmarks: what a decision looks like in terms of examples.

Coefficients of landmarks that are alike mean nothing one by one: large ones of opposite signs
cancel. What a linear model says of a mixture, though, is the mixture of what it says of its parts.
So an object's features are written as shares of a few landmarks' own features, and its score as
these shares of their scores; what is left over is small, and said.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from ..engine import settings

Floats = NDArray[np.float64]
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
        if size > settings().explained_bytes:
            self._known.clear()
        self._known |= {int(j): row for j, row in zip(missing, made, strict=True)}

    def of(self, places: Rows) -> Floats:
        """Return the features of some landmarks, a row each."""
        self.learn(places)
        return np.stack([self._known[int(j)] for j in places])
