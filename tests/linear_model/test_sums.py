"""Sums per fold: what they add up to, in float32 and float64, whole and in parts."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse

from seamark.features import Features, InMemory, Selected
from seamark.linear_model import FoldSums


class Blocks(Features):
    """Features in blocks of a few rows, that count how often they were read."""

    def __init__(self, matrix, step=7):
        self.matrix, self.step, self.shape, self.passes = matrix, step, matrix.shape, 0

    def chunks(self, columns=None):
        self.passes += 1
        for start in range(0, len(self.matrix), self.step):
            rows = slice(start, min(start + self.step, len(self.matrix)))
            block = self.matrix[rows].copy()
            yield rows, block if columns is None else block[:, columns]


def textbook_moments(phi, Y, folds, weights):
    """Σ w a aᵀ over the rows a = (1, φ, y) of each fold, row by row."""
    rows = np.hstack([np.ones((len(phi), 1)), phi, Y])
    out = np.zeros((folds.max() + 1, rows.shape[1], rows.shape[1]))
    for row, fold, weight in zip(rows, folds, weights, strict=True):
        out[fold] += weight * np.outer(row, row)
    return out


def raw(sums):
    return sums.about(np.zeros_like(sums.centre), np.ones_like(sums.scale)).moments


@pytest.fixture
def data(rng):
    phi = rng.normal(size=(90, 6)) * [1, 10, 1e-3, 1, 1, 5] + [0, 3, 0, -2, 7, 0]
    return phi, rng.normal(size=(90, 2)) + 4, rng.integers(0, 3, 90), rng.uniform(0.1, 3, 90)


@pytest.mark.parametrize("at_once", [0, 1000])
@pytest.mark.parametrize(("precision", "rtol"), [("single", 1e-5), ("double", 1e-12)])
def test_sums_are_the_textbook_ones(data, precision, rtol, at_once, monkeypatch):
    monkeypatch.setattr("seamark.linear_model.ridge_statistics.SMALL_FEATURES", at_once)
    phi, Y, folds, weights = data
    expected = textbook_moments(phi, Y, folds, weights)
    sums = FoldSums.of(Blocks(phi), Y, folds, weights, precision=precision)
    assert sums.moments.dtype == np.float64
    for k in range(3):
        assert_allclose(raw(sums)[k], expected[k], rtol, rtol * np.abs(expected[k]).max())
        assert np.array_equal(sums.moments[k], sums.moments[k].T)


def test_training_sums_are_those_of_the_other_rows(data):
    phi, Y, folds, weights = data
    sums = FoldSums.of(InMemory(phi), Y, folds, weights)
    for k in range(3):
        rest = folds != k
        alone = FoldSums.of(InMemory(phi[rest]), Y[rest], np.zeros(rest.sum(), int), weights[rest])
        training = sums.moments.sum(axis=0) - sums.moments[k]
        assert_allclose(training, alone.about(sums.centre, sums.scale).moments[0], 1e-9, 1e-9)


@given(cut=st.integers(1, 89), seed=st.integers(0, 99))
def test_parts_add_up_to_the_whole(cut, seed):
    rng = np.random.default_rng(seed)
    phi, Y, folds = rng.normal(5, 2, (90, 4)), rng.normal(size=(90, 1)), rng.integers(0, 4, 90)
    whole = FoldSums.of(InMemory(phi), Y, folds, n_folds=4)
    parts = [
        FoldSums.of(InMemory(phi[rows]), Y[rows], folds[rows], n_folds=4)
        for rows in (slice(0, cut), slice(cut, 90))
    ]
    both = pickle.loads(pickle.dumps(parts[0])) + parts[1]
    assert_allclose(raw(both), raw(whole), 1e-9, 1e-6)
    assert_allclose(raw(parts[1] + parts[0]), raw(whole), 1e-9, 1e-6)


def test_addition_is_associative(data):
    phi, Y, folds, weights = data
    a, b, c = (
        FoldSums.of(InMemory(phi[i::3]), Y[i::3], folds[i::3], weights[i::3], n_folds=3)
        for i in range(3)
    )
    assert_allclose(raw((a + b) + c), raw(a + (b + c)), 1e-10, 1e-9)


def test_sums_of_other_shapes_do_not_add(data):
    phi, Y, folds, _ = data
    a, b = FoldSums.of(InMemory(phi), Y, folds), FoldSums.of(InMemory(phi[:, :3]), Y, folds)
    with pytest.raises(ValueError, match="6 features and 2 targets cannot be added"):
        a + b


def test_rows_without_weight_or_fold_are_left_out(data):
    phi, Y, folds, weights = data
    weights[10:20], folds[30:40] = 0, -1
    phi[15] = 1e30  # would spoil centre and scale
    keep = (weights > 0) & (folds >= 0)
    some = FoldSums.of(Blocks(phi), Y, folds, weights)
    alone = FoldSums.of(Blocks(phi[keep]), Y[keep], folds[keep], weights[keep])
    assert_allclose(raw(some), raw(alone), 1e-9, 1e-9)


def test_one_pass_some_columns_and_csr(data):
    phi, Y, folds, _ = data
    features = Blocks(phi)
    some = FoldSums.of(Selected(features, np.array([0, 3])), Y, folds)
    assert features.passes == 1  # so few are read at once
    csr = FoldSums.of(InMemory(sparse.csr_array(phi[:, [0, 3]])), Y, folds)
    assert_allclose(some.moments, csr.moments, 1e-10, 1e-10)


def test_float32_products_survive_an_offset(rng):
    """Centring *before* the products keeps what a mean of 1000 standard deviations would drown."""
    phi, Y = rng.normal(1000, 1, (5000, 5)), rng.normal(1000, 1, (5000, 1))
    sums = FoldSums.of(InMemory(phi), Y, np.zeros(5000, int), precision="single")
    moments = sums.moments.sum(axis=0) / 5000
    centred = moments[1:, 1:] - np.outer(moments[0, 1:], moments[0, 1:])
    units = np.sqrt(np.diag(centred))
    expected = np.corrcoef(np.hstack([phi, Y]).T)
    assert_allclose(centred / np.outer(units, units), expected, atol=1e-6)
    assert sums.drift() < 0.2


def test_drift_tells_of_first_rows_unlike_the_rest(rng, monkeypatch):
    monkeypatch.setattr("seamark.linear_model.ridge_statistics.FIRST_ROWS", 50)
    phi, Y = rng.normal(size=(2000, 3)), rng.normal(size=(2000, 1))
    phi[50:, 1] += 200
    folds = np.zeros(2000, int)
    assert 1 < FoldSums.of(Blocks(phi, 50), Y, folds).drift() < 30
    phi[:50, 2] = 0.0  # constant at first
    phi[50:, 2] = rng.normal(1e6, 1, 1950)
    first = FoldSums.of(Blocks(phi[:, 2:], 50), Y, folds, precision="single")
    again = FoldSums.of(Blocks(phi[:, 2:], 50), Y, folds, standard=first.location())
    assert again.drift() < 1


def test_a_row_of_nan_is_named(rng):
    phi = rng.normal(size=(30, 2))
    phi[23, 1] = np.nan
    with pytest.raises(ValueError, match="features of row 23 hold NaN"):
        FoldSums.of(Blocks(phi), np.zeros((30, 1)), np.zeros(30, int))
