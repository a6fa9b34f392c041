"""What the page on learned D2KE says of curves."""

import numpy as np
import pytest
from benchmarks.learned_d2ke import METHODS, SIZES, needed, page, times


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
