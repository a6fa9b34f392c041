"""Files whose newer parts are not what `fit` makes: one sentence when they are read."""

import numpy as np
import pandas as pd
import pytest

import seamark as sm
from seamark.maps import WithGaps
from seamark.saving import ModelFileError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = (X > 0).astype(int)
MISSING = np.array(["sea", None, "see", "mark", "tea"] * 12, dtype=object)


def models():
    """Return fitted models by name."""
    by = {"measure": "euclidean", "n_landmarks": 8, "random_state": 0}
    number = X[:, 0] + X[:, 1]
    spelt = number + 3.0 * (MISSING == "mark")
    frame = pd.DataFrame({"word": MISSING, "x": X[:, 0]})
    columns = {"word": "levenshtein", ("x",): sm.maps.NumericColumns()}
    return {
        "spread": sm.LandmarkRegressor(**by).fit(X, number),
        "running": sm.LandmarkRegressor(**by).partial_fit(X, number),
        "classes": sm.LandmarkClassifier(**by).fit(X, Y[:, 0]),
        "labels": sm.LandmarkClassifier(**by).fit(X, Y),
        "svm": sm.LandmarkClassifier(**by, head="svm").fit(X, Y[:, 0]),
        "each": sm.LandmarkClassifier(**by, head="svm").fit(X, Y),
        "order": sm.LandmarkOrdinal(**by).fit(X, Y.sum(axis=1)),
        "forest": sm.LandmarkRegressor([sm.ForestScores(5)], random_state=0).fit(X, number),
        "boosted": sm.LandmarkRegressor([sm.BoostedScores(5)], random_state=0).fit(X, number),
        "votes": sm.LandmarkRegressor([sm.NeighbourScores()], random_state=0).fit(X, number),
        "gaps": sm.LandmarkRegressor(columns, random_state=0).fit(frame, spelt),
    }


MODELS = models()


PLACES = {
    "Spread": lambda model: model.head_.spread_,
    "IncrementalState": lambda model: model.incremental_,
    "FoldSums": lambda model: model.incremental_.sums,
    "SoftmaxCalibration": lambda model: model.head_.calibration_,
    "RidgeLabels": lambda model: model.head_,
    "Calibrated": lambda model: model.head_[-1],
    "EachLabel": lambda model: model.head_[-1].head_,
    "CalibratedOrder": lambda model: model.head_[-1],
    "OrderedCalibration": lambda model: model.head_[-1].calibration_,
    "ForestScores": lambda model: model.map_.blocks_[0],
    "BoostedScores": lambda model: model.map_.blocks_[0],
    "NeighbourScores": lambda model: model.map_.blocks_[0],
    "Trees": lambda model: model.map_.blocks_[0].trees_,
    "Levels": lambda model: model.map_.blocks_[0].levels_,
    "WithGaps": lambda model: next(m for m in model.map_.maps_ if isinstance(m, WithGaps)),
}


NAN = float("nan")
DAMAGES = [
    ("spread", "Spread", "coef", np.zeros((1, 3, 2))),
    ("spread", "Spread", "coef", np.full((1, 8), NAN)),
    ("spread", "Spread", "intercept", np.zeros(2)),
    ("spread", "Spread", "bounds", np.zeros((1, 3))),
    ("spread", "Spread", "ratios", np.zeros((5, 2), np.float32)),
    ("spread", "Spread", "ratios", "many"),
    ("running", "IncrementalState", "n_folds", 10**9),
    ("running", "IncrementalState", "n_folds", 3.5),
    ("running", "IncrementalState", "seed", -1),
    ("running", "IncrementalState", "n_rows", "all"),
    ("running", "IncrementalState", "features", np.zeros((60, 3), np.float32)),
    ("running", "IncrementalState", "features", np.full((60, 8), NAN, np.float32)),
    ("running", "IncrementalState", "y", np.zeros(7)),
    ("running", "IncrementalState", "weights", np.zeros((60, 2))),
    ("running", "IncrementalState", "hashes", np.zeros(60)),
    ("running", "IncrementalState", "luck", np.full(60, NAN)),
    ("running", "IncrementalState", "hidden", [np.array([10**12])] * 5),
    ("running", "IncrementalState", "hidden", 3),
    ("running", "IncrementalState", "head", None),
    ("running", "IncrementalState", "sums", 5),
    ("running", "FoldSums", "moments", np.zeros((5, 3, 3))),
    ("running", "FoldSums", "moments", np.zeros((5, 10, 9))),
    ("running", "FoldSums", "n_features", 10**15),
    ("running", "FoldSums", "n_features", -1),
    ("running", "FoldSums", "scale", np.zeros(10)),
    ("running", "FoldSums", "precision", "half"),
    ("running", "FoldSums", "allowed", np.ones((2, 2), bool)),
    ("classes", "SoftmaxCalibration", "slope", NAN),
    ("classes", "SoftmaxCalibration", "slope", "steep"),
    ("classes", "SoftmaxCalibration", "offset", np.zeros((2, 2))),
    ("labels", "RidgeLabels", "slopes_", np.ones(5)),
    ("labels", "RidgeLabels", "slopes_", np.full(2, NAN)),
    ("labels", "RidgeLabels", "intercept_", np.zeros((2, 2))),
    ("labels", "RidgeLabels", "coef_", np.zeros((9, 8))),
    ("labels", "RidgeLabels", "oof_confusion_", np.zeros((2, 2), int)),
    ("svm", "Calibrated", "slopes_", np.ones(7)),
    ("svm", "Calibrated", "offsets_", np.ones(2)),
    ("svm", "Calibrated", "slopes_", np.array([NAN])),
    ("svm", "Calibrated", "head_", 3),
    ("order", "CalibratedOrder", "head_", 3),
    ("order", "CalibratedOrder", "calibration_", "known"),
    ("order", "CalibratedOrder", "classes_", np.arange(9)),
    ("order", "OrderedCalibration", "slope", -1.0),
    ("order", "OrderedCalibration", "cuts", np.array([1.0, NAN])),
    ("order", "OrderedCalibration", "cuts", np.array([2.0, 1.0])),
    ("each", "EachLabel", "places_", np.array([0, 10**9])),
    ("each", "EachLabel", "places_", np.array([0.0, 1.0])),
    ("each", "EachLabel", "members_", []),
    ("each", "EachLabel", "always_", np.zeros(9, np.int8)),
    ("forest", "Trees", "sizes", np.array([10**9], np.int32)),
    ("forest", "Trees", "sizes", np.array([-1], np.int32)),
    ("forest", "Trees", "columns", np.array([0], np.int8)),
    ("forest", "Trees", "thresholds", np.zeros(1, np.uint16)),
    ("forest", "Trees", "leaves", np.zeros(1, np.uint16)),
    ("forest", "Trees", "values", np.zeros((0, 1), np.float16)),
    ("forest", "Trees", "values", np.zeros(9, np.float16)),
    ("forest", "Levels", "cuts", np.zeros(3)),
    ("forest", "Levels", "cuts", np.array([1.0, NAN])),
    ("forest", "Levels", "offsets", np.array([0, 10**9])),
    ("forest", "Levels", "offsets", np.array([0, -1, 2])),
    ("forest", "ForestScores", "trees_", 3),
    ("forest", "ForestScores", "levels_", 3),
    ("forest", "ForestScores", "n_features_out_", 10**12),
    ("forest", "ForestScores", "feature_numbers_", np.arange(5)),
    ("boosted", "BoostedScores", "trees_", 3),
    ("boosted", "BoostedScores", "feature_numbers_", np.arange(5)),
    ("votes", "NeighbourScores", "objects_", np.zeros((3, 2))),
    ("votes", "NeighbourScores", "objects_", 3),
    ("votes", "NeighbourScores", "measure_", 3),
    ("votes", "NeighbourScores", "targets_", np.zeros((60, 2), np.float16)),
    ("votes", "NeighbourScores", "targets_", np.full((60, 1), NAN, np.float16)),
    ("votes", "NeighbourScores", "k_", 61),
    ("votes", "NeighbourScores", "k_", -1),
    ("votes", "NeighbourScores", "decay_", NAN),
    ("gaps", "WithGaps", "order_", np.array([10**9])),
    ("gaps", "WithGaps", "gap_features_", np.zeros(2, np.float32)),
    ("gaps", "WithGaps", "n_features_out_", 10**12),
    ("gaps", "WithGaps", "map_", 3),
]


@pytest.mark.parametrize("name", MODELS)
def test_what_fit_makes_is_read(name, tmp_path):
    sm.save(MODELS[name], tmp_path / "m")
    assert type(sm.load(tmp_path / "m")) is type(MODELS[name])


@pytest.mark.parametrize(
    ("model", "kind", "part", "value"), DAMAGES, ids=lambda value: str(value)[:20].split("\n")[0]
)
def test_parts_that_do_not_go_together_are_refused(model, kind, part, value, tmp_path):
    broken = PLACES[kind](MODELS[model])
    assert type(broken).__name__ == kind
    before = vars(broken)[part]
    object.__setattr__(broken, part, value)
    try:
        sm.save(MODELS[model], tmp_path / "m")
    finally:
        object.__setattr__(broken, part, before)
    with pytest.raises(ModelFileError) as said:
        sm.load(tmp_path / "m")
    assert kind in str(said.value)
    assert "\n" not in str(said.value)
