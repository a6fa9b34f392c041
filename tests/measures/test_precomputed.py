"""Matrices instead of objects: square, and n × R."""

import numpy as np
import pytest

import seamark as sm
from seamark.checks import check_measure
from seamark.measures import Columns, Euclidean, Precomputed


@pytest.fixture
def K(rng):
    return rng.normal(size=(6, 6))


def test_square_gives_itself_or_columns(K):
    np.testing.assert_array_equal(sm.cross("precomputed", K), K.astype(np.float32))
    np.testing.assert_array_equal(Precomputed().cross(K, [4, 1]), K[:, [4, 1]].astype(np.float32))
    np.testing.assert_array_equal(Precomputed().cross(K, [-1]), K[:, [5]].astype(np.float32))


def test_square_wants_a_square_rectangular_does_not(K):
    with pytest.raises(ValueError, match=r"X is 6 × 3; .*square=False"):
        Precomputed().cross(K[:, :3])
    assert Precomputed(square=False).cross(K[:, :3]).shape == (6, 3)


def test_pairwise_tag_only_for_square():
    assert Precomputed().__sklearn_tags__().input_tags.pairwise is True
    assert Precomputed(square=False).__sklearn_tags__().input_tags.pairwise is False


def test_new_rows_with_all_columns_or_just_the_chosen(K):
    measure = Precomputed()
    landmarks = measure.domain.landmarks(K, np.array([2, 5]))
    assert isinstance(landmarks, Columns)
    plan = measure.compile(landmarks)
    all_columns = sm.engine.run(plan, K[:2])
    chosen_only = sm.engine.run(plan, K[:2, [2, 5]])
    np.testing.assert_array_equal(all_columns, chosen_only)
    with pytest.raises(ValueError, match="X has 4 columns; give all 6 .* or exactly the 2"):
        sm.engine.run(plan, K[:2, :4])


@pytest.mark.parametrize(
    ("L", "error", "message"),
    [
        ([7], IndexError, "column 7 is out of range"),
        ([0.5], TypeError, "column numbers"),
        (np.eye(6), TypeError, "column numbers, such as"),
    ],
)
def test_bad_columns_are_named(K, L, error, message):
    with pytest.raises(error, match=message):
        Precomputed().cross(K, L)


def test_nan_in_the_matrix_is_named(K):
    K[3, 2] = np.nan
    with pytest.raises(ValueError, match="NaN: row 3 "):
        Precomputed().cross(K)


def test_kind_is_unknown_unless_said():
    assert Precomputed().kind is None
    assert Precomputed(kind="distance").kind == "distance"
    with pytest.raises(ValueError, match="kind must be"):
        Precomputed(kind="metric").cross(np.eye(2))


def test_keeps_the_promises_of_measures(rng):
    D = Euclidean().cross(rng.normal(size=(9, 2)))
    check_measure(Precomputed(kind="distance", symmetric=True), D)
    check_measure(Precomputed(kind="similarity", symmetric=False), rng.normal(size=(9, 9)))
    with pytest.raises(TypeError, match="only a square"):
        Precomputed().self_values(D[:, :4])
