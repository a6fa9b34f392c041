"""What landmark models share: a map, perhaps a choice among its features, and a head."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .. import engine
from ..estimating import (
    ObjectEstimator,
    as_measures,
    check_columns,
    generator,
    require_same_length,
    seeded,
)
from ..heads import Streamed, coefficients_of, fitted_head, has_coefficients
from ..landmarks import Generated, Mixed, Parts, Strategy, get_strategy, labels_of
from ..maps import LandmarkMap, Map
from ..maps.cache import Budget
from ..maps.evaluating import unscaled
from ..measures import Measure
from ..old_names import renamed_parameter
from ..sources import RowSource
from ..tuning import HeldOutPerClass, Task, Tuning, get_tuning, landmark_candidates
from .blocks import Block, blocks_of, common_groups, tuned
from .callbacks import CallbackSupportMixin, fit_context
from .deciding import Decision
from .evidence import measure_weights
from .explaining import Explaining
from .gathering import said_lazily
from .many import ManyRows
from .refusals import informative_block, named, nested, require_useful, warn_if_few

FEW = 64  # objects whose features are one block, however long


class LandmarkModel(CallbackSupportMixin, Explaining, ObjectEstimator):
    """Objects → landmarks → values → transfer → features → weighing → head.

    A subclass names its heads, and says what y means to them.
    """

    takes_parts: ClassVar[bool] = True
    strategy: ClassVar[str]
    """How landmarks are chosen if nobody says."""
    heads: ClassVar[dict[str, Callable[[], Any]]]
    """Heads by name; the first is what "auto" means."""
    weighings: ClassVar[dict[str, Callable[[], Any]]]
    """Ways to choose among the features, by name."""
    yardstick: ClassVar[Callable[[], Any]]
    """The ridge by whose cross-validated errors transfers are compared, whatever the head."""
    renamed: ClassVar[dict[str, str]] = {"memory": "budget"}

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
        budget: int | None = None,
        progress: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        memory: int | None = None,
    ) -> None:
        self.measure = measure
        self.n_landmarks = n_landmarks
        self.landmarks = landmarks
        self.transfer = transfer
        self.weighing = weighing
        self.head = head
        self.tune = tune
        self.passthrough = passthrough
        self.budget = budget
        self.progress = progress
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory = memory

    def _fit(
        self,
        X: Any,
        y: NDArray[Any],
        labels: NDArray[Any],
        compared_by: NDArray[Any] | None = None,
        weights: NDArray[np.float64] | None = None,
        many: ManyRows | None = None,
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
        many : ManyRows, optional
            The rows that X is a sample of.
        **for_head
            Further arguments of the head's `fit`; None is left out.
        """
        rng = generator(self.random_state) if many is None else many.rng
        head, weighing = self._parts(rng)
        tuning = get_tuning(self.tune)
        dropping = 'n_landmarks="cv"' if self._is_nested else None
        if weighing is not None:
            dropping = f"weighing={weighing!r}"
        tuning.check(head, dropping)
        budget = self.budget
        if self.memory is not None:
            budget = renamed_parameter(self, "memory", "budget")
        blocks = self._blocks(X, tuning)
        require_same_length(blocks[0].objects, y)
        warn_if_few(len(y))
        groups = common_groups(blocks)
        with (
            engine.counting() as counter,
            fit_context(self, self.progress) as progress,
            engine.timing(progress) as self.fit_times_,
        ):
            for one in blocks:
                one.fit(self._maps(one, rng, weighing, len(np.unique(groups))), y, progress)
            require_useful(blocks, len(y), dropping)
            target = y if compared_by is None else compared_by
            yardstick = seeded(type(self).yardstick(), rng)
            task = Task(y, head, for_head, target, yardstick, weighing, False, groups, weights)
            keeping: dict[str, Any] = {"budget": Budget.of(budget), "progress": progress}
            keeping |= {"groups": groups}
            with engine.step("tuning"):
                features, choice = tuned(blocks, X, task, tuning, rng, keeping)
            self.tuning_ = choice.results
            with engine.step("fitting"):
                seen = task.weighed(features) if many is None else many.behind(features)
                self.head_, columns = fitted_head(choice.head, seen, y, for_head)
            block = informative_block(features)
        self._keep(features.map, block, columns, labels)
        if many is not None:
            many.finish(self)
        self.n_evaluations_ = counter.evaluations

    def _keep(
        self, whole: Any, block: NDArray[Any], columns: NDArray[np.intp] | None, labels: Any
    ) -> None:
        """Keep of the map what the head uses, and what is said of its landmarks."""
        if self._is_nested:
            few = np.arange(self.head_.n_features_)
            self.head_, columns = self.head_.narrowed(few), few if columns is None else columns[few]
        if columns is not None:
            whole, block = whole.subset(columns), block[:, columns]
        self.map_ = whole
        self.feature_means_ = block.mean(axis=0, dtype=np.float64)
        several = whole.is_union or (len(whole.measures_) > 1 and whole.is_divisible)
        if several and has_coefficients(self.head_):
            self.measure_weights_ = measure_weights(whole, block, coefficients_of(self.head_))
        self.landmarks_, self.landmark_indices_ = whole.landmarks_, whole.landmark_indices_
        self.landmark_sources_ = whole.landmark_sources_
        self.landmark_labels_ = labels_of(whole.landmark_sources_, labels)

    def _blocks(self, X: Any, tuning: Tuning) -> list[Block]:
        """Return the blocks of the map, each with its part of X, ingested."""
        self.__dict__.pop("measure_weights_", None)  # of an earlier fit
        blocks = blocks_of(self.measure)
        if blocks[0].is_plain:
            objects = self._objects(X, as_measures(self.measure)[0], reset=True)
            blocks[0].raw = blocks[0].objects = objects
            return blocks
        if self.passthrough:
            raise ValueError(
                "passthrough=True is for a single measure of vectors; among several blocks, give "
                'Coordinates(), or {column: "passthrough"}.'
            )
        if isinstance(tuning, HeldOutPerClass):
            raise ValueError(f"{tuning!r} takes one measure, and not several blocks.")
        for block in blocks:
            block.read(X)
        by_column = any(block.columns is not None for block in blocks)
        check_columns(self, X, X if by_column else blocks[0].objects, reset=True)
        return blocks

    def _maps(self, block: Block, rng: np.random.Generator, weighing: Any, n: int) -> list[Map]:
        """Maps of n different objects, unfitted: several if the strategy leaves something open."""
        if isinstance(block.what, Map):
            return [seeded(unscaled(block.what), rng)]
        measure = as_measures(block.what)[0]
        strategy = self._strategy(weighing, measure)
        wanted: Any = None if self._is_nested else self.n_landmarks
        pool = getattr(weighing, "pool", None)
        if pool is not None:  # what is asked for is chosen among these
            wanted = pool if isinstance(strategy, (Generated, Parts)) else min(pool, n)
        elif block.missing is not None and isinstance(wanted, int):
            wanted = min(wanted, block.n_different)  # one number for unlike columns
        return [
            LandmarkMap(
                block.what,
                n_landmarks=wanted,
                landmarks=one,
                transfer=self.transfer,
                passthrough=self.passthrough,
                scale=False,  # heads standardise in their own way
                random_state=rng,
                n_jobs=self.n_jobs,
            )
            for one in landmark_candidates(strategy, measure.domain.name)
        ]

    def _strategy(self, weighing: Any, measure: Measure) -> Strategy:
        """How landmarks are chosen: a weighing that wants a large pool gets a mixed one."""
        unsaid = isinstance(self.landmarks, str) and self.landmarks == "auto"
        if unsaid and hasattr(weighing, "pool") and not measure.compares_parts:
            generated = landmark_candidates(Generated("auto", "auto"), measure.domain.name)
            return Mixed(generated=generated, size=weighing.pool)
        return get_strategy(self.landmarks, measure, self.strategy)

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

    @property
    def _is_nested(self) -> bool:
        """Whether the number of landmarks is the head's to choose."""
        return isinstance(self.n_landmarks, str) and self.n_landmarks == "cv"

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the target of each object.

        Parameters
        ----------
        X : objects, RowSource or Dask collection

        Returns
        -------
        ndarray of shape (n,)
            Classes, numbers, labels or scores, as the targets of `fit` were; of a Dask collection
            a dask.array, computed when it is asked for.
        """
        said = self._by_head(X, "predict")
        classes = getattr(self, "classes_", None)
        if classes is None:
            return said.astype(np.float64, copy=False)  # type: ignore[no-any-return]
        found: NDArray[Any] = classes[said] if isinstance(said, np.ndarray) else said
        return found

    def _by_head(self, X: Any, method: str) -> Any:
        """What a method of the head says of new objects."""
        if not hasattr(self, "head_"):
            check_is_fitted(self, "head_")  # says that it is not
        if isinstance(X, RowSource):
            return X.stacked(lambda objects: self._by_head(objects, method))
        if hasattr(X, "__dask_graph__"):
            return said_lazily(self, X, method)
        objects = self._ingested(X)
        n = objects.shape[0]
        if n <= FEW:
            return self._said(method, objects)
        said = []
        for rows in self.map_.row_blocks(n):
            with engine.numbering(rows, within=True):
                said.append(self._said(method, objects[rows]))
        return np.concatenate(said)

    def _ingested(self, X: Any) -> Any:
        """New objects as the map takes them; stop if they do not look like those of fit."""
        if self.map_.is_union:
            return self.map_.ingest(X)
        return self._objects(X, self.map_.measures_[0], reset=False)

    def _said(self, method: str, objects: Any) -> Any:
        """What a method of the head says of a few ingested objects; our heads check no block."""
        block = self.map_.block(objects)
        if isinstance(self.head_, Streamed):
            return self.head_.said_of(block, method)
        return getattr(self.head_, method)(block)

    @abstractmethod
    def _decide(self, features: NDArray[Any], target: Any) -> Decision:
        """Predictions, and the scores behind them: of a class that is asked about, if any."""
