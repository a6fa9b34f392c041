"""Ordinal regression against textbook loops, scipy's linear programs and finite differences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import check_grad, linprog, minimize
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

from seamark.linear_model.ordinal import (
    Ordinal,
    ThresholdHinges,
    guarantees,
    margin_losses,
    sides_of,
)
from seamark.linear_model.ordinal import standardised as with_unit_variance

KINDS = [(v, t) for v in ("exc", "imc") for t in ("fixed", "learned")]
every_kind = pytest.mark.parametrize(("variant", "thresholds"), KINDS)


def textbook_loss(f, y, b, margin, variant):
    """Loss of one score, label y of 1, …, r, thresholds b[2], …, b[r]."""
    edges = {1: -np.inf, **{i + 2: value for i, value in enumerate(b)}, len(b) + 2: np.inf}
    if variant == "exc":
        return max(0, margin - (f - edges[y])) + max(0, margin - (edges[y + 1] - f))
    lower = sum(max(0, margin - (f - edges[i])) for i in range(2, y + 1))
    return lower + sum(max(0, margin - (edges[i] - f)) for i in range(y + 1, len(b) + 2))


def problem(rng, n=40, d=3, r=4, noise=0.4):
    X = rng.normal(size=(n, d))
    f = X @ rng.normal(size=d) + noise * rng.normal(size=n)
    y = np.searchsorted(np.quantile(f, np.arange(1, r) / r), f) + 1
    return X, y


def hinges_of(rng, variant, thresholds, penalty=0.1, margin=0.5):
    X, y = problem(rng, n=15)
    base = np.array([1.5, 2.5, 3.5]) if thresholds == "fixed" else np.zeros(3)
    basis = np.ones((3, 1)) if thresholds == "fixed" else np.eye(3)
    return ThresholdHinges(
        X, sides_of(y - 1, 3, variant), rng.dirichlet(np.ones(15)), base=base, basis=basis,
        margin=margin, penalty=penalty, ordered=thresholds == "learned" and variant == "exc",
    )  # fmt: skip


@given(st.integers(0, 10**6), st.sampled_from([0.0, 3.0, 1e9]))
def test_columns_are_standardised_as_by_scikit_learn(seed, far):
    rng = np.random.default_rng(seed)
    X = far + rng.normal(size=(30, 4)) * np.array([1.0, 1e-3, 1e5, 0.0])
    weight = rng.dirichlet(np.ones(30))
    Z, mean, scale = with_unit_variance(X, weight)
    exact = np.asarray(X, dtype=np.longdouble)
    centre = (weight @ exact) / weight.sum(dtype=np.longdouble)
    moved = exact - centre
    deviation = np.sqrt((weight @ moved**2) / weight.sum(dtype=np.longdouble))
    np.testing.assert_allclose(mean, centre.astype(float), rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(scale[:3], deviation[:3].astype(float), rtol=1e-5)
    assert scale[3] == 1.0
    np.testing.assert_allclose(
        Z[:, :3], (moved / deviation.clip(1e-300))[:, :3].astype(float), atol=1e-3
    )
    by_scaler = StandardScaler().fit(X[:, :3], sample_weight=weight)
    np.testing.assert_allclose(scale[:3], by_scaler.scale_, rtol=1e-3)


@pytest.mark.parametrize("variant", ["exc", "imc"])
@pytest.mark.parametrize("margin", [0.2, 0.5, 2.0])
def test_losses_equal_the_textbook(variant, margin, rng):
    b = np.sort(rng.normal(size=4))
    f, rank = 2 * rng.normal(size=50), rng.integers(5, size=50)
    expected = [textbook_loss(s, k + 1, b, margin, variant) for s, k in zip(f, rank, strict=True)]
    np.testing.assert_allclose(margin_losses(f, rank, b, margin, variant), expected, atol=1e-12)


def rounded(z, width):
    """The hinge with its kink made a parabola over (0, width): at most width/2 below it."""
    return np.where(z < width, np.maximum(z, 0) ** 2 / (2 * width), z - width / 2)


@every_kind
@pytest.mark.parametrize("share", [0.0, 9.0])  # by columns, and by bends
def test_steps_solve_newtons_equations(variant, thresholds, share, rng, monkeypatch):
    monkeypatch.setattr("seamark.linear_model.newton.FEW_BENDS", share)
    smooth = hinges = hinges_of(rng, variant, thresholds)
    hinges.width, width = 3.0, hinges.rows.width  # every threshold is bent at

    def value(theta):
        losses = hinges.weights[:, 0] @ rounded(smooth.slacks(theta[:, None])[:, 0], 3.0)
        return losses + hinges.penalty / 2 * theta[:width] @ theta[:width]

    def gradient(theta):
        slacks = smooth.slacks(theta[:, None])
        pull = hinges.gradient(smooth.slopes(slacks, np.arange(1)))
        return pull + hinges.penalty * np.where(np.arange(len(theta)) < width, theta, 0.0)

    theta = 0.3 * rng.normal(size=width + hinges.basis.shape[1])
    theta[width:] -= 2.0 if thresholds == "fixed" else 0.0
    assert check_grad(value, gradient, theta) < 1e-6
    step = 1e-7 * np.eye(len(theta))
    hessian = np.array([(gradient(theta + h) - gradient(theta - h)) / 2e-7 for h in step])
    found = smooth.step(theta[:, None], smooth.slacks(theta[:, None]), np.arange(1))[:, 0]
    np.testing.assert_allclose(hessian @ found, -gradient(theta), atol=1e-5)


def standardised(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def objective(model, X, y):
    """Value that `fit` minimises, from public attributes and textbook losses."""
    f = model.scores(X)
    losses = [
        textbook_loss(s, k, model.thresholds_, model.margin, model.variant)
        for s, k in zip(f, y, strict=True)
    ]
    w = model.coef_ * X.std(axis=0)
    return np.mean(losses) + 0.5 * model.penalty * w @ w


def least(X, y, variant, thresholds, *, margin, penalty, spacing=0.0):
    """Least value by scipy: variables w, thresholds and one slack per hinge, linear constraints."""
    Z, (n, d), m = standardised(X), X.shape, y.max() - 1
    rows, right = [], []
    sides = sides_of(y - 1, m, variant)
    pairs = [(i, j) for i in range(n) for j in range(m) if sides[i, j]]
    size = d + m + len(pairs)
    for at, (i, j) in enumerate(pairs):  # slack ≥ γ − s(f − b)
        row = np.zeros(size)
        row[:d], row[d + j], row[d + m + at] = sides[i, j] * Z[i], -sides[i, j], 1
        rows.append(row)
        right.append(margin)
    order = np.zeros((m - 1, size))
    order[:, d : d + m] = np.diff(np.eye(m), axis=0)
    cost = np.r_[np.zeros(d + m), np.full(len(pairs), 1 / n)]
    rows, right = np.array(rows), np.array(right)
    bounds = [(None, None)] * (d + m) + [(0, None)] * len(pairs)
    spaced = {"A_eq": order, "b_eq": np.ones(m - 1)} if thresholds == "fixed" else {}
    if thresholds == "learned":
        rows, right = np.r_[rows, order], np.r_[right, np.full(m - 1, spacing)]
    if penalty == 0:
        return linprog(cost, A_ub=-rows, b_ub=-right, bounds=bounds, **spaced).fun
    constraints = [{"type": "ineq", "fun": lambda v: rows @ v - right, "jac": lambda v: rows}]
    if thresholds == "fixed":
        constraints.append({"type": "eq", "fun": lambda v: order @ v - 1, "jac": lambda v: order})
    penalty = np.r_[np.full(d, penalty), np.zeros(size - d)]
    start = np.r_[np.zeros(d), np.arange(m) - (m - 1) / 2, np.full(len(pairs), margin + m)]
    return minimize(
        lambda v: cost @ v + 0.5 * penalty @ v**2, start, jac=lambda v: cost + penalty * v,
        method="SLSQP", bounds=bounds, constraints=constraints,
        options={"maxiter": 300, "ftol": 1e-12},
    ).fun  # fmt: skip


@every_kind
@pytest.mark.parametrize("margin", [0.3, 1.0])
def test_minimum_equals_quadratic_program(variant, thresholds, margin, rng):
    X, y = problem(rng, n=18, noise=1.5)
    model = Ordinal(variant, thresholds, margin=margin, penalty=0.05, tol=1e-5).fit(X, y)
    best = least(X, y, variant, thresholds, margin=margin, penalty=0.05)
    assert best - 1e-7 <= objective(model, X, y) <= best + 1e-5 * margin + 1e-7


@every_kind
def test_small_penalty_reaches_the_linear_program(variant, thresholds, rng):
    X, y = problem(rng, n=40, d=5, noise=1.0)
    model = Ordinal(variant, thresholds, penalty=1e-9, tol=1e-5).fit(X, y)
    best = least(X, y, variant, thresholds, margin=0.5, penalty=0)
    assert model.loss_ == pytest.approx(best, abs=2e-5)


@every_kind
def test_nearly_collinear_features_converge(variant, thresholds, rng):
    X, y = problem(rng, n=150, d=4)
    X = X @ rng.normal(size=(4, 30)) + 1e-7 * rng.normal(size=(150, 30))
    X = 1e3 + X * np.geomspace(1e-4, 1e4, 30)
    model = Ordinal(variant, thresholds, penalty=1e-8).fit(X, y)
    assert model.n_iter_ < 300
    better = clone(model).set_params(tol=1e-6).fit(X, y)
    assert objective(model, X, y) <= objective(better, X, y) + 1e-3 * model.margin


@every_kind
@pytest.mark.parametrize("penalty", [1e-9, 1e-4])
def test_ties_and_narrow_roundings_converge(variant, thresholds, penalty, rng):
    # Rounded features make flat directions and many kinks at once; a warning would be an error.
    X = np.round(rng.normal(size=(60, 3)) @ rng.normal(size=(3, 20)), 1)
    y = rng.integers(4, size=60)
    assert Ordinal(variant, thresholds, penalty=penalty, tol=1e-6).fit(X, y).n_iter_ < 500


@every_kind
@pytest.mark.parametrize("r", [2, 3, 5])
def test_separable_labels_reach_zero_loss(variant, thresholds, r):
    rank = np.repeat(np.arange(1, r + 1), 3)
    X = rank[:, None] + np.tile([-0.2, 0.0, 0.2], r)[:, None]
    model = Ordinal(variant, thresholds, margin=0.25, penalty=1e-8).fit(X, rank)
    assert model.loss_ < 1e-3
    assert model.score(X, rank) == 1
    assert model.absolute_error(X, rank) == 0
    assert np.all(np.diff(model.thresholds_) > 0)


@pytest.mark.parametrize("penalty", [1e-4, 1.0])
def test_exc_thresholds_are_ordered_though_it_wants_otherwise(penalty):
    # Label 2 is rare and lies on the wrong side of label 1: unordered thresholds would cost less.
    X = np.r_[np.linspace(0, 1, 20), [-3.0, -3.1], np.linspace(2, 3, 20)][:, None]
    y = np.repeat([1, 2, 3], [20, 2, 20])
    model = Ordinal("exc", "learned", penalty=penalty, tol=1e-5).fit(X, y)
    assert model.thresholds_[0] <= model.thresholds_[1]
    best = least(X, y, "exc", "learned", margin=0.5, penalty=penalty)
    assert objective(model, X, y) <= best + 1e-5


@pytest.mark.parametrize("variant", ["exc", "imc"])
@pytest.mark.parametrize("spacing", [0.3, 1.0, 4.0])
def test_learned_thresholds_keep_their_distance(variant, spacing, rng):
    X, y = problem(rng, n=18, noise=1.5)
    free = Ordinal(variant, "learned", penalty=0.05, tol=1e-5).fit(X, y)
    model = Ordinal(variant, "learned", spacing=spacing, penalty=0.05, tol=1e-5).fit(X, y)
    assert np.diff(free.thresholds_).min() < 4.0
    assert np.diff(model.thresholds_).min() >= spacing * (1 - 1e-12)
    best = least(X, y, variant, "learned", margin=0.5, penalty=0.05, spacing=spacing)
    assert best - 1e-7 <= objective(model, X, y) <= best + 1e-5
    promised = model.guarantees(0.9)
    if variant == "exc" and spacing >= 1.0:
        assert promised.absolute_error <= 1 + (0.9 - 0.5) / spacing + 1e-9


def test_spacing_is_of_learned_thresholds():
    X, y = np.arange(6.0)[:, None], np.repeat([1, 2, 3], 2)
    with pytest.raises(ValueError, match="spacing=-1 must be a number, 0 or more"):
        Ordinal(thresholds="learned", spacing=-1).fit(X, y)
    with pytest.raises(ValueError, match='spacing= is for thresholds="learned"'):
        Ordinal(spacing=1.0).fit(X, y)


def test_imc_thresholds_are_ordered_by_themselves(rng):
    for _ in range(5):
        X, y = rng.normal(size=(30, 2)), rng.integers(1, 6, size=30)
        assert np.all(np.diff(Ordinal("imc", "learned").fit(X, y).thresholds_) >= 0)


@pytest.mark.parametrize("variant", ["exc", "imc"])
@given(seed=st.integers(0, 2**32 - 1), r=st.integers(2, 6), margin=st.floats(0.05, 3))
def test_guarantees_hold_of_any_model(seed, r, margin, variant):
    rng = np.random.default_rng(seed)
    b = np.cumsum(rng.exponential(size=r - 1))
    f, rank = 3 * rng.normal(size=20) * rng.random() + b.mean(), rng.integers(r, size=20)
    loss = margin_losses(f, rank, b, margin, variant).mean()
    spacing = np.min(np.diff(b), initial=np.inf)
    error = np.abs(np.searchsorted(b, f) - rank)
    promised = guarantees(loss, margin, spacing, variant)
    assert np.mean(error > 0) <= promised.mislabelling + 1e-12
    assert np.mean(error) <= promised.absolute_error + 1e-12
    if margin <= spacing < np.inf:
        assert np.mean(error) <= (loss + spacing - margin) / spacing + 1e-12


def test_printed_guarantee_fails_below_margin_one():
    # One label of two off by nothing but the threshold: loss γ = ½, and mislabelled all the same.
    loss = margin_losses(np.array([0.0]), np.array([1]), np.array([0.0]), 0.5, "exc").mean()
    assert loss / max(0.5, 1) < 1 <= guarantees(loss, 0.5).mislabelling


@every_kind
def test_fitted_models_keep_their_guarantees(variant, thresholds, rng):
    X, y = problem(rng, n=80)
    model = Ordinal(variant, thresholds).fit(X[:60], y[:60])
    for rows in (slice(60), slice(60, 80)):
        promised = model.guarantees(model.margin_loss(X[rows], y[rows]))
        assert 1 - model.score(X[rows], y[rows]) <= promised.mislabelling + 1e-12
        assert model.absolute_error(X[rows], y[rows]) <= promised.absolute_error + 1e-12
    assert model.margin_loss(X[:60], y[:60]) == pytest.approx(model.loss_)
