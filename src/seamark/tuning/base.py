"""What a tuning is given, and what it finds."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ..features import Features, Rows
from ..maps import CachedFeatures
from ..transfers import Transfer
from .weighed import Weighed


@dataclass(frozen=True)
class Task:
    """What a model learns, for a tuning to try it.

    Attributes
    ----------
    y : ndarray
        What the head learns.
    head : estimator
        Unfitted.
    options : dict
        Further arguments of the head's `fit` and `score`, one entry per row; None is left out.
    numbers : ndarray
        What the yardstick learns.
    yardstick : estimator
        A ridge, with `cv_results_` after fit.
    weighing : estimator, optional
        Chooses among the features by `numbers`.
    rivalled : bool
        Whether the choice is to be compared with those of other landmarks, so that even a single
        candidate needs a score.
    groups : ndarray of int, optional
        Number of each row's group of equal objects, which no fold and no split parts.
    weights : ndarray, optional
        Of rows, to the yardstick; the head has its own among `options`.
    """

    y: NDArray[Any]
    head: Any
    options: dict[str, Any]
    numbers: NDArray[Any]
    yardstick: Any
    weighing: Any = None
    rivalled: bool = False
    groups: Rows | None = None
    weights: NDArray[np.float64] | None = None

    def weighed(self, features: Features) -> Features:
        """Return features as the head is to see them: chosen among, if there is a weighing."""
        if self.weighing is None:
            return features
        return Weighed(features, self.weighing, self.numbers)

    def some(self, rows: Rows) -> Task:
        """Return the task on some rows."""
        given = {name: value for name, value in self.options.items() if value is not None}
        options = {name: np.asarray(value)[rows] for name, value in given.items()}
        return replace(
            self,
            y=self.y[rows],
            options=options,
            numbers=self.numbers[rows],
            groups=None if self.groups is None else self.groups[rows],
            weights=None if self.weights is None else self.weights[rows],
        )


@dataclass(frozen=True)
class Choice:
    """What a tuning found: transfers, the head to fit to all rows, and everything tried.

    `merit` is the best score, or minus the least error; NaN if there was nothing to compare.
    `start` is a penalty that is likely to be near the best.
    """

    transfers: list[Transfer]
    head: Any
    merit: float = np.nan
    results: dict[str, list[Any]] = field(default_factory=dict)
    start: float | None = None


class Tuning(BaseEstimator):
    """How a model chooses what its user left open."""

    def check(self, head: Any, dropping: str | None = None) -> None:
        """Raise ValueError if a parameter makes no sense with these parts; before any work.

        Parameters
        ----------
        head : estimator
        dropping : str, optional
            What makes the model drop landmarks, if anything does: a parameter as users know it.
        """

    @abstractmethod
    def choose(
        self, features: CachedFeatures, wanted: Any, task: Task, rng: np.random.Generator
    ) -> Choice:
        """Choose.

        Parameters
        ----------
        features : CachedFeatures
            Of the training objects; their values are computed once, and kept.
        wanted : str or Transfer
            The user's `transfer=`.
        task : Task
        rng : Generator
        """
