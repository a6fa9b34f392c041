"""Commands that the documents show are run as they stand there."""

import re
import shlex
from pathlib import Path

import pytest

from seamark.cli import main

ROOT = Path(__file__).parents[2]
DOCUMENTS = ["README.md", "docs/command_line.md"]
PEOPLE = [("Anna", "f"), ("Hanna", "f"), ("Johanna", "f"), ("Otto", "m"), ("Ottokar", "m")]


def commands(text):
    blocks = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("$ ")]
    words = [shlex.split(line[2:], comments=True) for line in lines]
    others = ("pip", "cd", "curl")  # of the served example, which has tests of its own
    words = [argv for argv in words if argv[0] not in others]
    return [argv for argv in words if argv[:2] != ["seamark", "demo"]]  # has a test of its own


@pytest.mark.parametrize("document", DOCUMENTS)
def test_shown_commands_work(document, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    # As such files are: with a number for each row, which must not be what is learned from.
    rows = "".join(f"{i},{name},{sex}\n" for i, (name, sex) in enumerate(PEOPLE * 8))
    Path("names.csv").write_text("id,name,sex\n" + rows)
    Path("new.csv").write_text("name\nSusanna\nLotto\n")
    Path("test.csv").write_text("id,name,sex\n" + rows)
    shown = commands((ROOT / document).read_text(encoding="utf-8"))
    assert len(shown) >= 2
    for program, *argv in shown:
        assert program == "seamark"
        assert main(argv) == 0, (argv, capsys.readouterr().err)
    assert "prediction" in Path("out.csv").read_text().splitlines()[0]
