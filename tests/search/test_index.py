"""An index finds what brute force finds, whatever the measure, and after any changes."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

import seamark as sm
from seamark import engine
from seamark.search import prune

rng = np.random.default_rng(0)
WORDS = ["".join(rng.choice(list("abcd"), rng.integers(0, 9))) for _ in range(300)]
SERIES = [rng.normal(size=rng.integers(4, 12)).cumsum() for _ in range(80)]
SETS = [rng.normal(size=(rng.integers(1, 5), 3)) for _ in range(60)]
VECTORS = rng.normal(size=(200, 4))


def asymmetric(x, y):
    return abs(len(x) - len(y)) + 3 * (len(x) < len(y))


CASES = {
    "levenshtein": WORDS,
    "osa": WORDS,
    "indel": WORDS,
    "lcs": WORDS,
    "jaro_winkler": WORDS,
    "dtw": SERIES,
    "msm": SERIES,
    "modified_hausdorff": SETS,
    "euclidean": VECTORS,
    "cosine": VECTORS,
    "gaussian": VECTORS,
}
MEASURES = {name: (sm.measures.get(name), X) for name, X in CASES.items()}
MEASURES["asymmetric"] = sm.measures.Custom(asymmetric, kind="distance"), WORDS


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(prune, "INDEX_ROWS", 16)
    monkeypatch.setattr(prune, "CALLED_ROWS", 16)


def brute(measure, queries, X, k):
    """Sort all values; of equal ones the first rows come first."""
    fitted = measure.fitted_to(measure.domain.ingest(X), np.random.default_rng(0))
    values = fitted.cross(queries, X)
    order = np.argsort(fitted.distance_sign() * values, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(values, order, axis=1), order


@pytest.mark.parametrize("name", MEASURES)
def test_query_is_brute_force(name, small_blocks):
    measure, X = MEASURES[name]
    values, ids = brute(measure, X[:25], X[20:], 7)
    found = sm.Index(measure).fit(X[20:]).query(X[:25], k=7)
    np.testing.assert_allclose(found.values, values, rtol=1e-4, atol=1e-6)
    if name in ("levenshtein", "osa", "indel", "lcs", "asymmetric"):  # no rounding, many ties
        np.testing.assert_array_equal(found.ids, ids)


@pytest.mark.parametrize("name", MEASURES)
def test_within_is_brute_force(name, small_blocks):
    measure, X = MEASURES[name]
    index = sm.Index(measure).fit(X)
    values = index.measure_.cross(X[:9], X)
    radius = float(np.median(values))
    inside = values <= radius if measure.kind == "distance" else values >= radius
    for i, (got, ids) in enumerate(zip(*index.within(X[:9], radius), strict=True)):
        assert sorted(ids) == list(np.flatnonzero(inside[i]))
        assert (np.diff(index.measure_.distance_sign() * got) >= 0).all()
        np.testing.assert_allclose(got, values[i][ids], rtol=1e-4, atol=1e-6)


texts = st.lists(st.text("ab\u00e9\u4e2d", max_size=6), min_size=1, max_size=40)


@settings(max_examples=40, deadline=None)
@given(X=texts, queries=texts, more=texts, data=st.data())
def test_changes_leave_what_a_new_index_has(X, queries, more, data):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prune, "INDEX_ROWS", 8)
        index = sm.Index("levenshtein").fit(X)
        index.query(queries, k=1)  # blocks are compiled by now
        objects = dict(enumerate(X))
        objects |= dict(zip(index.add(more).tolist(), more, strict=True))
        ids = st.lists(st.sampled_from(sorted(objects)), max_size=len(objects) - 1, unique=True)
        for gone in data.draw(ids):
            index.query(queries[:1], k=1)
            index.remove(gone)
            del objects[gone]
        last = index.add(more[:1])[0]
        objects[last] = more[0]
    k = data.draw(st.integers(1, len(objects)))
    order = np.array(sorted(objects))
    values, rows = brute(index.measure_, queries, [objects[i] for i in order], k)
    found = index.query(queries, k=k)
    np.testing.assert_array_equal(found.values, values)
    np.testing.assert_array_equal(found.ids, order[rows])


def test_blocks_of_other_lengths_are_not_compared(monkeypatch):
    monkeypatch.setattr(prune, "INDEX_ROWS", 64)
    words = ["x" * (1 + i // 64) for i in range(64 * 20)]
    index = sm.Index("levenshtein").fit(words)
    with engine.counting() as counter:
        assert index.query("xxxxx", k=5).values.tolist() == [0] * 5
    assert counter.evaluations == 64
    with engine.counting() as counter:
        assert len(index.within("xxxxx", 1).ids) == 3 * 64
    assert counter.evaluations == 3 * 64


@pytest.mark.parametrize("name", ["msm", "erp", "twe", "own"])
def test_landmarks_rule_objects_out_and_nothing_is_lost(name):
    centres = rng.normal(size=(20, 16))
    X = [list(c + 0.05 * rng.normal(size=16)) for c in centres for _ in range(16)]
    calls = []

    def far(x, y):
        calls.append(1)
        return float(np.abs(np.asarray(x) - np.asarray(y)).sum())

    own = sm.measures.Custom(far, kind="distance", symmetric=True, triangle=True)
    measure = own if name == "own" else sm.measures.get(name)
    index = sm.Index(measure, n_landmarks=12).fit(X[20:])
    calls.clear()
    with engine.counting() as counter:
        found = index.query(X[:20], k=3)
        near = index.within(X[:20], radius := 1.001 * float(found.values[:, 1].max()))
    assert counter.evaluations < 0.5 * 2 * 20 * 300
    assert len(calls) in (0, counter.evaluations)  # trial calls are made once, at fit
    plain = sm.Index(measure, n_landmarks=0).fit(X[20:])
    assert plain.landmarks_ is None
    expected = plain.query(X[:20], k=3)
    np.testing.assert_allclose(found.values, expected.values, rtol=1e-5)
    np.testing.assert_array_equal(found.ids, expected.ids)
    again = plain.within(X[:20], radius)
    assert [sorted(ids) for ids in near.ids] == [sorted(ids) for ids in again.ids]
    new = index.add(X[:20])
    index.remove(index.ids_[:10])
    assert index.query(X[:20], k=1).ids[:, 0].tolist() == new.tolist()


def test_landmarks_are_kept_only_where_values_are_dear(monkeypatch):
    assert sm.Index("levenshtein").fit(WORDS).landmarks_ is None
    assert sm.Index("dtw").fit(SERIES * 5).landmarks_ is None  # no triangle inequality
    dear = sm.measures.Custom(lambda x, y: 1.0 * (x != y), "distance", True, triangle=True)
    assert sm.Index(dear).fit(WORDS).landmarks_ is not None
    assert sm.Index(dear).fit(WORDS[: prune.FEWEST - 1]).landmarks_ is None


@parametrize_with_checks([sm.Index()])
def test_scikit_learn_is_content(estimator, check):
    check(estimator)


def test_one_object_or_a_batch():
    index = sm.Index("levenshtein").fit(["sea", "mark"])
    assert index.query("see", k=1).ids.tolist() == [0]
    assert index.query(["see"], k=1).ids.tolist() == [[0]]
    assert index.within("see", 1).ids.tolist() == [0]
    assert sm.Index().fit(VECTORS).query(VECTORS[3], k=1).ids.tolist() == [3]
    assert sm.Index("dtw").fit(SERIES).query(SERIES[3], k=1).ids.tolist() == [3]


@pytest.mark.parametrize("name", MEASURES)
def test_files_pickles_and_clones(name, tmp_path):
    measure, X = MEASURES[name]
    index = sm.Index(measure, n_jobs=1).fit(X)
    index.remove([0, 5])
    expected = index.query(X[:5], k=3)
    sm.save(index, tmp_path / "index.seamark")
    functions = {f"{__name__}.asymmetric": asymmetric}
    loaded = sm.load(tmp_path / "index.seamark", functions=functions)
    for other in (loaded, pickle.loads(pickle.dumps(index))):
        got = other.query(X[:5], k=3)
        np.testing.assert_array_equal(got.ids, expected.ids)
        assert other.add(X[:1])[0] == len(X)
    assert not hasattr(clone(index), "ids_")


def test_a_file_that_was_tampered_with(tmp_path):
    index = sm.Index("levenshtein").fit(WORDS)
    index.ids_ = index.ids_[:-1]
    sm.save(index, tmp_path / "index.seamark")
    with pytest.raises(ValueError, match="do not go together"):
        sm.load(tmp_path / "index.seamark").query("a", k=1)


def test_what_is_compiled_is_not_taken_from_a_state():
    index = sm.Index("levenshtein").fit(WORDS)
    other = sm.Index()
    other.__setstate__({**index.__getstate__(), "_store": index._store})
    assert not hasattr(other, "_store")
    assert other.query("abc", k=1).ids == index.query("abc", k=1).ids


def test_refusals():
    index = sm.Index("levenshtein")
    with pytest.raises(NotFittedError):
        index.query(["a"])
    index.fit(["sea", "mark"])
    with pytest.raises(ValueError, match="k=3 asks for more than the 2 objects"):
        index.query(["a"], k=3)
    with pytest.raises(ValueError, match="k must be a positive whole number, not 0"):
        index.query(["a"], k=0)
    with pytest.raises(ValueError, match="radius must be a finite number, not nan"):
        index.within(["a"], float("nan"))
    with pytest.raises(ValueError, match="no object of id 7"):
        index.remove([0, 7])
    with pytest.raises(ValueError, match="leave no object"):
        index.remove([0, 1])
    with pytest.raises(ValueError, match="give .x.decode"):
        index.query(b"sea")
    with pytest.raises(ValueError, match="precomputed matrix has none"):
        sm.Index("precomputed").fit(np.eye(3))
    with pytest.raises(ValueError, match="compares strings with substrings"):
        sm.Index("substring").fit(["sea"])
    with pytest.raises(ValueError, match="small or large values"):
        sm.Index(lambda x, y: 0.0).fit(["sea"])
    with pytest.raises(ValueError, match="does not declare"):
        sm.Index("dtw", n_landmarks=4).fit(SERIES)


@pytest.mark.parametrize("measure", ["euclidean", "cosine"])
def test_kneighbors_of_the_neighbour_classes(measure):
    from sklearn.neighbors import KNeighborsClassifier

    X = VECTORS.astype(np.float32)
    y = np.arange(len(X)) % 3
    ours = sm.baselines.NearestNeighboursClassifier(measure, n_neighbors=4).fit(X, y)
    metric = "euclidean" if measure == "euclidean" else "cosine"
    theirs = KNeighborsClassifier(4, metric=metric).fit(X, y)
    for queries in (X[:30] + 0.01, None):
        values, rows = ours.kneighbors(queries)
        expected, expected_rows = theirs.kneighbors(queries)
        sign = 1 if measure == "euclidean" else -1
        np.testing.assert_allclose(values if sign > 0 else 1 - values, expected, atol=1e-4)
        np.testing.assert_array_equal(rows, expected_rows)
    assert ours.kneighbors(X[:2], 1, return_distance=False).tolist() == [[0], [1]]


def test_kneighbors_leaves_out_itself_among_copies():
    model = sm.baselines.NearestNeighboursRegressor("levenshtein").fit(
        ["a"] * 4, [1.0, 2.0, 3.0, 4.0]
    )
    values, rows = model.kneighbors(n_neighbors=2)
    assert (values == 0).all()
    assert all(i not in row for i, row in enumerate(rows))
    with pytest.raises(ValueError, match="asks for more than the 3"):
        model.kneighbors(n_neighbors=4)
