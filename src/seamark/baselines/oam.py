"""Online AUC maximisation (OAM), with one reservoir for each class."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ..data import reject_non_numbers
from ..online import Reservoir
from ..targets import class_targets, decided, require_targets
from ..validation import generator, require_bounded, require_count, require_number
from .base import Numbers


@dataclass(eq=False, repr=False)
class _OAM(ClassifierMixin, BaseEstimator):
    """A linear score learned in one pass: each point against the reservoir of the other class.

    A reservoir stands for all points of its class so far, so its loss is weighed by how many each
    of its points stands for.
    """

    size: int = 100
    penalty: float = 0.01
    average: bool = False
    random_state: Any = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Learn in one pass, in the order of the rows.

        Parameters
        ----------
        X : array-like of shape (n, d)
        y : array-like
            Two classes.

        Returns
        -------
        self
        """
        require_bounded(type(self), vars(self))
        require_count("size", self.size)
        require_number("penalty", self.penalty, 0, np.inf, "a positive number")
        reject_non_numbers(X)
        require_targets(y)
        X, y = validate_data(self, X, y, dtype=np.float64)
        self.classes_, codes = class_targets(y)
        if len(self.classes_) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: "
                f"y has {len(self.classes_)} classes."
            )
        self.coef_ = self._learned(X, codes, generator(self.random_state))[None]
        return self

    def _learned(self, X: Numbers, codes: NDArray[np.intp], rng: np.random.Generator) -> Numbers:
        """One pass; the reservoirs' choices do not depend on what is learned, and come first."""
        each = max(1, self.size // 2)
        held = [np.empty((each, X.shape[1])) for _ in range(2)]
        slots = np.full(len(X), -1)
        for code in (0, 1):
            rows = np.flatnonzero(codes == code)
            moves = Reservoir(each).begin(rng).draw(codes[rows])
            slots[rows[moves.step]] = moves.slot
        seen, w, total = [0, 0], np.zeros(X.shape[1]), np.zeros(X.shape[1])
        for x, code, slot in zip(X, codes.tolist(), slots.tolist(), strict=True):
            seen[code] += 1
            if slot >= 0:
                held[code][slot] = x
            n_others = min(seen[1 - code], each)
            if n_others:
                weight = self.penalty * max(1.0, seen[1 - code] / n_others)
                w = self._updated(w, x, 2.0 * code - 1, held[1 - code][:n_others], weight)
            total += w
        return total / len(X) if self.average else w

    @staticmethod
    @abstractmethod
    def _updated(w: Numbers, x: Numbers, sign: float, others: Numbers, weight: float) -> Numbers:
        """Return the weights after a point, against the reservoir of the other class."""

    def decision_function(self, X: Any) -> Numbers:
        """Scores, larger for the second class; their order is meant, not their sign."""
        check_is_fitted(self)
        reject_non_numbers(X)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return np.asarray((X @ self.coef_.T).ravel())

    def predict(self, X: Any) -> NDArray[Any]:
        """Classes by the sign of the score; no threshold is learned."""
        return decided(self.decision_function(X), self.classes_)


class OAMgra(_OAM):
    """OAM by gradients: all pairs that are not a margin apart push at once.

    Parameters
    ----------
    size : int, default=100
        Points remembered, half of them of each class.
    penalty : float, default=0.01
        C, the weight of a pair.
    average : bool, default=False
        Whether the weights are the mean over the stream; the paper takes the last.
    random_state : int, RandomState or Generator, optional
        Decides which points are remembered.

    Attributes
    ----------
    coef_ : ndarray of shape (1, d)
    classes_ : ndarray

    References
    ----------
    Zhao, Hoi, Jin and Yang, Online AUC maximization, ICML 2011.

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [0.2], [0.9]]), [0, 1, 0, 1]
    >>> bool(OAMgra(random_state=0).fit(X, y).coef_[0, 0] > 0)
    True
    """

    @staticmethod
    def _updated(w: Numbers, x: Numbers, sign: float, others: Numbers, weight: float) -> Numbers:
        close = others[sign * ((x - others) @ w) <= 1]
        return np.asarray(w + weight / 2 * sign * (x - close).sum(axis=0))


class OAMseq(_OAM):
    """OAM by sequential steps: one pair after the other, each just far enough.

    Attributes and reference are those of `OAMgra`.

    Parameters
    ----------
    size : int, default=100
        Points remembered, half of them of each class.
    penalty : float, default=0.01
        C: half of it is the largest step that a pair makes.
    average : bool, default=False
        Whether the weights are the mean over the stream; the paper takes the last.
    random_state : int, RandomState or Generator, optional
        Decides which points are remembered.

    Examples
    --------
    >>> X, y = np.array([[0.0], [1.0], [0.2], [0.9]]), [0, 1, 0, 1]
    >>> bool(OAMseq(random_state=0).fit(X, y).coef_[0, 0] > 0)
    True
    """

    @staticmethod
    def _updated(w: Numbers, x: Numbers, sign: float, others: Numbers, weight: float) -> Numbers:
        for difference in sign * (x - others):
            norm = difference @ difference
            missing = max(0.0, 1 - difference @ w)
            if missing and norm:
                w = w + min(weight / 2, missing / norm) * difference
        return w
