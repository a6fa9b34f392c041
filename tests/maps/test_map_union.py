"""Several maps side by side."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

import seamark as sm
from seamark.data import groups
from seamark.data.tables import Bundle
from seamark.maps import MapUnion

X = np.random.default_rng(0).normal(size=(25, 4)).astype(np.float32)


def maps():
    return [
        sm.RandomFourier(n_components=6, random_state=0),
        sm.Coordinates(),
        sm.LandmarkMap("euclidean", n_landmarks=5, scale=False, random_state=1),
    ]


UNION = MapUnion(maps()).fit(X)


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


@given(st.lists(st.integers(0, 14), min_size=1, max_size=15, unique=True), st.data())
def test_subsets_of_subsets_keep_features_names_and_sources(columns, data):
    union = UNION.subset(np.array(columns))
    inner = data.draw(st.lists(st.sampled_from(range(len(columns))), min_size=1, unique=True))
    some = union.subset(np.array(inner))
    wanted = np.array(columns)[inner]
    np.testing.assert_allclose(some.transform(X), UNION.transform(X)[:, wanted], rtol=1e-5)
    hidden = np.arange(12)
    left = UNION.columns_without(hidden)
    allowed = np.isin(wanted, np.arange(15) if left is None else left)
    found = some.columns_without(hidden)
    if not allowed.any():  # rather what is hidden than nothing
        assert found is None
    else:
        found = np.arange(len(wanted)) if found is None else found
        np.testing.assert_array_equal(found, np.flatnonzero(allowed))
    order = some.feature_order
    assert sorted(order) == list(range(len(wanted)))
    assert len(some.blocks_) == len(set(np.digitize(wanted, [6, 10])))


def test_a_block_whose_landmarks_are_all_hidden_is_left_out_beside_others():
    union = MapUnion([maps()[1], maps()[2]]).fit(X)
    rows = union.maps_[1].landmark_sources_
    assert union.maps_[1].columns_without(rows) is None  # there is nothing else by itself
    np.testing.assert_array_equal(union.columns_without(rows), np.arange(4))


def test_rows_of_a_bundle_are_equal_if_all_parts_are():
    rng = np.random.default_rng(0)
    first, second = rng.integers(3, size=(40, 1)), rng.integers(2, size=(40, 1))
    bundle = Bundle([first.astype(float), second.astype(float)])
    found = bundle.groups([groups, groups])
    pairs = list(zip(first[:, 0], second[:, 0], strict=True))
    np.testing.assert_array_equal(found[:, None] == found, [[a == b for b in pairs] for a in pairs])
    assert found[0] == 0
    assert bundle[3] == (first[3], second[3])
    assert bundle[[3, 1]].shape == (2,)


@pytest.mark.parametrize("columns", [[None], [None] * 4])
def test_columns_are_said_for_every_map(columns):
    with pytest.raises(ValueError, match="there are 3 maps and . entries of columns"):
        MapUnion(maps(), columns).fit(X)


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
