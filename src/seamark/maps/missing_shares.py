"""The share of missing values in series, as features."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..data import Ragged, series
from ..data.missing_steps import shares_missing
from ..validation import check_columns
from .base import Contribution, Floats32, Map, each_thing


class MissingShares(Map):
    """The share of missing values in each channel of a series.

    Examples
    --------
    >>> import seamark as sm
    >>> shares = sm.maps.MissingShares().fit([[1.0, np.nan, 3.0, 2.0], [4.0, 5.0]])
    >>> shares.transform([[1.0, np.nan]])
    array([[0.5]], dtype=float32)
    """

    domain = series
    per_feature = ()  # nothing to drop: `feature_numbers_` says what is in use

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn how many channels there are.

        Parameters
        ----------
        X : series
        y : ignored

        Returns
        -------
        self
        """
        objects = series.ingest(X)
        check_columns(self, X, objects, reset=True)
        self.look_ = series.look(objects)
        self.n_features_out_ = int(objects.values.shape[1])
        self.feature_numbers_ = np.arange(self.n_features_out_)
        return self

    def ingest(self, X: Any) -> Any:
        """Return series with the channels of fit."""
        objects = series.ingest(X)
        series.require_alike(objects, self.look_)
        return objects

    def block(self, X: Ragged) -> Floats32:
        """Shares of a few ingested series."""
        return shares_missing(X)[:, self.feature_numbers_].astype(np.float32)

    def contributions(
        self, X: Ragged, weights: Any, means: Any, names: Any = None
    ) -> list[list[Contribution]]:
        """Return what the share of each channel adds."""
        shares = self.block(X)
        titles = ["share missing"]
        if self.look_.width != 1:
            titles = [f"share missing in channel {k}" for k in self.feature_numbers_]
        return each_thing(titles, (shares - means) * weights, shares)
