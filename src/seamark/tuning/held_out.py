"""`HeldOut`: what is open is chosen by the head's own score on rows held out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.model_selection import ParameterGrid
from sklearn.utils import get_tags

from .. import engine
from ..data import distinct, with_copies
from ..estimating import require_count
from ..features import Rows
from ..linear_model import PerClass, Trials
from ..maps import CachedFeatures
from ..targets import by_class, inseparable, shuffled, strata
from ..transfers import SideBySide, Transfer
from .base import Choice, Task, Tuning, joint_candidates

Grid = list[dict[str, Any]]
Tried = tuple[list[Transfer], dict[str, Any]]


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

    def __init__(
        self,
        share: float = 0.2,
        grid: Mapping[str, Sequence[Any]] | None = None,
        most_rows: int | None = None,
    ) -> None:
        self.share = share
        self.grid = grid
        self.most_rows = most_rows

    def check(self, head: Any, dropping: str | None = None) -> None:
        """Require a share between 0 and 1, and parameters that the head has."""
        if not 0 < self.share < 1:
            raise ValueError(f"share must lie between 0 and 1, not {self.share!r}.")
        if self.most_rows is not None:
            require_count("most_rows", self.most_rows)
        unknown = {name for one in self._grid() for name in one}
        unknown -= set(head.get_params())
        if unknown:
            raise ValueError(
                f"grid names {sorted(unknown)[0]!r}, which is not a parameter of {head!r}."
            )

    def choose(
        self, features: CachedFeatures, wanted: Any, task: Task, rng: np.random.Generator
    ) -> Choice:
        """Fit every combination to the rows that are not held out, and take the best."""
        choices, grid = joint_candidates(features, wanted), self._grid()
        tried = list(product(choices, grid))
        if len(tried) == 1 and not task.rivalled:
            return Choice(*self._joined(tried, features, task))
        trials = self._trials(features, choices, task, rng)
        scores = np.concatenate([self._scores(one, grid, task) for one in trials], axis=-1)
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

    def _grid(self) -> Grid:
        return list(ParameterGrid(self.grid or {}))

    def _trials(
        self,
        features: CachedFeatures,
        choices: list[list[Transfer]],
        task: Task,
        rng: np.random.Generator,
    ) -> Iterator[Trials]:
        """Yield what heads are tried on, for each choice of transfers; a weighing chooses once."""
        sides = self.sides(task, features.map.landmark_sources_, rng)
        with engine.step("tuning", len(choices)):
            for transfers in choices:
                yield Trials(task.weighed(features.with_transfers(transfers)), task.options, sides)
                engine.tick()

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
        groups = [self._cut(group, n) for group in groups]
        held = np.concatenate([self._some(group) for group in groups])
        if len(held) == 0:
            held = self._some(max(groups, key=len), least=1)
        rest = np.setdiff1d(np.concatenate(groups), held)
        return with_copies(rest, copies), with_copies(held, copies)

    def _cut(self, group: Rows, n: int) -> Rows:
        """Return the first rows of a class of n rows: its share of `most_rows`, and never none."""
        share = 1.0 if self.most_rows is None else min(1.0, self.most_rows / n)
        return group[: max(round(share * len(group)), min(len(group), 2))]

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
