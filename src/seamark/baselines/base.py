"""What every rival does with X and y: ingest at fit, ingest again at predict, values in chunks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.svm import SVC
from sklearn.utils.validation import check_is_fitted

from .. import engine
from ..measures import Measure, ObjectEstimator, get, matrix_inside
from ..validation import require_count, require_same_length

Rows = NDArray[np.intp]
Numbers = NDArray[np.float64]

Values = NDArray[np.float32]
LARGEST = float(np.finfo(np.float64).max)


class OverObjects(ObjectEstimator):
    """An estimator over objects of any kind that keeps some of them as references.

    Subclasses have the parameters `measure` and `n_jobs`; their `_fit` sets `measure_` and
    `references_`.
    """

    measure: Any
    n_jobs: int | None
    measure_: Measure
    references_: Any

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from objects and their targets.

        Parameters
        ----------
        X : objects
        y : array-like of shape (n,)

        Returns
        -------
        self
        """
        self._counted(X, y)
        return self

    def _counted(self, *given: Any) -> Any:
        """Do what `_fit` does, and count evaluations."""
        with engine.counting() as counter:
            found = self._fit(*given)
        self.n_evaluations_ = counter.evaluations
        return found

    @abstractmethod
    def _fit(self, X: Any, y: Any) -> Any:
        """Check the parameters, and learn."""

    def _ingest(self, X: Any, y: NDArray[Any] | None = None) -> tuple[Measure, Any]:
        """Return the measure (not fitted yet) and the objects of fit; nothing is evaluated."""
        measure: Measure = clone(get(self.measure))  # the user's own may be changed later
        measure.check_parameters()
        objects = self._objects(X, measure, reset=True)
        matrix = matrix_inside(measure)
        if matrix is not None and not matrix.square:
            raise ValueError(
                f"{type(self).__name__} needs to know which objects the columns are, and "
                "Precomputed(square=False) does not say; give the n × n matrix with "
                "Precomputed(square=True)."
            )
        if matrix is not None and objects.shape[0] != objects.shape[1]:
            raise ValueError(
                f"fit needs a square precomputed matrix, X is {objects.shape[0]} × "
                f"{objects.shape[1]}; give the values of all training objects against all."
            )
        if y is not None:
            require_same_length(objects, y)
        return measure, objects

    def _ingest_new(self, X: Any) -> Any:
        """Return the objects of predict, which go with those of fit."""
        check_is_fitted(self, "references_")
        return self._objects(X, self.measure_, reset=False)

    def _stacked(
        self,
        objects: Any,
        part: Callable[[slice, Values], NDArray[Any]],
        row_bytes: int = 0,
    ) -> NDArray[Any]:
        """Return what `part` makes of rows and their values against the references.

        It gets a chunk of rows at a time: all n × m values are never there. `row_bytes` is what it
        needs for a row, if that is more than the values.
        """
        recipe = self.measure_.recipe(self.references_)
        row_bytes = max(row_bytes, 4 * self.references_.shape[0])
        chunks = engine.row_chunks(objects.shape[0], row_bytes)
        return np.concatenate([part(rows, self._values(recipe, objects[rows])) for rows in chunks])

    def _values(self, recipe: engine.Recipe, objects: Any) -> Values:
        """Return values of a chunk of objects against the references."""
        return engine.run(recipe, objects, n_jobs=self.n_jobs)


def all_columns(svm: SVC, values: NDArray[Any]) -> NDArray[np.float64]:
    """Return kernel values against the support vectors in the columns of all objects of fit.

    A fitted SVC wants all these columns, and reads those of the support vectors.
    """
    columns = np.zeros((len(values), svm.shape_fit_[0]))
    columns[:, svm.support_] = values
    return columns


def some_rows(n: int, size: int | None, rng: np.random.Generator, name: str) -> Rows:
    """Return `size` of n row numbers, uniformly and in order; all if None or too few."""
    if size is not None:
        require_count(name, size)
    if size is None or size >= n:
        return np.arange(n)
    return np.sort(rng.choice(n, size, replace=False))
