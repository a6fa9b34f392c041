"""A model's map as a union of blocks: maps beside measures, and columns of tables."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import seamark as sm
from seamark.landmarks import NOT_A_ROW
from seamark.maps import LandmarkMap, MapUnion
from seamark.maps.features import ComputedFeatures, UnitedFeatures
from seamark.models.blocks import blocks_of

RNG = np.random.default_rng(3)
N = 80
CODES = np.arange(N) % 2
NUMBERS = RNG.normal(size=(N, 3)) + CODES[:, None] * [1.5, 0.0, 0.0]
WORDS = ["".join(RNG.choice(list("abc" if k else "bcd"), RNG.integers(3, 8))) for k in CODES]
TRACES = [RNG.normal(size=12) + k * np.linspace(0, 2, 12) for k in CODES]
TABLE = pd.DataFrame(
    {"name": WORDS, "price": NUMBERS[:, 0], "trace": TRACES, "size": NUMBERS[:, 1]}
)
BY_COLUMN = {"name": "levenshtein", "price": "passthrough", "trace": "dtw"}


def pair(**options):
    return [
        LandmarkMap("euclidean", n_landmarks=9, random_state=1, **options),
        sm.RandomFourier(n_components=20, random_state=2),
    ]


def union_features(maps, X, settings_of, rows_a_chunk):
    maps = [one.fit(X) for one in maps]
    union = MapUnion.of(maps, [None] * len(maps), X)
    settings_of(feature_bytes=rows_a_chunk * union.bytes_per_row)
    chunks = union.row_chunks(len(X))
    parts = [
        sm.maps.CachedFeatures(one, X, chunks=chunks)
        if isinstance(one, LandmarkMap)
        else ComputedFeatures(one, X)
        for one in maps
    ]
    return union, UnitedFeatures(union, parts, chunks)


@pytest.mark.parametrize("rows", [7, 1000])
@pytest.mark.parametrize("columns", [None, [3, 25, 0, 28], [12], list(range(28, -1, -1))])
def test_features_of_a_union_are_those_of_its_blocks(columns, rows, settings_of):
    union, features = union_features(pair(scale=False), NUMBERS, settings_of, rows)
    whole = np.concatenate([one.block(NUMBERS) for one in union.maps_], axis=1)
    expected = whole if columns is None else whole[:, columns]
    found = np.concatenate([block for _, block in features.chunks(columns)])
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    some = np.array([5, 2, 70])
    np.testing.assert_allclose(features.rows(some, columns), expected[some], rtol=1e-5, atol=1e-6)
    assert len(list(features.chunks())) == -(-N // rows)


def test_values_are_computed_once_for_all_passes(settings_of):
    _, features = union_features(pair(), NUMBERS, settings_of, 7)
    with sm.engine.counting() as counter:
        for _ in range(3):
            list(features.chunks())
    assert counter.evaluations == N * 9


def test_columns_nobody_asks_for_are_not_computed(settings_of):
    _, features = union_features(pair(), NUMBERS, settings_of, 7)
    with sm.engine.counting() as counter:
        list(features.chunks([20, 12]))  # random features
    assert counter.evaluations == 0


def test_folds_hide_the_landmarks_of_every_block(settings_of):
    maps = [LandmarkMap("euclidean", n_landmarks=6, random_state=k) for k in range(2)]
    union, features = union_features([*maps, pair()[1]], NUMBERS, settings_of, 50)
    hidden = np.zeros(N, dtype=bool)
    hidden[union.landmark_sources_[0][:2]] = hidden[union.landmark_sources_[1][3]] = True
    sources = np.concatenate([*union.landmark_sources_[:2], np.full(20, NOT_A_ROW)])
    expected = np.flatnonzero(~np.isin(sources, np.flatnonzero(hidden)))
    np.testing.assert_array_equal(features.columns_without(hidden), expected)
    turned = union.subset(np.arange(union.n_features_out_)[::-1])
    found = turned.columns_without(np.flatnonzero(hidden))
    np.testing.assert_array_equal(found, np.sort(len(sources) - 1 - expected))


def test_leading_features_are_a_fair_share_of_every_block():
    union = MapUnion(pair()).fit(NUMBERS)
    order = union.feature_order
    assert sorted(order) == list(range(29))
    assert np.bincount(union.owners()[order[:10]], minlength=2).tolist() in ([3, 7], [4, 6])


def test_measures_that_share_landmarks_stay_one_block():
    model = sm.LandmarkClassifier(["euclidean", "manhattan"], n_landmarks=8, random_state=0)
    model.fit(NUMBERS, CODES)
    assert isinstance(model.map_, LandmarkMap)
    assert len(model.measure_weights_) == 2
    assert [len(blocks_of(m)) for m in (["euclidean", len], "dtw", [sm.RandomFourier()])] == [1] * 3


def test_every_map_of_a_list_has_landmarks_of_its_own():
    maps = [LandmarkMap("euclidean", n_landmarks=6), LandmarkMap("manhattan", n_landmarks=9)]
    model = sm.LandmarkClassifier([*maps, sm.RandomFourier(n_components=10)], random_state=0)
    model.fit(NUMBERS, CODES)
    assert isinstance(model.map_, MapUnion)
    assert model.score(NUMBERS, CODES) > 0.75
    assert len(model.measure_weights_) == len(model.map_.maps_)
    assert model.measure_weights_.sum() == pytest.approx(1.0)
    assert model.n_features_in_ == 3
    again = clone(model).fit(NUMBERS, CODES)
    np.testing.assert_array_equal(
        again.decision_function(NUMBERS), model.decision_function(NUMBERS)
    )


def test_measures_of_unlike_objects_make_blocks_of_their_own():
    """A row of a matrix is a series to one measure, and a vector to the other."""
    model = sm.LandmarkRegressor(["dtw", "euclidean"], n_landmarks=10, random_state=0)
    model.fit(NUMBERS, NUMBERS[:, 0])
    assert model.score(NUMBERS, NUMBERS[:, 0]) > 0.8


@pytest.mark.parametrize("head", ["ridge", "svm", "logistic"])
def test_columns_of_a_table_go_to_their_own_measures(head):
    model = sm.LandmarkClassifier(BY_COLUMN, n_landmarks=12, head=head, random_state=0)
    model.fit(TABLE, CODES)
    assert model.score(TABLE, CODES) > 0.85
    assert list(model.feature_names_in_) == list(TABLE.columns)
    shuffled = TABLE.sample(frac=1, random_state=0)
    np.testing.assert_allclose(
        model.decision_function(shuffled), model.decision_function(TABLE)[shuffled.index], rtol=1e-4
    )


@pytest.mark.parametrize(
    ("cls", "targets", "least"),
    [
        (sm.LandmarkOrdinal, {"y": np.digitize(NUMBERS[:, 0], [0.0, 1.5])}, 0.7),
        (sm.LandmarkRanker, {"y": CODES.astype(float), "qid": np.arange(N) // 8}, 0.8),
    ],
)
def test_order_and_ranks_are_learned_from_blocks_too(cls, targets, least):
    model = cls(BY_COLUMN, n_landmarks=12, random_state=0).fit(TABLE, **targets)
    assert model.score(TABLE, **targets) > least
    assert len(model.map_.maps_) == 3


def test_a_table_is_cross_validated_as_any_other():
    model = sm.LandmarkClassifier(BY_COLUMN, n_landmarks=12, random_state=0)
    assert cross_val_score(model, TABLE, CODES, cv=3).mean() > 0.8


def test_columns_of_a_matrix_are_numbers():
    X = np.empty((N, 3), dtype=object)
    X[:, 0], X[:, 1] = WORDS, NUMBERS[:, 0]
    X[:, 2] = NUMBERS[:, 1]
    measure = {0: "levenshtein", (1, 2): "passthrough"}
    model = sm.LandmarkClassifier(measure, n_landmarks=12, random_state=0).fit(X, CODES)
    assert model.score(X, CODES) > 0.8
    assert model.n_features_in_ == 3


def test_polars_tables_are_read_too():
    pl = pytest.importorskip("polars")
    measure = {"name": "levenshtein", "price": "passthrough"}
    model = sm.LandmarkClassifier(measure, n_landmarks=12, random_state=0).fit(TABLE, CODES)
    frame = pl.DataFrame(TABLE[["name", "price", "size"]].assign(trace=0)[list(TABLE.columns)])
    np.testing.assert_allclose(
        model.decision_function(frame), model.decision_function(TABLE), rtol=1e-4
    )


def test_names_of_features_say_the_column():
    model = sm.LandmarkClassifier(BY_COLUMN, n_landmarks=3, head="logistic", random_state=0)
    names = model.fit(TABLE, CODES).map_.get_feature_names_out()
    assert [name.split("__")[0] for name in names] == ["name"] * 3 + ["price"] + ["trace"] * 3
    assert "price__price" in names


def test_explanations_add_up_over_blocks():
    model = sm.LandmarkRegressor(BY_COLUMN, n_landmarks=4, random_state=0)
    model.fit(TABLE, NUMBERS[:, 0])
    shown = model.explain(TABLE[:5], n_landmarks=100)
    mean = model.feature_means_ @ model.coef_[0] + model.head_.intercept_
    for explanation, predicted in zip(shown, model.predict(TABLE[:5]), strict=True):
        assert explanation.total + mean == pytest.approx(predicted, rel=1e-4, abs=1e-4)
        whole = sum(reason.contribution for reason in explanation.reasons)
        assert whole == pytest.approx(explanation.total, rel=1e-4, abs=1e-5)
        for reason in explanation.reasons:
            assert (reason.index is None) == (
                isinstance(reason.landmark, str) and reason.landmark == "price"
            )
            if isinstance(reason.landmark, str) and reason.landmark != "price":
                assert reason.landmark == WORDS[reason.index]
                assert reason.label == NUMBERS[reason.index, 0]


def test_a_weighing_chooses_among_all_blocks():
    model = sm.LandmarkClassifier(
        {"name": "levenshtein", "price": "passthrough"},
        n_landmarks=12,
        weighing=sm.Greedy(3),
        random_state=0,
    ).fit(TABLE, CODES)
    assert model.map_.n_features_out_ == 3
    assert model.score(TABLE, CODES) > 0.75


def test_the_number_of_landmarks_may_be_chosen_over_blocks():
    maps = [LandmarkMap("euclidean", n_landmarks=16), LandmarkMap("manhattan", n_landmarks=16)]
    model = sm.LandmarkClassifier(maps, n_landmarks="cv", random_state=0).fit(NUMBERS, CODES)
    assert model.map_.n_features_out_ == model.head_.n_features_ <= 32
    assert model.score(NUMBERS, CODES) > 0.75


@pytest.mark.parametrize("tune", ["cv", "held_out"])
def test_every_block_is_tuned(tune):
    maps = [LandmarkMap("euclidean", n_landmarks=9), LandmarkMap("manhattan", n_landmarks=9)]
    model = sm.LandmarkClassifier(maps, tune=tune, random_state=0).fit(NUMBERS, CODES)
    assert len(model.tuning_["blocks"]) == 2
    assert all(len(block["transfer"]) == 7 for block in model.tuning_["blocks"])


@pytest.mark.parametrize(
    ("measure", "X", "message"),
    [
        ({}, TABLE, "measure is an empty dict"),
        ({"nme": "levenshtein"}, TABLE, "X has no column 'nme'; it has name, price, trace, size"),
        ({"name": "levenshtein"}, WORDS, "X is a list without columns; give a DataFrame"),
        ({"name": "levenshtein"}, NUMBERS, "columns of a matrix have numbers only"),
        ({7: "passthrough"}, NUMBERS, "X has no column 7; it has 3 columns"),
        ({"name": "passthrough"}, TABLE, "number"),
        ([MapUnion(pair())], NUMBERS, "is a union itself; give its maps one by one"),
    ],
)
def test_what_makes_no_sense_is_said(measure, X, message):
    with pytest.raises((ValueError, TypeError), match=message):
        sm.LandmarkClassifier(measure, random_state=0).fit(X, CODES)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"passthrough": True}, "passthrough=True is for a single"),
        ({"tune": "held_out_per_class"}, "one measure"),
    ],
)
def test_options_that_are_for_one_block(options, message):
    with pytest.raises(ValueError, match=message):
        sm.LandmarkClassifier(pair(), random_state=0, **options).fit(NUMBERS, CODES)


def test_a_missing_column_is_named_at_predict():
    model = sm.LandmarkClassifier(BY_COLUMN, n_landmarks=4, random_state=0).fit(TABLE, CODES)
    with pytest.raises(ValueError, match="price"):
        model.predict(TABLE.drop(columns="price"))


def test_rows_are_equal_if_all_their_columns_are():
    blocks = blocks_of({"name": "levenshtein", "price": "passthrough"})
    frame = pd.DataFrame({"name": ["a", "a", "b", "a"], "price": [1.0, 2.0, 1.0, 1.0]})
    for block in blocks:
        block.read(frame, {})
    found = sm.models.blocks.common_groups(blocks, CODES[:4])
    np.testing.assert_array_equal(found, [0, 1, 2, 0])


def copied_four_times(seed):
    rng = np.random.default_rng(seed)
    numbers = {name: rng.normal(size=100) for name in "xu"}
    frame = pd.DataFrame({**numbers, "c": rng.choice(["red", "green", "blue"], 100)})
    rows = np.tile(np.arange(100), 4)
    return frame.iloc[rows].reset_index(drop=True), rows, rng


@pytest.mark.parametrize("noise", [0.0, 0.05])
def test_copies_of_whole_rows_with_a_category_share_a_fold(noise):
    """Else models of the other folds know a row's target, or one close to it, by its copies."""
    table, rows, rng = copied_four_times(0)
    y = rng.normal(size=100)[rows] + noise * rng.normal(size=400)
    assert sm.LandmarkRegressor(random_state=0).fit(table, y).describe().r2 < 0.2


@pytest.mark.parametrize(("most", "noise"), [(3, 0.0), (9, 0.3)])
def test_copies_of_whole_numbers_share_a_fold(most, noise):
    """Some rows are equal by chance too, and the targets of copies may differ a little."""
    rng = np.random.default_rng(0)
    X, rows = rng.integers(0, most, (100, 4)), np.tile(np.arange(100), 4)
    y = rng.normal(size=100)[rows] + noise * rng.normal(size=400)
    assert sm.LandmarkRegressor(random_state=0).fit(X[rows], y).describe().r2 < 0.1


def test_settings_that_come_many_times_are_no_copies():
    """A month has an effect of its own, and new rows will have a known month."""
    rng = np.random.default_rng(0)
    months, effects = rng.integers(0, 12, 300), rng.normal(size=12)
    y = effects[months] + 0.3 * rng.normal(size=300)
    assert sm.LandmarkRegressor(random_state=0).fit(months[:, None], y).describe().r2 > 0.8


def test_equal_rows_of_categories_with_different_targets_are_no_copies():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({name: rng.choice(list("abcd"), 300) for name in ("first", "second")})
    own = 2 * rng.normal(size=(4, 4))[tuple((table == k).to_numpy() @ [1, 1] for k in "ab")]
    y = own + rng.normal(size=300) > 0
    blocks = blocks_of(dict.fromkeys(table, "equality"))
    for block in blocks:
        block.read(table, {})
    found = sm.models.blocks.common_groups(blocks, y.astype(int))
    assert len(np.unique(found)) == 300


def test_pictures_of_blocks():
    pytest.importorskip("matplotlib").use("Agg")
    model = sm.LandmarkClassifier(BY_COLUMN, n_landmarks=4, head="svm", random_state=0)
    model.fit(TABLE, CODES)
    display = sm.plotting.LandmarkMapDisplay.from_estimator(model, TABLE)
    assert display.points.shape == (N, 2)
    assert display.landmarks is None
    with pytest.raises(TypeError, match="several blocks have no spectrum in common"):
        sm.plotting.SpectrumDisplay.from_estimator(model)
    model.explain(TABLE[:1])[0].plot()
    assert model.explain(TABLE.iloc[0]).prediction == model.predict(TABLE[:1])[0]


@pytest.mark.parametrize("measure", ["auto", ["euclidean", "manhattan"], "euclidean"])
def test_columns_of_other_names_or_in_another_order_are_refused(measure):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(80, 3)), columns=list("abc"))
    model = sm.LandmarkClassifier(measure, random_state=0).fit(frame, frame["a"] * frame["b"] > 0)
    expected = model.predict(frame)
    for wrong in (frame.rename(columns={"a": "q"}), frame[["c", "b", "a"]]):
        with pytest.raises(ValueError, match="feature names should match"):
            model.predict(wrong)
    np.testing.assert_array_equal(model.predict(frame), expected)
