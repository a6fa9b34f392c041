"""Kernels of strings in lanes, on every instruction set and in numpy, against the textbook."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import naive
from every_backend import ENGINES, HERE, kernels_of

Strings = Sequence[Sequence[int]]
STOP = np.zeros(1, np.uint8)
TEXTBOOK: dict[str, Callable[..., float]] = {
    "substring": naive.sellers,
    "lcs": naive.lcs,
    "osa": naive.osa,
    "jaro": partial(naive.jaro_winkler, weight=0.2),
    "damerau": naive.damerau,
}


def flat(strings: Strings) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    offsets = np.concatenate([[0], np.cumsum([len(s) for s in strings])]).astype(np.int64)
    return np.array([c for s in strings for c in s], dtype=np.int32), offsets


def compiled(name: str, measure: str, landmarks: Strings, n: int) -> Any:
    backend = kernels_of(name)
    if measure == "damerau":
        return backend.damerau(*flat(landmarks), n)
    return backend.strings(measure, *flat(landmarks), n, 0.2)


def values(name: str, measure: str, texts: Strings, landmarks: Strings, n: int) -> NDArray[Any]:
    plan = compiled(name, measure, landmarks, n)
    assert plan.n_landmarks == len(landmarks)
    out = np.full((len(texts), len(landmarks)), np.nan, dtype=np.float32)
    plan.run(*flat(texts), out, STOP)
    return out


def assert_right(measure: str, texts: Strings, landmarks: Strings, n: int) -> None:
    expected = naive.cross(TEXTBOOK[measure], texts, landmarks)
    for name in HERE:
        found = values(name, measure, texts, landmarks, n)
        np.testing.assert_allclose(found, expected, rtol=1e-6, err_msg=name)


def drawn(rng: np.random.Generator, lengths: Sequence[int], n: int) -> list[list[int]]:
    return [rng.integers(0, n, length).tolist() for length in lengths]


def strings_of(largest: int) -> st.SearchStrategy[list[list[int]]]:
    return st.lists(st.lists(st.integers(0, largest), max_size=20), max_size=6)


@settings(max_examples=25, deadline=None)
@given(data=st.data(), n=st.sampled_from([1, 2, 4]))
@pytest.mark.parametrize("measure", TEXTBOOK)
def test_any_strings(measure: str, data: st.DataObject, n: int) -> None:
    assert_right(measure, data.draw(strings_of(n)), data.draw(strings_of(n - 1)), n)


@given(st.text("ab", max_size=7), st.text("ab", max_size=5))
def test_one_matrix_finds_what_all_substrings_give(a: str, part: str) -> None:
    assert naive.sellers(a, part) == naive.substring(a, part)


@pytest.mark.parametrize("measure", TEXTBOOK)
@pytest.mark.parametrize("length", [0, 1, 7, 8, 9, 15, 16, 17, 32, 33, 63, 64, 65, 128, 129])
def test_lengths_about_the_widths_of_lanes(measure: str, length: int) -> None:
    rng = np.random.default_rng(length)
    landmarks = drawn(rng, [length, length, length // 2], 3)
    near = [symbol if rng.random() < 0.8 else 3 for symbol in landmarks[0]]
    texts = [landmarks[0], near, near[3:] + near[:3], *drawn(rng, (0, 1, 40), 4)]
    assert_right(measure, texts, landmarks, 3)


@pytest.mark.parametrize("measure", TEXTBOOK)
def test_all_sorts_of_blocks(measure: str) -> None:
    """Lanes of every width, full and idle ones, in the order of the landmarks and out of it."""
    rng = np.random.default_rng(0)
    landmarks = drawn(rng, [*rng.integers(0, 9, 300), *rng.integers(0, 70, 60), 200, 65, 8], 6)
    texts = drawn(rng, rng.integers(0, 40, 25).tolist(), 7)
    expected = values("reference", measure, texts, landmarks, 6)
    sample = [0, 7, 299, 310, 360, 362]
    np.testing.assert_allclose(
        expected[:5, sample],
        naive.cross(TEXTBOOK[measure], texts[:5], [landmarks[k] for k in sample]),
        rtol=1e-6,
    )
    for name in HERE[1:]:
        found = values(name, measure, texts, landmarks, 6)
        np.testing.assert_allclose(found, expected, rtol=1e-6, err_msg=name)


@pytest.mark.parametrize("measure", TEXTBOOK)
def test_long_texts_and_large_alphabets(measure: str) -> None:
    rng = np.random.default_rng(2)
    long = drawn(rng, (450,), 3)[0]
    # Windows of Jaro's similarity are as wide as half of the longer string.
    assert_right(measure, [long, long[300:]], [long[250:258], long[:3], long[5:80]], 3)
    landmarks = drawn(rng, (40, 64, 100, 3), 100_000)
    texts = [landmarks[2], landmarks[0] + [100_000], *drawn(rng, (30,), 100_001)]
    assert_right(measure, texts, landmarks, 100_000)


@pytest.mark.parametrize("measure", TEXTBOOK)
@pytest.mark.parametrize("name", ENGINES)
def test_slices_stop_and_nothing(measure: str, name: str) -> None:
    rng = np.random.default_rng(5)
    texts, landmarks = drawn(rng, range(20), 5), drawn(rng, range(30), 4)
    plan = compiled(name, measure, landmarks, 4)
    codes, offsets = flat(texts)
    wide = np.full((10, 50), -1, dtype=np.float32)
    plan.run(codes, offsets[7:18], wide[:, 10:40], STOP)
    expected = naive.cross(TEXTBOOK[measure], texts[7:17], landmarks)
    np.testing.assert_allclose(wide[:, 10:40], expected, rtol=1e-6)
    assert (wide[:, :10] == -1).all()
    assert (wide[:, 40:] == -1).all()
    wide[:] = -1
    plan.run(codes, offsets[7:18], wide[:, 10:40], np.ones(1, np.uint8))
    assert (wide == -1).all()
    assert values(name, measure, [], [[0]], 1).shape == (0, 1)
    assert values(name, measure, [[0], []], [], 0).shape == (2, 0)


@pytest.mark.parametrize("name", ENGINES)
def test_what_is_no_string_is_refused(name: str) -> None:
    strings = kernels_of(name).strings
    plan = strings("osa", *flat([[0, 1], [3]]), 4)
    out = np.empty((1, 2), np.float32)
    for codes, offsets in ([0, 5], [0, 2]), ([0, -1], [0, 2]), ([0, 4], [0, 3]):
        arrays = np.array(codes, np.int32), np.array(offsets, np.int64)
        with pytest.raises(ValueError, match="offsets|codes"):
            plan.run(*arrays, out, STOP)
        with pytest.raises(ValueError, match="offsets|codes"):
            strings("osa", *arrays, 4)
    with pytest.raises(ValueError, match="out"):
        plan.run(*flat([[0]]), np.empty((1, 3), np.float32), STOP)
    with pytest.raises((ValueError, KeyError), match="hamming"):
        strings("hamming", *flat([[0]]), 1)
