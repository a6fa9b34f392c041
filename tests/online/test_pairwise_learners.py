"""What all online learners promise: exact steps, no trace of blocks, nothing half-done."""

import pickle
from itertools import pairwise

import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import naive_online
import seamark as sm
from seamark import engine
from seamark.measures import Gaussian, Linear
from seamark.online import (
    FIFO,
    AUCClassifier,
    BufferPerClass,
    FrobeniusBall,
    KernelCombiner,
    L1Ball,
    L2Ball,
    MetricLearner,
    PairwiseLearner,
    Reservoir,
    RSx,
    RSx2,
    SimilarityLearner,
)

BUFFERS = [
    FIFO(6),
    Reservoir(6),
    RSx(6),
    RSx2(6),
    BufferPerClass(Reservoir(4)),
    BufferPerClass(RSx2(3)),
]
LEARNERS = [
    PairwiseLearner("auc", L2Ball(1.0)),
    PairwiseLearner("metric", FrobeniusBall(2.0, psd=True)),
    AUCClassifier(loss="logistic"),
    MetricLearner(),
    SimilarityLearner(target="goodness"),
    KernelCombiner([Gaussian(1.5), Linear()], constraint="sphere", normalise=False),
]


def task(n=60, n_classes=2, d=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    return rng.normal(size=(n, d)) + y[:, None], y


def streamed(model, X, y, cuts):
    edges = [0, *sorted({c for c in cuts if 0 < c < len(y)}), len(y)]
    for a, b in pairwise(edges):
        model.partial_fit(X[a:b], y[a:b], classes=np.unique(y))
    return model


def learned(model):
    """Everything that matters of a learner, except the object itself."""
    learner = model.learner_
    return (
        learner.parameter,
        learner.sum,
        dict(enumerate(learner.buffer.columns)),
        learner.history.losses,
    )


def assert_same(ours, theirs):
    """The same bits; of objects, the same kernel values but for rounding: they come in blocks."""
    if not isinstance(ours, KernelCombiner):
        assert joblib.hash(learned(ours)) == joblib.hash(learned(theirs))
        return
    for a, b in zip(learned(ours), learned(theirs), strict=True):
        if not isinstance(a, dict):
            np.testing.assert_allclose(a, b, rtol=1e-5)
    np.testing.assert_array_equal(*(m.objects_[held_by(m)] for m in (ours, theirs)))


def held_by(combiner):
    """Which of its objects each slot of the buffer holds."""
    return combiner.buffer_.columns[0][:, 1].astype(int)


@pytest.mark.parametrize("buffer", [FIFO(4), Reservoir(4), RSx(4), RSx2(4)])
def test_the_step_is_that_of_the_textbook(buffer):
    X, y = task(50)
    buffer = buffer.set_params(random_state=7)
    for name in engine.backends.backends():
        with engine.using(name):
            learner = PairwiseLearner("auc", L2Ball(0.7), buffer, step=0.5).partial_fit(X, y)
        expected = naive_online.olp_auc(X, 2 * y - 1, clone(buffer), 0.5, 0.7)
        np.testing.assert_allclose(learner.parameter_[0], expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("learner", [PairwiseLearner("auc"), AUCClassifier()])
def test_a_penalty_is_part_of_every_step(learner):
    X, y = task(50)
    options = {"penalty": 0.3, "schedule": "linear", "step": 1 / 0.3, "buffer": FIFO(4)}
    learner = clone(learner).set_params(**options).partial_fit(X, y)
    expected = naive_online.olp_auc(X, 2 * y - 1, FIFO(4), 1 / 0.3, np.inf, penalty=0.3)
    np.testing.assert_allclose(learner.parameter_[0], expected, rtol=1e-9, atol=1e-12)
    with pytest.raises(ValueError, match="penalty must be 0 or a positive number, not -1"):
        learner.set_params(penalty=-1).fit(X, y)


@pytest.mark.parametrize("loss", ["hinge", "squared", "logistic", "exponential"])
@pytest.mark.parametrize("schedule", ["sqrt", "linear", "adaptive"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_native_and_numpy_agree(loss, schedule, n_classes):
    # Eight partial sums against BLAS: rounding only, and no pair sits on a kink.
    X, y = task(80, n_classes, d=11)
    model = AUCClassifier(
        loss=loss, over="buffer", radius=2.0, schedule=schedule, step=0.2, random_state=0
    )
    runs = []
    for name in engine.backends.backends():
        with engine.using(name):
            runs.append(learned(clone(model).set_params(buffer=RSx2(9)).partial_fit(X, y)))
    for run in runs[1:]:
        for ours, theirs in zip(run, runs[0], strict=True):
            if isinstance(ours, dict):
                assert joblib.hash(ours) == joblib.hash(theirs)
            else:
                np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-12)
    for run in runs[2:]:  # native builds: the same bits
        assert joblib.hash(run) == joblib.hash(runs[1])


@pytest.mark.parametrize("model", LEARNERS, ids=lambda m: type(m).__name__)
@settings(max_examples=8)
@given(cuts=st.lists(st.integers(1, 59), max_size=8), which=st.integers(0, len(BUFFERS) - 1))
def test_how_the_stream_is_cut_makes_no_difference(model, cuts, which):
    X, y = task(60, 3 if isinstance(model, MetricLearner) else 2)
    model = clone(model).set_params(buffer=BUFFERS[which], random_state=1)
    whole, parts = (streamed(clone(model), X, y, c) for c in ([], cuts))
    assert_same(whole, parts)


@pytest.mark.parametrize("model", LEARNERS, ids=lambda m: type(m).__name__)
def test_a_learner_restored_mid_stream_goes_on_as_before(model):
    X, y = task(60)
    model = clone(model).set_params(buffer=RSx2(6), random_state=1)
    unbroken = streamed(clone(model), X, y, [25])
    kept = pickle.dumps(model.partial_fit(X[:25], y[:25]))
    restored = pickle.loads(kept).partial_fit(X[25:], y[25:])
    assert_same(restored, unbroken)


@pytest.mark.parametrize("model", LEARNERS, ids=lambda m: type(m).__name__)
def test_a_learner_saved_mid_stream_goes_on_as_before(model, tmp_path):
    X, y = task(60)
    model = clone(model).set_params(buffer=BufferPerClass(RSx2(3)), random_state=1)
    unbroken = streamed(clone(model), X, y, [25])
    sm.save(model.partial_fit(X[:25], y[:25]), tmp_path / "learner")
    assert_same(sm.load(tmp_path / "learner").partial_fit(X[25:], y[25:]), unbroken)


@pytest.mark.parametrize("model", LEARNERS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("fault", ["nan", "infinity", "columns", "length", "class", "classes"])
def test_a_bad_block_is_rejected_before_anything_changes(model, fault):
    X, y = task(40)
    model = clone(model).set_params(buffer=RSx2(6), random_state=1).partial_fit(X, y)
    before = joblib.hash(vars(model))
    X, y, classes = X.copy(), y.copy(), None
    if fault in ("nan", "infinity"):
        X[-1, 0] = float(fault)
    elif fault == "columns":
        X = X[:, :-1]
    elif fault == "length":
        y = y[:-1]
    elif fault == "class":
        y[-1] = 7
    else:
        classes = [0, 1, 2]
    with pytest.raises(ValueError):  # noqa: PT011 (six faults, six sentences, in other tests)
        model.partial_fit(X, y, classes=classes)
    assert joblib.hash(vars(model)) == before


def test_an_interruption_changes_nothing(monkeypatch):
    X, y = task(40)
    model = PairwiseLearner("metric", buffer=RSx2(6), random_state=1).partial_fit(X, y)
    before = joblib.hash(vars(model))
    calls = iter([None] * 10)

    def project(self, w):
        if next(calls, 1):
            raise KeyboardInterrupt
        return w

    monkeypatch.setattr("seamark.online.Everywhere.project", project)
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(X, y)
    assert joblib.hash(vars(model)) == before


def test_the_first_block_may_hold_one_class_if_all_are_named():
    X, y = task(80)
    order = np.argsort(y, kind="stable")
    model = AUCClassifier(random_state=0)
    with pytest.raises(ValueError, match=r"y has one class only, 0; .*classes="):
        model.partial_fit(X[order[:5]], y[order[:5]])
    model.partial_fit(X[order[:5]], y[order[:5]], classes=[0, 1])
    assert not model.coef_.any()
    assert set(model.predict(X)) == {0}  # all that has been seen
    model.partial_fit(X[order[5:]], y[order[5:]])
    assert model.score(X, y) > 0.7


def test_messages_name_the_fault():
    X, y = task(30)
    model = PairwiseLearner(random_state=0).partial_fit(X, y)
    with pytest.raises(ValueError, match="y has the class 7, which is not among"):
        model.partial_fit(X[:1], [7])
    with pytest.raises(ValueError, match="not those of the first call"):
        model.partial_fit(X, y, classes=[0, 1, 2])
    for wrong, message in [
        ({"loss": "cubic"}, "loss must be one of auc.*got 'cubic'"),
        ({"schedule": "cosine"}, "schedule must be one of sqrt.*got 'cosine'"),
        ({"step": 0}, "step must be a positive number"),
        ({"n_passes": 0}, "n_passes"),
        ({"constraint": L1Ball(-1)}, "radius"),
        ({"buffer": FIFO(-2)}, "size"),
    ]:
        with pytest.raises(ValueError, match=message):
            PairwiseLearner().set_params(**wrong).fit(X, y)


def test_average_or_last():
    X, y = task(30)
    mean, last = (
        PairwiseLearner(buffer=FIFO(5), average=a, random_state=0).partial_fit(X, y)
        for a in (True, False)
    )
    np.testing.assert_array_equal(last.parameter_, mean.learner_.parameter)
    assert not np.allclose(mean.parameter_, last.parameter_)


def test_fit_shuffles_and_passes_and_forgets():
    X, y = task(50)
    model = PairwiseLearner(n_passes=3, random_state=0).fit(X, y)
    assert model.buffer_.seen_ == 150
    first = model.parameter_
    np.testing.assert_array_equal(model.fit(X, y).parameter_, first)
    assert not np.allclose(PairwiseLearner(n_passes=3, random_state=1).fit(X, y).parameter_, first)


def test_sparse_rows_are_points_too():
    from scipy import sparse

    X, y = task(40)
    models = [
        AUCClassifier(random_state=0).partial_fit(form(X), y)
        for form in (np.asarray, sparse.csr_array)
    ]
    np.testing.assert_array_equal(models[0].coef_, models[1].coef_)
    np.testing.assert_allclose(
        models[0].decision_function(X), models[1].decision_function(sparse.csr_array(X))
    )


@parametrize_with_checks(
    [PairwiseLearner(), AUCClassifier(), MetricLearner(), SimilarityLearner(), KernelCombiner()]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
