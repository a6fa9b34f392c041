"""Tuning: landmarks, transfer and head, chosen on values that are computed once.

Penalties and nested numbers of landmarks are chosen by ridge itself, from sums; here the features
change, so a head is fitted to each candidate.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier
from sklearn.model_selection import ParameterGrid
from sklearn.utils import get_tags

from . import engine
from .data import distinct, with_copies
from .features import Features, Mask, Rows, Selected, selected
from .linear_model import PerClass, Trials
from .maps import CachedFeatures
from .targets import by_class, deal, inseparable, shuffled, strata
from .transfers import SideBySide, Transfer, get_transfer
from .validation import require_count


class Weighed(Selected):
    """Features, and an estimator that chooses some of their columns by the targets.

    All columns can be read; `columns_without` says which of them are chosen, from the rows that
    are not hidden, once for each set of these.

    Parameters
    ----------
    features : Features
    weighing : estimator
        Has `support_` after fit.
    targets : ndarray
        What it is fitted to.

    Examples
    --------
    >>> from seamark import Greedy
    >>> from seamark.features import InMemory
    >>> X = np.random.default_rng(0).normal(size=(40, 9))
    >>> weighed = Weighed(InMemory(X), Greedy(2), X[:, 7] + 0.1 * X[:, 3])
    >>> weighed.columns_without(np.arange(40) < 10)
    array([7, 3])
    """

    def __init__(self, features: Features, weighing: Any, targets: NDArray[Any]) -> None:
        super().__init__(features)
        self.weighing = weighing
        self.targets = targets
        self._chosen: dict[bytes, Rows] = {}

    def columns_by_fold(self, hidden: Sequence[Mask]) -> list[Rows | None]:
        """Choose without each fold and by all rows at once, if the weighing knows how to.

        Hidden are the folds, one after another, and, last, no row.
        """
        at_once = len(hidden) > 1 and hidden[0].any() and hasattr(self.weighing, "fit_folds")
        if at_once and not any(map(self._is_constant, hidden)):  # else nothing to choose by
            folds = np.full(self.shape[0], -1, dtype=np.intp)
            for fold, of_fold in enumerate(hidden[:-1]):
                folds[of_fold] = fold
            offered = self.features.columns_by_fold(hidden)
            each = clone(self.weighing).fit_folds(self.features, self.targets, folds, offered)
            for of_fold, columns in zip(hidden, each, strict=True):
                self._chosen[np.packbits(of_fold).tobytes()] = columns
        return list(map(self.columns_without, hidden))

    def columns_without(self, hidden: Mask) -> Rows:
        """Return the columns chosen from the rows that are not hidden, in the order chosen."""
        key = np.packbits(hidden).tobytes()
        if key in self._chosen:
            return self._chosen[key]
        offered = self.features.columns_without(hidden)
        columns = np.arange(self.shape[1]) if offered is None else offered
        if not self._is_constant(hidden):  # else, of a fold that holds all but one class, all are
            shown = np.flatnonzero(~hidden)
            some = Selected(self.features, kept=shown) if hidden.any() else self.features
            with warnings.catch_warnings():
                if hidden.any():
                    # A fold has fewer landmarks to choose among; nobody asked for that many there.
                    warnings.simplefilter("ignore", UserWarning)
                fitted = clone(self.weighing).fit(selected(some, offered), self.targets[shown])
            columns = np.asarray(columns[fitted.support_])
        self._chosen[key] = columns
        return columns

    def _is_constant(self, hidden: Mask) -> bool:
        """Whether all targets are the same but for those hidden."""
        targets = self.targets[~hidden]
        return bool((targets == targets[:1]).all())


# What a tuning is given and finds, and the plain one: errors of a ridge, cross-validated.


__all__ = [
    "Choice",
    "CrossValidated",
    "HeldOut",
    "HeldOutPerClass",
    "Task",
    "Tuning",
    "Weighed",
]

Look = tuple[float, float]  # an error, and the penalty of it

# More landmarks than are compared bear a steeper transfer: with a thousand surnames its error was
# 3 % less where with half of them it was equal. So it may look this much worse.
STEEPER = 1.003
COMPARED_ROWS, COMPARED_LANDMARKS = 3072, 512  # the most on which transfers are compared
ROUGH_ROWS, ROUGH_LANDMARKS = 2048, 128  # and on which every second one is looked at first
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
        labels = strata(task.numbers) if isinstance(task.yardstick, ClassifierMixin) else None
        order = list(map(rng.permutation, by_class(labels, len(task.numbers))))
        most = min(features.shape[1], COMPARED_LANDMARKS)
        fine = _Comparison(features, task, rng, order, (COMPARED_ROWS, most))
        start: float | None
        with engine.blas_for(0), engine.step("tuning", len(choices)):  # or one more, or two
            if task.weighing is not None or len(choices) < 3 or most < 2 * ROUGH_LANDMARKS:
                errors, looks = np.full(len(choices), np.inf), dict[int, Look]()
                for i, choice in enumerate(choices):
                    # The best penalty is not far from that of the transfer before.
                    start = looks[i - 1][1] if i else None
                    looks[i] = fine.error(choice, start, float(errors.min()))
                    errors[i] = looks[i][0]
                best = int(np.argmin(errors))
                start = looks[best][1]
            else:
                few = _Comparison(features, task, rng, order, (ROUGH_ROWS, ROUGH_LANDMARKS))
                errors, best, start = _climb(fine, few, choices, features.shape)
        tried: dict[str, list[Any]] = {"transfer": choices, "error": errors.tolist()}
        return Choice(choices[best], task.head, -float(errors[best]), tried, start)


def _climb(
    fine: _Comparison, few: _Comparison, choices: list[list[Transfer]], shape: tuple[int, int]
) -> tuple[NDArray[np.float64], int, float]:
    """Look at every second choice roughly, and go from the best to its neighbours while these gain.

    Each choice is steeper than the one before. Returns errors, infinite if not tried; which is
    best; and with which penalty on features of that shape.
    """
    rough, penalties = np.full(len(choices), np.inf), np.empty(len(choices))
    start = None
    for i in range(0, len(choices), 2):
        # The best penalty is not far from that of the transfer before.
        rough[i], start = few.error(choices[i], start)
        penalties[i] = start
    looks: dict[int, Look] = {}
    for i in np.flatnonzero(rough <= NEAR * rough.min()).tolist():  # there may be two valleys
        looks[i] = fine.error(choices[i], float(penalties[i]))
    rows, columns = fine.features.shape[0], len(fine.columns)
    steeper = STEEPER if shape[1] > 1.5 * COMPARED_LANDMARKS else 1.0
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
    # Those that were only looked at differ from the best of them as they did there.
    nearest = int(np.argmin(rough))
    errors = rough + (looks[nearest][0] - rough[nearest])
    for i, (error, _) in looks.items():
        errors[i] = error
    # More rows bear less, more landmarks want more; as seen, by about so much.
    likely = rows / shape[0] * (shape[1] / columns) ** 0.5
    return errors, best, likely * looks[best][1]


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
        # Queries share a fold whole, classes are dealt evenly.
        ridge, queries = task.yardstick, self.task.options.get("qid")
        numbers, groups = self.task.numbers, self.task.groups
        of_rows: Any = slice(None)
        labels = strata(numbers) if isinstance(ridge, ClassifierMixin) else None
        n = len(numbers)
        if queries is not None:
            names, codes = np.unique(queries, return_inverse=True)
            labels = None
            if len(names) > 1:  # of a single list the documents must do
                n, groups, of_rows = len(names), None, codes
        folds = deal(np.ones(n, dtype=bool), ridge.cv, rng, labels, groups)[of_rows]
        self.ridge = clone(ridge).set_params(cv=folds)
        self.known: Any = None  # what the ridge is fitted to, for all transfers

    def error(
        self, transfers: list[Transfer], start: float | None = None, bar: float = np.inf
    ) -> Look:
        """Cross-validated error under some transfers; `start` is a penalty for the search."""
        changed: Features = self.features.with_transfers(transfers)
        if changed.shape[1] > len(self.columns):
            changed = Selected(changed, self.columns)
        task = self.task
        if self.known is None or task.weighing is not None:
            self.known = self.ridge.task(task.weighed(changed), task.numbers, task.weights)
        else:
            every = changed.shape[1] == len(self.known.columns)
            same = changed if every else Selected(changed, self.known.columns)
            self.known = replace(self.known, features=same)
        found: Look = self.known.least_error(start, bar)
        engine.tick()
        return found


# `HeldOut`: what is open is chosen by the head's own score on rows held out.


Grid = list[dict[str, Any]]
Tried = tuple[list[Transfer], dict[str, Any]]


@dataclass(eq=False, repr=False)
class HeldOut(Tuning):
    """Open transfers and parameters of the head, by the head's own score on rows held out.

    Every combination is fitted to the other rows; the best, the first of equals, is then fitted
    to all rows. Rows that serve as landmarks are not held out while there are others: they would
    know themselves; those that are held out all the same do not serve as landmarks meanwhile. A
    model's `weighing` is fitted to the other rows too. Of each class its share is held out; equal
    objects all or none, and of ranked documents whole queries.

    Parameters
    ----------
    share : float, default=0.2
        Of rows, or queries, to hold out.
    grid : dict of lists, optional
        Values to try of parameters of the head, as in `GridSearchCV`.
    most_rows : int, optional
        Search on about so many rows, of each class its share, if there are more; the winner is
        fitted to all rows in any case. Queries are not cut.

    Examples
    --------
    >>> import seamark as sm
    >>> words = ["ab" * k for k in range(1, 13)] + ["cd" * k for k in range(1, 13)]
    >>> tune = HeldOut(0.25, {"C": [0.01, 1.0]})
    >>> model = sm.LandmarkClassifier(
    ...     "levenshtein", n_landmarks=6, head="svm", transfer="identity", tune=tune, random_state=0
    ... )
    >>> model = model.fit(words, [0] * 12 + [1] * 12)
    >>> [parameters["C"] for parameters in model.tuning_["head"]]
    [0.01, 1.0]
    """

    share: float = 0.2
    grid: Mapping[str, Sequence[Any]] | None = None
    most_rows: int | None = None

    def check(self, head: Any, dropping: str | None = None) -> None:
        """Require a share between 0 and 1, and parameters that the head has."""
        if not 0 < self.share < 1:
            raise ValueError(f"share must lie between 0 and 1, not {self.share!r}.")
        if self.most_rows is not None:
            require_count("most_rows", self.most_rows)
        unknown = {name for one in ParameterGrid(self.grid or {}) for name in one}
        unknown -= set(head.get_params())
        if unknown:
            raise ValueError(
                f"grid names {sorted(unknown)[0]!r}, which is not a parameter of {head!r}."
            )

    def choose(
        self, features: CachedFeatures, wanted: Any, task: Task, rng: np.random.Generator
    ) -> Choice:
        """Fit every combination to the rows that are not held out, and take the best."""
        choices, grid = joint_candidates(features, wanted), list(ParameterGrid(self.grid or {}))
        tried = list(product(choices, grid))
        if len(tried) == 1 and not task.rivalled:
            return Choice(*self._joined(tried, features, task))
        sides = self.sides(task, features.map.landmark_sources_, rng)
        scored = []
        with engine.step("tuning", len(choices)):
            for transfers in choices:  # for each of which a weighing chooses once
                shown = task.weighed(features.with_transfers(transfers))
                scored.append(self._scores(Trials(shown, task.options, sides), grid, task))
                engine.tick()
        scores = np.concatenate(scored, axis=-1)
        best = [tried[i] for i in np.atleast_1d(scores.argmax(axis=-1))]
        transfers, parameters = map(list, zip(*tried, strict=True))
        results = {"transfer": transfers, "head": parameters, "score": scores.tolist()}
        merit = float(scores.max(axis=-1).mean())
        return Choice(*self._joined(best, features, task), merit, results)

    def _scores(self, trials: Trials, grid: Grid, task: Task) -> NDArray[np.float64]:
        """Score the head with each of the parameters; in rows, if there is one for each class."""
        return np.array(trials.scores(task.head, grid, task.y))

    def _joined(
        self, best: list[Tried], features: CachedFeatures, task: Task
    ) -> tuple[list[Transfer], Any]:
        """Return transfers and head of what did best, for each class if they may differ."""
        ((transfers, parameters),) = best
        return transfers, clone(task.head).set_params(**parameters)

    def sides(
        self, task: Task, landmarks: Rows | None, rng: np.random.Generator
    ) -> tuple[Rows, Rows]:
        """Return the rows to fit to and the rows to hold out, both sorted."""
        n = len(task.y)
        queries = task.options.get("qid")
        if queries is not None:
            some = self._some(rng.permutation(np.unique(queries)), least=1)
            is_held = np.isin(queries, some)
            return np.flatnonzero(~is_held), np.flatnonzero(is_held)
        labels = strata(task.y) if is_classifier(task.head) else None
        copies = inseparable(np.arange(n), labels, task.groups)
        one_of_each = distinct(np.arange(n), copies)
        known = np.array([], np.intp) if landmarks is None else landmarks[landmarks >= 0]
        last = np.zeros(n, dtype=bool)
        last[with_copies(known, copies)] = True
        classes = [np.intersect1d(rows, one_of_each) for rows in by_class(labels, n)]
        if task.groups is not None and n > engine.settings().hashed_from:
            classes = shuffled(classes, task.groups, rng)
            groups = [group[np.argsort(last[group], kind="stable")] for group in classes]
        else:
            groups = [
                group[np.lexsort((rng.permutation(len(group)), last[group]))] for group in classes
            ]
        # Of a class its share of `most_rows`, and never none.
        share = 1.0 if self.most_rows is None else min(1.0, self.most_rows / n)
        groups = [one[: max(round(share * len(one)), min(len(one), 2))] for one in groups]
        held = np.concatenate([self._some(group) for group in groups])
        if len(held) == 0:
            held = self._some(max(groups, key=len), least=1)
        rest = np.setdiff1d(np.concatenate(groups), held)
        return with_copies(rest, copies), with_copies(held, copies)

    def _some(self, group: Rows, least: int = 0) -> Rows:
        """Return the first few: the share, and never all."""
        few = group[: min(max(round(self.share * len(group)), least), len(group) - 1)]
        if len(few) < least:
            raise ValueError(
                "a class has a single row or query, so that none can be held out; add more."
            )
        return few


class HeldOutPerClass(HeldOut):
    """As `HeldOut`, but each class, against the rest, has transfers and parameters of its own.

    Features of the transfers that won stand side by side, and each class reads its own.

    Parameters
    ----------
    share : float, default=0.2
        Of rows to hold out, of each class alike.
    grid : dict of lists, optional
        Values to try of parameters of the head, as in `GridSearchCV`.
    most_rows : int, optional
        Search on about so many rows, of each class its share, if there are more; the winners are
        fitted to all rows in any case.
    """

    def check(self, head: Any, dropping: str | None = None) -> None:
        """Require a classifier of single classes, and that no landmark is dropped."""
        super().check(head)
        if dropping is not None:
            raise ValueError(
                f"{dropping} drops landmarks for all classes, and with {self!r} each class has "
                "features of its own; leave one of the two out."
            )
        if not is_classifier(head):
            raise ValueError(f"{head!r} is no classifier, so nothing can be chosen per class.")
        if not get_tags(head).target_tags.single_output:
            raise ValueError(f"{self!r} chooses per class, and y has several labels; take another.")

    def _scores(self, trials: Trials, grid: Grid, task: Task) -> NDArray[np.float64]:
        return np.array(trials.scores_of_classes(task.head, grid, task.y, _labels(task)))

    def _joined(
        self, best: list[Tried], features: CachedFeatures, task: Task
    ) -> tuple[list[Transfer], Any]:
        best = best if len(best) > 1 else best * len(_labels(task))  # nothing was open
        kinds = [one for i, (one, _) in enumerate(best) if one not in [t for t, _ in best[:i]]]
        joined = [SideBySide(list(own)) for own in zip(*kinds, strict=True)]
        owners = np.concatenate([one.owners(features.map.n_landmarks_) for one in joined])
        if features.map.passthrough:  # columns of X are everybody's
            owners = np.append(owners, np.full(features.map.n_features_in_, -1))
        columns = [np.flatnonzero((owners == k) | (owners < 0)) for k in range(len(kinds))]
        heads = [clone(task.head).set_params(**parameters) for _, parameters in best]
        own = [columns[kinds.index(transfers)] for transfers, _ in best]
        return [*joined], PerClass(list(zip(heads, own, strict=True)))


def _labels(task: Task) -> NDArray[Any]:
    """Return the classes to tell from the rest: of two, the second."""
    classes = np.unique(task.y)
    return classes if len(classes) > 2 else classes[1:]


# Heads of other libraries, whose strength is chosen when all else is.


STRENGTHS = {"C": np.logspace(-3, 3, 7).tolist(), "alpha": np.logspace(-5, 4, 10).tolist()}


def choose_strength(
    head: Any, features: Features, task: Task, sources: Any, rng: np.random.Generator
) -> Any:
    """Return a head with a number for each parameter `C` or `alpha` that says "cv".

    Any estimator may have them, also within a pipeline (``svc__C``). The head's own score on a
    fifth of the rows decides, among 10⁻³ … 10³ for C and 10⁻⁵ … 10⁴ for alpha; any other head is
    returned as it is.

    Parameters
    ----------
    head : estimator
        Unfitted.
    features : Features
        As the head is to see them.
    task : Task
    sources : ndarray of int, list of these, or None
        Rows that serve as landmarks, which are held out last.
    rng : Generator
    """
    grid = {
        name: STRENGTHS[name.rpartition("__")[2]]
        for name, value in head.get_params().items()
        if isinstance(value, str) and value == "cv" and name.rpartition("__")[2] in STRENGTHS
    }
    if not grid:
        return head
    if isinstance(sources, list):
        known = [some for some in sources if some is not None]
        sources = np.concatenate(known) if known else None
    tried = list(ParameterGrid(grid))
    trials = Trials(features, task.options, HeldOut().sides(task, sources, rng))
    scores = trials.scores(head, tried, task.y)
    return clone(head).set_params(**tried[int(np.argmax(scores))])


TUNINGS: dict[str, type[Tuning]] = {
    "cv": CrossValidated,
    "held_out": HeldOut,
    "held_out_per_class": HeldOutPerClass,
}
