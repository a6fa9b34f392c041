import math

import numpy as np
import pytest
from scipy.optimize import brentq, minimize

from seamark import theory
from seamark.online import AUC, FIFO, L2Ball, PairwiseLearner


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


F = {"log": np.log1p, "linear": lambda t: t, "quadratic": lambda t: t**2}


def ranking(rng, m, decay="log"):
    """Gains of m documents, normalised, and the decays 1/F(t)."""
    gains = 2.0 ** rng.integers(0, 4, m) - 1
    gains[0] = 1.0
    decays = 1 / F[decay](np.arange(1, m + 1))
    return gains / (np.sort(gains)[::-1] @ decays), decays


@pytest.mark.parametrize("decay", sorted(F))
@pytest.mark.parametrize("m", [2, 5, 30])
def test_ndcg_loss_bounds_rankings_by_noisy_scores(rng, m, decay):
    for _ in range(200):
        eta, decays = ranking(rng, m, decay)
        scores = eta + rng.exponential(0.2) * rng.normal(size=m)
        ndcg = eta[np.argsort(-scores)] @ decays
        squared = np.sum((scores - eta) ** 2)
        assert 1 - ndcg <= theory.ndcg_loss(squared, m, decay=decay) + 1e-12
    factor = math.sqrt(2 * sum(1 / F[decay](t) ** 2 for t in range(1, m + 1)))
    assert math.isclose(theory.ndcg_loss(0.09, m, decay=decay), 0.3 * factor)


def test_faster_decays_bound_ndcg_whatever_the_number_of_documents():
    assert math.isclose(
        theory.ndcg_loss(1.0, 10**4, decay="linear"), math.pi / 3**0.5, rel_tol=1e-4
    )
    assert math.isclose(theory.ndcg_loss(1.0, 10**4, decay="quadratic"), math.pi**2 / 45**0.5)
    with pytest.raises(ValueError, match="decay must be one of"):
        theory.ndcg_loss(1.0, 10, decay="none")


def test_a_good_kernel_is_a_good_similarity_for_regression(rng):
    # The proof's own construction: ½‖W‖² + C · mean loss has weights of at most C on landmarks.
    gamma, excess, epsilon, n = 0.5, 0.05, 0.1, 60
    X = rng.normal(size=(n, 4))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    y = X[:, 0] / gamma
    total, bound = theory.regression_admissible(0.0, gamma, excess)
    w = dual_weights(X, y, bound / n, epsilon)
    loss = np.maximum(0, np.abs(X @ (X.T @ w) - y) - epsilon).mean()
    assert np.abs(n * w).max() <= bound * (1 + 1e-6)
    assert loss <= total


def dual_weights(X, y, C, epsilon):
    """Dual weights of the ε-insensitive machine without intercept, by a bounded minimiser."""
    K, n = X @ X.T, len(y)

    def dual(both):
        a = both[:n] - both[n:]
        value = 0.5 * a @ K @ a - a @ y + epsilon * both.sum()
        slope = K @ a - y
        return value, np.concatenate([slope + epsilon, -slope + epsilon])

    found = minimize(dual, np.zeros(2 * n), jac=True, bounds=[(0, C)] * (2 * n), method="L-BFGS-B")
    return found.x[:n] - found.x[n:]


def test_a_good_kernel_is_a_good_similarity_for_ordered_labels():
    # Part 1 of the proof: 2C = γ₁/(ε₁γ²); loss γ₁(1/(2Cγ²) + ε₀), weights up to 2Cγ₁.
    epsilon, gamma, excess, margin = 0.2, 0.4, 0.05, 0.5
    C = margin / (2 * excess * gamma**2)
    total, bound = theory.ordinal_admissible(epsilon, gamma, excess, margin)
    assert math.isclose(bound, 2 * C * margin)
    assert math.isclose(total, margin * (1 / (2 * C * gamma**2) + epsilon))


def test_a_good_kernel_is_a_good_similarity_for_ranking(rng):
    # The minimiser in closed form: α = (PG + I/(2mC))⁻¹ P r; weights are α over probabilities.
    gamma, excess, m, n = 0.5, 0.1, 4, 30
    X = rng.normal(size=(n, 5))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    mu = rng.dirichlet(np.ones(n))
    C = 1 / (2 * excess * gamma**2)
    G, P = X @ X.T + 1e-9 * np.eye(n), np.diag(mu)
    r = rng.random(n)
    alpha = np.linalg.solve(P @ G + np.eye(n) / (2 * m * C), P @ r)
    _, bound = theory.ranking_admissible(0.0, gamma, excess, m)
    assert np.abs(alpha / mu).max() <= bound
    a = 2 * m * C
    assert math.isclose(bound, a * (1 + math.sqrt(a)))


def test_informative_landmarks_are_weights_on_all_of_them(rng):
    # Part 2 of the proof: the mean over informative landmarks is one over all with weights w R/τ.
    bound, tau, n = 1.5, 0.2, 50
    K, w = rng.uniform(-1, 1, size=(30, n)), rng.uniform(-bound, bound, n)
    chosen = np.arange(n) < tau * n
    sparse = (K[:, chosen] * w[chosen]).mean(axis=1)
    weights = w * chosen / tau
    np.testing.assert_allclose((K * weights).mean(axis=1), sparse)
    epsilon, widest = theory.sparse_as_dense(0.3, bound, tau)
    assert epsilon == 0.3
    assert np.abs(weights).max() <= widest


def test_double_dipping_is_mcdiarmids_bound():
    bound, lipschitz, n, delta = 2.0, 1.5, 400, 0.1
    change = 6 * bound * lipschitz / n  # of one landmark, which is a training object too
    deviation = change * math.sqrt(n * math.log(1 / delta) / 2)
    expected = 2 * bound * lipschitz / math.sqrt(n) + deviation
    gap = theory.double_dipping_gap(bound, n, lipschitz=lipschitz, delta=delta)
    assert math.isclose(gap, expected)


def stream_of_pairs(rng, n, size):
    """Points, labels, and at each step the pairs ½(y − y′)(x − x′) of a buffer of the latest."""
    y = rng.integers(2, size=n)
    X = rng.normal(size=(n, 3)) + y[:, None]
    pairs = []
    for t in range(1, n):
        before = slice(max(0, t - size), t)
        pairs.append((y[t] - y[before])[:, None] * (X[t] - X[before]))
    return X, y, pairs


@pytest.mark.parametrize("penalty", [None, 0.05, 1.0])
def test_regret_of_the_online_learner_stays_below_its_bound(rng, penalty):
    n, size, radius = 400, 10, 2.0
    X, y, pairs = stream_of_pairs(rng, n, size)
    lipschitz = max(np.linalg.norm(z, axis=1).mean() for z in pairs)
    sigma = penalty or 0.0

    def losses(w):
        # Pairs of one class cost nothing.
        mean = [np.mean(z.any(axis=1) * np.logaddexp(0, -z @ w)) for z in pairs]
        return np.array(mean) + 0.5 * sigma * w @ w

    if penalty is None:
        step = math.sqrt(2) * radius / lipschitz
        options = {"constraint": L2Ball(radius), "schedule": "sqrt", "step": step}
        bound = theory.online_regret(lipschitz, n, radius=radius)
    else:
        options = {"schedule": "linear", "step": 1 / penalty, "penalty": penalty}
        bound = theory.online_regret(lipschitz, n, penalty=penalty)
    learner = PairwiseLearner(AUC("logistic"), buffer=FIFO(size), **options)
    learner.partial_fit(X, y)
    suffered = learner.history_.mean[-1] * (n - 1)
    inside = {"type": "ineq", "fun": lambda w: radius**2 - w @ w}
    constraints = [inside] if penalty is None else []
    best = minimize(lambda w: losses(w).sum(), np.zeros(3), constraints=constraints)
    regret = suffered - best.fun
    assert 0 < regret < bound


@pytest.mark.parametrize(("n", "size"), [(50, 400), (5000, 20), (5000, None)])
def test_excess_of_pairwise_learning_adds_up(n, size):
    sizes = np.minimum(np.arange(1, n), n if size is None else size)
    complexity, bound, delta = 2.0, 1.5, 0.1
    expected = 30.0 / (n - 1) + 4 * np.mean(complexity / np.sqrt(sizes))
    expected += 6 * bound * math.sqrt(math.log(2 * n / delta) / sizes[-1])
    options = {"bound": bound, "buffer_size": size, "delta": delta}
    excess = theory.pairwise_excess(30.0, n, complexity, **options)
    assert expected <= excess < 1.05 * expected


@pytest.mark.parametrize("size", [None, 300])
def test_excess_for_strongly_convex_losses_solves_the_proofs_inequality(size):
    n, regret, sigma, L, B, delta = 20_000, 400.0, 0.3, 1.2, 2.0, 0.1
    sizes = np.minimum(np.arange(1, n), n if size is None else size)
    log = math.log(8 * math.log(n) / delta)

    def largest(epsilon):
        constant = (4 * (1 + epsilon) * L) ** 2 * (32 + math.log(2 * n / delta))
        fixed = constant * np.sum(1 / sizes) / (epsilon * sigma)

        def slack(total):
            spread = max(8 * L * math.sqrt(total / sigma), 6 * B * math.sqrt(log))
            return (1 + epsilon) * (regret + spread * math.sqrt(log)) + fixed - total

        return brentq(slack, 1e-9, 1e12)

    solved = min(largest(k / 100) for k in range(1, 101)) / (n - 1)
    options = {"penalty": sigma, "lipschitz": L, "bound": B, "buffer_size": size, "delta": delta}
    excess = theory.pairwise_excess_strongly(regret, n, **options)
    assert solved <= excess < 1.3 * solved
    with pytest.raises(ValueError, match="n_examples must be at least 3"):
        theory.pairwise_excess_strongly(regret, 2, **options)


def test_regret_needs_a_ball_or_a_penalty():
    with pytest.raises(ValueError, match="either the radius of a ball or a penalty"):
        theory.online_regret(1.0, 10)


def test_the_margin_of_a_known_mixture_is_that_of_the_proof(rng):
    # The proof puts αⱼβ in the place of β, on features divided by √n: the margin is that of the
    # mixture over √n, of a vector of norm ‖α‖‖β‖.
    alpha = rng.dirichlet(np.ones(5))
    K, beta = rng.uniform(-1, 1, (5, 7)), rng.normal(size=7)
    beta /= np.linalg.norm(beta)
    stacked = np.concatenate([share * beta for share in alpha])
    of_mixture = (alpha @ K) @ beta
    concatenated = (K.ravel() / math.sqrt(5)) @ stacked / np.linalg.norm(stacked)
    ratio = theory.several_measures_margin(0.2, 5, mixture=alpha) / 0.1
    assert math.isclose(concatenated / of_mixture, ratio)
    assert theory.several_measures_margin(0.2, 5, mixture=[0.2] * 5) == pytest.approx(0.1)
    with pytest.raises(ValueError, match="5 numbers from 0 that add up to 1"):
        theory.several_measures_margin(0.2, 5, mixture=[0.5] * 5)


def test_effective_dimension_is_that_of_the_covers():
    # On a line the smallest cover is known: balls of radius δ hold 2δ + 1 points of distance 1.
    n = 900
    points = np.arange(float(n))
    radii = np.arange(2, 200)
    covers = np.ceil(n / (2 * radii + 1))
    slope = np.polyfit(-np.log(radii), np.log(covers), 1)[0]
    found = theory.effective_dimension(np.abs(points[:, None] - points))
    assert found == pytest.approx(slope, abs=0.15)
    assert slope == pytest.approx(1, abs=0.1)


def test_effective_dimension_by_another_greedy_search(rng):
    X = rng.uniform(size=(60, 3))
    chosen, radii = [0], []
    for _ in range(15):
        far = [min(math.dist(x, X[i]) for i in chosen) for x in X]
        radii.append(max(far))
        chosen.append(int(np.argmax(far)))
    D = np.array([[math.dist(a, b) for b in X] for a in X])
    expected = np.polyfit(np.log(radii), np.log(np.arange(1, 16)), 1)[0]
    assert theory.effective_dimension(D) == pytest.approx(-expected)
    assert theory.effective_dimension(1000 * D) == pytest.approx(-expected)
    assert theory.effective_dimension(np.zeros((9, 9))) == 0
    for bad in (D[:, :5], D[:7, :7], -D):
        with pytest.raises(ValueError, match="distances must be"):
            theory.effective_dimension(bad)
