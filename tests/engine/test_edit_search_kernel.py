"""The native search by edits finds what all distances would show, in every build."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seamark.engine.backends import backends

BUILDS = [build for build in backends().values() if build.edit_search is not None]
NO_STOP = np.zeros(1, dtype=np.uint8)
FAR = 1 << 14
LANES, STRIP = 8, 4  # texts that are compared at once at most, symbols between two looks
pytestmark = pytest.mark.skipif(not BUILDS, reason="there are no native kernels")


def flat(texts):
    offsets = np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype(np.int64)
    return np.array([code for text in texts for code in text], dtype=np.int32), offsets


def naive(x, y):
    """The textbook's edit distance."""
    row = list(range(len(y) + 1))
    for i, a in enumerate(x, 1):
        above, row[0] = row[0], i
        for j, b in enumerate(y, 1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (a != b))
    return row[-1]


def expected(texts, numbers, query, limit, most):
    """Sort all distances; of equal ones the smallest numbers come first."""
    return within([naive(query, text) for text in texts], numbers, limit, most)


def within(distances, numbers, limit, most):
    every = sorted(zip(distances, numbers, strict=True))
    return [one for one in every if one[0] <= limit][:most]


def found(build, texts, numbers, n_symbols, queries, limits, most):
    search = build.edit_search(*flat(texts), np.array(numbers, dtype=np.int64), n_symbols)
    limits = np.array(limits, dtype=np.int32)
    counts, got, edits, compared, steps = search.near(*flat(queries), limits, most, NO_STOP)
    assert 0 <= compared <= len(texts) * len(queries)
    # Each group of texts that is compared takes every word of the query along its longest text.
    words = max(len(query) for query in queries) // 64 + 1
    assert 0 <= steps <= compared * LANES * words * (max(map(len, texts)) + STRIP)
    pairs = list(zip(edits.tolist(), got.tolist(), strict=True))
    ends = np.cumsum(counts)
    return [pairs[end - count : end] for end, count in zip(ends, counts, strict=True)]


def texts_of(largest, size):
    return st.lists(st.lists(st.integers(0, largest), max_size=size), min_size=1, max_size=25)


@settings(max_examples=60, deadline=None)
@given(texts=texts_of(3, 8), queries=texts_of(4, 9), data=st.data())
def test_short_texts(texts, queries, data):
    texts.sort(key=len)
    numbers = data.draw(st.permutations(range(len(texts))))
    most = data.draw(st.integers(1, len(texts)))
    limits = data.draw(st.lists(st.sampled_from([-1, 0, 1, 3, FAR]), min_size=1, max_size=1))
    limits = limits * len(queries)
    wanted = [expected(texts, numbers, query, limits[0], most) for query in queries]
    for build in BUILDS:
        assert found(build, texts, numbers, 4, queries, limits, most) == wanted


def edited(text, rng, edits, n_symbols):
    text = list(text)
    for _ in range(edits):
        at = int(rng.integers(len(text) + 1))
        kind = rng.integers(3)
        if kind == 0 or at == len(text):
            text.insert(at, int(rng.integers(n_symbols)))
        elif kind == 1:
            del text[at]
        else:
            text[at] = int(rng.integers(n_symbols))
    return text


@pytest.mark.parametrize("n_symbols", [4, 256, 257])
@pytest.mark.parametrize("size", [20, 64, 65, 190])
def test_texts_of_several_words(n_symbols, size):
    rng = np.random.default_rng(size * n_symbols)
    sizes = rng.integers(size // 2, size + 9, size=8)
    base = [rng.integers(n_symbols, size=one).tolist() for one in sizes]
    texts = base + [edited(one, rng, rng.integers(1, 12), n_symbols) for one in base]
    texts.sort(key=len)
    queries = [edited(one, rng, 3, n_symbols) for one in base[:3]] + [[n_symbols] * 5 + base[0], []]
    numbers = rng.permutation(len(texts)).tolist()
    distances = [[naive(query, text) for text in texts] for query in queries]
    for limit, most in ((FAR, 3), (FAR, len(texts)), (6, 5), (size // 2, 100)):
        wanted = [within(row, numbers, limit, most) for row in distances]
        for build in BUILDS:
            got = found(build, texts, numbers, n_symbols, queries, [limit] * len(queries), most)
            assert got == wanted


def test_more_edits_than_levels():
    rng = np.random.default_rng(0)
    texts = [rng.integers(2, size=n).tolist() for n in (1, 280, 300, 700)]
    query = [0] * 5
    wanted = expected(texts, range(4), query, FAR, 4)
    assert wanted[-1][0] > 255
    for build in BUILDS:
        assert found(build, texts, range(4), 2, [query], [FAR], 4) == [wanted]


@pytest.mark.parametrize("build", BUILDS, ids=lambda one: one.name)
def test_steps_are_counted(build):
    def steps(texts, query):
        search = build.edit_search(*flat(texts), np.arange(len(texts)), 3)
        return search.near(*flat([query]), np.array([2], np.int32), 100, NO_STOP)[-1]

    short, long = [0, 1] * 5, [0, 1] * 50
    assert steps([short], [2] * 100) == 0  # the lengths alone say that it is too far
    assert steps([short], short) >= len(short)
    assert steps([short] * 40, short) >= 40 * len(short)
    assert steps([long], long) >= 2 * len(long)  # of two words


def test_texts_that_cannot_be_near_are_not_compared():
    texts = [[code] * 8 for code in range(30) for _ in range(20)]
    for build in BUILDS:
        search = build.edit_search(*flat(texts), np.arange(len(texts)), 30)
        got = search.near(*flat([[7] * 8]), np.array([FAR], np.int32), 3, NO_STOP)
        assert got[1].tolist() == [140, 141, 142]
        assert got[3] == 20


@pytest.mark.parametrize("build", BUILDS, ids=lambda one: one.name)
def test_unsound_arrays_are_refused(build):
    codes, offsets = flat([[0], [1, 1], [0, 1, 2]])
    numbers = np.arange(3)
    for bad in ((codes + 1, offsets, numbers, 3), (codes, offsets[::-1].copy(), numbers, 3)):
        with pytest.raises(ValueError, match="range|fall"):
            build.edit_search(*bad)
    with pytest.raises(ValueError, match="one number"):
        build.edit_search(codes, offsets, numbers[:2], 3)
    with pytest.raises(ValueError, match="order of their lengths"):
        build.edit_search(codes, np.array([0, 3, 5, 6]), numbers, 3)
    search = build.edit_search(codes, offsets, numbers, 3)
    one, limit = flat([[0, 1]]), np.array([3], np.int32)
    for bad in (
        (np.array([9, 0], np.int32), one[1], limit, 1),
        (*one, np.array([FAR + 1], np.int32), 1),
        (*one, limit[:0], 1),
        (*one, limit, 0),
    ):
        with pytest.raises(ValueError, match="range|one limit|positive"):
            search.near(*bad, NO_STOP)
    assert len(search.near(*one, limit, 1, np.ones(1, dtype=np.uint8))[0]) == 0
