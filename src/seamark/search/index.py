"""`Index`: objects that are searched by a measure, exactly."""

from __future__ import annotations

import numbers
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from .. import engine
from ..data import Ragged, Series, Strings, Vectors
from ..measures import Measure, ObjectEstimator, get, matrix_inside
from ..validation import require_bounded, require_count
from .prune import (
    Found,
    Keys,
    Nearest,
    Searched,
    Within,
    apart,
    bounding,
    far_apart,
    refine,
    settled,
    wanted,
    without_own,
)

Rows = NDArray[np.intp]


class Neighbours(NamedTuple):
    """What a search found: values, the nearest first, and the ids of the objects.

    Of one object these are arrays of shape (k,); of a batch (n, k), or for `Index.within`, where
    each object has its own number of neighbours, lists of arrays.
    """

    values: Any
    ids: Any


@dataclass(eq=False, repr=False)
class Index(ObjectEstimator):
    """Find the nearest of many objects under any measure. Exact.

    Blocks of objects are compared at the speed of the kernels, and only the k nearest are kept:
    there never is a matrix of all queries and objects. Blocks that are too far away are passed
    over, such as strings of other lengths. Where a value is dear and the measure declares the
    triangle inequality, values against a few landmarks rule most objects out (LAESA).

    Parameters
    ----------
    measure : Measure, str or callable, default="euclidean"
        A distance, or a similarity: then the most similar are the nearest. Asymmetric ones compare
        the query with the object, in this order.
    n_landmarks : int, optional
        Landmarks for passing over objects, for metrics only; 0: none. Default: some, if a value
        takes more than about a microsecond; each costs one evaluation per object, once.
    n_jobs : int, optional
        Threads or processes of the measure.

    Attributes
    ----------
    measure_ : Measure
    objects_ : objects
        All that are searched.
    ids_ : ndarray of int
        Their ids: the row numbers of `fit`, counted on by `add`; others keep theirs in `remove`.
    landmarks_ : objects or None
        Those that help to pass over others.
    landmark_values_ : ndarray of shape (n, n_landmarks) or None
        Values of all objects against them.
    n_evaluations_ : int
        Measure evaluations of fit.

    Examples
    --------
    >>> index = Index("levenshtein").fit(["Anna", "Hanna", "Otto", "Ottokar"])
    >>> index.query("Hanno", k=2)
    Neighbours(values=array([1., 3.], dtype=float32), ids=array([1, 0]))
    >>> index.within(["Ann", "Ottilo"], 2).ids
    [array([0]), array([2])]
    >>> index.add(["Hanne"])
    array([4])
    >>> index.remove([1]).query("Hanno", k=1).ids
    array([4])
    """

    measure: Any = "euclidean"
    _: KW_ONLY
    n_landmarks: int | None = None
    n_jobs: int | None = None

    def fit(self, X: Any, y: Any = None) -> Self:
        """Keep the objects.

        Parameters
        ----------
        X : objects
        y : ignored

        Returns
        -------
        self
        """
        require_bounded(type(self), vars(self))
        measure: Measure = clone(get(self.measure))
        measure.check_parameters()
        if matrix_inside(measure) is not None:
            raise ValueError(
                "an index keeps objects and compares new ones with them, and a precomputed matrix "
                "has none; sort its rows, or give the objects and their measure."
            )
        if self.n_landmarks is not None and self.n_landmarks != 0:
            require_count("n_landmarks", self.n_landmarks)
        objects = self._objects(X, measure, reset=True)
        measure.distance_sign()
        with engine.counting() as counter:
            self._keep(measure, objects)
        self.n_evaluations_ = counter.evaluations
        return self

    def _keep(self, measure: Measure, objects: Any) -> None:
        measure = measure.fitted_to(objects, np.random.default_rng(0))
        n, n_landmarks = objects.shape[0], wanted(measure, objects, self.n_landmarks)
        self.measure_ = settled(measure, objects) if n_landmarks else measure
        self.objects_ = measure.domain.landmarks(objects, np.arange(n))
        self.ids_, self.next_id_ = np.arange(n), n
        self.landmarks_: Any = None
        self.landmark_values_: Keys | None = None
        self._store = Searched(self.measure_, self.objects_, self.n_jobs)
        if n_landmarks:
            rows, self.landmark_values_ = far_apart(self._store, n_landmarks)
            self.landmarks_ = self.objects_[rows]

    def query(self, X: Any, k: int = 5, *, return_objects: bool = False) -> Any:
        """Find the k nearest objects.

        Parameters
        ----------
        X : objects or object
            A batch; or one string, one vector or one series of one channel.
        k : int, default=5
            How many. Of objects equally near, those with the smallest ids count.
        return_objects : bool, default=False
            Return the objects themselves, too.

        Returns
        -------
        values : ndarray of shape (n, k)
            Distances, rising; or similarities, falling. Of one object (k,).
        ids : ndarray of shape (n, k)
        objects : list
            With `return_objects`: of one object its neighbours, of a batch a list for each.
        """
        require_count("k", k)
        queries, one = self._queries(X)
        if k > len(self.ids_):
            raise ValueError(f"k={k} asks for more than the {len(self.ids_)} objects; lower it.")
        found = Nearest(queries.shape[0], k)
        self._search(queries, found)
        values, ids = self._store_now().sign * found.keys, self.ids_[found.rows]
        near = Neighbours(values[0], ids[0]) if one else Neighbours(values, ids)
        if not return_objects:
            return near
        objects = [[self.objects_[int(row)] for row in rows] for rows in found.rows]
        return (*near, objects[0] if one else objects)

    def kneighbors_graph(
        self,
        X: Any = None,
        n_neighbors: int = 5,
        mode: Literal["connectivity", "distance"] = "connectivity",
    ) -> Any:
        """Return the graph of nearest neighbours, in scikit-learn's form.

        UMAP, t-SNE, HDBSCAN and spectral clustering take it, and so work under any measure.

        Parameters
        ----------
        X : objects, optional
            Default: the objects of the index, none of which is a neighbour of itself.
        n_neighbors : int, default=5
        mode : {"connectivity", "distance"}, default="connectivity"
            Ones, or distances; of a similarity with a largest value, what it lacks of that.

        Returns
        -------
        csr_matrix of shape (n_queries, n_objects)
            Columns are objects in the order of `ids_`. Each row has `n_neighbors` entries, the
            nearest first; those at distance 0 are stored, too.

        Examples
        --------
        >>> index = Index("levenshtein").fit(["Anna", "Hanna", "Otto", "Ottokar"])
        >>> index.kneighbors_graph(n_neighbors=1, mode="distance").toarray()
        array([[0., 2., 0., 0.],
               [2., 0., 0., 0.],
               [0., 0., 0., 3.],
               [0., 0., 3., 0.]], dtype=float32)
        """
        check_is_fitted(self, "objects_")
        require_count("n_neighbors", n_neighbors)
        if mode not in ("connectivity", "distance"):
            raise ValueError(f'mode must be "connectivity" or "distance", not {mode!r}.')
        k, n = n_neighbors + (X is None), len(self.ids_)
        if k > n:
            raise ValueError(
                f"n_neighbors={n_neighbors} asks for more than the {n} objects; lower it."
            )
        queries = self.objects_ if X is None else self._queries(X)[0]
        found = Nearest(queries.shape[0], k)
        self._search(queries, found)
        keys, rows = found.keys, found.rows
        if X is None:
            keys, rows = without_own(keys, rows, np.arange(n))
        values = np.ones_like(keys)
        if mode == "distance":
            largest = float(self.measure_.bounds[1])
            if self._store_now().sign < 0 and not np.isfinite(largest):
                raise ValueError(
                    f"{self.measure_!r} is a similarity without a largest value, and has no "
                    "distances; take its normalised() form."
                )
            values = keys if self._store_now().sign > 0 else np.maximum(largest + keys, 0)
        ends = np.arange(queries.shape[0] + 1) * n_neighbors
        shape = (queries.shape[0], n)
        return sparse.csr_matrix((values.ravel(), rows.ravel(), ends), shape=shape)

    def within(self, X: Any, radius: float) -> Neighbours:
        """Find all objects within a distance, or at least so similar.

        Parameters
        ----------
        X : objects or object
            A batch; or one string, one vector or one series of one channel.
        radius : float
            The largest distance, or the smallest similarity; it counts as within.

        Returns
        -------
        values : list of ndarray
            For each query the values, the nearest first. Of one object an array.
        ids : list of ndarray
        """
        number: Any = radius
        if not isinstance(number, numbers.Real) or not np.isfinite(float(number)):
            raise ValueError(f"radius must be a finite number, not {number!r}.")
        queries, one = self._queries(X)
        sign = self._store_now().sign
        found = Within(queries.shape[0], float(sign) * float(radius))
        self._search(queries, found)
        pairs = [found.of(i) for i in range(queries.shape[0])]
        values, ids = [sign * keys for keys, _ in pairs], [self.ids_[rows] for _, rows in pairs]
        return Neighbours(values[0], ids[0]) if one else Neighbours(values, ids)

    def add(self, X: Any) -> NDArray[np.intp]:
        """Take in further objects.

        Parameters
        ----------
        X : objects

        Returns
        -------
        ndarray of int
            Their ids.
        """
        check_is_fitted(self, "objects_")
        new = self._objects(X, self.measure_, reset=False)
        store, n = self._store_now(), new.shape[0]
        new = self.measure_.domain.landmarks(new, np.arange(n))
        if self.landmark_values_ is not None:
            recipe = self.measure_.recipe(self.landmarks_)
            kept = engine.run(recipe, new, n_jobs=self.n_jobs)
            self.landmark_values_ = np.concatenate([self.landmark_values_, kept])
        self.objects_ = self.measure_.domain.joined(self.objects_, new)
        store.add(self.objects_)
        ids = np.arange(self.next_id_, self.next_id_ + n)
        self.ids_, self.next_id_ = np.concatenate([self.ids_, ids]), self.next_id_ + n
        return ids

    def remove(self, ids: Any) -> Self:
        """Drop objects.

        Parameters
        ----------
        ids : int or array-like of int
            As `fit` and `add` gave them.

        Returns
        -------
        self
        """
        check_is_fitted(self, "objects_")
        gone = np.atleast_1d(np.asarray(ids))
        unknown = gone[~np.isin(gone, self.ids_)]
        if len(unknown):
            raise ValueError(f"there is no object of id {unknown[0]}; see ids_ for those here.")
        kept = np.flatnonzero(~np.isin(self.ids_, gone))
        if not len(kept):
            raise ValueError("this would leave no object to search; fit the index anew instead.")
        store = self._store_now()
        self.objects_, self.ids_ = self.objects_[kept], self.ids_[kept]
        store.keep(kept, self.objects_)
        if self.landmark_values_ is not None:
            self.landmark_values_ = self.landmark_values_[kept]
        return self

    def _queries(self, X: Any) -> tuple[Any, bool]:
        """Return ingested queries, and whether it was one object that is no batch."""
        check_is_fitted(self, "objects_")
        one = is_one(X, self.measure_.domain)
        return self._objects([X] if one else X, self.measure_, reset=False), one

    def _search(self, queries: Any, found: Found) -> None:
        store = self._store_now()
        if self.landmark_values_ is not None:
            kept, recipe = self.landmark_values_, self.measure_.recipe(self.landmarks_)

            def bounds(some: Any) -> NDArray[Any]:
                return apart(engine.run(recipe, some, n_jobs=self.n_jobs), kept)

            refine(store, queries, found, bounds)
            return
        if store.bounds is None:
            store.bounds = bounding(self.measure_, self.objects_) or False
        if store.bounds:
            refine(store, queries, found, store.bounds)
        else:
            store.scan(queries, found)

    def _store_now(self) -> Searched:
        """Return the compiled objects; a loaded index compiles them when it is first asked."""
        if not hasattr(self, "_store"):
            self._require_whole()
            self._store = Searched(self.measure_, self.objects_, self.n_jobs)
        return self._store

    def _require_whole(self) -> None:
        """Stop at parts that do not go together, as in a file that was tampered with."""
        n, values = self.objects_.shape[0], self.landmark_values_
        ids: Rows = np.asarray(self.ids_)
        whole = ids.shape == (n,) and ids.dtype.kind == "i" and self.next_id_ > ids.max(initial=-1)
        if values is not None:
            there = 0 if self.landmarks_ is None else self.landmarks_.shape[0]
            whole = whole and np.shape(values) == (n, there)
        if not whole:
            raise ValueError("the parts of this index do not go together; fit it anew.")

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {name: part for name, part in state.items() if name != "_store"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # What is compiled is made here, never taken from a file.
        super().__setstate__({name: part for name, part in state.items() if name != "_store"})


def is_one(X: Any, domain: Any) -> bool:
    """Whether X is one object rather than a batch of them.

    Examples
    --------
    >>> from seamark.data import strings, vectors
    >>> is_one("sea", strings), is_one(["sea"], strings), is_one([1.0, 2.0], vectors)
    (True, False, True)
    """
    if isinstance(domain, Strings):
        return isinstance(X, (str, bytes, bytearray))
    if not isinstance(domain, (Vectors, Series)) or isinstance(X, Ragged) or hasattr(X, "columns"):
        return False
    if isinstance(X, np.ndarray):
        return X.ndim == 1 and X.dtype != object
    return isinstance(X, (list, tuple)) and len(X) > 0 and isinstance(X[0], numbers.Real)
