"""Lower bounds are below the values, so that searches with them lose nothing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import seamark as sm
from seamark import engine
from seamark.measures import DTW, Levenshtein
from seamark.search import prune

rng = np.random.default_rng(5)
KINDS = [
    DTW(window=3),
    DTW(window=0.2),
    DTW(),
    DTW(window=2, znormalise=True),
    DTW(window=3, root=False),
    DTW(window=3, local="euclidean"),
]


def walks(n, length, channels=1, scale=1.0, offset=0.0):
    return offset + scale * rng.normal(size=(n, channels, length)).cumsum(axis=2)


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("measure", KINDS, ids=str)
@pytest.mark.parametrize(("scale", "offset"), [(1.0, 0.0), (1e-3, 1e4), (1e6, 0.0)])
def test_bounds_of_warping_distances(measure, channels, scale, offset):
    X = measure.domain.ingest(walks(60, 31, channels, scale, offset))
    values = measure.cross(X[:20], X)
    below = measure.bounding(X)(X[:20])
    assert (below <= values).all()
    if measure.window is not None and offset == 0:
        assert below[values > 0].mean() > 0.1 * values.mean()  # and they say something
    sketches = measure.sketch(X)
    if sketches is not None:
        kim = prune.apart(sketches[:20], sketches, 0.0)
        assert (kim <= values).all()


@settings(max_examples=50, deadline=None)
@given(st.lists(st.lists(st.integers(-3, 3), min_size=1, max_size=6), min_size=1, max_size=12))
def test_sketches_of_any_series(X):
    series = DTW().domain.ingest([np.array(x, dtype=float) for x in X])
    sketches = DTW().sketch(series)
    assert (prune.apart(sketches, sketches, 0.0) <= DTW().cross(series)).all()


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text("ab", max_size=6), min_size=1, max_size=12))
def test_sketches_of_strings(X):
    for measure in (Levenshtein(), sm.measures.Indel(), sm.measures.OptimalAlignment()):
        sketches = measure.sketch(measure.domain.ingest(X))
        assert (np.abs(sketches - sketches.T) <= measure.cross(X)).all()


@pytest.mark.parametrize("measure", KINDS, ids=str)
def test_a_search_with_bounds_is_brute_force(measure):
    X = walks(400, 24)
    index = sm.Index(measure).fit(X)
    near = X[:30] + 0.1 * rng.normal(size=X[:30].shape)
    with engine.counting() as counter:
        found = index.query(near, k=4)
    values = np.sort(measure.cross(near, X), axis=1)[:, :4]
    np.testing.assert_allclose(found.values, values, rtol=1e-4, atol=1e-5)
    assert callable(index._store.bounds)
    if measure.window is not None and not measure.znormalise:
        assert counter.evaluations < 0.7 * 30 * 400
    radius = float(np.median(values[:, 1])) * 1.001
    inside = index.measure_.cross(near, X) <= radius
    assert [sorted(ids) for ids in index.within(near, radius).ids] == [
        list(np.flatnonzero(row)) for row in inside
    ]
    new = index.add(near[:1])
    assert index.query(near[:1], k=1).ids[0, 0] == new[0]


def test_series_of_other_lengths_than_those_searched():
    X = walks(300, 20)
    index = sm.Index(DTW()).fit(X)
    assert index.query(X[:2, :, :15], k=1).ids.shape == (2, 1)
    mixed = [walk[0, : 10 + i % 7] for i, walk in enumerate(walks(300, 20, scale=5.0))]
    long = [np.repeat(one, 20) for one in mixed]  # dear enough for sketches to be compared
    for series in (mixed, long):
        found = sm.Index(DTW()).fit(series).query(series[:5], k=3)
        values = np.sort(sm.cross("dtw", series[:5], series), axis=1)[:, :3]
        np.testing.assert_allclose(found.values, values, rtol=1e-4, atol=1e-5)
