"""What every map shares: objects in, features out, a chunk of rows at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from copy import copy
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from .. import engine
from ..data import Domain, Mixed, is_collection, vectors
from ..engine.reference import PRODUCT_ROWS
from ..io import RowSource, lazily
from ..landmarks import groups_in
from ..measures import Measure
from ..validation import check_columns, generator, require_bounded, require_count

Floats32 = NDArray[np.float32]


def chunk_rows(X: Any, width: int) -> int:
    """Rows few enough to stay in cache from the first operation to the last; all, if X is CSR.

    A sparse product lays the dense factor out anew each time, so it is called once.
    """
    if sparse.issparse(X):
        return max(1, int(X.shape[0]))
    return max(1, MAPPED_VALUES // (width * PRODUCT_ROWS)) * PRODUCT_ROWS


def chunks(X: Any, out: Floats32) -> Iterator[tuple[Any, Floats32]]:
    """Yield a few rows of X and of `out` at a time."""
    step = chunk_rows(X, out.shape[1])
    for start in range(0, X.shape[0], step):
        yield X[start : start + step], out[start : start + step]


def project(X: Any, W: Floats32, out: Floats32) -> None:
    """Write wᵀx of a few rows, dense or CSR."""
    X = X.astype(np.float32, copy=False)
    if sparse.issparse(X):
        out[:] = X @ W.T
    else:
        engine.backend().products(X, W, out)


def dense32(X: Any) -> Floats32:
    """Return rows as a dense float32 array."""
    dense: Floats32 = (X.toarray() if sparse.issparse(X) else X).astype(np.float32, copy=False)
    return dense


# What every map shares: objects in, features out, a chunk of rows at a time.


Rows = NDArray[np.intp]

DEFAULT_COMPONENTS = 1000
MAPPED_VALUES = 2**17  # that stay in the cache of a core while features are computed


class Contribution(NamedTuple):
    """What one thing adds to a score: an n-gram, a stretch of time, a column, a landmark.

    Attributes
    ----------
    what : object
        The thing; None: what objects are compared with, which is the same for all of them.
    amount : float
    value : float
        What the column holds, or the measure says; NaN where there is no such number.
    where : tuple of (int, int)
        Stretches of the object: first letter or step, and the one after the last.
    landmark : int or None
        The number of the landmark, if it is one.
    """

    what: Any
    amount: float
    value: float = np.nan
    where: tuple[tuple[int, int], ...] = ()
    landmark: int | None = None


def column_contribution(
    domain: Any, column: int, name: str, amount: float, number: float
) -> Contribution:
    """Return what one column of a row adds; a category is known by its name.

    Examples
    --------
    >>> from seamark.data import Mixed, amounts
    >>> column_contribution(amounts, 0, "size", 0.5, 3.0)[:3]
    ('size', 0.5, 3.0)
    >>> column_contribution(Mixed((("red", "blue"),)), 0, "colour", 0.5, 1.0).what
    'colour = blue'
    """
    if np.isnan(number):
        return Contribution(f"{name} missing", float(amount))
    cell = domain.cell(column, number) if isinstance(domain, Mixed) else number
    if isinstance(cell, str):
        return Contribution(f"{name} = {cell}", float(amount))
    return Contribution(name, float(amount), float(number))


def each_thing(things: Any, amounts: Any, values: Any) -> list[list[Contribution]]:
    """Return what things add to each object, given a row of amounts and of values for each."""
    return [
        [
            Contribution(thing, float(amount), float(value))
            for thing, amount, value in zip(things, row, held, strict=True)
        ]
        for row, held in zip(amounts, values, strict=True)
    ]


class Map(TransformerMixin, BaseEstimator, ABC):
    """Features of objects, whose inner products are, or approximate, values of a kernel.

    Features carry their scale: 1/√D of an average over D columns is in every column, and a
    `subset` keeps it. A fitted map computes a chunk of rows by itself, so features need never be
    there all at once; `ComputedFeatures` reads them so. `transform` may give them in other units
    (`LandmarkMap`), `block` never does.

    Attributes
    ----------
    n_features_out_ : int
        Number of features.
    kernel_ : Measure or None
        What the inner products of features approximate; None if nobody gave it a name.
    """

    n_features_out_: int
    feature_numbers_: Rows
    kernel_: Measure | None = None
    landmarks_: Any = None
    landmark_indices_: Rows | None = None
    landmark_sources_: Rows | None = None
    feature_order: Rows | None = None
    """Features in the order in which to take the leading ones; None: as they stand."""
    informative_: bool | None = None
    domain: Domain | None = None
    """What the objects are; None for a map of several kinds of them."""
    is_divisible: bool = True
    """Whether `subset` works."""
    has_independent_columns: bool = False
    """Whether √D times any column is an unbiased feature by itself, independent of others."""
    compares_objects: bool = False
    """Whether landmarks are objects themselves, so that they have features too."""
    per_feature: ClassVar[tuple[str, ...]]
    """Fitted attributes with an entry for each feature: all that `subset` must pick from.

    A map without it has a `_pick` or a `subset` of its own."""
    is_union: ClassVar[bool] = False
    """Whether it is made of blocks, and gives lists with an entry for each."""
    sees_targets: ClassVar[bool] = False
    """Whether y decides its features, so that those of fit's own rows must not be taken for new."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags

    @abstractmethod
    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw whatever is random, with an rng made from `random_state`."""

    @abstractmethod
    def ingest(self, X: Any) -> Any:
        """Return new raw data as the objects that `block` takes; stop if they do not fit."""

    @abstractmethod
    def block(self, X: Any) -> Any:
        """Features of a few ingested objects, float32; CSR only where X is."""

    def subset(self, columns: NDArray[np.intp]) -> Self:
        """Return a fitted map that has only some of the features, and never computes the others.

        Parameters
        ----------
        columns : ndarray of int
            Which features, in the order wanted. Their scale stays.
        """
        check_is_fitted(self)
        columns = np.arange(self.n_features_out_)[columns]
        part = copy(self)
        part._pick(columns)
        part.feature_numbers_ = self.feature_numbers_[columns]
        part.n_features_out_ = len(columns)
        return part

    def _pick(self, columns: NDArray[np.intp]) -> None:
        """Keep some columns only, in this order; called by `subset`, unless a map has its own."""
        for name in self.per_feature:
            setattr(self, name, getattr(self, name)[columns])

    def groups(self, X: Any) -> NDArray[np.intp]:
        """Return the number of each ingested object's group; equal ones share it."""
        return groups_in(X, vectors)

    @property
    def bytes_per_row(self) -> int:
        """Memory that a row of `block` takes, what is computed on the way included."""
        return 4 * max(1, self.n_features_out_)

    def row_chunks(self, n: int) -> list[slice]:
        """Slices of rows whose features fit into a block of memory."""
        return engine.row_chunks(n, self.bytes_per_row)

    @property
    def blocks_(self) -> list[Map]:
        """The blocks that this is a union of: itself, if it is no union."""
        return [self]

    def columns_without(self, rows: Rows, alone: bool = True) -> Rows | None:
        """Features that do not come from these rows of fit's X; None: all.

        Where none is left, all are if the map stands alone, and none if there are other blocks.
        """
        return None

    def contributions(
        self, X: Any, weights: NDArray[Any], means: NDArray[Any], names: list[str] | None = None
    ) -> list[list[Contribution]]:
        """Return what each thing in a few objects adds to a score, above an average object.

        Parameters
        ----------
        X : objects
            Ingested.
        weights : ndarray of shape (n, number of features)
            Coefficients of each object's score.
        means : ndarray of shape (number of features,)
            Features of an average object.
        names : list of str, optional
            Of the columns of X, where a table has them.

        Returns
        -------
        list of list of Contribution
            For each object; amounts sum to its weights times (features − means).
        """
        parts = (dense32(self.block(X)) - means) * weights
        return [[Contribution("all of it", float(total))] for total in parts.sum(axis=1)]

    def transform(self, X: Any) -> Any:
        """Features of objects.

        Parameters
        ----------
        X : objects or RowSource

        Returns
        -------
        ndarray of shape (n, number of features), float32
            Of a source of rows another source, whose chunks are such arrays, made when read.
        """
        check_is_fitted(self)
        if isinstance(X, RowSource):
            return X.mapped(self.transform)
        if is_collection(X):
            return lazily(X, self.transform, np.float32, self.n_features_out_)
        X = self.ingest(X)
        n_bytes = 4 * X.shape[0] * self.n_features_out_
        what = f"{self.n_features_out_} features of {X.shape[0]} rows"
        engine.require_room(n_bytes, what, "transform rows(X), which is read in chunks")
        out = np.empty((X.shape[0], self.n_features_out_), dtype=np.float32)
        for rows in self.row_chunks(X.shape[0]):
            self.fill(X[rows], out[rows])
        return out

    def fill(self, X: Any, out: Floats32) -> None:
        """Write the features of a few ingested objects."""
        out[:] = self.block(X)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names such as ``randomfourier12``; a subset keeps them."""
        check_is_fitted(self)
        title = type(self).__name__.lower()
        return np.array([f"{title}{k}" for k in self.feature_numbers_], dtype=object)


class VectorMap(Map):
    """A map of vectors, dense or CSR.

    A subclass has the parameter `random_state`, draws in `_draw`, evaluates in `fill`, and picks
    columns of what it has drawn in `_pick`.
    """

    domain: Domain = vectors
    random_state: Any = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw the features.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, d)
        y : ignored

        Returns
        -------
        self
        """
        self._check_parameters()
        objects = self.domain.ingest(X)
        check_columns(self, X, objects, reset=True)
        self._draw(objects, generator(self.random_state))
        self.feature_numbers_ = np.arange(self.n_features_out_)
        return self

    def _check_parameters(self) -> None:
        """Stop at parameters that make no sense, before any work."""
        require_bounded(type(self), vars(self))
        require_count("n_components", getattr(self, "n_components", 1))

    @abstractmethod
    def _draw(self, X: Any, rng: np.random.Generator) -> None:
        """Set `n_features_out_`, `kernel_`, and what `block` needs."""

    def ingest(self, X: Any) -> Any:
        """Return a float array or CSR matrix with the columns of fit."""
        objects = self.domain.ingest(X)
        check_columns(self, X, objects, reset=False)
        return objects

    @abstractmethod
    def fill(self, X: Any, out: Floats32) -> None:
        """Write the features of a few rows."""

    def block(self, X: Any) -> Any:
        """Features of a few rows."""
        out = np.empty((X.shape[0], self.n_features_out_), dtype=np.float32)
        self.fill(X, out)
        return out


def require_map(given: Any, parameter: str = "map") -> None:
    """Stop unless a parameter is a map, or a transformer that serves as one.

    Examples
    --------
    >>> require_map("levenshtein")
    Traceback (most recent call last):
    ...
    TypeError: map='levenshtein' is no map; give one, such as LandmarkMap('levenshtein').
    """
    if isinstance(given, type) or not (hasattr(given, "fit") and hasattr(given, "transform")):
        example = f"LandmarkMap({given!r})" if isinstance(given, str) else "LandmarkMap(measure)"
        raise TypeError(f"{parameter}={given!r} is no map; give one, such as {example}.")
