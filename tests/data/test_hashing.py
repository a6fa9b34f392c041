"""One hash for each object, wherever and in whatever pieces it is read."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse, stats

from seamark.data import anything, groups, hashes, seed_from, series, sets, strings
from seamark.data.hashing import AT_ONCE, with_seed
from seamark.measures import Precomputed

RNG = np.random.default_rng
MASK = 2**64 - 1
STEP = 0x9E3779B97F4A7C15


def mixed(word):
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & MASK
    return word ^ (word >> 31)


def slow_hash(words, size):
    """The definition, number by number, in Python's integers."""
    total = sum(
        mixed((word + mixed((place + 1) * STEP & MASK)) & MASK)
        for place, word in enumerate(words)
        if word
    )
    return mixed((total + size * STEP) & MASK)


def bits(number):
    return int(np.float64(number + 0.0).view(np.uint64))


def as_python(found):
    return found.view(np.uint64).tolist()


texts = st.lists(st.text("abé🐟\0", max_size=6), min_size=1, max_size=30)


@given(texts)
def test_strings_by_the_definition(words):
    found = as_python(hashes(strings.ingest(words)))
    assert found == [slow_hash([ord(c) for c in word], len(word)) for word in words]


def test_numbers_by_the_definition():
    rng = RNG(0)
    X = rng.normal(size=(5, 3)) * (rng.uniform(size=(5, 3)) < 0.6)
    expected = [slow_hash([bits(x) for x in row], 3) for row in X]
    assert as_python(hashes(X)) == expected
    assert as_python(hashes(sparse.csr_array(X))) == expected
    walks = [rng.normal(size=(2, k)) for k in (1, 4, 2)]
    expected = [slow_hash([bits(x) for x in walk.T.ravel()], walk.shape[1]) for walk in walks]
    assert as_python(hashes(series.ingest(walks))) == expected
    clouds = [rng.normal(size=(k, 2)) for k in (3, 1, 2)]
    expected = [slow_hash([bits(x) for x in cloud.ravel()], len(cloud)) for cloud in clouds]
    assert as_python(hashes(sets.ingest(clouds))) == expected


SEEN = {
    "strings": [0, -4268721830941453632, -3639868068563922540],
    "vectors": [-5664469974343764082],
    "anything": [
        2376717782466661559,
        -6553401642648936253,
        3106739775104617954,
        -1492266796354903186,
        -1275429729137096815,
        -5828271082547070262,
        -729196224422505376,
    ],
    "seeded": [370462283941081367, 7613755759174143445],
}


def test_hashes_of_this_version_stay():
    # Folds and landmarks of large data hang on them: they may not change between versions.
    assert hashes(strings.ingest(["", "sea", "🐟"])).tolist() == SEEN["strings"]
    assert hashes(np.array([[0.0, 1.5]])).tolist() == SEEN["vectors"]
    things = anything.ingest([None, 1, 1.0, "sea", b"sea", (1, [2]), {"b": 1, "a": {2, 3}}])
    assert hashes(things).tolist() == SEEN["anything"]
    assert with_seed(np.array([1, -1]), 7).tolist() == SEEN["seeded"]


COLLECTIONS = {
    "strings": strings.ingest(["sea", "märk", "", "🐟", "sea", "a" * 300]),
    "bytes": strings.ingest([b"sea", b"\xff", b"", b"sea"]),
    "series": series.ingest([np.arange(6.0).reshape(2, 3), np.ones((2, 1)), np.zeros((2, 4))]),
    "sets": sets.ingest([np.eye(3), np.eye(3)[:1], np.zeros((2, 3)), np.zeros((1, 3))]),
    "vectors": RNG(0).normal(size=(9, 4)),
    "float32": RNG(0).normal(size=(9, 4)).astype(np.float32),
    "sparse": sparse.random_array((9, 30), density=0.1, rng=RNG(1), format="csr"),
    "whole numbers": anything.ingest(RNG(0).integers(-3, 3, size=(9, 2))),
    "pictures": anything.ingest(RNG(0).integers(0, 9, size=(5, 3, 2)).astype(np.uint8)),
    "words in a matrix": anything.ingest(np.array([["sea", "mark"], ["a", ""]])),
    "complex": anything.ingest(np.array([[1 + 2j], [1 - 2j], [1 + 2j]])),
    "dates": anything.ingest(np.array([["2026-01-02"], ["2026-01-03"]], dtype="M8[D]")),
    "anything": anything.ingest([{"a": 1}, [1, 2], "sea", None, 2.5, {"sea", "mark"}, b"x"]),
}


@pytest.mark.parametrize("name", COLLECTIONS)
def test_chunks_and_orders_agree_with_the_whole(name):
    X = COLLECTIONS[name]
    whole = hashes(X)
    assert whole.dtype == np.int64
    n = X.shape[0]
    for size in (1, 2, 3):
        chunks = [hashes(X[start : start + size]) for start in range(0, n, size)]
        np.testing.assert_array_equal(np.concatenate(chunks), whole)
    order = RNG(3).permutation(n)
    np.testing.assert_array_equal(hashes(X[order]), whole[order])
    # Different objects, different hashes; equal ones, equal hashes.
    _, codes = np.unique(whole, return_inverse=True)
    kinds = groups(X)
    np.testing.assert_array_equal(kinds[:, None] == kinds, codes[:, None] == codes)


@given(texts, st.data())
def test_text_is_hashed_alike_in_every_chunk(words, data):
    cut = data.draw(st.integers(1, len(words)))
    parts = [words[:cut], words[cut:]]
    found = [hashes(strings.ingest(part)) for part in parts if part]
    np.testing.assert_array_equal(np.concatenate(found), hashes(strings.ingest(words)))


@given(texts)
def test_equal_strings_and_no_others_share_a_hash(words):
    assert len(np.unique(hashes(strings.ingest(words)))) == len(set(words))
    assert len(np.unique(hashes(anything.ingest(words)))) == len(set(words))


def test_collections_longer_than_one_run():
    words = ["x" * (AT_ONCE + 3), "", "sea", "y" * 10] + ["mark"] * 40_000
    found = hashes(strings.ingest(words))
    np.testing.assert_array_equal(found[:4], [hashes(strings.ingest([w]))[0] for w in words[:4]])
    assert np.all(found[4:] == found[4])
    wide = RNG(0).normal(size=(7, AT_ONCE // 3))
    np.testing.assert_array_equal(hashes(wide), [hashes(row[None])[0] for row in wide])


def test_types_and_layouts_that_hold_the_same_numbers_agree():
    X = RNG(0).integers(-2, 3, size=(40, 6)).astype(np.float32)
    whole = hashes(X)
    entries = sparse.csr_array(X)
    backwards = sparse.csr_array(
        (entries.data[::-1], entries.indices[::-1], entries.indptr), shape=X.shape
    )
    assert hashes(backwards[:0]).shape == (0,)
    for same in (X.astype(float), np.asfortranarray(X), -0.0 + X, entries, entries.tocoo()):
        np.testing.assert_array_equal(hashes(same), whole)
    assert hashes(np.array([[-0.0, 1.0]])) == hashes(np.array([[0.0, 1.0]]))


class Point:
    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return self.x == other.x

    def __hash__(self):
        return hash(self.x)


def test_objects_of_other_classes_by_their_pickles_and_else_by_place():
    found = hashes(anything.ingest([Point(1), Point(2), Point(1)]))
    assert found[0] == found[2] != found[1]
    function = lambda: None  # noqa: E731
    assert len(set(hashes(anything.ingest([function, function])).tolist())) == 2
    ring = []
    ring.append(ring)
    assert len(hashes(anything.ingest([ring]))) == 1


HASHED = """
from seamark.data import anything, hashes, strings
X = anything.ingest([{"sea", "mark", "see"}, {"b": 1, "a": frozenset("xyz")}])
print(*hashes(X), *hashes(strings.ingest(["sea"])))
"""


def test_other_processes_agree(capsys):
    exec(HASHED)  # with the seed that Python has drawn for its own hashes here
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", HASHED],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "1"},
    ).stdout
    assert found == capsys.readouterr().out
    assert len(found.split()) == 3


def test_rows_of_values_are_known_by_their_place():
    assert Precomputed().domain.hashes(np.zeros((3, 3))).tolist() == [0, 1, 2]


@pytest.mark.parametrize("seed", [0, 1, 2**64 - 1])
def test_bits_are_even_over_alike_objects(seed):
    # 64 bits, 3 seeds: a deviation of 4.5 has p = 7·10⁻⁶, so a false alarm once in 750 choices of
    # the test's data, which are fixed.
    n = 20_000
    found = with_seed(hashes(strings.ingest([str(i) for i in range(n)])), seed)
    ones = [np.count_nonzero(found >> np.uint64(bit) & np.uint64(1)) for bit in range(64)]
    assert np.abs((np.array(ones) - n / 2) / np.sqrt(n / 4)).max() < 4.5


@pytest.mark.parametrize("cv", [2, 5, 7, 64])
def test_remainders_are_even_and_independent_of_other_seeds(cv):
    keys = hashes(np.arange(30_000.0)[:, None])
    first, second = (with_seed(keys, seed) % np.uint64(cv) for seed in (3, 4))
    # False alarms: 10⁻⁴ each.
    assert stats.chisquare(np.bincount(first.astype(int), minlength=cv)).pvalue > 1e-4
    pairs = np.bincount((first * np.uint64(cv) + second).astype(int), minlength=cv * cv)
    assert stats.chisquare(pairs).pvalue > 1e-4


def test_seeds_come_from_both_kinds_of_generators():
    for make in (np.random.default_rng, np.random.RandomState):
        rng = make(0)
        first, second = seed_from(rng), seed_from(rng)
        assert first == seed_from(make(0)) != second
        assert 0 <= first < 2**64
