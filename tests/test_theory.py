import math

import numpy as np
import pytest

from seamark import theory


def test_the_corrected_constant_follows_from_the_proof():
    # The proof wants a deviation √(2 ln(1/δ²)/R) of at most γ/2; the printed 8 gives γ/√2.
    for gamma, delta in [(0.1, 0.05), (0.5, 0.01), (1.0, 0.3)]:
        R = theory.margin_goodness(gamma, delta)
        assert math.sqrt(2 * math.log(1 / delta**2) / R) <= gamma / 2
        assert math.sqrt(2 * math.log(1 / delta**2) / (R - 1)) > gamma / 2


def test_the_hinge_theorem_holds_only_for_small_delta():
    assert theory.hinge_goodness(0.2, 0.1, 0.004) == math.ceil(16 * math.log(250) / 0.02**2)
    with pytest.raises(ValueError, match="between 0 and excess·gamma/4 = 0.005"):
        theory.hinge_goodness(0.2, 0.1, 0.006)


def test_strong_goodness_keeps_its_promise(rng):
    # Values ±1 with means ±γ/2: the vote of Theorem 1's sample errs with chance below δ².
    gamma, delta = 0.5, 0.2
    n = theory.strong_goodness(gamma, delta)
    means = [
        rng.choice([-1, 1], p=[(1 - m) / 2, (1 + m) / 2], size=(2000, n)).mean(axis=1)
        for m in (gamma / 2, -gamma / 2)
    ]
    assert np.mean(means[0] <= means[1]) <= delta**2


def test_d2ke_landmarks_are_just_enough():
    R = theory.d2ke_landmarks(2.0, 3.0, 0.1, 0.05)
    assert theory.d2ke_failure(2.0, 3.0, 0.1, R) <= 0.05 < theory.d2ke_failure(2.0, 3.0, 0.1, R - 1)
    assert theory.d2ke_failure(1e9, 1e6, 1e-3, 1) > 1  # and does not overflow


def test_excess_risks_are_as_printed():
    root = math.sqrt(math.log(20))
    assert math.isclose(theory.regression_excess(2, 100, 400), 2 * root * (32 / 10 + 3 / 20))
    assert math.isclose(theory.ordinal_excess(2, 100, 400), 2 * root * (64 / 10 + 3 / 20))
    sparse = 32 * root / 5 + math.sqrt(18 / 50) + 2 * math.sqrt(2 * math.log(200) / 400)
    sparse += 2 * root / math.sqrt(800)
    assert math.isclose(theory.sparse_excess(1, 0.25, 100, 400, 50), sparse)


def test_landmarks_bring_the_excess_down():
    R = theory.regression_landmarks(3.0, 0.5)
    many = 10**15  # examples, so that only landmarks cost
    assert theory.regression_excess(3.0, R, many) <= 0.5 + 1e-5
    assert theory.regression_excess(3.0, R - 1, many) > 0.5
    assert theory.ordinal_landmarks(3.0, 1.0) == R


def test_transfer_functions_are_as_in_the_thesis():
    assert theory.transfer_pairs(0.5, 0.1, 0.1) == math.ceil(32 * math.log(200))
    assert theory.transfer_pairs_hinge(0.5, 0.1, 0.1, 2.0) == math.ceil(25600 * math.log(800))
    assert theory.transfer_family_pairs(0.5, 6, 0.1, 0.1, 2.0) == math.ceil(
        102400 * math.log(19200)
    )


def test_alignment_gap_shrinks_to_nothing():
    gaps = [theory.alignment_gap(1.0, 10**k, 10**k) for k in (3, 6, 12)]
    assert gaps[0] > gaps[1] > gaps[2] > 0
    assert gaps[2] < 1e-3


@pytest.mark.parametrize("gamma", [0, -0.1, 1.5, "wide", math.nan])
def test_margins_outside_the_theory_are_refused(gamma):
    with pytest.raises(ValueError, match="gamma must lie between 0 and 1"):
        theory.margin_goodness(gamma)


def test_counts_must_be_positive():
    with pytest.raises(ValueError, match="n_landmarks must be a positive number, not 0"):
        theory.regression_excess(1.0, 0, 10)
