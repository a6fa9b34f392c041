"""What a tuning is given, what there is to choose from where "auto" is said, and what it finds."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ..features import Features, Rows
from ..landmarks import Generated, Strategy
from ..maps import CachedFeatures
from ..transfers import Decay, Identity, Ramp, Transfer, get_transfer
from .weighed import Weighed

# Multiples of the typical γ. Small ones all but reach the distances themselves, which stand first.
GAMMAS = tuple(float(g) for g in 10.0 ** np.arange(-1.5, 1.01, 0.5))
SLOPES = (1.0, 5.0, 10.0, 50.0, 100.0, 1000.0)  # Kar and Jain's
# Random objects by domain: few of the sizes and scales that D2KE's authors try, and that won. The
# paper may be read as strings of one length; long ones serve better where letters have places.
SIZES = {
    "strings": ((2, 5), (2, 10), (2, 20), (2, 50), (50, 50)),
    "series": ((2, 10), (2, 30), (2, 80)),
    "sets": ((3, 5), (3, 15)),
}
SCALES = {"series": (0.5, 1.0, 2.0), "vectors": (0.5, 1.0, 2.0)}


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


def candidates(wanted: Any, fitted: Transfer, kind: str | None) -> list[Transfer]:
    """Return the transfers a model may choose among: several if γ or slope is open, else one.

    Parameters
    ----------
    wanted : str or Transfer
        What the user asked for.
    fitted : Transfer
        The same after fitting, with a typical γ.
    kind : {"distance", "similarity", "difference"} or None
        Of the values.

    Examples
    --------
    >>> candidates("identity", Identity(), "distance")
    [Identity()]
    >>> len(candidates("auto", Decay(0.1), "distance"))
    7
    >>> [ramp.slope for ramp in candidates(Ramp("auto"), Ramp(1.0, 0.0, 1.0), "similarity")]
    [1.0, 5.0, 10.0, 50.0, 100.0, 1000.0]
    """
    transfer = get_transfer(wanted, kind)
    if isinstance(transfer, Decay) and transfer.gamma == "auto" and isinstance(fitted, Decay):
        gammas = (float(fitted.gamma) * np.array(GAMMAS)).tolist()
        return [Identity(), *map(type(fitted), gammas)]
    if isinstance(transfer, Ramp) and transfer.slope == "auto" and isinstance(fitted, Ramp):
        return [Ramp(slope, fitted.middle, fitted.half) for slope in SLOPES]
    return [fitted]


def joint_candidates(features: CachedFeatures, wanted: Any) -> list[list[Transfer]]:
    """Return choices of one transfer per measure: all are given the same multiple or slope."""
    options = []
    for fitted, measure in zip(features.map.transfers_, features.map.measures_, strict=True):
        options.append(candidates(wanted, fitted, features.map.kind_of(measure)))
    longest = max(map(len, options))
    for option in options:  # the last one of a short list stands for those it lacks
        option.extend(option[-1:] * (longest - len(option)))
    return list(map(list, zip(*options, strict=True)))


def landmark_candidates(strategy: Strategy, domain: str) -> list[Strategy]:
    """Return the ways to find landmarks a model may choose among: several if sizes are open.

    Parameters
    ----------
    strategy : Strategy
        What the user asked for.
    domain : str
        Name of what the objects are.

    Examples
    --------
    >>> len(landmark_candidates(Generated(sizes="auto", scale="auto"), "series"))
    9
    >>> landmark_candidates(Generated(scale="auto"), "strings")
    [Generated()]
    """
    if not isinstance(strategy, Generated) or strategy.sampler is not None:
        return [strategy]
    sizes = SIZES.get(domain, (None,)) if strategy.sizes == "auto" else (strategy.sizes,)
    scales = SCALES.get(domain, (1.0,)) if strategy.scale == "auto" else (strategy.scale,)
    return [Generated(size, scale) for size, scale in product(sizes, scales)]
