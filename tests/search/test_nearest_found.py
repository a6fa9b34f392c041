"""The k nearest that a search has found so far, whatever the order in which rows are looked at."""

from __future__ import annotations

import numpy as np
import pytest

import seamark as sm
from seamark.search.prune import Nearest


def oracle(keys, k):
    """Keys and rows of the k smallest of each query; of equal keys the first rows; never NaN."""
    rows = np.arange(keys.shape[1])
    for query in keys:
        there = rows[~np.isnan(query)]
        order = there[np.lexsort((there, query[there]))][:k]
        yield query[order], order


def few_values(rng, shape):
    return rng.integers(-3, 4, shape).astype(np.float32)


def many_values(rng, shape):
    return rng.normal(size=shape).astype(np.float32)


def odd_values(rng, shape):
    return rng.choice(np.float32([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-42, -2.5, 3e38]), shape)


def nearly_alike(rng, shape):
    keys = np.zeros(shape, dtype=np.float32)
    keys[:, :: max(1, shape[1] // 9)] = -1.0
    return keys


@pytest.mark.parametrize("values", [few_values, many_values, odd_values, nearly_alike])
@pytest.mark.parametrize("k", [1, 7, 31])
def test_the_smallest_keys_are_found(values, k):
    rng = np.random.default_rng(k)
    keys = values(rng, (150, 2600))  # so many that a bound for the first rows pays
    found = Nearest(len(keys), k)
    starts = [1300, 0, 2500]  # rows are looked at in stretches, in any order
    for start, stop in zip(starts, [2500, 1300, 2600], strict=True):
        own = np.arange(start, stop)
        for queries in (np.arange(0, 150, 2), np.arange(1, 150, 2)):
            found.take(queries, own, keys[np.ix_(queries, own)])
    for query, (expected, rows) in enumerate(oracle(keys, k)):
        np.testing.assert_array_equal(found.keys[query, : len(expected)], expected)
        np.testing.assert_array_equal(found.rows[query, : len(rows)], rows)
        assert np.isinf(found.keys[query, len(expected) :]).all()


@pytest.mark.parametrize(
    ("measure", "sign"), [(sm.measures.Levenshtein(), 1), (sm.measures.JaroWinkler(), -1)]
)
@pytest.mark.parametrize("leave_out", [False, True])
def test_the_nearest_are_the_first_of_all_values_sorted(measure, sign, leave_out):
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("ab"), rng.integers(1, 5))) for _ in range(60)]
    words = sm.data.strings.ingest(words + words[:10])  # with copies
    own = np.arange(70) if leave_out else None
    values, rows = sm.search.nearest(measure, words, words, 3, own=own)
    every = measure.cross(words, words)
    keys = sign * every.astype(np.float64)
    if leave_out:
        np.fill_diagonal(keys, np.inf)
    expected = np.argsort(keys, axis=1, kind="stable")[:, :3]
    np.testing.assert_array_equal(values, np.take_along_axis(every, expected, axis=1))
    np.testing.assert_array_equal(np.take_along_axis(every, rows, axis=1), values)
    if leave_out:
        assert not (rows == np.arange(70)[:, None]).any()
    else:
        np.testing.assert_array_equal(rows, expected)
