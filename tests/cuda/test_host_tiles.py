"""The CUDA kernels of sets and of Manhattan distances, on the host and on a GPU."""

import numpy as np
import pytest

from seamark.engine.cuda import vectors as plans
from seamark.engine.cuda.series import NOTED_PAIRS
from seamark.engine.cuda.vectors import ManhattanPlan, MembersPlan, SetsPlan, Tile
from seamark.engine.reference import manhattan
from seamark.engine.reference.vectors import MembersPlan as ReferenceMembers
from seamark.engine.reference.vectors import SetsPlan as Reference

GO = np.zeros(1, np.uint8)
VALUES = ["larger_mean", "largest", "sum_of_means"]


def sets(rng, sizes, d):
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return rng.normal(size=(offsets[-1], d)), offsets


def values(make, X, L, centre, value):
    out = np.full((len(X[1]) - 1, len(L[1]) - 1), np.nan, np.float32)
    make(L[0] - centre, L[1], centre, value).run(*X, out, GO)
    return out


def on(device):
    return lambda *arguments: SetsPlan(device, *arguments)


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize(
    ("objects", "landmarks", "d"),
    [
        pytest.param((1, 6), (1, 6), 3, id="many share a tile"),
        pytest.param((6, 200), (3, 15), 20, id="objects of several tiles"),
        pytest.param((1, 5), (50, 150), 17, id="landmarks of several tiles"),
        pytest.param((1, 150), (1, 150), 1, id="both, in one dimension"),
    ],
)
def test_sets_agree_with_the_reference(device, rng, value, objects, landmarks, d):
    X, L = sets(rng, rng.integers(*objects, 13), d), sets(rng, rng.integers(*landmarks, 20), d)
    centre = rng.normal(size=d)
    found, expected = (values(make, X, L, centre, value) for make in (on(device), Reference))
    np.testing.assert_allclose(found, expected, rtol=3e-6)


@pytest.mark.parametrize("value", VALUES)
def test_sets_of_many_dimensions(device, rng, value):
    X, L = sets(rng, [3, 1, 4], 1100), sets(rng, [2, 5], 1100)
    found, expected = (values(make, X, L, 0.0 * X[0][0], value) for make in (on(device), Reference))
    np.testing.assert_allclose(found, expected, rtol=3e-6)


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("room", [NOTED_PAIRS, 2])
def test_sets_that_float32_cannot_tell_apart(device, rng, monkeypatch, value, room):
    monkeypatch.setattr("seamark.engine.cuda.series.NOTED_PAIRS", room)
    L = sets(rng, [3, 70, 5, 2], 4)
    L[0][:] += 1e6
    X = L[0] + rng.normal(scale=1e-4, size=L[0].shape), L[1]
    centre = np.zeros(4)
    found, expected = (values(make, X, L, centre, value) for make in (on(device), Reference))
    np.testing.assert_allclose(found, expected, rtol=1e-4)
    assert not np.diag(values(on(device), L, L, centre, value)).any()


def test_a_landmark_too_large_for_the_chip_is_named(host):
    offsets = np.array([0, 1, 60_001])
    with pytest.raises(ValueError, match="landmark 1 has 60000 vectors"):
        SetsPlan(host, np.zeros((60_001, 1)), offsets, np.zeros(1), "largest")


def nearest(make, X, L, centre):
    out = np.full((len(X[1]) - 1, len(L)), np.nan, np.float32)
    make(L - centre, centre).run(*X, out, GO)
    return out


def members_on(device):
    return lambda *arguments: MembersPlan(device, *arguments)


@pytest.mark.parametrize(
    ("objects", "R", "d"),
    [
        pytest.param((1, 6), 20, 3, id="many share a tile"),
        pytest.param((6, 200), 130, 20, id="objects and landmarks of several tiles"),
        pytest.param((64, 65), 128, 16, id="whole tiles"),
        pytest.param((1, 5), 3, 1100, id="many dimensions"),
        pytest.param((1, 150), 1, 1, id="one landmark in one dimension"),
    ],
)
def test_members_agree_with_the_reference(device, rng, objects, R, d):
    X, L, centre = sets(rng, rng.integers(*objects, 13), d), rng.normal(size=(R, d)), np.ones(d)
    found, expected = (
        nearest(make, X, L, centre) for make in (members_on(device), ReferenceMembers)
    )
    np.testing.assert_allclose(found, expected, rtol=3e-5)


@pytest.mark.parametrize("room", [NOTED_PAIRS, 2])
def test_members_that_float32_cannot_tell_apart(device, rng, monkeypatch, room):
    monkeypatch.setattr("seamark.engine.cuda.series.NOTED_PAIRS", room)
    L = rng.normal(size=(40, 5)) + 1e6
    X, offsets = L + rng.normal(scale=1e-4, size=L.shape), np.array([0, 1, 9, 40])
    make, centre = members_on(device), np.zeros(5)
    found, expected = (nearest(m, (X, offsets), L, centre) for m in (make, ReferenceMembers))
    np.testing.assert_allclose(found, expected, rtol=1e-4)
    own = nearest(make, (L, offsets), L, centre)
    assert not any(own[o, L].any() for o, L in enumerate((slice(1), slice(1, 9), slice(9, 40))))


def distances(device, X, L):
    out = np.full((len(X), len(L)), np.nan, np.float32)
    ManhattanPlan(device, L).run(X, np.arange(len(X) + 1), out, GO)
    return out


@pytest.mark.parametrize("tile", [plans.TILE, Tile(8, 16, 4, 2), Tile(4, 32, 8, 3)])
@pytest.mark.parametrize(("n", "R", "d"), [(130, 70, 33), (5, 3, 1100), (64, 64, 16), (1, 1, 1)])
def test_manhattan_agrees_with_the_reference(device, rng, monkeypatch, tile, n, R, d):
    monkeypatch.setattr(plans, "TILE", tile)
    X, L = rng.normal(size=(n, d)), rng.normal(size=(R, d))
    expected = np.empty((n, R), np.float32)
    manhattan(X, L, expected, GO)
    np.testing.assert_allclose(distances(device, X, L), expected, rtol=3e-6)


@pytest.mark.parametrize("room", [NOTED_PAIRS, 2])
def test_rows_that_float32_cannot_tell_apart(device, rng, monkeypatch, room):
    monkeypatch.setattr("seamark.engine.cuda.series.NOTED_PAIRS", room)
    L = rng.normal(size=(70, 9)) + 1e7
    X = L + rng.normal(scale=1e-4, size=L.shape)
    expected = np.abs(X[:, None] - L).sum(axis=2)
    np.testing.assert_allclose(distances(device, X, L), expected, rtol=1e-4)
    assert not np.diag(distances(device, L, L)).any()


def test_no_coordinates(device):
    assert not distances(device, np.zeros((3, 0)), np.zeros((2, 0))).any()
