"""Partitions in chains: few steps, sums that stay as they came, rows in memory that are spread."""

import os
import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import seamark as sm
from seamark.io import dask_rows
from seamark.io.dask import Carried, added, apply, grouped, joined
from seamark.io.sample import HashedSample

pytest.importorskip("distributed")
pd = pytest.importorskip("pandas")
import dask  # noqa: E402
import dask.array as da  # noqa: E402
import dask.bag as db  # noqa: E402
from scipy import sparse  # noqa: E402
from test_clusters import DASK_WARNS, LENGTH, NAMES, OPTIONS, SEX, close  # noqa: E402

pytestmark = DASK_WARNS


@given(st.lists(st.integers(0, 50), min_size=1, max_size=30), st.integers(1, 60))
def test_groups_are_all_partitions_in_order_and_not_too_many_rows(sizes, most):
    found = grouped(sizes, most)
    assert [i for some in found for i in range(*some.indices(len(sizes)))] == list(
        range(len(sizes))
    )
    for some in found:
        rows = [n for n in sizes[some] if n]
        assert len(rows) <= 1 or sum(rows) <= most
    for one, other in pairwise(found):
        assert sum(sizes[one]) + sizes[other][0] > most


def test_small_partitions_are_one_step_and_fit_the_same():
    bag = db.from_sequence(NAMES, npartitions=100)
    rows = dask_rows(bag, SEX)
    assert sum(map(len, rows._lanes())) <= 12
    assert len(dask_rows(db.from_sequence(NAMES, npartitions=2), SEX)._lanes()) == 2
    with sm.engine.using("threads", hashed_from=400):
        near = sm.LandmarkClassifier("levenshtein", **OPTIONS).fit(NAMES, SEX)
        close(sm.LandmarkClassifier("levenshtein", **OPTIONS).fit(bag, SEX), near)


@pytest.mark.parametrize(
    "part",
    [
        lambda rows: rows.tolist(),
        np.asarray,
        pd.Series,
        lambda rows: pd.DataFrame({"x": rows}),
        lambda rows: sparse.csr_matrix(rows.reshape(-1, 1)),
        lambda rows: sm.data.strings.ingest([*"abcdefgh"])[rows.astype(int)],
    ],
)
def test_partitions_are_joined_as_what_they_are(part):
    cuts = [np.arange(3.0), np.arange(0.0), np.arange(3.0, 8.0)]
    found, whole = joined([part(some) for some in cuts]), part(np.arange(8.0))
    assert type(found) is type(whole)
    as_lists = [one.toarray() if sparse.issparse(one) else list(one) for one in (found, whole)]
    if isinstance(found, pd.DataFrame):
        pd.testing.assert_frame_equal(found, whole)
    else:
        np.testing.assert_array_equal(*as_lists)
    assert joined([None, None]) is None


def sample_of(chunk, seed=5, size=40):
    return HashedSample.of(chunk, sm.data.strings, seed, size, "classes")


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 400), min_size=1, max_size=6), st.booleans())
def test_a_step_may_be_tried_again(cuts, twice):
    """Whatever was added to is as it was: another try gives the same."""
    ends = [0, *sorted(cuts), 400]
    total, again = None, None
    for a, b in pairwise(ends):
        some = (Carried(sample_of), a, [NAMES[a:b]], [SEX[a:b]], [None])
        again = apply(*some, total)
        total = apply(*some, total) if twice else again
    tree = added([total, (None, 0)])[0].merged()
    for found in (total[0].merged(), again[0].merged(), tree):
        whole = sample_of(next(sm.rows(NAMES[:400], target=SEX[:400]).chunks())).merged()
        assert found.n_rows == 400
        assert list(found.objects) == list(whole.objects)
        np.testing.assert_array_equal(found.weights, whole.weights)
        np.testing.assert_array_equal(found.rows, whole.rows)


def test_samples_that_are_added_are_not_changed():
    chunks = list(sm.rows(NAMES, target=SEX, chunk_rows=300).chunks())
    pieces = [sample_of(chunk) for chunk in chunks]
    once = pieces[0] + pieces[1] + pieces[2]
    twice = pieces[0] + pieces[1] + pieces[2]
    for one in (once, twice):
        one.merged()
    assert once.n_rows == 900
    assert pieces[0].n_rows == 300
    np.testing.assert_array_equal(once.weights, twice.weights)
    np.testing.assert_array_equal(once.rows, twice.rows)


def test_labels_in_memory_are_sent_once(client):
    """Dask would warn of what is sent with each pass."""
    long = np.array(["a woman's name, as far as one can tell", "a man's name"])[(SEX == "m") * 1]
    bag = db.from_delayed(
        [
            dask.delayed(NAMES.__getitem__)(slice(0, 1000)),
            dask.delayed(NAMES.__getitem__)(slice(1000, 2000)),
        ]
    ).persist()
    limit = {"distributed.admin.large-graph-warning-threshold": "150 kB"}
    with (
        dask.config.set(limit),
        sm.engine.using(hashed_from=400),
        warnings.catch_warnings(record=True) as said,
    ):
        warnings.simplefilter("always")
        sm.LandmarkClassifier("levenshtein", **OPTIONS).fit(bag, long)
    assert long.nbytes > 200_000
    assert not [str(one.message) for one in said if "large graph" in str(one.message)]


def test_large_landmarks_are_sent_once(client):
    """Dask would warn of them as of a large graph; and rows with them as many are."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 300))
    far = da.from_array(X, chunks=(100, 300)).persist()
    limit = {"distributed.admin.large-graph-warning-threshold": "60 kB"}
    with (
        dask.config.set(limit),
        sm.engine.using(hashed_from=400),
        warnings.catch_warnings(record=True) as said,
    ):
        warnings.simplefilter("always")
        model = sm.LandmarkRegressor("euclidean", **OPTIONS).fit(far, X[:, 0])
    assert np.asarray(model.landmarks_).nbytes > 60_000
    assert not [str(one.message) for one in said if "large graph" in str(one.message)]


def test_many_rows_in_memory_are_spread_where_a_client_is_active(client, tmp_path):
    here, mark = os.getpid(), str(tmp_path / "called")

    def lengths(a, b):
        import os
        from pathlib import Path

        if os.getpid() != here:
            Path(mark).touch()
        return float(abs(len(a) - len(b)))

    measure = sm.measures.Custom(lengths, kind="distance", vectorised=False)
    model = sm.LandmarkRegressor(measure, landmarks=NAMES[:9], random_state=0)
    with sm.engine.using("threads", hashed_from=400):
        near = model.fit(NAMES, LENGTH)
        expected, coef = near.predict(NAMES), near.head_.coef_
    assert not os.path.exists(mark)
    for where in (None, client):
        with sm.engine.using(where, hashed_from=400):
            far = model.fit(NAMES, LENGTH)
            np.testing.assert_allclose(far.head_.coef_, coef, rtol=1e-7, atol=1e-7)
            assert os.path.exists(mark)
            os.unlink(mark)
            np.testing.assert_allclose(far.predict(NAMES), expected, rtol=1e-6)
            assert os.path.exists(mark) == (where is not None)
    os.unlink(mark)
