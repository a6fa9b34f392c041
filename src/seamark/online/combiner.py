"""A combination of kernels learned from a stream of labelled objects."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import reduce
from operator import add
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from .. import engine
from ..measures import Measure, ObjectEstimator, as_measures, matrix_inside
from ..validation import require_same_length
from .buffers import Buffer
from .learners import Descent, PairwiseEstimator
from .losses import Combination, Constraint, Labels, PairwiseLoss, PositiveBall, Simplex


class KernelDescent(Descent):
    """A learner whose buffer holds places in a pool of objects.

    What enters the buffer is decided before any loss is computed, so a chunk is compared with what
    the buffer holds and will hold, and with nothing else.
    """

    measures: list[Measure]
    n_jobs: int | None
    pool: Any = None
    """The objects in the buffer, each once."""

    def learn(self, X: Any, labels: Labels) -> None:
        """Take a chunk of ingested objects, one by one."""
        # A point is its row in this chunk, and its place in the pool.
        points = np.full((len(labels), 2), -1.0)
        points[:, 0] = np.arange(len(labels))
        self.buffer.allocate((points, labels))
        n_filled, moves = len(self.buffer), self.buffer.draw(labels)
        entering = np.unique(moves.step[moves.source < 0])
        n_kept = 0 if self.pool is None else self.pool.shape[0]
        points[entering, 1] = n_kept + np.arange(len(entering))
        if self.pool is None:
            self.pool = X[entering]
        elif len(entering):
            self.pool = reduce(add, self.measures).domain.joined(self.pool, X[entering])
        self._set_values(X)
        self.follow(points, labels, moves, n_filled)
        self._set_values(None)
        # Only the objects that are in the buffer stay in the pool, numbered anew.
        kept = self.buffer.columns[0]
        used, kept[:, 1] = np.unique(kept[:, 1].astype(np.intp), return_inverse=True)
        self.pool = self.pool[used]

    def _set_values(self, X: Any) -> None:
        """Tell the loss what the kernels say of X against the pool; None: forget it."""
        values = np.empty((0, 0, len(self.measures)), dtype=np.float32)
        if X is not None:
            recipes = [measure.recipe(self.pool) for measure in self.measures]
            values = np.stack([engine.run(one, X, n_jobs=self.n_jobs) for one in recipes], axis=2)
        self.loss = clone(self.loss).set_params(values=values)


# A combination of kernels learned from a stream of labelled objects.


KERNEL_ROWS = 512  # objects whose kernel values are computed together
CONSTRAINTS: dict[str, type[Constraint]] = {"simplex": Simplex, "sphere": PositiveBall}


@dataclass(eq=False, repr=False)
class KernelCombiner(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, ObjectEstimator, PairwiseEstimator
):
    """Weights μ of several similarities, so that Σ μᵢKᵢ agrees with the targets; learned online.

    The first of the two stages of multiple kernel learning; the second is any estimator with
    ``measure=combiner.measure_``.

    Parameters
    ----------
    measure : list of Measure, str or callable, default=("gaussian", "laplacian")
        Similarities of the same objects.
    constraint : {"sphere", "simplex"}, default="sphere"
        "sphere": weights of Euclidean norm at most 1; many stay positive. "simplex": weights that
        sum to 1; few stay positive.
    normalise : bool, default=True
        Divide kernels that are known to be positive semidefinite by √(K(x, x)K(y, y)), so that all
        have the same scale.
    loss : {"hinge", "squared", "logistic", "exponential"}, default="hinge"
        φ(±K), + for a pair of the same class.
    over : {"balanced", "buffer"}, default="balanced"
        Pairs of the same class count as much in total as the others; or all pairs count the same,
        which favours small values if there are many classes.
    task : {"classification", "regression", "ordinal"}, default="classification"
        What y holds: classes, numbers, or classes in sorted order.
    buffer : Buffer, optional
        Which objects are remembered; default ``RSx2(100)``.
    step : float, default=1.0
        η, the length of the steps.
    schedule : {"adaptive", "sqrt", "linear"}, default="adaptive"
        Size of step t. "adaptive": η/(G√Σ‖g‖²), with g the gradients so far and G the largest norm
        among them, which does not depend on the scale of the data. "sqrt": η/√t, as in the paper.
        "linear": η/t.
    average : bool, default=True
        Whether μ is the mean over the stream, or the last one.
    n_passes : int, default=1
        Passes of `fit` over the data.
    random_state : int, RandomState or Generator, optional
        Decides which points the buffer keeps, and the order of points in `fit`.
    n_jobs : int, optional
        Threads (processes for Python functions) that compute kernel values. Default: all cores
        available; for Python functions the calling process.

    Attributes
    ----------
    weights_ : ndarray
        μ.
    measures_ : list of Measure
        With all parameters as numbers, taken from the X of `fit` or from the first chunk.
    measure_ : Measure
        Σ μᵢKᵢ, for any `measure=`.
    objects_ : objects
        Those in the buffer.
    classes_ : ndarray
        The classes, sorted; not of numbers.
    buffer_ : Buffer
        The points that are remembered.
    history_ : History
        The loss over the stream; ``history_.plot()`` draws it.

    Examples
    --------
    >>> import numpy as np
    >>> from seamark.measures import Custom
    >>> from seamark.online import KernelCombiner
    >>> same_length = Custom(lambda a, b: float(len(a) == len(b)), kind="similarity")
    >>> same_letter = Custom(lambda a, b: float(a[0] == b[0]), kind="similarity")
    >>> words = ["aa", "b", "aaa", "bb", "a", "bbb"] * 10
    >>> labels = [word[0] for word in words]
    >>> combiner = KernelCombiner([same_length, same_letter], random_state=0).fit(words, labels)
    >>> int(np.argmax(combiner.weights_))
    1
    """

    measure: Any = ("gaussian", "laplacian")
    _: KW_ONLY
    constraint: str = "sphere"
    normalise: bool = True
    loss: str = "hinge"
    over: str = "balanced"
    task: str = "classification"
    buffer: Buffer | None = None
    step: float = 1.0
    schedule: str = "adaptive"
    average: bool = True
    n_passes: int = 1
    random_state: Any = None
    n_jobs: int | None = None

    _descent: ClassVar[type[Descent]] = KernelDescent
    _chunk_rows: ClassVar[int | None] = KERNEL_ROWS

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags

    def _problem(self) -> tuple[PairwiseLoss, Constraint]:
        if self.constraint not in CONSTRAINTS:
            raise ValueError(
                f"constraint must be one of {', '.join(CONSTRAINTS)}; got {self.constraint!r}."
            )
        none_yet = np.empty((0, 0, len(as_measures(self.measure))))
        return Combination(self.loss, self.over, none_yet), CONSTRAINTS[self.constraint]()

    def _points(self, X: Any, labels: NDArray[Any], rng: np.random.Generator | None) -> Any:
        if rng is None:
            measures = self.measures_
        else:
            measures = []
            for one in as_measures(self.measure):
                if matrix_inside(one) is not None:
                    raise ValueError(
                        "a precomputed matrix cannot be combined online: the objects of its "
                        "columns are not in the stream; give measures of the objects themselves."
                    )
                if one.kind != "similarity":
                    raise ValueError(
                        f"{one!r} is not declared to be a similarity, and only these can be "
                        "combined; turn a distance into one, as measure.negated() does."
                    )
                measures.append(one.normalised() if self.normalise and one.psd else one)
                measures[-1].check_parameters()
        objects = self._ingested(X, measures, reset=rng is not None)
        require_same_length(objects, labels)
        if rng is not None:
            self.measures_: list[Measure] = [one.fitted_to(objects, rng) for one in measures]
        return _Numbered(objects)

    def _ingested(self, X: Any, measures: list[Measure], *, reset: bool) -> Any:
        """Objects of the most specific kind: a function takes those of the other measures."""
        together = reduce(add, measures)
        together.check_parameters()
        objects = self._objects(X, together, reset=reset)
        return objects.toarray() if sparse.issparse(objects) else objects

    def _begun(self, points: Any, labels: Labels, n_classes: int, rng: np.random.Generator) -> Any:
        learner: Any = super()._begun(points, labels, n_classes, rng)
        learner.measures, learner.n_jobs = self.measures_, self.n_jobs
        return learner

    @property
    def weights_(self) -> NDArray[np.float64]:
        """Weights of the measures."""
        return self.parameter_

    @property
    def measure_(self) -> Measure:
        """The weighted sum; measures without weight are left out."""
        pairs = zip(self.weights_.tolist(), self.measures_, strict=True)
        combined: Measure = reduce(add, [weight * m for weight, m in pairs if weight > 0])
        return combined

    @property
    def objects_(self) -> Any:
        """The objects in the buffer, each once."""
        check_is_fitted(self, "learner_")
        learner: Any = self.learner_
        return learner.pool

    @property
    def _n_features_out(self) -> int:
        return int(self.objects_.shape[0])

    def transform(self, X: Any) -> NDArray[np.float32]:
        """Values of `measure_` against the objects in the buffer, as landmarks.

        Parameters
        ----------
        X : objects

        Returns
        -------
        ndarray of shape (n, objects in the buffer), float32
        """
        check_is_fitted(self, "learner_")
        objects = self._ingested(X, self.measures_, reset=False)
        return engine.run(self.measure_.recipe(self.objects_), objects, n_jobs=self.n_jobs)


class _Numbered:
    """Objects that look like rows of two numbers, which is what the buffer holds of them."""

    def __init__(self, objects: Any) -> None:
        self.objects = objects
        self.shape = (objects.shape[0], 2)

    def __getitem__(self, rows: Any) -> Any:
        return self.objects[rows]
