"""Matrices instead of objects: square, and n × R."""

import numpy as np
import pytest

import seamark as sm
from seamark import Greedy, LandmarkClassifier, LandmarkMap, tuning
from seamark.checks import check_measure
from seamark.landmarks import Landmarks
from seamark.linear_model import RidgeClassifier
from seamark.measures import Columns, Euclidean, Precomputed


@pytest.fixture
def K(rng):
    return rng.normal(size=(6, 6))


def test_square_gives_itself_or_columns(K):
    np.testing.assert_array_equal(sm.cross("precomputed", K), K.astype(np.float32))
    np.testing.assert_array_equal(Precomputed().cross(K, [4, 1]), K[:, [4, 1]].astype(np.float32))
    np.testing.assert_array_equal(Precomputed().cross(K, [-1]), K[:, [5]].astype(np.float32))


def test_square_wants_a_square_rectangular_does_not(K):
    with pytest.raises(ValueError, match=r"X is 6 × 3; .*square=False"):
        Precomputed().cross(K[:, :3])
    assert Precomputed(square=False).cross(K[:, :3]).shape == (6, 3)


def test_pairwise_tag_only_for_square():
    assert Precomputed().__sklearn_tags__().input_tags.pairwise is True
    assert Precomputed(square=False).__sklearn_tags__().input_tags.pairwise is False


def test_new_rows_with_all_columns_or_just_the_chosen(K):
    measure = Precomputed()
    landmarks = measure.domain.landmarks(K, np.array([2, 5]))
    assert isinstance(landmarks, Columns)
    plan = measure.compile(landmarks)
    all_columns = sm.engine.run(plan, K[:2])
    chosen_only = sm.engine.run(plan, K[:2, [2, 5]])
    np.testing.assert_array_equal(all_columns, chosen_only)
    with pytest.raises(ValueError, match="X has 4 columns; give all 6 .* or exactly the 2"):
        sm.engine.run(plan, K[:2, :4])


@pytest.mark.parametrize(
    ("L", "error", "message"),
    [
        ([7], IndexError, "column 7 is out of range"),
        ([0.5], TypeError, "column numbers"),
        (np.eye(6), TypeError, "column numbers, such as"),
    ],
)
def test_bad_columns_are_named(K, L, error, message):
    with pytest.raises(error, match=message):
        Precomputed().cross(K, L)


def test_nan_in_the_matrix_is_named(K):
    K[3, 2] = np.nan
    with pytest.raises(ValueError, match="NaN, in row 3"):
        Precomputed().cross(K)


def test_kind_is_unknown_unless_said():
    assert Precomputed().kind is None
    assert Precomputed(kind="distance").kind == "distance"
    with pytest.raises(ValueError, match="kind must be"):
        Precomputed(kind="metric").cross(np.eye(2))


def test_keeps_the_promises_of_measures(rng):
    D = Euclidean().cross(rng.normal(size=(9, 2)))
    check_measure(Precomputed(kind="distance", symmetric=True), D)
    check_measure(Precomputed(kind="similarity", symmetric=False), rng.normal(size=(9, 9)))
    with pytest.raises(TypeError, match="only a square"):
        Precomputed().self_values(D[:, :4])


@pytest.fixture(scope="module")
def clusters():
    """Two classes, sorted: the first few rows are all of one."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(80, 3)) + np.repeat([[0.0], [1.5]], 40, axis=0)
    y = np.repeat([0, 1], 40)
    return X, y, Euclidean().cross(X)


WHOLE = [
    {"landmarks": "uniform"},
    {"landmarks": "stratified"},
    {"landmarks": "diverse"},
    {"landmarks": "farthest"},
    {"landmarks": "pairs", "n_landmarks": 80},
    {"landmarks": list(range(79, -1, -1))},
    {"weighing": Greedy(n_features=80)},
    {"weighing": Greedy(n_features=80), "head": "logistic"},
    {"n_landmarks": "cv"},
    {"head": RidgeClassifier(n_features=30)},
    {"head": RidgeClassifier(n_features=30), "tune": "held_out"},
    {"transfer": "whitening"},
]


@pytest.mark.parametrize("options", WHOLE, ids=str)
def test_chosen_columns_and_all_columns_are_read_the_same(clusters, options):
    X, y, D = clusters
    model = LandmarkClassifier(Precomputed(kind="distance"), random_state=0, **options).fit(D, y)
    new = np.random.default_rng(8).normal(size=(40, 3)) + np.repeat([[0.0], [1.5]], 20, axis=0)
    every = Euclidean().cross(new, X)
    chosen = every[:, model.map_.landmarks_.indices]
    np.testing.assert_array_equal(model.predict(chosen), model.predict(every))
    assert (model.predict(every) == np.repeat([0, 1], 20)).mean() > 0.75
    explained = model.explain(every[:1], 1)[0] if "transfer" not in options else None
    if explained is not None and "pairs" not in options.values():
        reason = explained.reasons[0]
        assert reason.value == every[0, int(reason.landmark.indices[0])]


def test_leading_landmarks_of_a_sorted_matrix_are_of_both_classes(clusters, monkeypatch):
    _, y, D = clusters
    model = LandmarkClassifier(Precomputed(kind="distance"), n_landmarks="cv", random_state=0)
    for head in ("auto", RidgeClassifier(n_features=20)):
        model.set_params(head=head, n_landmarks="cv" if head == "auto" else None).fit(D, y)
        used = model.landmark_labels_[np.abs(model.coef_).max(axis=0) > 0]
        assert 2 <= len(used) < 80
        assert 0.2 < used.mean() < 0.8
    seen = []
    monkeypatch.setattr("seamark.tuning.COMPARED_LANDMARKS", 20)
    error = tuning._Comparison.error
    monkeypatch.setattr(
        tuning._Comparison, "error", lambda fine, *of: seen.append(fine.columns) or error(fine, *of)
    )
    LandmarkClassifier(Precomputed(kind="distance"), random_state=0).fit(D, y)
    assert len(seen[0]) == 20
    assert 0.2 < y[seen[0]].mean() < 0.8


def test_a_subset_in_any_order_reads_both_ways(clusters):
    _X, _, D = clusters
    whole = LandmarkMap(Precomputed(kind="distance"), random_state=0).fit(D)
    np.testing.assert_array_equal(whole.landmark_indices_, np.arange(80))
    np.testing.assert_array_equal(np.sort(whole.landmark_order_), np.arange(80))
    assert (whole.landmark_order_[1:] < whole.landmark_order_[:-1]).any()
    order = np.random.default_rng(0).permutation(80)
    part = whole.subset(order)
    np.testing.assert_array_equal(part.transform(D), whole.transform(D)[:, order])
    np.testing.assert_array_equal(part.transform(D[:, part.landmark_indices_]), part.transform(D))
    names = whole.get_feature_names_out()[order]
    np.testing.assert_array_equal(part.get_feature_names_out(), names)
    again = part.subset(np.arange(10))
    np.testing.assert_array_equal(again.transform(D), whole.transform(D)[:, order[:10]])
    np.testing.assert_array_equal(
        again.transform(D[:, again.landmark_indices_]), again.transform(D)
    )


@pytest.mark.parametrize("measure", ["precomputed", Precomputed(kind="distance").negated()])
def test_a_rectangular_matrix_is_told_of_square_false(clusters, measure):
    _, y, D = clusters
    for attempt in (
        lambda: LandmarkMap(measure).fit(D[:, :6]),
        lambda: LandmarkClassifier(measure).fit(D[:, :6], y),
        lambda: sm.assess(measure, D[:, :6], y),
    ):
        with pytest.raises(ValueError, match=r"X is 80 × 6; .*Precomputed\(square=False\)"):
            attempt()


def test_columns_of_a_rectangle_are_all_landmarks_within_other_measures(clusters):
    _, y, D = clusters
    measure = Precomputed(square=False, kind="distance").negated()
    assert LandmarkClassifier(measure, random_state=0).fit(D[:, :6], y).map_.n_landmarks_ == 6


def test_files_with_all_columns_in_another_order_mean_what_they_meant(
    clusters, tmp_path, monkeypatch
):
    _, y, D = clusters
    with monkeypatch.context() as before:
        before.setattr(Landmarks, "columns_in_order", lambda self: self)
        model = LandmarkClassifier(Precomputed(kind="distance"), random_state=0).fit(D, y)
    del model.map_.landmark_order_  # which older files do not have
    sm.save(model, tmp_path / "old.seamark")
    old = sm.load(tmp_path / "old.seamark")
    assert not np.array_equal(old.landmark_indices_, np.arange(80))
    np.testing.assert_array_equal(old.decision_function(D), model.decision_function(D))
    assert old.map_.subset(np.arange(5)).landmark_order_ is None
