"""What every estimator over objects shares: a measure, data that are ingested once, and an rng."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_feature_names, _check_n_features

from .measures import Measure, Precomputed, get
from .objects import Vectors


class ObjectEstimator(BaseEstimator):
    """An estimator whose X are the objects of a measure.

    Subclasses have a parameter `measure`: a Measure, a name, a callable, ``"precomputed"``, or
    where they allow it a list of these.
    """

    measure: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        first = self.measure[0] if isinstance(self.measure, (list, tuple)) else self.measure
        try:
            resolved = get(first)
        except (TypeError, ValueError):  # said clearly at fit
            return tags
        tags.input_tags.pairwise = isinstance(resolved, Precomputed) and resolved.square
        tags.input_tags.sparse = type(resolved.domain) is Vectors
        return tags

    def _ingest(self, X: Any, measure: Measure, *, reset: bool) -> Any:
        """Objects from raw data; matrices are also held to the columns seen at fit.

        Parameters
        ----------
        X : objects
            Raw or ingested.
        measure : Measure
            Whose domain they are.
        reset : bool
            True in `fit`: remember the columns. False later: compare with them.
        """
        if type(measure.domain) is Vectors:
            _check_feature_names(self, X, reset=reset)
            objects = measure.domain.ingest(X)
            _check_n_features(self, objects, reset=reset)
            return objects
        return measure.domain.ingest(X)


def generator(random_state: Any) -> np.random.Generator:
    """Return a Generator from whatever scikit-learn calls a `random_state`.

    Examples
    --------
    >>> int(generator(3).integers(100)) == int(generator(3).integers(100))
    True
    """
    if isinstance(random_state, np.random.Generator):
        return random_state
    return np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
