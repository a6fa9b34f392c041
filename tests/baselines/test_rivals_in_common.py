"""What all rivals promise: any objects, scikit-learn's contract, matrices, clear refusals."""

import pickle

import numpy as np
import pytest
from rival_tasks import OBJECTS, OVERLAP, RIVALS, overlap, y
from sklearn.base import clone, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

import seamark as sm
from expected_failures import expected_failures
from seamark import engine
from seamark.checks import check_object_estimator
from seamark.measures import Custom, Precomputed

SUPERVISED = {name: r for name, r in RIVALS.items() if hasattr(r, "predict")}
CLASSIFIERS = {name: r for name, r in SUPERVISED.items() if not is_regressor(r)}
SQUARING = ("rbf", "negative", "embedding", "some embedded")


def of(name, measure):
    model = clone(RIVALS[name]).set_params(measure=measure)
    return model.set_params(random_state=3) if "random_state" in model.get_params() else model


@parametrize_with_checks(list(RIVALS.values()), expected_failed_checks=expected_failures)
def test_scikit_learn_is_content(estimator, check):
    check(estimator)


@pytest.mark.parametrize("measure", OBJECTS)
@pytest.mark.parametrize("name", RIVALS)
def test_object_estimator(name, measure):
    check_object_estimator(of(name, measure), OBJECTS[measure], y)


@pytest.mark.parametrize("name", RIVALS)
def test_ragged_and_lists_agree(name):
    words = OBJECTS["levenshtein"]
    model = of(name, "levenshtein").fit(words, y)
    same = of(name, "levenshtein").fit(sm.data.strings.ingest(words), y)
    method = "predict" if hasattr(model, "predict") else "transform"
    np.testing.assert_array_equal(getattr(model, method)(words), getattr(same, method)(words))


def matrix_of(words, measure):
    return sm.cross(measure, words)


@pytest.mark.parametrize("measure", ["levenshtein", OVERLAP], ids=["symmetric", "asymmetric"])
@pytest.mark.parametrize("name", RIVALS)
def test_a_square_matrix_gives_what_its_objects_give(name, measure):
    words = np.array(OBJECTS["levenshtein"], dtype=object)
    if name == "weak":
        pytest.skip("an object's coin is thrown by its content, which a matrix does not hold")
    matrix = matrix_of(words, measure)
    if measure is OVERLAP and name in SQUARING:  # both directions are needed: see below
        matrix = (matrix + matrix.T) / 2
    on_objects, on_matrix = of(name, measure), of(name, Precomputed(kind="distance"))
    if "embedd" in name:
        on_objects, on_matrix = (make_pipeline(m, SVC()) for m in (on_objects, on_matrix))
    assert get_tags(on_matrix).input_tags.pairwise
    assert not get_tags(on_objects).input_tags.pairwise
    np.testing.assert_allclose(
        cross_val_predict(on_matrix, matrix, y, cv=3),
        cross_val_predict(on_objects, words, y, cv=3),
        rtol=1e-5,
    )


@pytest.mark.parametrize("name", RIVALS)
def test_predict_takes_the_columns_of_the_references(name):
    matrix = matrix_of(OBJECTS["levenshtein"], "levenshtein")
    model = of(name, Precomputed(kind="distance")).fit(matrix, y)
    method = "predict" if hasattr(model, "predict") and name != "weak" else "transform"
    method = "predict_proba" if name == "weak" else method
    answer = getattr(model, method)
    np.testing.assert_array_equal(answer(matrix[:5, model.references_.indices]), answer(matrix[:5]))
    with pytest.raises(ValueError, match="give all 24 columns"):
        answer(matrix[:5, :2])


@pytest.mark.parametrize("name", RIVALS)
def test_matrices_that_do_not_serve(name):
    matrix = matrix_of(OBJECTS["levenshtein"], "levenshtein")
    with pytest.raises(ValueError, match="square precomputed matrix, X is 24 × 7"):
        of(name, Precomputed(kind="distance")).fit(matrix[:, :7], y)
    with pytest.raises(ValueError, match="square=True"):
        of(name, Precomputed(square=False, kind="distance")).fit(matrix[:, :7], y)


def test_a_negated_matrix_is_still_pairwise():
    assert get_tags(of("strong", Precomputed(kind="distance").negated())).input_tags.pairwise


@pytest.mark.parametrize("name", SQUARING)
def test_an_asymmetric_matrix_is_refused_where_both_directions_are_needed(name):
    matrix = matrix_of(["ab", "abc", "bcd", "a"] * 3, OVERLAP)
    with pytest.raises(ValueError, match=r"asymmetric.*\(D \+ D.T\) / 2"):
        of(name, Precomputed(kind="distance")).fit(matrix, y[:12])


@pytest.mark.parametrize("name", SQUARING)
def test_squaring_rivals_refuse_what_cannot_be_squared(name):
    with pytest.raises(ValueError, match="a distance is needed.* is a similarity"):
        of(name, "gaussian").fit(OBJECTS["euclidean"], y)
    negative = Custom(lambda a, b: float(len(a) - len(b)), kind="distance")
    with pytest.raises(ValueError, match="objects 0 and .* negative distance"):
        of(name, negative).fit(["a", "bb", "ccc"] * 4, y[:12])


@pytest.mark.parametrize("name", [n for n in RIVALS if n not in ("regression", "references")])
def test_a_direction_is_needed(name):
    with pytest.raises(ValueError, match="Custom.overlap. does not say .* a direction is needed"):
        of(name, overlap).fit(OBJECTS["levenshtein"], y)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_one_class_is_refused_before_work(name):
    def never(a, b):
        raise AssertionError

    with pytest.raises(ValueError, match="one class only, np.int64\\(4\\)|one class only, 4"):
        of(name, Custom(never, kind="distance")).fit(OBJECTS["levenshtein"], np.full(24, 4))


@pytest.mark.parametrize("name", SUPERVISED)
def test_targets_must_be_as_many_as_objects(name):
    with pytest.raises(ValueError, match="X has 24 objects and y has 23 targets"):
        of(name, "levenshtein").fit(OBJECTS["levenshtein"], y[:-1])


@pytest.mark.parametrize("name", RIVALS)
def test_new_objects_must_go_with_the_old(name):
    model = of(name, "euclidean").fit(OBJECTS["euclidean"], y)
    answer = model.predict if hasattr(model, "predict") else model.transform
    kind = type(model).__name__
    with pytest.raises(ValueError, match=f"X has 2 features, but {kind} is expecting 3 features"):
        answer(OBJECTS["euclidean"][:, :2])
    model = of(name, "levenshtein").fit(OBJECTS["levenshtein"], y)
    assert not hasattr(model, "n_features_in_")
    answer = model.predict if hasattr(model, "predict") else model.transform
    with pytest.raises(ValueError, match="X holds bytes, but the strings before were text"):
        answer([b"abc"])


def test_refitting_on_other_objects_forgets_the_columns():
    model = of("strong", "euclidean").fit(OBJECTS["euclidean"], y)
    model.set_params(measure="levenshtein").fit(OBJECTS["levenshtein"], y)
    assert not hasattr(model, "n_features_in_")


def test_a_failed_fit_leaves_it_unfitted():
    model = of("neighbours", overlap)
    with pytest.raises(ValueError, match="direction"):
        model.fit(OBJECTS["levenshtein"], y)
    with pytest.raises(NotFittedError):
        model.predict(OBJECTS["levenshtein"])


@pytest.mark.parametrize(
    ("name", "evaluations"),
    [
        ("regression", 0),
        ("rbf", 24 * 24),
        ("embedding", 24 * 24),
        ("some embedded", 8 * 8),
        ("strong", 0),
        ("weak", 24 * 12),
        ("neighbours", 0),
    ],
)
def test_evaluations_are_counted(name, evaluations):
    model = of(name, OVERLAP).fit(OBJECTS["levenshtein"], y)
    assert model.n_evaluations_ == evaluations


@pytest.mark.parametrize("name", RIVALS)
def test_blocks_do_not_change_answers(name):
    model = of(name, "levenshtein").fit(OBJECTS["levenshtein"], y)
    answer = model.predict if hasattr(model, "predict") else model.transform
    whole = answer(OBJECTS["levenshtein"])
    with engine.using(feature_bytes=200):
        blocks = answer(OBJECTS["levenshtein"])
    np.testing.assert_allclose(blocks, whole, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("name", RIVALS)
def test_the_fitted_measure_is_its_own(name):
    measure = Precomputed(kind="distance")
    matrix = matrix_of(OBJECTS["levenshtein"], "levenshtein")
    model = of(name, measure)
    model.measure = measure  # `set_params` may have cloned it
    model.fit(matrix, y)
    measure.set_params(kind="similarity")
    assert model.measure_.kind == "distance"


def seeded(name, seed):
    model = of(name, "levenshtein").set_params(random_state=np.random.default_rng(seed))
    return model.fit(OBJECTS["levenshtein"], y)


def said(model):
    return (model.predict if hasattr(model, "predict") else model.transform)(OBJECTS["levenshtein"])


@pytest.mark.parametrize("name", [n for n, r in RIVALS.items() if hasattr(r, "random_state")])
def test_generators_seed_too(name):
    model = seeded(name, 0)
    np.testing.assert_array_equal(said(seeded(name, 0)), said(model))
    np.testing.assert_array_equal(said(pickle.loads(pickle.dumps(model))), said(model))


@pytest.mark.parametrize("name", ["references", "some embedded", "weak"])
def test_other_generators_draw_otherwise(name):
    assert any(not np.array_equal(said(seeded(name, k)), said(seeded(name, 0))) for k in (1, 2, 3))


def test_boosting_draws_its_pairs_from_the_generator():
    model = seeded("boosting", 0)
    assert model.random_state.random() != np.random.default_rng(0).random()
