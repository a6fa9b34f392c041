"""Samples by hash, put together chunk by chunk: against a dictionary of all rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import seamark as sm
from seamark.data import hashes, strings, with_seed
from seamark.io import hashed_sample
from seamark.io.sample import OF_EACH_CLASS, classes_of


def of_all(names, y, seed, size):
    """Entries of the smallest keys, and the first few of each class, from all rows at once."""
    keys = with_seed(hashes(strings.ingest(names)), seed)
    entries = {}
    for row, (name, label, key) in enumerate(zip(names, y, keys.tolist(), strict=True)):
        entries.setdefault((key, label), [name, row, 0])[2] += 1
    ordered = sorted(entries.items())
    kept, of_class = [], {}
    for place, ((_, label), (name, row, count)) in enumerate(ordered):
        of_class[label] = of_class.get(label, 0) + 1
        if place < size or of_class[label] <= OF_EACH_CLASS:
            kept.append((name, label, row, count))
    return kept


@given(st.integers(0, 10**6), st.integers(1, 60), st.integers(1, 70), st.integers(1, 6))
@settings(max_examples=40, deadline=None)
def test_chunks_make_the_sample_of_all_rows(draw, size, step, n_classes):
    rng = np.random.default_rng(draw)
    names = ["".join(rng.choice(list("ab"), k)) for k in rng.integers(1, 9, 300)]
    y = np.minimum(rng.geometric(0.5, 300), n_classes) - 2  # some classes are rare
    source = sm.rows(names, target=y, chunk_rows=step)
    found = hashed_sample(source, strings, draw, size, "classes")
    made = zip(found.objects, found.y.tolist(), found.rows.tolist(), found.weights, strict=True)
    assert list(made) == of_all(names, y.tolist(), draw, size)
    assert found.n_rows == 300


@pytest.mark.parametrize(
    "target",
    [
        np.array([3, -5, 3, 100], np.int8),
        np.array([-128, 127] * 200, np.int8),
        np.array([2**64 - 1, 2**64 - 2] * 3, np.uint64),
        np.array([-(2**63), 2**63 - 1, 0]),
        np.array(["b", "a", "b"]),
        np.array([1.5, -1.0]),
        np.array([True, False, True]),
    ],
)
def test_classes_and_codes(target):
    labels, codes = classes_of(target)
    expected = np.unique(target, return_inverse=True)
    np.testing.assert_array_equal(labels, expected[0])
    np.testing.assert_array_equal(codes, expected[1])
    assert labels.dtype == target.dtype
