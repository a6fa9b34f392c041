from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

import naive
from seamark.plotting.objects import aligned, runs

WORDS = st.text("abc\x00\ud800🐟", max_size=12)


@given(WORDS, WORDS)
def test_as_few_edits_as_the_edit_distance(a, b):
    columns = aligned(a, b)
    assert sum(x != y for x, y in columns) == naive.levenshtein(a, b)
    assert "".join(x for x, _ in columns) == a
    assert "".join(y for _, y in columns) == b
    assert ("", "") not in columns


@given(WORDS, WORDS)
def test_runs_are_the_same_columns_in_states_that_alternate(a, b):
    parts = runs(aligned(a, b))
    assert [column for _, some in parts for column in some] == aligned(a, b)
    states = [state for state, _ in parts]
    assert all(first != second for first, second in pairwise(states))
    assert all(x == y for state, some in parts if state == "same" for x, y in some)
