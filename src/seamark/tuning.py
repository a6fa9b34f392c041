"""The one place that searches: which transfer and which head, on values that are computed once.

Penalties and nested numbers of landmarks are chosen by ridge itself, from sums; here the
features change, so a head is fitted to each candidate.
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
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import ParameterGrid

from .features import Features, Selected, SomeRows
from .heads import PerClass, fitted_head, head_score
from .landmarks import by_class
from .maps import MappedFeatures
from .transfers import Decay, Identity, Ramp, SideBySide, Transfer, get_transfer

Rows = NDArray[np.intp]

PILOT_ROWS = 10_000
PILOT_LANDMARKS = 512
# Multiples of the typical γ. Small ones all but reach the distances themselves, which stand first.
GAMMAS = tuple(float(g) for g in 10.0 ** np.arange(-1.5, 1.01, 0.5))
SLOPES = (1.0, 5.0, 10.0, 50.0, 100.0, 1000.0)  # Kar and Jain's


def candidates(wanted: Any, fitted: Transfer, kind: str | None) -> list[Transfer]:
    """Return the transfers a model may choose among: several if γ or slope is open, else one.

    Parameters
    ----------
    wanted : str or Transfer
        What the user asked for.
    fitted : Transfer
        The same after fitting, with a typical γ.
    kind : {"distance", "similarity"} or None
        Of the measure.

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
        typical = float(fitted.gamma)
        return [Identity(), *(type(fitted)(typical * factor) for factor in GAMMAS)]
    if isinstance(transfer, Ramp) and transfer.slope == "auto" and isinstance(fitted, Ramp):
        return [Ramp(slope, fitted.middle, fitted.half) for slope in SLOPES]
    return [fitted]


def joint_candidates(features: MappedFeatures, wanted: Any) -> list[list[Transfer]]:
    """Return choices of one transfer per measure: all are given the same multiple or slope."""
    options = [
        candidates(wanted, fitted, measure.kind)
        for fitted, measure in zip(features.map.transfers_, features.map.measures_, strict=True)
    ]
    longest = max(len(option) for option in options)
    return [[option[min(i, len(option) - 1)] for option in options] for i in range(longest)]


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
    """

    y: NDArray[Any]
    head: Any
    options: dict[str, Any]
    numbers: NDArray[Any]
    yardstick: Any

    def of(self, rows: Rows) -> tuple[NDArray[Any], dict[str, Any]]:
        """Targets and options of some rows."""
        given = {name: value for name, value in self.options.items() if value is not None}
        return self.y[rows], {name: np.asarray(value)[rows] for name, value in given.items()}


@dataclass(frozen=True)
class Choice:
    """What a tuning found: transfers, the head to fit to all rows, and everything tried."""

    transfers: list[Transfer]
    head: Any
    results: dict[str, list[Any]] = field(default_factory=dict)


class Tuning(BaseEstimator):
    """How a model chooses what its user left open."""

    def check(self, head: Any) -> None:
        """Raise ValueError if a parameter makes no sense for this head; before any work."""

    @abstractmethod
    def choose(
        self, features: MappedFeatures, wanted: Any, task: Task, rng: np.random.Generator
    ) -> Choice:
        """Choose.

        Parameters
        ----------
        features : MappedFeatures
            Of the training objects; their values are computed once, and kept.
        wanted : str or Transfer
            The user's `transfer=`.
        task : Task
        rng : Generator
        """


class CrossValidated(Tuning):
    """Open transfers by the cross-validated error of a ridge, whatever the head.

    On 10,000 rows and 512 landmarks, where there are more.
    """

    def choose(
        self, features: MappedFeatures, wanted: Any, task: Task, rng: np.random.Generator
    ) -> Choice:
        """Choose the transfers; heads choose their own penalties, if they do."""
        choices = joint_candidates(features, wanted)
        if len(choices) == 1:
            return Choice(choices[0], task.head)
        pilot = _Pilot(features, task.numbers, rng)
        errors = [pilot.error(choice, task.yardstick) for choice in choices]
        best = int(np.argmin(errors))
        return Choice(choices[best], task.head, {"transfer": choices, "error": errors})


class _Pilot:
    """Features of enough rows and landmarks to choose by; all of them if there are few."""

    def __init__(self, features: MappedFeatures, y: NDArray[Any], rng: np.random.Generator) -> None:
        n, width = features.shape
        self.features, self.y = features, y
        self.columns = np.arange(min(width, PILOT_LANDMARKS))
        if n > PILOT_ROWS:
            rows = np.sort(rng.permutation(n)[:PILOT_ROWS])
            self.features, self.y = features.of_rows(rows, self.columns), y[rows]

    def error(self, transfers: list[Transfer], head: Any) -> float:
        """Cross-validated error under some transfers."""
        changed: Features = self.features.with_transfers(transfers)
        if changed.shape[1] > len(self.columns):
            changed = Selected(changed, self.columns)
        results = clone(head).fit(changed, self.y).cv_results_
        return float(np.min(results["mean_error"]))


class HeldOut(Tuning):
    """Open transfers and parameters of the head, by the head's own score on rows held out.

    Every combination is fitted to the other rows; the best, the first of equals, is then fitted
    to all rows. Landmarks are chosen once, and rows that serve as landmarks are not held out
    while there are others: they would know themselves. Of each class its share is held out; of
    ranked documents, whole queries. A model's `weighing` comes after, with what was chosen.

    Parameters
    ----------
    share : float, default=0.2
        Of rows, or queries, to hold out.
    grid : dict of lists, optional
        Values to try of parameters of the head, as in `GridSearchCV`.

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

    def __init__(self, share: float = 0.2, grid: Mapping[str, Sequence[Any]] | None = None) -> None:
        self.share = share
        self.grid = grid

    def check(self, head: Any) -> None:
        """Require a share between 0 and 1, and parameters that the head has."""
        if not 0 < self.share < 1:
            raise ValueError(f"share must lie between 0 and 1, not {self.share!r}.")
        unknown = {name for one in ParameterGrid(self.grid or {}) for name in one}
        unknown -= set(head.get_params())
        if unknown:
            raise ValueError(f"{head!r} has no parameter {sorted(unknown)[0]!r}; grid names it.")

    def choose(
        self, features: MappedFeatures, wanted: Any, task: Task, rng: np.random.Generator
    ) -> Choice:
        """Fit every combination to the rows that are not held out, and take the best."""
        tried = self._combinations(features, wanted)
        if len(tried) == 1:
            return Choice(tried[0][0], clone(task.head).set_params(**tried[0][1]))
        held = self.held(task, features.map.landmark_indices_, rng)
        scores = [self._score(features.with_transfers(t), task, p, held) for t, p in tried]
        transfers, parameters = tried[int(np.argmax(scores))]
        head = clone(task.head).set_params(**parameters)
        return Choice(transfers, head, _report(tried, scores))

    def _combinations(
        self, features: MappedFeatures, wanted: Any
    ) -> list[tuple[list[Transfer], dict[str, Any]]]:
        return list(product(joint_candidates(features, wanted), ParameterGrid(self.grid or {})))

    @staticmethod
    def _score(features: Features, task: Task, parameters: dict[str, Any], held: Rows) -> float:
        """Fit to the other rows, and score on those held out."""
        fitted = np.setdiff1d(np.arange(len(task.y)), held)
        head = clone(task.head).set_params(**parameters)
        with warnings.catch_warnings():
            # Of a candidate that is not chosen nobody needs to know; the final fit warns.
            warnings.simplefilter("ignore", ConvergenceWarning)
            head = fitted_head(head, SomeRows(features, fitted), *task.of(fitted))
        return head_score(head, SomeRows(features, held), *task.of(held))

    def held(self, task: Task, landmarks: Rows | None, rng: np.random.Generator) -> Rows:
        """Return the rows to hold out, sorted."""
        n = len(task.y)
        queries = task.options.get("qid")
        if queries is not None:
            some = self._some(rng.permutation(np.unique(queries)), least=1)
            return np.flatnonzero(np.isin(queries, some))
        last = np.zeros(n, dtype=bool)
        last[landmarks if landmarks is not None else []] = True
        groups = [
            group[np.lexsort((rng.permutation(len(group)), last[group]))]
            for group in by_class(task.y if is_classifier(task.head) else None, n)
        ]
        held = np.concatenate([self._some(group) for group in groups])
        if len(held) == 0:
            held = self._some(max(groups, key=len), least=1)
        return np.sort(held)

    def _some(self, group: Rows, least: int = 0) -> Rows:
        """Return the first few: the share, and never all."""
        few = group[: min(max(round(self.share * len(group)), least), len(group) - 1)]
        if len(few) < least:
            raise ValueError(
                "nothing can be held out of a single row or query per class; add more."
            )
        return few


class HeldOutPerClass(HeldOut):
    """As `HeldOut`, but each class, against the rest, has transfers and parameters of its own.

    Features of the transfers that won stand side by side, and each class reads its own.

    Parameters
    ----------
    share, grid
        As in `HeldOut`.
    """

    def check(self, head: Any) -> None:
        """Require a classifier."""
        super().check(head)
        if not is_classifier(head):
            raise ValueError(f"{head!r} is no classifier, so nothing can be chosen per class.")

    def choose(
        self, features: MappedFeatures, wanted: Any, task: Task, rng: np.random.Generator
    ) -> Choice:
        """Choose for one class after another, on the same values and the same rows held out."""
        tried = self._combinations(features, wanted)
        held = self.held(task, features.map.landmark_indices_, rng)
        classes = np.unique(task.y)
        scores = []
        for label in classes if len(classes) > 2 else classes[1:]:
            alone = replace(task, y=(task.y == label).astype(np.intp))
            scores.append(
                [self._score(features.with_transfers(t), alone, p, held) for t, p in tried]
            )
        best = [tried[int(np.argmax(row))] for row in scores]
        distinct = [t for i, (t, _) in enumerate(best) if t not in [u for u, _ in best[:i]]]
        transfers: list[Transfer] = [
            SideBySide(list(parts)) for parts in zip(*distinct, strict=True)
        ]
        columns = _columns(features, distinct)
        members = [
            (clone(task.head).set_params(**parameters), columns[distinct.index(t)])
            for t, parameters in best
        ]
        return Choice(transfers, PerClass(members), _report(tried, scores))


def _report(tried: list[Any], scores: list[Any]) -> dict[str, list[Any]]:
    """Return all that was tried, and how it did (for each class, if each has its choice)."""
    transfers, parameters = zip(*tried, strict=True)
    return {"transfer": list(transfers), "head": list(parameters), "score": scores}


def _columns(features: MappedFeatures, choices: list[list[Transfer]]) -> list[Rows]:
    """Return the columns of each choice where, measure by measure, all stand side by side."""
    ends = np.cumsum(
        [t.n_features(features.map.n_landmarks_) for ts in zip(*choices, strict=True) for t in ts]
    )
    parts = np.split(np.arange(ends[-1]), ends[:-1])
    extra = features.map.n_features_in_ if features.map.passthrough else 0
    shared = ends[-1] + np.arange(extra)
    return [np.concatenate([*parts[i :: len(choices)], shared]) for i in range(len(choices))]


TUNINGS: dict[str, type[Tuning]] = {
    "cv": CrossValidated,
    "held_out": HeldOut,
    "held_out_per_class": HeldOutPerClass,
}


def get_tuning(tune: Any) -> Tuning:
    """Return the tuning that a user's `tune=` means.

    Examples
    --------
    >>> get_tuning("cv")
    CrossValidated()
    """
    if isinstance(tune, Tuning):
        return tune
    if not isinstance(tune, str) or tune not in TUNINGS:
        raise ValueError(f"tune={tune!r} is none of {', '.join(TUNINGS)}, nor a Tuning.")
    return TUNINGS[tune]()
