"""Several blocks over rows in chunks: defaults for text and tables, in memory, files and Dask."""

import numpy as np
import pytest

import seamark as sm
from seamark.features import InMemory
from seamark.maps import BagScores, LandmarkMap, MapUnion
from seamark.maps.features import ComputedFeatures, UnitedFeatures, Unseen
from seamark.models.auto import MOST_FEATURES, fewer_for_many

RNG = np.random.default_rng(0)
N, FEW = 1300, 300
NAMES = ["".join(RNG.choice(list("abcdefgh"), RNG.integers(3, 9))) for _ in range(N)]
SEX = np.array(["f" if "a" in name else "m" for name in NAMES])
OPTIONS = {"n_landmarks": 15, "random_state": 0}


@pytest.fixture(autouse=True)
def few():
    with sm.engine.using(hashed_from=FEW):
        yield


@pytest.fixture(scope="module")
def table():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "name": NAMES,
            "price": np.where(rng.random(N) < 0.1, np.nan, rng.normal(size=N)),
            "city": rng.choice(["Oslo", "Rom", "Wien"], N),
            "nick": [None if i % 9 == 0 else name[:4] for i, name in enumerate(NAMES)],
            "kind": pd.Categorical(rng.choice([1, 2, 3], N)),
            "sold": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 900, N), unit="D"),
        }
    )
    y = frame["price"].fillna(0) + 2 * (frame["city"] == "Rom") + (frame["kind"] == 2)
    return frame, y.to_numpy()


def alike(one, other, X, **how):
    np.testing.assert_allclose(one.head_.coef_, other.head_.coef_, **how)
    assert [rows is None or rows.tolist() for rows in one.landmark_indices_] == [
        rows is None or rows.tolist() for rows in other.landmark_indices_
    ]
    np.testing.assert_array_equal(one.predict(X), other.predict(X))


def test_many_texts_have_the_blocks_that_few_have(tmp_path):
    """In memory, in pieces, from files and from Dask; blocks that y decides among them."""
    few = sm.LandmarkClassifier(**OPTIONS).fit(NAMES[:200], SEX[:200])
    model = sm.LandmarkClassifier(**OPTIONS).fit(NAMES, SEX)
    assert model.n_rows_ == N
    assert list(map(type, model.measure_)) == list(map(type, few.measure_))
    assert any(isinstance(one, BagScores) for one in model.measure_)
    pieces = sm.LandmarkClassifier(**OPTIONS).fit(sm.rows(NAMES, target=SEX, chunk_rows=131))
    alike(pieces, model, NAMES, rtol=1e-7, atol=1e-9)
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"name": NAMES, "sex": SEX}), tmp_path / "a.parquet")
    source = sm.rows(tmp_path / "a.parquet", column="name", target="sex")
    alike(sm.LandmarkClassifier(**OPTIONS).fit(source), model, NAMES, rtol=1e-7, atol=1e-9)
    bags = pytest.importorskip("dask.bag")
    far = sm.LandmarkClassifier(**OPTIONS).fit(bags.from_sequence(NAMES, npartitions=3), SEX)
    alike(far, model, NAMES, rtol=1e-7, atol=1e-9)


def test_rows_of_the_sample_count_as_ones_not_seen():
    """What y decides of an object must not come from a map that has seen its y."""
    y = RNG.permutation(SEX)  # nothing can be learned, but by heart
    scores = BagScores(random_state=0)
    held = scores.fit_unseen(NAMES[:FEW], y[:FEW])
    plain = LandmarkMap("levenshtein", n_landmarks=5, random_state=0).fit(NAMES[:FEW])
    union = MapUnion.of([plain, scores], [None, None], NAMES)
    strings = sm.data.strings
    objects = strings.ingest(NAMES)
    parts = [ComputedFeatures(plain, objects[:FEW]), InMemory(held, map=scores)]
    sample = UnitedFeatures(union, parts, [slice(0, FEW)])
    unseen = Unseen.of(sample, strings.hashes(objects[:FEW]))
    assert sample.sample_of(None, unseen.hashes).made_with_targets == (1,)
    features = unseen.put_into(ComputedFeatures(union, objects), strings.hashes(objects))
    whole = features.stacked(lambda _, block: block)
    names, first = np.unique(NAMES[:FEW], return_index=True)
    of_sample = dict(zip(names, held[first, 0], strict=True))
    computed = union.block(objects)
    for name, row, plainly in zip(NAMES, whole, computed, strict=True):
        np.testing.assert_array_equal(row[:5], plainly[:5])
        assert row[5] == of_sample.get(name, plainly[5])
    some = features.rows(np.array([7, 900]), [5, 0])
    np.testing.assert_array_equal(some, whole[[7, 900]][:, [5, 0]])
    assert np.abs(whole[:FEW, 5] - computed[:FEW, 5]).max() > 0.05


def test_chance_stays_chance(monkeypatch):
    """Scores that had seen their rows would make noise look like knowledge."""
    y = np.random.default_rng(3).permutation(SEX)
    model = sm.LandmarkClassifier(**OPTIONS).fit(NAMES, y)
    fresh = ["".join(RNG.choice(list("abcdefgh"), 6)) for _ in range(2000)]
    spread = model.decision_function(fresh).std()
    monkeypatch.setattr(Unseen, "of", lambda *_: None)
    taken_in = sm.LandmarkClassifier(**OPTIONS).fit(NAMES, y).decision_function(fresh).std()
    assert spread < 0.5 * taken_in


def test_a_table_is_the_same_from_memory_files_and_dask(table, tmp_path):
    frame, y = table
    model = sm.LandmarkRegressor(**OPTIONS).fit(frame, y)
    assert model.n_rows_ == N
    assert list(model.feature_names_in_) == list(frame.columns)
    assert model.score(frame, y) > 0.9
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    written = pa.Table.from_pandas(frame.assign(kind=frame["kind"].astype(str), y=y))
    pq.write_table(written, tmp_path / "a.parquet", row_group_size=400)
    source = sm.rows(tmp_path / "a.parquet", column=list(frame.columns), target="y", chunk_rows=300)
    read = sm.LandmarkRegressor(**OPTIONS).fit(source)
    np.testing.assert_allclose(read.predict(source), model.predict(frame), rtol=1e-5, atol=1e-6)
    frames = pytest.importorskip("dask.dataframe")
    far = frames.from_pandas(frame, npartitions=4)
    there = sm.LandmarkRegressor(**OPTIONS).fit(far, y)
    np.testing.assert_allclose(there.predict(frame), model.predict(frame), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(there.predict(far).compute(), there.predict(frame))


def test_a_table_in_chunks_is_nearly_that_of_all_rows_at_once(table):
    frame, y = table
    model = sm.LandmarkRegressor(**OPTIONS).fit(frame[:1000], y[:1000])
    with sm.engine.using(hashed_from=10_000):
        whole = sm.LandmarkRegressor(**OPTIONS).fit(frame[:1000], y[:1000])
    assert not hasattr(whole, "n_rows_")
    both = [one.score(frame[1000:], y[1000:]) for one in (model, whole)]
    assert both[0] > both[1] - 0.01


def test_a_table_of_few_rows_is_read_from_files(table, tmp_path):
    y = table[1]
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    price, rest = y[:200] / 2, np.arange(200) % 3  # neither column says all
    names = [name + "xyz"[k] for name, k in zip(NAMES, rest, strict=False)]
    y = 2 * price + rest
    written = pa.table({"name": names, "price": price, "y": y})
    pq.write_table(written, tmp_path / "few.parquet")
    for rows in (None, 100):
        place = tmp_path / "few.parquet"
        source = sm.rows(place, column=["name", "price"], target="y", chunk_rows=rows)
        model = sm.LandmarkRegressor(**OPTIONS).fit(source)
        assert list(model.feature_names_in_) == ["name", "price"]
        assert model.score(written.to_pandas()[["name", "price"]], y) > 0.9


def test_blocks_by_column_go_on_after_they_were_killed(table, tmp_path, monkeypatch):
    frame, y = table
    measure = {"name": "levenshtein", "price": sm.maps.NumericColumns(), "nick": "jaro_winkler"}
    model = sm.LandmarkRegressor(measure, **OPTIONS)
    plain = model.fit(frame, y).head_.coef_
    monkeypatch.setattr("seamark.io.checkpoint.EVERY_SECONDS", 0.0)
    first = model.fit(frame, y, checkpoint=tmp_path).head_.coef_
    with sm.engine.counting() as counter:
        again = model.fit(frame, y, checkpoint=tmp_path).head_.coef_
    assert counter.evaluations <= 2 * 15 * 2 * FEW
    np.testing.assert_array_equal(first, plain)
    np.testing.assert_array_equal(again, plain)


def test_all_blocks_together_have_as_many_features_as_many_rows_bear(table):
    frame, _ = table
    offered = sm.models.measures_of_columns(frame)
    smaller = fewer_for_many(offered, sm.LandmarkRegressor(), 150_000)
    sizes = [
        one.landmarks.n
        for some in smaller.values()
        for one in np.ravel([some])
        if isinstance(one, LandmarkMap)
    ]
    assert len(sizes) == 10  # three of name and of nick, and four of numbers
    assert sum(sizes) <= 1.05 * MOST_FEATURES["default"]  # none has fewer than 50


def test_what_is_wrong_with_a_cell_names_its_column_and_rows(table):
    frame, y = table
    bad = frame.copy()
    bad["sold"] = bad["sold"].astype(object)
    bad.loc[1234, "sold"] = "yesterday"
    measure = {"name": "levenshtein", "sold": sm.maps.DateParts()}
    source = sm.rows(bad, target=y, chunk_rows=100)
    with pytest.raises(ValueError, match=r"(?s)rows from 1200 on.*'sold'.*yesterday"):
        sm.LandmarkRegressor(measure, **OPTIONS).fit(source)


def test_scores_of_long_texts_of_many_classes_are_left_out(monkeypatch):
    monkeypatch.setattr("seamark.models.auto.SCORED_LETTERS", 1000)
    model = sm.LandmarkClassifier(**OPTIONS).fit(NAMES, SEX)
    assert not any(isinstance(one, BagScores) for one in model.measure_)
