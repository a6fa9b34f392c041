"""Parts, unions and columns in files: round trips, golden files of format 2, and hostile ones."""

import json
import sys
from pathlib import Path

import fuzz
import numpy as np
import pytest
from saved_tasks import assert_same, round_trip

import seamark as sm
from seamark.maps import MapUnion
from seamark.saving import ModelFileError
from seamark.saving.container import unpack

GOLDEN = Path(__file__).parent / "golden"
sys.path.insert(0, str(GOLDEN))
import tasks  # noqa: E402
import tasks_2  # noqa: E402

TASKS = {name: (model, X, targets) for name, model, X, targets in tasks_2.tasks()}
EXPECTED = json.loads((GOLDEN / "format_2" / "expected.json").read_text())


def fitted(name):
    model, X, targets = TASKS[name]
    return model.fit(X, **targets), X


@pytest.mark.filterwarnings("ignore:n_landmarks")
@pytest.mark.parametrize("name", TASKS)
def test_blocks_come_back_as_they_were(name, tmp_path):
    model, X = fitted(name)
    loaded = round_trip(model, tmp_path / "m", tasks_2.FUNCTIONS)
    assert_same(model, loaded, X)
    if hasattr(model, "explain"):
        assert str(model.explain(X[:2])) == str(loaded.explain(X[:2]))
        np.testing.assert_equal(loaded.landmark_sources_, model.landmark_sources_)
    document, _ = unpack((tmp_path / "m").read_bytes())
    assert document["version"] == 2


def test_every_file_of_format_2_is_expected():
    files = {path.stem for path in (GOLDEN / "format_2").glob("*.seamark")}
    assert files == set(EXPECTED) == set(TASKS)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning")
@pytest.mark.parametrize("name", EXPECTED)
def test_a_file_of_format_2_predicts_what_it_predicted(name):
    model = sm.load(GOLDEN / "format_2" / f"{name}.seamark", tasks_2.FUNCTIONS)
    found = tasks.said(model, TASKS[name][1])
    assert set(found) == set(EXPECTED[name])
    for method, values in EXPECTED[name].items():
        if found[method].dtype.kind in "fc":
            np.testing.assert_allclose(found[method], values, rtol=1e-4, atol=1e-4)
        else:
            assert found[method].tolist() == values


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning")
def test_landmarks_of_format_1_are_their_own_sources():
    path = GOLDEN / "format_1" / "LandmarkClassifier-strings.seamark"
    model = sm.load(path)
    np.testing.assert_array_equal(model.landmark_sources_, model.landmark_indices_)
    np.testing.assert_array_equal(model.map_.landmark_sources_, model.landmark_indices_)
    union = sm.load(GOLDEN / "format_1" / "map-map_union.seamark")
    assert union.columns is None
    assert union.columns_ == [None, None]


def test_classes_are_found_under_their_old_names(tmp_path):
    inner = sm.RandomFourier(n_components=40)
    model = sm.RandomMaclaurin(inner=inner, n_components=6, h01=False, random_state=0)
    model.fit(tasks.VECTORS)
    sm.save(model, tmp_path / "m")
    document, arrays = unpack((tmp_path / "m").read_bytes())
    text = json.dumps(document)
    assert text.count("products.InnerColumns") == 1
    old = json.loads(text.replace("products.InnerColumns", "products.Mapped"))
    fuzz.write(tmp_path / "m", {**old, "version": 1}, arrays)
    assert_same(model, sm.load(tmp_path / "m"), tasks.VECTORS)


SPOILT_UNIONS = {
    "too many maps": (
        lambda u: u.maps_.append(u.maps_[0]),
        "columns_ of its MapUnion must have one",
    ),
    "no maps": (lambda u: setattr(u, "maps_", []), "maps_ of its MapUnion must be a list"),
    "other things": (lambda u: setattr(u, "maps_", [1, 2]), "maps_ of its MapUnion must be a list"),
    "unfitted": (lambda u: u.maps_.__setitem__(1, sm.Coordinates()), "are not all fitted"),
    "few columns": (lambda u: u.columns_.pop(), "columns_ of its MapUnion must have one"),
    "odd columns": (lambda u: u.columns_.__setitem__(0, 1.5), "are neither names nor numbers"),
    "no columns": (lambda u: u.columns_.__setitem__(0, []), "are neither names nor numbers"),
    "far order": (lambda u: u.order_.__setitem__(0, 10**9), "order_ of its MapUnion is no order"),
    "order twice": (lambda u: u.order_.__setitem__(0, 1), "order_ of its MapUnion is no order"),
    "short order": (lambda u: setattr(u, "order_", u.order_[:2]), "MapUnion (is no order|holds 2)"),
    "float order": (lambda u: setattr(u, "order_", u.order_ + 0.5), "is no order"),
    "too few features": (lambda u: setattr(u, "n_features_out_", 3), "has not the 6 features"),
}


@pytest.mark.parametrize("name", SPOILT_UNIONS)
def test_a_union_whose_parts_do_not_go_together(name, tmp_path):
    spoil, message = SPOILT_UNIONS[name]
    union, _ = fitted("map_of_columns")
    union = MapUnion.of(union.maps_, list(union.columns_), tasks_2.TABLE)
    spoil(union)
    sm.save(union, tmp_path / "m")
    with pytest.raises(ModelFileError, match=message):
        sm.load(tmp_path / "m")


SPOILT_SOURCES = {
    "below": np.array([-7, 0, 1, 2, 3]),
    "few": np.arange(3),
    "many": np.arange(9),
    "no whole numbers": np.linspace(0, 1, 5),
    "flat": np.arange(5)[:, None],
    "text": "01234",
}


@pytest.mark.parametrize("which", ["map", "model"])
@pytest.mark.parametrize("name", SPOILT_SOURCES)
@pytest.mark.parametrize("attribute", ["landmark_sources_", "landmark_indices_"])
def test_sources_that_are_none(attribute, name, which, tmp_path):
    model = sm.LandmarkClassifier("levenshtein", n_landmarks=5, random_state=0)
    model.fit(tasks.WORDS, **tasks.LABELS)
    setattr(model if which == "model" else model.map_, attribute, SPOILT_SOURCES[name])
    sm.save(model, tmp_path / "m")
    with pytest.raises(ModelFileError, match=f"{attribute} of its Landmark"):
        sm.load(tmp_path / "m")


@pytest.mark.parametrize("attribute", ["landmarks_", "landmark_sources_", "landmark_labels_"])
def test_a_model_has_the_blocks_of_its_map(attribute, tmp_path):
    model, _ = fitted("table_svm")
    setattr(model, attribute, getattr(model, attribute)[:-1])
    sm.save(model, tmp_path / "m")
    with pytest.raises(ModelFileError, match="has other blocks than its map"):
        sm.load(tmp_path / "m")
