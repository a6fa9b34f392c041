"""Strings by n-grams: scikit-learn's values, one hash everywhere, hostile text."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

import seamark as sm
from seamark.data import strings
from seamark.engine.backends import backends
from seamark.measures import NGrams

WORDS = [
    "sea mark",
    "seamark",
    " land\tmark\u2003",
    "",
    "a",
    "sea sea  see",
    "é語🐟",
    "mark",
    "x y",
]
text = st.text(st.sampled_from("abc \u00a0é語🐟\n"), max_size=12)


def grams(string, n, within):
    """Textbook: all runs of a piece between two marks; a piece too short counts as a whole."""
    pieces = string.split() if within == "words" else [string]
    found = Counter()
    if within == "places":
        pieces = [[*enumerate(string)]]
    for piece in (["", *p, ""] for p in pieces):
        sizes = range(n[0], n[1] + 1)
        runs = {k: [tuple(piece[i : i + k]) for i in range(len(piece) - k + 1)] for k in sizes}
        found.update(run for some in runs.values() for run in some)
        if not any(runs.values()):
            found[tuple(piece)] += 1
    return found


def similarity(a, b, values):
    both = set(a) | set(b)
    if values == "minmax":
        most = sum(max(a[g], b[g]) for g in both)
        return sum(min(a[g], b[g]) for g in both) / most if most else 0.0
    product = sum(a[g] * b[g] for g in both)
    if values == "dot":
        return product
    sizes = math.sqrt(sum(v * v for v in a.values()) * sum(v * v for v in b.values()))
    return product / sizes if sizes else 0.0


def naive(X, L, n, within, values):
    rows, columns = ([grams(s, n, within) for s in some] for some in (X, L))
    return [[similarity(a, b, values) for b in columns] for a in rows]


@settings(max_examples=30, deadline=None)
@given(
    X=st.lists(text, min_size=1, max_size=4),
    L=st.lists(text, min_size=1, max_size=4),
    n=st.sampled_from([(1, 1), (1, 5), (3, 4), (6, 7)]),
    within=st.sampled_from(["words", "strings", "places"]),
    values=st.sampled_from(["cosine", "minmax", "dot"]),
)
def test_equals_textbook(X, L, n, within, values):
    expected = naive(X, L, n, within, values)
    measure = NGrams(n=n, within=within, values=values, weights=None, bits=22)
    for name in backends():
        with sm.engine.using(name):
            np.testing.assert_allclose(measure.cross(X, L), expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("n", [(1, 5), (2, 3), (4, 4)])
@pytest.mark.parametrize("backend", backends())
def test_scikit_learn_agrees(n, backend):
    vectorizer = TfidfVectorizer(analyzer="char_wb", ngram_range=n, lowercase=False)
    A = vectorizer.fit_transform(WORDS)
    with sm.engine.using(backend):
        got = NGrams(n=n, bits=22).cross(WORDS)
    np.testing.assert_allclose(got, (A @ A.T).toarray(), rtol=1e-5, atol=1e-7)


def test_buckets_are_the_same_everywhere():
    """Fitted models hold weights by bucket: the hash must never change."""
    for backend in backends():
        with sm.engine.using(backend):
            found = NGrams(n=(2, 2), bits=20)._counts(strings.ingest(["sea", "é語"]))
        assert sorted(found.things[:4].tolist()) == [375305, 505560, 664202, 1027539]
        assert found.offsets.tolist() == [0, 4, 7]
        assert (found.weights == 1).all()


def test_bytes_and_text_of_the_same_letters_agree():
    X = [w for w in WORDS if w.isascii()]
    as_bytes = NGrams().cross([w.encode() for w in X])
    np.testing.assert_array_equal(as_bytes, NGrams().cross(X))
    # In UTF-8 no blank is part of a letter, though in other alphabets the same bytes are.
    assert NGrams().cross(["à".encode()], ["\u00c3".encode()])[0, 0] < 1


def test_many_landmarks_take_both_ways(rng):
    """N-grams of many landmarks are dense rows, of few landmarks lists."""
    X = ["".join(rng.choice(list("aaaabcdefgh"), size=k)) for k in rng.integers(0, 15, 90)]
    for values in ("cosine", "minmax", "dot"):
        measure = NGrams(values=values).fitted_to(strings.ingest(X), rng)
        with sm.engine.using("reference"):
            expected = measure.cross(X)
        for backend in backends():
            with sm.engine.using(backend):
                np.testing.assert_allclose(measure.cross(X), expected, rtol=1e-5, atol=1e-6)


def test_weights_are_one_vector(rng, tmp_path):
    model = sm.LandmarkMap(NGrams(bits=10), n_landmarks=4, random_state=0).fit(WORDS)
    assert model.measures_[0].weights.shape == (1 << 10,)
    sm.save(model, tmp_path / "m")
    loaded = sm.load(tmp_path / "m")
    np.testing.assert_array_equal(loaded.transform(WORDS), model.transform(WORDS))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n": 3}, "n must be a pair of whole numbers"),
        ({"n": (0, 2)}, "n must rise from 1"),
        ({"n": (3, 2)}, "n must rise from 1"),
        ({"within": "lines"}, "within must be 'words', 'strings' or 'places'"),
        ({"values": "jaccard"}, "values must be 'cosine', 'minmax' or 'dot'"),
        ({"bits": 7}, "bits must be a whole number from 8"),
        ({"bits": 40}, "bits of NGrams must be at most 24"),
        ({"weights": np.ones(7)}, r"array of 2\^20 numbers"),
        ({"weights": -np.ones(1 << 20)}, "finite and not negative"),
    ],
)
def test_refusals(parameters, message):
    with pytest.raises(ValueError, match=message):
        NGrams(**parameters).cross(["sea"], ["see"])


@pytest.mark.parametrize("name", [name for name in backends() if name != "reference"])
def test_kernels_refuse_what_leads_astray(name):
    backend = backends()[name]
    one, weights = np.zeros(1, np.int32), np.ones(1, np.float32)
    ends, out, stop = np.array([0, 1]), np.empty((1, 1), np.float32), np.zeros(1, np.uint8)
    plan = backend.bags(one, weights, ends, 1, "product")
    for things, offsets in (one + 1, ends), (one - 2, ends), (one, ends + 1):
        with pytest.raises(ValueError, match="range"):
            plan.run(things, weights, offsets, out, stop)
    with pytest.raises(ValueError, match="range"):
        backend.bags(one + 1, weights, ends, 1, "product")
    with pytest.raises(ValueError, match="offsets"):
        backend.ngrams(np.zeros(1, np.uint32), ends + 1, 1, 2, np.zeros(0, np.uint32), 32, 20)


def test_at_places_only_letters_of_the_same_place_are_shared():
    measure = NGrams((1, 2), within="places", weights=None, bits=22)
    shared = measure.cross(["abcd", "bcda", "xbcx"], ["abcd"])[:, 0]
    # Four letters, five pairs, and the mark twice: 4 + 5 + 2² = 13; the last shares b, c and bc.
    np.testing.assert_allclose(shared, [1, 4 / 13, 7 / 13], rtol=1e-6)
    found = measure.found_in("abab")
    assert len({bucket for bucket, name, _ in found if name == "…a…"}) == 2
    everywhere = NGrams((1, 2), within="strings", bits=22).found_in("abab")
    assert len({bucket for bucket, name, _ in everywhere if name == "…a…"}) == 1


def test_places_beyond_the_last_count_as_one():
    measure = NGrams((2, 2), within="places", weights=None)
    far = "x" * 3000 + "ab"
    assert measure.cross([far], ["x" * 3100 + "ab"])[0, 0] > 0.99
    assert measure.cross(["x" * 2046 + "ab"], ["x" * 2045 + "ab"])[0, 0] < 1
