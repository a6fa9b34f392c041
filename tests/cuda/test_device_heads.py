"""Heads and models whose features stay on a device: the same as on the host, and nothing leaks."""

import numpy as np
import pytest
from apart import Apart

import seamark as sm
from seamark.engine import backends
from seamark.engine.cuda import Cuda, statistics
from seamark.features import InMemory, Selected
from seamark.linear_model.ridge_device import DevicePrimal, DeviceSums
from seamark.linear_model.ridge_fit import RidgeTask, fit_ridge, scores_of_folds
from seamark.linear_model.ridge_statistics import FoldSums
from seamark.measures import Levenshtein

N, R, T = 300, 20, 2


@pytest.fixture(params=["apart", "gpu"])
def device(request):
    return request.getfixturevalue(request.param)


@pytest.fixture
def there(device, monkeypatch):
    """Everything runs with the device's backend, small jobs too."""
    monkeypatch.setattr(device, "sums_from", 0.0)
    with sm.engine.using(backend=Cuda(device, backends.backend())):
        yield device


class OnDevice(InMemory):
    """A matrix whose blocks are on the device."""

    def on_device(self):
        return self

    def chunks(self, columns=None):
        for rows, block in super().chunks(columns):
            yield rows, sm.engine.backend().device.upload(block.astype(np.float32))


def problem(rng, constant=3):
    phi = rng.normal(size=(N, R)).astype(np.float32)
    phi[:, constant] = 1.5
    Y = phi[:, :T].astype(np.float64) + rng.normal(size=(N, T))
    weights = rng.uniform(0.2, 1.0, N)
    weights[rng.integers(0, N, 5)] = 0.0
    return phi, Y, rng.integers(0, 4, N), weights


def words(rng, n=500, letters="abcdef", sizes=(3, 15)):
    return ["".join(rng.choice(list(letters), k)) for k in rng.integers(*sizes, n)]


def labelled(rng, n=500):
    X = words(rng, n)
    return X, np.array([(x.count("a") > x.count("b")) + (x.count("c") > 2) for x in X])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("centred", [False, True])
def test_sums_are_those_of_the_host(there, rng, weighted, centred):
    phi, Y, folds, weights = problem(rng)
    given = Y, folds, weights if weighted else None
    here = FoldSums.of(InMemory(phi), *given, centred=centred)
    with sm.engine.using(feature_bytes=8 * R * 70):  # several chunks
        made = DeviceSums.of(OnDevice(phi), *given, centred=centred)
    np.testing.assert_allclose(made.moments, here.moments, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(made.fold_weights, here.fold_weights)
    part = made.leading(7)
    np.testing.assert_allclose(part.moments, here.some(np.arange(7)).moments, rtol=1e-9, atol=1e-9)


def test_sums_of_parts_add_up(there, rng):
    phi, Y, folds, _ = problem(rng)
    standard = np.zeros(R), np.ones(R)
    whole = FoldSums.of(InMemory(phi), Y, folds, standard=(np.zeros(R + T), np.ones(R + T)))
    parts = []
    for some in (slice(0, 120), slice(120, N)):
        given = Y[some], folds[some]
        both = tuple(np.r_[a, b] for a, b in zip(standard, (np.zeros(T), np.ones(T)), strict=True))
        parts.append(DeviceSums.of(OnDevice(phi[some]), *given, n_folds=4, standard=both))
    assert parts[0].fold_weights.sum() == 120
    total = parts[0]
    total += parts[1]
    np.testing.assert_allclose(total.moments, whole.moments, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(total.fold_weights, whole.fold_weights)


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("centred", [False, True])
def test_ridges_choose_and_solve_the_same(there, rng, nested, centred):
    phi, Y, folds, weights = problem(rng)
    allowed = np.ones((5, R), dtype=bool)
    allowed[1, 4:6] = False
    given = Y, folds, weights, None, nested, centred, allowed
    here = fit_ridge(RidgeTask(InMemory(phi), *given))
    task = RidgeTask(OnDevice(phi), *given)
    made = fit_ridge(task)
    assert isinstance(made.ridges, DevicePrimal)
    assert made.choice.n_features == here.choice.n_features
    np.testing.assert_allclose(made.choice.penalty, here.choice.penalty, rtol=1e-6)
    np.testing.assert_allclose(made.coef, here.coef, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(made.intercept, here.intercept, rtol=1e-5, atol=1e-8)
    errors = made.choice.results["mean_error"], here.choice.results["mean_error"]
    np.testing.assert_allclose(*errors, rtol=1e-6)
    size = here.choice.n_features
    models = here.fold_models()
    there_said = scores_of_folds(task, models, size)
    host = scores_of_folds(RidgeTask(InMemory(phi), *given), models, size)
    np.testing.assert_allclose(there_said, host, rtol=1e-6, atol=1e-6)


def test_a_row_that_is_no_number_is_named(there, rng):
    phi, Y, folds, _ = problem(rng)
    phi[211, 2] = np.nan
    with pytest.raises(ValueError, match="the features of row 211 hold NaN"):
        fit_ridge(RidgeTask(OnDevice(phi), Y, folds, None, None, False, True))


def test_columns_are_chosen_there(there, rng):
    phi, Y, folds, _ = problem(rng)
    columns = np.array([7, 2, 11])
    features = Selected(OnDevice(phi), columns)
    made = fit_ridge(RidgeTask(features, Y, folds, None, 0.1, False, True))
    here = fit_ridge(RidgeTask(InMemory(phi[:, columns]), Y, folds, None, 0.1, False, True))
    np.testing.assert_allclose(made.coef, here.coef, rtol=1e-6)


def test_indefinite_equations_are_an_error(there, rng):
    phi, Y, folds, _ = problem(rng)
    phi[:, 9] = phi[:, 8]
    ridges = RidgeTask(OnDevice(phi), Y, folds, None, None, False, True).ridges()
    with pytest.raises(np.linalg.LinAlgError):
        ridges.vectors(-0.5, R)


@pytest.mark.parametrize(
    ("measure", "transfer"),
    [("levenshtein", "auto"), ("levenshtein", "ramp"), ("levenshtein", "sign"), ("dtw", "auto")],
)
def test_a_classifier_is_the_same_there(there, rng, measure, transfer):
    X, y = labelled(rng)
    if measure == "dtw":
        X = [np.array([ord(c) - 96.0 for c in x]) for x in X]
    models = []
    for where in (None, sm.engine.settings().backend):
        model = sm.LandmarkClassifier(measure, n_landmarks=40, transfer=transfer, random_state=0)
        with sm.engine.using(backend=where):
            models.append(model.fit(X, y))
            models.append(model.predict_proba(X))
    host, said, device, said_there = models
    np.testing.assert_allclose(device.head_.penalty_, host.head_.penalty_, rtol=1e-5)
    np.testing.assert_allclose(said_there, said, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(device.head_.oof_score_, host.head_.oof_score_, atol=0.005)
    np.testing.assert_array_equal(device.landmark_indices_, host.landmark_indices_)


def test_a_regressor_and_its_intervals_are_the_same_there(there, rng):
    X, y = labelled(rng)
    y = y + 0.1 * rng.normal(size=len(y))
    found = []
    for where in (None, sm.engine.settings().backend):
        with sm.engine.using(backend=where):
            model = sm.LandmarkRegressor("levenshtein", n_landmarks=40, random_state=0).fit(X, y)
            found.append((model.predict(X), model.predict_interval(X)))
    np.testing.assert_allclose(found[1][0], found[0][0], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found[1][1], found[0][1], rtol=1e-3, atol=1e-3)


def test_values_are_bytes_there_and_kept_for_all_transfers(there, rng, monkeypatch):
    monkeypatch.setattr("seamark.maps.features.DEVICE_CHUNK_BYTES", 16 * 30 * 100)
    X, _ = labelled(rng)
    bearings = sm.LandmarkMap("levenshtein", n_landmarks=30, random_state=0).fit(X)
    host = sm.maps.CachedFeatures(bearings, bearings.ingest(X))
    features = host.on_device()
    blocks = dict(features.values._kept)
    assert not blocks
    with sm.engine.counting() as counter:
        first = [statistics.fetched(there, block) for _, block in features.chunks()]
    assert counter.evaluations == 30 * len(X)
    assert {kept.dtype for kept in features.values._kept.values()} == {np.dtype(np.uint8)}
    np.testing.assert_allclose(np.concatenate(first), host.rows(np.arange(len(X))), rtol=1e-6)
    other = host.with_transfers([sm.transfers.Identity()])
    with sm.engine.counting() as counter:
        plain = [statistics.fetched(there, block) for _, block in other.on_device().chunks([2, 0])]
    assert counter.evaluations == 0
    np.testing.assert_array_equal(np.concatenate(plain), other.rows(np.arange(len(X)))[:, [2, 0]])
    host.drop()
    assert host._cache.on_device is None


def test_beyond_the_budget_values_are_computed_again(there, rng, monkeypatch):
    X, y = labelled(rng)
    model = sm.LandmarkClassifier("levenshtein", n_landmarks=40, transfer="identity")
    model.set_params(random_state=0, budget=0)  # nothing is kept on the host
    once = model.fit(X, y).n_evaluations_
    monkeypatch.setattr("seamark.maps.features.DEVICE_KEPT", 0.0)
    assert model.fit(X, y).n_evaluations_ >= once + 40 * len(X)


def test_long_distances_take_two_bytes(there, rng):
    X = sm.data.strings.ingest([*words(rng, 5, sizes=(2, 9)), "ab" * 200])
    values = sm.engine.run_on(there, Levenshtein().compile(X[:3]), X)
    assert values.dtype == np.uint16
    np.testing.assert_array_equal(statistics.fetched(there, values), Levenshtein().cross(X, X[:3]))


def test_what_has_no_kernel_there_is_computed_here(there, rng):
    X, y = labelled(rng)
    found = []
    for where in (None, sm.engine.settings().backend):
        with sm.engine.using(backend=where):
            model = sm.LandmarkClassifier("lcs", n_landmarks=30, random_state=0).fit(X, y)
            found.append(model.decision_function(X))
    np.testing.assert_allclose(found[1], found[0], rtol=1e-3, atol=1e-4)


def test_small_jobs_and_full_devices_stay_here(apart, rng, monkeypatch):
    phi, Y, folds, _ = problem(rng)
    with sm.engine.using(backend=Cuda(apart, backends.backend())):
        task = RidgeTask(OnDevice(phi), Y, folds, None, None, False, True)
        assert task.on_device() is None  # few multiplications
        monkeypatch.setattr(apart, "sums_from", 0.0)
        assert task.on_device() is not None
        monkeypatch.setattr(apart, "room", 1000)
        assert task.on_device() is None


@pytest.mark.parametrize("collinear", [False, True])
def test_where_doubles_are_slow_products_are_single(there, rng, monkeypatch, collinear):
    """And are looked at with the host's mistrust: a second pass in float64 where they fail."""
    monkeypatch.setattr("seamark.linear_model.ridge_fit.SMALL_JOB", 0.0)
    monkeypatch.setattr(there, "fast_doubles", False, raising=False)
    phi, Y, folds, weights = problem(rng)
    if collinear:
        phi[:, 9] = phi[:, 8] + np.float32(1e-4) * phi[:, 10]
    given = Y, folds, weights, 1e-9 if collinear else None, False, True
    here = fit_ridge(RidgeTask(InMemory(phi), *given), "double")
    made = fit_ridge(RidgeTask(OnDevice(phi), *given))
    assert isinstance(made.ridges, DevicePrimal)
    assert made.ridges.data.precision == ("double" if collinear else "single")
    np.testing.assert_allclose(made.coef, here.coef, rtol=1e-3, atol=1e-4)


def test_arrays_apart_refuse_the_hosts():
    one = Apart(np.ones(3))
    with pytest.raises(TypeError, match="implicit"):
        np.asarray(one)
    with pytest.raises(AssertionError, match="meets"):
        one + np.ones(3)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_many_rows_add_up_there(there, rng, n_classes):
    """Above `hashed_from` rows, sums are over all rows and the rest is settled on a sample."""
    X, y = labelled(rng, 700)
    y = np.minimum(y, n_classes - 1)
    said = []
    for where in (None, sm.engine.settings().backend):
        model = sm.LandmarkClassifier("levenshtein", n_landmarks=25, random_state=0)
        with sm.engine.using(backend=where, hashed_from=300):
            model.fit(sm.rows(X, target=y, chunk_rows=150))
            assert model.n_rows_ == 700
            said.append(model.predict_proba(X))
    np.testing.assert_allclose(said[1], said[0], rtol=1e-3, atol=1e-4)


def test_many_numbers_add_up_there(there, rng):
    X, y = labelled(rng, 700)
    said = []
    for where in (None, sm.engine.settings().backend):
        model = sm.LandmarkRegressor("levenshtein", n_landmarks=25, random_state=0)
        with sm.engine.using(backend=where, hashed_from=300):
            said.append(model.fit(sm.rows(X, target=y, chunk_rows=150)).predict(X))
    np.testing.assert_allclose(said[1], said[0], rtol=1e-4, atol=1e-5)


def test_what_the_host_evaluates_is_evaluated_once(there, rng):
    calls = []

    def differ(a, b):
        calls.append(1)
        return float(abs(len(a) - len(b)) + (a[0] != b[0]))

    X, y = labelled(rng, 60)
    measure = sm.measures.Custom(differ, kind="distance")
    model = sm.LandmarkClassifier(measure, n_landmarks=10, random_state=0).fit(X, y)
    assert model.n_evaluations_ <= 60 * 10
    assert len(calls) <= 60 * 10 + 5  # and a few to see what it takes
