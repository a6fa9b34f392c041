"""The domain of graphs: undirected, with a label on every node."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy import sparse

from .domain import Domain, Schema, Sizes, as_sequence, reject_empty
from .ragged import Ragged, offsets_of
from .vectors import require_sound

Ints = NDArray[np.int64]
SIZES = (5, 30)  # nodes of random graphs


class Graph(NamedTuple):
    """A graph as an item of a collection: pairs of node numbers, and a label for every node."""

    edges: Ints
    labels: Ints


@dataclass(frozen=True)
class Graphs(Domain):
    """Undirected graphs whose nodes have labels: whole numbers, or strings by a stable hash.

    Stored as numbers end to end: how many nodes, their labels, then pairs of nodes. Loops count,
    an edge given twice counts once; weights and directions of edges do not count.

    Examples
    --------
    >>> triangle = [(0, 1), (1, 2), (0, 2)]
    >>> X = Graphs().ingest([triangle, (triangle, ["C", "C", "O"]), ([], [7])])
    >>> X
    Ragged(3 graphs, lengths 2..10)
    >>> X[2].edges.shape, X[2].labels
    ((0, 2), array([7]))
    """

    name: ClassVar[str] = "graphs"
    one: ClassVar[str] = "graph"

    def read(self, raw: Any) -> Ragged:
        """Edge lists, (edges, labels), sparse adjacency, (adjacency, labels), networkx graphs."""
        if isinstance(raw, Ragged):
            if not isinstance(raw.domain, Graphs) or not are_sound(raw):
                raise TypeError(f"X holds {raw.domain.name}; graphs are needed.")
            return raw
        if sparse.issparse(raw) or hasattr(raw, "edges"):
            raise TypeError("X is a single graph; give a list of graphs, e.g. [x].")
        items = as_sequence(raw, self)
        reject_empty(len(items), self)
        codes = [_encoded(item, i) for i, item in enumerate(items)]
        offsets = offsets_of([len(code) for code in codes])
        return Ragged(np.concatenate(codes), offsets, self)

    def look(self, X: Any) -> Schema:
        """Graphs are all alike."""
        return Schema("graphs")

    def item(self, values: Ints) -> Graph:
        """Return the graph as edges and labels."""
        n = int(values[0])
        return Graph(values[1 + n :].reshape(-1, 2), values[1 : 1 + n])

    def draw(
        self, n: int, rng: Generator, *, like: Ragged, sizes: Sizes = None, scale: float = 1.0
    ) -> Ragged:
        """Nodes uniform in `sizes` (default 5..30), labels and edges per node as in `like`."""
        nodes, pairs = counts(like)
        labels = np.concatenate([graph.labels for graph in like])
        degree = scale * pairs.sum() / max(1, nodes.sum())
        drawn = []
        for size in rng.integers(*(sizes or SIZES), size=n, endpoint=True):
            edges = rng.integers(size, size=(round(degree * size) if size else 0, 2))
            drawn.append(Graph(edges, rng.choice(labels, size) if len(labels) else np.zeros(size)))
        return self.read(drawn)


def counts(X: Ragged) -> tuple[Ints, Ints]:
    """Return how many nodes and edges each graph has."""
    nodes: Ints = X.values[X.offsets[:-1]]
    return nodes, (X.lengths - 1 - nodes) // 2


def are_sound(X: Ragged) -> bool:
    """Whether the numbers of a Ragged are graphs: those of a file may be anything."""
    if X.values.dtype != np.int64 or X.values.ndim != 1 or (X.lengths < 1).any():
        return False
    nodes = X.values[X.offsets[:-1]]
    rest = X.lengths - 1 - nodes
    if (nodes < 0).any() or (rest < 0).any() or (rest % 2).any():
        return False
    return all(not len(g.edges) or 0 <= g.edges.min() <= g.edges.max() < len(g.labels) for g in X)


def _encoded(item: Any, i: int) -> Ints:
    """Return one graph as numbers."""
    try:
        names, edges, labels = _parts(item)
        numbers = {name: k for k, name in enumerate(names)}
        ends = np.array([[numbers[u], numbers[v]] for u, v in edges], np.int64).reshape(-1, 2)
    except (TypeError, ValueError, KeyError) as error:
        why = str(error)
        if isinstance(error, KeyError):
            why = f"an edge names the node {error.args[0]!r}, which has no label"
        raise TypeError(
            f"graph {i} is no graph ({why}); give edges as pairs of nodes, "
            "(edges, labels), a sparse adjacency matrix or a networkx graph."
        ) from None
    ends = np.unique(np.sort(ends, axis=1), axis=0)
    hashed = [_label(label, i) for label in labels]
    return np.concatenate([[len(names)], np.array(hashed, np.int64), ends.ravel()])


def _parts(item: Any) -> tuple[Sequence[Any], Iterable[Any], Sequence[Any]]:
    """Return the names of the nodes, pairs of names, and labels in the order of the names."""
    if hasattr(item, "nodes") and hasattr(item, "edges"):
        known = dict(item.nodes(data="label", default=0))
        return list(known), list(item.edges()), list(known.values())
    names: Sequence[Any]
    labels = None
    if isinstance(item, tuple) and len(item) == 2 and _are_edges(item[0]):
        item, labels = item
    if sparse.issparse(item):
        require_sound(item, "its adjacency matrix")
        if item.shape[0] != item.shape[1]:
            raise ValueError(f"its adjacency matrix has shape {item.shape}")
        found, names = sparse.coo_array(item), range(item.shape[0])
        edges = np.column_stack([ends[found.data != 0] for ends in found.coords]).tolist()
    else:
        edges = item.tolist() if isinstance(item, np.ndarray) else list(item)
        names = sorted({node for edge in edges for node in edge}) if labels is None else []
    if isinstance(labels, dict):
        return list(labels), edges, list(labels.values())
    if labels is None:
        return names, edges, [0] * len(names)
    if sparse.issparse(item) and len(labels) != len(names):
        raise ValueError(f"{len(labels)} labels for {len(names)} nodes")
    return range(len(labels)), edges, list(labels)


def has_node_labels(item: Any) -> bool:
    """Whether an object of unknown kind is a tuple of edges and the labels of nodes.

    Examples
    --------
    >>> has_node_labels(([(0, 1)], ["C", "O"])), has_node_labels(([(0, 1)], [(1, 2)]))
    (True, False)
    """
    if not (isinstance(item, tuple) and len(item) == 2):
        return False
    edges, labels = item
    pairs = _are_edges(edges)
    if isinstance(edges, np.ndarray):
        pairs = pairs and edges.shape[1] == 2
    elif pairs and not sparse.issparse(edges):
        pairs = all(len(edge) == 2 and not isinstance(edge, (str, bytes)) for edge in edges)
    if not pairs or isinstance(labels, dict):
        return pairs
    one_each = isinstance(labels, (list, tuple, np.ndarray)) and all(map(np.isscalar, labels))
    return one_each and len(labels) > 0


def _are_edges(thing: Any) -> bool:
    if sparse.issparse(thing) or isinstance(thing, np.ndarray):
        return len(thing.shape) == 2
    return isinstance(thing, (list, tuple)) and all(hasattr(edge, "__len__") for edge in thing)


def _label(label: Any, i: int) -> int:
    """Return a label as a number; those of strings are hashed, the same in every process."""
    if isinstance(label, (str, bytes)):
        data = label.encode("utf-8", "surrogatepass") if isinstance(label, str) else label
        return int.from_bytes(blake2b(data, digest_size=8).digest(), "little", signed=True)
    whole = isinstance(label, (int, np.integer, np.bool_)) or float(label).is_integer()
    if not whole or not -(2**63) <= int(label) < 2**63:
        raise ValueError(f"graph {i} has the label {label!r}; labels are whole numbers or strings.")
    return int(label)
