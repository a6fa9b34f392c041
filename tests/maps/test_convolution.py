"""Random convolutions: kernels of every build against the textbook, and the map around them."""

import pickle
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import seamark as sm
from seamark.data import series
from seamark.engine.backends import backends

ENGINES = list(backends())
FUSED = [name for name in ENGINES if name not in ("reference", "baseline")]
KERNELS = list(combinations(range(9), 3))


def walks(rng, lengths, channels=1):
    return [rng.normal(size=(channels, k)).cumsum(axis=1) for k in lengths]


def textbook(x, kernel, dilation, padded, channels, bias):
    """Share of places of a (channels, time) array whose convolution is above the bias."""
    weights = [2.0 if t in KERNELS[kernel] else -1.0 for t in range(9)]
    x = x[list(channels)].sum(axis=0)
    x = np.concatenate([x, np.full(max(0, 8 * dilation + 1 - len(x)), x[-1])])
    above = []
    for place in range(len(x)):
        seen = [place + (t - 4) * dilation for t in range(9)]
        if padded or (seen[0] >= 0 and seen[-1] < len(x)):
            inside = [x[s] if 0 <= s < len(x) else 0.0 for s in seen]
            above.append(np.dot(weights, inside) > bias)
    return np.mean(above)


def random_plan(rng, n, n_channels, per=3):
    """Arguments of a plan: combinations, each with up to so many features, in any order."""
    kernels, dilations = rng.integers(0, 84, n), rng.integers(1, 6, n)
    channels = [
        np.sort(rng.choice(n_channels, rng.integers(1, n_channels, endpoint=True), replace=False))
        for _ in range(n)
    ]
    ends = np.concatenate([[0], np.cumsum([len(c) for c in channels])])
    owners = rng.permutation(np.repeat(np.arange(n), rng.integers(1, per, n, endpoint=True)))
    padded, biases = rng.integers(0, 2, n).astype(np.uint8), 3 * rng.normal(size=len(owners))
    return kernels, dilations, padded, np.concatenate(channels), ends, owners, biases, n_channels


def shares(engine, plan, X):
    X = series.ingest(X)
    out = np.full((len(X), len(plan[5])), np.nan, np.float32)
    made = backends()[engine].convolution(*plan)
    made.run(np.ascontiguousarray(X.values, np.float64), X.offsets, out, np.zeros(1, np.uint8))
    return out


def expected(plan, X):
    kernels, dilations, padded, channels, ends, owners, biases, _ = plan
    return [
        [
            textbook(x, kernels[i], dilations[i], padded[i], channels[ends[i] : ends[i + 1]], bias)
            for i, bias in zip(owners, biases, strict=True)
        ]
        for x in X
    ]


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=8, deadline=None)
@given(
    lengths=st.lists(st.integers(1, 60), min_size=1, max_size=3),
    n_channels=st.integers(1, 3),
    seed=st.integers(0, 99),
)
def test_agrees_with_textbook(engine, lengths, n_channels, seed):
    rng = np.random.default_rng(seed)
    X, plan = walks(rng, lengths, n_channels), random_plan(rng, 6, n_channels)
    np.testing.assert_allclose(shares(engine, plan, X), expected(plan, X), atol=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("per", [1, 2, 5, 8, 9, 21])
def test_any_number_of_biases(engine, per):
    rng = np.random.default_rng(per)
    kernels, owners = np.arange(10), np.repeat(np.arange(10), per)  # neighbours share two taps
    flat = np.zeros(10, np.int64), np.arange(11)
    biases, padded = 3 * rng.normal(size=len(owners)), np.ones(10, np.uint8)
    plan = (kernels, np.full(10, 2), padded, *flat, owners, biases, 1)
    X = walks(rng, [33, 47])
    np.testing.assert_allclose(shares(engine, plan, X), expected(plan, X), atol=1e-6)


@pytest.mark.skipif(len(FUSED) < 2, reason="needs two instruction sets that fuse")
def test_instruction_sets_agree_to_the_last_bit():
    rng = np.random.default_rng(5)
    X, plan = walks(rng, [40, 200, 333], 3), random_plan(rng, 200, 3)
    np.testing.assert_array_equal(*(shares(isa, plan, X) for isa in FUSED))


@pytest.mark.parametrize("engine", ENGINES)
def test_stop_and_what_would_read_out_of_bounds(engine):
    rng = np.random.default_rng(6)
    plan = random_plan(rng, 4, 1)
    make = backends()[engine].convolution
    made, out = make(*plan), np.full((1, len(plan[5])), -1, np.float32)
    x, stop = rng.normal(size=(30, 1)), np.zeros(1, np.uint8)
    made.run(x, np.array([0, 30]), out, stop + 1)
    assert (out == -1).all()
    assert made.n_landmarks == len(plan[5])
    for values, offsets, where, message in (
        (np.ones((30, 2)), [0, 30], out, "channels"),
        (x, [0, 31], out, "range"),
        (x, [2, 2], out, "empty"),
        (x, [0, 30], out[:, 1:], "shape"),
    ):
        with pytest.raises(ValueError, match=message):
            made.run(values, np.array(offsets), where, stop)
    for place, wrong, message in (
        (0, plan[0] + 84, "0 to 83"),
        (1, plan[1] * 0, "dilation"),
        (2, plan[2][1:], "differ in length"),
        (3, plan[3] + 1, "channel that series lack"),
        (5, plan[5] + 4, "belongs to no combination"),
    ):
        with pytest.raises(ValueError, match=message):
            make(*plan[:place], wrong, *plan[place + 1 :])


@pytest.mark.parametrize("n_components", [1, 50, 84, 1000])
@pytest.mark.parametrize("channels", [1, 4])
def test_as_many_features_as_asked_for(rng, n_components, channels):
    X = walks(rng, [40, 55, 90], channels)
    made = sm.RandomConvolution(n_components, random_state=0).fit(X)
    Z = made.transform(X)
    assert Z.shape == (3, n_components)
    assert Z.dtype == np.float32
    assert 0 <= Z.min() <= Z.max() <= np.sqrt(1 / n_components) * 1.001
    assert made.dilations_.max() * 8 + 1 <= 55  # nine of ten series are no longer than the second
    assert len(made.get_feature_names_out()) == n_components
    assert np.diff(made.channel_offsets_).max() <= channels


def test_features_are_what_the_attributes_say(rng):
    X = walks(rng, [40, 55, 70], 2)
    made = sm.RandomConvolution(300, random_state=0).fit(X)
    plan = (made.kernels_, made.dilations_, made.padded_, made.channels_, made.channel_offsets_)
    centred = [x - made.centre_[:, None] for x in X]
    wanted = np.array(expected((*plan, made.owners_, made.biases_, 2), centred))
    got = made.transform(X) / made.scale_
    assert (np.abs(got - wanted) < 1e-5).mean() > 0.999


def test_half_of_the_kernels_are_padded_and_biases_are_quantiles(rng):
    X = rng.normal(size=(50, 100))
    made = sm.RandomConvolution(5000, random_state=0).fit(X)
    assert abs(made.padded_.mean() - 0.5) < 0.01
    # a bias at a random quantile of one of these rows: shares are about uniform over all rows
    mean = (made.transform(X) / made.scale_).mean(axis=0)
    assert abs(np.quantile(mean, 0.25) - 0.25) < 0.03
    assert abs(np.quantile(mean, 0.75) - 0.75) < 0.03


def test_subsets_blocks_copies_and_seeds(rng):
    X = walks(rng, [30] * 20)
    made = sm.RandomConvolution(200, random_state=3, n_jobs=1).fit(X)
    Z = made.transform(X)
    columns = np.array([5, 0, 199, 17])
    part = made.subset(columns)
    np.testing.assert_array_equal(part.transform(X), Z[:, columns])
    np.testing.assert_array_equal(part.subset([2]).transform(X), Z[:, [199]])
    assert part.get_feature_names_out()[0] == "randomconvolution5"
    np.testing.assert_array_equal(made.block(made.ingest(X)[3:7]), Z[3:7])
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(made)).transform(X), Z)
    again = clone(made).set_params(n_jobs=2).fit(X)
    np.testing.assert_array_equal(again.transform(X), Z)
    other = clone(made).set_params(random_state=4).fit(X)
    assert (other.transform(X) != Z).any()


def test_saved_and_loaded(rng, tmp_path):
    X = walks(rng, [30, 44, 52], 2)
    made = sm.RandomConvolution(100, random_state=0).fit(X)
    made.transform(X)  # what is compiled on the way is not saved
    sm.save(made, tmp_path / "map.seamark")
    loaded = sm.load(tmp_path / "map.seamark")
    np.testing.assert_array_equal(loaded.transform(X), made.transform(X))


def test_short_rows_and_common_offsets(rng):
    X = walks(rng, [30, 5, 1])
    made = sm.RandomConvolution(100, random_state=0).fit(X)
    Z = made.transform(X)
    assert np.isfinite(Z).all()
    assert made.dilations_.max() == 1
    X = walks(rng, [60, 75, 80])
    near = sm.RandomConvolution(100, random_state=0).fit(X).transform(X)
    moved = [x + 1e6 for x in X]
    far = sm.RandomConvolution(100, random_state=0).fit(moved).transform(moved)
    assert (np.abs(far - near) < 1e-6).mean() > 0.98  # a place or two lie as near to a bias


@pytest.mark.parametrize("engine", ENGINES)
def test_plateaus_are_not_above_what_they_were_taken_for(rng, engine):
    X = [np.full(50, 0.1), np.full(60, 0.3)]
    with sm.engine.using(engine):
        made = sm.RandomConvolution(168, random_state=0).fit(X)
        inside = ~made.padded_[made.owners_]
        assert (made.transform(X)[:, inside] == 0).all()


def test_no_measure_is_evaluated(rng):
    X = walks(rng, [30, 44])
    made = sm.RandomConvolution(100, random_state=0).fit(X)
    with sm.engine.counting() as counter:
        made.transform(X)
    assert counter.evaluations == 0


def test_messages(rng):
    with pytest.raises(ValueError, match="n_components must be a positive whole number"):
        sm.RandomConvolution(0).fit([[1.0, 2.0]])
    made = sm.RandomConvolution(10, random_state=0).fit(walks(rng, [20, 20], 2))
    with pytest.raises(ValueError, match="X has 1 channel, but the series before had 2"):
        made.transform([[1.0, 2.0]])


def test_a_block_of_convolutions_stands_beside_windows(rng, tmp_path):
    """One class has a bump somewhere: both kinds of feature see it, and travel in one file."""
    X = rng.normal(size=(80, 1, 60))
    y = np.arange(80) % 2
    for row in np.flatnonzero(y):
        X[row, 0, rng.integers(0, 45) :][:12] += 4 * np.hanning(12)
    windows = sm.LandmarkMap("subsequence", n_landmarks=60)
    model = sm.LandmarkClassifier([windows, sm.RandomConvolution(200)], random_state=0)
    model.fit(X[:60], y[:60])
    assert len(model.measure_weights_) == len(model.map_.blocks_)
    assert model.score(X[60:], y[60:]) >= 0.8
    sm.save(model, tmp_path / "model.seamark")
    again = sm.load(tmp_path / "model.seamark")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
