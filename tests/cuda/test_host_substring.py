"""The CUDA kernel of nearest substrings, on the host and on a GPU, against the numpy reference."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seamark.engine.cuda.strings import SubstringPlan
from seamark.engine.reference import StringsPlan

GO = np.zeros(1, np.uint8)


def flat(strings):
    offsets = np.concatenate([[0], np.cumsum([len(s) for s in strings])]).astype(np.int64)
    return np.concatenate([np.zeros(0, np.int32), *strings]).astype(np.int32), offsets


def drawn(rng, lengths, n_symbols):
    return [rng.integers(0, n_symbols, n) for n in lengths]


def assert_exact(device, texts, landmarks, n_symbols):
    X, L = flat(texts), flat(landmarks)
    found, expected = (np.full((len(texts), len(landmarks)), np.nan, np.float32) for _ in range(2))
    SubstringPlan(device, *L, n_symbols).run(*X, found, GO)
    StringsPlan("substring", *L, n_symbols).run(*X, expected, GO)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("landmarks", "texts", "n_symbols"),
    [
        pytest.param((2, 9), (0, 90), 8, id="as pieces are cut"),
        pytest.param((0, 16), (0, 60), 3, id="every length of few planes"),
        pytest.param((10, 64), (0, 90), 4, id="six planes"),
        pytest.param((60, 300), (0, 400), 3, id="in strips"),
        pytest.param((2, 40), (0, 90), 3000, id="more symbols than a table has room for"),
    ],
)
def test_equals_the_reference(device, rng, landmarks, texts, n_symbols):
    L = drawn(rng, rng.integers(*landmarks, size=90), n_symbols)
    X = drawn(rng, rng.integers(*texts, size=15), n_symbols + 1)
    assert_exact(device, X, L, n_symbols)


@pytest.mark.parametrize("length", [1, 3, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 129, 256])
def test_lengths_about_the_ends_of_words_and_planes(device, length):
    """Texts that hold a landmark, nearly hold it, or hold it and then much that is far from it."""
    rng = np.random.default_rng(length)
    L = drawn(rng, [length] * 5 + [max(1, length // 2)], 3)
    near = np.where(rng.random(length) < 0.8, L[0], 3)
    far = np.full(length + 2, 3)
    X = [L[0], near, np.concatenate([far, L[1], far, near]), far, L[2][: length // 2], L[0][:0]]
    assert_exact(device, X, L, 3)


def test_many_texts_and_one_too_long_for_shared_memory(device, rng):
    X = drawn(rng, [*rng.integers(0, 30, size=100), 4000, 1], 5)
    assert_exact(device, X, drawn(rng, [2, 5, 8, 30, 90], 4), 4)


def test_nothing_to_do(device):
    for X, L in (([], [[]]), ([[]], []), ([[], []], [[], []])):
        assert_exact(device, X, L, 0)


letters = st.lists(st.lists(st.integers(0, 2), max_size=24), max_size=9)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(letters, letters)
def test_any_strings(host, texts, landmarks):
    assert_exact(host, texts, landmarks, 3)
