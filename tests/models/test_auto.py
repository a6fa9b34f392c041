"""`measure="auto"`: what is read, what is offered, what stays, and what columns matter."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import seamark as sm
from seamark.landmarks import AtMost
from seamark.measures import DTW, MSM, ScaledColumns
from seamark.models import auto

RNG = np.random.default_rng


def waves(n=60, steps=40):
    rng = RNG(0)
    kinds = np.arange(n) % 2
    phase = rng.uniform(0, 6, n)[:, None]
    X = np.sin(np.linspace(0, 8, steps) * (1 + kinds[:, None]) + phase) + rng.normal(
        scale=0.3, size=(n, steps)
    )
    return X[:, None, :], kinds


def names(n=80):
    rng = RNG(1)
    ends = ["anna", "berg"]
    kinds = np.arange(n) % 2
    letters = np.array(list("abcdefgh"))
    return ["".join(rng.choice(letters, 5)) + ends[k] for k in kinds], kinds


def bags(n=60):
    rng = RNG(2)
    kinds = np.arange(n) % 2
    return [rng.normal((2 * k, 0), size=(3 + i % 4, 2)) for i, k in enumerate(kinds)], kinds


def points(n=300, d=6):
    rng = RNG(3)
    X = rng.normal(size=(n, d)) * 10.0 ** np.arange(d)
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


@pytest.mark.parametrize("make", [waves, names, bags, points])
@pytest.mark.parametrize("effort", ["quick", "default"])
def test_every_kind_is_learnt_out_of_the_box(make, effort):
    X, y = make()
    half = np.arange(len(y)) % 4 < 2
    train = [x for x, keep in zip(X, half, strict=True) if keep]
    test = [x for x, keep in zip(X, half, strict=True) if not keep]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = sm.LandmarkClassifier(effort=effort, random_state=0).fit(train, y[half])
    assert model.score(test, y[~half]) > 0.8
    assert np.isclose(model.measure_weights_.sum(), 1)


@pytest.mark.parametrize("make", [waves, names, bags, points])
def test_what_was_chosen_can_be_given_pickled_saved_and_cloned(make, tmp_path):
    X, y = make()
    model = sm.LandmarkClassifier(effort="quick", random_state=0).fit(X, y)
    sm.save(model, tmp_path / "model.seamark")
    expected = model.decision_function(X)
    for again in (sm.load(tmp_path / "model.seamark"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_allclose(again.decision_function(X), expected, rtol=1e-6, atol=1e-6)
    named = sm.LandmarkClassifier(model.measure_, random_state=0).fit(X, y)
    assert np.mean(named.predict(X) == model.predict(X)) > 0.9
    assert clone(model).measure == "auto"


def test_blocks_that_do_not_help_are_not_evaluated():
    X, y = bags()
    model = sm.LandmarkClassifier(random_state=0).fit(X, y)
    weights = np.asarray(model.head_.blocks_["weights"])
    assert len(model.map_.maps_) == len(model.measure_weights_) == np.count_nonzero(weights)


def test_options_about_one_measure_get_one():
    X, y = names()
    for options in (
        {"n_landmarks": "cv"},
        {"transfer": "decay"},
        {"landmarks": "diverse"},
        {"weighing": "aligned"},
    ):
        model = sm.LandmarkClassifier(random_state=0, **options).fit(X, y)
        assert isinstance(model.measure_, sm.measures.Levenshtein)


def test_a_number_of_landmarks_is_that_of_every_block():
    X, y = names()
    model = sm.LandmarkClassifier(n_landmarks=12, random_state=0).fit(X, y)
    numbers = {one.landmarks_.shape[0] for one in model.map_.maps_ if not one.sees_targets}
    assert numbers == {12}


def test_the_order_of_labels_and_numbers_too():
    X, _ = points()
    ranks = np.digitize(X[:, 0], [-0.5, 0.5])
    ordinal = sm.LandmarkOrdinal(random_state=0).fit(X, ranks)
    assert ordinal.score(X, ranks) > 0.7
    regressor = sm.LandmarkRegressor(random_state=0).fit(X[:200], X[:200, 0])
    assert regressor.score(X[200:], X[200:, 0]) > 0.8
    queries = np.repeat(np.arange(30), 10)
    ranker = sm.LandmarkRanker(random_state=0).fit(X, ranks, queries)
    assert ranker.score(X, ranks, queries) > 0.7


def test_series_that_look_like_a_table_are_told_so():
    X, y = waves(steps=80)
    with pytest.warns(UserWarning, match="look like steps of time"):
        sm.LandmarkClassifier(effort="quick", random_state=0).fit(np.cumsum(X[:, 0], axis=1), y)


@pytest.mark.skipif(
    sm.engine.backend().name in ("reference", "cuda"), reason="how long native kernels take"
)
def test_what_takes_too_long_gets_fewer_landmarks_or_is_left_out():
    blocks = auto.auto_blocks(sm.data.series)
    short = sm.data.series.ingest(RNG(0).normal(size=(30, 50)))
    assert len(auto.affordable(blocks, short)) == 5
    longer = sm.data.series.ingest(RNG(0).normal(size=(300, 300)))
    numbers = {
        type(one.measure): one.landmarks.n
        for one in auto.affordable(auto.auto_blocks(sm.data.series), longer)
        if isinstance(one, sm.LandmarkMap)
    }
    assert 32 <= numbers[MSM] < numbers[DTW] < 500
    endless = sm.data.series.ingest(RNG(0).normal(size=(20, 20_000)))
    left = auto.affordable(auto.auto_blocks(sm.data.series), endless)
    assert len(left) == 3
    only = auto.affordable([sm.LandmarkMap(MSM(), landmarks=AtMost(500))], endless)
    assert only[0].landmarks.n == 32


def few_relevant(n=800, d=24, seed=0):
    rng = RNG(seed)
    X = rng.normal(size=(n, d))
    return X, np.sin(3 * X[:, 3]) + np.abs(X[:, 7]) * np.sign(X[:, 3])


@pytest.mark.skipif(sm.engine.backend().name == "reference", reason="votes would take too long")
def test_of_very_many_rows_some_are_drawn_that_vote():
    rng = np.random.default_rng(0)
    votes = {}
    for n in (4000, 80_000, 160_000):
        block = sm.NeighbourScores(ScaledColumns(sm.measures.Manhattan()))
        auto.affordable([block], rng.normal(size=(n, 12)), 1.0)
        votes[n] = block.n_objects or n
    assert votes[4000] == 4000
    assert auto.FEWEST_VOTERS < votes[160_000] < 80_000
    # Work is the product of rows and voters, and grows as rows do.
    assert 160_000 * votes[160_000] < 2.2 * 80_000 * votes[80_000]


def test_columns_that_matter_are_found_and_pay():
    X, y = few_relevant()
    half = len(y) // 2
    plain = sm.LandmarkRegressor(relevance=None, random_state=0).fit(X[:half], y[:half])
    model = sm.LandmarkRegressor(random_state=0).fit(X[:half], y[:half])
    assert set(np.argsort(model.relevance_)[-2:]) == {3, 7}
    assert model.score(X[half:], y[half:]) > 0.9
    assert plain.score(X[half:], y[half:]) < 0.75


def test_noise_makes_no_column_matter():
    # Wrong with probability about 0.01: accuracy of 400 fair coins above 0.56.
    rng = RNG(9)
    X, y = rng.normal(size=(400, 20)), np.arange(400) % 2
    model = sm.LandmarkClassifier(random_state=0).fit(X, y)
    assert model.head_.oof_score_ < 0.56 + 0.05  # the relevance has seen all rows


def test_the_jury_does_not_judge_rows_it_learnt_from(monkeypatch):
    X, y = few_relevant(400)
    seen = []

    whole = auto.Jury.importances.func

    def importances(jury):
        seen.append(len(jury.X))
        return whole(jury)

    monkeypatch.setattr(auto.Jury, "importances", property(importances))
    sm.LandmarkRegressor(random_state=0).fit(X, y)
    assert min(seen) < 300
    assert max(seen) == 400  # what wins is found anew on all rows


def test_few_rows_and_sparse_ones_have_no_relevance():
    X, y = few_relevant(60)
    assert sm.LandmarkRegressor(random_state=0).fit(X, y).relevance_ is None


@pytest.mark.parametrize("effort", ["fast", None, 3])
def test_an_unknown_effort_is_refused(effort):
    with pytest.raises(ValueError, match="effort must be"):
        sm.LandmarkClassifier(effort=effort).fit(*names())


def test_new_objects_of_another_kind_are_refused():
    model = sm.LandmarkClassifier(effort="quick", random_state=0).fit(*names())
    with pytest.raises((TypeError, ValueError)):
        model.predict(np.zeros((3, 2)))
    X, y = points()
    model = sm.LandmarkClassifier(effort="quick", random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="features"):
        model.predict(X[:, :3])


def test_measures_a_user_names_are_not_scaled():
    X, y = points()
    model = sm.LandmarkClassifier("manhattan", random_state=0).fit(X, y)
    assert not hasattr(model, "measure_")
    assert not isinstance(model.map_.measures_[0], ScaledColumns)


def test_many_rows_get_the_blocks_of_their_kind(tmp_path):
    X, y = points(600)
    with sm.engine.using(hashed_from=400):
        model = sm.LandmarkClassifier(n_landmarks=60, random_state=0).fit(X, y)
    assert [type(one.measure) for one in model.measure_] == [ScaledColumns] * 4
    assert model.score(X, y) > 0.8
    words, kinds = names(600)
    with sm.engine.using(hashed_from=400):
        source = sm.rows(lambda: iter([(words[:300], kinds[:300]), (words[300:], kinds[300:])]))
        model = sm.LandmarkClassifier(n_landmarks=60, random_state=0).fit(source)
    assert isinstance(model.measure_[0].measure, sm.measures.Levenshtein)
    assert model.score(words, kinds) > 0.9


def test_one_row_of_each_class_is_enough_to_tell_them_apart():
    # Folds cannot judge here: a model of the other rows knows nothing of a row's class.
    rng = RNG(4)
    centres = rng.normal(size=(12, 40)).cumsum(axis=1)[:, None]
    new = centres + rng.normal(scale=0.2, size=centres.shape)
    model = sm.LandmarkClassifier(random_state=0).fit(centres, np.arange(12))
    assert not model.head_.cv_reliable_
    assert model.score(new, np.arange(12)) > 0.9


def test_progress_says_what_was_read_and_kept(capsys):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    model = sm.LandmarkClassifier(progress=True, random_state=0).fit(X, X[:, 0] > 0)
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith("seamark: Reading X as vectors; using ")
    assert said.count("%") == len(model.map_.blocks_)
    assert "array(" not in said
    sm.LandmarkClassifier("euclidean", progress=True, random_state=0).fit(X, X[:, 0] > 0)
    assert "Reading X" not in capsys.readouterr().err  # a measure that was named is no news


def test_many_rows_of_a_table_get_one_block_of_landmarks_beside_trees(rng):
    def landmarks(X, behind=0, **options):
        blocks = auto.auto_measure(sm.LandmarkRegressor(**options), X, behind)
        return [one.measure for one in blocks if isinstance(one, sm.LandmarkMap)]

    many, few = rng.normal(size=(5001, 2)), rng.normal(size=(5000, 2))
    assert repr(landmarks(many)) == "[ScaledColumns(measure=Euclidean())]"
    assert len(landmarks(few)) == len(landmarks(many, effort="best")) == 4
    assert len(landmarks(many, behind=10**6)) == 4  # trees grow on the sample alone
    assert len(landmarks(many, n_landmarks=50)) == len(landmarks(many, head="svr")) == 4
    frame = pd.DataFrame({"x": many[:, 0], "day": pd.date_range("2024-01-01", periods=5001)})
    numbers = auto.measures_of_columns(frame)["x",]
    assert sum(isinstance(one, sm.LandmarkMap) for one in numbers) == 1
    numbers = auto.measures_of_columns(frame, behind=10**6)["x",]
    assert sum(isinstance(one, sm.LandmarkMap) for one in numbers) == 4


def test_a_class_of_one_row_does_not_stop_the_search_for_columns():
    X = RNG(5).normal(size=(150, 4))
    y = np.arange(150) == 0
    model = sm.LandmarkClassifier(random_state=0).fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()


@pytest.mark.parametrize("X", [["sea"] * 20, [""] * 20, np.ones((600, 3))])
def test_objects_that_are_all_alike_are_named_as_such(X):
    with pytest.raises(ValueError, match="all objects have the same values of [^=]*[A-Z]"):
        sm.LandmarkClassifier(random_state=0).fit(X, np.arange(len(X)) % 2)


def test_of_four_rows_no_prediction_is_far_off():
    # Weights of blocks had no bound, and one of a thousand million was the best of four rows.
    for seed in range(4):
        rng = RNG(seed)
        X, y = rng.normal(size=(4, 3)), np.arange(4) % 3 * 1.0
        model = sm.LandmarkRegressor(random_state=0).fit(X, y)
        assert np.abs(model.predict(rng.normal(size=(50, 3)))).max() < 20


def test_what_a_number_means_may_depend_on_a_category():
    # The sign of a slope is that of the category; or classes are told by two categories only.
    rng = RNG(0)
    kind, other, x = (
        rng.choice(list("abcd"), 500),
        rng.choice(list("pq"), 500),
        rng.normal(size=500),
    )
    table = pd.DataFrame({"kind": kind, "other": other, "x": x})
    y = np.where(np.isin(kind, ["a", "c"]), x, -x) + 0.1 * rng.normal(size=500)
    model = sm.LandmarkRegressor(random_state=0).fit(table[:300], y[:300])
    assert model.score(table[300:], y[300:]) > 0.9  # 0.0 where each column adds what it says
    # A factor for each name would know single rows, where few have it: copies then seem unseen.
    assert [len(set(some)) for some in np.split(model.relevance_, [4, 6])] == [1, 1, 1]
    both = np.isin(kind, ["a", "c"]) == (other == "p")
    model = sm.LandmarkClassifier(random_state=0).fit(table[["kind", "other"]][:300], both[:300])
    assert model.score(table[["kind", "other"]][300:], both[300:]) == 1.0
    assert model.predict(pd.DataFrame({"kind": ["new", None], "other": ["p", "p"]})).shape == (2,)
    names = {reason.landmark for reason in model.explain(table[["kind", "other"]][:1])[0].reasons}
    assert {f"kind = {kind[0]}", f"other = {other[0]}"} <= names


def test_strings_of_one_length_are_compared_place_by_place():
    # Each code has one vowel, whose place alone decides: no n-gram or edit distance says where.
    rng = RNG(0)
    codes = [rng.choice(list("bcdfgh"), 9) for _ in range(400)]
    y = rng.integers(2, size=400)
    for code, label in zip(codes, y, strict=True):
        code[2 + 4 * label] = "a"
    codes = ["".join(code) for code in codes]
    model = sm.LandmarkClassifier(random_state=0).fit(codes[:300], y[:300])
    assert model.score(codes[300:], y[300:]) > 0.97
    assert "places" in repr(model.measure_)
    longer = [code + "x" * rng.integers(3) for code in codes]
    assert "places" not in repr(sm.LandmarkClassifier(random_state=0).fit(longer, y).measure_)


def test_quick_offers_less_and_best_draws_twice():
    for domain in (sm.data.series, sm.data.strings, sm.data.sets, sm.data.vectors):
        quick, usual, best = (auto.auto_blocks(domain, effort) for effort in auto.EFFORTS)
        assert len(quick) < len(usual) <= len(best)
    drawn = [one for one in best if getattr(one, "measure", None) is None]
    assert drawn  # of vectors: a forest
    twice = auto.auto_blocks(sm.data.strings, "best")
    assert sum(isinstance(one.measure, sm.measures.Substring) for one in twice) == 2
    X, y = points()
    assert not hasattr(
        sm.LandmarkClassifier(effort="quick", random_state=0).fit(X, y), "relevance_"
    )
