"""The history: bounded, exact, and indifferent to how it was filled."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seamark.online import History


@given(st.integers(0, 70), st.lists(st.integers(0, 69), max_size=5))
def test_stretches_are_means_however_losses_come(n, cuts):
    losses = np.random.default_rng(n).normal(size=n)
    whole, parts = History(capacity=8), History(capacity=8)
    whole.add(losses)
    for block in np.split(losses, sorted(c for c in cuts if c < n)):
        parts.add(block)
    np.testing.assert_array_equal(whole.losses, parts.losses)
    assert len(whole) <= 8
    edges = [0, *whole.steps]
    assert edges[-1] == n
    means = [losses[a:b].mean() for a, b in pairwise(edges)]
    np.testing.assert_allclose(whole.losses, means, atol=1e-12)
    if n:
        assert whole.mean[-1] == pytest.approx(losses.mean())


def test_it_draws_itself(tmp_path):
    mpl = pytest.importorskip("matplotlib")
    mpl.use("Agg")
    history = History()
    history.add(np.linspace(1, 0, 100))
    axes = history.plot()
    assert [line.get_label() for line in axes.lines] == ["stretch", "mean so far"]
    assert history.plot(axes) is axes
    axes.figure.savefig(tmp_path / "history.png")
