"""Columns of numbers as features: standardised, with gaps filled and told."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..data import Domain, amounts
from ..features import location
from .base import VectorMap
from .chunks import Floats32

Floats = NDArray[np.float64]


class GapFilling(VectorMap):
    """Columns of a table as numbers: medians for what is missing, and a feature that says so.

    A subclass says what numbers it makes of a column.
    """

    reads_gaps: ClassVar[bool] = True
    column_names_: list[str]
    """What columns are called, where scikit-learn knows no names of them."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        tags.input_tags.allow_nan = True
        return tags

    @abstractmethod
    def _numbers(self, X: Floats) -> Floats:
        """Return the numbers of each row, before they are filled and scaled."""

    @abstractmethod
    def _titles(self) -> list[str]:
        """Return the names of these numbers."""

    def _draw(self, X: Floats, rng: np.random.Generator) -> None:
        self.kernel_ = None
        self.gaps_ = np.flatnonzero(np.isnan(X).any(axis=0))
        numbers = self._numbers(X)
        known = ~np.isnan(numbers).all(axis=0)
        self.median_ = np.zeros(numbers.shape[1])
        self.median_[known] = np.nanmedian(numbers[:, known], axis=0)
        self.mean_, self.deviation_ = location(self._filled(numbers), centred=True)
        self.n_features_out_ = numbers.shape[1] + len(self.gaps_)

    def _filled(self, numbers: Floats) -> Floats:
        return np.where(np.isnan(numbers), self.median_, numbers)

    def fill(self, X: Floats, out: Floats32) -> None:
        """Write the features of a few rows."""
        scaled = (self._filled(self._numbers(X)) - self.mean_) / self.deviation_
        whole = np.concatenate([scaled, np.isnan(X[:, self.gaps_])], axis=1)
        out[:] = whole[:, self.feature_numbers_]

    def _pick(self, columns: NDArray[np.intp]) -> None:
        """Nothing to drop: `feature_numbers_` says what is in use."""

    def shown(self, X: Floats) -> tuple[Floats32, NDArray[Any]]:
        """Features, and the numbers behind them as they are, filled."""
        whole = np.concatenate([self._filled(self._numbers(X)), np.isnan(X[:, self.gaps_])], axis=1)
        return self.block(X), whole[:, self.feature_numbers_]

    def by_landmark(self, parts: NDArray[Any]) -> NDArray[Any]:
        """Every number speaks for itself."""
        return parts

    def behind(self, column: int) -> Any:
        """Return the name of a number."""
        return str(self.get_feature_names_out()[column])

    def _names_in(self) -> list[str]:
        given = getattr(self, "feature_names_in_", getattr(self, "column_names_", None))
        return [f"x{k}" for k in range(self.n_features_in_)] if given is None else list(given)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the columns, such as ``price``, and ``price_missing``."""
        names = self._names_in()
        titles = [*self._titles(), *(f"{names[k]}_missing" for k in self.gaps_)]
        return np.array(titles, dtype=object)[self.feature_numbers_]


class Numbers(GapFilling):
    """Columns of numbers, each standardised; medians fill gaps, and a feature says where they were.

    Yes and no are 1 and 0, durations are seconds. Where a column has a gap for the first time after
    `fit`, the median stands in for it.

    Attributes
    ----------
    median_, mean_, deviation_ : ndarray
        Of each column.
    gaps_ : ndarray
        Which columns had gaps in `fit`, and so have a feature that says it.

    Examples
    --------
    >>> import seamark as sm
    >>> numbers = sm.maps.Numbers().fit([[1.0], [3.0], [None], [2.0]])
    >>> numbers.transform([[3.0], [None]]).round(2)
    array([[1.41, 0.  ],
           [0.  , 1.  ]], dtype=float32)
    """

    @property
    def domain(self) -> Domain:
        """Numbers that may be missing."""
        return amounts

    def _numbers(self, X: Floats) -> Floats:
        return X

    def _titles(self) -> list[str]:
        return self._names_in()
