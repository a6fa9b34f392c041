"""Online learners: projected gradient descent on the loss of each new point against a buffer."""

from __future__ import annotations

from abc import abstractmethod
from copy import deepcopy
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from .. import engine
from ..data import reject_non_numbers, unmasked
from ..measures import Bilinear, Mahalanobis
from ..targets import classes_of_block, number_targets
from ..validation import (
    generator,
    require_bounded,
    require_count,
    require_number,
    require_same_length,
)
from .buffers import DRAWN_ROWS, Buffer, BufferPerClass, Moves, RSx2
from .losses import (
    AUC,
    SURROGATES,
    AlignmentLoss,
    Constraint,
    Everywhere,
    FrobeniusBall,
    GoodnessLoss,
    L2Ball,
    Labels,
    MetricLoss,
    Numbers,
    PairwiseLoss,
    PSDCone,
    spread,
)

CAPACITY = 512
CHUNK_BYTES = 32 << 20  # of float64 points that are learned at a time


class History:
    """Mean loss of successive stretches of a stream; stretches grow so that their number does not.

    The loss of a point is taken against the buffer, before the point has been learned from: its
    mean is an honest estimate of the progress, and of the regret against any fixed parameter.

    Examples
    --------
    >>> history = History(capacity=2)
    >>> history.add(np.array([4.0, 2.0, 1.0]))
    >>> history.steps.tolist(), history.losses.tolist()
    ([2, 3], [3.0, 1.0])
    """

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._sums = np.zeros(capacity)
        self._n = 0
        self._width = 1

    def __len__(self) -> int:
        return int(np.ceil(self._n / self._width))

    def add(self, losses: NDArray[np.float64]) -> None:
        """Record the losses of further points."""
        while len(losses):
            room = len(self._sums) * self._width - self._n
            part, losses = losses[:room], losses[room:]
            # One by one, so that the sums do not depend on how the stream was cut.
            np.add.at(self._sums, (self._n + np.arange(len(part))) // self._width, part)
            self._n += len(part)
            if len(part) == room:  # stretches are merged in pairs
                pairs = self._sums.reshape(-1, 2).sum(axis=1)
                self._sums = np.concatenate([pairs, np.zeros(len(pairs))])
                self._width *= 2

    @property
    def steps(self) -> NDArray[np.int64]:
        """How many losses had been seen at the end of each stretch."""
        ends = (1 + np.arange(len(self), dtype=np.int64)) * self._width
        return np.minimum(ends, np.int64(self._n))

    @property
    def losses(self) -> NDArray[np.float64]:
        """Mean loss of each stretch."""
        return self._sums[: len(self)] / np.diff(self.steps, prepend=0)

    @property
    def mean(self) -> NDArray[np.float64]:
        """Mean loss of everything up to the end of each stretch."""
        return np.cumsum(self._sums[: len(self)]) / self.steps

    def plot(self, ax: Any = None) -> Any:
        """Draw the loss of each stretch and the running mean; return the axes."""
        import matplotlib.pyplot as plt

        axes = plt.subplots(layout="constrained")[1] if ax is None else ax
        axes.plot(self.steps, self.losses, color="#9fb8c4", linewidth=1, label="stretch")
        axes.plot(self.steps, self.mean, color="#1f6f8b", label="mean so far")
        axes.set(xlabel="points", ylabel="loss against the buffer")
        axes.legend(frameon=False)
        return axes


# OLP: projected gradient descent on the loss of each new point against a buffer.


SCHEDULES = ("sqrt", "linear", "adaptive")
TASKS = ("classification", "regression", "ordinal")


class Descent:
    """The state of one learner: its parameter, its buffer, and how far the stream has come.

    At step t: a gradient step on the mean loss of the new point against the buffer, back into the
    set that constrains it, and only then the buffer takes the point.

    Parameters
    ----------
    loss : PairwiseLoss
    constraint : Constraint
    buffer : Buffer
        Begun, and empty.
    step : float
        η.
    schedule : {"sqrt", "linear", "adaptive"}
        Steps of η/√t, of η/t, or of η/(G√Σ‖g‖²), where g are all gradients so far and G is the
        largest of their norms. The last does not depend on the scale of the data: with features
        c times as large the parameter becomes what undoes it, and margins stay the same.
    start : ndarray
        The first parameter, inside the constraint.
    penalty : float, default=0.0
        σ of σ/2 ‖w‖², which is added to the loss of every point.
    """

    def __init__(
        self,
        loss: PairwiseLoss,
        constraint: Constraint,
        buffer: Buffer,
        step: float,
        schedule: str,
        start: Numbers,
        penalty: float = 0.0,
    ) -> None:
        self.loss, self.constraint, self.buffer = loss, constraint, buffer
        self.step, self.schedule, self.penalty = step, schedule, penalty
        self.parameter = start
        self.sum = np.zeros_like(start)
        self.n_steps = 0
        self.squares = np.zeros(2)  # of gradient norms: their sum and the largest, for the kernel
        self.history = History()

    @property
    def average(self) -> Numbers:
        """Mean of the parameters before each step; steps begin with the second point."""
        return self.sum / self.n_steps if self.n_steps else self.parameter

    def learn(self, X: Any, labels: Labels) -> None:
        """Take points one by one: rows of X, dense or sparse, and class numbers or numbers."""
        points = X.toarray() if sparse.issparse(X) else X
        points = np.ascontiguousarray(points, dtype=np.float64)
        kind = np.float64 if labels.dtype.kind == "f" else np.int64
        labels = np.ascontiguousarray(labels, dtype=kind)
        self.buffer.allocate((points, labels))
        n_filled = len(self.buffer)
        self.follow(points, labels, self.buffer.draw(labels), n_filled)

    def follow(self, X: Numbers, labels: Labels, moves: Moves, n_filled: int) -> None:
        """Take a chunk whose places in the buffer are decided; n_filled slots hold points."""
        linear = type(self.loss) is AUC and type(self.constraint) in (Everywhere, L2Ball)
        plain = linear and not self.penalty and engine.backend().auc is not None
        learn = self._native if plain else self._loop
        losses = learn(X, labels, moves, n_filled)
        first = 0 if n_filled else 1  # the first point of all finds an empty buffer
        self.n_steps += len(labels) - first
        self.history.add(losses[first:])

    def _loop(self, X: Numbers, labels: Labels, moves: Moves, n_filled: int) -> Numbers:
        """Follow the definition, for any loss and constraint; the native kernel does just this."""
        points, known = self.buffer.columns_
        edges = np.searchsorted(moves.step, np.arange(len(labels) + 1))
        losses, t = np.zeros(len(labels)), self.n_steps + (1 if n_filled else 0)
        for i, label in enumerate(labels.tolist()):
            t += 1
            if n_filled:
                self.sum += self.parameter
                losses[i], gradient = self.loss.value_and_gradient(
                    self.parameter, X[i], label, points[:n_filled], known[:n_filled]
                )
                if self.penalty:
                    losses[i] += 0.5 * self.penalty * np.sum(np.square(self.parameter))
                    gradient = gradient + self.penalty * self.parameter
                rate = self.step / (np.sqrt(t) if self.schedule == "sqrt" else t)
                if self.schedule == "adaptive":
                    norm = np.sum(gradient * gradient)
                    self.squares[:] = self.squares[0] + norm, max(self.squares[1], norm)
                    root = np.sqrt(self.squares[0] * self.squares[1])
                    rate = float(self.step / root) if root else 0.0
                moved = self.parameter - rate * gradient
                self.parameter = self.constraint.project(moved)
            if edges[i] < edges[i + 1]:
                now = Moves(*(column[edges[i] : edges[i + 1]] for column in moves))
                self.buffer.place(now, (X, labels))
                n_filled = max(n_filled, int(now.slot.max()) + 1)
        return losses

    def _native(self, X: Numbers, labels: Labels, moves: Moves, n_filled: int) -> Numbers:
        losses = np.zeros(len(labels))
        state = *self.buffer.columns_, self.parameter, self.sum, self.squares, losses
        counts = n_filled, self.n_steps + (1 if n_filled else 0)
        loss = list(SURROGATES).index(self.loss.surrogate), self.loss.average == "opposite"
        radius = float(getattr(self.constraint, "radius", np.inf))
        step = SCHEDULES.index(self.schedule), float(self.step), radius
        kernel: Any = engine.backend().auc
        kernel(X, labels, *moves, *state, *counts, *loss, *step)
        return losses


# What the online estimators share: chunks are checked as a whole, then learned point by point.


class PairwiseEstimator(BaseEstimator):
    """An estimator that learns online from pairs: a loss, a constraint, a buffer, a step."""

    _descent: ClassVar[type[Descent]] = Descent
    _chunk_rows: ClassVar[int | None] = None
    """Points that are learned at a time; None: as many as `CHUNK_BYTES` hold."""

    buffer: Buffer | None
    step: float
    schedule: str
    penalty: float = 0.0
    average: bool
    n_passes: int
    random_state: Any
    task: str = "classification"
    learner_: Descent
    classes_: NDArray[Any]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from scratch, in `n_passes` passes over the data, each in another random order.

        Parameters
        ----------
        X : objects
        y : array-like
            Classes.

        Returns
        -------
        self
        """
        require_count("n_passes", self.n_passes)
        classes, labels = self._targets(y)
        rng = generator(self.random_state)
        points = self._points(X, labels if classes is None else classes[labels.astype(int)], rng)
        learner = self._begun(points, labels, 0 if classes is None else len(classes), rng)
        for _ in range(self.n_passes):
            order = rng.permutation(points.shape[0])
            self._learn(learner, points, labels, order)
        self._finish(learner, classes)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learn from the next points of a stream.

        The chunk is checked before anything changes; how the stream is cut into chunks makes no
        difference.

        Parameters
        ----------
        X : objects
        y : array-like
            Classes, or what `task` says.
        classes : array-like, optional
            All classes there will be; in the first call, unless its y holds them all.

        Returns
        -------
        self
        """
        known, labels = self._targets(y, getattr(self, "classes_", None), classes)
        first = not hasattr(self, "learner_")
        rng = generator(self.random_state) if first else None
        points = self._points(X, labels if known is None else known[labels.astype(int)], rng)
        # A copy learns: if anything goes wrong half-way, even Ctrl-C, nothing has happened.
        learner = (
            self._begun(points, labels, 0 if known is None else len(known), rng)
            if rng is not None
            else deepcopy(self.learner_)
        )
        self._learn(learner, points, labels, np.arange(points.shape[0]))
        self._finish(learner, known)
        return self

    def _finish(self, learner: Descent, classes: NDArray[Any] | None) -> None:
        self.learner_ = learner
        if classes is not None:
            self.classes_ = classes

    def _targets(self, y: Any, *said: Any) -> tuple[NDArray[Any] | None, Labels]:
        """Return all classes, sorted, and each point's class number, a rank if these are ordered.

        Of numbers there are no classes, and the numbers themselves.
        """
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        if self.task not in TASKS:
            raise ValueError(f"task must be one of {', '.join(TASKS)}; got {self.task!r}.")
        if self.task == "regression":
            return None, number_targets(self, y)
        known, codes = classes_of_block(y, *said, least=2)
        return known, codes.astype(np.float64) if self.task == "ordinal" else codes

    def _points(self, X: Any, labels: NDArray[Any], rng: np.random.Generator | None) -> Any:
        """Return checked points, one row each; `rng` is given if learning begins."""
        points = self._vectors(X, reset=rng is not None)
        require_same_length(points, labels)
        return points

    def _vectors(self, X: Any, *, reset: bool) -> Any:
        """Return checked vectors, dense or CSR, at the beginning (`reset`) or later."""
        reject_non_numbers(X)
        floats = [np.float64, np.float32]
        return validate_data(self, unmasked(X), reset=reset, accept_sparse="csr", dtype=floats)

    def _begun(
        self, points: Any, labels: Labels, n_classes: int, rng: np.random.Generator
    ) -> Descent:
        """Check all parameters, and return a learner that has seen nothing."""
        require_bounded(type(self), vars(self))
        loss, constraint = self._problem()
        if self.task == "regression":
            loss.set_params(scale=spread(labels))
        elif self.task == "ordinal":
            loss.set_params(scale=spread(np.arange(n_classes, dtype=np.float64)))
        loss.check(n_classes)
        constraint.check()
        require_number("step", self.step, 0, np.finfo(float).max, "a positive number")
        if self.penalty != 0:
            require_number(
                "penalty", self.penalty, 0, np.finfo(float).max, "0 or a positive number"
            )
        if self.schedule not in SCHEDULES:
            raise ValueError(
                f"schedule must be one of {', '.join(SCHEDULES)}; got {self.schedule!r}."
            )
        buffer = RSx2() if self.buffer is None else clone(self.buffer)
        if isinstance(buffer, BufferPerClass):
            if self.task != "classification":
                raise ValueError(f"BufferPerClass needs classes, and task={self.task!r}.")
            buffer.set_params(n_classes=n_classes)
        start = self._start(constraint, loss.shape(points.shape[1], n_classes), points)
        parts = loss, constraint, buffer.begin(rng)
        return self._descent(*parts, float(self.step), self.schedule, start, float(self.penalty))

    @abstractmethod
    def _problem(self) -> tuple[PairwiseLoss, Constraint]:
        """Return the loss, and where the parameter must lie."""

    def _start(self, constraint: Constraint, shape: tuple[int, ...], points: Any) -> Numbers:
        """Return the first parameter."""
        return constraint.start(shape)

    def _learn(self, learner: Descent, points: Any, codes: Labels, order: NDArray[np.intp]) -> None:
        """Show points to the learner, in order."""
        few = self._chunk_rows or max(1, min(DRAWN_ROWS, CHUNK_BYTES // (8 * int(points.shape[1]))))
        for start in range(0, len(order), few):
            rows = order[start : start + few]
            learner.learn(points[rows], codes[rows])

    @property
    def parameter_(self) -> Numbers:
        """The answer: the average of all parameters so far, or the last one."""
        check_is_fitted(self, "learner_")
        return self.learner_.average if self.average else self.learner_.parameter

    @property
    def buffer_(self) -> Buffer:
        """The buffer, with its points and class numbers."""
        check_is_fitted(self, "learner_")
        return self.learner_.buffer

    @property
    def history_(self) -> History:
        """The loss over the stream; it can draw itself."""
        check_is_fitted(self, "learner_")
        return self.learner_.history


# The learner whose parts the user chooses.


LOSSES: dict[str, type[PairwiseLoss]] = {
    "auc": AUC,
    "metric": MetricLoss,
    "alignment": AlignmentLoss,
    "goodness": GoodnessLoss,
}


@dataclass(eq=False, repr=False)
class PairwiseLearner(PairwiseEstimator):
    """Online learning with any pairwise loss (OLP): loss × constraint × buffer × step.

    Parameters
    ----------
    loss : {"auc", "metric", "alignment", "goodness"} or PairwiseLoss, default="auc"
        What a pair of points costs: `AUC`, `MetricLoss`, `AlignmentLoss`, `GoodnessLoss`, or a loss
        of your own.
    constraint : Constraint, optional
        Where the parameter must lie; default: anywhere.
    buffer : Buffer, optional
        Which points are remembered; default ``RSx2(100)``.
    step : float, default=1.0
        η, the length of the steps.
    schedule : {"sqrt", "linear", "adaptive"}, default="sqrt"
        Steps of η/√t; of η/t, for a penalty σ with η = 1/σ; or of η/(G√Σ‖g‖²), with g the gradients
        so far and G the largest norm among them, whatever the scale of the data.
    penalty : float, default=0.0
        σ of σ/2 ‖w‖², added to the loss of every point, which is then σ-strongly convex: with
        ``schedule="linear", step=1 / σ`` the regret grows like ln n (`theory.online_regret`).
    average : bool, default=True
        Whether the answer is the mean of all parameters, or the last one.
    n_passes : int, default=1
        Passes of `fit` over the data.
    random_state : int, RandomState or Generator, optional
        Decides which points the buffer keeps, and the order of points in `fit`.

    Attributes
    ----------
    parameter_ : ndarray
        The answer: (1, d) or (classes, d) weights of scores, or a (d, d) matrix.
    classes_ : ndarray
        The classes, sorted.
    buffer_ : Buffer
        The points that are remembered.
    history_ : History
        The loss over the stream; ``history_.plot()`` draws it.

    Examples
    --------
    >>> import numpy as np
    >>> from seamark.online import L2Ball, PairwiseLearner, RSx2
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(500, 3)), rng.integers(2, size=500)
    >>> X[:, 0] += 2 * y
    >>> learner = PairwiseLearner("auc", L2Ball(1.0), RSx2(20), random_state=0)
    >>> for start in range(0, 500, 50):
    ...     _ = learner.partial_fit(X[start : start + 50], y[start : start + 50])
    >>> int(np.argmax(learner.parameter_))
    0
    """

    loss: Any = "auc"
    constraint: Constraint | None = None
    buffer: Buffer | None = None
    _: KW_ONLY
    step: float = 1.0
    schedule: str = "sqrt"
    penalty: float = 0.0
    average: bool = True
    n_passes: int = 1
    random_state: Any = None

    def _problem(self) -> tuple[PairwiseLoss, Constraint]:
        constraint = Everywhere() if self.constraint is None else self.constraint
        if isinstance(self.loss, PairwiseLoss):
            return self.loss, constraint
        if self.loss not in LOSSES:
            raise ValueError(
                f"loss must be one of {', '.join(LOSSES)}, or a PairwiseLoss; got {self.loss!r}."
            )
        return LOSSES[self.loss](), constraint


# A distance learned from a stream of labelled points.


@dataclass(eq=False, repr=False)
class MetricLearner(ClassNamePrefixFeaturesOutMixin, TransformerMixin, PairwiseEstimator):
    """A Mahalanobis distance in which objects of unlike targets lie apart, learned online.

    Every step may need the eigenvalues of a (d, d) matrix: meant for up to a few hundred features.
    Features should have similar scales.

    Parameters
    ----------
    loss : {"hinge", "squared", "logistic", "exponential"}, default="hinge"
        φ(±(1 − M)), M being the squared distance to a point of the same or of another class.
    over : {"buffer", "balanced"}, default="buffer"
        All pairs count the same; or pairs of the same class, which are rare among many classes,
        count as much in total as the others.
    task : {"classification", "regression", "ordinal"}, default="classification"
        What y holds: classes, numbers, or classes in sorted order, of which neighbours are nearer.
        Numbers are alike if their distance is below the median of those of the first chunk.
    radius : float, optional
        Largest Frobenius norm of W; default: any.
    start : {"zero", "scaled"}, default="zero"
        Start from 0, as in the paper; or from the Euclidean distance, scaled so that the squared
        distance of two points of the *first chunk* is 1 in the mean, the threshold of the loss.
    buffer : Buffer, optional
        Which points are remembered; default ``RSx2(100)``.
    step : float, default=10.0
        η, the length of the steps.
    schedule : {"adaptive", "sqrt", "linear"}, default="adaptive"
        Size of step t. "adaptive": η/(G√Σ‖g‖²), with g the gradients so far and G the largest norm
        among them, which does not depend on the scale of the data. "sqrt": η/√t, as in the paper.
        "linear": η/t.
    average : bool, default=True
        Whether W is the mean over the stream, or the last one.
    n_passes : int, default=1
        Passes of `fit` over the data.
    random_state : int, RandomState or Generator, optional
        Decides which points the buffer keeps, and the order of points in `fit`.

    Attributes
    ----------
    W_ : ndarray of shape (d, d)
        The matrix of the distance.
    measure_ : Mahalanobis
        The distance, for any `measure=`.
    classes_ : ndarray
        The classes, sorted; not of numbers.
    buffer_ : Buffer
        The points that are remembered.
    history_ : History
        The loss over the stream; ``history_.plot()`` draws it.

    Examples
    --------
    >>> import numpy as np
    >>> from seamark.online import MetricLearner
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(400, 2)), rng.integers(2, size=400)
    >>> X[:, 0] += 2 * y
    >>> W = MetricLearner(random_state=0).fit(X, y).W_
    >>> bool(W[0, 0] > 2 * W[1, 1])
    True
    """

    _: KW_ONLY
    loss: str = "hinge"
    over: str = "buffer"
    task: str = "classification"
    radius: float | None = None
    start: str = "zero"
    buffer: Buffer | None = None
    step: float = 10.0
    schedule: str = "adaptive"
    average: bool = True
    n_passes: int = 1
    random_state: Any = None

    def _problem(self) -> tuple[PairwiseLoss, Constraint]:
        psd = PSDCone() if self.radius is None else FrobeniusBall(self.radius, psd=True)
        return MetricLoss(self.loss, self.over), psd

    def _start(self, constraint: Constraint, shape: tuple[int, ...], points: Any) -> Numbers:
        if self.start == "zero":
            return constraint.start(shape)
        if self.start != "scaled":
            raise ValueError(f'start={self.start!r} is neither "scaled" nor "zero".')
        # The mean squared distance of all pairs of rows is twice the total variance.
        means = np.asarray(points.mean(axis=0))
        squares = points.multiply(points) if sparse.issparse(points) else np.square(points)
        variance = float(squares.mean(axis=0).sum() - np.square(means).sum())
        return constraint.project(np.eye(shape[0]) / (2 * variance if variance > 0 else 1.0))

    @property
    def W_(self) -> Numbers:
        """The matrix of the distance."""
        return self.parameter_

    @property
    def measure_(self) -> Mahalanobis:
        """The distance √((x − y)ᵀW(x − y))."""
        return Mahalanobis(self.W_)

    @property
    def _n_features_out(self) -> int:
        return len(self.W_)

    def transform(self, X: Any) -> Numbers:
        """Vectors whose Euclidean distances are the learned ones.

        Parameters
        ----------
        X : array-like of shape (n, d)

        Returns
        -------
        ndarray of shape (n, d)
        """
        check_is_fitted(self, "learner_")
        X = self._vectors(X, reset=False)
        return np.asarray(X @ self.measure_.factor())


# A similarity learned from a stream of labelled points.


TARGETS: dict[str, type[PairwiseLoss]] = {"alignment": AlignmentLoss, "goodness": GoodnessLoss}


@dataclass(eq=False, repr=False)
class SimilarityLearner(ClassNamePrefixFeaturesOutMixin, TransformerMixin, PairwiseEstimator):
    """A bilinear similarity xᵀWy that agrees with the targets, learned online.

    Parameters
    ----------
    target : {"alignment", "goodness"}, default="alignment"
        "alignment": every pair's similarity has the sign of the pair, W positive semidefinite.
        "goodness": a point is on average more similar to its own class, any W.
    loss : {"hinge", "squared", "logistic", "exponential"}, default="hinge"
        φ, a function of the similarity with the sign of the pair.
    task : {"classification", "regression", "ordinal"}, default="classification"
        What y holds: classes, numbers, or classes in sorted order, of which neighbours are nearer.
        Numbers are alike if their distance is below the median of those of the first chunk.
    radius : float, default=10.0
        Largest Frobenius norm of W.
    buffer : Buffer, optional
        Which points are remembered; default ``RSx2(100)``.
    step : float, default=1.0
        η, the length of the steps.
    schedule : {"adaptive", "sqrt", "linear"}, default="adaptive"
        Size of step t. "adaptive": η/(G√Σ‖g‖²), with g the gradients so far and G the largest norm
        among them, which does not depend on the scale of the data. "sqrt": η/√t, as in the paper.
        "linear": η/t.
    average : bool, default=True
        Whether W is the mean over the stream, or the last one.
    n_passes : int, default=1
        Passes of `fit` over the data.
    random_state : int, RandomState or Generator, optional
        Decides which points the buffer keeps, and the order of points in `fit`.

    Attributes
    ----------
    W_ : ndarray of shape (d, d)
        The matrix of the similarity.
    measure_ : Bilinear
        The similarity, for any `measure=`.
    classes_ : ndarray
        The classes, sorted; not of numbers.
    buffer_ : Buffer
        The points that are remembered.
    history_ : History
        The loss over the stream; ``history_.plot()`` draws it.

    Examples
    --------
    >>> import numpy as np
    >>> from seamark.online import SimilarityLearner
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(400, 2)), rng.integers(2, size=400)
    >>> X[:, 0] += 4 * y - 2
    >>> learner = SimilarityLearner(random_state=0).fit(X, y)
    >>> K = learner.measure_.cross([[2.0, 0.0]], [[2.0, 0.0], [-2.0, 0.0]])
    >>> bool(K[0, 0] > 0.5), bool(K[0, 1] < -0.5)
    (True, True)
    """

    _: KW_ONLY
    target: str = "alignment"
    loss: str = "hinge"
    task: str = "classification"
    radius: float = 10.0
    buffer: Buffer | None = None
    step: float = 1.0
    schedule: str = "adaptive"
    average: bool = True
    n_passes: int = 1
    random_state: Any = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags

    def _problem(self) -> tuple[PairwiseLoss, Constraint]:
        if self.target not in TARGETS:
            raise ValueError(f"target must be one of {', '.join(TARGETS)}; got {self.target!r}.")
        ball = FrobeniusBall(self.radius, psd=self.target == "alignment")
        return TARGETS[self.target](self.loss), ball

    @property
    def W_(self) -> Numbers:
        """The matrix of the similarity."""
        return self.parameter_

    @property
    def measure_(self) -> Bilinear:
        """The similarity xᵀWy."""
        return Bilinear(self.W_)

    @property
    def _n_features_out(self) -> int:
        return len(self.buffer_)

    def transform(self, X: Any) -> Any:
        """Similarities to the points in the buffer: a landmark map whose landmarks these are.

        Parameters
        ----------
        X : array-like of shape (n, d)

        Returns
        -------
        ndarray of shape (n, points in the buffer), float32
        """
        check_is_fitted(self, "learner_")
        X = self._vectors(X, reset=False)
        return self.measure_.cross(X, self.buffer_.columns[0])
