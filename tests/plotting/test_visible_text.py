import unicodedata

import numpy as np
import pytest
from hostile import HOSTILE
from hypothesis import given
from hypothesis import strategies as st

from seamark.plotting.text import UNSEEN, escaped, glyph, visible

ANY = st.text(st.characters(min_codepoint=0, max_codepoint=0x10FFFF))  # surrogates too


@given(ANY)
def test_nothing_stays_invisible_and_all_can_be_written(text):
    shown = visible(text)
    assert not [c for c in shown if unicodedata.category(c) in UNSEEN]
    shown.encode("utf-8")
    assert visible(shown) == shown


@given(ANY)
def test_escaped_text_can_stand_between_tags_and_in_quotes(text):
    assert not set(escaped(text)) & set("<>\"'")


@given(st.characters(min_codepoint=0, max_codepoint=0x10FFFF))
def test_a_letter_takes_one_place(character):
    shown = glyph(character)
    assert sum(unicodedata.combining(c) == 0 for c in shown) == 1 or shown[0] == "◌"


@pytest.mark.parametrize("text", HOSTILE[:16])
def test_what_can_be_seen_is_left_alone(text):
    assert visible(text) == text


@pytest.mark.parametrize(
    ("thing", "shown"),
    [
        (b"a\x00\xe9", "a␀é"),
        (("a", "b"), "a − b"),
        (np.array([1.0, 2.5]), "[1 2.5]"),
        (np.zeros((3, 4)), "[0 0 0 0 0 0 …] (3 × 4)"),
        ({"a": "\u202e"}, "{'a': '\\u202e'}"),
        (np.array(3.0), "3.0"),
    ],
)
def test_objects_of_other_types(thing, shown):
    assert visible(thing) == shown
