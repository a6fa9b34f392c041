"""One bar for all that a fit does."""

import sys

import numpy as np
import pytest

import seamark as sm
from seamark.engine import OneBar, Progress


class Recorder(Progress):
    shown = True

    def __init__(self):
        self.begun, self.ended, self.total, self.done, self.names = 0, 0, 0, 0, []

    def start(self, total, unit="values"):
        self.begun, self.total = self.begun + 1, total

    def extend(self, total, name):
        self.total = total
        self.names.append(name)

    def advance(self, amount):
        self.done += amount
        assert self.done <= self.total

    def close(self):
        self.ended += 1


def test_jobs_of_any_size_count_alike_and_fill_the_bar():
    shown = Recorder()
    bar = OneBar(shown)
    bar.expect(3)
    for total, unit in ((1_000_000, "values"), (7, "parts of tuning"), (0, "rows"), (3, "values")):
        with bar:
            bar.start(total, unit)
            bar.advance(total // 2)
    assert (shown.begun, shown.ended) == (1, 0)
    bar.finish()
    assert (shown.begun, shown.ended) == (1, 1)
    assert shown.done == shown.total == 4 * OneBar.PARTS
    assert shown.names == ["values", "tuning", "rows", "values"]


@pytest.mark.parametrize(
    ("model", "y"),
    [(sm.LandmarkClassifier, np.arange(80) % 2), (sm.LandmarkRegressor, np.arange(80.0))],
)
def test_a_fit_of_several_blocks_has_one_bar(monkeypatch, model, y):
    shown = []

    def one(show):
        if isinstance(show, Progress) or not show:
            return show or Progress()
        shown.append(Recorder())
        return shown[-1]

    for place in ("engine.settings", "engine.executors"):
        monkeypatch.setattr(sys.modules[f"seamark.{place}"], "progress_bar", one)
    words = ["ab"[k % 2] * (1 + k % 7) + "xyz"[k % 3] for k in range(80)]
    model(progress=True, random_state=0).fit(words, y)
    (bar,) = shown
    assert (bar.begun, bar.ended) == (1, 1)
    assert bar.done == bar.total
    assert {"values", "tuning", "fitting"} <= set(bar.names)


def test_a_fit_that_fails_ends_its_bar(monkeypatch):
    shown = Recorder()
    module = sys.modules["seamark.engine.settings"]  # a function of the room has its name
    monkeypatch.setattr(module, "progress_bar", lambda show: shown)

    def broken(a, b):
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        sm.LandmarkClassifier(broken, progress=True).fit(list("abcdefgh"), [0, 1] * 4)
    assert shown.ended == 1
