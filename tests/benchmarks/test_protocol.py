"""Steps of the papers' protocols: scaling, bins, splits, errors."""

import numpy as np
from benchmarks.tables import protocol, table_5_1


def test_scaling_reaches_both_ends_and_survives_constants():
    scaled = protocol.to_unit(np.array([[0, 7], [50, 7], [200, 7]], dtype=np.uint8))
    np.testing.assert_allclose(scaled, [[0, 0], [0.25, 0], [1, 0]])
    np.testing.assert_allclose(protocol.to_unit([3, 5, 4]), [0, 1, 0.5])
    np.testing.assert_allclose(protocol.standardised([[1, 4], [3, 4]]), [[-1, 0], [1, 0]])

    assert protocol.by_largest([-4, 2, 1]).tolist() == [-1, 0.5, 0.25]
    assert protocol.by_largest([0, 0]).tolist() == [0, 0]


def test_regression_predicts_density_and_divides_by_the_largest(tmp_path):
    (tmp_path / "tabular").mkdir()
    X = np.array([[1.0, 2.0], [1.25, 4.0]])
    np.savez(tmp_path / "tabular" / "bodyfat.npz", X=X, y=np.array([8.0, 9.0]))
    row = next(row for row in table_5_1.regression().rows if row.name == "Bodyfat, sigmoid")
    problem = table_5_1.load_regression(row, tmp_path)
    np.testing.assert_allclose(problem.y, [0.8, 1.0])
    np.testing.assert_allclose(problem.X, [[-1, -1], [1, 1]])


def test_bins_are_equally_filled_and_ties_stay_together(rng):
    labels = protocol.equal_frequency(rng.permutation(1000), 10)
    np.testing.assert_array_equal(np.bincount(labels)[1:], np.full(10, 100))
    assert protocol.equal_frequency([0, 0, 0, 1, 2, 3], 2).tolist() == [1, 1, 1, 2, 2, 2]


def test_bins_keep_the_order(rng):
    y = rng.normal(size=57)
    assert np.all(np.diff(protocol.equal_frequency(y, 10)[np.argsort(y)]) >= 0)


def test_the_target_changes_places_with_a_column():
    X, y = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([8.0, 9.0])
    swapped, target = protocol.swap_target(X, y)
    np.testing.assert_array_equal(swapped, [[8, 2], [9, 4]])
    np.testing.assert_array_equal(target, [1, 3])
    np.testing.assert_array_equal(X, [[1, 2], [3, 4]])


def test_splits_are_the_same_for_all_and_different_from_each_other():
    train, test = protocol.split_rows(10, (0.7,), 3)
    assert (len(train), len(test)) == (7, 3)
    assert sorted([*train, *test]) == list(range(10))
    np.testing.assert_array_equal(train, protocol.split_rows(10, (0.7,), 3)[0])
    assert not np.array_equal(train, protocol.split_rows(10, (0.7,), 4)[0])
    assert [len(part) for part in protocol.split_rows(10, (0.7, 0.1), 0)] == [7, 1, 2]


def test_errors_and_rounding():
    assert protocol.mean_squared([1, 3], np.array([1, 1])) == 2
    assert protocol.mean_absolute([1, 3], np.array([1, 0])) == 1.5
    assert protocol.rounded([0.2, 1.6, 9.0], [1, 2, 3]).tolist() == [1, 2, 3]
