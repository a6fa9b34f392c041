"""Tables are read as they are, or refused in a sentence that names the line."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seamark.cli.tables import DataError, Table, read_table, require_names, table_lines


def rows_of(table):
    return [list(row) for row in zip(*table.cells.values(), strict=True)]


def file(tmp_path, content, name="data.csv"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", 'name,n\n"Anna, B.",1\n\nOtto,2\n'),
        ("a.csv", 'name;n\n"Anna, B.";1\nOtto;2'),
        ("a.csv", b'\xef\xbb\xbfname,n\r\n"Anna, B.",1\r\nOtto,2\r\n'),
        ("a.tsv", "name\tn\nAnna, B.\t1\nOtto\t2\n"),
        ("a.csv", "name\tn\nAnna, B.\t1\nOtto\t2\n"),
        ("a.csv", '"name"|n\n"Anna, B."|1\nOtto|2\n'),
        ("a.csv", 'sep=;\nname;n\n"Anna, B.";1\nOtto;2\n'),
        ("a.csv", 'name,n\n"Anna, B.",1\nOtto,2\n'.encode("utf-16")),
        ("a.csv", 'name,n\r"Anna, B.",1\rOtto,2\r'),
        ("A.TAB", "name\tn\nAnna, B.\t1\nOtto\t2\n"),
        ("a.jsonl", '{"name": "Anna, B.", "n": "1"}\n\n{"n": "2", "name": "Otto"}\n'),
    ],
)
def test_formats_agree(tmp_path, name, content):
    table = read_table(file(tmp_path, content, name))
    assert (table.names, rows_of(table)) == (["name", "n"], [["Anna, B.", "1"], ["Otto", "2"]])


def test_a_comma_in_quotes_is_no_delimiter(tmp_path):
    table = read_table(file(tmp_path, '"last, first";n\nAnna;1\n'))
    assert (table.names, rows_of(table)) == (["last, first", "n"], [["Anna", "1"]])


def test_tabs_have_a_name(tmp_path):
    for name in ("tab", r"\t", "\t"):
        assert read_table(file(tmp_path, "a,b\tn\nx,y\t1\n"), delimiter=name).names == ["a,b", "n"]


def test_options_say_what_the_ending_does_not(tmp_path):
    path = file(tmp_path, "näme|n\nAnna|1\n".encode("utf-16"), "data")
    table = read_table(path, "csv", "|", "utf-16")
    assert (table.names, rows_of(table), table.lines) == (["näme", "n"], [["Anna", "1"]], [2])


def test_json_keeps_types_and_misses_openly(tmp_path):
    table = read_table(file(tmp_path, '{"a": 1.5}\n{"b": [1], "a": null}', "a.ndjson"))
    assert (table.names, rows_of(table)) == (["a", "b"], [[1.5, None], [None, [1]]])


def test_lines_are_those_of_the_file(tmp_path):
    table = read_table(file(tmp_path, 'a,b\n"two\nlines",1\n\nx,2\n'))
    assert [table.place(i).split()[1] for i in (0, 1)] == ["3", "5"]


def test_a_genome_is_a_field(tmp_path):
    before = csv.field_size_limit()
    table = read_table(file(tmp_path, "a\n" + "ACGT" * 100_000))
    assert len(table.column("a")[0]) == 400_000
    assert csv.field_size_limit() == before


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.csv", "", "a.csv is empty"),
        ("a.csv", " \n\n", "a.csv is empty"),
        ("a.csv", "sep=;\n", "a.csv is empty"),
        ("a.csv", b"\xff\xfe", "a.csv is empty"),
        ("a.csv", "a,b\n", "has a header and no rows"),
        ("a.csv", "a,b\n1,2\n1,2,3\n", "line 3 of .* has 3 fields and the header has 2"),
        ("a.csv", "a,b\n1\n", "line 2 of .* has 1 field and"),
        ("a.csv", "a,a\n1,2\n", "two columns named 'a'; rename one"),
        ("a.csv", "a,\n1,2\n", "column 2 of .* has no name in the header; give it one, or drop"),
        ("a.csv", 'a,b\n1,"2\n', "is not valid CSV: unexpected end"),
        ("a.csv", b"a,b\n\xe9,2\n", r"is not utf-8 \(byte 0xe9\); say what .* latin-1"),
        ("a.jsonl", '{"a": 1}\n{"a": \n', "line 2 of .* is not JSON"),
        ("a.jsonl", "[1]\n", "line 1 of .* is not a JSON object"),
        ("a.jsonl", "[" * 100_000, "line 1 of .* is not JSON"),
        ("a.xlsx", "x", "ending .* must be one of .csv, .*; got .*say what it is with --format"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, name, content, sentence):
    with pytest.raises(DataError, match=sentence):
        read_table(file(tmp_path, content, name))


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(DataError, match="there is no file"):
        read_table(str(tmp_path / "no.csv"))
    with pytest.raises(DataError, match="is a folder"):
        read_table(str(tmp_path), "csv")
    for name in ("klingon", "rot13"):
        with pytest.raises(DataError, match=f"--encoding {name} is not a known text encoding"):
            read_table(file(tmp_path, "a\n1\n"), encoding=name)
    with pytest.raises(DataError, match="one character, not '::'"):
        read_table(file(tmp_path, "a\n1\n"), delimiter="::")


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\n1\n")))
    assert rows_of(read_table("-")) == [["1"]]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with pytest.raises(DataError, match="standard input is empty"):
        read_table("-")


def test_parquet(tmp_path):
    path = tmp_path / "a.parquet"
    pyarrow = pytest.importorskip("pyarrow", reason="Parquet is read where pyarrow is installed")
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({"a": ["x", None], "n": [1, 2]}), path)
    table = read_table(str(path))
    assert (table.names, rows_of(table)) == (["a", "n"], [["x", 1], [None, 2]])
    path.write_bytes(b"PAR1 nonsense")
    with pytest.raises(DataError, match="not a valid Parquet"):
        read_table(str(path))


READ_BY_ONE_THREAD = """
import os, sys
import pyarrow.parquet
from seamark.cli.tables import read_table

before = len(os.listdir("/proc/self/task"))
read_table(sys.argv[1])
sys.exit(len(os.listdir("/proc/self/task")) - before)
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads are counted there")
def test_parquet_leaves_no_thread_that_frees_its_bytes_while_python_ends(tmp_path):
    pyarrow = pytest.importorskip("pyarrow", reason="Parquet is read where pyarrow is installed")
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({f"c{i}": [1.0, 2.0] for i in range(8)}), tmp_path / "a.pq")
    command = [sys.executable, "-c", READ_BY_ONE_THREAD, str(tmp_path / "a.pq")]
    assert subprocess.run(command, timeout=120, check=False).returncode == 0


@pytest.mark.parametrize("kind", ["date32", "timestamp[s]"])
def test_parquet_dates_that_python_does_not_have(tmp_path, kind):
    pyarrow = pytest.importorskip("pyarrow", reason="Parquet is read where pyarrow is installed")
    from pyarrow import parquet

    number, value = (pyarrow.int32(), 2**31 - 1) if kind == "date32" else (pyarrow.int64(), 2**43)
    dates = pyarrow.array([0, None, value], type=number).view(kind)
    parquet.write_table(pyarrow.table({"a": ["x", "y", "z"], "day": dates}), tmp_path / "a.pq")
    with pytest.raises(DataError, match="'day' in row 3 of .*a.pq is a .* that Python cannot"):
        read_table(str(tmp_path / "a.pq"))


class CountedName(str):
    """A name that counts how often it is compared with another."""

    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other):
        CountedName.compared += 1
        return str.__eq__(self, other)


def test_columns_are_found_without_comparing_all_names():
    names = [CountedName(f"c{i}") for i in range(500)]
    table = Table("t.csv", {name: ["1"] for name in names}, [2])
    CountedName.compared = 0
    require_names(names, "t.csv")
    assert all(table.column(f"c{i}") == ["1"] for i in range(500))
    assert CountedName.compared <= 4 * 500


def test_parquet_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match="pip install 'seamark\\[parquet\\]'"):
        read_table(file(tmp_path, "PAR1", "a.parquet"))


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1)


@given(rows=st.lists(st.tuples(TEXTS, TEXTS), min_size=1), form=st.sampled_from(["csv", "jsonl"]))
def test_what_is_written_is_read_again(tmp_path_factory, rows, form):
    path = tmp_path_factory.getbasetemp() / f"written.{form}"
    lines = table_lines(form, ["a", "b"], [list(row) for row in rows], raw=True)
    path.write_bytes("".join(lines).encode())
    assert [tuple(row) for row in rows_of(read_table(str(path)))] == rows


@given(data=st.binary(max_size=60), form=st.sampled_from(["csv", "tsv", "jsonl"]))
def test_any_bytes_are_a_table_or_a_sentence(tmp_path_factory, data, form):
    path = tmp_path_factory.getbasetemp() / "any.bytes"
    path.write_bytes(data)
    try:
        table = read_table(str(path), form)
    except DataError as error:
        assert "\n" not in repr(str(error))  # noqa: PT017
    else:
        assert all(len(table.column(name)) == len(table) for name in table.names)


def test_json_lines_hold_what_json_has_no_word_for():
    [line] = table_lines("jsonl", ["when"], [[{1}]])
    assert json.loads(line) == {"when": "{1}"}
    with pytest.raises(DataError, match="written as csv, tsv, jsonl, not as parquet"):
        table_lines("parquet", ["a"], [])
