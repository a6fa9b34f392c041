"""From values to features: formulas, fitting, whitening of indefinite values."""

import numpy as np
import pytest

import seamark as sm
from seamark.measures import Euclidean, Gaussian, Linear
from seamark.transfers import (
    Decay,
    GaussianDecay,
    Identity,
    Ramp,
    Seen,
    Shares,
    SideBySide,
    Sign,
    Whitening,
    get_transfer,
)


def seen(values, kind="distance", low=0.0, high=4.0, between=None):
    return Seen(np.asarray(values, np.float32), between, kind, low, high)


V = np.array([[0.0, 1.0, 2.0, 4.0]], dtype=np.float32)


@pytest.mark.parametrize(
    ("transfer", "expected"),
    [
        (Identity(), V),
        (Decay(0.5), np.exp(-0.5 * V)),
        (GaussianDecay(0.5), np.exp(-0.5 * V**2)),
        (Shares(0.5), np.exp(-0.5 * V**2) / np.exp(-0.5 * V**2).sum()),
        (Ramp(1.0), (V - 2) / 2),
        (Ramp(10.0), [[-1, -1, 0, 1]]),
        (Sign(), [[-1, -1, 0, 1]]),
        (Ramp(2.0, middle=0.0, half=4.0), [[0, 0.5, 1, 1]]),
    ],
    ids=repr,
)
def test_formulas(transfer, expected):
    got = transfer.fitted_to(seen(V)).apply(V.copy())
    np.testing.assert_allclose(got, expected, rtol=1e-6)
    assert got.dtype == np.float32


def test_gamma_from_the_median_of_positive_values():
    assert Decay("median").fitted_to(seen(V)).gamma == pytest.approx(1 / 2)
    assert GaussianDecay("auto").fitted_to(seen(V)).gamma == pytest.approx(1 / 4)
    assert Decay().fitted_to(seen(np.zeros((2, 2)))).gamma == 1.0


def test_shares_do_not_fade_where_all_is_far():
    far = np.array([[3.0, 4.0, 9.0], [300.0, 400.0, 900.0]], dtype=np.float32)
    shares = Shares(1.0).apply(far.copy())
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-6)
    assert (shares[:, 0] > 0.99).all()
    assert GaussianDecay(1.0).apply(far.copy())[0].max() < 1e-3
    assert Shares("auto").divisible().get_params() == {"gamma": "auto"}
    assert not isinstance(Shares("auto").divisible(), Shares)
    assert isinstance(Shares(0.5).divisible(), Shares)


def test_mixed_features_are_hidden_from_no_fold():
    words = ["sea", "see", "tea", "mark", "marks", "make"]
    for transfer, hides in (
        (GaussianDecay(0.1), True),
        (Shares(0.1), False),
        (Whitening(Decay(0.1)), False),
        (SideBySide([Identity(), Shares(0.1)]), False),
    ):
        bearings = sm.LandmarkMap("levenshtein", transfer=transfer, random_state=0).fit(words)
        assert (bearings.columns_without(np.array([0, 1])) is not None) == hides
        assert bearings.is_divisible == hides


def test_decay_refuses_similarities_and_nonsense():
    with pytest.raises(ValueError, match="is a similarity already"):
        Decay().fitted_to(seen(V, kind="similarity"))
    with pytest.raises(ValueError, match="gamma must be"):
        Decay("mean").fitted_to(seen(V))


def test_bounds_come_from_the_measure_or_from_what_was_seen(rng):
    X = rng.normal(size=(6, 2))
    values = Linear().cross(X)
    facts = Seen.of(Linear(), values, None, paired=False)
    assert (facts.low, facts.high) == (values.min(), values.max())
    facts = Seen.of(Gaussian(width=1.0), Gaussian(width=1.0).cross(X), None, paired=False)
    assert (facts.low, facts.high) == (0.0, 1.0)
    facts = Seen.of(Gaussian(width=1.0), values, None, paired=True)
    assert (facts.low, facts.high) == (-1.0, 1.0)  # differences of values in [0, 1]


def test_whitening_reproduces_a_kernel_on_the_landmarks(rng):
    X = rng.normal(size=(12, 5))
    K = Gaussian(width=2.0).cross(X)
    facts = Seen.of(Gaussian(width=2.0), K, K, paired=False)
    features = Whitening(rcond=1e-7).fitted_to(facts).apply(K.copy()).astype(float)
    np.testing.assert_allclose(features @ features.T, K, atol=1e-3)


def test_whitening_is_safe_on_indefinite_and_asymmetric_values(rng):
    K = rng.normal(size=(10, 10)).astype(np.float32)
    facts = Seen(K, K, "similarity", -1.0, 1.0)
    whitening = Whitening().fitted_to(facts)
    features = whitening.apply(K.copy()).astype(float)
    assert np.isfinite(features).all()
    assert features.shape == (10, whitening.n_features(10))
    # on symmetric indefinite values the inner products are those of |K|
    S = ((K + K.T) / 2).astype(np.float32)
    features = (
        Whitening().fitted_to(Seen(S, S, "similarity", -1.0, 1.0)).apply(S.copy()).astype(float)
    )
    lam, U = np.linalg.eigh(S.astype(float))
    np.testing.assert_allclose(features @ features.T, (U * abs(lam)) @ U.T, atol=1e-3)


def test_whitening_of_distances_goes_through_a_decay(rng):
    X = rng.normal(size=(8, 3))
    D = Euclidean().cross(X)
    facts = Seen.of(Euclidean(), D, D, paired=False)
    features = Whitening(Decay(1.0), rcond=1e-7).fitted_to(facts).apply(D.copy()).astype(float)
    np.testing.assert_allclose(features @ features.T, np.exp(-D), atol=1e-3)


def test_whitening_pairs_is_refused():
    with pytest.raises(ValueError, match="not pairs"):
        Whitening().fitted_to(seen(V))


def test_names_resolve():
    assert get_transfer("auto", "distance").gamma == "auto"
    assert isinstance(get_transfer("auto", None), Identity)
    assert isinstance(get_transfer("sign", None), Sign)
    with pytest.raises(ValueError, match="transfer must be auto, .*; got 'log'"):
        get_transfer("log", None)


@pytest.mark.parametrize("transfer", ["ramp", "sign", "identity"])
def test_a_similarity_of_unknown_scale_is_normalised_by_what_was_seen(transfer, rng):
    """The range is reported, used, and costs no evaluation."""
    X = 100 * rng.normal(size=(30, 2))
    seen = sm.cross("linear", X)
    bearings = sm.LandmarkMap(
        "linear", n_landmarks=30, transfer=transfer, scale=False, random_state=0
    ).fit(X)
    [(low, high)] = bearings.value_ranges_
    assert (low, high) == (seen.min(), seen.max())
    assert bearings.n_evaluations_ == 30 * 30
    features = bearings.transform(X)
    if transfer != "identity":
        assert (features.min(), features.max()) == pytest.approx((-1, 1), abs=1e-5)
        assert bearings.transfers_[0].middle == (low + high) / 2
    assert bearings.subset(np.array([3])).value_ranges_ == bearings.value_ranges_
    model = sm.LandmarkRegressor("linear", transfer=transfer, random_state=0).fit(X, X[:, 0])
    assert model.map_.value_ranges_ == bearings.value_ranges_


def test_bounds_of_a_measure_are_its_range_and_each_measure_has_its_own(rng):
    X = rng.normal(size=(20, 2))
    bearings = sm.LandmarkMap(["cosine", "euclidean"], transfer="ramp", random_state=0).fit(X)
    assert bearings.value_ranges_[0] == sm.measures.get("cosine").bounds
    assert bearings.value_ranges_[1] == (0.0, sm.cross("euclidean", X).max())
    pairs = sm.LandmarkMap("linear", landmarks="pairs", n_landmarks=9).fit(X, np.arange(20) % 2)
    assert pairs.value_ranges_[0][0] == -pairs.value_ranges_[0][1]


def test_pairs_of_a_distance_get_a_ramp_and_no_decay(rng):
    # Differences of distances have either sign: exp(−γ·) of them overflows.
    words = ["a" * int(k) for k in rng.integers(1, 400, 60)]
    y = np.array([len(word) > 200 for word in words])
    pairs = sm.LandmarkMap("levenshtein", n_landmarks=8, landmarks="pairs", random_state=0)
    assert isinstance(pairs.fit(words, y).transfers_[0], Ramp)
    with pytest.raises(ValueError, match="differences of pairs have either sign"):
        pairs.set_params(transfer=Decay(10.0)).fit(words, y)
    model = sm.LandmarkClassifier("levenshtein", n_landmarks=8, landmarks="pairs", random_state=0)
    assert model.fit(words, y).score(words, y) > 0.9
    assert {type(t) for (t,) in model.tuning_["transfer"]} == {Ramp}


@pytest.mark.parametrize(
    ("measure", "options"),
    [
        ("levenshtein", {"landmarks": "pairs", "transfer": "decay"}),
        ("levenshtein", {"landmarks": "pairs", "transfer": "whitening"}),
        (sm.measures.Custom(lambda a, b: 1.0, kind="similarity"), {"transfer": "decay"}),
        (
            sm.measures.Custom(lambda a, b: 1.0, kind="similarity"),
            {"transfer": Whitening(Decay(1.0))},
        ),
    ],
)
def test_a_transfer_that_is_not_for_the_values_stops_before_any_is_computed(measure, options):
    words = ["sea", "land", "coast", "shore"] * 5
    with sm.engine.counting() as counter, pytest.raises(ValueError, match=r"pairs|similarity"):
        sm.LandmarkMap(measure, n_landmarks=4, **options).fit(words, [0, 1, 0, 1] * 5)
    assert counter.evaluations == 0
