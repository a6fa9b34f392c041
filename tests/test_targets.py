"""How y is read, in one way everywhere."""

import numpy as np
import pytest

import seamark as sm
from seamark.assessment.tasks import read_task
from seamark.feature_selection import Learned
from seamark.linear_model import LinearSVM, Ordinal, PerClass, RidgeClassifier, RidgeRegressor
from seamark.targets import (
    checked_weights,
    class_factors,
    classes_of_block,
    decided,
    holds_classes,
    require_targets,
    signs,
)

READINGS = [
    (np.tile([0, 1, 2], 20), True),
    (np.tile([0.0, 1.0], 30), True),
    (np.tile(["a", "b", "c"], 20), True),
    (np.tile([True, False], 30), True),
    (np.arange(60), False),
    (np.arange(60) // 2 + 0.5, False),
    (np.repeat(np.arange(30), 2), True),
    (np.arange(60) % 31, False),
    (np.stack([np.arange(60) % 2, np.arange(60) % 3], axis=1), False),
]

ROWS = np.random.default_rng(0).normal(size=(40, 3))
WORDS = ["ab" * (i % 5 + 1) + "c" * (i % 3) for i in range(40)]
READERS = {
    "forest": lambda y: sm.ForestScores(5).fit(ROWS, y),
    "boosted": lambda y: sm.BoostedScores(5).fit(ROWS, y),
    "neighbours": lambda y: sm.NeighbourScores().fit(ROWS, y),
    "bags": lambda y: sm.BagScores().fit(WORDS, y),
    "ridge": lambda y: RidgeClassifier().fit(ROWS, y),
    "numbers": lambda y: RidgeRegressor().fit(ROWS, y),
    "svm": lambda y: LinearSVM().fit(ROWS, y),
    "per class": lambda y: PerClass([(LinearSVM(), [0])]).fit(ROWS, y),
    "order": lambda y: Ordinal(categories=[0.0, 1.0]).fit(ROWS, y),
    "weighing": lambda y: sm.Greedy(2).fit(ROWS, y),
    "online": lambda y: sm.online.AUCClassifier().fit(ROWS, y),
    "model": lambda y: sm.LandmarkClassifier("levenshtein").fit(WORDS, y),
    "stream": lambda y: sm.LandmarkClassifier("levenshtein").partial_fit(WORDS, y),
    "assess": lambda y: sm.assess("levenshtein", WORDS, y),
} | {
    name: lambda y, name=name: sm.LandmarkMap("levenshtein", n_landmarks=6, landmarks=name).fit(
        WORDS, y
    )
    for name in ("pairs", "stratified", "diverse")
}


@pytest.mark.parametrize("reads", READERS.values(), ids=READERS)
@pytest.mark.parametrize(
    ("odd", "message"),
    [
        (np.nan, r"y\[3\] is missing \(nan\); give every object a target, or drop that row"),
        (None, r"y\[3\] is missing \(None\); give every object a target, or drop that row"),
        (np.inf, r"y\[3\] is inf; give every object a target, or drop that row"),
        (1j, "y holds complex numbers"),
    ],
)
def test_odd_targets_are_refused_in_one_sentence(reads, odd, message):
    y = np.tile([0.0, 1.0], 20).astype(np.result_type(odd) if odd is not None else object)
    y[3] = odd
    with pytest.raises(ValueError, match=message):
        reads(y)
    if "missing" in message:
        words = np.tile(np.array(["a", "b"], dtype=object), 20)
        words[3] = odd
        with pytest.raises(ValueError, match=message):
            reads(words)


def test_the_place_of_an_odd_number_is_said():
    with pytest.raises(ValueError, match=r"y\[1, 0\] is -inf; give"):
        require_targets([[1.0, 2.0], [-np.inf, 3.0]])


@pytest.mark.parametrize(("y", "classes"), READINGS)
def test_one_rule_for_all(y, classes, rng):
    X = rng.normal(size=(60, 5))
    assert holds_classes(y) is classes
    greedy = sm.Greedy(2).fit(X, y)
    assert (greedy.classes_ is not None) is classes
    if y.ndim == 1:
        assert (read_task(y, "auto", None).name == "classification") is classes
    said = "classification" if classes else "regression"
    for one in (sm.Aligned(random_state=0), Learned(2, random_state=0)):
        auto = one.fit(X, y)
        other = type(one)(**one.get_params() | {"task": said}).fit(X, y)
        np.testing.assert_array_equal(auto.support_, other.support_)
        np.testing.assert_array_equal(auto.weights_, other.weights_)


def test_integers_are_classes_to_every_weighing(rng):
    """The columns that tell three classes apart are found, though no line goes through them."""
    y = np.tile([0, 1, 2], 100)
    X = rng.normal(size=(300, 30))
    X[:, 7] += 3 * (y == 1)  # against the other two; a regression on 0, 1, 2 sees nothing
    for one in (sm.Aligned(rho_per_feature=0.5), sm.Greedy(1), Learned(1, random_state=0)):
        assert one.fit(X, y).support_[0] == 7


CLASSES, CODES = np.array(["f", "m"]), np.array([0, 0, 0, 1])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("even", "class_weight must be None, 'balanced' or a dict.*got 'even'"),
        ([1, 2], "must be None, 'balanced' or a dict.*got "),
        ({"x": 1}, "class_weight must name classes of y; got 'x'. The classes are 'f', 'm'."),
        ({0: 1}, "class_weight must name classes of y; got 0"),
        ({"f": 0}, r"class_weight\['f'\] must be a positive number, not 0."),
        ({"f": np.inf}, "must be a positive number, not inf"),
        ({"f": "1"}, "must be a positive number, not '1'"),
    ],
)
def test_wrong_class_weights_are_refused_in_a_sentence(given, message):
    with pytest.raises(ValueError, match=message):
        class_factors(given, CLASSES, CODES)
    with pytest.raises(ValueError, match=message):
        sm.LandmarkClassifier("levenshtein", class_weight=given).fit(list("abcd"), list("fffm"))


def test_balanced_counts_weights():
    weights = np.array([1.0, 2.0, 3.0, 2.0])
    factors = class_factors("balanced", CLASSES, CODES, weights)
    assert np.bincount(CODES, weights * factors).tolist() == pytest.approx([4.0, 4.0])
    X = np.array([[0.0, 1.0], [1.0, 0.5], [2.0, 0.0], [1.5, 3.0]])
    ridge = RidgeClassifier(1.0, class_weight="balanced", calibrate=False).fit(X, CODES, weights)
    weighed = RidgeClassifier(1.0, calibrate=False).fit(X, CODES, weights * factors)
    np.testing.assert_allclose(ridge.coef_, weighed.coef_)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, 2.0], r"sample_weight has shape \(2,\); it must have one number for each of the 3"),
        ([1.0, -2.0, 0.0], r"sample_weight\[1\] is -2; no weight may be negative"),
        ([0, 0, 0], "sample_weight is zero for every row"),
        ([1.0, np.nan, 0.0], "sample_weight contains NaN"),
    ],
)
def test_wrong_weights_are_refused_in_a_sentence(weights, message):
    with pytest.raises(ValueError, match=message):
        checked_weights(weights, 3)


def test_a_block_may_weigh_nothing():
    assert checked_weights([0, 0], 2, some=False).tolist() == [0.0, 0.0]


def test_classes_that_come_in_blocks():
    known, codes = classes_of_block(["b", "c"], classes=["c", "a", "b"])
    assert (known.tolist(), codes.tolist()) == (["a", "b", "c"], [1, 2])
    assert classes_of_block(["c"], known)[1].tolist() == [2]
    with pytest.raises(ValueError, match="y has the class 'd', which is not among those of the"):
        classes_of_block(["d"], known)
    with pytest.raises(ValueError, match="are not those of the first call"):
        classes_of_block(["c"], known, ["a"])
    with pytest.raises(ValueError, match=r"y\[0\] is missing \(None\)"):
        classes_of_block([None], known)


def test_signs_are_decided_back(rng):
    for n in (2, 3, 5):
        classes, codes = np.arange(n) * 10, rng.integers(n, size=20)
        for each in (False, n > 2):
            scores = signs(codes, np.arange(n), each=each)
            np.testing.assert_array_equal(decided(scores, classes), classes[codes])
    assert signs(np.array([0, 1]), np.arange(2), each=True).tolist() == [[1.0, -1.0], [-1.0, 1.0]]
