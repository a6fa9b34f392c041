"""What the online estimators share: chunks are checked as a whole, then learned point by point."""

from __future__ import annotations

from abc import abstractmethod
from copy import deepcopy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from ..bounds import require_bounded
from ..data import reject_non_numbers, unmasked
from ..engine import settings
from ..estimating import Numbers, generator, require_count, require_number, require_same_length
from ..targets import classes_of_block, too_few_classes
from .buffers import Buffer
from .constraints import Constraint
from .descent import SCHEDULES, Descent
from .history import History
from .losses import Codes, PairwiseLoss
from .per_class import BufferPerClass
from .with_replacement import RSx2


class PairwiseEstimator(BaseEstimator):
    """An estimator that learns online from pairs: a loss, a constraint, a buffer, a step."""

    buffer: Buffer | None
    step: float
    schedule: str
    average: bool
    n_passes: int
    random_state: Any
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
        classes, codes = self._classes(y)
        rng = generator(self.random_state)
        points = self._points(X, classes[codes], rng)
        learner = self._begun(points, len(classes), rng)
        for _ in range(self.n_passes):
            order = rng.permutation(points.shape[0])
            self._learn(learner, points, codes, order)
        self.classes_, self.learner_ = classes, learner
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learn from the next points of a stream.

        The chunk is checked before anything changes; how the stream is cut into chunks makes no
        difference.

        Parameters
        ----------
        X : objects
        y : array-like
            Classes.
        classes : array-like, optional
            All classes there will be; in the first call, unless its y holds them all.

        Returns
        -------
        self
        """
        known, codes = self._classes(y, getattr(self, "classes_", None), classes)
        first = not hasattr(self, "learner_")
        rng = generator(self.random_state) if first else None
        points = self._points(X, known[codes], rng)
        # A copy learns: if anything goes wrong half-way, even Ctrl-C, nothing has happened.
        learner = (
            self._begun(points, len(known), rng) if rng is not None else deepcopy(self.learner_)
        )
        self._learn(learner, points, codes, np.arange(points.shape[0]))
        self.classes_, self.learner_ = known, learner
        return self

    def _classes(self, y: Any, *said: Any) -> tuple[NDArray[Any], NDArray[np.intp]]:
        """Return all classes, sorted, and the number of each point's class."""
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None."
            )
        known, codes = classes_of_block(y, *said)
        if len(known) < 2:
            raise too_few_classes(known, ", or name all of them in partial_fit, as classes=[…]")
        return known, codes

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

    def _begun(self, points: Any, n_classes: int, rng: np.random.Generator) -> Descent:
        """Check all parameters, and return a learner that has seen nothing."""
        require_bounded(type(self), vars(self))
        loss, constraint = self._loss(), self._constraint()
        loss.check(n_classes)
        constraint.check()
        require_number("step", self.step, 0, np.finfo(float).max, "a positive number")
        if self.schedule not in SCHEDULES:
            raise ValueError(f"schedule={self.schedule!r} is none of {', '.join(SCHEDULES)}.")
        buffer = RSx2() if self.buffer is None else clone(self.buffer)
        if isinstance(buffer, BufferPerClass):
            buffer.set_params(n_classes=n_classes)
        start = self._start(constraint, loss.shape(points.shape[1], n_classes), points)
        return Descent(loss, constraint, buffer.begin(rng), float(self.step), self.schedule, start)

    @abstractmethod
    def _loss(self) -> PairwiseLoss:
        """Return the loss."""

    @abstractmethod
    def _constraint(self) -> Constraint:
        """Return the constraint."""

    def _start(self, constraint: Constraint, shape: tuple[int, ...], points: Any) -> Numbers:
        """Return the first parameter."""
        return constraint.start(shape)

    def _learn(self, learner: Descent, points: Any, codes: Codes, order: NDArray[np.intp]) -> None:
        """Show points to the learner, in order."""
        few = settings().drawn_rows
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
