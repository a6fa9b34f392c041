"""What the rivals that square a distance share: symmetric distances, at fit and afterwards."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import engine
from ..estimating import Numbers, Rows, matrix_inside
from ..measures import Measure
from .base import OverObjects, Values

ROUNDING = 1e-5  # relative; float32 values of d(x, y) and d(y, x) differ by less


class OverDistances(OverObjects):
    """An estimator that needs symmetric distances d ≥ 0.

    Of an asymmetric distance the mean of both directions is taken, at fit and at predict; `fit`
    finds out and sets `both_ways_`.
    """

    both_ways_: bool

    def _among(self, measure: Measure, X: Any, rows: Rows) -> tuple[Numbers, bool]:
        """Return symmetric distances among some rows of X, and whether it took both ways."""
        L = measure.domain.landmarks(X, rows)
        matrix = matrix_inside(measure)
        if matrix is None:
            symmetric = measure.symmetric is True
            values = engine.cross(measure.compile, L, symmetric=symmetric, n_jobs=self.n_jobs)
        else:
            values = engine.run(measure.recipe(L), X[rows], n_jobs=self.n_jobs)
        _reject_negative(values, measure)
        both_ways = not np.allclose(
            values, values.T, rtol=ROUNDING, atol=ROUNDING * float(values.max())
        )
        if both_ways and matrix is not None:
            raise ValueError(
                "the precomputed distances are asymmetric, and rows of new objects hold one "
                "direction only; give (D + D.T) / 2, and do the same when predicting."
            )
        D = values.astype(np.float64)
        return (D + D.T) / 2, both_ways

    def _values(self, recipe: engine.Recipe, objects: Any) -> Values:
        values = super()._values(recipe, objects)
        if not self.both_ways_:
            return values
        back = super()._values(self.measure_.recipe(objects), self.references_)
        return np.float32(0.5) * (values + back.T)


def require_distance(measure: Measure) -> None:
    """Stop unless small values mean alike: a similarity's negative cannot be squared."""
    if measure.distance_sign() < 0:
        raise ValueError(
            f"a distance is needed, as it is squared, and {measure!r} is a similarity; give a "
            "distance, such as 'euclidean' for vectors or 'levenshtein' for strings."
        )


def _reject_negative(values: Values, measure: Measure) -> None:
    if values.min() < 0:
        i, j = np.unravel_index(int(values.argmin()), values.shape)
        raise ValueError(
            f"{measure!r} gives objects {i} and {j} the negative distance {values[i, j]:g}, which "
            "has no meaning once squared; give a distance that is never negative."
        )
