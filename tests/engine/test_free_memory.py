"""Arrays that cannot fit are refused before they are made, with a remedy."""

import numpy as np
import pytest

import seamark as sm
from seamark.engine import executors

NAMES = ["".join(np.random.default_rng(i).choice(list("abcd"), 5)) for i in range(300)]


@pytest.fixture
def little(monkeypatch):
    monkeypatch.setattr("seamark.engine.executors.free_bytes", lambda: 40_000)
    monkeypatch.setattr(executors, "ASKED_BYTES", 50_000)


def test_values_that_do_not_fit_are_not_computed(little):
    with sm.engine.counting() as counter:
        with pytest.raises(MemoryError, match="values of 300 rows against 100 landmarks take"):
            sm.cross("levenshtein", NAMES, NAMES[:100])
        with pytest.raises(MemoryError, match="against each other.*take landmarks"):
            sm.cross("levenshtein", NAMES)
    assert counter.evaluations == 0
    assert sm.cross("levenshtein", NAMES[:10], NAMES[:10]).shape == (10, 10)


def test_features_and_sums_that_do_not_fit_name_the_remedy(monkeypatch):
    bearings = sm.LandmarkMap("levenshtein", n_landmarks=60, random_state=0).fit(NAMES)
    y = np.arange(300.0)
    monkeypatch.setattr("seamark.engine.executors.free_bytes", lambda: 40_000)
    monkeypatch.setattr(executors, "ASKED_BYTES", 50_000)
    with pytest.raises(MemoryError, match="60 features of 300 rows.*rows\\(X\\), which is read in"):
        bearings.transform(NAMES)
    monkeypatch.setattr(executors, "ASKED_BYTES", 100_000)  # values are less
    with pytest.raises(MemoryError, match="sums of 5 folds of 60 features.*fewer landmarks"):
        sm.LandmarkRegressor("levenshtein", n_landmarks=60, random_state=0).fit(NAMES, y)


def test_free_memory_is_known_here_or_nobody_can_tell(tmp_path, monkeypatch):
    free = executors.free_bytes()
    assert free is None or free > 0
    monkeypatch.setattr(executors, "_CGROUP", tmp_path)
    (tmp_path / "memory.max").write_text("5000\n")
    (tmp_path / "memory.current").write_text("4000\n")
    assert executors.free_bytes() != 1000  # half of what a container tells is nothing
    (tmp_path / "memory.stat").write_text("anon 10\ninactive_file 0\n")
    assert executors.free_bytes() == 1000
    # What a system has read of files fills a container's memory, and is given back.
    (tmp_path / "memory.stat").write_text("anon 10\ninactive_file 3000\nactive_file 5\n")
    assert executors.free_bytes() == 4000
    (tmp_path / "memory.max").write_text("max\n")
    assert executors.free_bytes() != 1000
    (tmp_path / "memory.max").unlink()
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/memory.limit_in_bytes").write_text("7000\n")
    (tmp_path / "memory/memory.usage_in_bytes").write_text("4000\n")
    (tmp_path / "memory/memory.stat").write_text("total_inactive_file 2000\n")
    assert executors.free_bytes() == 5000
    executors.require_room(10, "nothing", "nothing")
