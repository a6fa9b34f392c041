"""Values computed for any purpose are kept in one place, and none is computed twice."""

import numpy as np
import pytest
from sklearn.base import clone

import seamark as sm
from seamark.landmarks import Generated
from seamark.maps import CachedFeatures, LandmarkMap
from seamark.maps.value_cache import Budget, ValueCache
from seamark.measures import Custom, Levenshtein, Precomputed
from seamark.models.blocks import blocks_of

rng = np.random.default_rng(7)
N = 120
WORDS = ["".join(rng.choice(list("abcd"), rng.integers(2, 12))) for _ in range(N)]
Y = np.array(["ab" in word for word in WORDS])
POINTS = rng.normal(size=(N, 3))
AMPLE = 1 << 20


@pytest.fixture
def small(settings_of, monkeypatch):
    """Make 120 rows many: more than tuning and transfers look at, in several blocks."""
    settings_of(feature_bytes=4 * 24 * 25)
    monkeypatch.setattr("seamark.maps.landmark.PILOT_ROWS", 30)
    monkeypatch.setattr("seamark.tuning.COMPARED_ROWS", 50)
    monkeypatch.setattr("seamark.tuning.COMPARED_LANDMARKS", 8)


def classifier(measure="levenshtein", **options):
    options = {"n_landmarks": 24, "landmarks": "uniform", "random_state": 0} | options
    return sm.LandmarkClassifier(measure, **options)


def fitted_map(measure="levenshtein", n_landmarks=6, **options):
    return LandmarkMap(measure, n_landmarks=n_landmarks, random_state=0, **options)


@pytest.mark.parametrize(
    ("objects", "options"),
    [
        (WORDS, {}),
        (WORDS, {"landmarks": "pairs"}),
        (WORDS, {"measure": ["levenshtein", Levenshtein().normalised()]}),
        (WORDS, {"measure": ["levenshtein", 0.5 * Levenshtein()], "landmarks": "pairs"}),
        (WORDS, {"weighing": "greedy", "landmarks": "uniform", "n_landmarks": 5}),
        (POINTS, {"measure": "manhattan", "passthrough": True}),
        (POINTS, {"measure": "euclidean"}),
        (np.abs(POINTS[:, :1] - POINTS[:, 0]), {"measure": Precomputed(kind="distance")}),
        (
            np.abs(POINTS[:, :1] - POINTS[:24, 0]),
            {"measure": Precomputed(square=False, kind="distance")},
        ),
    ],
)
def test_a_fit_on_many_rows_evaluates_every_value_once(objects, options, small):
    model = classifier(**options)
    with sm.engine.counting() as counter:
        model.fit(objects, Y)
    assert len(model.tuning_["error"]) > 1
    weighing = model._parts(np.random.default_rng(0))[1]
    [pool] = model._maps(*blocks_of(model.measure), np.random.default_rng(0), weighing, N)
    bearings = pool.set_params(random_state=0).fit(objects, Y)
    values = bearings.landmarks_.shape[0] * len(bearings.measures_)
    assert model.n_evaluations_ == counter.evaluations == N * values


@pytest.mark.skipif(
    sm.engine.backend().name == "cuda", reason="what tuning and sums need is evaluated on both"
)
def test_twelve_thousand_strings_against_six_hundred_landmarks():
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("abcdefgh"), rng.integers(6, 12))) for _ in range(12_000)]
    y = np.array(["a" in word for word in words])
    model = classifier(n_landmarks=600).fit(words, y)
    assert len(model.tuning_["error"]) == 7
    assert model.n_evaluations_ == 12_000 * 600


def test_of_maps_that_lose_only_what_tuning_read_is_evaluated(small, monkeypatch):
    pilots, compared = [], []
    fit_seeing, of_rows = LandmarkMap.fit_seeing, CachedFeatures.of_rows

    def seen_fit(self, *given):
        pilots.append(fit_seeing(self, *given))
        return pilots[-1]

    def seen_rows(self, rows, columns):
        compared.append((rows, columns))
        return of_rows(self, rows, columns)

    monkeypatch.setattr(LandmarkMap, "fit_seeing", seen_fit)
    monkeypatch.setattr(CachedFeatures, "of_rows", seen_rows)
    model = classifier(landmarks=Generated("auto")).fit(WORDS, Y)
    merits = model.tuning_["merit"]
    assert len(pilots) == len(compared) == len(merits) == 5
    expected = 0
    for k, (pilot, (rows, columns)) in enumerate(zip(pilots, compared, strict=True)):
        new = len(np.setdiff1d(rows, pilot.rows))
        assert (len(pilot.rows), len(rows), len(columns)) == (30, 50, 8)
        expected += N * 24 if k == np.argmax(merits) else 30 * 24 + new * 8
    assert model.n_evaluations_ == expected


def test_values_of_losers_make_room(small, monkeypatch):
    budgets = []
    made = lambda left: budgets.append(Budget(left)) or budgets[-1]  # noqa: E731
    monkeypatch.setattr("seamark.models.base.Budget", made)
    classifier(landmarks=Generated("auto"), budget=N * 24).fit(WORDS, Y)
    assert [budget.left for budget in budgets] == [0]  # a byte each, of the winner alone


@pytest.mark.parametrize("options", [{}, {"landmarks": Generated("auto")}])
def test_less_memory_means_more_evaluations_and_the_same_model(options, small):
    ample = classifier(**options).fit(WORDS, Y)
    counts = []
    for memory in (0, 400, 1500, AMPLE):
        with sm.engine.counting() as counter:
            model = clone(ample).set_params(budget=memory).fit(WORDS, Y)
        assert model.n_evaluations_ == counter.evaluations
        counts.append(counter.evaluations)
        np.testing.assert_allclose(
            model.decision_function(WORDS), ample.decision_function(WORDS), rtol=1e-5, atol=1e-8
        )
    assert counts[0] > counts[1] > counts[2] > counts[3] == ample.n_evaluations_


def test_progress_promises_what_is_missing(small):
    class Told(sm.engine.Progress):
        totals, done = 0, 0

        def start(self, total, unit="values"):
            Told.totals += total

        def advance(self, amount):
            Told.done += amount

    bearings = fitted_map(["levenshtein", Levenshtein().normalised()])
    objects = sm.data.strings.ingest(WORDS)
    pilot = bearings.fit_seeing(objects)
    features = CachedFeatures(bearings, objects, pilot=pilot, progress=Told())
    some = features.of_rows(np.arange(0, N, 3), np.array([1, 2, 8]))
    read = np.concatenate([block for _, block in some.chunks()])
    whole = np.concatenate([block for _, block in features.chunks()])
    np.testing.assert_array_equal(read[:, 0] / read[:, 1], whole[::3, 1] / whole[::3, 2])
    assert Told.totals == Told.done == (N - 30) * 12


@pytest.mark.parametrize("memory", [0, 60, 300, AMPLE])
@pytest.mark.parametrize("measure", ["levenshtein", ["levenshtein", Levenshtein().normalised()]])
def test_any_reads_in_any_order(measure, memory, small):
    bearings, objects = fitted_map(measure).fit(WORDS), sm.data.strings.ingest(WORDS)
    expected = bearings.values(objects)
    width, budget, rng = expected.shape[1], Budget(memory), np.random.default_rng(3)
    cache, total = ValueCache(bearings, objects, budget), 0
    blocks = bearings.row_chunks(N)
    assert len(blocks) > 1
    for turn in range(40):
        rows = np.sort(rng.choice(N, rng.integers(1, N), replace=False))
        columns = rng.choice(width, rng.integers(1, width + 1), replace=False)
        if turn % 3 == 0:
            rows, columns = blocks[rng.integers(len(blocks))], None
        missing = cache.n_missing(rows, columns)
        with sm.engine.counting() as counter:
            values = cache.read(rows, columns)
        assert counter.evaluations == missing
        total += missing
        wanted = expected[rows] if columns is None else expected[rows][:, columns]
        np.testing.assert_array_equal(values, wanted)
        assert 0 <= budget.left <= memory
    assert (total == expected.size) == (memory == AMPLE)
    cache.drop()
    assert budget.left == memory
    assert cache.n_missing(slice(0, N)) == expected.size


def test_a_block_in_parts_is_kept_in_one_once_it_is_whole():
    bearings, objects = fitted_map().fit(WORDS), sm.data.strings.ingest(WORDS)
    budget = Budget(N * 6)
    cache = ValueCache(bearings, objects, budget)
    cache.read(np.arange(1, N, 2), np.array([4, 0]))
    assert budget.left == N * 6 - N // 2 * 2
    first = cache.read(slice(0, N))
    assert budget.left == 0  # a byte each, and none twice
    kept = cache.read(slice(0, N))
    assert np.shares_memory(kept, cache.read(slice(0, N)))
    assert kept.dtype == np.uint8
    np.testing.assert_array_equal(kept, first)


OBJECTS = {
    "levenshtein": WORDS,
    Custom(lambda a, b: abs(len(a) - len(b)) / 3, kind="distance"): WORDS,
    Precomputed(kind="distance"): np.abs(np.subtract.outer(POINTS[:, 0], POINTS[:, 0])),
    "dtw": [rng.normal(size=(2, int(k))) for k in rng.integers(3, 9, size=40)],
    "modified_hausdorff": [rng.normal(size=(int(k), 2)) for k in rng.integers(1, 6, size=40)],
    "manhattan": POINTS,
    "euclidean": POINTS,
    "gaussian": POINTS,
}
CENTRED = ("dtw", "modified_hausdorff", "manhattan", "euclidean", "gaussian")


@pytest.mark.parametrize("measure", OBJECTS)
def test_a_value_does_not_depend_on_those_computed_with_it(measure):
    bearings = fitted_map(measure, 15).fit(OBJECTS[measure])
    objects, columns = bearings.ingest(OBJECTS[measure]), np.array([1, 4, 5, 13])
    whole, rows = bearings.values(objects), np.array([3, 17, 39])
    np.testing.assert_array_equal(bearings.values(objects[rows]), whole[rows])
    part = bearings.part(columns).values(objects)
    # Numbers are centred by the landmarks before they are rounded, so last digits may differ.
    tolerance = 2e-6 if measure in CENTRED else 0
    np.testing.assert_allclose(part, whole[:, columns], rtol=tolerance, atol=tolerance)


def test_messages_name_rows_and_landmarks_of_the_whole(small):
    D = np.abs(np.subtract.outer(np.arange(40.0), np.arange(6.0)))
    bearings = fitted_map(Precomputed(square=False, kind="distance"), None, transfer="decay").fit(D)
    D[37, 4] = -1
    some = CachedFeatures(bearings, D).of_rows(np.arange(30, 40), np.array([1, 4]))
    with pytest.raises(ValueError, match="row 37 of X and landmark 4 the negative distance -1"):
        list(some.chunks())


def test_rows_in_any_order_are_read_from_what_is_kept(small):
    bearings, objects = fitted_map().fit(WORDS), sm.data.strings.ingest(WORDS)
    features = CachedFeatures(bearings, objects)
    whole = np.concatenate([block for _, block in features.chunks()])
    some = features.of_rows(np.arange(10, 60), np.array([5, 2]))
    with sm.engine.counting() as counter:
        np.testing.assert_array_equal(features.rows(np.array([9, 3, 3])), whole[[9, 3, 3]])
        few = some.of_rows(np.arange(0, 50, 2), np.array([1])).rows(np.array([4, 0]))
        np.testing.assert_array_equal(few[:, 0], whole[[18, 10], 2])
    assert counter.evaluations == 0


def test_the_budget_of_the_context_is_what_a_model_keeps():
    words = ["ab" * (1 + i % 7) + "c" * (i % 11) for i in range(60)]
    n_evaluations = []
    for budget in (10**6, 0):
        with sm.engine.using(budget=budget):
            model = sm.LandmarkClassifier("levenshtein", n_landmarks=20, random_state=0)
            n_evaluations.append(model.fit(words, np.arange(60) % 2).n_evaluations_)
    assert n_evaluations[0] == 60 * 20
    assert n_evaluations[1] > n_evaluations[0]
