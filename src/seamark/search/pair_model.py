"""`PairModel`: how probable it is that a pair of rows is a match, learned from decided pairs."""

from __future__ import annotations

import numbers
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_is_fitted

from ..data import is_missing, pandas_for
from ..validation import require_count
from .tables import TablePairs

Floats = NDArray[np.float64]
FEWEST = 2  # decided pairs of each kind


class PairModel(ClassifierMixin, BaseEstimator):
    """Learn from decided pairs of rows how probable a match is.

    A logistic regression on the columns' distances and their roots, with which first differences
    count more than further ones; of similarities on what they lack of the largest. A missing value
    counts as the mean of its column, and that it is missing as a feature of its own.

    Parameters
    ----------
    C : float, default=1.0
        How far weights may grow, as in scikit-learn's LogisticRegression.

    Attributes
    ----------
    columns_ : list
        Whose values are used.
    weights_ : dict of float
        Of each column: what one standard deviation of distance and root adds to the log-odds.
    classes_ : ndarray
        ``[False, True]``.
    head_ : LogisticRegression
    means_, scales_ : ndarray
        Of distances and roots, as fit saw them.

    Examples
    --------
    >>> import seamark as sm
    >>> rows = [{"name": n, "city": c} for n, c in [
    ...     ("Anna Berg", "Oslo"), ("Ana Berg", "Oslo"), ("Hanna Bergh", "Rome"),
    ...     ("Otto Kahn", "Rome"), ("Oto Kahn", "Rome"), ("Otto Kuhn", "Oslo")]]
    >>> measures = {"name": "levenshtein", "city": "levenshtein"}
    >>> pairs = sm.duplicates(rows, measures, within={"name": 4})
    >>> len(pairs)
    6
    >>> decided = [a // 3 == b // 3 and c == 0 for a, b, c in zip(
    ...     pairs.left, pairs.right, pairs.by_column["city"])]
    >>> model = sm.search.PairModel().fit(pairs, decided)
    >>> print(pairs[model.predict(pairs)])
    2 pairs in 2 groups
    0.25: Anna Berg; Oslo ~ Ana Berg; Oslo
    0.25: Otto Kahn; Rome ~ Oto Kahn; Rome
    """

    def __init__(self, C: float = 1.0) -> None:
        self.C = C

    def fit(self, pairs: TablePairs, labels: Any) -> Self:
        """Learn from the pairs that are decided.

        Parameters
        ----------
        pairs : TablePairs
            What `duplicates` and `link` return for tables.
        labels : array-like or DataFrame
            For each pair whether it is a match: 1 or 0, True or False; None or NaN where that is
            not decided. Or a frame such as `doubtful` gives, of any pairs, with decisions in its
            column "match".

        Returns
        -------
        self
        """
        C: Any = self.C
        if not isinstance(C, numbers.Real) or not 0 < float(C) < np.inf:
            raise ValueError(f"C must be a positive number, not {self.C!r}.")
        if hasattr(labels, "columns"):
            labels = _decisions(pairs, labels)
        if len(labels) != len(pairs):
            raise ValueError(f"there are {len(pairs)} pairs and {len(labels)} labels.")
        given = np.asarray(labels)
        if given.dtype.kind == "f":
            decided = ~np.isnan(given)
        else:
            given = np.asarray(labels, dtype=object)
            decided = np.array([not is_missing(one) and one != "" for one in given], dtype=bool)
        y = np.array([_is_match(label) for label in given[decided].tolist()])
        if min(int(y.sum()), int((~y.astype(bool)).sum())) < FEWEST:
            raise ValueError(
                f"{int(y.sum())} pairs are decided to be a match and {len(y) - int(y.sum())} not; "
                f"decide at least {FEWEST} of each."
            )
        self.columns_: list[Any] = list(pairs.by_column)
        values = self._distances(pairs)[decided]
        there = ~np.isnan(values)
        count = np.maximum(there.sum(axis=0), 1)
        self.means_: Floats = np.where(there, values, 0.0).sum(axis=0) / count
        spread = np.sqrt((np.where(there, values - self.means_, 0.0) ** 2).sum(axis=0) / count)
        self.scales_: Floats = np.where(spread > 0, spread, 1.0)
        self.head_: Any = LogisticRegression(C=self.C, max_iter=1000).fit(self._features(values), y)
        n = len(self.columns_)
        both = self.head_.coef_[0][:n] + self.head_.coef_[0][n : 2 * n]
        self.weights_ = dict(zip(self.columns_, both.tolist(), strict=True))
        self.classes_ = np.array([False, True])
        return self

    def _distances(self, pairs: TablePairs) -> Floats:
        missing = [name for name in self.columns_ if name not in pairs.by_column]
        if missing:
            raise ValueError(f"the pairs have no values of column {missing[0]!r}, which fit had.")
        distances = []
        for name in self.columns_:
            values, largest = pairs.by_column[name], pairs.largest[name]
            if largest is not None:
                values = (largest if np.isfinite(largest) else 0.0) - values
            distances.append(values)
        roots = [np.sign(one) * np.sqrt(np.abs(one)) for one in distances]
        return np.column_stack([*distances, *roots])

    def _features(self, values: Floats) -> Floats:
        missing = np.isnan(values)
        scaled = np.where(missing, 0.0, (values - self.means_) / self.scales_)
        return np.hstack([scaled, missing[:, : len(self.columns_)]])

    def predict_proba(self, pairs: TablePairs) -> Floats:
        """Return the probabilities that pairs are none, and that they are a match.

        Parameters
        ----------
        pairs : TablePairs

        Returns
        -------
        ndarray of shape (n_pairs, 2)
        """
        check_is_fitted(self, "head_")
        if not len(pairs):
            return np.empty((0, 2))
        chances: Floats = self.head_.predict_proba(self._features(self._distances(pairs)))
        return chances

    def predict(self, pairs: TablePairs) -> NDArray[np.bool_]:
        """Tell which pairs are a match; ``pairs[model.predict(pairs)]`` are these.

        Parameters
        ----------
        pairs : TablePairs

        Returns
        -------
        ndarray of bool
        """
        return np.asarray(self.predict_proba(pairs)[:, 1] > 0.5)

    def doubtful(self, pairs: TablePairs, n: int = 20) -> Any:
        """Return the pairs that are most worth deciding, as a frame with an empty column "match".

        Fill in 1 or 0, in a spreadsheet if you like, and give the frame to `fit`.

        Parameters
        ----------
        pairs : TablePairs
        n : int, default=20
            Those whose probability is nearest to a half. Before the first fit at most so many from
            the nearest to the farthest, at growing steps.

        Returns
        -------
        DataFrame
            Index labels of both rows, "probability", cells and values of all columns, "match".
        """
        pandas_for("doubtful")
        require_count("n", n)
        if hasattr(self, "head_"):
            chances = self.predict_proba(pairs)[:, 1]
            rows = np.argsort(np.abs(chances - 0.5), kind="stable")[:n]
        else:
            chances = np.full(len(pairs), np.nan)
            steps = np.linspace(0, 1, n) ** 2 * max(0, len(pairs) - 1)
            rows = np.argsort(pairs.values, kind="stable")[np.unique(steps.astype(np.intp))]
        some = replace(
            pairs,
            left=pairs.left[rows],
            right=pairs.right[rows],
            values=pairs.values[rows],
            groups=pairs.groups[rows],
            by_column={name: values[rows] for name, values in pairs.by_column.items()},
        )
        frame = some.to_frame().drop(columns="group")
        frame.insert(3, "probability", chances[rows])
        frame["match"] = None
        return frame.reset_index(drop=True)


def _decisions(pairs: TablePairs, frame: Any) -> list[Any]:
    """Return a label for each pair, from a frame of some pairs by their index labels."""
    for name in ("left", "right", "match"):
        if name not in frame.columns:
            raise ValueError(f"the frame of decisions has no column {name!r}.")
    known = {
        (str(left), str(right)): match
        for left, right, match in zip(frame["left"], frame["right"], frame["match"], strict=True)
    }
    left, right = (np.asarray(labels) for labels in pairs.labels_of_rows)
    named = zip(left[pairs.left].tolist(), right[pairs.right].tolist(), strict=True)
    found = [known.pop((str(a), str(b)), None) for a, b in named]
    if known:
        a, b = next(iter(known))
        raise ValueError(
            f"the decided pair of {a} and {b} is not among the pairs; give those it came from."
        )
    return found


def _is_match(label: Any) -> bool:
    try:
        number = float(label)
    except (TypeError, ValueError):
        number = np.nan
    if number not in (0.0, 1.0):
        raise ValueError(f"a label is {label!r}; give 1 for a match, 0 for none, None for open.")
    return bool(number)
