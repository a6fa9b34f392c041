"""What the page on learned D2KE says of curves."""

import numpy as np
import pytest
from benchmarks.learned_d2ke import METHODS, SIZES, kept_or_measured, needed, page, times, weighings

from benchmarks import learned_d2ke


def test_objects_needed_are_read_off_a_line_over_the_logarithm():
    curve = {16: 0.5, 64: 0.7, 256: 0.8}
    assert needed(curve, 0.4) == 16
    assert needed(curve, 0.7) == pytest.approx(64)
    assert needed(curve, 0.6) == pytest.approx(32)
    assert needed(curve, 0.9) is None
    assert times(curve, 0.6, 16) == "32 (2.0×)"
    assert times(curve, 0.9, 16) == "not reached"


def test_the_best_is_in_bold():
    rng = np.random.default_rng(0)
    accuracies = {m: {R: float(rng.uniform(0.2, 0.6)) for R in SIZES} for m in METHODS}
    accuracies["learned"] = dict.fromkeys(SIZES, 0.9)
    text = page({"words": [(accuracies, dict.fromkeys(METHODS, 1.0))]}, 100, 1)
    assert "| learned | **0.900** | **0.900** | **0.900** | 1.0 |" in text
    assert text.count("**") == 6


def test_every_method_that_chooses_is_explained():
    assert set(METHODS) == {"random", "data", *weighings(0)}
    assert {pool for _, pool in weighings(0).values()} == {"random", "mixed"}


def test_a_draw_is_measured_once(tmp_path, monkeypatch):
    measured = []

    def measure_one(name, folder, size, seed):
        measured.append((name, size, seed))
        return {"greedy": {16: 0.5 + 0.1 * seed}}, {"greedy": 2.0}

    monkeypatch.setattr(learned_d2ke, "measure_one", measure_one)
    for _ in range(2):
        for seed in (0, 1):
            found = kept_or_measured("Fox", None, 100, seed, tmp_path)
            assert found == ({"greedy": {16: 0.5 + 0.1 * seed}}, {"greedy": 2.0})
    assert measured == [("Fox", 100, 0), ("Fox", 100, 1)]
    kept_or_measured("Fox", None, 200, 0, tmp_path)
    kept_or_measured("Fox", None, 200, 0, tmp_path, fresh=True)
    monkeypatch.setattr(learned_d2ke, "SIZES", (16, 32))
    kept_or_measured("Fox", None, 100, 0, tmp_path)
    assert measured[2:] == [("Fox", 200, 0), ("Fox", 200, 0), ("Fox", 100, 0)]
