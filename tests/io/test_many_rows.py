"""Rows in chunks: files, mapped arrays and functions fit the models that memory fits."""

import numpy as np
import pytest

import seamark as sm
from seamark.data import strings
from seamark.io import hashed_sample

RNG = np.random.default_rng
FEW = 400


def words(n, seed=0, letters="abcdefgh", longest=9):
    rng = RNG(seed)
    return ["".join(rng.choice(list(letters), rng.integers(3, longest))) for _ in range(n)]


NAMES = words(2500)
SEX = np.array(["f" if "a" in name else "m" for name in NAMES])
LENGTH = np.array([float(len(name)) for name in NAMES])
OPTIONS = {"n_landmarks": 40, "random_state": 0}


@pytest.fixture(autouse=True)
def few():
    with sm.engine.using(hashed_from=FEW):
        yield


@pytest.fixture(scope="module")
def in_memory():
    with sm.engine.using(hashed_from=FEW):
        return sm.LandmarkClassifier("levenshtein", **OPTIONS).fit(NAMES, SEX)


def blocks():
    for start in range(0, len(NAMES), 333):
        yield NAMES[start : start + 333], SEX[start : start + 333]


@pytest.mark.parametrize("kind", ["*.parquet", "all.csv", "all.arrow", "factory", "array"])
def test_every_way_of_reading_fits_the_same_model(kind, folder, in_memory):
    if kind == "factory":
        source = sm.rows(blocks)
    elif kind == "array":
        source = sm.rows(np.array(NAMES), target=SEX, chunk_rows=700)
    else:
        source = sm.rows(folder / kind, column="name", target="sex", chunk_rows=256)
    model = sm.LandmarkClassifier("levenshtein", **OPTIONS).fit(source)
    assert model.n_rows_ == len(NAMES)
    assert list(model.landmarks_) == list(in_memory.landmarks_)
    assert [NAMES[row] for row in model.landmark_indices_] == list(model.landmarks_)
    np.testing.assert_array_equal(model.landmark_labels_, SEX[model.landmark_indices_])
    size = np.abs(in_memory.head_.coef_).max()
    np.testing.assert_allclose(model.head_.coef_, in_memory.head_.coef_, atol=1e-9 * size)
    np.testing.assert_allclose(model.head_.intercept_, in_memory.head_.intercept_, atol=1e-7)
    assert model.head_.penalty_ == pytest.approx(in_memory.head_.penalty_)


def test_the_model_is_as_good_as_that_of_all_rows_at_once():
    options = {"landmarks": words(60, seed=9), "random_state": 0}
    many = sm.LandmarkClassifier("levenshtein", **options).fit(NAMES, SEX)
    with sm.engine.using(hashed_from=10**6):
        whole = sm.LandmarkClassifier("levenshtein", **options).fit(NAMES, SEX)
    new = words(800, seed=5)
    truth = np.array(["f" if "a" in name else "m" for name in new])
    assert many.score(new, truth) > whole.score(new, truth) - 0.02  # a penalty of all rows
    assert many.head_.oof_score_ == pytest.approx(whole.head_.oof_score_, abs=0.02)
    assert (
        np.abs(many.predict_proba(new) - whole.predict_proba(new)).mean() < 0.05
    )  # calibrated on 400 rows


def test_sums_are_over_all_rows_and_not_over_the_sample(folder):
    # Beyond the sample every row says the opposite, and those rows are most.
    y = np.where(np.arange(len(NAMES)) % 5 == 0, LENGTH, -LENGTH)
    options = {"n_landmarks": 30, "random_state": 0, "transfer": "identity"}
    model = sm.LandmarkRegressor("levenshtein", **options).fit(sm.rows(NAMES, target=y))
    with sm.engine.using(hashed_from=10**6):
        whole = sm.LandmarkRegressor("levenshtein", **options).fit(NAMES, y)
    np.testing.assert_allclose(model.predict(NAMES).mean(), y.mean(), atol=1e-6)
    np.testing.assert_allclose(whole.predict(NAMES).mean(), y.mean(), atol=1e-6)


def test_regression_from_files_and_several_targets(folder):
    source = sm.rows(folder / "all.arrow", column="name", target="length", chunk_rows=512)
    one = sm.LandmarkRegressor("levenshtein", **OPTIONS).fit(source)
    same = sm.LandmarkRegressor("levenshtein", **OPTIONS).fit(NAMES, LENGTH)
    np.testing.assert_allclose(one.predict(NAMES[:50]), same.predict(NAMES[:50]), rtol=1e-6)
    both = np.column_stack([LENGTH, -LENGTH])
    two = sm.LandmarkRegressor("levenshtein", **OPTIONS).fit(sm.rows(NAMES, target=both))
    np.testing.assert_allclose(two.predict(NAMES[:9])[:, 0], -two.predict(NAMES[:9])[:, 1])


def test_predictions_and_features_come_chunk_by_chunk(folder, in_memory):
    source = sm.rows(folder / "*.parquet", column="name", chunk_rows=600)
    np.testing.assert_array_equal(in_memory.predict(source), in_memory.predict(NAMES))
    assert in_memory.predict_proba(source).shape == (len(NAMES), 2)
    bearings = sm.LandmarkMap("levenshtein", **OPTIONS).fit(source)
    features = bearings.transform(source)
    assert [len(chunk) for chunk in features.chunks()] == [600] * 4 + [100]
    together = np.concatenate([chunk.objects for chunk in features.chunks()])
    np.testing.assert_array_equal(together, bearings.transform(NAMES))


def test_a_map_of_files_has_the_landmarks_of_memory(folder):
    source = sm.rows(folder / "*.parquet", column="name", chunk_rows=600)
    stored = sm.LandmarkMap("levenshtein", **OPTIONS).fit(source)
    memory = sm.LandmarkMap("levenshtein", **OPTIONS).fit(NAMES)
    assert list(stored.landmarks_) == list(memory.landmarks_)


def test_assess_takes_a_source(folder):
    source = sm.rows(folder / "*.parquet", column="name", target="sex")
    found = sm.assess("levenshtein", source, random_state=0)
    assert found.task == "classification"
    again = sm.assess("levenshtein", source, random_state=0)
    assert found.skill == again.skill > 0.1
    with pytest.raises(ValueError, match="leave y out"):
        sm.assess("levenshtein", source, SEX)


def test_few_rows_are_read_at_once(folder):
    with sm.engine.using(hashed_from=10**5):
        source = sm.rows(folder / "*.parquet", column="name", target="sex", chunk_rows=500)
        stored = sm.LandmarkClassifier("levenshtein", **OPTIONS).fit(source)
        memory = sm.LandmarkClassifier("levenshtein", **OPTIONS).fit(NAMES, SEX)
        np.testing.assert_array_equal(stored.head_.coef_, memory.head_.coef_)
        svm = sm.LandmarkClassifier("levenshtein", head="svm", **OPTIONS).fit(source)
        assert svm.score(NAMES, SEX) > 0.9


def test_mapped_memory_and_vectors(tmp_path):
    X = RNG(0).normal(size=(1500, 4)).astype(np.float32)
    y = (X[:, 0] > 0).astype(int)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    model = sm.LandmarkClassifier("gaussian", **OPTIONS).fit(sm.rows(mapped, target=y))
    same = sm.LandmarkClassifier("gaussian", **OPTIONS).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), same.predict_proba(X), atol=1e-6)
    assert model.n_features_in_ == 4


def test_tables_keep_their_columns(tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(RNG(0).normal(size=(1000, 3)), columns=list("abc"))
    y = (frame["a"] > 0).to_numpy()
    model = sm.LandmarkClassifier("gaussian", **OPTIONS).fit(frame, y)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["b", "a", "c"]])


def test_rare_classes_and_copies_are_all_seen():
    names = NAMES + ["zzzz"] * 900 + ["rare"]
    y = np.r_[SEX, np.repeat("z", 900), ["r"]]
    sample = hashed_sample(sm.rows(names, target=y, chunk_rows=100), strings, 3, 50, "classes")
    assert sample.labels.tolist() == ["f", "m", "r", "z"]
    known = dict(zip(zip(sample.objects, sample.y, strict=True), sample.weights, strict=True))
    assert known["zzzz", "z"] == 900
    for (name, label), count in known.items():
        assert count == sum(n == name and one == label for n, one in zip(names, y, strict=True))


@pytest.mark.parametrize("chunk_rows", [7, 100, 5000])
def test_a_sketch_does_not_hang_on_order_or_chunks(chunk_rows):
    order = RNG(4).permutation(len(NAMES))
    sources = [
        sm.rows([NAMES[i] for i in rows], target=LENGTH[rows], chunk_rows=step)
        for rows, step in ((np.arange(len(NAMES)), 64), (order, chunk_rows))
    ]
    one, other = (hashed_sample(source, strings, 1, 100, "numbers") for source in sources)
    assert list(one.objects) == list(other.objects)
    np.testing.assert_array_equal(one.weights, other.weights)
    np.testing.assert_allclose(one.y, other.y)
    assert one.n_rows == other.n_rows == len(NAMES)


def test_weights_and_class_weights_reach_the_sums():
    weights = np.where(SEX == "f", 2.0, 1.0)
    options = {"transfer": "identity", **OPTIONS}
    source = sm.rows(NAMES, target=SEX, weight=weights, chunk_rows=300)
    by_rows = sm.LandmarkClassifier("levenshtein", **options).fit(source)
    balanced = sm.LandmarkClassifier("levenshtein", class_weight={"f": 2.0}, **options)
    balanced.fit(sm.rows(NAMES, target=SEX, chunk_rows=300))
    np.testing.assert_allclose(by_rows.head_.coef_, balanced.head_.coef_, rtol=1e-5)
    plain = sm.LandmarkClassifier("levenshtein", **options).fit(NAMES, SEX)
    assert np.abs(plain.head_.coef_ - balanced.head_.coef_).max() > 1e-3


def test_columns_of_tables_in_memory_are_named_as_those_of_files(in_memory):
    pd, pa = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    for table in (pa.table({"name": NAMES, "sex": SEX}), pd.DataFrame({"name": NAMES, "sex": SEX})):
        model = sm.LandmarkClassifier("levenshtein", **OPTIONS).fit(sm.rows(table, target="sex"))
        np.testing.assert_allclose(model.head_.coef_, in_memory.head_.coef_, rtol=1e-9, atol=1e-12)
    with pytest.raises(ValueError, match="no column 'x'; the columns are name, sex"):
        sm.rows(table, column="x", target="sex")


def test_exact_numbers_are_numbers():
    pa = pytest.importorskip("pyarrow")
    exact = pa.array(LENGTH.astype(int)).cast(pa.decimal128(30, 2))
    table = pa.table({"name": NAMES, "y": exact})
    model = sm.LandmarkRegressor("levenshtein", **OPTIONS)
    assert model.fit(sm.rows(table, target="y")).score(NAMES, LENGTH) > 0.8
