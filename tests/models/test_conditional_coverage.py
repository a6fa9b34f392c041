"""Coverage in each class and in each group: as often as asked for, and as crepes finds it.

Coverages of at least 1,500 objects by a quantile of at least 700 deviate by at most 0.014, so that
0.05 is passed by chance in fewer than one of 1,000 seeds. Seeds are fixed.
"""

import numpy as np
import pytest

import seamark as sm


def uneven_classes(rng, n):
    """Return a rare class beside a common one, with much overlap."""
    labels = (rng.random(n) < 0.15).astype(int)
    return rng.normal(size=(n, 2)) + 1.2 * labels[:, None], labels


def uneven_groups(rng, n):
    """Return numbers whose noise depends on a group that no feature names."""
    X, groups = rng.uniform(-2, 2, size=(n, 2)), rng.choice(["calm", "rough"], n)
    return X, X[:, 0] + np.where(groups == "calm", 0.2, 1.5) * rng.normal(size=n), groups


@pytest.fixture(scope="module")
def classifier():
    X, labels = uneven_classes(np.random.default_rng(0), 6000)
    return sm.LandmarkClassifier("euclidean", n_landmarks=60, random_state=0).fit(X, labels)


@pytest.fixture(scope="module")
def regressor():
    X, y, _ = uneven_groups(np.random.default_rng(1), 1500)
    return sm.LandmarkRegressor("gaussian", n_landmarks=60, random_state=0).fit(X, y)


@pytest.mark.parametrize("coverage", [0.8, 0.9])
def test_each_class_is_covered_as_often_as_asked(classifier, coverage):
    X, labels = uneven_classes(np.random.default_rng(2), 12_000)
    rows = np.arange(len(labels))
    on_average = classifier.predict_set(X, coverage)[rows, labels]
    assert on_average[labels == 1].mean() < coverage - 0.15  # what it is for
    in_each = classifier.predict_set(X, coverage, by_class=True)[rows, labels]
    for k in (0, 1):
        assert in_each[labels == k].mean() == pytest.approx(coverage, abs=0.05)


def test_each_group_is_covered_as_often_as_asked(regressor):
    rng = np.random.default_rng(3)
    X, y, groups = uneven_groups(rng, 4000)
    new, truth, asked = uneven_groups(rng, 4000)
    ends = regressor.predict_interval(new, 0.9, groups=asked, calibration=(X, y, groups))
    held = (ends[:, 0] <= truth) & (truth <= ends[:, 1])
    plain = regressor.predict_interval(new, 0.9)
    for group in ("calm", "rough"):
        assert held[asked == group].mean() == pytest.approx(0.9, abs=0.05)
    assert ((plain[:, 0] <= truth) & (truth <= plain[:, 1]))[asked == "rough"].mean() < 0.85


def test_intervals_are_those_of_crepes(regressor):
    crepes = pytest.importorskip("crepes")
    rng = np.random.default_rng(4)
    X, y, groups = uneven_groups(rng, 400)
    new, _, asked = uneven_groups(rng, 300)
    known, said = (regressor._predict(rows, "spread")[:, 0] for rows in (X, new))
    theirs = crepes.ConformalRegressor()
    theirs.fit(y - known[:, 0], sigmas=known[:, 1], bins=groups)
    ends = theirs.predict_int(said[:, 0], sigmas=said[:, 1], bins=asked, confidence=0.9)
    own = regressor.predict_interval(new, 0.9, groups=asked, calibration=(X, y, groups))
    np.testing.assert_allclose(own, ends, rtol=1e-9)


@pytest.mark.parametrize("by_class", [False, True])
def test_sets_are_those_of_crepes(classifier, by_class):
    crepes = pytest.importorskip("crepes")
    rng = np.random.default_rng(5)
    X, labels = uneven_classes(rng, 400)
    new, _ = uneven_classes(rng, 300)
    groups, asked = rng.integers(2, size=400), rng.integers(2, size=300)
    alphas = 1 - classifier.predict_proba(X)[np.arange(400), labels]
    of_new = 1 - classifier.predict_proba(new)
    theirs = crepes.ConformalClassifier()
    theirs.fit(alphas, bins=labels if by_class else groups)
    if by_class:
        own = classifier.predict_set(new, 0.9, by_class=True, calibration=(X, labels))
    else:
        given = (X, labels, groups)
        own = classifier.predict_set(new, 0.9, groups=asked, calibration=given)
    for k in (0, 1):
        bins = np.full(300, k) if by_class else asked
        p = theirs.predict_p(of_new[:, [k]], bins=bins, smoothing=False)[:, 0]
        np.testing.assert_array_equal(own[:, k], p > 0.1)


def test_a_group_without_rows_says_nothing(regressor, classifier):
    rng = np.random.default_rng(6)
    X, y, groups = uneven_groups(rng, 100)
    ends = regressor.predict_interval(X[:1], groups=["new"], calibration=(X, y, groups))
    assert np.isinf(ends).all()
    some, labels = uneven_classes(rng, 100)
    given = (some, labels, groups)
    assert classifier.predict_set(some[:1], groups=["new"], calibration=given).all()


def test_what_is_missing_is_said(regressor, classifier):
    X, y, groups = uneven_groups(np.random.default_rng(7), 20)
    with pytest.raises(ValueError, match=r"Give calibration=\(X, y, groups\)"):
        regressor.predict_interval(X, groups=groups)
    with pytest.raises(ValueError, match=r"Give calibration=\(X, y\)"):
        regressor.predict_interval(X, calibration=X)
    with pytest.raises(ValueError, match="one group for each object"):
        regressor.predict_interval(X, groups=groups[:5], calibration=(X, y, groups))
    with pytest.raises(ValueError, match="a class that fit has not seen"):
        classifier.predict_set(X, calibration=(X, np.full(20, 7)))
    given = (X, np.zeros(20), groups)
    with pytest.raises(ValueError, match="not both"):
        classifier.predict_set(X, by_class=True, groups=groups, calibration=given)


def test_saved_models_know_the_classes(classifier, tmp_path):
    X, _ = uneven_classes(np.random.default_rng(8), 50)
    sm.save(classifier, tmp_path / "model")
    loaded = sm.load(tmp_path / "model")
    expected = classifier.predict_set(X, by_class=True)
    np.testing.assert_array_equal(loaded.predict_set(X, by_class=True), expected)


def test_models_of_older_versions_ask_to_be_fitted_again():
    X, labels = uneven_classes(np.random.default_rng(0), 200)
    model = sm.LandmarkClassifier("euclidean", n_landmarks=20, random_state=0).fit(X, labels)
    del model.head_.class_conformity_scores_
    assert model.predict_set(X[:5]).shape == (5, 2)
    with pytest.raises(ValueError, match="saved by an older version. Fit it again"):
        model.predict_set(X[:5], by_class=True)
    sets = model.predict_set(X[:5], by_class=True, calibration=(X, labels))
    assert sets.shape == (5, 2)
