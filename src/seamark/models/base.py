"""What landmark models share: a map, perhaps a choice among its features, and a head."""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..bounds import require_bounded
from ..data import Vectors, as_table, domain_of
from ..estimating import (
    as_measures,
    check_columns,
    fit_context,
    generator,
    named,
    require_same_length,
    seeded,
)
from ..io import RowSource, is_collection
from ..landmarks import Generated, Mixed, Parts, get_strategy, labels_of
from ..linear_model import Streamed, coefficients_of, fitted_at_once, has_coefficients
from ..linear_model.blocks import solving_bytes
from ..maps import LandmarkMap, Map
from ..maps.landmark import PILOT_ROWS, unscaled
from ..maps.value_cache import Budget
from ..transfers import Transfer
from ..tuning import TUNINGS, Task, Tuning
from .auto import Effort, auto_measure, scale_columns
from .blocks import (
    Block,
    blocks_of,
    common_groups,
    first_chunk,
    nested,
    read_apart,
    refuse_targets,
    require_divisible,
    tuned_together,
    uninformative,
    warn_of_few,
)
from .callbacks import CallbackSupportMixin
from .describe import Drawn, said_of_choice
from .explain import Decision, measure_weights
from .explaining import Explaining
from .out_of_core import ManyRows
from .predicting import Predicting
from .uncertainty import Novelty

FEWEST = 4  # objects: two to learn from, and two to judge by


class LandmarkModel(CallbackSupportMixin, Drawn, Explaining, Novelty, Predicting):
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
    """What a file means that is older than a default."""

    def __init__(
        self,
        measure: Any = "auto",
        *,
        n_landmarks: int | Literal["cv"] | None = None,
        landmarks: Any = "auto",
        transfer: Any = "auto",
        weighing: Any = None,
        head: Any = "auto",
        tune: Any = "cv",
        passthrough: bool = False,
        effort: Effort = "default",
        relevance: Literal["auto"] | None = "auto",
        budget: int | None = None,
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
        self.effort = effort
        self.relevance = relevance
        self.budget = budget
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
        many: ManyRows | None = None,
        adapted: Callable[[Any, Any], tuple[Any, Any, Any]] | None = None,
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
        adapted : callable, optional
            Makes of head and weighing those for targets of another kind, and their yardstick.
        **for_head
            Further arguments of the head's `fit`; None is left out.
        """
        X = as_table(X) if self._reads_tables else X
        rng = generator(self.random_state) if many is None else many.rng
        head, weighing = self._parts(rng)
        yardstick = type(self).yardstick()
        if adapted is not None:
            head, weighing, yardstick = adapted(head, weighing)
        tuning = named(self.tune, TUNINGS, "tune", Tuning)
        by_cv = 'n_landmarks="cv"' if self.n_landmarks == "cv" else None
        dropping = by_cv if weighing is None else f"weighing={weighing!r}"
        tuning.check(head, dropping)
        budget = self.budget
        blocks = self._blocks(X, tuning, 0 if many is None else many.n_rows)
        require_same_length(blocks[0].objects, y)
        if len(y) < FEWEST:
            warn_of_few(len(y))
        groups, numbers = common_groups(blocks, y), y if compared_by is None else compared_by
        bounded = nullcontext() if budget is None else engine.using(budget=budget)
        with bounded, fit_context(self, self.progress) as progress:
            task = Task(y, head, for_head, numbers, yardstick, weighing, False, groups, weights)
            kept = Budget(engine.settings().kept_bytes)
            keeping = {"budget": kept, "progress": progress, "groups": groups}
            if hasattr(self, "measure_") and self.relevance is not None and self.effort != "quick":
                with engine.step("tuning"):
                    self.relevance_ = scale_columns(blocks, task, tuning, rng, keeping)
            for one in blocks:
                one.fit(self._maps(one, rng, weighing, len(np.unique(groups))), y, progress)
            # What is to be solved comes first.
            kept.left = max(0, kept.left - _to_solve(head, blocks, len(y), many is None))
            if dropping is not None:
                require_divisible(blocks, dropping)
            telling = [one for one in blocks if one.offered[0].informative_ is not False]
            if not telling and 1 < len(y) <= PILOT_ROWS:
                raise ValueError(uninformative(blocks[0].offered[0]))
            task = replace(task, yardstick=seeded(yardstick, rng))
            with engine.step("tuning"):
                if blocks[0].is_plain:
                    features, choice = blocks[0].tuned(task, tuning, rng, keeping)
                else:
                    features, choice = tuned_together(blocks, X, task, tuning, rng, keeping)
            self.tuning_ = choice.results
            with engine.step("fitting"):
                seen = task.weighed(features) if many is None else many.behind(features)
                if isinstance(choice.head, Streamed):
                    self.head_, columns = choice.head.fitted_to(seen, y, for_head, choice.start)
                else:
                    calibrate = getattr(self, "calibrate", False)
                    self.head_, columns = fitted_at_once(choice.head, seen, y, for_head, calibrate)
            block = first_chunk(features)
        self._keep(features.map, block, columns, labels)
        if many is not None:
            many.finish(self)
        if self.progress and hasattr(self, "measure_"):
            print(f"seamark: {said_of_choice(self)}", file=sys.stderr)

    @property
    def _reads_tables(self) -> bool:
        """Whether dicts are rows of a table, and not objects of a measure."""
        auto = isinstance(self.measure, str) and self.measure == "auto"
        return auto or isinstance(self.measure, dict)

    def _keep(
        self, whole: Any, block: NDArray[Any], columns: NDArray[np.intp] | None, labels: Any
    ) -> None:
        """Keep of the map what the head uses, and what is said of its landmarks."""
        if self.n_landmarks == "cv":  # how many, the head has chosen
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

    def _blocks(self, X: Any, tuning: Tuning, behind: int) -> list[Block]:
        """Return the blocks of the map, each with its part of X, ingested."""
        for of_earlier_fit in ("measure_weights_", "measure_", "relevance_", "running_"):
            self.__dict__.pop(of_earlier_fit, None)
        measure = self.measure
        if isinstance(measure, str) and measure == "auto":
            domain = domain_of(X)
            if domain is not None and not isinstance(domain, Vectors):
                X = domain.ingest(X)  # once, for all blocks
            measure = self.measure_ = auto_measure(self, X, behind)
        blocks = blocks_of(measure)
        if blocks[0].is_plain:
            objects = self._objects(X, as_measures(measure)[0], reset=True)
            blocks[0].raw = blocks[0].objects = objects
            return blocks
        refuse_targets(blocks, getattr(self, "_in_blocks", False))
        read_apart(blocks, X, self.passthrough, tuning)
        by_column = any(block.columns is not None for block in blocks)
        check_columns(self, X, X if by_column else blocks[0].objects, reset=True)
        return blocks

    def _maps(self, block: Block, rng: np.random.Generator, weighing: Any, n: int) -> list[Map]:
        """Maps of n different objects, unfitted: several if the strategy leaves something open."""
        if isinstance(block.what, Map):
            given = seeded(unscaled(block.what), rng)
            drops = weighing is not None or self.n_landmarks == "cv"
            if drops and isinstance(getattr(given, "transfer", None), Transfer):
                given.set_params(transfer=given.transfer.divisible())
            return [given]
        measure = as_measures(block.what)[0]
        strategy = get_strategy(self.landmarks, measure, self.strategy)
        wanted: Any = None if self.n_landmarks == "cv" else self.n_landmarks
        pool = weighing.pool_for(n) if hasattr(weighing, "pool_for") else None
        if pool is not None:  # what is asked for is chosen among these
            unsaid = isinstance(self.landmarks, str) and self.landmarks == "auto"
            if unsaid and not measure.compares_parts:
                generated = Generated("auto", "auto").choices(measure.domain.name)
                strategy = Mixed(generated=generated, size=pool)
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
            for one in strategy.choices(measure.domain.name)
        ]

    def _parts(self, rng: np.random.Generator) -> tuple[Any, Any]:
        """Head and weighing, unfitted; what they mean is settled before any work."""
        require_bounded(type(self), vars(self))
        weighing = self.weighing
        if weighing is not None:
            weighing = seeded(named(weighing, self.weighings, "weighing"), rng)
            if hasattr(weighing, "pool_for") and weighing.n_features is None:
                weighing.set_params(n_features=self.n_landmarks)
        known = {"auto": next(iter(self.heads.values())), **self.heads}
        head = seeded(named(self.head, known, "head"), rng)
        return (nested(head, weighing) if self.n_landmarks == "cv" else head), weighing

    @abstractmethod
    def _decide(self, features: NDArray[Any], target: Any) -> Decision:
        """Predictions, and the scores behind them: of a class that is asked about, if any."""


def _to_solve(head: Any, blocks: list[Block], n: int, apart: bool) -> int:
    """Return the bytes that the head will hold beside values; next to nothing is not counted."""
    widths = [one.offered[0].n_features_out_ for one in blocks]
    cv = getattr(head, "cv", 5)
    n_folds = int(cv) if isinstance(cv, (int, np.integer)) else 5
    needed = solving_bytes(n, n_folds, widths, apart=apart)
    return needed if needed > 1 << 20 else 0


def are_many(X: Any) -> bool:
    """Tell whether rows are read in chunks, or so many that a sample of them says enough."""
    if isinstance(X, RowSource) or is_collection(X):
        return True
    shape = getattr(X, "shape", None)
    n = shape[0] if shape else len(X) if hasattr(X, "__len__") else 0
    return n > engine.settings().hashed_from
