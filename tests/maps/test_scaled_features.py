"""What a landmark map hands to scikit-learn's models: features of mean 0 and variance 1."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import seamark as sm
from seamark.baselines import JointFeatureSVM
from seamark.maps import ComputedFeatures, LandmarkMap, MapUnion
from seamark.measures import Custom
from seamark.online import AUCClassifier

X = np.random.default_rng(3).normal(size=(90, 3)) * [1.0, 30.0, 0.01] + [0.0, 500.0, 0.0]
Y = np.arange(90) % 2
OPTIONS = [
    {},
    {"transfer": "identity"},
    {"landmarks": "pairs"},
    {"landmarks": "generated"},
    {"measure": ["manhattan", "euclidean"]},
    {"passthrough": True},
]


def bearings(**options):
    given = {"measure": "manhattan", "n_landmarks": 12, "random_state": 0} | options
    return LandmarkMap(**given)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_features_are_those_of_a_standard_scaler(options):
    plain = bearings(scale=False, **options).fit_transform(X, Y)
    features = bearings(**options).fit_transform(X, Y)
    assert features.dtype == np.float32
    expected = StandardScaler().fit_transform(plain.astype(np.float64))
    np.testing.assert_allclose(features, expected, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(features.mean(axis=0, dtype=np.float64), 0, atol=1e-4)
    np.testing.assert_allclose(features.std(axis=0, dtype=np.float64), 1, atol=1e-4)


def test_new_objects_are_measured_by_what_fit_saw():
    model, plain = bearings().fit(X[:60]), bearings(scale=False).fit(X[:60])
    scaler = StandardScaler().fit(plain.transform(X[:60]))
    expected = scaler.transform(plain.transform(X[60:]))
    np.testing.assert_allclose(model.transform(X[60:]), expected, rtol=1e-4, atol=1e-4)


def test_moments_cost_no_evaluation(monkeypatch):
    assert bearings().fit(X).n_evaluations_ == 90 * 12
    monkeypatch.setattr("seamark.maps.landmark.PILOT_ROWS", 20)
    assert bearings().fit(X).n_evaluations_ == 20 * 12
    with sm.engine.counting() as counter:
        bearings().fit_transform(X)
    assert counter.evaluations == 90 * 12


def test_a_sample_of_rows_gives_about_the_same_and_always_one_answer(rng):
    many = rng.normal(size=(3000, 3))
    whole = bearings(scale=False).fit_transform(many).astype(np.float64)
    whole = (whole - whole.mean(axis=0)) / whole.std(axis=0)
    features = bearings().fit_transform(many)
    assert np.abs(features - whole).max() < 0.5
    np.testing.assert_array_equal(features, bearings().fit(many).transform(many))


def test_an_outlying_landmark_that_no_sampled_row_is_near_does_not_outweigh_all(monkeypatch):
    monkeypatch.setattr("seamark.maps.landmark.PILOT_ROWS", 30)
    points = np.r_[np.random.default_rng(0).normal(size=(299, 2)), [[40.0, 40.0]]]
    model = LandmarkMap("euclidean", landmarks=points[[0, 1, 2, 299]], random_state=0).fit(points)
    assert model.mean_[3] < 1e-6  # the outlier itself was not in the sample
    features = model.transform(points)
    assert 1 < features[299, 3] < 100
    assert np.abs(features[:299]).max() < 10


def test_columns_that_do_not_vary():
    def distance(a, b):
        return 3.0 if b == "x" else 0.0 if b == "zero" else abs(len(a) - len(b))

    words = ["a" * k for k in range(1, 12)]
    options = {"landmarks": ["x", "zero", "aaa"], "transfer": "identity"}
    model = LandmarkMap(Custom(distance, vectorised=False), **options).fit(words)
    features = model.transform(words)
    assert not features[:, :2].any()
    assert features[:, 2].std() == pytest.approx(1, abs=1e-5)
    one = LandmarkMap("levenshtein").fit_transform(["sea"])
    np.testing.assert_array_equal(one, [[0.0]])


def test_noise_of_rounding_is_no_variance():
    nearly = np.random.default_rng(0).integers(0, 2, size=50) * 1e-4 + 1000.0
    features = LandmarkMap(
        Custom(lambda a, b: float(a), vectorised=False), landmarks=[0.0], transfer="identity"
    ).fit_transform(list(nearly))
    assert np.abs(features).max() < 1e-3


def test_subsets_names_frames_and_clones():
    model = bearings(measure=["manhattan", "euclidean"]).fit(X)
    columns = [17, 3, 0]
    some = model.subset(columns)
    whole = model.transform(X)
    np.testing.assert_allclose(some.transform(X), whole[:, columns], rtol=1e-4, atol=1e-4)
    again = some.subset(np.array([2, 1])).transform(X)
    np.testing.assert_allclose(again, whole[:, [0, 3]], rtol=1e-4, atol=1e-4)
    pairs = bearings(landmarks="pairs").fit(X, Y)
    part = pairs.subset(np.array([7, 2])).transform(X)
    np.testing.assert_allclose(part, pairs.transform(X)[:, [7, 2]], rtol=1e-4, atol=1e-4)
    assert clone(bearings(scale=False)).scale is False
    pytest.importorskip("pandas")
    frames = bearings().set_output(transform="pandas")
    frame = frames.fit_transform(X)
    assert list(frame.columns) == list(frames.get_feature_names_out())
    np.testing.assert_array_equal(frame, bearings().fit(X).transform(X))


def test_whitened_features_keep_their_inner_products():
    model = LandmarkMap("gaussian", transfer="whitening", random_state=0).fit(X)
    features = model.transform(X).astype(np.float64)
    np.testing.assert_allclose(features @ features.T, model.measures_[0].cross(X), atol=1e-3)
    np.testing.assert_array_equal(features, clone(model).fit_transform(X))


INSIDE = {
    "aligned": lambda one: sm.Aligned(one, rho_per_feature=0.5, random_state=0).fit(X, Y),
    "union": lambda one: MapUnion([one]).fit(X, Y),
    "several": lambda one: sm.Aligned([one, one], rho_per_feature=0.5, random_state=0).fit(X, Y),
    "auc": lambda one: AUCClassifier(one, random_state=0).fit(X, Y),
    "joint": lambda one: JointFeatureSVM(one, random_state=0).fit(X, Y),
}


@pytest.mark.parametrize("name", INSIDE)
def test_those_who_scale_in_their_own_way_get_features_as_they_are(name):
    one, other = (INSIDE[name](bearings(scale=scale)) for scale in (True, False))
    method = "transform" if hasattr(one, "transform") else "decision_function"
    np.testing.assert_array_equal(getattr(one, method)(X), getattr(other, method)(X))
    if hasattr(one, "map_"):
        np.testing.assert_array_equal(one.map_.transform(X), other.map_.transform(X))


def test_models_read_features_as_they_are():
    model = sm.LandmarkRegressor("manhattan", n_landmarks=12, random_state=0).fit(X, X[:, 0])
    assert model.map_.scale is False
    by_hand = model.map_.transform(X) @ model.coef_.T + model.head_.intercept_
    np.testing.assert_allclose(model.predict(X), by_hand.ravel(), rtol=1e-4, atol=1e-4)
    plain = bearings(scale=False).fit(X)
    ((_, block),) = ComputedFeatures(bearings().fit(X), X).chunks()
    np.testing.assert_array_equal(block, plain.transform(X))


def test_a_fitted_map_in_front_of_a_stream_stays_as_it_is():
    model = bearings().fit(X)
    auc = AUCClassifier(FrozenEstimator(model), random_state=0).fit(X, Y)
    np.testing.assert_array_equal(auc.map_.transform(X), model.transform(X))


def test_anything_but_yes_or_no_is_refused_before_work():
    calls = []
    with pytest.raises(ValueError, match="scale must be True or False, not 'unit'"):
        LandmarkMap(Custom(lambda a, b: calls.append(1)), scale="unit").fit(["sea", "see"])
    assert not calls


def test_logistic_regression_learns_a_chessboard(rng):
    """With features of size 1/√R it hardly learns anything."""
    points = rng.uniform(-1, 1, size=(600, 2))
    black = np.sin(6 * points[:, 0]) * np.sin(6 * points[:, 1]) > 0
    front = LandmarkMap("euclidean", n_landmarks=100, random_state=0)
    scores = [
        make_pipeline(one, LogisticRegression(max_iter=1000))
        .fit(points[:300], black[:300])
        .score(points[300:], black[300:])
        for one in (front, clone(front).set_params(scale=False))
    ]
    assert scores[0] > 0.8
    assert scores[0] > scores[1] + 0.2


def goods(n):
    """Titles with slips of the pen, prices, and whether the two together make one buy."""
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    kinds = rng.integers(4, size=n)
    titles = []
    for kind in kinds:
        letters = list(["red wine", "white wine", "olive oil", "sea salt"][kind])
        for _ in range(rng.integers(3)):
            letters[rng.integers(len(letters))] = rng.choice(list("abcdefghij"))
        titles.append("".join(letters))
    price = rng.normal(20, 5, size=n)
    worth = np.where(kinds < 2, 1.0, -1.0) + (price - 20) / 5 + 0.3 * rng.normal(size=n)
    return pandas.DataFrame({"title": titles, "price": price}), worth > 0


def test_a_map_of_titles_beside_a_price():
    table, bought = goods(900)
    titles = LandmarkMap("levenshtein", n_landmarks=100, random_state=0)
    plain = clone(titles).set_params(scale=False)
    blocks = {
        "titles": [("titles", titles, "title")],
        "price": [("price", StandardScaler(), ["price"])],
    }
    blocks["both"] = blocks["titles"] + blocks["price"]
    blocks["by hand"] = [
        ("titles", make_pipeline(plain, StandardScaler()), "title"),
        *blocks["price"],
    ]
    scores = {
        name: make_pipeline(ColumnTransformer(parts), LogisticRegression())
        .fit(table[:450], bought[:450])
        .score(table[450:], bought[450:])
        for name, parts in blocks.items()
    }
    assert scores["both"] > 0.9
    assert scores["both"] > max(scores["titles"], scores["price"]) + 0.05
    assert abs(scores["both"] - scores["by hand"]) <= 0.01
