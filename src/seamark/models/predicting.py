"""New objects through a fitted map to what its head says of them."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from .. import engine
from ..data import collected
from ..estimating import ObjectEstimator
from ..features import Features
from ..io import ArrayRows, RowSource, asked_for, is_collection, made_there
from ..linear_model import Streamed, core_of
from ..maps.features import ComputedFeatures
from .out_of_core import said_lazily

FEW = 64  # objects whose features are one block, however long


class Predicting(ObjectEstimator):
    """A model with a fitted `map_` and `head_`."""

    map_: Any
    head_: Any

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
        said = self._by_head(X, "predict")
        classes = getattr(self, "classes_", None)
        if getattr(self, "multilabel_", False):
            return said  # type: ignore[no-any-return]
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
        if is_collection(X):
            return said_lazily(self, X, method)
        objects = self._ingested(X)
        n = objects.shape[0]
        if n <= FEW:
            return self._said(method, self.map_.block(objects))
        if n > engine.settings().hashed_from and asked_for():
            return made_there(ArrayRows(objects), partial(self._by_head, method=method))
        features: Features = ComputedFeatures(self.map_, objects)
        if engine.backend().device is not None and isinstance(self.head_, Streamed):
            features = features.on_device() or features
        return features.stacked(lambda rows, block: self._said(method, block))

    def _ingested(self, X: Any) -> Any:
        """New objects as the map takes them; stop if they do not look like those of fit."""
        X = collected(X)
        if self.map_.is_union:
            return self.map_.ingest(X)
        return self._objects(X, self.map_.measures_[0], reset=False)

    def _said(self, method: str, block: Any) -> Any:
        """What a method of the head says of a chunk of features; our heads do not check it."""
        if isinstance(self.head_, Streamed):
            return self.head_.said_of(block, method)
        if not hasattr(self.head_, method) and hasattr(core_of(self.head_), method):
            # A pipeline hands on scikit-learn's methods only.
            return getattr(core_of(self.head_), method)(self.head_[0].transform(block))
        return getattr(self.head_, method)(block)
