"""Rows of CSV that are fetched many at a time are those that are fetched one by one."""

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seamark.cli.tables import DataError, csv_pieces

CELLS = st.text(st.sampled_from('ab,"\n\r é'), max_size=6)
ROWS = st.lists(st.one_of(st.just([]), st.tuples(CELLS, CELLS).map(list)), max_size=40)


def text_of(rows, before=""):
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL)
    out.write(f"{before}a,b\r\n")
    for row in rows:
        writer.writerow(row)
    return out.getvalue()


def rows_of(table):
    return [list(row) for row in zip(*table.cells.values(), strict=True)]


def one_by_one(text):
    """Return rows with their lines, as Python's reader gives them."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    return [(row, reader.line_num) for row in reader if row][1:]


@settings(deadline=None)
@given(ROWS, st.integers(1, 9), st.integers(1, 40), st.sampled_from(["", "\n\r\n"]))
def test_pieces_are_all_rows_with_their_lines(rows, size, most, before):
    text = text_of(rows, before)
    pieces = list(csv_pieces(io.StringIO(text, newline=""), "d.csv", "csv", None, size, most))
    found = [pair for one in pieces for pair in zip(rows_of(one), one.lines, strict=True)]
    assert found == one_by_one(text)
    assert all(len(one) <= size for one in pieces)
    for one in pieces[:-1]:
        letters = [sum(map(len, row)) for row in rows_of(one)]
        assert len(one) == size or sum(letters) >= most
    (whole,) = csv_pieces(io.StringIO(text, newline=""), "d.csv", "csv", None)
    assert rows_of(whole) == [row for row, _ in found]


def test_long_rows_are_fetched_few_at_a_time():
    """A piece may have about as many characters as it should, however long its rows are."""
    lines = io.StringIO("a,b\n" + f"{'x' * 1000},y\n" * 5000, newline="")
    sizes = [len(one) for one in csv_pieces(lines, "d.csv", "csv", None, 10**6, 20_000)]
    assert sum(sizes) == 5000
    assert max(sizes) <= 25


@pytest.mark.parametrize("bad", [7, 3000, 4999])
def test_what_is_wrong_names_its_line(bad):
    rows = [["x", "y"]] * 5000
    rows[bad] = ["x"]
    with pytest.raises(DataError, match=rf"line {bad + 2} of d.csv has 1 field and the header"):
        list(csv_pieces(io.StringIO(text_of(rows), newline=""), "d.csv", "csv", None, 400))
