"""What landmark models share: a map, perhaps a choice among its features, and a head."""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .. import engine
from ..data import Vectors, as_table, collected, domain_of, is_collection
from ..data.tables import require_columns_of
from ..engine import fit_context
from ..features import Features
from ..io import ArrayRows, RowSource, asked_for, made_there
from ..landmarks import Generated, Mixed, Parts, get_strategy, groups_in, labels_of
from ..linear_model import Streamed, coefficients_of, core_of, fitted_at_once
from ..linear_model.iterative import is_cheaper, iterative_bytes
from ..linear_model.ridge_blocks import solving_bytes
from ..maps import LandmarkMap, Map
from ..maps.features import ComputedFeatures
from ..maps.landmark import PILOT_ROWS, unscaled
from ..maps.value_cache import Budget
from ..measures import ObjectEstimator, as_measures
from ..plotting import page
from ..transfers import Transfer
from ..tuning import TUNINGS, Task, Tuning, choose_strength
from ..validation import (
    check_columns,
    generator,
    named,
    require_bounded,
    require_same_length,
    seeded,
)
from .auto import Effort, auto_measure, scale_columns, usual_landmarks
from .blocks import (
    Block,
    blocks_of,
    common_groups,
    first_chunk,
    nested,
    read_apart,
    require_divisible,
    tuned_together,
    uninformative,
)
from .describe import Description, choice_sentence, describe_model, diagram_of
from .explain import Decision, explain_objects, measure_weights
from .importance import unseen_rows
from .likely_mistakes import read_precomputed, warn_of_leaks
from .out_of_core import OutOfCoreData, predict_lazily
from .report import document_of
from .uncertainty import novelty_of

__all__ = ["LandmarkModel", "are_many", "with_callbacks"]

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to support."""

    def with_callbacks(method: Any) -> Any:
        """Leave the method as it is."""
        return method


FEWEST = 4  # objects: two to learn from, and two to judge by
FEW = 64  # objects whose features are one block, however long


@dataclass(eq=False, repr=False)
class LandmarkModel(CallbackSupportMixin, ObjectEstimator):
    """Objects → landmarks → values → transfer → features → weighing → head.

    A subclass names its heads, and says what y means to them.
    """

    measure: Any = "auto"
    _: KW_ONLY
    n_landmarks: int | Literal["cv"] | None = None
    landmarks: Any = "auto"
    transfer: Any = "auto"
    weighing: Any = None
    head: Any = "auto"
    tune: Any = "cv"
    passthrough: bool = False
    effort: Effort = "default"
    relevance: Literal["auto"] | None = "auto"
    budget: int | None = None
    progress: bool = False
    random_state: Any = None
    n_jobs: int | None = None

    takes_parts: ClassVar[bool] = True
    strategy: ClassVar[str]
    """How landmarks are chosen if nobody says."""
    heads: ClassVar[dict[str, Callable[[], Any]]]
    """Heads by name; the first is what "auto" means."""
    weighings: ClassVar[dict[str, Callable[[], Any]]]
    """Ways to choose among the features, by name."""
    yardstick: ClassVar[Callable[[], Any]]
    """The ridge by whose cross-validated errors transfers are compared, whatever the head."""
    map_: Any = field(init=False)
    head_: Any = field(init=False)

    def _fit(
        self,
        X: Any,
        y: NDArray[Any],
        labels: NDArray[Any],
        compared_by: NDArray[Any] | None = None,
        weights: NDArray[np.float64] | None = None,
        many: OutOfCoreData | None = None,
        yardstick: Any = None,
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
        many : OutOfCoreData, optional
            The rows that X is a sample of.
        yardstick : estimator, optional
            In the place of the one that the class has, for targets of another kind.
        **for_head
            Further arguments of the head's `fit`; None is left out.
        """
        # What was asked for, settled before any work.
        if self._reads_tables:
            require_columns_of(X, y)
            X = as_table(X)
        if self._reads_tables and many is None and self.effort != "quick":
            warn_of_leaks(X, y, hasattr(self, "classes_"), self.measure)
        rng = generator(self.random_state) if many is None else many.rng
        head, weighing = self._parts(rng)
        yardstick = yardstick or type(self).yardstick()
        tuning = named(self.tune, TUNINGS, "tune", Tuning)
        by_cv = 'n_landmarks="cv"' if self.n_landmarks == "cv" else None
        dropping = by_cv if weighing is None else f"weighing={weighing!r}"
        tuning.check(head, dropping)
        budget = self.budget
        # Blocks, each with its part of X as objects; and rows that no fold may part.
        blocks = self._blocks(X, tuning, 0 if many is None else many.n_rows)
        require_same_length(blocks[0].objects, y)
        if len(y) < FEWEST:
            engine.warn_user(
                f"X has only {len(y)} object{'s' if len(y) > 1 else ''}; tuning and predictions on "
                "so few are little better than chance: give more."
            )
        groups, numbers = common_groups(blocks, y), y if compared_by is None else compared_by
        bounded = nullcontext() if budget is None else engine.using(budget=budget)
        with bounded, fit_context(self, self.progress) as progress:
            task = Task(y, head, for_head, numbers, yardstick, weighing, False, groups, weights)
            kept = Budget(engine.settings().kept_bytes)
            keeping = {"budget": kept, "progress": progress, "groups": groups}
            if hasattr(self, "measure_") and self.relevance is not None and self.effort != "quick":
                with engine.step("tuning"):
                    self.relevance_ = scale_columns(blocks, task, tuning, rng, keeping)
            # Values and tuning of each block, fitting and calibration of the head.
            engine.progress_bar(progress).expect(2 * len(blocks) + 2)
            # Landmarks are drawn, and transfers see what values are like.
            n = len(np.unique(groups))
            usual = usual_landmarks(blocks[0], head, n) if many is None and not budget else None
            for one in blocks:
                one.fit(self._maps(one, rng, weighing, n, usual), y, progress)
            # Of the budget, what is to be solved comes first; the rest keeps values.
            kept.left = max(0, kept.left - _to_solve(head, blocks, len(y), many is None))
            require_divisible(blocks, dropping)
            informative = [one for one in blocks if one.offered[0].informative_ is not False]
            if not informative and 1 < len(y) <= PILOT_ROWS:
                raise ValueError(uninformative(blocks[0].offered[0]))
            # γ and slopes of transfers, by `CrossValidated.choose` if nobody says otherwise.
            task = replace(task, yardstick=seeded(yardstick, rng))
            with engine.step("tuning"):
                if blocks[0].is_plain:
                    features, choice = blocks[0].tuned(task, tuning, rng, keeping)
                else:
                    features, choice = tuned_together(blocks, X, task, tuning, rng, keeping)
            self.tuning_ = choice.results
            # The head: a ridge chooses its penalty from sums or rows, in `ridge_solve.choose`.
            with engine.step("fitting"):
                seen = task.weighed(features) if many is None else many.behind(features)
                if isinstance(choice.head, Streamed):
                    self.head_, columns = choice.head.fitted_to(seen, y, for_head, choice.start)
                else:
                    calibrate = getattr(self, "calibrate", False)
                    sources = features.map.landmark_sources_
                    chosen = choose_strength(choice.head, seen, task, sources, rng)
                    self.head_, columns = fitted_at_once(chosen, seen, y, for_head, calibrate)
            block = first_chunk(features)
        self._keep(features.map, block, columns, labels)
        if many is not None:
            many.finish(self)
        if self.progress and hasattr(self, "measure_"):
            print(f"seamark: {choice_sentence(self)}", file=sys.stderr)

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
        if several and hasattr(core_of(self.head_), "coef_"):
            self.measure_weights_ = measure_weights(whole, block, coefficients_of(self.head_))
        self.landmarks_, self.landmark_indices_ = whole.landmarks_, whole.landmark_indices_
        self.landmark_sources_ = whole.landmark_sources_
        self.landmark_labels_ = labels_of(whole.landmark_sources_, labels)

    def _blocks(self, X: Any, tuning: Tuning, behind: int) -> list[Block]:
        """Return the blocks of the map, each with its part of X, ingested."""
        for of_earlier_fit in ("measure_weights_", "measure_", "relevance_", "incremental_"):
            self.__dict__.pop(of_earlier_fit, None)
        measure = read_precomputed(self.measure, X)
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
        read_apart(blocks, X, self, tuning)
        by_column = any(block.columns is not None for block in blocks)
        check_columns(self, X, X if by_column else blocks[0].objects, reset=True)
        return blocks

    def _maps(
        self,
        block: Block,
        rng: np.random.Generator,
        weighing: Any,
        n: int,
        usual: int | None = None,
    ) -> list[Map]:
        """Maps of n different objects, unfitted: several if the strategy leaves something open."""
        if isinstance(block.what, Map):
            given = seeded(unscaled(block.what), rng)
            drops = weighing is not None or self.n_landmarks == "cv"
            if drops and isinstance(getattr(given, "transfer", None), Transfer):
                given.set_params(transfer=given.transfer.divisible())
            return [given]
        measure = as_measures(block.what)[0]
        strategy = get_strategy(self.landmarks, measure, self.strategy)
        wanted: Any = None if self.n_landmarks == "cv" else self.n_landmarks or usual
        pool = weighing.pool_for(n) if hasattr(weighing, "pool_for") else None
        if pool is not None:  # what is asked for is chosen among these
            unsaid = isinstance(self.landmarks, str) and self.landmarks == "auto"
            if unsaid and not measure.compares_parts:
                generated = Generated("auto", "auto").choices(measure.domain.name)
                strategy = Mixed(generated=generated, size=pool)
            wanted = pool if isinstance(strategy, (Generated, Parts)) else min(pool, n)
        elif block.missing is not None and isinstance(wanted, int):
            n_different = len(np.unique(groups_in(block.objects, block.domain)))
            wanted = min(wanted, n_different)  # one number for unlike columns
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

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the target of each object.

        Parameters
        ----------
        X : objects, RowSource or Dask collection

        Returns
        -------
        ndarray of shape (n,), or (n, L)
            Classes, numbers, labels or scores, as the targets of `fit` were; where objects have
            any number of labels, a matrix of 0 and 1 in the order of `classes_`; of a Dask
            collection a dask.array, computed when it is asked for.
        """
        said = self._predict(X, "predict")
        classes = getattr(self, "classes_", None)
        if getattr(self, "multilabel_", False):
            return said  # type: ignore[no-any-return]
        if classes is None:
            return said.astype(np.float64, copy=False)  # type: ignore[no-any-return]
        found: NDArray[Any] = classes[said] if isinstance(said, np.ndarray) else said
        return found

    def _predict(self, X: Any, method: str) -> Any:
        """What a method of the head says of new objects."""
        if not hasattr(self, "head_"):
            check_is_fitted(self, "head_")  # says that it is not
        if isinstance(X, RowSource):
            return X.stacked(lambda objects: self._predict(objects, method))
        if is_collection(X):
            return predict_lazily(self, X, method)
        objects = self._ingested(X)
        n = objects.shape[0]
        if n <= FEW:
            return self._predict_block(method, self.map_.block(objects))
        if n > engine.settings().hashed_from and asked_for():
            return made_there(ArrayRows(objects), partial(self._predict, method=method))
        features: Features = ComputedFeatures(self.map_, objects)
        if engine.backend().device is not None and isinstance(self.head_, Streamed):
            features = features.on_device() or features
        return features.stacked(lambda rows, block: self._predict_block(method, block))

    def _ingested(self, X: Any) -> Any:
        """New objects as the map takes them; stop if they do not look like those of fit."""
        X = collected(X)
        if self.map_.is_union:
            objects = self.map_.ingest(X)
            is_frame = hasattr(X, "columns") and not hasattr(X, "column_names")
            is_named = is_frame and hasattr(self, "feature_names_in_")
            # Blocks that read all columns were fitted to numbers without names.
            if is_named and all(columns is None for columns in self.map_.columns_):
                check_columns(self, X, objects, reset=False)
            return objects
        return self._objects(X, self.map_.measures_[0], reset=False)

    def _predict_block(self, method: str, block: Any) -> Any:
        """What a method of the head says of a chunk of features; our heads do not check it."""
        if isinstance(self.head_, Streamed):
            return self.head_.predict_block(block, method)
        if not hasattr(self.head_, method) and hasattr(core_of(self.head_), method):
            # A pipeline hands on scikit-learn's methods only.
            return getattr(core_of(self.head_), method)(self.head_[0].transform(block))
        return getattr(self.head_, method)(block)

    @property
    def coef_(self) -> NDArray[np.float64]:
        """Coefficients of the features as `map_` gives them, (rows, features)."""
        return coefficients_of(self.head_)

    def explain(self, X: Any, n_landmarks: int = 5, *, target: Any = None) -> Any:
        """Explain the prediction of each object, as a sum over what decided it.

        Every block explains itself in its own terms, and all contributions sum to the score. Where
        landmarks are objects, an object is written as a mixture of the few landmarks that, in the
        eyes of the model, are most like it; its score is the same mixture of their scores, and a
        rest. N-grams, columns, windows and stretches of time each have a contribution of their
        own, above that of an average object.

        Parameters
        ----------
        X : objects, or one object
            One is a string, or an array of the shape of one; a list is always several.
        n_landmarks : int, default=5
            How many landmarks, n-grams or columns to show for each object, the strongest first.
        target : class, optional
            The class to ask about; default: the one that is predicted. Where objects have any
            number of labels, one of them; of a regressor with several outputs, the number of one.

        Returns
        -------
        Explanations, or Explanation
            A list of as many as there are objects, which prints as a table where they are many, and
            has `to_frame`; row labels are those of a DataFrame. Each prints itself, and has
            `to_frame` and `plot`.

        Notes
        -----
        For each object the values of some near landmarks against all landmarks are computed, at
        most 50 and 50 of other classes, which takes as long as 100 predictions; what is known of
        them serves all objects of one call.
        """
        return explain_objects(self, X, n_landmarks, target)

    def describe(self, X: Any = None, y: Any = None, *, n_prototypes: int = 3) -> Description:
        """Describe what the model looks at, the prototypes of each class, and its mistakes.

        Scores are out of fold, as cross-validation inside `fit` left them; heads other than ridge
        have none.

        Parameters
        ----------
        X : objects, optional
            Those of `fit`, to show the objects that were mistaken; otherwise they are shown if
            they are landmarks, and else known by their row.
        y : targets, optional
            Those of `fit`; with them the importance of each column of a table or matrix is
            measured, which takes another fit, to three quarters of the rows.
        n_prototypes : int, default=3
            For each class, landmarks that stand for most others of it.

        Returns
        -------
        Description
            Prints itself; `to_dict` gives plain data.

        Examples
        --------
        >>> import seamark as sm
        >>> names = ["Anna", "Hanna", "Johanna", "Otto", "Ottokar", "Ottilo"] * 3
        >>> model = sm.LandmarkClassifier("levenshtein", random_state=0)
        >>> said = model.fit(names, list("fffmmm") * 3).describe()
        >>> said.accuracy, [one.label for one in said.classes]
        (1.0, ['f', 'm'])
        """
        described = describe_model(self, X, n_prototypes)
        if y is None:
            return described
        if X is None:
            raise ValueError("the importance of columns needs the X of fit as well as its y.")
        unseen = unseen_rows(self, X, y)
        return described.with_importance([] if unseen is None else unseen.importances)

    def report(
        self,
        path: Any,
        X: Any = None,
        y: Any = None,
        *,
        name: str | None = None,
        overwrite: bool = False,
    ) -> Path:
        """Write one self-contained page: how good it is, its prototypes, what it confuses.

        Parameters
        ----------
        path : str or Path
        X : objects, optional
            Those of `fit`; then the objects it was most surely wrong about are shown and explained,
            and not only those that are landmarks.
        y : targets, optional
            Those of `fit`; then the page shows the importance of columns, and what is predicted
            of rows that a copy of the model had not seen.
        name : str, optional
            What is predicted and of what, such as "rating of movies.csv", for the title.
        overwrite : bool, default=False
            Replace the file if it exists.

        Returns
        -------
        Path

        Examples
        --------
        >>> import tempfile
        >>> import seamark as sm
        >>> names = ["Anna", "Hanna", "Johanna", "Otto", "Ottokar", "Ottilo"] * 3
        >>> model = sm.LandmarkClassifier("levenshtein", random_state=0)
        >>> folder = tempfile.TemporaryDirectory()
        >>> model.fit(names, list("fffmmm") * 3).report(f"{folder.name}/model.html").name
        'model.html'
        >>> folder.cleanup()
        """
        return page.write(document_of(self, X, y, name), path, overwrite=overwrite)

    def novelty(self, X: Any) -> NDArray[np.float64]:
        """Say how unlike all landmarks each object is, from 0 to 1.

        The share of landmarks that are nearer to another landmark than the object is to any. Of
        objects like those of `fit` it is 0.95 or more in about 5 of 100 cases, whatever the
        measure; of objects unlike anything seen it is near 1. With several columns, the largest
        share u of B columns counts as u to the power of B, as the largest of B shares is large by
        chance. A name that no landmark has counts as 1, a gap as 0; columns of numbers and dates
        are not looked at.

        Parameters
        ----------
        X : objects

        Returns
        -------
        ndarray of shape (n,)

        Examples
        --------
        >>> import seamark as sm
        >>> words = ["sea", "seas", "see", "sees", "tea", "teas", "tee", "tees"]
        >>> model = sm.LandmarkRegressor("levenshtein", random_state=0).fit(words, range(8))
        >>> model.novelty(["seat", "lighthouse"])
        array([0., 1.])
        """
        return novelty_of(self, X)

    def _sk_visual_block_(self) -> Any:
        return diagram_of(self)

    @abstractmethod
    def _decide(self, features: NDArray[Any], target: Any) -> Decision:
        """Predictions, and the scores behind them: of a class that is asked about, if any."""


def _to_solve(head: Any, blocks: list[Block], n: int, apart: bool) -> int:
    """Return the bytes that the head will hold beside values; next to nothing is not counted."""
    widths = [one.offered[0].n_features_out_ for one in blocks]
    if len(widths) == 1 and is_cheaper(n, widths[0]):
        # Values that are computed anew cost more than all else in a pass over the rows.
        return 0 if engine.settings().budget is None else iterative_bytes(widths[0])
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
