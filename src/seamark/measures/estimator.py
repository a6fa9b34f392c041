"""Estimators whose X are the objects of a measure."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.base import BaseEstimator

from ..data import Vectors, collected
from ..validation import check_columns
from .base import Measure
from .precomputed import MatrixRows, matrix_inside
from .resolve import as_measures


class ObjectEstimator(BaseEstimator):
    """An estimator whose X are the objects of a measure.

    Subclasses have a parameter `measure`: a Measure, a name, a callable, ``"precomputed"``, or
    where they allow it a list of these.
    """

    measure: Any
    takes_parts: ClassVar[bool] = False
    """Whether landmarks may be of another kind than rows; else rows are compared with rows."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if isinstance(self.measure, str) and self.measure == "auto":
            tags.input_tags.sparse = True
            return tags
        try:
            measure = as_measures(self.measure)[0]
        except (TypeError, ValueError):  # said clearly at fit
            return tags
        matrix = matrix_inside(measure)
        tags.input_tags.pairwise = matrix is not None and matrix.square
        tags.input_tags.sparse = type(measure.domain) is Vectors
        return tags

    def _objects(self, X: Any, measure: Measure, *, reset: bool) -> Any:
        """Return ingested objects, at fit (`reset`) or later; tables keep their columns."""
        if reset and not self.takes_parts:
            require_whole_objects(measure, type(self).__name__)
        X = collected(X)
        objects = measure.domain.ingest(X)
        if reset:
            check_columns(self, X, objects, reset=True)
            self.look_ = measure.domain.look(objects)
        elif not isinstance(measure.domain, MatrixRows):  # which may be chosen columns only
            check_columns(self, X, objects, reset=False)
            measure.domain.require_alike(objects, self.look_)
        return objects


def require_whole_objects(measure: Measure, who: str) -> None:
    """Stop at a measure of objects and parts, where objects are compared with objects."""
    if measure.compares_parts:
        raise ValueError(
            f"{measure!r} compares {measure.domain.name} with {measure.landmark_domain.name}, and "
            f"{who} compares {measure.domain.name} with each other; take another measure, or a "
            "landmark model."
        )
