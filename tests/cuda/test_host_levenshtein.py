"""The CUDA kernel of edit distances, on the host and on a GPU, against the numpy reference."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from seamark.engine.cuda.device import best_fit, consecutive
from seamark.engine.cuda.strings import LevenshteinPlan, Width
from seamark.engine.reference import LevenshteinPlan as Reference

GO = np.zeros(1, np.uint8)


def strings(rng, lengths, n_symbols, unknown=0.0):
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    codes = rng.integers(0, n_symbols, offsets[-1])
    return np.where(rng.random(len(codes)) < unknown, n_symbols, codes).astype(np.int32), offsets


def assert_exact(device, texts, landmarks, n_symbols, **options):
    n, R = len(texts[1]) - 1, len(landmarks[1]) - 1
    found, expected = (np.full((n, R), np.nan, np.float32) for _ in range(2))
    LevenshteinPlan(device, *landmarks, n_symbols, **options).run(*texts, found, GO)
    Reference(*landmarks, n_symbols).run(*texts, expected, GO)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("landmarks", "texts", "n_symbols"),
    [
        pytest.param((2, 50), (0, 90), 8, id="as random strings are"),
        pytest.param((0, 8), (0, 60), 4, id="very short"),
        pytest.param((60, 61), (60, 61), 4, id="of one length"),
        pytest.param((100, 200), (0, 80), 4, id="of several words"),
        pytest.param((450, 1300), (0, 700), 4, id="in strips"),
        pytest.param((2, 50), (0, 90), 3000, id="more symbols than a table has room for"),
        pytest.param((2, 50), (0, 90), 70_000, id="more symbols than 16 bits have"),
    ],
)
def test_equals_the_reference(device, rng, landmarks, texts, n_symbols):
    L = strings(rng, rng.integers(*landmarks, size=70), n_symbols)
    X = strings(rng, rng.integers(*texts, size=21), n_symbols, unknown=0.05)
    assert_exact(device, X, L, n_symbols)


@pytest.mark.parametrize(("longest", "words"), [(64, 2), (128, 4), (256, 8)])
def test_any_word_holds_what_fits(device, rng, longest, words):
    L = strings(rng, [*rng.integers(0, longest + 1, size=40), longest, longest - 1], 5)
    X = strings(rng, rng.integers(0, 70, size=9), 5, unknown=0.1)
    assert_exact(device, X, L, 5, widths=[Width(longest, words)])


def test_texts_too_long_for_shared_memory(device, rng):
    L = strings(rng, [3, 60, 300, 600], 4)
    assert_exact(device, strings(rng, [5, 4000, 0, 2600, 7], 4), L, 4)


def test_strips_and_results_of_many_texts(device, rng):
    L = strings(rng, rng.integers(1, 40, size=130), 6)
    assert_exact(device, strings(rng, rng.integers(0, 30, size=150), 6), L, 6)


def test_values_may_stay_narrow(device, rng):
    L, X = strings(rng, [3, 9, 0], 4), strings(rng, [4, 0, 11], 4)
    plan = LevenshteinPlan(device, *L, 4)
    narrow = [plan.values(*X, dtype) for dtype in (np.uint8, np.uint16, np.float32)]
    host = [np.empty((3, 3), a.dtype) for a in narrow]
    for one, out in zip(narrow, host, strict=True):
        device.download(one, out)
    np.testing.assert_array_equal(host[0], host[2])
    np.testing.assert_array_equal(host[1], host[2])


def test_rows_come_in_parts_that_fit(host, rng, monkeypatch):
    L, X = strings(rng, [5] * 10, 4), strings(rng, [6] * 20, 4)
    monkeypatch.setattr(host, "room", 400)
    host.launched.clear()
    assert_exact(host, X, L, 4)
    assert len(host.launched) == 7  # two parts at a time, three rows of 64 bytes each
    monkeypatch.setattr(host, "room", 30)
    with pytest.raises(MemoryError, match="row 0 and its 40 bytes of values need more than the 15"):
        assert_exact(host, X, L, 4)


def test_nothing_to_do(device):
    none = np.zeros(0, np.int32), np.zeros(1, np.int64)
    empty = np.zeros(0, np.int32), np.zeros(3, np.int64)
    for X, L in ((none, empty), (empty, none), (empty, empty)):
        assert_exact(device, X, L, 0)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text("abc", max_size=40), max_size=12), st.lists(st.text("abcd", max_size=30)))
def test_any_strings(host, landmarks, texts):
    def flat(strings):
        offsets = np.concatenate([[0], np.cumsum([len(s) for s in strings])]).astype(np.int64)
        return np.array([ord(c) - 97 for s in strings for c in s], np.int32), offsets

    assert_exact(host, flat(texts), flat(landmarks), 3)


@given(st.lists(st.integers(0, 64), min_size=1, max_size=60))
def test_packed_landmarks_do_not_meet(lengths):
    lengths = np.array(lengths)
    packing = best_fit(np.arange(len(lengths)), lengths, 64)
    used = np.zeros((packing.n_words, 65), int)
    for landmark, word, bit in zip(packing.landmarks, packing.words, packing.bits, strict=True):
        n = lengths[landmark]
        assert bit + n <= 64
        used[word, bit : bit + n + (n > 0)] += 1  # with its guard
    assert used.max(initial=0) <= 1
    assert sorted(packing.landmarks) == list(range(len(lengths)))


def test_blocks_hold_consecutive_landmarks(rng):
    lengths = rng.integers(2, 50, size=1000)
    packings = consecutive(np.arange(1000), lengths, 128, 32)
    members = [np.sort(packing.landmarks) for packing in packings]
    assert np.array_equal(np.concatenate(members), np.arange(1000))
    assert all(packing.n_words <= 32 for packing in packings)
    assert sum(lengths) > 0.9 * 128 * 32 * (len(packings) - 1)
