"""Subsets of a landmark map over several measures: each measure has landmarks of its own."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

import seamark as sm
from seamark.maps import CachedFeatures

WORDS = ["sea", "tea", "mark", "bark", "marker", "seaman", "remark", "market"] * 3
MEASURES = ["levenshtein", sm.measures.Custom(lambda a, b: abs(len(a) - len(b)), kind="distance")]


@pytest.fixture
def whole():
    return sm.LandmarkMap(MEASURES, n_landmarks=6, random_state=0).fit(WORDS)


@pytest.mark.parametrize("columns", [[11, 2, 0, 7], [3], [8, 6], list(range(11, -1, -1))])
def test_subset_has_these_features_and_evaluates_no_others(whole, columns):
    some = whole.subset(np.array(columns))
    with sm.engine.counting() as counter:
        features = some.transform(WORDS)
    np.testing.assert_allclose(features, whole.transform(WORDS)[:, columns], rtol=1e-5)
    assert counter.evaluations == len(WORDS) * len(columns)
    assert some.get_feature_names_out().tolist() == whole.get_feature_names_out()[columns].tolist()
    np.testing.assert_array_equal(some.cells // some.n_landmarks_, np.array(columns) // 6)


def test_subset_of_a_subset(whole):
    some = whole.subset(np.array([11, 2, 0, 7])).subset(np.array([2, 0]))
    np.testing.assert_allclose(some.transform(WORDS), whole.transform(WORDS)[:, [0, 11]], rtol=1e-5)
    assert some.landmarks_.shape[0] <= 2


def test_columns_of_hidden_landmarks(whole):
    some = whole.subset(np.array([11, 2, 0, 7]))
    hidden = whole.landmark_indices_[[2]]
    assert some.columns_without(hidden).tolist() == [0, 2, 3]


def test_subset_is_read_in_blocks_and_pickled(whole):
    some = clone(whole).set_params(scale=False).fit(WORDS).subset(np.array([9, 1]))
    X = some.ingest(WORDS)
    (_, block), *rest = CachedFeatures(some, X).chunks()
    assert not rest
    np.testing.assert_array_equal(block, some.transform(WORDS))
    measures = ["levenshtein", 0.5 * sm.measures.get("levenshtein")]
    plain = sm.LandmarkMap(measures, n_landmarks=4, random_state=0).fit(WORDS)
    plain = plain.subset(np.array([7, 0]))
    copy = pickle.loads(pickle.dumps(plain))
    np.testing.assert_array_equal(copy.transform(WORDS), plain.transform(WORDS))
