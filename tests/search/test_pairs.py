"""Duplicates and links are the pairs that comparing everything with everything gives."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import seamark as sm
from seamark.measures.edit import LONGEST
from seamark.search import near_pairs

rng = np.random.default_rng(1)


def by_force(values, within, own, distance=True):
    near = values <= within if distance else values >= within
    rows = np.argwhere(np.triu(near, 1) if own else near)
    return [(int(i), int(j), float(values[i, j])) for i, j in rows]


texts = st.lists(st.text("abé中", max_size=12), min_size=1, max_size=40)


@settings(max_examples=80, deadline=None)
@given(X=texts, Y=texts, within=st.integers(0, 5))
def test_strings_within_some_edits(X, Y, within):
    found = sm.duplicates(X, within=within)
    assert list(found) == by_force(sm.cross("levenshtein", X), within, own=True)
    assert list(sm.link(X, Y, within=within)) == by_force(
        sm.cross("levenshtein", X, Y), within, own=False
    )


@pytest.mark.parametrize("within", [0, 1, 2, 4, 9])
def test_edited_strings_of_all_lengths(within):
    """Lengths around one and several words of 64, as edited copies of each other."""
    X = []
    for length in (3, 20, 63, 64, 65, 127, 128, 129, 200):
        start = rng.choice(list("abcdefgh"), length)
        for _ in range(6):
            copy = start.tolist()
            for _ in range(rng.integers(0, 6)):
                at = int(rng.integers(len(copy) + 1))
                new = [[], ["x"], ["y", "z"]][rng.integers(3)]
                copy[at : at + int(rng.integers(2))] = new
            X.append("".join(copy))
    expected = by_force(sm.cross("levenshtein", X), within, own=True)
    assert list(sm.duplicates(X, within=within)) == expected
    half = len(X) // 2
    expected = by_force(sm.cross("levenshtein", X[:half], X[half:]), within, own=False)
    assert list(sm.link(X[:half], X[half:], within=within)) == expected


def test_many_names_on_two_threads(monkeypatch):
    monkeypatch.setattr("seamark.engine.edits.JOINED_ROWS", 64)
    words = ["".join(rng.choice(list("aeioklmnrst"), rng.integers(2, 7))) for _ in range(60)]
    names = [" ".join(rng.choice(words, 2)) for _ in range(700)]
    found = sm.duplicates(names, within=2, n_jobs=2)
    assert list(found) == by_force(sm.cross("levenshtein", names), 2, own=True)


VECTORS = rng.normal(size=(70, 2))
SERIES = [rng.normal(size=rng.integers(3, 7)) for _ in range(40)]
WORDS = ["".join(rng.choice(list("ab"), rng.integers(0, 6))) for _ in range(60)]


@pytest.mark.parametrize(
    ("measure", "X", "within"),
    [
        ("euclidean", VECTORS, 0.5),
        ("cosine", VECTORS, 0.9),
        ("dtw", SERIES, 1.5),
        ("osa", WORDS, 1),
        ("jaro_winkler", WORDS, 0.9),
        (sm.measures.Custom(lambda x, y: abs(len(x) - len(y)), "distance"), WORDS, 0.0),
    ],
)
def test_other_measures_through_the_index(measure, X, within, monkeypatch):
    monkeypatch.setattr(near_pairs, "QUERIED_ROWS", 16)
    distance = sm.measures.get(measure).kind == "distance"
    found = sm.duplicates(X, measure, within=within)
    expected = by_force(sm.cross(measure, X), within, True, distance)
    assert [pair[:2] for pair in found] == [pair[:2] for pair in expected]
    np.testing.assert_allclose(found.values, [pair[2] for pair in expected], rtol=1e-5)
    found = sm.link(X[:20], X[20:], measure, within=within)
    expected = by_force(sm.cross(measure, X[:20], X[20:]), within, False, distance)
    assert [pair[:2] for pair in found] == [pair[:2] for pair in expected]


def test_groups_are_connected_objects():
    names = ["aaaa", "zzzz", "aaab", "aabb", "zzzy", "mmmm"]
    found = sm.duplicates(names, within=1)
    assert [rows.tolist() for rows in found.members()] == [[0, 2, 3], [1, 4]]
    assert found.labels().tolist() == [0, 1, 0, 0, 1, -1]
    assert (found.n_groups, len(found)) == (2, 3)
    nothing = sm.duplicates(["a", "bcd"], within=1)
    assert (len(nothing), nothing.n_groups, nothing.members()) == (0, 0, [])
    assert nothing.labels().tolist() == [-1, -1]
    links = sm.link(["ab", "x"], ["b", "ab", "y"], within=1)
    assert links.groups.tolist() == [0, 0, 0, 0]  # x is near b, and b is near ab


def test_what_people_see():
    found = sm.duplicates(["<b>\x1b", "<b>", "<b>c"], within=1)
    assert str(found).splitlines()[:2] == ["3 pairs in 1 group", "1: <b>␛ ~ <b>"]
    assert "\x1b" not in str(found)
    assert "<b>" not in found._repr_html_()
    frame = found.to_frame()
    assert list(frame.columns) == ["left", "right", "value", "group", "left_object", "right_object"]
    assert frame["right_object"].tolist()[0] == "<b>"


def test_refusals():
    with pytest.raises(ValueError, match="more than 5 pairs are within 1; choose a smaller"):
        sm.duplicates(["a"] * 5, within=1, max_pairs=5)
    with pytest.raises(ValueError, match="more than 5 pairs"):
        sm.duplicates(np.zeros((5, 2)), "euclidean", within=1, max_pairs=5)
    with pytest.raises(ValueError, match="within must be a finite number, not None"):
        sm.duplicates(["a"], within=None)
    with pytest.raises(ValueError, match="holds every pair already"):
        sm.duplicates(np.eye(3), "precomputed", within=1)
    with pytest.raises(ValueError, match="small or large"):
        sm.duplicates(["a"], lambda x, y: 0.0, within=1)
    with pytest.raises(ValueError, match="a search for pairs compares strings with each other"):
        sm.duplicates(["a"], "substring", within=1)
    with pytest.raises(ValueError, match="x.decode"):
        sm.link(["a"], [b"a"], within=1)
    with pytest.raises(TypeError, match="string 1 is missing"):
        sm.duplicates(["a", None], within=1)
    with pytest.raises(ValueError, match="rows of two collections"):
        sm.link(["a"], ["a"], within=1).members()


def test_long_strings_go_through_the_index():
    X = ["a" * LONGEST, "a" * LONGEST + "b", "cd"]
    assert list(sm.duplicates(X, within=1)) == [(0, 1, 1.0)]


@pytest.mark.parametrize("within", [-1, -0.5, float("nan")])
def test_no_distance_is_negative(within):
    with pytest.raises(ValueError, match=r"within(=-.* is negative|.* finite number, not nan)"):
        sm.duplicates(["sea", "see"], within=within)
    with pytest.raises(ValueError, match="within"):
        sm.link(["sea"], ["see"], within=within)
