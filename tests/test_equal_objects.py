"""Equal objects: none is a landmark twice, and no fold, split or part stands between two."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import seamark as sm
from seamark.assessment.sample import draw
from seamark.assessment.tasks import read_task
from seamark.feature_selection import Learned
from seamark.features import InMemory
from seamark.landmarks import (
    AtMost,
    Diverse,
    FarthestFirst,
    LandmarkPairs,
    Mixed,
    Stratified,
    Uniform,
)
from seamark.linear_model import RidgeClassifier
from seamark.measures import Euclidean, Levenshtein, Precomputed
from seamark.targets import deal, split_off
from seamark.tuning import HeldOut

RNG = np.random.default_rng
STRATEGIES = [Uniform(), Stratified(), Diverse(), Diverse(per_class=False), FarthestFirst()]
COPIES = 6


def words(n, seed=0):
    rng = RNG(seed)
    made = {"".join(rng.choice(list("acgt"), size=12)) for _ in range(2 * n)}
    return sorted(made)[:n]


@pytest.fixture(scope="module")
def copied():
    """Forty random strings of random classes, six times each: there is nothing to be learned."""
    names, labels = words(40), RNG(1).permutation(np.arange(40) % 2)
    rows = RNG(2).permutation(np.repeat(np.arange(40), COPIES))
    return [names[row] for row in rows], labels[rows]


@pytest.mark.parametrize("strategy", STRATEGIES, ids=repr)
@pytest.mark.parametrize("n", [3, 20, 60])
def test_no_object_is_a_landmark_twice(strategy, n, copied):
    X, y = Levenshtein().domain.ingest(copied[0]), copied[1]
    for seed in range(3):
        chosen = strategy.choose(X, y, Levenshtein(), n, RNG(seed))
        assert len(chosen) == len(set(chosen.objects)) == min(n, 40)
        assert list(X[chosen.indices]) == list(chosen.objects)


def test_an_object_of_two_classes_is_left_to_the_rare_one():
    X = Levenshtein().domain.ingest(["a", "b", "c", "d", "a", "a"])
    y = np.array([0, 0, 0, 0, 1, 1])
    for strategy in (Stratified(), Diverse()):
        rows = strategy.choose(X, y, Levenshtein(), 4, RNG(0)).indices
        assert sorted(X[rows]) == ["a", "b", "c", "d"]
        assert set(y[rows]) == {0, 1}


def test_diverse_landmarks_do_not_repeat_what_is_far_from_all():
    X = np.r_[RNG(0).normal(size=(200, 2)), np.full((50, 2), 30.0)]
    chosen = Diverse(per_class=False).choose(X, None, Euclidean(), 60, RNG(0))
    assert len(np.unique(chosen.objects, axis=0)) == 60


@pytest.mark.parametrize("strategy", [Diverse(), Stratified()], ids=repr)
def test_more_targets_than_landmarks_are_no_classes(strategy):
    X = RNG(0).uniform(size=(200, 1))
    rows = strategy.choose(X, X[:, 0], Euclidean(), 20, RNG(0)).indices
    assert np.ptp(X[rows]) > 0.8  # and not the twenty lowest


def test_pools_and_pairs():
    X = Levenshtein().domain.ingest(["ab", "cd", "ef"] * 9)
    y = np.arange(27) % 3
    assert len(AtMost(5000).choose(X, y, Levenshtein(), 5, RNG(0))) == 3
    pool = Mixed().choose(X, y, Levenshtein(), 20, RNG(0))
    assert len(pool) == 20
    assert np.count_nonzero(pool.indices >= 0) == 3
    pairs = LandmarkPairs().choose(X, y, Levenshtein(), 20, RNG(0))
    assert len(pairs) == 20  # drawn with replacement, as in the paper
    assert len(pairs.objects) == 3


def test_rows_of_a_matrix_are_all_landmarks():
    D = np.zeros((10, 10))
    for strategy in (Uniform(), Stratified()):
        chosen = strategy.choose(D, np.arange(10) % 2, Precomputed(), 10, RNG(0))
        assert sorted(chosen.indices) == list(range(10))


def before(strategy, X, y, n, rng):
    """What was drawn when equal objects were not looked for."""
    if isinstance(strategy, Uniform):
        return rng.permutation(len(X))[:n]
    groups = [rng.permutation(np.flatnonzero(y == label)) for label in np.unique(y)]
    return rng.permutation(np.concatenate([group[: n // 2] for group in groups]))


@pytest.mark.parametrize("strategy", [Uniform(), Stratified()], ids=repr)
def test_without_equal_objects_seeds_mean_what_they_meant(strategy):
    X, y = RNG(0).normal(size=(40, 2)), np.arange(40) % 2
    one, other = RNG(5), RNG(5)
    rows = strategy.choose(X, y, Euclidean(), 12, one).indices
    np.testing.assert_array_equal(rows, before(strategy, X, y, 12, other))
    assert one.random() == other.random()


def test_a_number_of_landmarks_that_cannot_be_had_is_told():
    with pytest.warns(UserWarning, match="only 2 different objects"):
        sm.LandmarkMap("levenshtein", n_landmarks=5).fit(["a", "b", "b", "a", "a", "b"])


@pytest.mark.parametrize("labels", [None, np.arange(60) % 3])
@pytest.mark.parametrize("cv", [2, 5, 60])
def test_folds_of_single_objects_are_those_of_rows(labels, cv):
    used = RNG(0).uniform(size=60) < 0.9
    alone = deal(used, cv, RNG(1), labels)
    np.testing.assert_array_equal(deal(used, cv, RNG(1), labels, RNG(2).permutation(60)), alone)


def test_folds_keep_equal_objects_and_are_even():
    groups = RNG(0).integers(50, size=300)
    labels = groups % 2
    folds = deal(np.ones(300, dtype=bool), 5, RNG(0), labels, groups)
    for group in range(50):
        assert len(set(folds[groups == group])) <= 1
    for label in (0, 1):
        assert np.ptp(np.bincount(folds[labels == label], minlength=5)) <= 5
    # One object makes up half the rows: it has a fold, and the others share out the rest.
    large = np.r_[np.zeros(50, int), np.arange(1, 51)]
    assert sorted(np.bincount(deal(np.ones(100, bool), 3, RNG(0), None, large))) == [25, 25, 50]


def test_where_each_class_is_one_object_rows_are_dealt():
    groups = np.repeat([0, 1], 30)
    folds = deal(np.ones(60, dtype=bool), 3, RNG(0), groups, groups)
    assert np.bincount(folds[:30]).tolist() == [10, 10, 10]
    model = sm.LandmarkClassifier("levenshtein", random_state=0).fit(
        ["a"] * 30 + ["b"] * 30, groups
    )
    assert model.predict_proba(["a", "b"])[[0, 1], [0, 1]].min() > 0.85


def test_split_off_keeps_equal_objects():
    groups = np.repeat(np.arange(10), 4)
    fitted, held = split_off(np.arange(40), 0.3, np.random.RandomState(0), groups % 2, groups)
    assert not set(groups[fitted]) & set(groups[held])
    assert len(held) == 12
    assert sorted([*fitted, *held]) == list(range(40))


# Where copies stand on both sides, what has been learned by heart looks like skill. Each of these
# returns a cross-validated error as a share of what knowing nothing has.


def of_ridge(X, y):
    model = sm.LandmarkClassifier("levenshtein", random_state=0).fit(X, y)
    return 2 * (1 - model.head_.oof_score_)


def of_tuning(X, y):
    model = sm.LandmarkClassifier("levenshtein", head="svm", random_state=0).fit(X, y)
    return min(model.tuning_["error"])


def of_rows_held_out(X, y):
    tune = HeldOut(0.4, {"C": [1.0, 10.0]})
    model = sm.LandmarkClassifier(
        "levenshtein", head=LogisticRegression(), transfer="identity", tune=tune, random_state=0
    ).fit(X, y)
    return 2 * (1 - max(model.tuning_["score"]))


def mapped(X):
    bearings = sm.LandmarkMap("levenshtein", landmarks=words(200, seed=9), transfer="identity")
    return InMemory(bearings.fit_transform(X), Levenshtein().domain.groups(bearings.ingest(X)))


def of_learned(X, y):
    return np.min(Learned(random_state=0).fit(mapped(X), y).cv_results_["error"])


def of_aligned(X, y):
    bearings = sm.LandmarkMap("levenshtein", landmarks=words(200, seed=9), transfer="identity")
    return min(sm.Aligned(bearings, random_state=0).fit(X, y).cv_results_["error"])


def of_greedy(X, y):
    return (
        min(sm.Greedy(30, validation=0.4, random_state=0).fit(mapped(X), y).path_.validation) / 0.5
    )


def of_assessment(X, y):
    found = sm.assess("levenshtein", X, y, random_state=0)
    return 2 * (1 - found.estimates["landmark model"].value)


@pytest.mark.parametrize(
    "error",
    [of_ridge, of_tuning, of_rows_held_out, of_learned, of_aligned, of_greedy, of_assessment],
)
def test_copies_do_not_vouch_for_each_other(error, copied):
    assert error(*copied) > 0.7


def test_parts_of_an_assessment_share_no_object(copied):
    measure = Levenshtein()
    X = measure.domain.ingest(copied[0])
    task = read_task(copied[1], "auto", None)
    drawn = draw(
        measure,
        X,
        task,
        most=2000,
        budget=10**6,
        rng=RNG(0),
        n_jobs=1,
        progress=sm.engine.Progress(),
    )
    learn, test, reference = (set(X[rows]) for rows in (drawn.learn, drawn.test, drawn.reference))
    assert not learn & test
    assert not reference & (learn | test)
    assert len(learn | test | reference) == 40
    for rows in (drawn.learn, drawn.test, drawn.reference):
        assert abs(len(rows) - 80) < 3
        assert 0.3 < copied[1][rows].mean() < 0.7


def test_a_matrix_of_features_has_no_equal_objects():
    X = np.array([[0.0], [1.0]] * 20)  # unequal objects may have equal features
    head = RidgeClassifier(random_state=0).fit(X, X[:, 0])
    assert head.oof_score_ == 1.0


def test_the_first_example_of_the_readme():
    names = ["Anna", "Hanna", "Johanna", "Otto", "Ottokar", "Ottilo"]
    for seed in range(5):
        model = sm.LandmarkClassifier("levenshtein", random_state=seed)
        model.fit(names * 3, list("fffmmm") * 3)
        assert model.predict_proba(["Susanna"])[0, 0] > 0.85
        assert model.predict_proba(["Lotto"])[0, 1] > 0.75
        reasons = model.explain("Susanna", n_landmarks=6).reasons
        assert {reason.landmark for reason in reasons} <= set(names)
        assert len({reason.landmark for reason in reasons}) == len(reasons)
        assert reasons[0].landmark in names[:3]


def test_where_fewer_objects_differ_than_folds_rows_are_dealt():
    groups = np.repeat(np.arange(4), 25)
    folds = deal(np.ones(100, dtype=bool), 5, RNG(0), None, groups)
    assert np.bincount(folds).tolist() == [20] * 5
    X = np.arange(4.0)[groups, None]
    model = sm.LandmarkRegressor("euclidean", random_state=0).fit(X, X[:, 0] ** 2)
    assert model.score(X, X[:, 0] ** 2) > 0.99
