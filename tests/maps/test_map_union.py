"""Several maps side by side."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

import seamark as sm
from seamark.maps import MapUnion

X = np.random.default_rng(0).normal(size=(25, 4)).astype(np.float32)


def maps():
    return [
        sm.RandomFourier(n_components=6, random_state=0),
        sm.Coordinates(),
        sm.LandmarkMap("euclidean", n_landmarks=5, scale=False, random_state=1),
    ]


def test_features_stand_side_by_side():
    union = MapUnion(maps()).fit(X)
    whole = np.concatenate([one.fit(X).transform(X) for one in maps()], axis=1)
    np.testing.assert_array_equal(union.transform(X), whole)
    assert union.n_features_out_ == whole.shape[1] == len(union.get_feature_names_out())
    np.testing.assert_array_equal(union.owners(), [0] * 6 + [1] * 4 + [2] * 5)


@pytest.mark.parametrize("columns", [[14, 0, 7, 1], [7], list(range(14, -1, -1))])
def test_subsets_in_any_order(columns):
    union = MapUnion(maps()).fit(X)
    some = union.subset(np.array(columns))
    np.testing.assert_allclose(some.transform(X), union.transform(X)[:, columns], rtol=1e-5)
    names = union.get_feature_names_out()[columns]
    assert [n.split("__")[1] for n in some.get_feature_names_out()] == [
        n.split("__")[1] for n in names
    ]
    again = some.subset(np.arange(len(columns))[::-1])
    np.testing.assert_allclose(again.transform(X), union.transform(X)[:, columns[::-1]], rtol=1e-5)


def test_a_map_without_features_is_not_computed():
    some = MapUnion(maps()).fit(X).subset(np.array([12, 10]))
    with sm.engine.counting() as counter:
        some.transform(X)
    assert counter.evaluations == 2 * len(X)
    assert len(some.maps_) == 1


def test_sparse_stays_sparse():
    union = MapUnion([sm.Coordinates(), sm.Coordinates()]).fit(sparse.csr_array(X))
    assert sparse.issparse(union.block(sparse.csr_array(X)))


def test_parameters_of_the_maps_are_its_own():
    union = clone(MapUnion(maps()))
    union.set_params(**{"0__random_state": 7})
    assert union.maps[0].random_state == 7
    assert union.get_params()["0__random_state"] == 7
    with pytest.raises(ValueError, match="at least one map"):
        MapUnion([]).fit(X)
