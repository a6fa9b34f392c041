"""The kernel of bounded edits and that of envelopes: every build gives what numpy gives."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seamark.engine.backends import backends

BUILDS = list(backends().values())
NO_STOP = np.zeros(1, dtype=np.uint8)


def flat(texts):
    offsets = np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype(np.int64)
    return np.array([code for text in texts for code in text], dtype=np.int32), offsets


codes = st.lists(st.lists(st.integers(0, 3), min_size=5, max_size=5), min_size=1, max_size=20)
probes = st.lists(st.lists(st.integers(0, 4), max_size=9), min_size=1, max_size=20)


@settings(max_examples=60, deadline=None)
@given(texts=codes, others=probes, limit=st.integers(0, 6))
def test_builds_agree(texts, others, limit):
    found = []
    for build in BUILDS:
        plan = build.edits(*flat(texts), 4, limit)
        plan.build(0, len(texts))
        links = zip(*plan.probe(*flat(others), -1, 1000, NO_STOP), strict=True)
        own = zip(*plan.probe(*flat(texts), 0, 1000, NO_STOP), strict=True)
        found.append((sorted(links), sorted(own)))
    assert all(one == found[0] for one in found)
    assert all(a < b for a, b, _ in found[0][1])


@pytest.mark.parametrize("build", BUILDS[1:], ids=lambda one: one.name)
def test_unsound_arrays_are_refused(build):
    texts = flat([[0, 1], [1, 1], [0, 1, 2]])
    for bad in ((texts[0] + 1, texts[1], 3, 1), (texts[0], texts[1][::-1].copy(), 3, 1)):
        with pytest.raises(ValueError, match="range|fall"):
            build.edits(*bad)
    with pytest.raises(ValueError, match="limit"):
        build.edits(*texts, 3, -1)
    plan = build.edits(*texts, 3, 1)
    with pytest.raises(ValueError, match="differ in length"):
        plan.build(0, 3)
    with pytest.raises(ValueError, match="out of range"):
        plan.build(0, 4)
    plan.build(0, 2)
    with pytest.raises(ValueError, match="codes out of range"):
        plan.probe(np.array([9], np.int32), np.array([0, 1]), -1, 10, NO_STOP)
    for own in (2, np.iinfo(np.int64).max):  # own + i would be no text, or overflow
        with pytest.raises(ValueError, match="probes out of range"):
            plan.probe(*flat([[0, 1], [1, 1]]), own, 10, NO_STOP)
    nothing = plan.probe(*flat([[0, 1]]), -1, 10, np.ones(1, dtype=np.uint8))
    assert [len(one) for one in nothing] == [0, 0, 0]


@pytest.mark.parametrize("build", BUILDS, ids=lambda one: one.name)
@pytest.mark.parametrize("d", [1, 7, 16, 33, 100])
def test_envelopes(build, d):
    rng = np.random.default_rng(d)
    points = rng.normal(size=(5, d)).astype(np.float32)
    low = rng.normal(size=(5, d)).astype(np.float32)
    high = low + rng.random((5, d)).astype(np.float32)
    for p, a, b in ((points, low[:1], high[:1]), (points[:1], low, high), (points, low, high)):
        out = np.empty(5, dtype=np.float32)
        build.envelopes(p, a, b, out, NO_STOP)
        apart = p.astype(float) - np.clip(p, a, b)
        np.testing.assert_allclose(out, (apart**2).sum(axis=1), rtol=1e-5)
    if build is not BUILDS[0]:
        with pytest.raises(ValueError, match="one point or box"):
            build.envelopes(points[:3], low, high, out, NO_STOP)
