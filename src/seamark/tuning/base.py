"""What a tuning is given and finds, and the plain one: errors of a ridge, cross-validated."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from .. import engine
from ..features import Features, Rows, Selected
from ..maps import CachedFeatures
from ..targets import by_class, deal, strata
from ..transfers import Transfer, get_transfer
from .weighed import Weighed

Look = tuple[float, float]  # an error, and the penalty of it

# More landmarks than are compared bear a steeper transfer: with a thousand surnames its error was
# 3 % less where with half of them it was equal. So it may look this much worse.
STEEPER = 1.003
NEAR = 1.02  # times the least error of a rough look: such transfers are all compared


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
        Whether other landmarks compete, so that even a single candidate needs a score.
    groups : ndarray of int, optional
        Number of each row's group of equal objects, which no fold and no split parts.
    weights : ndarray, optional
        How much each row counts for the yardstick; the head has its own among `options`.
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
        y, numbers = self.y[rows], self.numbers[rows]
        groups = None if self.groups is None else self.groups[rows]
        weights = None if self.weights is None else self.weights[rows]
        return replace(self, y=y, options=options, numbers=numbers, groups=groups, weights=weights)


@dataclass(frozen=True)
class Choice:
    """What a tuning found: transfers, the head to fit to all rows, and everything tried.

    Attributes
    ----------
    transfers, head : list of Transfer, one for each measure, and estimator
        Those that won, with all numbers known; the head is not fitted yet.
    merit : float
        The best score, or minus the least error; NaN if there was nothing to compare.
    results : dict of list
        What was tried and how good it was, one entry each, as a model's `tuning_` shows it.
    start : float, dict of float by block, or None
        A penalty that is likely to be near the best, from which the head may start its search.
    """

    transfers: list[Transfer]
    head: Any
    merit: float = np.nan
    results: dict[str, list[Any]] = field(default_factory=dict)
    start: float | dict[int, float] | None = None


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


def joint_candidates(features: CachedFeatures, wanted: Any) -> list[list[Transfer]]:
    """Return choices of one transfer per measure: all are given the same multiple or slope."""
    bearings, options = features.map, []
    for fitted, measure in zip(bearings.transfers_, bearings.measures_, strict=True):
        options.append(get_transfer(wanted, bearings.kind_of(measure)).choices(fitted))
    longest = max(map(len, options))
    for option in options:  # the last one of a short list stands for those it lacks
        option.extend(option[-1:] * (longest - len(option)))
    return list(map(list, zip(*options, strict=True)))


class CrossValidated(Tuning):
    """Open transfers by the cross-validated error of a ridge, whatever the head.

    Every second candidate is looked at on 2,048 rows and 128 landmarks, where there are more, and
    from the best of them the search goes to its neighbours, of the next γ or slope, for as long as
    these are better on 3,072 rows and 512 landmarks. What labels decide is decided anew for
    each fold, from the other rows: its model uses no landmark that is a row of the fold, and a
    weighing chooses again. Equal objects share a fold; of ranked documents, whole queries make one.
    """

    def choose(
        self, features: CachedFeatures, wanted: Any, task: Task, rng: np.random.Generator
    ) -> Choice:
        """Choose the transfers; heads choose their own penalties, if they do."""
        choices = joint_candidates(features, wanted)
        if len(choices) == 1 and not task.rivalled:
            return Choice(choices[0], task.head)
        errors, best, start = _search(features, choices, task, rng)
        tried: dict[str, list[Any]] = {"transfer": choices, "error": errors}
        return Choice(choices[best], task.head, -errors[best], tried, start)


def _search(
    features: CachedFeatures, choices: list[list[Transfer]], task: Task, rng: np.random.Generator
) -> tuple[list[float], int, float]:
    """Return errors of transfers, infinite if not tried; which are best; and with which penalty."""
    labels = strata(task.numbers) if isinstance(task.yardstick, ClassifierMixin) else None
    order = list(map(rng.permutation, by_class(labels, len(task.numbers))))
    now = engine.settings()
    most = min(features.shape[1], now.compared_landmarks)
    fine = _Comparison(features, task, rng, order, (now.compared_rows, most))
    if task.weighing is not None or len(choices) < 3 or most < 2 * now.rough_landmarks:
        found = np.empty((len(choices), 2))
        with engine.step("tuning", len(choices)):
            for i, choice in enumerate(choices):
                # The best penalty is not far from that of the transfer before.
                start, bar = (found[i - 1, 1], found[:i, 0].min()) if i else (None, np.inf)
                found[i] = fine.error(choice, start, bar)
        best = int(np.argmin(found[:, 0]))
        return found[:, 0].tolist(), best, float(found[best, 1])
    few = _Comparison(features, task, rng, order, (now.rough_rows, now.rough_landmarks))
    rough, start = np.full(len(choices), np.inf), None
    penalties = np.empty(len(choices))
    with engine.step("tuning", len(choices)):  # or one more, or two
        for i in range(0, len(choices), 2):
            # The best penalty is not far from that of the transfer before.
            rough[i], start = few.error(choices[i], start)
            penalties[i] = start
        steeper = STEEPER if features.shape[1] > 1.5 * most else 1.0
        looks: dict[int, Look] = {}
        for i in np.flatnonzero(rough <= NEAR * rough.min()).tolist():  # there may be two valleys
            looks[i] = fine.error(choices[i], float(penalties[i]))
        best = _climbed(fine, choices, looks, steeper)
    # More rows bear less, more landmarks want more; as seen, by about so much.
    rows, columns = fine.features.shape[0], len(fine.columns)
    likely = rows / features.shape[0] * (features.shape[1] / columns) ** 0.5
    first = int(np.argmin(rough))
    # Those that were only looked at differ from the best of them as they did there.
    errors = rough + (looks[first][0] - rough[first])
    for i, (error, _) in looks.items():
        errors[i] = error
    return errors.tolist(), best, likely * looks[best][1]


def _climbed(
    fine: _Comparison, choices: list[list[Transfer]], looks: dict[int, Look], steeper: float
) -> int:
    """Go from the best to its neighbours, for as long as these are better, and return the end.

    Each choice is steeper than the one before, and may have so many times the least error. What is
    compared is added to `looks`.
    """
    first = best = min(looks, key=looks.__getitem__)
    least = looks[first][0]
    for step, slack in ((1, steeper), (-1, 1.0)):
        while 0 <= best + step < len(choices):
            if best + step not in looks:
                looks[best + step] = fine.error(choices[best + step], looks[best][1], bar=least)
            if looks[best + step][0] >= slack * least:
                break
            best += step
            least = min(least, looks[best][0])
        if best != first:
            break
    return best


class _Comparison:
    """Features of enough rows and landmarks to choose by; all of them if there are few.

    Parameters
    ----------
    features : CachedFeatures
    task : Task
    rng : Generator
        Deals the folds.
    order : list of ndarray
        Rows of each class, in the order in which to take them.
    most : (int, int)
        Rows and landmarks.
    """

    def __init__(
        self,
        features: CachedFeatures,
        task: Task,
        rng: np.random.Generator,
        order: list[Rows],
        most: tuple[int, int],
    ) -> None:
        n, width = features.shape
        self.features, self.task, self.columns = features, task, np.arange(width)
        if width > most[1]:  # the first few, of every measure as many
            n_measures = len(features.map.measures_) if features.map.is_divisible else 1
            every = self.columns if features.order is None else features.order
            leading = every[: most[1] // n_measures]  # of the first measure, whose features lead
            self.columns = np.ravel(leading + width // n_measures * np.arange(n_measures)[:, None])
        few = task.rivalled and width >= 2 * len(self.columns)
        if n > most[0] or few:
            # Of several maps one will be used; values of other columns would be for nothing.
            share = min(1.0, most[0] / n)
            parts = [rows[: max(round(share * len(rows)), 2)] for rows in order]
            rows = np.sort(np.concatenate(parts))
            self.features, self.task = features.of_rows(rows, self.columns), task.some(rows)
        self.ridge = clone(task.yardstick).set_params(cv=_folds(self.task, rng))

    def error(
        self, transfers: list[Transfer], start: float | None = None, bar: float = np.inf
    ) -> Look:
        """Cross-validated error under some transfers; `start` is a penalty for the search."""
        changed: Features = self.features.with_transfers(transfers)
        if changed.shape[1] > len(self.columns):
            changed = Selected(changed, self.columns)
        task = self.task
        found: Look = self.ridge.least_error(
            task.weighed(changed), task.numbers, task.weights, start, bar
        )
        engine.tick()
        return found


def _folds(task: Task, rng: np.random.Generator) -> Rows:
    """Deal the rows to as many folds as the yardstick wants; queries whole, classes evenly."""
    ridge, queries = task.yardstick, task.options.get("qid")
    if queries is None:
        labels = strata(task.numbers) if isinstance(ridge, ClassifierMixin) else None
        return deal(np.ones(len(task.numbers), dtype=bool), ridge.cv, rng, labels, task.groups)
    names, codes = np.unique(queries, return_inverse=True)
    if len(names) == 1:  # a single list: its documents must do
        return deal(np.ones(len(codes), dtype=bool), ridge.cv, rng, groups=task.groups)
    return deal(np.ones(len(names), dtype=bool), ridge.cv, rng)[codes]
