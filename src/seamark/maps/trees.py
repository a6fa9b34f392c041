"""Decision trees as plain arrays: which leaf a row falls into, and what leaves say."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from ..bounds import BOUNDS

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]

MOST_ASKED = 50  # columns that a node of numbers may choose among, where there are many


@dataclass(frozen=True, eq=False)
class Trees:
    """Trees one after another: a row starts at a root and goes left where its number is no larger.

    Attributes
    ----------
    roots : ndarray of int32
        Where each tree begins.
    columns, thresholds : ndarray of shape (number of nodes,)
        What a node asks; in a leaf the column is −1.
    left, right : ndarray of int32
        Children, which come later than their parent. In a leaf `left` is its place in `said`.
    said : ndarray of shape (number of leaves, T), float32
        What a leaf says of the rows in it.

    Examples
    --------
    >>> one = Trees(
    ...     roots=np.array([0], np.int32),
    ...     columns=np.array([1, -1, -1], np.int32),
    ...     thresholds=np.array([0.5, 0, 0], np.float32),
    ...     left=np.array([1, 0, 1], np.int32),
    ...     right=np.array([2, 0, 0], np.int32),
    ...     said=np.array([[-1], [1]], np.float32),
    ... )
    >>> one.mean(np.array([[9.0, 0.4], [9.0, 0.6]], np.float32)).ravel()
    array([-1.,  1.], dtype=float32)
    """

    roots: Ints
    columns: Ints
    thresholds: Floats
    left: Ints
    right: Ints
    said: Floats

    @classmethod
    def of(cls, fitted: list[Any], n_classes: int) -> Trees:
        """Take over scikit-learn's trees.

        Parameters
        ----------
        fitted : list of DecisionTreeClassifier or DecisionTreeRegressor
        n_classes : int
            Leaves say how likely each of these classes is; of two, the second. 0: numbers.
        """
        trees = [one.tree_ for one in fitted]
        firsts = np.cumsum([0, *(tree.node_count for tree in trees)])
        left = np.concatenate(
            [tree.children_left + first for tree, first in zip(trees, firsts, strict=False)]
        )
        right = np.concatenate(
            [tree.children_right + first for tree, first in zip(trees, firsts, strict=False)]
        )
        columns = np.concatenate([tree.feature for tree in trees])
        is_leaf = columns < 0
        left[is_leaf], right[is_leaf] = np.arange(is_leaf.sum()), 0
        said = np.concatenate([_values(one, n_classes) for one in fitted])
        thresholds = np.concatenate([tree.threshold for tree in trees])
        return cls(
            firsts[:-1].astype(np.int32),
            np.maximum(columns, -1).astype(np.int32),
            _rounded_down(np.where(is_leaf, 0.0, thresholds)),
            left.astype(np.int32),
            right.astype(np.int32),
            said.astype(np.float32),
        )

    def some(self, which: NDArray[np.bool_]) -> Trees:
        """Return some of the trees."""
        return replace(self, roots=self.roots[which])

    def saying(self, columns: NDArray[np.intp]) -> Trees:
        """Return the trees, whose leaves say only some of what they say."""
        return replace(self, said=np.ascontiguousarray(self.said[:, columns]))

    def leaves(self, X: Floats) -> Ints:
        """Return the leaf, a place in `said`, of each row in each tree: (n, number of trees)."""
        n = len(X)
        at = np.tile(self.roots, n)
        rows = np.repeat(np.arange(n), len(self.roots))
        moving = np.flatnonzero(self.columns[at] >= 0)
        while len(moving):
            here = at[moving]
            larger = X[rows[moving], self.columns[here]] > self.thresholds[here]
            here = np.where(larger, self.right[here], self.left[here])
            at[moving] = here
            moving = moving[self.columns[here] >= 0]
        return self.left[at].reshape(n, -1)

    def mean(self, X: Floats) -> Floats:
        """Return what all trees say of each row, on average: (n, T)."""
        return np.asarray(self.said[self.leaves(X)].mean(axis=1, dtype=np.float32))


def _values(one: Any, n_classes: int) -> NDArray[np.float64]:
    """Return what the leaves of a tree say: (number of leaves, T)."""
    value: NDArray[np.float64] = one.tree_.value[one.tree_.feature < 0]
    if n_classes == 0:
        return value[:, :, 0]
    every = np.zeros((len(value), n_classes))
    every[:, one.classes_] = value[:, 0]  # a class may be missing among a tree's rows
    return every[:, 1:] if n_classes == 2 else every


def _rounded_down(numbers: NDArray[np.float64]) -> Floats:
    """Return the next float32 that is no larger: float32 compare with it as with the number."""
    near = numbers.astype(np.float32)
    return np.where(near > numbers, np.nextafter(near, np.float32(-np.inf)), near)


def grown(X: Floats, y: NDArray[Any], seed: int) -> Any:
    """Return scikit-learn's tree with random thresholds: of classes, or of (n, T) numbers."""
    d = X.shape[1]
    some, kind = int(np.sqrt(d)), DecisionTreeClassifier
    if y.dtype.kind == "f":
        some, kind = max(1, some, min(d // 3, MOST_ASKED)), DecisionTreeRegressor
    deepest = BOUNDS["Trees"]["depth"]
    tree = kind(max_features=some, splitter="random", max_depth=deepest, random_state=seed)
    return tree.fit(X, y, check_input=False)
