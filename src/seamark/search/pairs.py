"""All pairs within a distance, and pictures of groups."""

from __future__ import annotations

import numbers
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA

from .. import engine
from ..data import Strings
from ..estimating import (
    Rows,
    generator,
    matrix_inside,
    pandas_for,
    require_count,
    require_same_length,
    require_whole_objects,
)
from ..maps import LandmarkMap
from ..measures import Measure, get
from ..plotting.maps import GroupsDisplay
from ..plotting.text import html_table, visible
from .index import Index

Values = NDArray[np.float32]

QUERIED_ROWS = 2048
"""Objects that are looked up in an index together."""
SHOWN, WIDE = 10, 60
"""Pairs in the text of a result, and characters of each object."""


@dataclass(frozen=True, eq=False, repr=False)
class Pairs:
    """Pairs of objects within a distance, sorted by their rows.

    Attributes
    ----------
    left, right : ndarray of int
        Rows of both objects. Of duplicates the smaller row is left; of links, rows of each side.
    values : ndarray of float32
        Their distances, or similarities.
    groups : ndarray of int
        Number of each pair's group: objects that are connected by pairs, however many, are one.
    left_objects, right_objects : objects
        All that were compared.

    Examples
    --------
    >>> found = duplicates(["Anna", "Otto", "Ana", "Annas"], "levenshtein", within=1)
    >>> len(found), found.left, found.right, found.groups
    (2, array([0, 0]), array([2, 3]), array([0, 0]))
    >>> found
    2 pairs in 1 group
    1: Anna ~ Ana
    1: Anna ~ Annas
    """

    left: Rows
    right: Rows
    values: Values
    groups: Rows
    left_objects: Any
    right_objects: Any

    def __len__(self) -> int:
        return len(self.left)

    def __iter__(self) -> Iterator[tuple[int, int, float]]:
        """Yield row, row and value of each pair."""
        yield from zip(self.left.tolist(), self.right.tolist(), self.values.tolist(), strict=True)

    @property
    def n_groups(self) -> int:
        """How many groups there are."""
        return int(self.groups.max(initial=-1)) + 1

    def members(self) -> list[Rows]:
        """Return the rows of each group, of duplicates of one collection."""
        if self.left_objects is not self.right_objects:
            raise ValueError("links have rows of two collections; take those of left and right.")
        rows, group = np.concatenate([self.left, self.right]), np.tile(self.groups, 2)
        each = np.unique(np.stack([group, rows]), axis=1)
        return np.split(each[1], np.flatnonzero(np.diff(each[0])) + 1) if len(self) else []

    def labels(self) -> Rows:
        """Return the number of each object's group, −1 for those that are in none."""
        found = np.full(self.left_objects.shape[0], -1, dtype=np.intp)
        for number, rows in enumerate(self.members()):
            found[rows] = number
        return found

    def to_frame(self) -> Any:
        """Return a pandas DataFrame of rows, values, groups, and the objects themselves."""
        pd = pandas_for("to_frame")
        columns = {"left": self.left, "right": self.right, "value": self.values}
        frame = pd.DataFrame({**columns, "group": self.groups})
        frame["left_object"] = pd.Series([self.left_objects[i] for i in self.left], dtype=object)
        frame["right_object"] = pd.Series([self.right_objects[i] for i in self.right], dtype=object)
        return frame

    def __str__(self) -> str:
        lines = [f"{self._title()}", *(f"{v:g}: {a} ~ {b}" for *_, v, _, a, b in self._first())]
        return "\n".join([*lines, *(["…"] if len(self) > SHOWN else [])])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = "left", "right", "value", "group", "", ""
        return f"<p>{self._title()}</p>" + html_table(self._first(), head)

    def _title(self) -> str:
        n, m = len(self), self.n_groups
        return f"{n} pair{'s' * (n != 1)} in {m} group{'s' * (m != 1)}"

    def _first(self) -> list[tuple[Any, ...]]:
        """The first few pairs, as a table."""
        return [
            (
                int(self.left[k]),
                int(self.right[k]),
                float(self.values[k]),
                int(self.groups[k]),
                visible(self.left_objects[int(self.left[k])], WIDE),
                visible(self.right_objects[int(self.right[k])], WIDE),
            )
            for k in range(min(len(self), SHOWN))
        ]


def duplicates(
    objects: Any,
    measure: Any = "levenshtein",
    *,
    within: float,
    max_pairs: int = 10_000_000,
    n_jobs: int | None = None,
    progress: bool | engine.Progress = False,
) -> Pairs:
    """Find all pairs of objects within a distance of each other, and their groups. Exact.

    Parameters
    ----------
    objects : objects
    measure : Measure, str or callable, default="levenshtein"
        Levenshtein's distance never compares strings that share no segment; every other measure
        looks each object up in an `Index`. Asymmetric ones compare the earlier object with the
        later, in this order.
    within : float
        The largest distance, or the smallest similarity.
    max_pairs : int, default=10_000_000
        More pairs than this are refused: they would fill the memory.
    n_jobs : int, optional
        Threads or processes.
    progress : bool or Progress, default=False
        Show a progress bar.

    Returns
    -------
    Pairs

    Examples
    --------
    >>> import seamark as sm
    >>> names = ["Acme Ltd", "Apex Inc", "Acme Ltd.", "ACME Ltd"]
    >>> print(sm.duplicates(names, within=3))
    2 pairs in 1 group
    1: Acme Ltd ~ Acme Ltd.
    3: Acme Ltd ~ ACME Ltd
    >>> sm.duplicates(names, within=3).labels()
    array([ 0, -1,  0,  0])
    """
    settled = _settled(measure, within, max_pairs)
    X = settled.domain.ingest(objects)
    fitted = settled.fitted_to(X, np.random.default_rng(0))
    found = _found(fitted, X, None, within, max_pairs, n_jobs, progress)
    return _sorted(*found, X, X)


def link(
    left: Any,
    right: Any,
    measure: Any = "levenshtein",
    *,
    within: float,
    max_pairs: int = 10_000_000,
    n_jobs: int | None = None,
    progress: bool | engine.Progress = False,
) -> Pairs:
    """Find all pairs of an object of one collection and one of another within a distance. Exact.

    Parameters
    ----------
    left, right : objects
    measure : Measure, str or callable, default="levenshtein"
        Levenshtein's distance never compares strings that share no segment; every other measure
        looks each object up in an `Index`. Asymmetric ones compare left with right, in this order.
    within : float
        The largest distance, or the smallest similarity.
    max_pairs : int, default=10_000_000
        More pairs than this are refused: they would fill the memory.
    n_jobs : int, optional
        Threads or processes.
    progress : bool or Progress, default=False
        Show a progress bar.

    Returns
    -------
    Pairs

    Examples
    --------
    >>> import seamark as sm
    >>> sm.link(["Acme Ltd", "Apex Inc"], ["Apex Inc.", "Baltic Oil"], within=1)
    1 pair in 1 group
    1: Apex Inc ~ Apex Inc.
    """
    settled = _settled(measure, within, max_pairs)
    X = settled.domain.ingest(left)
    Y = settled.domain.ingest(right, like=X)
    fitted = settled.fitted_to(Y, np.random.default_rng(0))
    return _sorted(*_found(fitted, X, Y, within, max_pairs, n_jobs, progress), X, Y)


def _settled(measure: Any, within: Any, max_pairs: Any) -> Measure:
    """Return the measure; stop, before any work, at what makes no sense."""
    one: Measure = clone(get(measure))
    one.check_parameters()
    if matrix_inside(one) is not None:
        raise ValueError(
            "a precomputed matrix holds every pair already: take np.argwhere(matrix <= within)."
        )
    is_distance = one.distance_sign() > 0
    require_whole_objects(one, "a search for pairs")
    if not isinstance(within, numbers.Real) or not np.isfinite(float(within)):
        raise ValueError(f"within must be a finite number, not {within!r}.")
    if is_distance and within < 0:
        raise ValueError(
            f"within={within!r} is negative, and no distance is; give the largest distance of a "
            "pair, such as 1."
        )
    require_count("max_pairs", max_pairs)
    return one


def _found(
    measure: Measure,
    X: Any,
    Y: Any,
    within: float,
    most: int,
    n_jobs: int | None,
    progress: bool | engine.Progress,
) -> tuple[Rows, Rows, Values]:
    options: dict[str, Any] = {"most": most, "n_jobs": n_jobs, "progress": progress}
    try:
        found = measure.pairs_within(X, Y, float(within), **options)
        return _looked_up(measure, X, Y, float(within), **options) if found is None else found
    except engine.TooManyPairsError:
        raise ValueError(
            f"more than {most} pairs are within {within:g}; choose a smaller distance, drop equal "
            "objects first, or raise max_pairs."
        ) from None


def _looked_up(
    measure: Measure,
    X: Any,
    Y: Any,
    within: float,
    most: int,
    n_jobs: int | None,
    progress: bool | engine.Progress,
) -> tuple[Rows, Rows, Values]:
    """Look every object up in an index of the others."""
    index = Index(measure, n_jobs=n_jobs).fit(X if Y is None else Y)
    n, parts = X.shape[0], []
    with engine.progress_bar(progress) as bar:
        bar.start(n, unit="objects")
        for a, b in pairwise([*range(0, n, QUERIED_ROWS), n]):
            values, ids = index.within(X[a:b], within)
            rows = np.repeat(np.arange(a, b), [len(one) for one in ids])
            columns, near = np.concatenate(ids), np.concatenate(values)
            new = columns > rows if Y is None else np.ones(len(rows), dtype=bool)
            parts.append((rows[new], columns[new], near[new]))
            most -= int(new.sum())
            if most < 0:
                raise engine.TooManyPairsError
            bar.advance(b - a)
    left, right, values = (np.concatenate(column) for column in zip(*parts, strict=True))
    return left, right, values


def _sorted(left: Rows, right: Rows, values: Values, X: Any, Y: Any) -> Pairs:
    """Sort pairs by their rows, and number their groups by their first pairs."""
    order = np.lexsort((right, left))
    left, right, values = left[order], right[order], values[order]
    n, m = X.shape[0], X.shape[0] + (0 if Y is X else Y.shape[0])
    edges = np.ones(len(left), dtype=np.int8), (left, right + (0 if Y is X else n))
    _, each = connected_components(sparse.coo_array(edges, shape=(m, m)), False)
    _, first, groups = np.unique(each[left], return_index=True, return_inverse=True)
    return Pairs(left, right, values, np.argsort(np.argsort(first))[groups], X, Y)


# `picture`: what is alike lies together, and groups are named by their medoids.


PICTURE_LANDMARKS = 200
MOST_GROUPS = 12
"""That a picture has room to name."""


def medoids(features: Any, groups: Any) -> NDArray[np.intp]:
    """Return the row of the object nearest the centre of each group.

    Parameters
    ----------
    features : array-like of shape (n, R)
        As a map gives them.
    groups : array-like of shape (n,)
        Numbers or names of groups, such as `labels_` of a scikit-learn clustering; those below 0
        are no group.

    Returns
    -------
    ndarray of shape (n_groups,)
        In the order of sorted groups.

    Examples
    --------
    >>> medoids([[0.0], [1.0], [5.0], [9.0]], [0, 0, 0, -1])
    array([1])
    """
    features, groups = np.asarray(features, dtype=np.float64), np.asarray(groups)
    require_same_length(features, groups)
    known = np.unique(groups)
    if groups.dtype.kind in "iuf":
        known = known[known >= 0]
    rows = []
    for group in known:
        own = np.flatnonzero(groups == group)
        apart = ((features[own] - features[own].mean(axis=0)) ** 2).sum(axis=1)
        rows.append(int(own[apart.argmin()]))
    return np.array(rows, dtype=np.intp)


def picture(
    objects: Any,
    measure: Any = "levenshtein",
    *,
    groups: Any = 6,
    plane: Any = "pca",
    random_state: Any = None,
    n_jobs: int | None = None,
    ax: Any = None,
) -> GroupsDisplay:
    """Draw objects so that what is alike lies together, and name groups by their medoids.

    Parameters
    ----------
    objects : objects
        At least three.
    measure : Measure, str or callable, default="levenshtein"
    groups : int or array-like of shape (n,), default=6
        How many groups k-means is to find on the map; or the group of each object, such as
        `labels_` of another clustering (−1: none), or known classes.
    plane : {"pca", "tsne"} or transformer, default="pca"
        What brings the map's features to two dimensions; its `fit_transform` is called.
    random_state : int, RandomState or Generator, optional
        Decides the landmarks, and where k-means and t-SNE begin.
    n_jobs : int, optional
        Threads or processes of the measure.
    ax : matplotlib axes, optional

    Returns
    -------
    GroupsDisplay
        With `points`, `groups`, `medoids` (rows) and `names`.

    Examples
    --------
    >>> import seamark as sm
    >>> words = ["sea", "see", "seal", "market", "mark", "marked"]
    >>> drawn = sm.picture(words, groups=2, random_state=0)
    >>> sorted(drawn.names)
    ['market', 'sea']
    """
    rng = generator(random_state)
    seeds = [int(seed) for seed in rng.integers(2**31 - 1, size=3)]
    domain = get(measure).domain
    X = domain.ingest(objects)
    if X.shape[0] < 3:
        raise ValueError(f"a picture needs at least three objects, not {X.shape[0]}.")
    few = min(PICTURE_LANDMARKS, len(np.unique(domain.groups(X))))
    bearings = LandmarkMap(measure, n_landmarks=few, random_state=seeds[0], n_jobs=n_jobs)
    features = np.asarray(bearings.fit_transform(objects), dtype=np.float64)
    if features.shape[1] < 2:  # all objects are equal, and lie on one point of the plane
        features = np.hstack([features, np.zeros_like(features)])
    with engine.blas_for(0), np.errstate(invalid="ignore"):  # equal objects have no variance
        found = _groups(features, groups, seeds[1])
        points = _plane(plane, features.shape[0], seeds[2]).fit_transform(features)
    if np.shape(points) != (features.shape[0], 2):
        raise ValueError(f"plane must give two columns, not an array of shape {np.shape(points)}.")
    rows = medoids(features, found)
    return GroupsDisplay(points, found, rows, _names(X, rows)).plot(ax)


def _groups(features: NDArray[np.float64], groups: Any, seed: int) -> NDArray[Any]:
    if np.ndim(groups) == 0:
        require_count("groups", groups)
        most = min(int(groups), len(np.unique(features, axis=0)))
        return np.asarray(KMeans(most, n_init=4, random_state=seed).fit_predict(features))
    given = np.asarray(groups)
    require_same_length(features, given)
    names, codes = np.unique(given, return_inverse=True)
    if given.dtype.kind in "iuf":
        codes = codes - int((names < 0).sum())
    if codes.max(initial=-1) >= MOST_GROUPS:
        raise ValueError(
            f"groups has {codes.max() + 1} different groups, and a picture has room to name "
            f"{MOST_GROUPS}; join some, or give −1 to objects of small ones."
        )
    return np.maximum(codes, -1)


def _plane(plane: Any, n: int, seed: int) -> Any:
    if not isinstance(plane, str):
        if not hasattr(plane, "fit_transform"):
            raise ValueError(f'plane must be "pca", "tsne" or a transformer, not {plane!r}.')
        return clone(plane)
    if plane not in ("pca", "tsne"):
        raise ValueError(f'plane must be "pca", "tsne" or a transformer, not {plane!r}.')
    if plane == "pca":
        return PCA(2, svd_solver="full")
    from sklearn.manifold import TSNE  # slow to import

    return TSNE(2, perplexity=min(30.0, (n - 1) / 3), init="pca", random_state=seed)


def _names(X: Any, rows: NDArray[np.intp]) -> list[str]:
    """Strings by themselves, other objects by their rows."""
    texts = isinstance(getattr(X, "domain", None), Strings)
    return [str(X[int(row)]) if texts else f"row {row}" for row in rows]
