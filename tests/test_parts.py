"""Landmarks that are parts of rows: sources, folds, labels, explanations, messages."""

from dataclasses import dataclass

import numpy as np
import pytest

import seamark as sm
from seamark.data import Strings, strings
from seamark.landmarks import NOT_A_ROW, LandmarkPairs, Parts
from seamark.maps import CachedFeatures, LandmarkMap
from seamark.measures import Custom

WORDS = ["sea", "seam", "mark", "remark", "tea", "team", "ark", "sea"] * 4
LABELS = np.array(["s", "s", "m", "m", "t", "t", "m", "s"] * 4)


@dataclass(frozen=True)
class Bits(Strings):
    """Substrings of two letters."""

    name = "bits"
    one = "bit"

    def cut(self, X, n, rng):
        sources = rng.integers(len(X), size=n)
        starts = [int(rng.integers(max(1, len(X[int(i)]) - 1))) for i in sources]
        cut = [X[int(i)][a : a + 2] for i, a in zip(sources, starts, strict=True)]
        return self.ingest(cut), sources


BITS = Bits()


def lacks(word, bit):
    """0 where the word holds the bit, 1 where it does not: asymmetric by nature."""
    return float(bit not in word)


class Holds(Custom):
    """Compares strings with bits."""

    domain = strings

    @property
    def landmark_domain(self):
        return BITS


def measure():
    return Holds(lacks, kind="distance", symmetric=False)


def objects():
    return strings.ingest(WORDS)


def test_parts_come_from_their_sources_and_differ():
    chosen = Parts().choose(objects(), None, measure(), 6, np.random.default_rng(0))
    assert chosen.are_parts
    assert chosen.indices is None
    assert len(chosen) == len(set(chosen.objects)) == 6
    assert all(bit in WORDS[row] for bit, row in zip(chosen.objects, chosen.sources, strict=True))


def test_parts_are_the_default_where_a_measure_compares_parts():
    bearings = LandmarkMap(measure(), n_landmarks=5, random_state=0).fit(WORDS)
    assert bearings.landmark_indices_ is None
    assert not bearings.are_rows
    values = np.array([[lacks(w, b) for b in bearings.landmarks_] for w in WORDS])
    np.testing.assert_array_equal(bearings.values(objects()), values)
    assert list(bearings.get_feature_names_out()) == [
        f"{Holds.name or 'holds'}_{k}" for k in range(5)
    ]


def test_a_row_is_its_own_source():
    bearings = LandmarkMap("levenshtein", n_landmarks=4, random_state=0).fit(WORDS)
    np.testing.assert_array_equal(bearings.landmark_sources_, bearings.landmark_indices_)


def test_folds_do_without_parts_of_their_rows():
    bearings = LandmarkMap(measure(), n_landmarks=8, random_state=0).fit(WORDS)
    features = CachedFeatures(bearings, objects())
    hidden = np.arange(len(WORDS)) < 16
    left = features.columns_without(hidden)
    assert 0 < len(left) < 8
    np.testing.assert_array_equal(left, np.flatnonzero(bearings.landmark_sources_ >= 16))


def test_folds_that_hold_an_equal_object_do_without_its_parts_too():
    """The fold of a copy is the fold of the source, as for rows."""
    seen = []

    class Watched(CachedFeatures):
        def columns_by_fold(self, hidden):
            found = super().columns_by_fold(hidden)
            seen.extend(zip(hidden, found, strict=True))
            return found

    bearings = LandmarkMap(measure(), n_landmarks=8, random_state=0).fit(WORDS)
    features = Watched(bearings, objects(), groups=bearings.groups(objects()))
    sm.linear_model.RidgeClassifier(random_state=0).fit(features, LABELS)
    folds = [(hidden, columns) for hidden, columns in seen if hidden.any()]
    assert len(folds) == 5
    for hidden, columns in folds:
        here = {WORDS[row] for row in np.flatnonzero(hidden)}
        allowed = np.arange(8) if columns is None else columns
        assert not here & {WORDS[bearings.landmark_sources_[j]] for j in allowed}


def test_a_subset_keeps_sources():
    bearings = LandmarkMap(measure(), n_landmarks=8, random_state=0).fit(WORDS)
    some = bearings.subset(np.array([5, 1]))
    assert some.landmark_indices_ is None
    np.testing.assert_array_equal(some.landmark_sources_, bearings.landmark_sources_[[5, 1]])
    np.testing.assert_array_equal(some.transform(WORDS), bearings.transform(WORDS)[:, [5, 1]])


@pytest.mark.parametrize("weighing", [None, "greedy"])
def test_models_label_and_explain_parts_by_their_sources(weighing):
    model = sm.LandmarkClassifier(measure(), n_landmarks=8, weighing=weighing, random_state=0)
    model.fit(WORDS, LABELS)
    assert model.score(WORDS, LABELS) > 0.9
    np.testing.assert_array_equal(model.landmark_labels_, LABELS[model.landmark_sources_])
    for reason in model.explain("seat").reasons:
        assert reason.landmark in WORDS[reason.index]
        assert reason.label == LABELS[reason.index]


@pytest.mark.parametrize("tune", ["cv", "held_out"])
def test_what_is_held_out_is_tuned_on_parts(tune):
    model = sm.LandmarkRegressor(measure(), n_landmarks=8, tune=tune, random_state=0)
    lengths = [len(word) for word in WORDS]
    assert model.fit(WORDS, lengths).score(WORDS, lengths) > 0.8


def test_pairs_of_parts():
    strategy = LandmarkPairs(of=Parts())
    chosen = strategy.choose(objects(), LABELS, measure(), 7, np.random.default_rng(0))
    labels = LABELS[chosen.sources[chosen.pairs]]
    assert chosen.are_parts
    assert (labels[:, 0] != labels[:, 1]).all()


def test_given_parts_have_no_source():
    bearings = LandmarkMap(measure(), landmarks=["se", "rk"], random_state=0).fit(WORDS)
    assert bearings.landmark_sources_ is None
    assert list(bearings.landmarks_) == ["se", "rk"]
    assert NOT_A_ROW == -1


@pytest.mark.parametrize("landmarks", ["uniform", "stratified", "diverse", "farthest", "generated"])
def test_whole_objects_are_refused_where_parts_are_compared(landmarks):
    with pytest.raises(ValueError, match=r'finds whole strings; take landmarks="parts"'):
        LandmarkMap(measure(), landmarks=landmarks, random_state=0).fit(WORDS, LABELS)


def test_parts_are_refused_where_whole_objects_are_compared():
    with pytest.raises(ValueError, match="landmarks are whole objects"):
        LandmarkMap("levenshtein", landmarks="parts").fit(WORDS)


def test_landmarks_are_not_compared_with_landmarks():
    with pytest.raises(ValueError, match="take a pointwise transfer"):
        LandmarkMap(measure(), transfer="whitening", random_state=0).fit(WORDS)


def test_no_part_is_cut_of_what_is_no_part():
    with pytest.raises(TypeError, match="strings are not parts of other objects"):
        strings.cut(objects(), 3, np.random.default_rng(0))


def test_algebra_keeps_the_domain_of_landmarks():
    double = 2 * measure()
    assert double.compares_parts
    assert (double + measure()).landmark_domain is BITS
    with pytest.raises(ValueError, match="cannot add a measure of bits and one of strings"):
        (measure() + sm.measures.Levenshtein()).check_parameters()
    with pytest.raises(TypeError, match="parts have no common size"):
        measure().normalised().check_parameters()


def test_too_few_parts_are_said_to_be_so():
    with pytest.warns(UserWarning, match=r"there are only \d+ different parts"):
        LandmarkMap(measure(), n_landmarks=500, random_state=0).fit(WORDS)


@pytest.mark.parametrize(
    "work",
    [
        lambda: sm.baselines.NearestNeighboursClassifier(measure()).fit(WORDS, LABELS),
        lambda: sm.baselines.SubstitutionSVM(measure()).fit(WORDS, LABELS),
        lambda: sm.online.KernelCombiner([measure().negated()]).fit(WORDS, LABELS == "s"),
        lambda: sm.assess(measure(), WORDS, LABELS),
        lambda: sm.cross(measure(), WORDS),
    ],
)
def test_where_objects_are_compared_with_each_other_parts_are_refused(work):
    with pytest.raises(ValueError, match="compares strings with bits"):
        work()


def test_parts_are_not_drawn_as_objects():
    pytest.importorskip("matplotlib").use("Agg")
    bearings = LandmarkMap(measure(), n_landmarks=6, random_state=0).fit(WORDS)
    assert sm.plotting.LandmarkMapDisplay.from_estimator(bearings, WORDS).landmarks is None
    with pytest.raises(TypeError, match="compares objects with parts of objects"):
        sm.plotting.SpectrumDisplay.from_estimator(bearings)
