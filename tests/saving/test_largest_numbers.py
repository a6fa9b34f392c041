"""Numbers of parameters and of files: none keeps a loop or an allocation busy beyond its bound."""

import json
import signal
import subprocess
import sys
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import seamark as sm
from seamark import baselines, feature_selection, landmarks, linear_model, measures, online
from seamark.validation import BOUNDS

NUMBERS = [(cls, name) for cls, numbers in BOUNDS.items() for name in numbers]
SECONDS, ROOM = 60, 2**30
RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(20, 2)) / 5, np.arange(20) % 2
WORDS = ["sea", "tea", "mark", "market", "lark"] * 4
SERIES = RNG.normal(size=(20, 30))
GRAPHS = [[(0, 1)], [(0, 1), (1, 2)], [(0, 1), (1, 2), (2, 0)]] * 7


def on(objects):
    return lambda measure: sm.LandmarkMap(measure, n_landmarks=3, random_state=0).fit(objects)


def fit(estimator):
    estimator.fit(X, Y)


def choose(strategy):
    sm.LandmarkMap("levenshtein", landmarks=strategy, n_landmarks=4).fit(WORDS)


def learn(weighing):
    sm.LandmarkRegressor("euclidean", n_landmarks=4, weighing=weighing).fit(X, X[:, 0])


OWNERS = {
    "Vovk": (measures.Vovk, on(X)),
    "Polynomial": (measures.Polynomial, on(X)),
    "WeisfeilerLehman": (measures.WeisfeilerLehman, on(GRAPHS)),
    "NGrams": (measures.NGrams, on(WORDS)),
    "DTW": (measures.DTW, on(SERIES)),
    "Elastic": (measures.MSM, on(SERIES)),
    "Subsequence": (measures.Subsequence, on(SERIES)),
    "VectorMap": (sm.RandomFourier, fit),
    "RandomMaclaurin": (sm.RandomMaclaurin, fit),
    "RandomConvolution": (sm.RandomConvolution, lambda one: one.fit(SERIES)),
    "Scores.n_trees": (sm.ForestScores, fit),
    "Scores.max_iter": (sm.BoostedScores, fit),
    "Scores.cv": (sm.ForestScores, fit),
    "NeighbourScores": (sm.NeighbourScores, fit),
    "LandmarkMap": (partial(sm.LandmarkMap, "euclidean"), fit),
    "Strategy.n": (partial(landmarks.AtMost, strategy="generated"), choose),
    "Strategy.size": (landmarks.Mixed, choose),
    "Strategy.sizes": (landmarks.Generated, choose),
    "LandmarkModel": (partial(sm.LandmarkClassifier, "euclidean"), fit),
    "Learned": (feature_selection.Learned, learn),
    "StreamedRidge": (linear_model.RidgeRegressor, fit),
    "FromUnseen": (partial(linear_model.Calibrated, linear_model.LinearSVM()), fit),
    "Ranking": (linear_model.Ranking, lambda one: one.fit(X, Y, qid=np.repeat(np.arange(4), 5))),
    "Ordinal": (linear_model.Ordinal, fit),
    "LinearSVM": (linear_model.LinearSVM, fit),
    "PairwiseEstimator": (online.AUCClassifier, fit),
    "Buffer.size": (online.Reservoir, lambda one: one.begin()),
    "Buffer.n_classes": (online.BufferPerClass, lambda one: one.begin()),
    "Index": (sm.Index, fit),
    "DBoost": (baselines.DBoost, fit),
    "JointFeatureSVM": (baselines.JointFeatureSVM, fit),
    "MultipleKernelSVM": (baselines.MultipleKernelSVM, fit),
    "_Neighbours": (baselines.NearestNeighboursClassifier, fit),
    "_OAM": (baselines.OAMseq, fit),
}
"""Who has a parameter of the table, and what uses it."""


def windows(span):
    """A map with a window that spans so many steps."""
    map = on(SERIES)("subsequence")
    steps = -(-span // (map.landmarks_.lengths[0] - 1))
    object.__setattr__(map.landmarks_, "dilations", np.full(3, steps))
    return map


def dilated(steps):
    map = sm.RandomConvolution(84, random_state=0).fit(SERIES)
    map.dilations_ = np.full_like(map.dilations_, steps)
    return map


def deep(depth):
    """A forest whose first tree has so many levels, one below the other."""
    map = sm.ForestScores(5, random_state=0).fit(X, X[:, 0])
    here = np.arange(2 * depth + 1)
    leaf = (here % 2 == 1) | (here == 2 * depth)
    map.trees_ = replace(
        map.trees_,
        sizes=np.array([len(here)], np.int32),
        columns=np.where(leaf, -1, 0).astype(np.int8),
        thresholds=np.zeros(depth, np.uint16),
        leaves=np.zeros(depth + 1, np.uint8),
    )
    return map


def running(n_folds):
    model = sm.LandmarkRegressor("euclidean", n_landmarks=4, random_state=0)
    model.partial_fit(X, X[:, 0]).incremental_.n_folds = n_folds
    return model


def streamed(width):
    model = online.AUCClassifier(random_state=0).fit(X, Y)
    model.learner_.history._width = width
    return model


def precomputed(n):
    model = baselines.SubstitutionSVM().fit(X, Y)
    model.svm_.shape_fit_ = (n, n)
    return model


FITTED = {
    ("WindowList", "spans"): windows,
    ("RandomConvolution", "dilations_"): dilated,
    ("Trees", "depth"): deep,
    ("IncrementalState", "n_folds"): running,
    ("History", "_width"): streamed,
    ("SVC", "shape_fit_"): precomputed,
}
"""Numbers that `fit` sets, and models in which they are what is given."""


def refusals():
    """Say, for each number of the table, what is said of it just beyond its bound."""
    said = {}
    with tempfile.TemporaryDirectory() as folder:
        for cls, name in NUMBERS:
            most, ways = BOUNDS[cls][name], {}
            if (cls, name) in FITTED:
                owner = FITTED[cls, name](most + 1)
            else:
                make, use = OWNERS.get(cls) or OWNERS[f"{cls}.{name}"]
                pair = (cls, name) in (("NGrams", "n"), ("Strategy", "sizes"))
                owner = make(**{name: (1, most + 1) if pair else most + 1})
                ways["parameter"] = _sentence(partial(use, owner))
            ways["file"] = _sentence(partial(_save_and_load, owner, Path(folder, cls + name)))
            said[f"{cls}.{name}"] = ways
    return said


def _save_and_load(owner, path):
    sm.save(owner, path)  # which refuses what scikit-learn's estimators could not be
    sm.load(path)


def _sentence(call):
    try:
        call()
    except ValueError as error:
        return str(error)
    return "nothing"


@pytest.fixture(scope="module")
def said():
    """What a process of its own says, which may not take long, nor much memory."""
    done = subprocess.run(
        [sys.executable, __file__], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="bounds memory as Linux does")
@pytest.mark.parametrize("number", NUMBERS, ids=".".join)
def test_a_number_beyond_its_bound_is_refused_in_one_sentence(said, number):
    cls, name = number
    ways = ["file"] if (cls, name) in FITTED else ["parameter", "file"]
    sentences = said[f"{cls}.{name}"]
    assert list(sentences) == ways
    for sentence in sentences.values():
        assert name.removesuffix("s") in sentence
        assert f"at most {BOUNDS[cls][name]}" in sentence
        assert "\n" not in sentence


@pytest.mark.parametrize("number", [("RandomConvolution", "dilations_"), ("Trees", "depth")])
def test_the_largest_that_fit_may_set_is_read(number, tmp_path):
    cls, name = number
    sm.save(FITTED[number](BOUNDS[cls][name]), tmp_path / "m")
    sm.load(tmp_path / "m")


@pytest.mark.parametrize(("n", "sums"), [(10**6, 512), (-1, 512), (3, 0), (3, 7)])
def test_a_history_has_room_for_the_next_loss(n, sums, tmp_path):
    model = online.AUCClassifier(random_state=0).fit(X, Y)
    model.learner_.history._n, model.learner_.history._sums = n, np.zeros(sums)
    sm.save(model, tmp_path / "m")
    with pytest.raises(sm.saving.ModelFileError, match="of its History"):
        sm.load(tmp_path / "m")


def test_long_series_have_windows_that_are_read():
    X = np.zeros((1, 2**20 + 500))
    X[0, ::7] = 1.0
    map = sm.LandmarkMap("subsequence", n_landmarks=20, random_state=0, scale=False).fit(X)
    assert map.landmarks_.spans.max() <= BOUNDS["WindowList"]["spans"]


if __name__ == "__main__":
    import resource

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + ROOM
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    signal.alarm(SECONDS)
    print(json.dumps(refusals()))
