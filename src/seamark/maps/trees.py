"""Decision trees as small arrays: which leaf a row falls into, and the values of leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..engine import backend, side_by_side
from ..engine.lapack import tiles

Codes = NDArray[np.uint16]
Floats32 = NDArray[np.float32]
Numbers = NDArray[np.float64]

MOST_LEVELS = 1000  # of a column: finer thresholds told no more
ALL_LEVELS, FEWEST_LEVELS = 100_000, 32  # of all columns together, if these are many; of each
ROWS_AT_ONCE = 2048  # whose codes stay in cache from the first tree to the last
HASH_FACTORS = np.random.default_rng(1).integers(2**63, size=2**12, dtype=np.uint64) * 2 + 1


@dataclass(frozen=True, eq=False)
class Levels:
    """Levels of columns: a number becomes its place among the cuts between them.

    Attributes
    ----------
    cuts : ndarray of shape (number of cuts,), float64
        Halfway between neighbouring levels, rising within a column; column after column.
    offsets : ndarray of shape (d + 1,), int64
        Where the cuts of each column begin.

    Examples
    --------
    >>> levels = Levels.of(np.array([[1.0], [3.0], [3.0], [9.0]]))[0]
    >>> levels.codes(np.array([[0.0], [2.0], [2.1], [7.0]])).ravel()
    array([0, 0, 1, 2], dtype=uint16)
    """

    cuts: Numbers
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, X: Numbers) -> tuple[Self, list[Numbers]]:
        """Return the levels of columns, and the number that stands for each of them.

        Every different number is a level; of very many, quantiles are.
        """
        most = int(np.clip(ALL_LEVELS // max(1, X.shape[1]), FEWEST_LEVELS, MOST_LEVELS))
        places = (np.arange(most) + 0.5) / most
        numbers = [np.unique(column) for column in X.T]
        for j, column in enumerate(X.T):
            if len(numbers[j]) > most:
                numbers[j] = np.unique(np.quantile(column, places, method="nearest"))
        cuts = [known[:-1] + (known[1:] - known[:-1]) / 2 for known in numbers]
        offsets = np.cumsum([0, *map(len, cuts)], dtype=np.int64)
        return cls(np.concatenate([np.empty(0), *cuts]), offsets), numbers

    def codes(self, X: Numbers) -> Codes:
        """Return the number of each entry's level within its column."""
        found = np.empty(X.shape, dtype=np.uint16)
        for j, (start, stop) in enumerate(zip(self.offsets[:-1], self.offsets[1:], strict=True)):
            found[:, j] = np.searchsorted(self.cuts[start:stop], X[:, j])
        return found


@dataclass(frozen=True, eq=False)
class Trees:
    """Trees one after another: a row goes left where its code is no larger than the threshold.

    The nodes of a tree stand level by level, so that the children of its k-th node that is not a
    leaf are its nodes 2k + 1 and 2k + 2: no number says where they are.

    Attributes
    ----------
    sizes : ndarray of shape (number of trees,), int32
        Nodes of each tree.
    columns : ndarray of shape (number of nodes,), int
        Column that a node looks at; −1 in a leaf.
    thresholds : ndarray of shape (number of nodes that are no leaves,), uint16
    leaves : ndarray of shape (number of leaves,), unsigned int
        Place of each leaf's values in `values`: most leaves share theirs with others.
    values : ndarray of shape (l, T), float16
        Different values of leaves: the mean of the targets there.

    Examples
    --------
    >>> tree = Trees(
    ...     sizes=np.array([3], np.int32),
    ...     columns=np.array([1, -1, -1], np.int8),
    ...     thresholds=np.array([4], np.uint16),
    ...     leaves=np.array([0, 1], np.uint8),
    ...     values=np.array([[-1], [1]], np.float16),
    ... )
    >>> tree.mean(np.array([[9, 4], [9, 5]], np.uint16)).ravel()
    array([-1.,  1.], dtype=float32)
    """

    sizes: NDArray[np.int32]
    columns: NDArray[Any]
    thresholds: Codes
    leaves: NDArray[Any]
    values: NDArray[np.float16]

    @classmethod
    def joined(cls, trees: Sequence[Trees]) -> Self:
        """Return several as one; leaves with equal values share them."""
        every = np.concatenate([one.values for one in trees])
        values, places = _different(every)
        starts = np.cumsum([0, *(len(one.values) for one in trees)])
        leaves = [
            places[start + one.leaves.astype(np.intp)]
            for one, start in zip(trees, starts, strict=False)
        ]
        return cls(
            np.concatenate([one.sizes for one in trees]),
            np.concatenate([one.columns for one in trees]),
            np.concatenate([one.thresholds for one in trees]),
            np.concatenate(leaves).astype(_smallest_unsigned(len(values))),
            values,
        )

    @classmethod
    def of(cls, tree: Any, values: Numbers, levels: Sequence[Numbers]) -> Self:
        """Take over a tree of scikit-learn.

        Parameters
        ----------
        tree : sklearn.tree._tree.Tree
            Grown on numbers that stand for levels.
        values : ndarray of shape (number of nodes, T)
        levels : list of ndarray
            For each column these numbers, rising.
        """
        columns, left, right = tree.feature, tree.children_left, tree.children_right
        level, parts = np.zeros(1, dtype=np.intp), []
        while len(level):
            parts.append(level)
            inner = level[columns[level] >= 0]
            level = np.stack([left[inner], right[inner]], axis=1).ravel()
        order = np.concatenate(parts)
        asked = columns[order]
        inner = asked >= 0
        limits, thresholds = tree.threshold[order[inner]], np.empty(inner.sum(), dtype=np.uint16)
        for column in np.unique(asked[inner]):
            own = asked[inner] == column
            # One level at least lies on either side of every threshold.
            thresholds[own] = np.searchsorted(levels[column], limits[own], side="right") - 1
        different, places = _different(values[order[~inner]].astype(np.float16))
        return cls(
            np.array([len(order)], dtype=np.int32),
            np.where(inner, asked, -1).astype(np.min_scalar_type(-len(levels) - 1)),
            thresholds,
            places.astype(_smallest_unsigned(len(different))),
            different,
        )

    @classmethod
    def all_of(
        cls, trees: Sequence[Any], values: Sequence[Numbers], levels: Sequence[Numbers]
    ) -> Self:
        """Take over several trees, and join them; see `of`."""
        return cls.joined([cls.of(*tree, levels) for tree in zip(trees, values, strict=True)])

    def of_columns(self, columns: NDArray[np.intp]) -> Self:
        """Return the trees with some of the columns of their values."""
        return replace(self, values=np.ascontiguousarray(self.values[:, columns]))

    def mean(self, codes: Codes) -> Floats32:
        """Return the mean of the values of all trees for each row of codes: (n, T)."""
        if len(codes) <= ROWS_AT_ONCE:
            return self._mean_of_rows(codes)
        rows = tiles(0, len(codes), ROWS_AT_ONCE)
        parts = side_by_side(self._mean_of_rows, [codes[some] for some in rows])
        return np.concatenate(parts)

    def _mean_of_rows(self, codes: Codes) -> Floats32:
        out = np.empty((len(codes), self.values.shape[1]), dtype=np.float32)
        self._plan.run(np.ascontiguousarray(codes), out)
        return out

    def by_column(self, codes: Codes, weights: NDArray[Any]) -> tuple[Numbers, Numbers]:
        """Return what the roots say of each row, (n,), and what columns add to that, (n, d).

        A step from a node to its child adds the difference of what these say to the column that
        the node looks at; a node says the mean of the leaves below it. Values count with the
        weights (n, T) of a row, and trees all alike.
        """
        roots, children, columns, thresholds, _ = self._nodes
        means = self._node_means()
        constant = np.einsum("nt,t->n", weights, means[roots].mean(axis=0))
        added = np.zeros(codes.shape)
        at = np.tile(roots, len(codes))
        rows = np.repeat(np.arange(len(codes)), len(roots))
        while len(at):
            inner = children[at] >= 0
            at, rows = at[inner], rows[inner]
            asked = columns[at]
            child = children[at] + (codes[rows, asked] > thresholds[at])
            steps = ((means[child] - means[at]) * weights[rows]).sum(axis=1)
            np.add.at(added, (rows, asked), steps)
            at = child
        return constant, added / len(roots)

    def _node_means(self) -> Numbers:
        """Return the mean of the leaves below each node: (number of nodes, T)."""
        roots, children, _, _, leaves = self._nodes
        means: Numbers = self.values[leaves].astype(np.float64)
        n_leaves = (children < 0).astype(np.float64)
        levels = [roots]
        while len(levels[-1]):
            inner = levels[-1] = levels[-1][children[levels[-1]] >= 0]
            levels.append(np.concatenate([children[inner], children[inner] + 1]))
        for inner in reversed(levels):  # children before parents
            left, right = children[inner], children[inner] + 1
            n_leaves[inner] = n_leaves[left] + n_leaves[right]
            share = (n_leaves[left] / n_leaves[inner])[:, None]
            means[inner] = share * means[left] + (1.0 - share) * means[right]
        return means

    @cached_property
    def _plan(self) -> Any:
        """The trees, compiled for a kernel."""
        return backend().trees(*self._nodes, self.values.astype(np.float32))

    @property
    def _nodes(self) -> tuple[NDArray[Any], ...]:
        """Roots; and of every node its left child, column, threshold, and the place of its values.

        The right child follows the left one; a leaf has -1.
        """
        inner = self.columns >= 0
        roots = np.cumsum([0, *self.sizes[:-1]], dtype=np.int64)
        tree = np.repeat(np.arange(len(self.sizes)), self.sizes)
        before: NDArray[np.intp] = (
            np.cumsum(inner) - inner
        )  # inner nodes before a node, in all trees
        own = before - before[roots][tree]
        children = np.where(inner, roots[tree] + 2 * own + 1, -1).astype(np.int32)
        thresholds = np.zeros(len(inner), dtype=np.uint16)
        thresholds[inner] = self.thresholds
        leaves = np.zeros(len(inner), dtype=np.int32)
        leaves[~inner] = self.leaves
        columns = np.maximum(self.columns, 0).astype(np.int32)
        return roots, children, columns, thresholds, leaves

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_plan"}


def _different(rows: NDArray[np.float16]) -> tuple[NDArray[np.float16], NDArray[np.intp]]:
    """Return the different ones among rows of values, and where each row is among them."""
    bits = np.ascontiguousarray(rows + np.float16(0)).view(np.uint16).astype(np.uint64)
    factors = np.resize(HASH_FACTORS, rows.shape[1])
    hashes = (bits + np.uint64(1)) @ factors  # sums wrap around
    _, first, places = np.unique(hashes, return_index=True, return_inverse=True)
    return rows[first], places.ravel()


def _smallest_unsigned(n: int) -> np.dtype[Any]:
    """Return the smallest type of whole numbers from 0 to n − 1."""
    return np.min_scalar_type(max(0, n - 1))
