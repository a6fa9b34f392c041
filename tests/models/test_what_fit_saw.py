"""What fit saw is what predict takes: channels, dimensions, columns, text or bytes."""

import numpy as np
import pytest

import seamark as sm
from seamark.baselines import (
    AverageSimilarity,
    DBoost,
    JointFeatureSVM,
    KernelRegression,
    MultipleKernelSVM,
    NearestNeighboursClassifier,
    NearestNeighboursRegressor,
    PseudoEuclidean,
    SubstitutionSVM,
)
from seamark.data import Schema, series
from seamark.maps import MapUnion
from seamark.measures import DTW, Custom, Gaussian
from seamark.online import AUCClassifier, KernelCombiner

N = 20
rng = np.random.default_rng(5)
y = np.arange(N) % 2
WORDS = ["ab" * (1 + i % 4) + "xy"[i % 2] * (1 + i % 5) for i in range(N)]


def sizes_differ(a, b):
    return abs(size(a) - size(b))


def size(a):
    return float(np.abs(a).sum()) if isinstance(a, np.ndarray) else float(len(a))


SIZES = Custom(sizes_differ, kind="distance", vectorised=False)
DOMAINS = {
    "series": (
        "dtw",
        [rng.normal(loc=i % 2, size=(2, 4 + i % 3)) for i in range(N)],
        [
            ([np.zeros(4)], r"X has 1 channel, but the series before had 2.*\(2, time\)"),
            ([np.zeros((3, 4))], "X has 3 channels, but the series before had 2.*measure of sets"),
            ([np.zeros((5, 2))], r"X has 5 channels, .* give \[x.T for x in X\]"),
        ],
    ),
    "univariate": (
        "dtw",
        rng.normal(size=(N, 6)) + y[:, None],
        [(np.zeros((1, 3, 6)), r"X has 3 channels, but the series before had 1.*\(time,\)")],
    ),
    "sets": (
        "hausdorff",
        [rng.normal(loc=i % 2, size=(1 + i % 3, 3)) for i in range(N)],
        [([np.zeros((3, 2))], "X has vectors of dimension 2, but the sets before had 3")],
    ),
    "text": (
        "levenshtein",
        WORDS,
        [([b"ab"], r"X holds bytes, but the strings before were text; give \[x.decode\(\)")],
    ),
    "bytes": (
        "levenshtein",
        [word.encode() for word in WORDS],
        [(["ab"], r"X holds text, but the strings before were bytes; give \[x.encode\(\)")],
    ),
    "vectors": (
        "euclidean",
        rng.normal(size=(N, 3)) + y[:, None],
        [(np.zeros((2, 2)), "X has 2 features, but .* is expecting 3 features")],
    ),
    "objects": (
        SIZES,
        WORDS,
        [(["ab", b"ab"], "object 1 is of another kind .*: bytes where they were text")],
    ),
    "arrays": (
        SIZES,
        [rng.normal(size=(2, 4 + i % 3)) for i in range(N)],
        [([np.zeros(4)], "object 0 .*: arrays of 1 dimension where they were arrays of 2 dim")],
    ),
    "one array": (
        SIZES,
        rng.normal(size=(N, 2, 5)),
        [(np.zeros((1, 3, 5)), r"X has objects of shape \(3, …\), but those before were \(2, …\)")],
    ),
}
ESTIMATORS = {
    "classifier": lambda m: sm.LandmarkClassifier(m, random_state=0),
    "regressor": lambda m: sm.LandmarkRegressor(m, random_state=0),
    "ordinal": lambda m: sm.LandmarkOrdinal(m, random_state=0),
    "map": lambda m: sm.LandmarkMap(m, random_state=0),
    "union": lambda m: MapUnion([sm.LandmarkMap(m, random_state=0)]),
    "aligned": lambda m: sm.Aligned(sm.LandmarkMap(m, random_state=0), random_state=0),
    "joint": lambda m: JointFeatureSVM(sm.LandmarkMap(m, random_state=0), random_state=0),
    "stream": lambda m: AUCClassifier(sm.LandmarkMap(m, random_state=0), random_state=0),
    "combiner": lambda m: KernelCombiner([sm.measures.get(m).negated()], random_state=0),
    "neighbours": NearestNeighboursClassifier,
    "neighbours' mean": NearestNeighboursRegressor,
    "regression": KernelRegression,
    "substitution": SubstitutionSVM,
    "embedding": PseudoEuclidean,
    "average": AverageSimilarity,
    "boosting": lambda m: DBoost(m, n_pairs=10, n_rounds=3, random_state=0),
    "kernels": lambda m: MultipleKernelSVM([sm.measures.get(m)], random_state=0),
}


def answers(model, X):
    methods = ("predict", "transform", "decision_function", "predict_proba", "explain")
    return [(name, getattr(model, name)) for name in methods if hasattr(model, name)]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_other_objects_are_refused_in_a_sentence(name, domain):
    measure, X, wrong = DOMAINS[domain]
    model = ESTIMATORS[name](measure).fit(X, y)
    for objects, message in wrong:
        for _, answer in answers(model, X):
            with pytest.raises(ValueError, match=message):
                answer(objects)
    for method, answer in answers(model, X):
        if method != "explain":
            assert len(answer(X[:3])) == 3


@pytest.mark.parametrize("name", ["stream", "combiner"])
def test_the_next_block_of_a_stream_looks_like_the_first(name):
    measure, X, wrong = DOMAINS["series"]
    model = ESTIMATORS[name](measure).partial_fit(X, y)
    for objects, message in wrong[:2]:
        with pytest.raises(ValueError, match=message):
            model.partial_fit(objects, y[: len(objects)])


def test_a_stream_may_give_one_channel_with_or_without_its_axis():
    combiner = KernelCombiner([DTW().negated()], random_state=0)
    combiner.partial_fit(np.zeros((4, 5)) + y[:4, None], y[:4])
    combiner.partial_fit(np.ones((4, 1, 6)) + y[:4, None, None], y[:4])
    assert combiner.objects_.shape[0] <= 8


def test_a_ranker_refuses_too():
    _, X, wrong = DOMAINS["series"]
    model = sm.LandmarkRanker("dtw", random_state=0).fit(X, y, qid=np.arange(N) // 5)
    for objects in (wrong[0][0], np.zeros((2, 9))):  # a table is many series of one channel
        with pytest.raises(ValueError, match=wrong[0][1]):
            model.predict(objects)


def test_a_channel_axis_of_one_is_no_other_series():
    _, X, _ = DOMAINS["univariate"]
    model = sm.LandmarkRegressor("dtw", random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.predict(X[:, None, :]), model.predict(X))


def test_mixed_objects_may_come_again_mixed():
    model = NearestNeighboursClassifier(SIZES).fit(["ab", b"abc", "a"] * 4, y[:12])
    assert len(model.predict(["ab", b"ab"])) == 2


def test_landmarks_of_another_kind_do_not_decide():
    """The function compares text with patterns in bytes: what fit saw is text."""
    model = sm.LandmarkMap(SIZES, landmarks=[b"ab", b"abc"]).fit(WORDS)
    assert model.transform(WORDS).shape == (N, 2)
    with pytest.raises(ValueError, match="bytes where they were text"):
        model.transform([b"ab"])


@pytest.mark.parametrize("domain", ["series", "sets", "bytes", "vectors"])
def test_a_saved_model_remembers(domain, tmp_path):
    measure, X, wrong = DOMAINS[domain]
    model = sm.LandmarkClassifier(measure, random_state=0).fit(X, y)
    sm.save(model, tmp_path / "model.seamark")
    loaded = sm.load(tmp_path / "model.seamark")
    assert loaded.look_ == model.look_ == loaded.map_.look_
    with pytest.raises(ValueError, match=wrong[0][1]):
        loaded.predict(wrong[0][0])


def test_what_is_not_known_contradicts_nothing():
    look = series.look(series.ingest(np.zeros((2, 3, 4))))
    assert look == Schema("series", 3)
    assert not look.differs(Schema())
    assert not Schema().differs(look)
    assert look.differs(Schema("series", 2))
    assert look.differs(Schema("sets", 3))


def test_a_sum_with_a_function_keeps_the_domain():
    together = Gaussian(1.0).negated() + Custom(sizes_differ, kind="distance", vectorised=False)
    model = NearestNeighboursClassifier(together).fit(DOMAINS["vectors"][1], y)
    with pytest.raises(ValueError, match="X has 2 features"):
        model.predict(np.zeros((2, 2)))
