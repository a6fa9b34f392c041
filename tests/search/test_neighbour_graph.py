"""The graph of neighbours is scikit-learn's, under any measure."""

import numpy as np
import pytest
from sklearn.cluster import DBSCAN, SpectralClustering
from sklearn.neighbors import NearestNeighbors

import seamark as sm

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3))


@pytest.mark.parametrize("mode", ["connectivity", "distance"])
@pytest.mark.parametrize("queries", [None, X[:7] + 0.1])
def test_it_is_the_graph_of_scikit_learn(mode, queries):
    index = sm.Index("euclidean").fit(X)
    found = index.kneighbors_graph(queries, 4, mode)
    theirs = NearestNeighbors(n_neighbors=4).fit(X).kneighbors_graph(queries, mode=mode)
    assert found.format == "csr"
    np.testing.assert_allclose(found.toarray(), theirs.toarray(), atol=1e-5)
    assert (np.diff(found.indptr) == 4).all()


def test_copies_are_neighbours_and_no_object_is_its_own():
    words = ["sea", "sea", "sea", "sea", "mark"]
    graph = sm.Index("levenshtein").fit(words).kneighbors_graph(n_neighbors=2, mode="distance")
    assert graph.nnz == 10
    assert (graph.indices.reshape(5, 2) != np.arange(5)[:, None]).all()
    np.testing.assert_array_equal(graph.data.reshape(5, 2)[:4], 0)


# DBSCAN writes the diagonal into its copy of the graph, which with scipy 1.15 leaves it unsorted.
@pytest.mark.filterwarnings("ignore:Precomputed sparse input was not sorted")
def test_similarities_become_distances_and_clusterings_take_them():
    words = ["anna", "hanna", "anne", "hanne", "otto", "lotto", "ottos", "lottos"]
    graph = sm.Index("jaro_winkler").fit(words).kneighbors_graph(n_neighbors=3, mode="distance")
    values = 1 - sm.cross("jaro_winkler", words)
    rows, columns = graph.nonzero()
    np.testing.assert_allclose(graph[rows, columns].A1, values[rows, columns], atol=1e-6)
    groups = DBSCAN(eps=0.35, min_samples=2, metric="precomputed").fit_predict(graph)
    assert groups.tolist() == [0] * 4 + [1] * 4
    joint = sm.Index("levenshtein").fit(words).kneighbors_graph(n_neighbors=5)
    model = SpectralClustering(2, affinity="precomputed", random_state=0)
    found = model.fit_predict((joint + joint.T) / 2)
    assert len(set(found[:4])) == len(set(found[4:])) == 1
    assert found[0] != found[4]


def test_removed_objects_have_no_column():
    index = sm.Index("levenshtein").fit(["a", "ab", "abc", "x"]).remove([1])
    graph = index.kneighbors_graph(["ab"], 1)
    assert graph.shape == (1, 3)
    assert index.ids_[graph.indices[0]] in (0, 2)


def test_what_makes_no_sense_is_said():
    index = sm.Index("euclidean").fit(X[:5])
    with pytest.raises(ValueError, match="n_neighbors=5 asks for more than the 5 objects"):
        index.kneighbors_graph(n_neighbors=5)
    with pytest.raises(ValueError, match='mode must be "connectivity" or "distance"'):
        index.kneighbors_graph(n_neighbors=2, mode="far")
    with pytest.raises(ValueError, match="without a largest value"):
        sm.Index("linear").fit(X[:5]).kneighbors_graph(n_neighbors=2, mode="distance")


def test_objects_come_with_their_ids():
    words = ["anna", "hanna", "otto"]
    index = sm.Index("levenshtein").fit(words)
    values, ids, objects = index.query(["hann", "ott"], k=2, return_objects=True)
    assert [[words[i] for i in row] for row in ids] == objects
    assert values.shape == (2, 2)
    assert index.query("hann", k=2, return_objects=True)[2] == objects[0]
