"""Measures that search by themselves find what comparing with everything finds."""

import numpy as np
import pytest

import seamark as sm
from seamark import engine
from seamark.measures import edit
from seamark.search import prune

rng = np.random.default_rng(2)
native = pytest.mark.skipif(
    engine.backend().edit_search is None, reason="this backend compares with everything"
)


def words(n, letters, shortest, longest):
    return ["".join(rng.choice(list(letters), rng.integers(shortest, longest))) for _ in range(n)]


def brute(queries, X, k):
    values = sm.cross("levenshtein", queries, X)
    order = np.argsort(values, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(values, order, axis=1), order


@pytest.mark.parametrize(
    ("letters", "shortest", "longest"),
    [("abcdefghijklmnopqrstuvwxyz", 3, 9), ("ab", 18, 20), ("acgt", 60, 90), ("aé中🚢", 0, 5)],
)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_query_and_within(letters, shortest, longest, n_jobs):
    X, queries = words(400, letters, shortest, longest), words(30, letters, shortest, longest)
    index = sm.Index("levenshtein", n_jobs=n_jobs).fit(X)
    for k in (1, 5, 90, 400):
        found = index.query(queries, k)
        values, ids = brute(queries, X, k)
        np.testing.assert_array_equal(found.values, values)
        np.testing.assert_array_equal(found.ids, ids)
        one = index.query(queries[3], k)
        np.testing.assert_array_equal(one.ids, ids[3])
    every = sm.cross("levenshtein", queries, X)
    for radius in (0, 1, 2.5, longest):
        near = index.within(queries, radius)
        for i, (values, ids) in enumerate(zip(*near, strict=True)):
            inside = np.flatnonzero(every[i] <= radius)
            order = inside[np.argsort(every[i][inside], kind="stable")]
            np.testing.assert_array_equal(ids, order)
            np.testing.assert_array_equal(values, every[i][order])


@native
def test_most_words_are_not_compared():
    X = words(3000, "abcdefghijklmnopqrstuvwxyz", 4, 10)
    index = sm.Index("levenshtein").fit(X)
    with engine.counting() as counter:
        index.query(X[:50], k=2)
    assert counter.evaluations < 0.1 * 50 * 3000


@native
def test_where_letters_say_little_values_are_computed_after_a_trial():
    X = words(500, "ab", 30, 31)
    index = sm.Index("levenshtein").fit(X)
    found = index.query(X[:40], k=3)
    search = index._store.own.parts[0].search
    assert search.tried == edit.TRIAL
    np.testing.assert_array_equal(found.ids, brute(X[:40], X, 3)[1])
    index.query(X[:40], k=3)
    assert search.tried == edit.TRIAL
    index.within(X[:40], 2)  # which a cut-off makes quick
    np.testing.assert_array_equal(index.query(X[:40], k=3).ids, found.ids)


@native
def test_parts_grow_as_objects_are_added(monkeypatch):
    monkeypatch.setattr(prune, "PART_ROWS", 64)
    X = words(400, "abcdef", 2, 8)
    index = sm.Index("levenshtein").fit(X[:150])
    for start in (150, 151, 155, 300):
        stop = {150: 151, 151: 155, 155: 300, 300: 400}[start]
        index.add(X[start:stop])
        found = index.query(X[:20], k=9)
        values, ids = brute(X[:20], X[:stop], 9)
        np.testing.assert_array_equal(found.values, values)
        np.testing.assert_array_equal(found.ids, ids)
        parts = index._store.own.parts
        assert [part.start for part in parts] == list(np.cumsum([0, *[p.size for p in parts]])[:-1])
        assert max(part.size for part in parts) <= 64
    index.remove(np.arange(0, 400, 2))
    kept = np.arange(1, 400, 2)
    found = index.query(X[:20], k=9)
    np.testing.assert_array_equal(found.ids, kept[brute(X[:20], [X[i] for i in kept], 9)[1]])


@native
def test_another_backend_searches_its_own_way():
    X = words(200, "abcdef", 2, 8)
    index = sm.Index("levenshtein").fit(X)
    expected = index.query(X[:10], k=4)
    with engine.using("reference"):
        found = index.query(X[:10], k=4)
    np.testing.assert_array_equal(found.ids, expected.ids)
    with engine.using("baseline"):
        found = index.query(X[:10], k=4)
    np.testing.assert_array_equal(found.ids, expected.ids)


def test_strings_too_long_for_the_kernel():
    short, long = words(30, "ab", 3, 9), [*words(29, "ab", 8, 15), "ab" * edit.LONGEST]
    for X, queries in ((short, long), (long, short)):
        found = sm.Index("levenshtein").fit(X).query(queries, k=3)
        np.testing.assert_array_equal(found.ids, brute(queries, X, 3)[1])
