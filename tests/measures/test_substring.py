"""Strings against substrings: other programs' values, marked ends, and cutting pieces."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import seamark as sm
from every_backend import ENGINES
from seamark.data import Substrings, strings
from seamark.measures import Substring

GOLDEN = json.loads(Path(__file__).parents[1].joinpath("golden/substring_edlib.json").read_text())
letters = st.text(st.sampled_from("abé語🐟"), max_size=6)


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: case["texts"][2])
@pytest.mark.parametrize("backend", ENGINES)
@pytest.mark.parametrize("ends", [True, False])
def test_edlib_agrees(case, backend, ends):
    with sm.engine.using(backend):
        got = Substring(ends=ends).cross(case["texts"], case["parts"])
    np.testing.assert_array_equal(got, case["values"])


@given(st.lists(letters, min_size=1, max_size=4), st.lists(letters, min_size=1, max_size=4))
def test_equals_textbook_on_any_text(X, L):
    marked = [f"␂{x}␃" for x in X]
    L = [*L, *(f"␂{part}" for part in L), *(f"{part}␃" for part in L)]
    np.testing.assert_array_equal(Substring().cross(X, L), naive.cross(naive.sellers, marked, L))
    np.testing.assert_array_equal(Substring(False).cross(X, L), naive.cross(naive.sellers, X, L))


def test_bytes_have_marks_of_their_own():
    got = Substring().cross([b"seamark", b"\xff"], [b"\x02sea", b"\x03", b"sea\x03"])
    np.testing.assert_array_equal(got, [[0, 0, 1], [3, 0, 3]])


def test_x_cannot_stand_for_its_parts():
    with pytest.raises(ValueError, match="strings with substrings.*give the landmarks"):
        Substring().cross(["sea", "mark"])
    with pytest.raises(ValueError, match="ends must be True or False"):
        Substring(ends="both").cross(["sea"], ["s"])
    with pytest.raises(ValueError, match="text.*bytes"):
        Substring().cross([b"sea"], ["s"])


@pytest.mark.parametrize("ends", [True, False])
@pytest.mark.parametrize("make", [lambda w: w, str.encode], ids=["text", "bytes"])
def test_pieces_come_from_their_sources(ends, make, rng):
    X = strings.ingest([make(w) for w in ["seamark", "", "a", "landmark", "lighthouse"] * 3])
    parts, sources = Substrings(ends=ends).cut(X, 60, rng)
    assert len(set(parts)) == len(parts) == len(sources) == 60
    assert parts.lengths.max() == 8
    D = Substring(ends=ends).cross(X, parts)
    assert (D[sources, np.arange(60)] == 0).all()
    marked = [p for p in parts if any(ord(c) in (2, 3, 0x2402, 0x2403) for c in _text(p))]
    assert bool(marked) is ends


def test_pieces_run_out():
    parts, sources = Substrings(ends=False).cut(strings.ingest(["ab", "ab"]), 9, _rng())
    assert list(parts) == ["ab"]
    assert len(sources) == 1
    with pytest.raises(ValueError, match="all strings are empty"):
        Substrings(ends=False).cut(strings.ingest(["", ""]), 9, _rng())
    parts, _ = Substrings().cut(strings.ingest([""]), 3, _rng())
    assert list(parts) == ["␂␃"]


def test_pieces_are_those_of_the_seed():
    X = strings.ingest(["seamark", "landmark"])
    first, second = (list(Substrings().cut(X, 9, _rng())[0]) for _ in range(2))
    assert first == second


def test_random_pieces():
    X = strings.ingest(["seamark", "landmark"])
    drawn = Substrings().draw(50, _rng(), like=X)
    assert drawn.domain == Substrings()
    assert {int(k) for k in drawn.lengths} == set(range(2, 9))


def _text(piece):
    return piece.decode() if isinstance(piece, bytes) else piece


def _rng():
    return np.random.default_rng(0)


def test_algebra_keeps_the_landmarks_apart():
    doubled = 2 * Substring()
    assert doubled.compares_parts
    np.testing.assert_array_equal(doubled.cross(["seamark"], ["sae"]), [[2]])
    both = Substring() + 0.5 * Substring()
    np.testing.assert_array_equal(both.cross(["seamark"], ["sae"]), [[1.5]])
    with pytest.raises(ValueError, match="substrings and one of strings"):
        (Substring() + sm.measures.Levenshtein()).cross(["sea"], ["s"])
    with pytest.raises(TypeError, match="cannot be normalised"):
        Substring().normalised().cross(["sea"], ["s"])
