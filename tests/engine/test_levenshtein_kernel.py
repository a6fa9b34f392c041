"""The Levenshtein kernels, native on every instruction set and in numpy, against the textbook."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import naive
from every_backend import ENGINES, HERE, kernels_of
from seamark.engine import reference

Strings = Sequence[Sequence[int]]
Make = Callable[[NDArray[np.int32], NDArray[np.int64], int], Any]


@pytest.fixture(params=ENGINES)
def make(request: pytest.FixtureRequest) -> Make:
    """Return a function that makes a plan, for every implementation."""
    return maker(request.param)


def maker(name: str) -> Make:
    return kernels_of(name).levenshtein


def flat(strings: Strings) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    offsets = np.concatenate([[0], np.cumsum([len(s) for s in strings])]).astype(np.int64)
    return np.array([c for s in strings for c in s], dtype=np.int32), offsets


def distances(make: Make, texts: Strings, landmarks: Strings, n_symbols: int) -> NDArray[Any]:
    plan = make(*flat(landmarks), n_symbols)
    assert plan.n_landmarks == len(landmarks)
    out = np.full((len(texts), len(landmarks)), np.nan, dtype=np.float32)
    plan.run(*flat(texts), out, np.zeros(1, np.uint8))
    return out


def assert_exact(texts: Strings, landmarks: Strings, n_symbols: int) -> None:
    """Compare every implementation with the textbook, which is slow, and asked once."""
    expected = naive.cross(naive.levenshtein, texts, landmarks)
    for name in HERE:
        found = distances(maker(name), texts, landmarks, n_symbols)
        np.testing.assert_array_equal(found, expected, err_msg=name)


def random_strings(
    rng: np.random.Generator, lengths: Sequence[int], n_symbols: int
) -> list[list[int]]:
    return [rng.integers(0, n_symbols, length).tolist() for length in lengths]


def ramp(n: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return one string of n equal symbols."""
    return np.zeros(n, np.int32), np.array([0, n], np.int64)


STOP = np.zeros(1, np.uint8)


def strings_of(largest: int) -> st.SearchStrategy[list[list[int]]]:
    return st.lists(st.lists(st.integers(0, largest), max_size=150), max_size=12)


@settings(max_examples=60, deadline=None)
@given(data=st.data(), n_symbols=st.sampled_from([1, 2, 4, 40]))
def test_any_strings(data: st.DataObject, n_symbols: int) -> None:
    landmarks = data.draw(strings_of(n_symbols - 1))
    texts = data.draw(strings_of(n_symbols))
    assert_exact(texts, landmarks, n_symbols)


@settings(max_examples=60, deadline=None)
@given(lengths=st.lists(st.integers(0, 70), max_size=300), seed=st.integers(0, 2**32 - 1))
def test_any_packing(lengths: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    landmarks, texts = random_strings(rng, lengths, 5), random_strings(rng, (0, 9, 33), 6)
    assert_like_reference(texts, landmarks, 5)


def assert_like_reference(texts: Strings, landmarks: Strings, n_symbols: int) -> NDArray[Any]:
    expected = distances(reference.LevenshteinPlan, texts, landmarks, n_symbols)
    for name in HERE[1:]:
        found = distances(maker(name), texts, landmarks, n_symbols)
        np.testing.assert_array_equal(found, expected, err_msg=name)
    return expected


@pytest.mark.parametrize("length", [1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 192, 256, 257])
@pytest.mark.parametrize("n_landmarks", [1, 7, 33])
def test_equal_lengths(length: int, n_landmarks: int) -> None:
    rng = np.random.default_rng(length)
    landmarks = random_strings(rng, [length] * n_landmarks, 3)
    near = [symbol if rng.random() < 0.8 else 3 for symbol in landmarks[0]]
    texts = [landmarks[0], near, near[3:], *random_strings(rng, (0, 1, 2, 64, 130), 4)]
    found = assert_like_reference(texts, landmarks, 3)
    expected = naive.cross(naive.levenshtein, texts, landmarks[:3])
    np.testing.assert_array_equal(found[:, :3], expected)


def test_many_landmarks() -> None:
    """All sorts of blocks in one plan, and more than one tile of texts."""
    rng = np.random.default_rng(0)
    landmarks = random_strings(rng, rng.integers(0, 51, 400).tolist() + [0, 300, 64, 70] * 5, 20)
    texts = random_strings(rng, rng.integers(0, 40, 350).tolist(), 21)
    found = assert_like_reference(texts, landmarks, 20)
    sample = rng.choice(len(texts), 4, replace=False)
    expected = naive.cross(naive.levenshtein, [texts[i] for i in sample], landmarks)
    np.testing.assert_array_equal(found[sample], expected)


def test_results_in_order_or_scattered() -> None:
    """Far columns share words where that saves words; else a block takes neighbours only."""
    rng = np.random.default_rng(1)
    lengths = [*rng.integers(40, 51, 30).tolist(), *[14] * 30]
    assert_exact(random_strings(rng, (5, 60), 9), random_strings(rng, lengths, 8), 8)
    assert_exact(random_strings(rng, (5, 60), 9), random_strings(rng, [3] * 300, 8), 8)


def test_large_alphabet() -> None:
    rng = np.random.default_rng(2)
    landmarks = random_strings(rng, (40, 64, 100, 3, 200), 100_000)
    texts = [landmarks[2], landmarks[0] + [100_000], *random_strings(rng, (80,), 100_001)]
    assert_exact(texts, landmarks, 100_000)


def test_very_long_landmark() -> None:
    rng = np.random.default_rng(3)
    landmark = rng.integers(0, 3, 100_000).tolist()
    assert_exact([landmark[500:510], [3, 0, 1], []], [landmark, landmark[:1000]], 3)


def test_very_long_text() -> None:
    rng = np.random.default_rng(4)
    text = rng.integers(0, 4, 100_000).tolist()
    landmarks = [text[90:100], text[:5], *random_strings(rng, (330,), 3)]
    landmarks = [[min(symbol, 2) for symbol in landmark] for landmark in landmarks]
    texts = [[0, 1], text, [2]]
    swapped = distances(reference.LevenshteinPlan, landmarks, texts, 4)
    for name in HERE:
        found = distances(maker(name), texts, landmarks, 3)
        np.testing.assert_array_equal(found, swapped.T, err_msg=name)


@pytest.mark.parametrize("length", [3, 64, 100, 1000])
def test_one_symbol(make: Make, length: int) -> None:
    texts = [[0] * n for n in (0, 1, 63, 64, 65, 300)]
    found = distances(make, texts, [[0] * length], 1)
    np.testing.assert_array_equal(found[:, 0], [abs(len(t) - length) for t in texts])


def test_nothing(make: Make) -> None:
    assert distances(make, [], [], 0).shape == (0, 0)
    assert distances(make, [[0], []], [], 0).shape == (2, 0)
    assert distances(make, [], [[0]], 1).shape == (0, 1)
    np.testing.assert_array_equal(distances(make, [[], [0, 0]], [[], []], 0), [[0, 0], [2, 2]])


def test_slice_of_texts_and_strided_rows(make: Make) -> None:
    rng = np.random.default_rng(5)
    texts, landmarks = random_strings(rng, range(20), 5), random_strings(rng, range(30), 4)
    plan = make(*flat(landmarks), 4)
    codes, offsets = flat(texts)
    wide = np.full((10, 50), -1, dtype=np.float32)
    plan.run(codes, offsets[7:18], wide[:, 10:40], STOP)
    expected = naive.cross(naive.levenshtein, texts[7:17], landmarks)
    np.testing.assert_array_equal(wide[:, 10:40], expected)
    assert (wide[:, :10] == -1).all()
    assert (wide[:, 40:] == -1).all()


def test_slice_of_landmarks(make: Make) -> None:
    landmarks = [[0, 1, 2], [3, 3], [], [1] * 70, [2]]
    codes, offsets = flat(landmarks)
    out = np.empty((1, 3), dtype=np.float32)
    make(codes, offsets[1:5], 4).run(*flat([[1, 3]]), out, STOP)
    expected = naive.cross(naive.levenshtein, [[1, 3]], landmarks[1:4])
    np.testing.assert_array_equal(out, expected)


def test_several_threads() -> None:
    rng = np.random.default_rng(6)
    landmarks = random_strings(rng, rng.integers(0, 90, 60).tolist(), 9)
    texts = random_strings(rng, rng.integers(0, 60, 40).tolist(), 10)
    expected = naive.cross(naive.levenshtein, texts, landmarks)
    for name in HERE:
        run = maker(name)(*flat(landmarks), 9).run
        outs = [np.empty((40, 60), dtype=np.float32) for _ in range(4)]
        threads = [threading.Thread(target=run, args=(*flat(texts), out, STOP)) for out in outs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for out in outs:
            np.testing.assert_array_equal(out, expected, err_msg=name)


def test_stop(make: Make) -> None:
    out = np.full((1, 1), -1, dtype=np.float32)
    make(*ramp(5), 1).run(*ramp(3), out, np.ones(1, np.uint8))
    assert out[0, 0] == -1


@pytest.mark.parametrize(
    ("codes", "offsets", "n_symbols"),
    [
        ([0, 4], [0, 2], 4),
        ([-1, 0], [0, 2], 4),
        ([0, 1], [0, 3], 4),
        ([0, 1], [-1, 2], 4),
        ([0, 1], [0, 2, 1], 4),
        ([0, 1], [], 4),
        ([0], [0, 1], 0),
        ([], [0], -1),
    ],
)
def test_bad_landmarks(make: Make, codes: list[int], offsets: list[int], n_symbols: int) -> None:
    with pytest.raises(ValueError, match=r"offsets|codes|n_symbols"):
        make(np.array(codes, np.int32), np.array(offsets, np.int64), n_symbols)


@pytest.mark.parametrize(
    ("codes", "offsets", "shape"),
    [
        ([0, 5], [0, 2], (1, 2)),
        ([0, -1], [0, 2], (1, 2)),
        ([0, 4], [0, 3], (1, 2)),
        ([0, 4], [-1, 2], (1, 2)),
        ([0, 4], [0, 2, 1, 2], (3, 2)),
        ([0, 4], [], (0, 2)),
        ([0, 4], [0, 2], (1, 3)),
        ([0, 4], [0, 2], (2, 2)),
    ],
)
def test_bad_texts(
    make: Make, codes: list[int], offsets: list[int], shape: tuple[int, int]
) -> None:
    plan = make(*flat([[0, 1], [3]]), 4)
    with pytest.raises(ValueError, match=r"offsets|codes|out"):
        plan.run(
            np.array(codes, np.int32),
            np.array(offsets, np.int64),
            np.empty(shape, np.float32),
            STOP,
        )


def test_unknown_instruction_set() -> None:
    native = pytest.importorskip("seamark.engine._native")
    with pytest.raises(ValueError, match="instruction set"):
        native.LevenshteinPlan(*ramp(2), 1, "v9")
