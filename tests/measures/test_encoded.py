import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.base import clone

import seamark as sm
from seamark.measures import Encoded, Levenshtein

WORDS = ["sea", "mark", "landmark", "lighthouse", "seamark", "sea"]
asked = []


@pytest.fixture(autouse=True)
def nothing_asked():
    asked.clear()


def counts(batch):
    """Counts of letters."""
    asked.append(list(batch))
    return np.array([[word.count(letter) for letter in "aeklmrs"] for word in batch])


def test_values_are_those_of_the_vectors():
    vectors = counts(WORDS)
    for name in ("cosine", "euclidean"):
        found = Encoded(counts, name).cross(WORDS, WORDS[:3])
        np.testing.assert_allclose(found, sm.cross(name, vectors, vectors[:3]), rtol=1e-6)
    np.testing.assert_allclose(
        Encoded(counts, "euclidean").cross(WORDS), cdist(vectors, vectors), rtol=1e-6
    )


def test_facts_are_those_of_the_measure_inside():
    assert Encoded(counts, "euclidean").triangle
    assert Encoded(counts).kind == "similarity"
    assert Encoded(counts).set_params(measure="euclidean").kind == "distance"
    assert repr(Encoded(counts)) == "Encoded(counts, Cosine())"


def test_an_object_is_encoded_once_by_a_measure_and_its_clones():
    measure = Encoded(counts, batch=2)
    measure.cross(WORDS)
    assert [len(batch) for batch in asked] == [2, 2, 1]
    assert sorted(word for batch in asked for word in batch) == sorted(set(WORDS))
    clone(measure).cross([*WORDS, "new"])
    assert asked[3:] == [["new"]]


def test_a_changed_encoder_starts_afresh():
    measure = Encoded(counts)
    measure.cross(WORDS)
    measure.set_params(f=lambda batch: 2 * counts(batch), measure="euclidean")
    np.testing.assert_allclose(measure.cross(["sea"], ["aaa"]), [[4 * np.sqrt(1.5)]], rtol=1e-6)


def test_few_vectors_are_kept_in_memory(monkeypatch):
    monkeypatch.setattr("seamark.measures.encoded.KEPT_BYTES", 2 * 4 * 7)
    measure = Encoded(counts)
    before = measure.cross(WORDS)
    assert len(measure._known._vectors) == 2
    np.testing.assert_array_equal(measure.cross(WORDS), before)


def test_a_folder_keeps_vectors_for_other_runs(tmp_path):
    before = Encoded(counts, memory=tmp_path).cross(WORDS)
    asked.clear()
    np.testing.assert_array_equal(Encoded(counts, memory=tmp_path).cross(WORDS), before)
    assert not asked
    Encoded(lambda batch: counts(batch) + 0, memory=tmp_path).cross(WORDS)
    assert asked  # another function


def test_matrices_and_sparse_results():
    X = np.arange(6.0).reshape(3, 2)
    found = Encoded(lambda rows: sparse.csr_array(rows**2), "euclidean").cross(X)
    np.testing.assert_allclose(found, cdist(X**2, X**2), rtol=1e-6)


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (np.zeros(6), r"shape \(6,\) for 5 objects; it must return a row of numbers for each"),
        (np.zeros((4, 2)), r"shape \(4, 2\) for 5 objects"),
        (np.full((5, 2), "a"), "an array of <U1"),
        (np.full((5, 2), np.nan), "a vector that is not finite for 'sea'"),
    ],
)
def test_what_is_no_row_for_each_object_is_refused(result, message):
    with pytest.raises(ValueError, match=message):
        Encoded(lambda batch: result).cross(WORDS)


def test_vectors_of_another_length_are_refused():
    measure = Encoded(lambda batch: np.ones((1, len(batch[0]))), batch=1)
    with pytest.raises(ValueError, match="vectors of 4 numbers, and of 3 before"):
        measure.cross(WORDS)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"f": "model"}, "f must be a function of a batch of objects, not 'model'"),
        ({"f": counts, "measure": Levenshtein()}, "compares strings; Encoded needs a measure of v"),
        ({"f": counts, "batch": 0}, "batch must be a whole number from 1, not 0"),
        ({"f": counts, "memory": 3}, "memory must be the path of a folder, or None, not 3"),
    ],
)
def test_parameters_that_make_no_sense(options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        Encoded(**options).cross(WORDS)


def test_models_searches_tables_and_files(tmp_path):
    cars = sm.datasets.load_cars().frame
    names, origins = list(cars["name"]), cars["origin"]
    model = sm.LandmarkClassifier(Encoded(counts), n_landmarks=50, random_state=0)
    predicted = model.fit(names, origins).predict(names)
    assert (predicted == origins).mean() > 0.66  # the commonest: 0.63
    assert sum(map(len, asked)) == len(set(names))
    for one in model.explain(names[:2]):
        assert sum(added for _, added in one.lines()) == pytest.approx(one.score, abs=1e-5)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(names), predicted)
    sm.save(model, tmp_path / "cars.seamark")
    [needed] = sm.saving.contents(tmp_path / "cars.seamark").functions
    loaded = sm.load(tmp_path / "cars.seamark", functions={needed: counts})
    np.testing.assert_array_equal(loaded.predict(names), predicted)
    assert sm.Index(Encoded(counts)).fit(names).query(names[:3], k=1).values.min() > 0.999


def test_a_column_of_a_table_and_a_list_of_measures():
    words = ["red", "green", "blue", "reds", "greens", "blues"] * 10
    frame = pd.DataFrame({"colour": words, "size": np.arange(60) % 7})
    y = frame["size"] + frame["colour"].str.len()
    for what in (
        [Encoded(counts), "levenshtein"],
        ["levenshtein", Encoded(counts)],
        Encoded(counts),
    ):
        measure = {"colour": what, "size": "euclidean"}
        model = sm.LandmarkRegressor(measure, random_state=0).fit(frame, y)
        assert model.score(frame, y) > 0.9
