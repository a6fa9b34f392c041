"""Several maps of the same objects as one: their features stand side by side."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from .base import Map, require_map
from .bearings import unscaled

Rows = NDArray[np.intp]


class MapUnion(Map):
    """Features of several maps side by side; the kernel is the sum of theirs.

    scikit-learn's `FeatureUnion` would have no blocks and no `subset`.

    Parameters
    ----------
    maps : list of Map

    Attributes
    ----------
    maps_ : list of Map
        Fitted; maps of which a subset keeps no feature are left out.
    n_features_out_ : int

    Examples
    --------
    >>> import seamark as sm
    >>> words = ["sea", "see", "mark", "marked"]
    >>> maps = [sm.LandmarkMap(name, random_state=0) for name in ("levenshtein", "levenshtein")]
    >>> union = MapUnion(maps).fit(words)
    >>> union.transform(words).shape, union.subset([1, 6]).transform(words).shape
    ((4, 8), (4, 2))
    """

    def __init__(self, maps: list[Any]) -> None:
        self.maps = maps

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit every map.

        Parameters
        ----------
        X : objects
        y : array-like, optional

        Returns
        -------
        self
        """
        if not isinstance(self.maps, (list, tuple)):
            given = repr(self.maps)
            example = f"LandmarkMap({given})" if isinstance(self.maps, str) else given
            raise TypeError(f"maps={given} is no list of maps; give e.g. [{example}].")
        if not self.maps:
            raise ValueError("maps is empty; give at least one map.")
        for i, one in enumerate(self.maps):
            require_map(one, f"maps[{i}]")
        self.maps_ = [unscaled(one).fit(X, y) for one in self.maps]
        self.n_features_out_ = sum(one.n_features_out_ for one in self.maps_)
        self.order_ = np.arange(self.n_features_out_)
        self.kernel_ = None
        return self

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, those of the maps included, so that seeds reach them."""
        own: dict[str, Any] = {"maps": self.maps}
        if deep and isinstance(self.maps, (list, tuple)):  # what else it may be, fit refuses
            named = [(i, one) for i, one in enumerate(self.maps) if hasattr(one, "get_params")]
            for i, one in named:
                own |= {f"{i}__{name}": value for name, value in one.get_params().items()}
        return own

    def set_params(self, **params: Any) -> Self:
        """Set parameters, such as ``{"0__random_state": 3}`` of the first map."""
        if "maps" in params:
            self.maps = params.pop("maps")
        for name, value in params.items():
            number, _, rest = name.partition("__")
            self.maps[int(number)].set_params(**{rest: value})
        return self

    def ingest(self, X: Any) -> Any:
        """Return new objects as the first map takes them."""
        return self.maps_[0].ingest(X)

    def groups(self, X: Any) -> Rows:
        """Return groups of equal objects, as the first map tells them apart."""
        return np.asarray(self.maps_[0].groups(X))

    def block(self, X: Any) -> Any:
        """Features of a few ingested objects; CSR if all maps give CSR."""
        parts = [one.block(X) for one in self.maps_]
        if all(sparse.issparse(part) for part in parts):
            return sparse.hstack(parts, format="csr")[:, self.order_]
        whole = [part.toarray() if sparse.issparse(part) else part for part in parts]
        return np.concatenate(whole, axis=1)[:, self.order_]

    @property
    def is_divisible(self) -> bool:
        """Whether `subset` works."""
        return all(one.is_divisible for one in self.maps_)

    @property
    def bytes_per_row(self) -> int:
        """Memory that a row of `block` takes."""
        return sum(int(one.bytes_per_row) for one in self.maps_)

    def owners(self) -> Rows:
        """Return the number of the map that each feature comes from."""
        sizes = [one.n_features_out_ for one in self.maps_]
        return np.asarray(np.repeat(np.arange(len(sizes)), sizes)[self.order_])

    def subset(self, columns: Rows) -> Self:
        """Return a fitted map that has only some of the features, and never computes the others.

        Parameters
        ----------
        columns : ndarray of int
            Which features, in the order wanted.
        """
        check_is_fitted(self)
        owners, wanted = self.owners()[columns], self.order_[columns]
        starts = np.cumsum([0, *(one.n_features_out_ for one in self.maps_)])
        places = [np.flatnonzero(owners == number) for number in range(len(self.maps_))]
        copy = self._fitted_copy()
        copy.maps_ = [
            one.subset(wanted[place] - start)
            for one, place, start in zip(self.maps_, places, starts, strict=False)
            if len(place)
        ]
        copy.n_features_out_ = len(wanted)
        copy.order_ = np.argsort(np.concatenate(places))
        return copy

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the maps' features, told apart by the number of the map."""
        check_is_fitted(self)
        names = [
            f"{number}__{name}"
            for number, one in enumerate(self.maps_)
            for name in one.get_feature_names_out()
        ]
        return np.asarray(np.array(names, dtype=object)[self.order_])
