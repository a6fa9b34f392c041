"""Random Maclaurin features: every path against its definition, and against the kernel."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.polynomial.polynomial import polyval
from scipy import sparse
from scipy.linalg import hadamard
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.linear_model import RidgeClassifierCV
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, normalize

import naive_maps
import seamark as sm
from seamark.landmarks import Generated
from seamark.maps.maclaurin import (
    PROJECTIONS,
    VectorSource,
    compositional_size,
    hadamard_rows,
    maclaurin_size,
    shared_out,
)
from seamark.measures import Exponential, Gaussian, Linear, Polynomial, Vovk
from seamark.transfers import Decay

rng = np.random.default_rng(8)
X = rng.uniform(-0.5, 0.5, size=(9, 4))
WAYS = [
    {"h01": h01, "degrees": degrees, "projection": projection}
    for h01 in (True, False)
    for degrees in ("geometric", "proportional", "optimal", 4, [1, 3])
    for projection in PROJECTIONS
]


def name(way):
    return "-".join(str(value) for value in way.values())


@pytest.mark.parametrize("n_components", [7, 8, 60, 150])
@pytest.mark.parametrize("way", WAYS, ids=name)
def test_every_column_is_its_product(way, n_components):
    model = sm.RandomMaclaurin(Polynomial(4), n_components, random_state=2, **way).fit(X)
    assert model.n_features_out_ <= n_components
    expected = naive_maps.product_columns(model.columns_, X / model.radius_)
    np.testing.assert_allclose(model.transform(X), expected, rtol=1e-4, atol=1e-5)


# "optimal" counts terms by less than they are, or not at all, where few columns of them would be
# more noise than term. It is unbiased where it may not, which `degrees=4` says of a polynomial of
# degree 4; the thesis's rules are so always.
UNBIASED = [w for w in WAYS if w["degrees"] in ("geometric", "proportional", 4)]


@pytest.mark.parametrize("way", UNBIASED, ids=name)
def test_unbiased(way):
    # 120 fits of 24 columns, six pairs: |z| < 5 fails by chance in fewer than 10⁻⁵ of tests.
    K = Polynomial(4).cross(X[:4])
    values = []
    for seed in range(120):
        Z = sm.RandomMaclaurin(Polynomial(4), 24, random_state=seed, **way).fit(X).transform(X[:4])
        values.append(Z @ Z.T)
    pairs = np.triu_indices(4, 1)
    values = np.array(values)[:, pairs[0], pairs[1]]
    z = (values.mean(axis=0) - K[pairs]) / (values.std(axis=0) / np.sqrt(120) + 1e-7)
    assert np.abs(z).max() < 5


@pytest.mark.parametrize("projection", PROJECTIONS)
def test_error_falls_with_the_root_of_the_columns(projection):
    # Mean square errors of 40 draws each; a ratio of 16 is expected, and its standard error,
    # about 15 %, keeps chance out of (8, 32).
    def mean_square(D):
        errors = []
        for seed in range(40):
            model = sm.RandomMaclaurin(
                Polynomial(3, coef0=0), D, h01=False, projection=projection, random_state=seed
            )
            Z = model.fit_transform(X)
            errors.append(np.square(Z @ Z.T - model.kernel_.cross(X)).mean())
        return np.mean(errors)

    assert 8 < mean_square(50) / mean_square(800) < 32


@pytest.mark.parametrize("d", [1, 2, 8, 32])
def test_hadamard_rows_are_those_of_the_matrix_and_come_in_orthogonal_blocks(d):
    np.testing.assert_array_equal(hadamard_rows(np.arange(d), d), hadamard(d))
    rows = PROJECTIONS["srht"].draw(2 * d, d, rng)
    for block in (rows[:d], rows[d:]):
        np.testing.assert_allclose(block @ block.T, d * np.eye(d))
    assert PROJECTIONS["srht"].draw(d + 1, max(1, d - 1), rng).shape == (d + 1, max(1, d - 1))


def test_wide_sparse_data():
    thin = sparse.random(50, 20_000, density=0.001, format="csr", random_state=0)
    Z = sm.RandomMaclaurin(n_components=30, random_state=0).fit_transform(thin)
    assert Z.shape == (50, 30)
    assert np.isfinite(Z).all()


@pytest.mark.parametrize("projection", ["rademacher", "complex"])
@pytest.mark.parametrize("n", [1, 2, 3])
def test_variances_are_those_of_the_formula(projection, n):
    # 20 000 independent groups; the relative error of a variance is about 2 % here.
    kind = PROJECTIONS[projection]
    m = 40_000
    z = np.ones((4, m // kind.unit), dtype=complex)
    for _ in range(n):
        values = X[:4] @ kind.draw(m, 4, rng).T
        z *= values if kind.unit == 1 else values[:, ::2] + 1j * values[:, 1::2]
    i, j = np.triu_indices(4)
    products = (z[i] * z[j].conj()).real
    source = VectorSource(X[:4], X[:4], kind)
    expected = source.variance(n) * source.squared_radius ** (2 * n)
    np.testing.assert_allclose(kind.unit * products.var(axis=1), expected, rtol=0.15)


@pytest.mark.parametrize(
    "kernel",
    [
        *[Linear(), Polynomial(3), Polynomial(5), Exponential(0.8), Vovk(), Vovk(4)],
        *["exponential", [0.5, 1.0, 0.25], lambda n: 1 / math.factorial(n)],
    ],
    ids=str,
)
def test_every_kernel_is_approximated(kernel):
    model = sm.RandomMaclaurin(kernel, 4000, random_state=0).fit(0.8 * X)
    Z = model.transform(0.8 * X)
    K = model.kernel_.cross(0.8 * X)
    assert np.abs(Z @ Z.T - K).max() < 0.03 * np.abs(K).max()


def test_low_degrees_are_exact_where_there_is_room():
    model = sm.RandomMaclaurin(Polynomial(3), 200, random_state=0).fit(X)
    assert model.n_features_out_ == math.comb(7, 3)  # all monomials up to degree 3 in 4 variables
    Z = model.transform(X)
    np.testing.assert_allclose(Z @ Z.T, Polynomial(3).cross(X), rtol=1e-5)


def cloud(kind, d, n=60):
    """Rows of norm 0.95, or less in the ball."""
    own = np.random.default_rng([d, len(kind)])
    rows = own.normal(size=(n, d))
    if kind == "clusters":
        rows = own.normal(size=(6, d))[own.integers(6, size=n)] + 0.3 * rows
    if kind == "counts":
        rows = own.poisson(0.15, size=(n, d)) + np.eye(d)[np.arange(n) % d]
    rows *= 0.95 / np.linalg.norm(rows, axis=1, keepdims=True)
    return rows * own.uniform(size=(n, 1)) ** (1 / d) if kind == "ball" else rows


@pytest.mark.parametrize(
    ("kernel", "d", "kind"),
    [
        (Exponential(1.0), 10, "counts"),
        (Polynomial(10), 50, "ball"),
        (Vovk(12), 10, "clusters"),
        (Polynomial(10, coef0=0), 200, "counts"),
        ([0.5, 0.0, 2.0, 0.0, 0.0, 1.0, 0.1], 50, "unit"),
        pytest.param(Exponential(1.0), 200, "unit", marks=pytest.mark.slow),
        pytest.param(Polynomial(10), 200, "clusters", marks=pytest.mark.slow),
        pytest.param(Vovk(12), 50, "counts", marks=pytest.mark.slow),
        pytest.param(Polynomial(10, coef0=0), 50, "clusters", marks=pytest.mark.slow),
        pytest.param([0.5, 0.0, 2.0, 0.0, 0.0, 1.0, 0.1], 200, "ball", marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_more_columns_do_not_make_the_error_larger(kernel, d, kind):
    # The root of the mean square over all pairs, of a row with itself too, relative to
    # √(K(x, x) K(y, y)), mean of 16 draws: at most a tenth above that of any fewer columns. At
    # d + 1 and d + 2 there is just room for exact terms of degree 0 and 1. A draw in a hundred is
    # several times as wrong as the others, so that means of five are up to a fifth off.
    rows = cloud(kind, d)
    fitted = sm.RandomMaclaurin(kernel, 10, random_state=0).fit(rows).kernel_
    K = polyval(rows @ rows.T, fitted.maclaurin(255))
    size = np.sqrt(np.outer(np.diag(K), np.diag(K)))
    least = np.inf
    for D in (10, d, d + 1, d + 2, 2 * d + 20, 800):
        errors = []
        for seed in range(16):
            model = sm.RandomMaclaurin(kernel, D, random_state=seed).fit(rows)
            Z = model.transform(rows).astype(float)
            errors.append(np.sqrt(np.square((Z @ Z.T - K) / size).mean()))
        assert np.mean(errors) < 1.1 * least
        least = min(least, float(np.mean(errors)))


@pytest.mark.parametrize("D", [200, 500])
def test_a_linear_head_does_as_well_as_on_the_features_of_the_thesis(D):
    # Handwritten digits; half of the rows for training, five splits. H0/1 has 0.951 and 0.966;
    # the smallest error of the kernel alone gave 0.857 and 0.921. The mean difference of five
    # splits has a standard error of about 0.004.
    X, y = load_digits(return_X_y=True)
    X = normalize(StandardScaler().fit_transform(X))

    def accuracy(seed, **way):
        train, test = train_test_split(np.arange(len(X)), test_size=0.5, random_state=seed)
        features = sm.RandomMaclaurin(Polynomial(10), D, random_state=seed, **way)
        head = make_pipeline(features, RidgeClassifierCV(np.logspace(-3, 5, 9)))
        return head.fit(X[train], y[train]).score(X[test], y[test])

    thesis = {"degrees": "geometric", "projection": "rademacher"}
    differences = [accuracy(seed) - accuracy(seed, **thesis) for seed in range(5)]
    assert np.mean(differences) > -0.02


def test_rows_keep_their_length_in_the_space_of_the_kernel():
    # Pairs of different rows alone are next to linear: judged by them, all columns went to degree
    # 1, and Z·Z was 0.011 of K(x, x).
    rows = cloud("unit", 200, 100) / 0.95
    for seed in range(3):
        model = sm.RandomMaclaurin(Polynomial(10), 5000, random_state=seed).fit(rows)
        own = np.square(model.transform(rows)).sum(axis=1)
        assert 0.8 < own.mean() / 2.0**10 < 1.05
        assert model.degrees_.max() >= 5


def test_exact_columns_may_be_all_there_are():
    # 201 columns are 1 and the coordinates; one more used to turn them into random ones.
    rows = cloud("unit", 200)
    off = ~np.eye(len(rows), dtype=bool)
    for D in (201, 202):
        model = sm.RandomMaclaurin(Exponential(1.0), D, random_state=0).fit(rows)
        assert model.degrees_[:201].tolist() == [0] + [1] * 200
        Z = model.transform(rows).astype(float)
        assert np.abs(Z @ Z.T - Exponential(1.0).cross(rows))[off].mean() < 0.008  # 0.0128 before


def test_there_is_always_a_column():
    # One draw of a product of ten signs says next to nothing of its mean.
    Z = sm.RandomMaclaurin(Polynomial(10, coef0=0), 1, random_state=0).fit_transform(X)
    assert Z.shape == (len(X), 1)
    Z = sm.RandomMaclaurin(Polynomial(10, coef0=0), 5).fit_transform(np.zeros((5, 2)))
    assert Z.shape[1] >= 1
    assert not Z.any()


def test_a_few_long_rows_do_not_take_all_columns():
    # Six rows of 120 are long, with kernel values of up to 3·10⁷ where the others have about 1.
    # Relative errors over those of H0/1 are 0.11 ± 0.01 over draws and data, so that a false alarm
    # is 40 standard deviations away. Errors counted as they are gave from 1.3 to 65.
    own = np.random.default_rng(0)
    rows = own.normal(size=(120, 10))
    rows *= np.where(np.arange(120) < 6, 1.0, 0.15)[:, None] / np.linalg.norm(rows, axis=1)[:, None]
    kernel = Exponential(0.24)
    K = kernel.cross(rows)
    size = np.sqrt(np.outer(np.diag(K), np.diag(K)))

    def error(seed, **way):
        Z = sm.RandomMaclaurin(kernel, 200, random_state=seed, **way).fit_transform(rows)
        return (np.abs(Z.astype(float) @ Z.T - K) / size)[np.triu_indices(120, 1)].mean()

    for seed in range(5):
        assert error(seed) < 0.5 * error(seed, degrees="geometric", projection="rademacher")


def test_rows_of_no_size_or_next_to_none_have_no_say():
    # The square of 10⁻⁴⁰ to the power 10 is no number that can be divided by.
    rows = np.concatenate([X, np.zeros((2, 4)), 1e-40 * X])
    kernel = Polynomial(10, coef0=0)
    Z = sm.RandomMaclaurin(kernel, 400, random_state=0).fit_transform(rows)
    assert np.isfinite(Z).all()
    assert np.all(Z[len(X) :] == 0)


def test_h01_is_exact_in_the_first_two_terms():
    model = sm.RandomMaclaurin(Exponential(1.0), 50, degrees="geometric", random_state=0).fit(X)
    assert model.degrees_[:5].tolist() == [0, 1, 1, 1, 1]
    assert model.degrees_[5:].min() >= 2 or 0 in model.degrees_[5:]
    Z = model.subset(np.arange(5)).transform(X)
    np.testing.assert_allclose(Z @ Z.T, 1 + X @ X.T, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("p", [1.2, 2.0, 3.0])
def test_geometric_degrees_follow_their_distribution(p):
    # Frequencies of 50 000 draws within five standard errors: six comparisons, false alarm 4·10⁻⁶.
    model = sm.RandomMaclaurin(
        Vovk(), 50_000, degrees="geometric", p=p, h01=False, projection="rademacher", random_state=0
    ).fit(X[:, :1])
    drawn = np.where(model.columns_.scales > 0, model.degrees_, -1)  # others are past the series
    for n in range(6):
        P = (p - 1) / p ** (n + 1)
        assert abs((drawn == n).mean() - P) < 5 * np.sqrt(P * (1 - P) / 50_000)


def test_a_single_degree_is_not_drawn():
    model = sm.RandomMaclaurin(Polynomial(10, coef0=0), 30, degrees="geometric").fit(X)
    assert set(model.degrees_) == {10}


def test_large_vectors_do_not_overflow():
    model = sm.RandomMaclaurin(Exponential(), 300, random_state=0)
    small, large = model.fit_transform(X), model.fit_transform(1e6 * X)
    np.testing.assert_allclose(large, small, rtol=1e-3, atol=1e-4)


def test_degenerate_data_give_finite_features():
    Z = sm.RandomMaclaurin(Polynomial(4), 3).fit_transform(np.ones((5, 1)))
    assert np.isfinite(Z).all()
    assert np.isfinite(sm.RandomMaclaurin(n_components=4).fit_transform(np.zeros((5, 2)))).all()


INNER = [
    sm.RandomFourier(Gaussian(0.8)),
    sm.ArcCosine(0),
    sm.RandomMaclaurin([0.5, 0.5], h01=False, degrees="geometric", projection="rademacher"),
]


@pytest.mark.parametrize("inner", INNER, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("degrees", ["proportional", 3])
def test_compositional_features_are_unbiased(inner, degrees):
    # 100 fits, three pairs: |z| < 5, a false alarm in 5·10⁵ tests.
    outer, points = Polynomial(3), X[:3]
    within = inner.fit(X).kernel_.cross(points)
    K = sum(a * within**n for n, a in enumerate(outer.maclaurin(4)))
    values = []
    for seed in range(100):
        model = sm.RandomMaclaurin(outer, 40, inner=inner, degrees=degrees, random_state=seed)
        Z = model.fit(X).transform(points)
        values.append(Z @ Z.T)
    pairs = np.triu_indices(3, 1)
    values = np.array(values)[:, pairs[0], pairs[1]]
    z = (values.mean(axis=0) - K[pairs]) / (values.std(axis=0) / np.sqrt(100))
    assert np.abs(z).max() < 5


def all_words():
    """Every word that Generated((1, 2)) draws from the letters a and b, and its probability."""
    words = ["a", "b", "aa", "ab", "ba", "bb"]
    return words, np.array([1 / 4, 1 / 4, *[1 / 8] * 4])


@pytest.mark.parametrize("degrees", ["proportional", 3])
def test_random_objects_within_a_composed_kernel_are_unbiased(degrees):
    # 100 fits, three pairs: |z| < 5, a false alarm in 5·10⁵ tests.
    outer, objects = Polynomial(3), ["abba", "baa", "b", "aab"]
    words, chances = all_words()
    F = np.exp(-0.3 * sm.cross("levenshtein", objects[:3], words))
    within = (F * chances) @ F.T
    K = sum(a * within**n for n, a in enumerate(outer.maclaurin(4)))
    inner = sm.LandmarkMap("levenshtein", landmarks=Generated((1, 2)), transfer=Decay(0.3))
    values = []
    for seed in range(100):
        model = sm.RandomMaclaurin(outer, 40, inner=inner, degrees=degrees, random_state=seed)
        Z = model.fit(objects).transform(objects[:3])
        values.append(Z @ Z.T)
    pairs = np.triu_indices(3, 1)
    values = np.array(values)[:, pairs[0], pairs[1]]
    z = (values.mean(axis=0) - K[pairs]) / (values.std(axis=0) / np.sqrt(100))
    assert np.abs(z).max() < 5


def test_a_composed_kernel_of_strings_is_a_map_like_any_other(tmp_path):
    words = ["ab" * k for k in range(1, 16)] + ["cd" * k for k in range(1, 16)]
    y = [0] * 15 + [1] * 15
    inner = sm.LandmarkMap("levenshtein", landmarks="generated", transfer=Decay(0.3))
    composed = sm.RandomMaclaurin([0, 1, 1], 60, inner=inner, random_state=0)
    model = sm.LandmarkClassifier([composed], random_state=0).fit(words, y)
    assert model.score(words, y) > 0.9
    sm.save(model, tmp_path / "model")
    again = sm.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict_proba(words), model.predict_proba(words))
    Z = clone(composed).fit(words)
    some = np.array([40, 3, 7])
    np.testing.assert_array_equal(Z.subset(some).transform(words), Z.transform(words)[:, some])


@pytest.mark.parametrize(
    "changes",
    [{"landmarks": "uniform"}, {"transfer": Decay()}, {"transfer": "whitening"}],
)
def test_landmarks_from_the_data_or_open_transfers_are_not_independent(changes):
    parts = {"landmarks": "generated", "transfer": Decay(0.3)} | changes
    inner = sm.LandmarkMap("levenshtein", **parts)
    with pytest.raises(ValueError, match="depend on each other"):
        sm.RandomMaclaurin(inner=inner).fit(["ab", "ba", "aa"])


def test_dependent_columns_cannot_be_multiplied():
    for inner in (sm.RandomFourier(orthogonal=True), sm.RandomMaclaurin(), sm.Coordinates()):
        with pytest.raises(ValueError, match="depend on each other"):
            sm.RandomMaclaurin(inner=inner).fit(X)


@given(
    st.lists(st.floats(0.0, 10.0), min_size=1, max_size=4).filter(lambda v: sum(v) > 0.01),
    st.integers(0, 12),
)
def test_columns_are_shared_out_in_the_best_way(noise, more):
    columns = len(noise) + more
    counts = shared_out(np.array(noise), columns)
    assert counts.sum() == columns
    assert counts.min() >= 1
    ours = float((np.square(noise) / counts).sum())
    assert ours <= naive_maps.best_counts(noise, columns) * (1 + 1e-9)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kernel": Vovk(), "degrees": "optimal"}, "divide all vectors by a little more"),
        ({"kernel": Polynomial(3, coef0=-1)}, "is negative"),
        ({"kernel": lambda n: 1.0}, "does not settle"),
        ({"kernel": Exponential(0.05)}, "take a larger width"),
        ({"kernel": [0.0, 0.0]}, "no terms of these degrees"),
        ({"degrees": "best"}, "degrees must be one of"),
        ({"degrees": [300]}, "no terms of these degrees"),
        ({"projection": "gaussian"}, "projection must be one of"),
        ({"p": 1.0}, "p must be above 1"),
        ({"n_components": 0}, "n_components must be"),
        ({"n_components": 4, "degrees": "geometric"}, "or set h01=False"),
        ({"kernel": "gaussian"}, "no function of the inner product"),
        ({"kernel": "sigmoid"}, "gives no Maclaurin series"),
    ],
    ids=str,
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises((ValueError, TypeError), match=message):
        sm.RandomMaclaurin(**parameters).fit(3 * X)


def test_sizes_are_those_of_the_theorems():
    a, b = math.exp(0.25), math.exp(0.5)
    C, L = 2 * b, 0.5 * a + 4 * 0.5 * math.sqrt(2) * b
    expected = 8 * C**2 / 0.01 * (math.log(2 / 0.1) + 4 * math.log(32 * 0.5 * L / 0.1))
    size = maclaurin_size(Exponential(1.0), d=2, radius=0.5, epsilon=0.1, delta=0.1)
    assert size == math.ceil(expected)
    bounds = {"feature_bound": 2.0, "feature_lipschitz": 3.0, "kernel_bound": 1.0}
    size = compositional_size(
        Exponential(1.0), d=2, radius=0.5, epsilon=0.1, delta=0.1, kernel_lipschitz=0.5, **bounds
    )
    C, L = 2 * math.exp(4), 0.5 * math.e + 3 * 4 * math.sqrt(2) * math.exp(4)
    assert size == pytest.approx(16 * C**2 / 0.01 * math.log(32 * 0.5 * L / 0.01), rel=1e-6)
    with pytest.raises(ValueError, match="epsilon must be positive"):
        maclaurin_size("vovk", d=2, radius=0.5, epsilon=0.0)
    with pytest.raises(ValueError, match="converges below 1"):
        maclaurin_size("vovk", d=2, radius=0.9, epsilon=0.1)
