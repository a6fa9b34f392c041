"""Sets against single vectors, on every backend, and taking vectors out of sets."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import naive
import seamark as sm
from every_backend import ENGINES, HERE
from seamark.checks import check_measure
from seamark.data import Members, sets
from seamark.measures import Member


@pytest.fixture(params=ENGINES)
def backend(request):
    with sm.engine.using(request.param):
        yield request.param


def bags(seed, n, most, d, dtype=np.float32, shift=0.0):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, most, n, endpoint=True)
    return [(rng.normal(size=(m, d)) + shift).astype(dtype) for m in sizes]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("d", "R"), [(1, 1), (2, 15), (3, 16), (5, 17), (128, 40), (513, 70)])
def test_equals_definition(backend, d, R, dtype):
    X, L = bags(0, 9, 12, d, dtype), np.random.default_rng(1).normal(size=(R, d)).astype(dtype)
    np.testing.assert_allclose(Member().cross(X, L), naive.cross(naive.member, X, L), rtol=1e-5)


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 255, 256, 257, 600])
def test_any_size_of_set(backend, size):
    """Beyond 256 vectors an object comes in several tiles."""
    rng = np.random.default_rng(size)
    X, L = [rng.normal(size=(m, 2)) for m in (3, size, 1)], rng.normal(size=(5, 2))
    np.testing.assert_allclose(Member().cross(X, L), naive.cross(naive.member, X, L), rtol=1e-5)


@pytest.mark.parametrize("shift", [0.0, 1000.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_set_is_at_zero_of_its_members(backend, shift, dtype):
    X = bags(7, 30, 20, 16, dtype, shift)
    D = Member().cross(X, np.concatenate([x[-1:] for x in X]))
    assert (D.diagonal() == 0).all()
    assert (D > 0).sum() == D.size - len(X)


def test_small_distances_keep_their_digits(backend):
    rng = np.random.default_rng(10)
    L = rng.normal(size=(40, 16)) + 1e4
    X = [x + rng.normal(scale=1e-5, size=(3, 16)) for x in L]
    exact = naive.cross(naive.member, X, L)
    np.testing.assert_allclose(Member().cross(X, L), exact, rtol=1e-4)


coordinates = st.floats(-100, 100, width=32)
points = st.lists(arrays(np.float32, (2,), elements=coordinates), min_size=1, max_size=5)


@settings(max_examples=40, deadline=None)
@given(st.lists(points, min_size=1, max_size=4), points)
def test_any_numbers(X, L):
    X, L = [np.array(x) for x in X], np.array(L)
    expected = naive.cross(naive.member, X, L)
    for name in HERE:
        with sm.engine.using(name):
            np.testing.assert_allclose(Member().cross(X, L), expected, rtol=1e-4, atol=1e-12)


def test_largest_gaussian(backend):
    X, L = bags(3, 6, 5, 2), np.random.default_rng(4).normal(size=(7, 2))
    expected = naive.cross(lambda B, v: max(naive.gaussian(b, v, 0.7) for b in B), X, L)
    np.testing.assert_allclose(Member(width=0.7).cross(X, L), expected, rtol=1e-5)


def test_width_of_the_data():
    X = [[[0.0], [1.0]], [[3.0]]]
    objects = sets.ingest(X)
    fitted = Member(width="median").fitted_to(objects, np.random.default_rng(0))
    assert repr(fitted) == "Member(width=2.0)"
    assert (fitted.kind, fitted.bounds) == ("similarity", (0.0, 1.0))
    assert (Member().kind, Member().fitted_to(objects, None).width) == ("distance", None)
    check_measure(Member(width="mean"), bags(5, 8, 6, 3))


def test_vectors_are_taken_by_turns(rng):
    X = sets.ingest(bags(6, 20, 9, 3))
    parts, sources = Members().cut(X, 30, rng)
    assert sorted(sources[:20].tolist()) == list(range(20))
    assert (Member().cross(X, parts)[sources, np.arange(30)] == 0).all()
    assert len(np.unique(parts, axis=0)) == 30


def test_equal_vectors_are_taken_once(rng):
    X = sets.ingest([np.zeros((4, 2)), np.ones((2, 2)), np.zeros((1, 2))])
    parts, sources = Members().cut(X, 9, rng)
    assert sorted(parts[:, 0].tolist()) == [0.0, 1.0]
    assert (Member().cross(X, parts)[sources, [0, 1]] == 0).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Member().cross([[[0.0, 1.0]]], [[1.0]]), "members have dimension 1.*2 columns"),
        (lambda: Member().cross([[[0.0, 1.0]]]), "sets with members.*give the landmarks"),
        (lambda: Member(width=-1.0).cross([[[0.0]]], [[1.0]]), "width must be positive"),
        (lambda: Member().cross([[[0.0]]], [[np.nan]]), "NaN"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ValueError, match=message):
        call()
