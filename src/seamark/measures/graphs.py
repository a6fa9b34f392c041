"""Measures of graphs: what the neighbourhoods of their nodes have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .. import engine
from ..data import Ragged, graph_counts, graphs
from ..data.hashing import mixed_bits
from ..data.ragged import runs
from ..validation import require_bounded
from .base import require_one_of, require_whole
from .ngrams import VALUES, BagMeasure, BagPlan, Bags, Values

Words = NDArray[np.uint64]
ODD, FACTOR = np.uint64(0x9E3779B97F4A7C15), np.uint64(0x94D049BB133111EB)


@dataclass(eq=False, repr=False)
class WeisfeilerLehman(BagMeasure):
    """Weisfeiler–Lehman subtree similarity: neighbourhoods that two graphs share.

    The label of every node is refined h times by those of its neighbours; what is compared is how
    often each label occurs, refined or not (Shervashidze and others, 2011). Labels are 64-bit
    hashes, the same in every process.

    Parameters
    ----------
    h : int, default=3
        Rounds of refinement: how many steps away neighbours count.
    values : {"minmax", "cosine", "dot"}, default="minmax"
        Of counts a and b: Σ min(a, b) / Σ max(a, b), Σ ab / √(Σ a² Σ b²), or Σ ab.

    Examples
    --------
    >>> path, star = [(0, 1), (1, 2), (2, 3)], [(0, 1), (0, 2), (0, 3)]
    >>> ring = [(0, 1), (1, 2), (2, 0)]
    >>> WeisfeilerLehman(h=1).cross([path, star, ring], [path]).round(2)
    array([[1.  ],
           [0.6 ],
           [0.56]], dtype=float32)
    """

    h: int = 3
    values: Values = "minmax"

    name: ClassVar[str] = "weisfeiler_lehman"
    domain = graphs

    def check_parameters(self) -> None:
        """Require a number of rounds and a way to compare counts."""
        require_bounded(type(self), vars(self))
        require_whole("h", self.h, 0)
        require_one_of("values", self.values, VALUES)

    def compile(self, L: Ragged) -> engine.Plan:
        """Turn the landmarks around: which of them have a label."""
        return BagPlan(self.bags(L), self.values, self.bags, lambda X: (self.h + 1.0) * X.lengths)

    def bags(self, X: Ragged) -> Bags:
        """Return the refined labels of each graph, counted."""
        labels, owners, sources, targets = _joined(X)
        order = np.argsort(sources, kind="stable")
        ends = np.searchsorted(sources[order], np.arange(len(labels) + 1))
        rounds = [_mixed(labels.view(np.uint64))]
        for _ in range(int(self.h)):
            # A sum of hashes knows no order of the neighbours.
            known = rounds[-1]
            around = np.append(np.uint64(0), np.cumsum(_mixed(known)[targets[order]]))
            rounds.append(_mixed(known * FACTOR + (around[ends[1:]] - around[ends[:-1]])))
        return _counted(np.concatenate(rounds), np.tile(owners, len(rounds)), len(X))


def _joined(X: Ragged) -> tuple[NDArray[np.int64], ...]:
    """Return all graphs as one: labels and graphs of nodes, and both directions of all edges."""
    nodes, edges = graph_counts(X)
    starts = X.offsets[:-1]
    labels = X.values[runs(starts + 1, nodes)[0]]
    ends = X.values[runs(starts + 1 + nodes, 2 * edges)[0]].reshape(-1, 2)
    ends = ends + np.repeat(np.cumsum(nodes) - nodes, edges)[:, None]
    back = ends[ends[:, 0] != ends[:, 1]]  # a loop has one direction
    sources, targets = np.concatenate([ends, back[:, ::-1]]).T
    return labels, np.repeat(np.arange(len(X)), nodes), sources, targets


def _mixed(words: Words) -> Words:
    """Return a hash of 64-bit numbers in which every bit depends on every bit; sums wrap around."""
    return mixed_bits(words + ODD)


def _counted(labels: Words, owners: NDArray[Any], n: int) -> Bags:
    """Return how often each label occurs in each graph."""
    order = np.lexsort([labels, owners])
    labels, owners = labels[order], owners[order]
    new = np.ones(len(labels), bool)
    new[1:] = (labels[1:] != labels[:-1]) | (owners[1:] != owners[:-1])
    first = np.flatnonzero(new)
    times = np.diff(np.append(first, len(labels))).astype(np.float32)
    offsets = np.searchsorted(owners[first], np.arange(n + 1))
    return Bags(labels[first], times, offsets.astype(np.int64))
