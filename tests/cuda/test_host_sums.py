"""Sums for a ridge, and its calibration, on the host and on a GPU."""

import numpy as np
import pytest
from scipy.special import log_softmax

from seamark.engine.cuda.statistics import FoldMoments, UnseenScores, byte_counts, means

N, R, T = 90, 12, 3


@pytest.fixture
def problem(rng):
    values = rng.integers(0, 60, (N, R)).astype(np.uint8)
    values[:, 4] = 7  # a feature that does not vary
    return values, rng.integers(0, T, N).astype(np.int32), rng.integers(0, 3, N)


def on_host(device, array):
    out = np.empty(array.shape, array.dtype)
    device.download(array, out)
    return out


def sums_of(device, values, y, folds, table):
    on_device = device.upload(values)
    centre = means(device, on_device[:20], device.upload(table), R)
    sums = FoldMoments(device, R, T, 3, device.upload(table), centre)
    for half in (slice(0, 50), slice(50, N)):
        chunk = device.upload(values[half]), device.upload(y[half])
        for fold in range(3):
            members = np.flatnonzero(folds[half] == fold).astype(np.int32)
            sums.add(fold, *chunk, device.upload(members))
    return sums


@pytest.mark.parametrize("fold", [0, 2, None])
def test_a_ridge_of_all_rows_but_a_folds(device, problem, fold):
    values, y, folds = problem
    table = np.exp(-0.05 * np.arange(256.0))
    sums = sums_of(device, values, y, folds, table)
    equations = sums.equations(fold)
    vectors = equations.residuals(0.01)
    seen = folds != fold if fold is not None else np.ones(N, bool)
    phi, targets = table[values], np.where(y[:, None] == np.arange(T), 1.0, -1.0)
    Z, mean = phi[seen] - phi[seen].mean(axis=0), targets[seen].mean(axis=0)
    unit = np.divide(1.0, Z.std(axis=0), out=np.zeros(R), where=Z.std(axis=0) > 1e-9)
    Z *= unit
    A = Z.T @ Z / len(Z) + 0.01 * np.eye(R)
    coef = unit[:, None] * np.linalg.solve(A, Z.T @ (targets[seen] - mean) / len(Z))
    predicted = (phi - phi[seen].mean(axis=0)) @ coef + mean
    everyone = device.upload(np.arange(N, dtype=np.int32))
    rows = sums.rows(device.upload(values), device.upload(y), everyone)
    np.testing.assert_allclose(on_host(device, rows @ vectors), targets - predicted, atol=1e-9)
    if fold is not None:
        errors = device.upload(np.zeros(2))
        equations.error(vectors, errors, 1)
        expected = ((targets - predicted)[~seen] ** 2).sum()
        np.testing.assert_allclose(on_host(device, errors), [0.0, expected], rtol=1e-9)


def test_scores_and_the_loss_of_their_calibration(device, problem, rng):
    _, y, _ = problem
    predicted = rng.normal(size=(N, T))
    left = np.where(y[:, None] == np.arange(T), 1.0, -1.0) - predicted
    scores = UnseenScores(device, N, T)
    for half in (slice(0, 50), slice(50, N)):
        order = rng.permutation(50 if half.start == 0 else N - 50).astype(np.int32)
        chunk = device.upload(left[half][order]), device.upload(order), device.upload(y[half])
        scores.put(half.start, *chunk)
    np.testing.assert_allclose(on_host(device, scores.scores), predicted, rtol=1e-5, atol=1e-6)
    own, parameters = np.array([0.9, 0.95, 0.99]), np.array([1.3, 0.0, 0.2, -0.4])
    loss, gradient = scores.loss(parameters, device.upload(own))
    targets = np.repeat(((1 - own) / (T - 1))[y][:, None], T, axis=1)
    targets[np.arange(N), y] = own[y]
    logs = log_softmax(1.3 * predicted + parameters[1:], axis=1)
    error = (np.exp(logs) - targets) / N
    np.testing.assert_allclose(loss, -(targets * logs).sum() / N, rtol=1e-6)
    expected = np.concatenate([[(error * predicted).sum()], error.sum(axis=0)])
    np.testing.assert_allclose(gradient, expected, atol=1e-7)


def test_bytes_are_counted(device, problem):
    values = problem[0]
    counted = byte_counts(device, device.upload(values), 5)
    np.testing.assert_array_equal(counted, np.bincount(values[:, :5].ravel(), minlength=256))


def test_parts_come_in_order(device, rng):
    arrays = [(rng.integers(0, 9, n).astype(np.uint8), rng.normal(size=(n, 2))) for n in (5, 8, 1)]
    for sent, (codes, numbers) in zip(arrays, device.stream(iter(arrays), 8 * 17), strict=True):
        np.testing.assert_array_equal(on_host(device, codes), sent[0])
        np.testing.assert_array_equal(on_host(device, numbers), sent[1])
