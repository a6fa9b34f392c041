import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seamark.assessment.definitions import SQUARED_LOSS, insensitive_loss, ordinal_margin_loss

LOSSES = [insensitive_loss(0.1), ordinal_margin_loss(-1.0, 1.0), SQUARED_LOSS]


def posed(rng, loss):
    F = rng.uniform(-1, 1, (30, 5))
    y = (
        rng.integers(-1, 2, 30).astype(float)
        if loss.name == "ordinal margin loss"
        else rng.normal(size=30)
    )
    return F, y


@pytest.mark.parametrize("loss", LOSSES)
def test_no_weights_in_the_box_have_less_loss(loss, rng):
    F, y = posed(rng, loss)
    w = loss.least(F, y, 0.4)
    assert np.abs(w).max() <= 0.4
    least = loss.of(F @ w, y).mean()
    near = np.clip(w + rng.normal(0, 0.03, (300, 5)), -0.4, 0.4)
    for other in [*rng.uniform(-0.4, 0.4, (300, 5)), *near]:
        assert loss.of(F @ other, y).mean() >= least - 1e-6


@given(st.integers(0, 1000), st.sampled_from(LOSSES))
def test_larger_boxes_have_less_loss(seed, loss):
    F, y = posed(np.random.default_rng(seed), loss)
    small, large = (loss.of(F @ loss.least(F, y, B), y).mean() for B in (0.1, 1.0))
    assert large <= small + 1e-6


def test_ordinal_loss_is_that_of_the_thresholds_around_a_rank():
    # Ranks −1, 0, 1, thresholds ∓½, margin ¼: the outer ranks have one threshold each.
    loss = ordinal_margin_loss(-1.0, 1.0, 0.25)
    f = np.array([-3.0, -0.5, 0.0, 0.5, 0.5, 9.0])
    y = np.array([-1.0, -1.0, 0.0, 0.0, 1.0, 1.0])
    assert np.allclose(loss.of(f, y), [0, 0.25, 0, 0.25, 0.25, 0])
