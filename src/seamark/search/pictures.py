"""Pictures of objects, in which what is alike lies together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA

from .. import engine
from ..data import Strings
from ..maps import LandmarkMap
from ..measures import get
from ..plotting import GroupsDisplay
from ..validation import generator, require_count, require_same_length

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
    if hasattr(plane, "fit_transform"):
        return clone(plane)
    if plane == "pca":
        return PCA(2, svd_solver="full")
    if plane == "tsne":
        from sklearn.manifold import TSNE  # slow to import

        return TSNE(2, perplexity=min(30.0, (n - 1) / 3), init="pca", random_state=seed)
    raise ValueError(f'plane must be "pca", "tsne" or a transformer, not {plane!r}.')


def _names(X: Any, rows: NDArray[np.intp]) -> list[str]:
    """Strings by themselves, other objects by their rows."""
    texts = isinstance(getattr(X, "domain", None), Strings)
    return [str(X[int(row)]) if texts else f"row {row}" for row in rows]
