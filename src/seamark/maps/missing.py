"""Columns in which some objects are missing, and series in which some values are."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from .. import engine
from ..data import Ragged, missing_in, series, without_gaps
from ..data.missing import shares_missing
from ..validation import check_columns
from .base import Contribution, Floats32, Map, Rows, dense32, each_thing, require_map
from .landmark import LandmarkMap

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Gapped:
    """Ingested objects of a column, and which of them are not there.

    Attributes
    ----------
    objects : objects or None
        As many as there are cells: another object stands where one is missing. None: all are.
    missing : ndarray of bool
    """

    objects: Any
    missing: Mask

    @property
    def shape(self) -> tuple[int]:
        """``(n,)``."""
        return (len(self.missing),)

    def __len__(self) -> int:
        return len(self.missing)

    def __getitem__(self, key: Any) -> Any:
        """Return one object, None if it is missing, for an int; or some as another such column."""
        if isinstance(key, (int, np.integer)):
            return None if self.missing[key] else self.objects[key]
        return Gapped(None if self.objects is None else self.objects[key], self.missing[key])


def require_some(missing: Mask) -> Mask:
    """Stop if all objects are missing."""
    if missing.all():
        raise ValueError("all its objects are missing; leave it out.")
    return missing


def name_present_rows(fitted: Any, missing: Mask) -> None:
    """Have landmarks that stand in for missing objects be those of the first row that is full.

    A row in which nothing stands has a label, which says nothing of the object in its place.

    Parameters
    ----------
    fitted : Map
        Fitted to objects `without_gaps`; its `landmark_indices_` and `landmark_sources_` change.
    missing : ndarray of bool
    """
    first = int(np.argmin(missing))
    for name in ("landmark_indices_", "landmark_sources_"):
        rows = getattr(fitted, name, None)
        if rows is not None:
            stand_in = (rows >= 0) & missing[np.maximum(rows, 0)]
            setattr(fitted, name, np.where(stand_in, first, rows))


def mean_of_present(block: NDArray[Any], missing: Mask) -> NDArray[Any]:
    """Return the mean features of the objects among the first that are there."""
    there = ~missing[: len(block)]
    return np.asarray((block[there] if there.any() else block).mean(axis=0, dtype=np.float64))


def _inner(name: str, doc: str) -> Any:
    """Return a property that is the fitted map's own."""
    return property(attrgetter(f"map_.{name}"), doc=doc)


@dataclass(eq=False, repr=False)
class WithGaps(Map):
    """Features of a column of objects, some of which are missing.

    A missing object has the mean features of the others, which say nothing, and a feature of its
    own that says it is missing. If none is missing in `fit` there is no such feature, and one that
    is missing later says nothing.

    Parameters
    ----------
    map : Map
        Of the objects that are there; cloned before it is fitted.

    Attributes
    ----------
    map_ : Map
        Fitted.
    gap_features_ : ndarray
        Features that a missing object gets.
    order_ : ndarray
        Which features of `map_` are in use, in order; their number stands for the one that says
        that an object is missing.
    n_features_out_ : int

    Examples
    --------
    >>> import seamark as sm
    >>> names = ["sea", "see", None, "mark"]
    >>> column = sm.maps.WithGaps(sm.LandmarkMap("levenshtein", random_state=0))
    >>> column.fit_transform(names).round(1)[2] + 0.0
    array([0., 0., 0., 1.], dtype=float32)
    """

    map: Any

    @classmethod
    def of(cls, fitted: Map, gap_features: NDArray[Any], has_gaps: bool) -> Self:
        """Return the map of a column from that of the objects in it, fitted already."""
        made = cls(clone(fitted))
        made.map_, made.gap_features_ = fitted, np.asarray(gap_features, dtype=np.float32)
        made.order_ = np.arange(fitted.n_features_out_ + has_gaps)
        made.n_features_out_ = len(made.order_)
        return made

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the map to the objects that are there.

        Parameters
        ----------
        X : objects, or None or NaN in place of some
        y : array-like, optional

        Returns
        -------
        self
        """
        require_map(self.map)
        missing = require_some(missing_in(X))
        inner = clone(self.map).fit(without_gaps(X, missing), y)
        name_present_rows(inner, missing)
        first = inner.row_chunks(len(missing))[0]
        known = inner.ingest(without_gaps(X, missing))[first]
        made = WithGaps.of(inner, mean_of_present(inner.block(known), missing), bool(missing.any()))
        self.__dict__.update({name: part for name, part in vars(made).items() if name != "map"})
        return self

    domain = property(attrgetter("map.domain"), doc="What the objects are.")

    def ingest(self, X: Any) -> Gapped:
        """Return new objects, and which are missing."""
        if isinstance(X, Gapped):
            return X
        missing = missing_in(X)
        every = bool(missing.all())
        return Gapped(None if every else self.map_.ingest(without_gaps(X, missing)), missing)

    def groups(self, X: Gapped) -> Rows:
        """Return groups of equal objects; missing ones are one group."""
        if X.objects is None:
            return np.full(len(X), -1)
        return np.where(X.missing, -1, self.map_.groups(X.objects))

    def block(self, X: Gapped) -> Floats32:
        """Features of a few objects."""
        inner = None if X.objects is None else dense32(self.map_.block(X.objects))
        return self.joined(inner, X.missing)

    def fill(self, X: Gapped, out: Floats32) -> None:
        """Write features as the map within gives them to `transform`."""
        inner, gap = None, self.gap_features_[None]
        if X.objects is not None:
            inner = np.empty((len(X), self.map_.n_features_out_), dtype=np.float32)
            self.map_.fill(X.objects, inner)
        if isinstance(self.map_, LandmarkMap) and self.map_.mean_ is not None:
            gap = np.zeros_like(gap)  # the mean, where features are centred
        out[:] = self.joined(inner, X.missing, gap)

    def joined(
        self, inner: Floats32 | None, missing: Mask, gap: Floats32 | None = None
    ) -> Floats32:
        """Return features with those of missing objects in their places."""
        n = len(self.gap_features_)
        plain = len(self.order_) == n and np.array_equal(self.order_, np.arange(n))
        if plain and inner is not None and not missing.any():
            return inner
        whole = np.empty((len(missing), n + 1), dtype=np.float32)
        whole[:, :n] = 0.0 if inner is None else inner
        whole[missing, :n] = self.gap_features_ if gap is None else gap
        whole[:, n] = missing
        return whole[:, self.order_]

    def subset(self, columns: NDArray[np.intp]) -> Self:
        """Return a fitted map that has only some of the features, and never computes the others.

        Parameters
        ----------
        columns : ndarray of int
            Which features, in the order wanted.
        """
        check_is_fitted(self)
        wanted = self.order_[columns]
        n = self.map_.n_features_out_
        # A map without features is none; one stays that nobody asks for.
        kept = np.unique(wanted[wanted < n]) if (wanted < n).any() else np.arange(1)
        part = copy(self)
        part.map_ = self.map_ if len(kept) == n else self.map_.subset(kept)
        part.gap_features_ = self.gap_features_[kept]
        part.order_ = np.searchsorted(np.append(kept, n), wanted)
        part.n_features_out_ = len(wanted)
        return part

    def columns_without(self, rows: Rows, alone: bool = True) -> Rows | None:
        """Features whose landmarks neither are nor were cut from these rows; None: all."""
        found = self.map_.columns_without(rows, alone=False)
        if found is None:
            return None
        known = np.append(found, self.map_.n_features_out_)
        columns = np.flatnonzero(np.isin(self.order_, known))
        return None if alone and not len(columns) else columns

    @property
    def feature_order(self) -> Rows | None:  # type: ignore[override]
        """Features in the order in which to take the leading ones; gaps come last."""
        inner = self.map_.feature_order
        if inner is None:
            return None
        rank = np.append(np.argsort(inner), len(inner))
        return np.argsort(rank[self.order_], kind="stable")

    @property
    def bytes_per_row(self) -> int:
        """Memory that a row of `block` takes."""
        return int(self.map_.bytes_per_row) + 8 * (int(self.map_.n_features_out_) + 1)

    @property
    def informative_(self) -> bool | None:  # type: ignore[override]
        """Whether anything tells two objects apart, a gap included."""
        has_gaps = bool((self.order_ == self.map_.n_features_out_).any())
        return True if has_gaps else self.map_.informative_

    is_divisible = _inner("is_divisible", "Whether `subset` works.")
    landmarks_ = _inner("landmarks_", "Landmarks of the map.")
    landmark_indices_ = _inner("landmark_indices_", "Rows of fit's X that they are.")
    landmark_sources_ = _inner("landmark_sources_", "Rows that they are or were cut from.")
    compares_objects = _inner("compares_objects", "Whether landmarks are of the rows' kind.")
    nearness = _inner("nearness", "Kind of the values that `seen` gives.")

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the map's features, and ``missing``."""
        check_is_fitted(self)
        names = np.append(self.map_.get_feature_names_out(), "missing")
        return np.asarray(names, dtype=object)[self.order_]

    def of_landmarks(self, places: Rows) -> Floats32:
        """Features of some landmarks themselves, none of which is missing."""
        return self.joined(self.map_.of_landmarks(places), np.zeros(len(places), dtype=bool))

    def seen(self, X: Gapped) -> tuple[Floats32, NDArray[Any]]:
        """Features, and values against every landmark: NaN for missing objects."""
        values = np.full((len(X), int(self.landmarks_.shape[0])), np.nan, dtype=np.float32)
        if X.objects is not None:
            values[:] = self.map_.seen(X.objects)[1]
            values[X.missing] = np.nan
        return self.block(X), values

    def contributions(
        self, X: Gapped, weights: NDArray[Any], means: NDArray[Any], names: Any = None
    ) -> list[list[Contribution]]:
        """Return those of the objects that are there; of one that is missing, that it is."""
        own, gap = self._spread(weights)
        average, gap_average = self._spread(means[None])
        if X.objects is None:
            found: list[list[Contribution]] = [[] for _ in range(len(X))]
        else:
            found = self.map_.contributions(X.objects, own, average[0], names)
        for row, missing in enumerate(X.missing):
            added = -float(gap[row, 0] * gap_average[0, 0])
            if missing:
                added += float(own[row] @ (self.gap_features_ - average[0]) + gap[row, 0])
                found[row] = []
            found[row].append(Contribution("missing" if missing else None, added))
        return found

    def _spread(self, parts: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return numbers per feature as those of the map's features, and that of gaps."""
        whole = np.zeros((len(parts), self.map_.n_features_out_ + 1))
        whole[:, self.order_] = parts
        return whole[:, :-1], whole[:, -1:]


class GapFeatures:
    """Features of a column with gaps, to be read chunk by chunk, as `UnitedFeatures` reads them.

    Parameters
    ----------
    part : CachedFeatures or ComputedFeatures
        Of the objects, with some other object in the place of each missing one.
    missing : ndarray of bool
    """

    def __init__(self, part: Any, missing: Mask) -> None:
        self.part, self.missing = part, missing
        first = slice(0, min(len(missing), part.map.row_chunks(len(missing))[0].stop))
        gap = mean_of_present(part.chunk(first), missing)
        self.map = WithGaps.of(part.map, gap, bool(missing.any()))
        self.shape = (len(missing), self.map.n_features_out_)

    def n_missing(self, rows: slice) -> int:
        """Return how many values must be computed to read a chunk."""
        return int(self.part.n_missing(rows))

    def chunk(
        self, rows: slice, columns: Any = None, progress: bool | engine.Progress = False
    ) -> NDArray[Any]:
        """Return the features of a run of rows."""
        block = self.map.joined(self.part.chunk(rows, None, progress), self.missing[rows])
        return block if columns is None else block[:, columns]

    def rows(self, indices: Rows, columns: Any = None) -> NDArray[Any]:
        """Return the features of some rows, in the order asked for."""
        block = self.map.joined(self.part.rows(indices), self.missing[indices])
        return block if columns is None else block[:, columns]


# Series: how much of each channel is missing.


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
