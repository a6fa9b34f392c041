"""Edit distances from raw strings to numbers: alphabets, encodings, hostile sizes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import seamark as sm
from every_backend import HERE
from seamark.measures import (
    LCS,
    DamerauLevenshtein,
    Indel,
    JaroWinkler,
    Levenshtein,
    OptimalAlignment,
)

texts = st.lists(st.text(st.sampled_from("abé語🐟\ud800"), max_size=9), min_size=1, max_size=6)


@given(texts, texts)
def test_equals_textbook_on_any_text(X, L):
    np.testing.assert_array_equal(Levenshtein().cross(X, L), naive.cross(naive.levenshtein, X, L))


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 127, 128, 129, 300])
def test_lengths_about_the_word_size(size, rng):
    L = ["".join(rng.choice(list("ab"), size=size)) for _ in range(9)]
    X = ["".join(rng.choice(list("abc"), size=k)) for k in (0, 1, 62, 64, 66, 130)]
    np.testing.assert_array_equal(Levenshtein().cross(X, L), naive.cross(naive.levenshtein, X, L))


def test_a_hundred_thousand_letters(rng):
    x = "".join(rng.choice(list("acgt"), size=100_000))
    y = x[:50_000] + "tt" + x[50_000:-3]
    backend = sm.engine.backend().name
    if backend == "reference":
        x, y = x[:3000], x[:1500] + "tt" + x[1500 : 3000 - 3]
    assert Levenshtein().cross([x], [y])[0, 0] == 5


def test_an_alphabet_of_a_hundred_thousand(rng):
    symbols = np.array([chr(c) for c in range(0x10000, 0x10000 + 100_000)])
    X = ["".join(rng.choice(symbols, size=30)) for _ in range(20)]
    L = [x[:10] + x[12:] for x in X] + ["".join(rng.choice(symbols, size=200)) for _ in range(40)]
    got = Levenshtein().cross(X, L)
    assert (got[:, :20].diagonal() == 2).all()
    np.testing.assert_array_equal(got, naive.cross(naive.levenshtein, X, L))


@pytest.mark.parametrize("L", [["λμν"], ["abc"], ["語🐟"], [""], ["", ""]])
@pytest.mark.parametrize("X", [["abc", "λ"], ["🐟", ""], ["a"], [""]])
def test_texts_and_landmarks_of_different_widths(X, L):
    np.testing.assert_array_equal(Levenshtein().cross(X, L), naive.cross(naive.levenshtein, X, L))


def test_bytes():
    got = Levenshtein().cross([b"\x00\xff", b""], [b"\xff"])
    np.testing.assert_array_equal(got, [[1], [1]])


def test_threads_and_instruction_sets_agree_exactly(rng):
    X = ["".join(rng.choice(list("acgtn"), size=k)) for k in rng.integers(0, 90, size=300)]
    expected = Levenshtein().cross(X, X[:100], n_jobs=1)
    for name in HERE:
        with sm.engine.using(name):
            for n_jobs in (1, 2, 3):
                got = Levenshtein().cross(
                    X[:60] if name == "reference" else X, X[:100], n_jobs=n_jobs
                )
                np.testing.assert_array_equal(got, expected[: len(got)])
    np.testing.assert_array_equal(Levenshtein().cross(X)[:, :100], expected)


COUSINS = [
    (DamerauLevenshtein(), naive.damerau),
    (OptimalAlignment(), naive.osa),
    (Indel(), lambda a, b: len(a) + len(b) - 2 * naive.lcs(a, b)),
    (LCS(), naive.lcs),
    (JaroWinkler(), naive.jaro_winkler),
    (JaroWinkler(prefix_weight=0.0), naive.jaro),
]


@pytest.mark.parametrize(("measure", "definition"), COUSINS, ids=lambda m: getattr(m, "name", ""))
@given(X=texts, L=texts)
def test_cousins_equal_the_textbook(measure, definition, X, L):
    np.testing.assert_allclose(measure.cross(X, L), naive.cross(definition, X, L), rtol=1e-6)


@pytest.mark.parametrize(
    ("measure", "module", "function"),
    [
        (DamerauLevenshtein(), "DamerauLevenshtein", "distance"),
        (OptimalAlignment(), "OSA", "distance"),
        (Indel(), "Indel", "distance"),
        (LCS(), "LCSseq", "similarity"),
        (JaroWinkler(), "JaroWinkler", "similarity"),
        (JaroWinkler(prefix_weight=0.0), "Jaro", "similarity"),
        (DamerauLevenshtein().normalised(), "DamerauLevenshtein", "normalized_distance"),
        (Indel().normalised(), "Indel", "normalized_distance"),
    ],
    ids=repr,
)
def test_rapidfuzz_agrees(measure, module, function, rng):
    distance = pytest.importorskip("rapidfuzz.distance")
    lengths = [*rng.integers(0, 12, 60), *rng.integers(0, 90, 25), 64, 65, 130]
    X = ["".join(rng.choice(list("abcdé"), size=k)) for k in lengths]
    if sm.engine.backend().name == "reference":
        X = X[::4]
    one = getattr(getattr(distance, module), function)
    np.testing.assert_allclose(measure.cross(X), naive.cross(one, X, X), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("weight", [-0.1, 0.3, "much", None])
def test_prefix_weights_outside_their_range(weight):
    with pytest.raises(ValueError, match="prefix_weight must be a number from 0 to 0.25"):
        JaroWinkler(prefix_weight=weight).cross(["sea"])
