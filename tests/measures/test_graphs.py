"""Weisfeiler–Lehman against labels refined by hand, and graphs in all the forms people have."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import seamark as sm
from seamark.data import Graph, Graphs, Ragged, graphs, strings
from seamark.engine.backends import backends
from seamark.measures import WeisfeilerLehman

TRIANGLE = [(0, 1), (1, 2), (0, 2)]


def refined(edges, labels, h):
    """Textbook: a new label is the old one and the sorted labels of the neighbours."""
    near = {u: set() for u in range(len(labels))}
    for u, v in edges:
        near[u].add(v)
        near[v].add(u)
    labels = list(labels)
    found = Counter(labels)
    for _ in range(h):
        labels = [(labels[u], tuple(sorted((labels[v] for v in near[u]), key=repr))) for u in near]
        found.update(labels)
    return found


def similarity(a, b, h, values):
    a, b = refined(*a, h), refined(*b, h)
    both = set(a) | set(b)
    if values == "minmax":
        return sum(min(a[k], b[k]) for k in both) / max(1, sum(max(a[k], b[k]) for k in both))
    product = sum(a[k] * b[k] for k in both)
    sizes = (sum(v * v for v in a.values()) * sum(v * v for v in b.values())) ** 0.5
    return product if values == "dot" else product / sizes if sizes else 0.0


@st.composite
def graph(draw):
    n = draw(st.integers(0, 6))
    nodes = st.integers(0, max(0, n - 1))
    edges = draw(st.lists(st.tuples(nodes, nodes), max_size=9)) if n else []
    return edges, draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))


@settings(max_examples=40, deadline=None)
@given(
    X=st.lists(graph(), min_size=1, max_size=4),
    L=st.lists(graph(), min_size=1, max_size=4),
    h=st.integers(0, 4),
    values=st.sampled_from(["minmax", "cosine", "dot"]),
)
def test_equals_refinement_by_hand(X, L, h, values):
    expected = [[similarity(x, other, h, values) for other in L] for x in X]
    for name in backends():
        with sm.engine.using(name):
            got = WeisfeilerLehman(h, values).cross(X, L)
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-7)


def test_numbering_does_not_matter(rng):
    edges, labels = rng.integers(12, size=(20, 2)), rng.integers(3, size=12)
    order = rng.permutation(12)
    again = np.argsort(order)[edges], labels[order]
    assert WeisfeilerLehman(5).cross([(edges, labels)], [again])[0, 0] == 1


def test_labels_are_the_same_in_every_process():
    bags = WeisfeilerLehman(1).bags(graphs.ingest([([(0, 1)], ["C", "O"])]))
    assert [int(label) % 10**6 for label in bags.things] == [
        912930,
        277894,
        384540,
        837110,
    ]


def test_forms_of_one_graph():
    edges, labels = [(0, 1), (1, 2)], ["C", "C", "O"]
    adjacency = sparse.csr_array(([1, 1, 1], ([0, 1, 2], [1, 2, 1])), shape=(3, 3))
    forms = [
        (edges, labels),
        ([(1, 0), (2, 1), (1, 2)], labels),
        ([("x", "y"), ("y", "z")], {"x": "C", "y": "C", "z": "O"}),
        (adjacency, labels),
        (np.array(edges), np.array(labels)),
        Graph(*graphs.ingest([(edges, labels)])[0]),
    ]
    X = graphs.ingest(forms)
    assert len(set(graphs.groups(X).tolist())) == 1
    plain = graphs.ingest([edges, adjacency, ([(0, 1), (1, 2)], [0, 0, 0])])
    assert graphs.groups(plain).tolist() == [0, 0, 0]


def test_networkx():
    networkx = pytest.importorskip("networkx")
    path = networkx.path_graph(3)
    labelled = networkx.Graph([("x", "y")])
    labelled.add_node("x", label="C")
    labelled.add_node("y", label="O")
    X = graphs.ingest([path, [(0, 1), (1, 2)], labelled, ([(0, 1)], ["C", "O"])])
    assert graphs.groups(X).tolist() == [0, 0, 1, 1]


def test_isolated_nodes_and_no_nodes():
    X = graphs.ingest([([], [1, 1]), ([], []), sparse.csr_array((2, 2))])
    assert [len(g.labels) for g in X] == [2, 0, 2]
    np.testing.assert_allclose(
        WeisfeilerLehman(1).cross(X).round(3), [[1, 0, 0], [0, 0, 0], [0, 0, 1]]
    )


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (sparse.eye_array(3, format="csr"), "single graph"),
        ([TRIANGLE, 3], "graph 1 is no graph"),
        ([[(0, 1, 2)]], "graph 0 is no graph"),
        ([([(0, 5)], [1, 1])], "names the node 5, which has no label"),
        ([(TRIANGLE, [0.5, 1, 1])], "graph 0 has the label 0.5"),
        ([sparse.csr_array((2, 3))], r"graph 0 is no graph .*shape \(2, 3\)"),
        ([(sparse.csr_array((2, 2)), [1])], "1 labels for 2 nodes"),
        ([], "empty"),
        (strings.ingest(["sea"]), "X holds strings; graphs are needed"),
        (Ragged(np.array([9, 1]), np.array([0, 2]), Graphs()), "graphs are needed"),
    ],
)
def test_what_is_no_graph_is_named(raw, message):
    with pytest.raises((TypeError, ValueError), match=message):
        WeisfeilerLehman().cross(raw)


@pytest.mark.parametrize(
    ("parameters", "message"), [({"h": -1}, "h must be"), ({"values": "max"}, "values must be")]
)
def test_refused_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        WeisfeilerLehman(**parameters).cross([TRIANGLE])


def test_a_model_of_graphs(rng, tmp_path):
    def ring(n, chords):
        edges = [(i, (i + 1) % n) for i in range(n)]
        return edges + [tuple(rng.integers(n, size=2)) for _ in range(chords)]

    X = [ring(int(rng.integers(6, 12)), 2 * (i % 2)) for i in range(40)]
    y = np.arange(40) % 2
    model = sm.LandmarkClassifier(WeisfeilerLehman(), n_landmarks=15, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.9
    sm.save(model, tmp_path / "m")
    assert (sm.load(tmp_path / "m").predict(X) == model.predict(X)).all()
    drawn = graphs.draw(5, rng, like=graphs.ingest(X))
    assert all(5 <= len(g.labels) <= 30 for g in drawn)


def test_graphs_of_a_data_folder(tmp_path):
    folder = tmp_path / "graphs"
    folder.mkdir()
    np.savez(
        folder / "two.npz",
        node_offsets=[0, 3, 4],
        node_labels=[1, 1, 2, 7],
        edges=np.array([[0, 1], [1, 2]]),
        edge_offsets=[0, 2, 2],
        y=[0, 1],
    )
    found = sm.datasets.load("graphs/two", folder=tmp_path)
    assert [g.labels.tolist() for g in found.data] == [[1, 1, 2], [7]]
    assert [g.edges.tolist() for g in found.data] == [[[0, 1], [1, 2]], []]
    assert found.target.tolist() == [0, 1]
