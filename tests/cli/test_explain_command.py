"""`seamark explain`, `describe` and `completion`."""

import json
import shutil
import subprocess

import pytest
from cli_runs import NAMES, SEX, run, write_csv

from seamark.cli.options import EXAMPLES, parser


@pytest.fixture
def fitted(tmp_path, capsys):
    data = write_csv(tmp_path / "names.csv", {"name": NAMES, "sex": SEX})
    model = tmp_path / "names.seamark"
    assert run("fit", data, "--target", "sex", "--column", "name", "-o", model) == 0
    said = capsys.readouterr().out
    assert "27, of 2 classes: 'f' 15, 'm' 12" in said
    assert "out of fold; always the commonest class: 0.556" in said
    assert "recall" not in said  # classes are even, and so is what is recognised
    return model, write_csv(tmp_path / "new.csv", {"name": ["Susanna", "Lotto", "Ott\x1b[31m"]})


def test_rows_are_explained(fitted, capsys):
    assert run("explain", *fitted, "--rows", 2) == 0
    said = capsys.readouterr()
    assert "line 2: Susanna\npredicted f, not m" in said.out
    assert "line 3: Lotto\npredicted m, not f" in said.out
    assert "1 more rows" in said.err


def test_machines_get_lines_that_sum_to_the_score(fitted, capsys):
    assert run("explain", *fitted, "--json", "--target", "m") == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["target"] for one in found] == ["m"] * 3
    for one in found:
        total = sum(line["contribution"] for line in one["lines"])
        assert total == pytest.approx(one["score"])
    assert found[0]["score"] < 0 < found[1]["score"]


def test_no_control_codes_reach_the_terminal(fitted, capsys):
    assert run("explain", *fitted) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_an_unknown_class_is_named(fitted, capsys):
    assert run("explain", *fitted, "--target", "x") == 2
    assert "target must be one of the classes 'f', 'm'; got 'x'" in capsys.readouterr().err


def test_a_model_is_described(fitted, capsys):
    assert run("describe", fitted[0]) == 0
    said = capsys.readouterr().out
    for part in ("accuracy out of fold", "Levenshtein()", "prototypes of f", "15 rows"):
        assert part in said
    assert run("describe", fitted[0], "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["label"] for one in found["classes"]] == ["f", "m"]
    assert found["n"] == 27


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_every_command(shell, capsys):
    assert run("completion", shell) == 0
    script = capsys.readouterr().out
    for name in EXAMPLES:
        assert name in script
    offering = [line for line in script.splitlines() if "class-weight" in line]
    assert len(offering) == 1
    assert ("subcommand_from fit'" if shell == "fish" else " fit)") in offering[0]
    if shell != "fish" and shutil.which(shell):
        check = subprocess.run(
            [shell, "-n"], input=script, text=True, capture_output=True, check=False
        )
        assert check.returncode == 0, check.stderr


def test_bash_completes_options(capsys):
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    run("completion", "bash")
    script = capsys.readouterr().out
    script += 'COMP_WORDS=(seamark fit --class); COMP_CWORD=2; _seamark; echo "${COMPREPLY[@]}"'
    found = subprocess.run([bash], input=script, text=True, capture_output=True, check=False)
    assert found.stdout.strip() == "--class-weight"


def test_every_command_shows_an_example(capsys):
    for name in EXAMPLES:
        with pytest.raises(SystemExit):
            parser().parse_args([name, "--help"])
        assert f"example: seamark {name}" in capsys.readouterr().out
