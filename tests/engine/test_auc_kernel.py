"""The AUC kernel refuses arrays that do not fit; what it computes is tested in tests/online."""

import numpy as np
import pytest

from seamark import engine

NATIVE = list(engine.backends.backends().values())[1:]


def job(**changes):
    """Arguments of a valid call: three points, two slots, one move."""
    arguments = {
        "X": np.ones((3, 2)),
        "labels": np.array([0, 1, 0]),
        "step": np.array([0]),
        "slot": np.array([0]),
        "source": np.array([-1]),
        "points": np.zeros((2, 2)),
        "known": np.zeros(2, np.int64),
        "w": np.zeros((1, 2)),
        "sum": np.zeros((1, 2)),
        "squares": np.zeros(2),
        "losses": np.zeros(3),
        "n_filled": 0,
        "t": 0,
        "surrogate": 0,
        "opposite": False,
        "schedule": 0,
        "eta": 1.0,
        "radius": np.inf,
    }
    return list((arguments | changes).values())


@pytest.mark.parametrize("backend", NATIVE, ids=lambda b: b.name)
def test_arrays_must_fit(backend):
    backend.auc(*job())
    for wrong in (
        {"labels": np.zeros(2, np.int64)},
        {"w": np.zeros((1, 3))},
        {"sum": np.zeros((2, 2))},
        {"points": np.zeros((2, 3))},
        {"known": np.zeros(3, np.int64)},
        {"squares": np.zeros(1)},
        {"losses": np.zeros(2)},
        {"slot": np.array([0, 1])},
        {"n_filled": 3},
    ):
        with pytest.raises(ValueError, match="do not fit"):
            backend.auc(*job(**wrong))
    for wrong in ({"step": np.array([3])}, {"slot": np.array([2])}, {"source": np.array([2])}):
        with pytest.raises(ValueError, match="moves out of range"):
            backend.auc(*job(**wrong))
    for wrong in ({"surrogate": 4}, {"schedule": -1}):
        with pytest.raises(ValueError, match="unknown"):
            backend.auc(*job(**wrong))


@pytest.mark.parametrize("backend", NATIVE, ids=lambda b: b.name)
def test_rows_without_columns(backend):
    """Nothing to copy has no address: under UBSan this must not reach memset or memcpy."""
    none = {name: np.zeros((k, 0)) for name, k in (("X", 3), ("points", 2), ("w", 1), ("sum", 1))}
    moves = {"step": np.array([0, 1]), "slot": np.array([0, 1]), "source": np.array([-1, 0])}
    known = np.zeros(2, np.int64)
    backend.auc(*job(**none, **moves, known=known, labels=np.array([1, 0, 0])))
    assert known.tolist() == [1, 1]
