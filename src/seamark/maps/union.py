"""Blocks as one map: their features stand side by side, each block with landmarks of its own."""

from __future__ import annotations

from contextlib import nullcontext
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from ..data import as_table
from ..data.tables import Bundle, naming_column, part_of
from ..landmarks import groups_of_bundle, interleaved
from ..validation import check_columns
from .base import Map, Rows, dense32, require_map
from .landmark import unscaled
from .missing import WithGaps


def _of_each(name: str, doc: str) -> Any:
    """Return a property that lists an attribute of every map of a union."""
    return property(lambda self: [getattr(one, name) for one in self.maps_], doc=doc)


@dataclass(eq=False, repr=False)
class MapUnion(Map):
    """Features of several maps side by side; the kernel is the sum of theirs.

    scikit-learn's `FeatureUnion` cannot be read in chunks, and has no `subset`.

    Parameters
    ----------
    maps : list of Map
        The blocks; cloned before they are fitted.
    columns : list, optional
        What each map reads of X: None for all of it, a column of a table by name or number, or
        a list of columns. Default: all of it, for every map.

    Attributes
    ----------
    maps_ : list of Map
        Fitted; maps of which a subset keeps no feature are left out.
    columns_ : list
        What each of these reads.
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

    maps: list[Any]
    columns: list[Any] | None = None

    is_union: ClassVar[bool] = True

    @classmethod
    def of(cls, maps: list[Map], columns: list[Any], X: Any) -> Self:
        """Return the union of maps that are fitted already, each to its part of X."""
        union = cls([clone(one) for one in maps], columns)
        return union._unite(maps, columns, X)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit every map.

        Parameters
        ----------
        X : objects, or a table where columns are named
        y : array-like, optional

        Returns
        -------
        self
        """
        maps: Any = self.maps
        if not isinstance(maps, (list, tuple)):
            given = repr(maps)
            example = f"LandmarkMap({given})" if isinstance(maps, str) else given
            raise TypeError(f"maps={given} is no list of maps; give e.g. [{example}].")
        if not self.maps:
            raise ValueError("maps is empty; give at least one map.")
        for i, one in enumerate(self.maps):
            require_map(one, f"maps[{i}]")
        columns = [None] * len(self.maps) if self.columns is None else list(self.columns)
        if len(columns) != len(self.maps):
            raise ValueError(
                f"there are {len(self.maps)} maps and {len(columns)} entries of columns; give one "
                "for each map, None for all of X."
            )
        fitted = []
        for one, c in zip(self.maps, columns, strict=True):
            part = part_of(X, c, getattr(one, "domain", None))  # or a transformer that serves
            fitted.append(unscaled(one).fit(part, y))
        return self._unite(fitted, columns, X)

    def _unite(self, maps: list[Any], columns: list[Any], X: Any) -> Self:
        self.maps_, self.columns_ = maps, columns
        self.n_features_out_ = sum(self._sizes)
        self.order_ = np.arange(self.n_features_out_)
        if columns != [None] * len(columns):
            check_columns(self, X, X, reset=True)
        return self

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, those of the maps included, so that seeds reach them."""
        own: dict[str, Any] = {"maps": self.maps, "columns": self.columns}
        if deep and isinstance(self.maps, (list, tuple)):  # what else it may be, fit refuses
            named = [(i, one) for i, one in enumerate(self.maps) if hasattr(one, "get_params")]
            for i, one in named:
                own |= {f"{i}__{name}": value for name, value in one.get_params().items()}
        return own

    def set_params(self, **params: Any) -> Self:
        """Set parameters, such as ``{"0__random_state": 3}`` of the first map."""
        for name in ("maps", "columns"):
            if name in params:
                setattr(self, name, params.pop(name))
        for name, value in params.items():
            number, _, rest = name.partition("__")
            self.maps[int(number)].set_params(**{rest: value})
        return self

    landmarks_ = _of_each("landmarks_", "Landmarks of each map; None for one that has none.")
    landmark_indices_ = _of_each("landmark_indices_", "Rows of fit's X that these are.")
    landmark_sources_ = _of_each("landmark_sources_", "Rows that they are or were cut from.")

    @property
    def n_landmarks_(self) -> int:
        """Number of landmarks of all maps together; a map without any adds none."""
        inner = (getattr(one, "map_", one) for one in self.maps_)  # of a column with gaps
        return sum(int(getattr(one, "n_landmarks_", 0)) for one in inner)

    @property
    def blocks_(self) -> list[Any]:
        """The maps."""
        return self.maps_

    def ingest(self, X: Any) -> Any:
        """Return new objects as the maps take them: a `Bundle`, unless all take the same."""
        if isinstance(X, Bundle):
            return X
        if hasattr(self, "n_features_in_"):
            X = self._table(X)
        known: dict[Any, Any] = {}
        parts = []
        for one, columns in zip(self.maps_, self.columns_, strict=True):
            # What several maps read alike is read, and compared with that of fit, once.
            domain, gaps = one.domain, isinstance(one, WithGaps)
            names = hasattr(one, "feature_names_in_")
            key = repr(columns), one if domain is None else type(domain), gaps, names
            if key not in known:
                raw = X if columns is None else part_of(X, columns, domain)
                with nullcontext() if columns is None else naming_column(columns):
                    if hasattr(raw, "columns") and not (domain is None or gaps or names):
                        raw = domain.ingest(raw)  # it was fitted to columns without their names
                    known[key] = one.ingest(raw)
            parts.append(known[key])
        return parts[0] if len(known) == 1 else Bundle(parts)

    def _table(self, X: Any) -> Any:
        """Return new rows as a table; columns that no map reads may be missing."""
        names = list(getattr(self, "feature_names_in_", ()))
        table = as_table(X, names)
        if not hasattr(table, "shape"):
            shown = ", ".join(map(repr, names[:4])) + (", …" if len(names) > 4 else "")
            raise TypeError(
                f"X is of type {type(X).__name__}, and the model reads a table"
                f"{f' with columns {shown}' if shown else ''}; give a DataFrame or a list of dicts."
            )
        given = list(getattr(table, "column_names", getattr(table, "columns", ())))
        used = {name for c in self.columns_ for name in (c if isinstance(c, list) else [c])}
        if not used <= set(given) or [name for name in names if name in given] != given:
            check_columns(self, table, table, reset=False)
        return table

    def groups(self, X: Any) -> Rows:
        """Return groups of objects that are equal to every map."""
        if not isinstance(X, Bundle):
            return np.asarray(self.maps_[0].groups(X))
        return groups_of_bundle(X, [one.groups for one in self.maps_])

    def block(self, X: Any) -> Any:
        """Features of a few ingested objects; CSR if all maps give CSR."""
        parts = X.parts if isinstance(X, Bundle) else [X] * len(self.maps_)
        blocks = [one.block(part) for one, part in zip(self.maps_, parts, strict=True)]
        if all(map(sparse.issparse, blocks)):
            return sparse.hstack(blocks, format="csr")[:, self.order_]
        if any(map(sparse.issparse, blocks)):
            blocks = list(map(dense32, blocks))
        return np.concatenate(blocks, axis=1)[:, self.order_]

    @property
    def is_divisible(self) -> bool:  # type: ignore[override]
        """Whether `subset` works."""
        return all(one.is_divisible for one in self.maps_)

    @property
    def bytes_per_row(self) -> int:
        """Memory that a row of `block` takes."""
        return sum(int(one.bytes_per_row) for one in self.maps_)

    @property
    def _sizes(self) -> list[int]:
        return [int(one.n_features_out_) for one in self.maps_]

    @property
    def feature_order(self) -> Rows:  # type: ignore[override]
        """Features in an order whose leading ones are a fair share of every map's."""
        starts = np.cumsum([0, *self._sizes[:-1]])
        orders = [
            start + (np.arange(size) if one.feature_order is None else one.feature_order)
            for one, start, size in zip(self.maps_, starts, self._sizes, strict=True)
        ]
        return np.asarray(np.argsort(self.order_)[interleaved(orders)])

    def owners(self) -> Rows:
        """Return the number of the map that each feature comes from."""
        return np.asarray(np.repeat(np.arange(len(self.maps_)), self._sizes)[self.order_])

    def columns_without(self, rows: Rows, alone: bool = True) -> Rows | None:
        """Features whose landmarks neither are nor were cut from these rows; None: all."""
        known = []
        for one, size in zip(self.maps_, self._sizes, strict=True):
            some = one.columns_without(rows, alone=False)
            known.append(np.full(size, True) if some is None else np.isin(np.arange(size), some))
        columns = np.flatnonzero(np.concatenate(known)[self.order_])
        every = len(columns) == len(self.order_)
        return None if every or (alone and not len(columns)) else columns

    def subset(self, columns: Rows) -> Self:
        """Return a fitted map that has only some of the features, and never computes the others.

        Parameters
        ----------
        columns : ndarray of int
            Which features, in the order wanted. Maps that mix their features stay whole.
        """
        check_is_fitted(self)
        owners, wanted = self.owners()[columns], self.order_[columns]
        starts = np.cumsum([0, *self._sizes])
        places = [np.flatnonzero(owners == number) for number in range(len(self.maps_))]
        kept = [number for number, place in enumerate(places) if len(place)]
        part = copy(self)
        part.maps_ = []
        for k in kept:
            one, own = self.maps_[k], wanted[places[k]] - starts[k]
            whole = np.array_equal(own, np.arange(one.n_features_out_))
            part.maps_.append(one if whole else one.subset(own))
        part.columns_ = [self.columns_[k] for k in kept]
        part.n_features_out_ = len(wanted)
        part.order_ = np.argsort(np.concatenate(places))
        return part

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the maps' features, told apart by the column or the number of the map."""
        check_is_fitted(self)
        leads = [k if isinstance(c, list | None) else c for k, c in enumerate(self.columns_)]
        leads = leads if len(set(leads)) == len(leads) else list(range(len(leads)))
        names = [
            f"{lead}__{name}"
            for lead, one in zip(leads, self.maps_, strict=True)
            for name in one.get_feature_names_out()
        ]
        return np.asarray(np.array(names, dtype=object)[self.order_])
