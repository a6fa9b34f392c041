import numpy as np
import pytest
from scipy.optimize import minimize

import seamark as sm
from seamark.assessment.goodness import kernel_features, separator_margins, separators


def points(rng, n=24):
    X = rng.normal(size=(n, 3))
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def hinge(Phi, labels, beta, gamma):
    """Mean of [1 − margin/γ]₊ by loops: two classes have ±β, more a β each."""
    each = np.stack([-beta[0], beta[0]]) if len(beta) == 1 else beta
    losses = []
    for phi, label in zip(Phi, labels, strict=True):
        scores = [float(b @ phi) for b in each]
        rival = max(s for k, s in enumerate(scores) if k != label)
        # Between ±β the gap is twice ⟨β, φ⟩.
        gap = (scores[label] - rival) / (2 if len(beta) == 1 else 1)
        losses.append(max(0.0, 1 - gap / gamma))
    return np.mean(losses)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("cost", [10.0, 100.0])
def test_no_direction_has_less_loss_at_that_margin(n_classes, cost, rng):
    Phi = points(rng)
    labels = np.digitize(Phi[:, 0] + rng.normal(0, 0.2, len(Phi)), [0.0, 0.5][: n_classes - 1])
    gamma, beta = separators(Phi, labels, cost)
    assert np.linalg.norm(beta) == pytest.approx(1.0)
    ours = hinge(Phi, labels, beta, gamma)
    margins = separator_margins(Phi, labels, beta, np.arange(n_classes))
    assert np.maximum(0, 1 - margins / gamma).mean() == pytest.approx(ours)
    inside = {"type": "ineq", "fun": lambda b: 1 - b @ b}
    for start in [beta.ravel(), *rng.normal(0, 0.3, (10, beta.size))]:
        found = minimize(
            lambda b: hinge(Phi, labels, b.reshape(beta.shape), gamma),
            start,
            constraints=inside,
            method="SLSQP",
        )
        if found.x @ found.x <= 1 + 1e-9:
            assert found.fun >= ours - 0.01


def test_features_are_those_of_the_kernel_in_the_span_of_the_references(rng):
    X, L = rng.normal(size=(10, 4)), rng.normal(size=(6, 4))
    Phi = kernel_features(L @ L.T, X @ L.T)  # six references span all four dimensions
    np.testing.assert_allclose(Phi @ Phi.T, X @ X.T, atol=1e-10)


def test_a_kernel_is_judged_in_its_own_space_and_others_are_not(rng):
    X = points(rng, 240)
    y = (X[:, 0] > 0).astype(int)
    X[:, 0] += np.where(y, 0.3, -0.3)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    found = sm.assess("linear", X, y, random_state=0)
    kernel, hinges = found.curves["kernel"], found.curves["hinge"]
    # A separator with margin 0.3/1.3 leaves no loss; weights of an average leave less margin.
    assert kernel.y[0] < 0.1
    assert (
        kernel.x[np.flatnonzero(kernel.y < 0.2)[-1]] > hinges.x[np.flatnonzero(hinges.y < 0.2)[-1]]
    )
    assert any("in its own space" in one.text for one in found.verdict)
    assert "kernel" not in sm.assess("euclidean", X, y, random_state=0).curves
    sigmoid = sm.measures.Custom(
        lambda a, b: float(np.tanh(3 * a @ b - 1)), kind="similarity", vectorised=False
    )
    assert "kernel" not in sm.assess(sigmoid, X[:60], y[:60], random_state=0).curves
