import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_goodness as naive
from seamark.assessment.definitions import (
    hinge_weights,
    rival_margins,
    strong_margins,
    weak_gamma,
    weak_parts,
)


def problem(rng, n_classes, n=12, R=9):
    reference = np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=R - n_classes)])
    return rng.uniform(-1, 1, (n, R)), rng.integers(n_classes, size=n), reference


@pytest.mark.parametrize("n_classes", [2, 4])
def test_margins_are_those_of_the_definitions(n_classes, rng):
    K, labels, reference = problem(rng, n_classes)
    w = rng.uniform(size=K.shape[1])
    expected = [naive.strong_margin(*row, reference) for row in zip(K, labels, strict=True)]
    assert np.allclose(strong_margins(K, labels, reference, n_classes), expected)
    of = naive.margin if n_classes == 2 else naive.margin_of_several
    expected = [of(*row, reference, w) for row in zip(K, labels, strict=True)]
    assert np.allclose((rival_margins(K, labels, reference, n_classes) @ w).min(axis=1), expected)
    assert np.isclose(
        weak_gamma(weak_parts(K, labels, reference)), naive.weak(K, labels, reference)
    )


def least(margins, w):
    """Return the smallest margin of each object."""
    return (margins @ w).min(axis=1)


def hinge_loss(margins, w, gamma):
    return np.maximum(0, 1 - least(margins, w) / gamma).mean()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_no_weights_have_less_hinge_loss(n_classes, rng):
    K, labels, reference = problem(rng, n_classes, n=30)
    margins = rival_margins(K, labels, reference, n_classes)
    w = hinge_weights(margins, 0.05)
    assert w.min() >= 0
    assert w.max() <= 1
    for other in [
        *rng.uniform(size=(200, len(w))),
        *np.clip(w + rng.normal(0, 0.05, (200, len(w))), 0, 1),
    ]:
        assert hinge_loss(margins, other, 0.05) >= hinge_loss(margins, w, 0.05) - 1e-9


@given(st.integers(0, 10_000), st.sampled_from([2, 3]))
def test_the_least_hinge_loss_grows_with_the_margin(seed, n_classes):
    K, labels, reference = problem(np.random.default_rng(seed), n_classes)
    margins = rival_margins(K, labels, reference, n_classes)
    small, large = (hinge_loss(margins, hinge_weights(margins, g), g) for g in (0.02, 0.1))
    assert small <= large + 1e-9


def test_weights_may_depend_on_the_label():
    # One object that is positive in 7 of 10 cases: Definition 8 would have one weight for it, and a
    # margin of 0.4 at best for the positive cases; Definition 11 ignores the negative ones.
    reference = np.array([1] * 7 + [0] * 3)
    margins = rival_margins(np.ones((1, 10)), np.array([1]), reference, 2)
    assert np.isclose(least(margins, hinge_weights(margins, 1.0))[0], 0.7)


# Examples of Balcan, Blum and Srebro.


def test_similar_within_classes_and_random_across_is_strongly_good(rng):
    # Within classes at least 0.2, across uniform in [−1, 1]: strongly (0, 0.2)-good in the limit.
    # 4000 references a class: a mean across has standard deviation 0.58/√4000 = 0.009, so that
    # 50 rows all stay within 0.05 of 0 but for a chance of 2e-6.
    reference = np.repeat([0, 1], 4000)
    labels = rng.integers(2, size=50)
    K = np.where(labels[:, None] == reference, 0.2, rng.uniform(-1, 1, (50, 8000)))
    assert np.all(strong_margins(K, labels, reference, 2) > 0.15)


def corner_points():
    """Fig. 3.1: positives upper right and upper left, negatives lower right, α = 30°."""
    angles = np.deg2rad([30, 150, -30, -30])
    P = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return P @ P.T, np.array([1, 1, 0, 0])


def test_figure_3_1_is_not_strongly_good_but_good_with_weights():
    K, y = corner_points()
    margins = strong_margins(K, y, y, 2)
    assert np.isclose(margins[0], 1 / 4 - 1 / 2)  # upper right: nearer to the negatives
    assert np.all(margins[1:] > 0)
    learned = rival_margins(K, y, y, 2)
    # The paper's weights 1, 0, ½ have a gap of ¼ of conditional means, 1/8 without priors.
    assert np.allclose(least(learned, np.array([1, 0, 0.5, 0.5])), 1 / 8)
    assert np.all(least(learned, hinge_weights(learned, 1 / 8)) >= 1 / 8 - 1e-9)


def test_the_75_per_cent_example_is_weakly_good():
    first = np.array([1, 1, 1, -1, -1, -1, -1, 1.0])
    y = np.repeat([1, 0], 4)
    assert np.isclose(weak_gamma(weak_parts(np.outer(first, first), y, y)), 0.5)
    margins = rival_margins(np.outer(first, first), y, y, 2)
    right = [np.mean(least(margins, hinge_weights(margins, g)) > 0) for g in (0.01, 0.1, 0.5)]
    assert max(right) == 0.75


@pytest.mark.parametrize("gamma", [0.1, 0.5])
def test_four_points_are_as_bad_as_theorem_9_and_10_say(gamma):
    p = np.array([4, 1, 1, 4])  # tenths: ε = 0.1
    rest = np.sqrt(1 - 2 * gamma**2)
    P = np.array([[gamma, gamma], [gamma, -gamma], [-gamma, gamma], [-gamma, -gamma]])
    P = np.repeat(np.column_stack([P, np.full(4, rest)]), p, axis=0)
    y = np.repeat([1, 1, 0, 0], p)
    epsilon = 0.1
    margins = rival_margins(P @ P.T, y, y, 2)
    best = 4 * epsilon * gamma**2

    def least_loss(g):
        return hinge_loss(margins, hinge_weights(margins, g), g)

    assert np.isclose(least_loss(best), 0, atol=1e-9)
    assert least_loss(1.01 * best) > 1e-4
    # ε = 2ε₁: no hinge loss below ε₁ at margin 16ε₁γ², although a kernel has margin γ. The proof
    # counts one light point; both miss half the margin, so it is 2ε₁.
    assert np.isclose(least_loss(16 * (epsilon / 2) * gamma**2), epsilon)
