"""`seamark assess` and `seamark demo`: verdicts and pages."""

import json
import re

import numpy as np
import pytest
from cli_runs import run
from sklearn.utils import Bunch

import seamark as sm
from seamark.cli import demo
from seamark.datasets import load_splice

rng = np.random.default_rng(6)
WORDS = ["".join(rng.choice(list("ab" if i % 2 else "cd"), size=5 + i % 7)) for i in range(60)]


@pytest.fixture
def words(tmp_path):
    path = tmp_path / "words.csv"
    rows = [f"{word},{'ab' if i % 2 else 'cd'},{len(word)}" for i, word in enumerate(WORDS)]
    path.write_text("\n".join(["word,letters,length", *rows]))
    return str(path)


def test_it_prints_what_the_library_says(words, capsys):
    assert run("assess", words, "--target", "letters", "--column", "word", "--seed", 3) == 0
    said = capsys.readouterr()
    labels = ["ab" if i % 2 else "cd" for i in range(60)]
    found = sm.assess(sm.measures.Levenshtein(), WORDS, labels, random_state=3)
    # Seconds differ from run to run.
    same = [line for line in str(found).splitlines() if "cost" not in line]
    assert [line for line in said.out.splitlines() if "cost" not in line] == same
    assert said.err == ""


@pytest.mark.parametrize(
    ("target", "more", "task"),
    [
        ("letters", (), "classification"),
        ("length", ("--task", "regress"), "regression"),
        ("length", ("--task", "ordinal"), "ordinal"),
        ("letters", ("--order", "cd,ab"), "ordinal"),
    ],
)
def test_tasks_and_json(words, capsys, target, more, task):
    given = ("assess", words, "--target", target, "--column", "word", *more)
    assert run(*given, "--json", "--budget", 2000) == 0
    found = json.loads(capsys.readouterr().out)
    assert task in found["title"]
    assert found["verdict"][0]["level"] in ("good", "warn", "bad", "info")


def test_several_measures_are_compared(words, capsys):
    given = ("assess", words, "--target", "letters", "--column", "word", "--budget", 4000)
    measures = ("--measure", "levenshtein", "--measure", "jaro")
    assert run(*given, *measures) == 0
    assert "Levenshtein()" in capsys.readouterr().out
    assert run(*given, *measures, "--json") == 0
    assert len(json.loads(capsys.readouterr().out)) == 2


def test_a_budget_for_nothing(words, capsys):
    given = ("assess", words, "--target", "letters", "--column", "word")
    assert run(*given, "--budget", 1) == 2
    assert "too few to judge a measure" in capsys.readouterr().err


def test_the_page(words, tmp_path, capsys):
    page = tmp_path / "report.html"
    given = ("assess", words, "--target", "letters", "--column", "word", "--html", page)
    assert run(*given) == 0
    assert capsys.readouterr().err == f"seamark: wrote {page}\n"
    first = page.read_text()
    assert "<html" in first
    title = r"letters of words\.csv \(\d+ strings\): accuracy \d\.\d\d on unseen rows, by Leven"
    assert re.search(title, first)
    shown = re.findall(r'data-text="(\w+) \w+ line (\d+)"', first)
    assert len(shown) > 5
    assert all(WORDS[int(line) - 2] == word for word, line in shown)  # the header is line 1
    assert run(*given) == 2
    assert "already exists" in capsys.readouterr().err
    assert run(*given, "--force", "--quiet") == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["report.html", "words.csv"]


def test_the_demo(tmp_path, capsys, monkeypatch):
    whole = load_splice()
    some = rng.permutation(len(whole.data))[:300]
    small = Bunch(**{**whole, "data": whole.data[some], "target": whole.target[some]})
    monkeypatch.setattr(demo, "load_splice", lambda: small)
    page = tmp_path / "report.html"
    assert run("demo", "--html", page) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[-1].split() == ["page", str(page)]
    assert page.stat().st_size > 10_000
    assert run("demo", "--json", "--html", page, "--force") == 0
    report = json.loads(capsys.readouterr().out)
    assert report["accuracy"] > report["accuracy_of_a_constant"] > 0.3
    assert report["accuracy"] > report["nearest_neighbour"] > 0.3
