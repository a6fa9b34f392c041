"""What landmark models share: a map, perhaps a choice among its features, and a head."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .. import engine
from ..estimator import ObjectEstimator, as_measures, generator, require_same_length, seeded
from ..heads import Streamed, coefficients_of, fitted_head, has_coefficients
from ..landmarks import Generated, Mixed, Strategy, get_strategy
from ..maps import LandmarkMap, MappedFeatures
from ..maps.cache import Budget
from ..maps.landmark import PILOT_ROWS
from ..tuning import Choice, Task, Tuning, get_tuning, landmark_candidates
from .callbacks import CallbackSupportMixin, fit_context
from .explaining import Explaining
from .parts import (
    informative_block,
    labels_of,
    measure_weights,
    named,
    nested,
    require_divisible,
    uninformative,
    warn_if_few,
)

FEW = 64  # objects whose features are one block, however long


class LandmarkModel(CallbackSupportMixin, Explaining, ObjectEstimator):
    """Objects → landmarks → values → transfer → features → weighing → head.

    A subclass names its heads, and says what y means to them.
    """

    strategy: ClassVar[str]
    """How landmarks are chosen if nobody says."""
    heads: ClassVar[dict[str, Callable[[], Any]]]
    """Heads by name; the first is what "auto" means."""
    weighings: ClassVar[dict[str, Callable[[], Any]]]
    """Ways to choose among the features, by name."""
    yardstick: ClassVar[Callable[[], Any]]
    """The ridge by whose cross-validated errors transfers are compared, whatever the head."""

    def __init__(
        self,
        measure: Any = "gaussian",
        *,
        n_landmarks: int | Literal["cv"] | None = None,
        landmarks: Any = "auto",
        transfer: Any = "auto",
        weighing: Any = None,
        head: Any = "auto",
        tune: Any = "cv",
        passthrough: bool = False,
        memory: int | None = None,
        progress: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.measure = measure
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.transfer = transfer
        self.weighing = weighing
        self.head = head
        self.tune = tune
        self.passthrough = passthrough
        self.memory = memory
        self.progress = progress
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _fit(
        self,
        X: Any,
        y: NDArray[Any],
        labels: NDArray[Any],
        compared_by: NDArray[Any] | None = None,
        weights: NDArray[np.float64] | None = None,
        **for_head: Any,
    ) -> None:
        """Fit everything.

        Parameters
        ----------
        X : objects
        y : ndarray
            What the head learns.
        labels : ndarray
            What users know it as.
        compared_by : ndarray, optional
            Targets of the yardstick, if not `y`.
        weights : ndarray, optional
            Of rows, to the yardstick.
        **for_head
            Further arguments of the head's `fit`; None is left out.
        """
        rng = generator(self.random_state)
        head, weighing = self._parts(rng)
        tuning = get_tuning(self.tune)
        dropping = self._dropping(weighing)
        tuning.check(head, dropping)
        objects = self._objects(X, as_measures(self.measure)[0], reset=True)
        require_same_length(objects, y)
        warn_if_few(objects.shape[0])
        groups = as_measures(self.measure)[0].domain.groups(objects)
        with (
            engine.counting() as counter,
            fit_context(self, self.progress) as progress,
            engine.timing(progress) as self.fit_times_,
        ):
            offered = self._maps(rng, weighing, int(groups.max()) + 1)
            pilots = [bearings.fit_seeing(objects, y, progress) for bearings in offered]
            if 1 < objects.shape[0] <= PILOT_ROWS and not offered[0].informative_:
                raise ValueError(uninformative(offered[0]))
            if dropping is not None:
                require_divisible(offered[0], dropping)
            target = y if compared_by is None else compared_by
            yardstick = seeded(type(self).yardstick(), rng)
            rivalled = len(offered) > 1
            task = Task(y, head, for_head, target, yardstick, weighing, rivalled, groups, weights)
            keeping: dict[str, Any] = {"memory": Budget.of(self.memory), "progress": progress}
            offers = (
                MappedFeatures(bearings, objects, pilot=pilots.pop(0), groups=groups, **keeping)
                for bearings in offered
            )
            with engine.step("tuning"):
                mapped, choice = self._chosen(offers, task, tuning, rng)
            bearings, self.tuning_ = mapped.map, choice.results
            bearings.transfers_ = choice.transfers
            features = mapped.with_transfers(choice.transfers)
            with engine.step("fitting"):
                self.head_, columns = fitted_head(choice.head, task.weighed(features), y, for_head)
            block = informative_block(features.quietly(), bearings)
        if self._is_nested:
            few = np.arange(self.head_.n_features_)
            self.head_, columns = self.head_.narrowed(few), few if columns is None else columns[few]
        if columns is not None:
            bearings, block = bearings.subset(columns), block[:, columns]
        self.feature_means_ = block.mean(axis=0, dtype=np.float64)
        self.map_ = bearings
        if len(bearings.measures_) > 1 and bearings.is_divisible and has_coefficients(self.head_):
            self.measure_weights_ = measure_weights(bearings, block, coefficients_of(self.head_))
        self.n_evaluations_ = counter.evaluations
        self.landmarks_, self.landmark_indices_ = bearings.landmarks_, bearings.landmark_indices_
        self.landmark_labels_ = labels_of(bearings, labels)

    def _chosen(
        self,
        offers: Iterable[MappedFeatures],
        task: Task,
        tuning: Tuning,
        rng: np.random.Generator,
    ) -> tuple[MappedFeatures, Choice]:
        """Choose what is open on each map, and the map by what that came to."""
        leading: MappedFeatures | None = None
        merits: list[float] = []
        tried: list[Any] = []
        for mapped in offers:
            # All maps are compared on the same rows, so each gets the same random numbers.
            choice = tuning.choose(mapped, self.transfer, task, deepcopy(rng))
            loser: MappedFeatures | None = mapped
            if not merits or choice.merit > max(merits):
                loser, leading = leading, mapped
                best = mapped, choice
            if loser is not None:
                loser.drop()  # which makes room for the values of others
            merits.append(choice.merit)
            tried.append(mapped.map.landmarks)
        if task.rivalled:
            best[1].results.update({"landmarks": tried, "merit": merits})
        return best

    def _maps(self, rng: np.random.Generator, weighing: Any, n: int) -> list[LandmarkMap]:
        """Maps of n different objects, unfitted: several if the strategy leaves something open."""
        domain = as_measures(self.measure)[0].domain.name
        strategy = self._strategy(weighing, domain)
        wanted: Any = None if self._is_nested else self.n_landmarks
        pool = getattr(weighing, "pool", None)
        if pool is not None:  # what is asked for is chosen among these
            wanted = pool if isinstance(strategy, Generated) else min(pool, n)
        return [
            LandmarkMap(
                self.measure,
                n_landmarks=wanted,
                landmarks=one,
                transfer=self.transfer,
                passthrough=self.passthrough,
                scale=False,  # heads standardise in their own way
                random_state=rng,
                n_jobs=self.n_jobs,
            )
            for one in landmark_candidates(strategy, domain)
        ]

    def _strategy(self, weighing: Any, domain: str) -> Strategy:
        """How landmarks are chosen: a weighing that wants a large pool gets a mixed one."""
        unsaid = isinstance(self.landmarks, str) and self.landmarks == "auto"
        if unsaid and hasattr(weighing, "pool"):
            generated = landmark_candidates(Generated("auto", "auto"), domain)
            return Mixed(generated=generated, size=weighing.pool)
        return get_strategy(self.strategy if unsaid else self.landmarks)

    def _parts(self, rng: np.random.Generator) -> tuple[Any, Any]:
        """Head and weighing, unfitted; what they mean is settled before any work."""
        weighing = self.weighing
        if weighing is not None:
            weighing = seeded(named(weighing, self.weighings, "weighing"), rng)
            if hasattr(weighing, "pool") and weighing.n_features is None:
                weighing.set_params(n_features=self.n_landmarks)
        known = {"auto": next(iter(self.heads.values())), **self.heads}
        head = seeded(named(self.head, known, "head"), rng)
        return (nested(head, weighing) if self._is_nested else head), weighing

    def _dropping(self, weighing: Any) -> str | None:
        """What makes this model drop landmarks, if anything does."""
        if weighing is not None:
            return f"weighing={weighing!r}"
        return 'n_landmarks="cv"' if self._is_nested else None

    @property
    def _is_nested(self) -> bool:
        """Whether the number of landmarks is the head's to choose."""
        return isinstance(self.n_landmarks, str) and self.n_landmarks == "cv"

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the target of each object.

        Parameters
        ----------
        X : objects

        Returns
        -------
        ndarray of shape (n,)
            Classes, numbers, labels or scores, as the targets of `fit` were.
        """
        said = self._by_head(X, "predict")
        classes = getattr(self, "classes_", None)
        return np.asarray(said, dtype=np.float64) if classes is None else classes[said]

    def _by_head(self, X: Any, method: str) -> Any:
        """What a method of the head says of new objects."""
        if not hasattr(self, "head_"):
            check_is_fitted(self, "head_")  # says that it is not
        objects = self._objects(X, self.map_.measures_[0], reset=False)
        n = objects.shape[0]
        if n <= FEW:
            return self._said(method, objects)
        said = []
        for rows in self.map_.row_blocks(n):
            with engine.numbering(rows):
                said.append(self._said(method, objects[rows]))
        return np.concatenate(said)

    def _said(self, method: str, objects: Any) -> Any:
        """What a method of the head says of a few ingested objects; our heads check no block."""
        block = self.map_.block(objects)
        if isinstance(self.head_, Streamed):
            return self.head_.said_of(block, method)
        return getattr(self.head_, method)(block)

    @abstractmethod
    def _decide(self, features: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
        """Predictions, and which row of the coefficients speaks for each."""
