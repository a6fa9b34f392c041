"""Sets compared by what sums them up: against a loop, and where they come from."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.base import clone

import seamark as sm
from seamark.measures import Chamfer, Euclidean, Levenshtein, Manhattan, ScaledColumns, Summaries
from seamark.measures.columns import summaries_of


def bags(n=30, d=3, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=(rng.integers(1, 9), d)) * [1, 1e3, 1e-3] for _ in range(n)]


def looped(bag):
    return np.concatenate([bag.min(axis=0), bag.mean(axis=0), bag.max(axis=0)])


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 40), st.integers(0, 10**6))
def test_summaries_are_those_of_a_loop(n, seed):
    objects = bags(n, seed=seed)
    found = summaries_of(sm.data.sets.ingest(objects))
    np.testing.assert_allclose(found, [looped(bag) for bag in objects], rtol=1e-6, atol=1e-9)


def test_summaries_of_some_rows_are_theirs():
    objects = sm.data.sets.ingest(bags())
    np.testing.assert_array_equal(summaries_of(objects[10:20]), summaries_of(objects)[10:20])


@pytest.mark.parametrize(("inside", "metric"), [(Manhattan(), "cityblock"), (Euclidean(), None)])
def test_values_are_those_of_the_summaries(inside, metric):
    objects = bags()
    rows = np.array([looped(bag) for bag in objects])
    expected = cdist(rows, rows, metric or "euclidean")
    found = Summaries(inside).cross(objects)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-3)


def test_columns_of_summaries_are_scaled_from_the_data():
    objects = bags()
    scaled = Summaries(ScaledColumns(Manhattan(), scaling="standard"))
    rows = np.array([looped(bag) for bag in objects])
    rows = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    np.testing.assert_allclose(scaled.cross(objects), cdist(rows, rows, "cityblock"), rtol=1e-3)


def test_it_passes_the_checks_of_a_measure():
    measure = Summaries(Manhattan())
    sm.checks.check_measure(measure, bags(40))
    assert clone(measure).measure is not measure.measure
    assert measure.symmetric
    assert measure.triangle


@pytest.mark.parametrize("inside", [Levenshtein(), Chamfer()])
def test_a_measure_of_something_else_is_refused(inside):
    with pytest.raises(TypeError, match="needs a measure of vectors"):
        Summaries(inside).cross(bags())


def test_sets_told_apart_by_one_of_many_variables_are_learnt():
    rng = np.random.default_rng(3)
    objects = [rng.normal(size=(rng.integers(4, 8), 40)) for _ in range(260)]
    y = np.array([bag[:, 7].mean() > 0 for bag in objects])
    model = sm.LandmarkClassifier(random_state=0).fit(objects[:160], y[:160])
    alike = sm.LandmarkClassifier(relevance=None, random_state=0).fit(objects[:160], y[:160])
    score = model.score(objects[160:], y[160:])
    assert model.relevance_ is not None
    assert np.argmax(model.relevance_) % 40 == 7
    assert score > max(0.95, alike.score(objects[160:], y[160:]))


def test_a_model_on_summaries_is_saved(tmp_path):
    objects, y = bags(60), np.arange(60) % 2
    measure = Summaries(ScaledColumns(Euclidean()))
    model = sm.LandmarkClassifier(measure, random_state=0).fit(objects, y)
    sm.save(model, tmp_path / "bags.seamark")
    again = sm.load(tmp_path / "bags.seamark")
    np.testing.assert_array_equal(
        again.decision_function(objects), model.decision_function(objects)
    )
