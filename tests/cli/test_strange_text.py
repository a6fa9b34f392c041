"""Text of strangers neither acts on a terminal nor runs in a spreadsheet."""

import io
import re
import sys

import pytest
from cli_runs import NAMES, SEX, read_csv, run, write_csv
from hypothesis import given
from hypothesis import strategies as st

from seamark.cli.messages import say, show_table, show_text
from seamark.cli.tables import PLAIN_NUMBER, RUN, inert, table_lines

RED = "\x1b[31m"
TITLE = "\x1b]0;owned\x07"
CSI = "\x9b31m"
BACKWARDS = "\u202e"
ACTS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def quiet(text):
    """Whether a terminal would only show it."""
    return not ACTS.search(text)


@pytest.fixture
def strange(tmp_path):
    """A table whose file name, columns, cells and classes all hold escapes."""
    path = tmp_path / f"na{RED}mes{CSI}.csv"
    label = [f"{sex}{TITLE}" for sex in SEX]
    columns = {f"name{RED}{CSI}": [f"{name}{BACKWARDS}{RED}" for name in NAMES], f"sex{RED}": label}
    return write_csv(path, columns | {"n": [f"{i % 5}" for i in range(len(NAMES))]})


def test_nothing_that_is_said_acts(strange, tmp_path, capsys):
    learn = ("--target", f"sex{RED}")
    column = ("--column", f"name{RED}{CSI}")
    model = tmp_path / f"m{RED}{BACKWARDS}"
    for command, code in (
        (("fit", strange, *learn, *column, "-o", model), 0),
        (("fit", strange, *learn, *column, "-o", model), 2),
        (("fit", strange, *learn, "-o", tmp_path / "n"), 0),
        (("fit", strange, *learn, "-o", tmp_path / "n"), 2),
        (("fit", strange, "--target", "no", "-o", tmp_path / "n"), 2),
        (("fit", strange, *learn, "--columns", f"name{RED}{CSI}", "-o", tmp_path / "n"), 2),
        (("fit", strange, *learn, *column, "--order", "f,m", "-o", tmp_path / "n"), 2),
        (("fit", strange, *learn, *column, "-o", tmp_path / "n", "--debug", "--task", "rank"), 2),
        (("fit", strange, *learn, "--bogus", TITLE, "-o", tmp_path / "n"), 2),
        (("assess", strange, *learn, *column, "--html", tmp_path / f"p{RED}"), 0),
        (("assess", strange, *learn, *column, "--json"), 0),
        (("measures", TITLE), 2),
        (("predict", model, f"{strange}x", "--format", "csv"), 2),
    ):
        assert run(*command) == code, capsys.readouterr().err
        said = capsys.readouterr()
        assert quiet(said.out), command
        assert quiet(said.err), command


def test_predictions_on_a_terminal_do_not_act_and_pipes_get_what_there_is(
    strange, tmp_path, capsys, monkeypatch
):
    learn = ("fit", strange, "--target", f"sex{RED}", "--column", f"name{RED}{CSI}")
    assert run(*learn, "-o", tmp_path / "m", "--quiet") == 0
    capsys.readouterr()
    assert run("predict", tmp_path / "m", strange) == 0
    assert f"f{TITLE}" in capsys.readouterr().out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    for more in ((), ("--json",)):
        assert run("predict", tmp_path / "m", strange, *more) == 0
        shown = capsys.readouterr().out
        assert quiet(shown)
        assert len(shown.splitlines()) >= len(NAMES)
    assert run("predict", tmp_path / "m", strange, "--raw") == 0
    assert f"f{TITLE}" in capsys.readouterr().out


def test_all_that_shows_is_safe(capsys):
    say(f"error: {TITLE}\n{'x' * 10_000}")
    show_table((f"a{RED}",), [(f"{CSI}\n",)])
    show_text(f"one{RED}\ntwo{BACKWARDS}")
    said = capsys.readouterr()
    assert quiet(said.err)
    assert quiet(said.out)
    assert len(said.err.splitlines()) == 1
    assert len(said.err) < 3000
    assert len(said.out.splitlines()) == 4


FORMULAS = ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "=cmd|' /C calc'!A0", "--ACGT"]


@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_cells_are_inert_and_raw_ones_are_not(tmp_path, capsys, form):
    texts = [*FORMULAS, "b", "bb", "bbb", "b4"] * 2
    path = write_csv(tmp_path / "d.csv", {"=t": texts, "y": (["=A1"] * 8 + ["b"] * 4) * 2})
    assert run("fit", path, "--target", "y", "--column", "=t", "-o", tmp_path / "m") == 0
    capsys.readouterr()
    for output in (tmp_path / f"o.{form}", None):
        to = () if output is None else ("-o", output)
        assert run("predict", tmp_path / "m", path, *to) == 0
        found = capsys.readouterr().out if output is None else output.read_bytes().decode()
        assert found.startswith("'=t")
        rows = read_csv(found.replace("\t", ",") if form == "tsv" and output else found)
        assert rows[0]["prediction"] == "'=A1"
        assert [row["y"] for row in rows[:12]] == ["'=A1"] * 8 + ["b"] * 4
    assert run("predict", tmp_path / "m", path, "--raw") == 0
    rows = list(read_csv(capsys.readouterr().out))
    assert [row["=t"] for row in rows[:8]] == FORMULAS
    assert rows[0]["prediction"] == "=A1"


def test_numbers_stay_numbers(tmp_path, capsys):
    X = [i / 7 - 3 for i in range(40)]
    path = write_csv(tmp_path / "d.csv", {"x": X, "y": [-abs(x) - 1.5 for x in X]})
    assert run("fit", path, "--target", "y", "-o", tmp_path / "m") == 0
    assert run("predict", tmp_path / "m", path, "-o", tmp_path / "o.csv") == 0
    rows = read_csv((tmp_path / "o.csv").read_text())
    assert [float(row["x"]) for row in rows] == X
    assert all(float(row["prediction"]) < 0 for row in rows)
    assert [inert(cell) for cell in (-1.5, "-1.5", "+1e-3", "-.5", -2, None)] == [
        -1.5, "-1.5", "+1e-3", "-.5", -2, None,
    ]  # fmt: skip


def test_json_lines_are_no_spreadsheet():
    assert "".join(table_lines("jsonl", ["=a"], [["=1"]])) == '{"=a": "=1"}\n'


CELLS = st.text(st.sampled_from("'=+-@\t\rab1."), max_size=6)


@given(cell=CELLS)
def test_what_was_escaped_can_be_had_again(cell):
    safe = inert(cell)
    assert not re.match(r"[=+@\-\t\r\n]", safe) or PLAIN_NUMBER.fullmatch(safe)
    back = safe[1:] if safe.startswith("'") and RUN.match(safe) else safe
    assert back == cell


def test_the_terminal_may_lack_letters(monkeypatch, capsys):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="backslashreplace")
    monkeypatch.setattr(sys, "stderr", stream)
    say(f"{RED}é")
    stream.flush()
    assert stream.buffer.getvalue() == b"seamark: \\u241b[31m\\xe9\n"
