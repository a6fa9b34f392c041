"""Which objects are equal."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from seamark.data import (
    anything,
    distinct,
    groups,
    series,
    sets,
    strings,
    vectors,
    with_copies,
)
from seamark.measures import Precomputed


class Coin:
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return self.value == other.value

    def __hash__(self):
        return hash(self.value)


class Crate(Coin):
    __hash__ = None


class Rude(Coin):
    def __eq__(self, other):
        raise RuntimeError("do not compare me")

    def __hash__(self):
        return 7


@given(st.lists(st.text("abé🐟", max_size=3), min_size=1, max_size=30))
def test_strings_are_grouped_as_python_compares_them(words):
    found = groups(strings.ingest(words))
    assert found.tolist() == [sorted(set(words), key=words.index).index(word) for word in words]
    assert groups(anything.ingest(words)).tolist() == found.tolist()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rows_of_matrices_dense_and_sparse(dtype):
    X = np.array([[0.0, 1.0], [-0.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]], dtype=dtype)
    assert groups(vectors.ingest(X)).tolist() == [0, 0, 1, 0, 2]
    assert groups(np.asfortranarray(X)[:, ::-1]).tolist() == [0, 0, 1, 0, 2]
    entries = ([1.0, 1.0, 1.0, 0.0, 0.5, 0.5], [1, 1, 0, 1, 1, 1], [0, 1, 2, 4, 6, 6])
    assert groups(sparse.csr_array(entries, shape=(5, 2))).tolist() == [0, 0, 1, 0, 2]
    assert groups(np.zeros((2, 3, 4))).tolist() == [0, 0]


def test_series_and_sets_and_parts_of_collections():
    X = series.ingest([[1.0, 2.0], [1.0, 2.0, 0.0], [1.0, 2.0], [2.0, 1.0]])
    assert groups(X).tolist() == [0, 1, 0, 2]
    assert groups(X[1:]).tolist() == [0, 1, 2]
    pairs = sets.ingest([np.eye(2), np.eye(2)[:1], np.eye(2)])
    assert groups(pairs).tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ({"a": [1, 2]}, {"a": [1, 2]}, True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": 1}, {"a": 1.0}, False),
        ([1, 2], (1, 2), False),
        (np.arange(3), np.arange(3), True),
        (np.arange(3), np.arange(3.0), False),
        (np.array(["a", None], object), np.array(["a", None], object), True),
        ({"x", "y"}, {"y", "x"}, True),
        (sparse.csr_array(np.eye(2)), sparse.csr_array(np.eye(2)), True),
        (None, None, True),
        (Coin(1), Coin(1), True),
        (Coin(1), Coin(2), False),
        (Crate(1), Crate(1), False),  # cannot be looked up, so equals itself only
        (Rude(1), Rude(1), False),
        ({"a": Crate(1)}, {"a": Crate(1)}, False),
    ],
)
def test_objects_of_any_type(one, other, equal):
    X = anything.ingest([one, other, one])
    assert groups(X).tolist() == ([0, 0, 0] if equal else [0, 1, 0])


def test_what_holds_itself_equals_itself():
    ring = []
    ring.append(ring)
    assert groups(anything.ingest([ring, [ring], ring])).tolist() == [0, 1, 0]


def test_rows_of_values_are_never_equal():
    D = np.zeros((4, 4))
    assert Precomputed().domain.groups(D).tolist() == [0, 1, 2, 3]
    assert (Precomputed() + Precomputed()).domain.groups(D).tolist() == [0, 1, 2, 3]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=20), st.randoms(use_true_random=False))
def test_one_of_each_and_all_copies(numbers, random):
    kinds = np.array(numbers)
    rows = list(range(len(numbers)))
    random.shuffle(rows)
    few = distinct(np.array(rows), kinds)
    assert sorted(kinds[few]) == sorted(set(numbers))
    places = [rows.index(row) for row in few]
    assert places == sorted(places)
    assert with_copies(few, kinds).tolist() == sorted(rows)
    assert distinct(np.array(rows), None).tolist() == rows
    assert with_copies(few[:1], kinds).tolist() == np.flatnonzero(kinds == kinds[few[0]]).tolist()
