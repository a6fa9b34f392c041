"""A page of figures names what its figures depend on."""

import re
import subprocess

import numpy as np

import seamark as sm
from benchmarks import provenance


def test_a_page_names_command_day_machine_commit_and_versions():
    text = provenance.written_by("make bench", "pytest", "no-such-library")
    assert re.match(r"Written by `make bench` on \d{4}-\d\d-\d\d, on .+ \(\d+ processors, ", text)
    assert f"seamark {sm.__version__}" in text
    assert f"numpy {np.__version__}" in text
    assert "pytest " in text
    assert "no-such-library" not in text


def test_a_changed_file_is_seen_beside_the_commit(tmp_path, monkeypatch):
    monkeypatch.setattr(provenance, "ROOT", tmp_path)
    assert "at commit unknown" in provenance.written_by("x")
    who = ["-c", "user.name=a", "-c", "user.email=a@b"]
    (tmp_path / "file").write_text("1")
    for command in (["init", "-q"], ["add", "file"], [*who, "commit", "-qm", "1"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    assert re.search(r"at commit [0-9a-f]{7,40},", provenance.written_by("x"))
    (tmp_path / "file").write_text("2")
    assert re.search(r"at commit [0-9a-f]{7,40}\+,", provenance.written_by("x"))
