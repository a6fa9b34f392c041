"""Parts, unions and columns in files: round trips, and hostile files."""

import sys
from pathlib import Path

import numpy as np
import pytest
from saved_tasks import assert_same, round_trip

import seamark as sm
from seamark.maps import MapUnion
from seamark.saving import ModelFileError
from seamark.saving.format import unpack

GOLDEN = Path(__file__).parent / "golden"
sys.path.insert(0, str(GOLDEN))
import tasks  # noqa: E402

TASKS = {name: (model, X, targets) for name, model, X, targets in tasks.unions()}


def fitted(name):
    model, X, targets = TASKS[name]
    return model.fit(X, **targets), X


@pytest.mark.filterwarnings("ignore:n_landmarks")
@pytest.mark.parametrize("name", TASKS)
def test_blocks_come_back_as_they_were(name, tmp_path):
    model, X = fitted(name)
    loaded = round_trip(model, tmp_path / "m", tasks.FUNCTIONS)
    assert_same(model, loaded, X)
    if hasattr(model, "explain"):
        assert str(model.explain(X[:2])) == str(loaded.explain(X[:2]))
        np.testing.assert_equal(loaded.landmark_sources_, model.landmark_sources_)
    document, _ = unpack((tmp_path / "m").read_bytes())
    assert document["version"] == 1


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
    union = MapUnion.of(union.maps_, list(union.columns_), tasks.TABLE)
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
