"""What maps made with the help of y share: how y is read, and who is left out with whom."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..bounds import require_bounded
from ..data import Domain
from ..estimating import check_columns, require_count, require_same_length
from ..targets import require_targets
from .base import Map
from .chunks import Floats32


class Scores(Map):
    """What a model says of objects, as features: one for each class, label or number.

    Features of the rows it is fitted to are another matter: inside a model each is scored by what
    has not seen it (`fit_unseen`), so that blocks beside it are weighed fairly.
    """

    sees_targets: ClassVar[bool] = True
    cv: int

    @property
    @abstractmethod
    def domain(self) -> Domain:
        """What the objects are."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn what to say of objects.

        Parameters
        ----------
        X : objects
        y : array-like of shape (n,) or (n, T)
            Classes, or 0 and 1 of several labels; or numbers, if floats.

        Returns
        -------
        self
        """
        self.fit_unseen(X, y)
        return self

    @abstractmethod
    def fit_unseen(self, X: Any, y: Any) -> Floats32:
        """Fit, and return the features of the rows of X, each by what has not seen it."""

    def _read(self, X: Any, y: Any) -> Any:
        """Check what is asked for and given; return the objects, ingested."""
        if y is None:
            raise ValueError(f"{type(self).__name__} scores classes or numbers; give them as y.")
        require_targets(y)
        require_bounded(type(self), vars(self))
        require_count("cv", self.cv)
        objects = self.domain.ingest(X)
        require_same_length(objects, y)
        check_columns(self, X, objects, reset=True)
        return objects


def in_one_unit(y: NDArray[Any]) -> NDArray[np.float64]:
    """Return numbers as (n, T), each column with mean 0 and variance 1.

    Examples
    --------
    >>> in_one_unit(np.array([1.0, 3.0])).tolist()
    [[-1.0], [1.0]]
    """
    numbers = y.reshape(len(y), -1).astype(np.float64)
    spread = numbers.std(axis=0)
    return np.asarray((numbers - numbers.mean(axis=0)) / np.where(spread > 0, spread, 1.0))
