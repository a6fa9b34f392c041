"""What a fit costs, shows and keeps; what it refuses."""

import itertools
import pickle
import time

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import Ridge
from test_landmark_models import POINTS, TWO, WORDS, planted

import seamark as sm
from seamark.measures import Custom, Gaussian
from seamark.models import LandmarkClassifier, LandmarkRegressor


def test_the_choice_of_transfer_costs_no_evaluations():
    X, y = planted(120)
    with sm.engine.counting() as counter:
        model = LandmarkClassifier("levenshtein", n_landmarks=30, random_state=0).fit(X, y)
    assert model.n_evaluations_ == counter.evaluations == 120 * 30
    assert len(model.tuning_["error"]) == 7
    fixed = LandmarkClassifier("levenshtein", n_landmarks=30, transfer="identity").fit(X, y)
    assert fixed.tuning_ == {}


@pytest.mark.parametrize("options", [{}, {"landmarks": "pairs"}, {"transfer": "whitening"}])
def test_values_seen_while_the_map_is_fitted_are_not_computed_again(
    options, settings_of, monkeypatch
):
    X, y = planted(120)
    model = LandmarkClassifier("levenshtein", n_landmarks=30, random_state=0, **options)
    settings_of(feature_bytes=4 * 30 * 25)  # several blocks
    monkeypatch.setattr("seamark.maps.landmark.PILOT_ROWS", 50)
    kept = model.fit(X, y)
    again = clone(kept).set_params(budget=0).fit(X, y)
    between = 30 * 30 if "transfer" in options else 0
    assert kept.n_evaluations_ == 120 * len(kept.landmarks_) + between
    assert again.n_evaluations_ > kept.n_evaluations_
    # The last bits differ with BLAS: budget=0 changes the order of work, not the values.
    np.testing.assert_allclose(
        again.decision_function(X), kept.decision_function(X), rtol=1e-6, atol=1e-9
    )


def test_values_beyond_the_budget_are_computed_again_with_the_same_result():
    X, y = planted(120)
    kept = LandmarkClassifier("levenshtein", n_landmarks=30, random_state=0).fit(X, y)
    again = clone(kept).set_params(budget=0).fit(X, y)
    assert again.n_evaluations_ > kept.n_evaluations_
    np.testing.assert_allclose(
        again.decision_function(X), kept.decision_function(X), rtol=1e-6, atol=1e-9
    )


@pytest.mark.parametrize(
    ("model", "X", "y", "message"),
    [
        (LandmarkClassifier("levenshtein"), WORDS, ["u"] * 40, "one class only, 'u'"),
        (LandmarkClassifier("levenshtein"), WORDS, TWO[:-1], "40 objects and y has 39"),
        (LandmarkClassifier("levenshtein", head="forest"), WORDS, TWO, "head must be "),
        (LandmarkClassifier("levenshtein", weighing="x"), WORDS, TWO, "weighing must be "),
        (LandmarkClassifier("levenshtein"), ["same"] * 40, TWO, "holds no information"),
        (LandmarkClassifier("levenshtin"), WORDS, TWO, "did you mean 'levenshtein'"),
        (LandmarkRegressor("euclidean"), POINTS, ["a"] * 40, "y holds strings, such as 'a'"),
    ],
)
def test_bad_input_is_named(model, X, y, message):
    with pytest.raises((ValueError, TypeError), match=message):
        model.fit(X, y)


def test_bad_input_is_named_before_the_measure_is_called():
    calls = []

    def noisy(a, b):
        calls.append(1)
        return 1.0

    for y in (["u"] * 40, TWO[:-1]):
        with pytest.raises(ValueError, match="class|39"):
            LandmarkClassifier(Custom(noisy)).fit(WORDS, y)
    assert not calls


def test_a_model_keeps_landmarks_and_weights_only():
    X, y = planted(4000)
    model = LandmarkClassifier("levenshtein", n_landmarks=20, random_state=0).fit(X, y)
    assert len(pickle.dumps(model)) < 20_000


def test_vectors_may_pass_through():
    X = np.random.default_rng(0).normal(size=(200, 3))
    y = X @ [1.0, -2.0, 3.0]
    model = LandmarkRegressor(Gaussian(), n_landmarks=5, passthrough=True, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.99
    assert LandmarkRegressor(Gaussian(), n_landmarks=5, random_state=0).fit(X, y).score(X, y) < 0.95


def test_any_linear_head_will_do():
    model = LandmarkRegressor("euclidean", n_landmarks=10, head=Ridge(1e-3), random_state=0)
    assert model.fit(POINTS, POINTS[:, 0]).score(POINTS, POINTS[:, 0]) > 0.5
    assert model.explain(POINTS[:1])[0].reasons


def test_callbacks_of_scikit_learn_follow_a_fit():
    pytest.importorskip("sklearn.callback")
    events = []

    class Recorder:
        def setup(self, estimator, context): ...
        def teardown(self, estimator, context): ...
        def on_fit_task_begin(self, estimator, context):
            events.append(context.task_name)

        def on_fit_task_end(self, estimator, context): ...

    X, y = planted(60)
    LandmarkClassifier("levenshtein", n_landmarks=10).set_callbacks(Recorder()).fit(X, y)
    steps = ["fit", "values", "parts of tuning", "parts of fitting", "parts of calibration"]
    assert [event for event in events if event != "part"] == steps
    assert events.count("part") == 400


def test_progress_is_one_bar(capsys, monkeypatch, settings_of):
    settings_of(feature_bytes=4 * 10 * 7)  # many blocks
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)  # plain text
    X, y = planted(60)
    LandmarkClassifier("levenshtein", n_landmarks=10, progress=True).fit(X, y)
    shown = capsys.readouterr().err
    assert shown.count("100 % of") == 1


def test_a_fit_says_where_its_time_went(monkeypatch):
    X, y = planted(60)
    looks = itertools.count()
    monkeypatch.setattr(time, "perf_counter", lambda: float(next(looks)))  # a second a look
    started = time.perf_counter()
    model = LandmarkClassifier("levenshtein", n_landmarks=10).fit(X, y)
    took = time.perf_counter() - started
    times = model.fit_times_
    assert times.keys() == {"other", "values", "tuning", "fitting", "calibration"}
    assert all(seconds > 0 for seconds in times.values())
    assert 0.5 * took < sum(times.values()) <= took
    held = LandmarkRegressor("levenshtein", n_landmarks=10, head=Ridge(), tune="held_out")
    assert {"tuning", "fitting"} <= held.fit(X, np.arange(60.0)).fit_times_.keys()
