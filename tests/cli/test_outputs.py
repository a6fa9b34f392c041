"""What is read is never written over, forced or not; and only plain files are written."""

import os
import stat

import pytest
from cli_runs import NAMES, SEX, run, write_csv
from test_command_process import spawned

import seamark as sm
from seamark.cli.tables import DataError, require_output


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "model"
    fitted = sm.LandmarkClassifier("levenshtein", n_landmarks=5, random_state=0).fit(NAMES, SEX)
    sm.save(fitted, path)
    return path


def same(path):
    """The file under other names."""
    soft, hard = path.with_name("soft.csv"), path.with_name("hard.csv")
    chain = path.with_name("chain.csv")
    soft.symlink_to(path)
    chain.symlink_to(soft)
    os.link(path, hard)
    return [path, soft, chain, hard, path.parent / "." / ".." / path.parent.name / path.name]


def test_an_output_that_is_an_input_is_refused_always(names, model, tmp_path, capsys):
    data = tmp_path / "names.csv"
    learn = ("--target", "sex", "--column", "name", "--force")
    before = data.read_bytes()
    for output in same(data):
        assert run("fit", names, *learn, "-o", output) == 2
        assert f"{output} and {names} are the same file" in capsys.readouterr().err
        assert run("assess", names, *learn, "--html", output) == 2
        assert run("predict", model, names, "--column", "name", "-o", output, "--force") == 2
        assert "are the same file, which would be lost" in capsys.readouterr().err
    assert data.read_bytes() == before


def test_nor_is_a_model_written_over_by_its_predictions(names, model, tmp_path, capsys):
    before = model.read_bytes()
    link = tmp_path / "out.csv"
    link.symlink_to(model)
    assert run("predict", model, names, "--column", "name", "-o", link, "--force") == 2
    assert f"{link} and {model} are the same file" in capsys.readouterr().err
    assert model.read_bytes() == before


def test_standard_input_and_output_are_files_too(names, model, tmp_path):
    data = tmp_path / "names.csv"
    before = data.read_bytes()
    with data.open("rb") as file:
        learn = ("--target", "sex", "--column", "name", "-o", data, "--force")
        done = spawned("fit", "-", *learn, stdin=file)
    assert (done.returncode, b"standard input are the same file" in done.stderr) == (2, True)
    assert (done.stdout, done.stderr.count(b"\n")) == (b"", 1)  # and no traceback
    # As after `>> names.csv`.
    with data.open("ab") as file:
        done = spawned("predict", model, names, "--column", "name", stdout=file)
    assert (done.returncode, b"standard output and" in done.stderr) == (2, True)
    assert data.read_bytes() == before


def test_a_model_is_a_file(names, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("fit", names, "--target", "sex", "--column", "name", "-o", "-") == 2
    assert "cannot go to standard output; give the name of a file" in capsys.readouterr().err
    assert not (tmp_path / "-").exists()


def test_only_plain_files_are_replaced(names, tmp_path, capsys):
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    learn = ("fit", names, "--target", "sex", "--column", "name", "--force", "-o")
    for output in (pipe, link):
        assert run(*learn, output) == 2
        assert str(output) in capsys.readouterr().err
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_links_are_followed(names, tmp_path, capsys):
    real, link = tmp_path / "real", tmp_path / "link"
    link.symlink_to(real)
    learn = ("fit", names, "--target", "sex", "--column", "name", "-o", link)
    assert run(*learn) == 0
    assert link.is_symlink()
    assert sm.load(real).predict(["Anna"]).tolist() == ["f"]
    assert run(*learn) == 2
    assert run(*learn, "--force", "--measure", "levenshtein", "--landmarks", 3) == 0
    assert link.is_symlink()
    assert len(sm.load(real).landmarks_) == 3


def test_messages_speak_in_options(names, model, capsys):
    assert run("fit", names, "--target", "sex", "--column", "name", "-o", model) == 2
    said = capsys.readouterr().err
    assert "--force" in said
    assert "overwrite=" not in said


def test_a_name_that_is_free_is_fine(tmp_path):
    path = write_csv(tmp_path / "d.csv", {"a": [1]})
    require_output(str(tmp_path / "new"), path, "-", overwrite=False)
    with pytest.raises(DataError, match="same file"):
        require_output(path, path, overwrite=True)
