"""Long runs of a Python function: memory, cost, processes."""

import pathlib
import re
import threading
import time

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import seamark as sm
from seamark.data import strings
from seamark.measures import Custom, MeasureError, SlowMeasureWarning

MATRIX = np.random.default_rng(0).normal(size=(4, 3))

made = []  # a global: not part of a function's identity
stop_at = []


@pytest.fixture(autouse=True)
def nothing_made():
    made.clear()
    stop_at.clear()


def logged(x, y):
    if len(made) in stop_at:
        raise ValueError("a bad day")
    made.append((x, y))
    return x - 2 * y


def interrupted(x, y):
    if len(made) in stop_at:
        raise KeyboardInterrupt
    made.append((x, y))
    return x - 2 * y


def slow(x, y):
    time.sleep(0.01)
    return x - 2 * y


def table(X, L):
    return np.subtract.outer(np.asarray(X, float), 2 * np.asarray(L, float))


# Memory


def test_resuming_after_an_exception_computes_the_rest_only(tmp_path):
    X = list(range(20))
    m = Custom(logged, vectorised=False, memory=tmp_path)
    stop_at.append(137)
    with pytest.raises(MeasureError, match="row 6 of X and landmark 17: ValueError: a bad day"):
        m.cross(X)
    assert len(made) == 137
    stop_at.clear()
    with sm.engine.counting() as counter:
        assert np.array_equal(m.cross(X), table(X, X))
    assert len(made) == len(set(made)) == 400
    assert counter.evaluations == 400 - 137


@pytest.mark.parametrize("stop", [1, 137, 399])
def test_resuming_after_ctrl_c_loses_nothing(tmp_path, stop):
    X = list(range(20))
    m = Custom(interrupted, memory=str(tmp_path), vectorised=False)
    stop_at.append(stop)
    with pytest.raises(KeyboardInterrupt):
        m.cross(X)
    stop_at.clear()
    assert np.array_equal(m.cross(X), table(X, X))
    assert len(made) == len(set(made)) == 400


def test_other_rows_order_and_landmarks(tmp_path):
    m = Custom(logged, memory=tmp_path, vectorised=False)
    m.cross([1, 2, 3], [4, 5])
    made.clear()
    assert np.array_equal(m.cross([3, 9, 1], [5, 5, 6, 4]), table([3, 9, 1], [5, 5, 6, 4]))
    assert set(made) == {(9, 5), (9, 6), (9, 4), (3, 6), (1, 6)}
    made.clear()
    m.cross([3, 1], [4])
    assert made == []


def test_everything_known_calls_nothing_not_even_a_trial(tmp_path):
    m = Custom(logged, memory=tmp_path)
    first = m.cross([1, 2, 3])
    made.clear()
    assert np.array_equal(m.cross([1, 2, 3]), first)
    assert made == []


def test_symmetric_memory_serves_any_order_but_is_kept_apart(tmp_path):
    X = list(range(10))
    m = Custom(logged, symmetric=True, memory=tmp_path, vectorised=False)
    m.cross(X)
    made.clear()
    m.cross(X[::-1])
    assert made == []
    asserted = Custom(logged, memory=tmp_path, vectorised=False).cross(X)
    assert len(made) == 100
    assert np.array_equal(asserted, table(X, X))


def test_memory_with_batches(tmp_path):
    def f(X, L):
        made.append((list(X), list(L)))
        return table(X, L)

    m = Custom(f, vectorised=True, memory=tmp_path)
    m.cross([1, 2, 3], [4, 5])
    made.clear()
    assert np.array_equal(m.cross([3, 9, 1], [5, 6, 4]), table([3, 9, 1], [5, 6, 4]))
    assert all(9 in X or L == [6] for X, L in made)


@pytest.mark.parametrize(
    "X",
    [
        strings.ingest(["sea", "mark", "see"]),
        MATRIX,
        sparse.csr_matrix(MATRIX),
        [{"a": 1}, {"a": 2}],
        pd.DataFrame({"name": ["a", "bb"], "size": [1, 5]}),
        [pathlib.PurePath("a"), None, ("x", 2)],
    ],
)
def test_memory_knows_objects_of_all_kinds(tmp_path, X):
    def f(x, y):
        made.append(1)
        return len(made)

    m = Custom(f, vectorised=False, memory=tmp_path)
    first = m.cross(X)
    assert np.array_equal(m.cross(X), first)
    assert len(np.unique(first)) == first.size == len(made)


def test_editing_the_function_starts_afresh(tmp_path):
    for p in (1, 2, 1):
        assert Custom(lambda x, y, p=p: (x - y) ** p, memory=tmp_path).cross([5], [3]) == 2**p


def test_what_memory_cannot_recognise_is_named(tmp_path):
    lock = threading.Lock()
    with pytest.raises(TypeError, match="cannot recognise row 1 of X again, a lock"):
        Custom(lambda x, y: 0, memory=tmp_path).cross([1, lock], [2])
    with pytest.raises(TypeError, match=r"cannot tell <lambda> from other functions.*lock"):
        Custom(lambda x, y: lock and 0, memory=tmp_path).cross([1], [2])


# Cost


@pytest.fixture
def soon_slow(monkeypatch):
    monkeypatch.setattr("seamark.engine.python_calls.SLOW_FROM", 0.1)


@pytest.mark.usefixtures("soon_slow")
def test_a_slow_measure_warns_once(tmp_path, capsys):
    X = list(range(10))
    with pytest.warns(SlowMeasureWarning) as seen:
        out = Custom(slow, vectorised=False).cross(X)
    assert np.array_equal(out, table(X, X))
    assert len(seen) == 1
    assert seen[0].filename == __file__
    text = str(seen[0].message)
    assert re.search(r"calls at \d+ ms: about", text)
    assert "in 1 process; pass n_jobs=-1" in text
    assert "memory=<folder> to make it resumable" in text
    with pytest.warns(SlowMeasureWarning, match="n_jobs=-1 to use all cores.$"):
        Custom(slow, vectorised=False, memory=tmp_path).cross(X)
    sm.cross(Custom(slow, vectorised=False), X, progress=True)  # said, not warned
    assert "calls at " in capsys.readouterr().err


def test_a_machine_that_stands_still_once_makes_no_measure_slow():
    def stalls(x, y):
        if (x, y) == (0, 1):  # the second call: the first alone may load something
            time.sleep(0.3)
        return x - 2 * y

    X = list(range(100))
    assert np.array_equal(Custom(stalls, vectorised=False).cross(X), table(X, X))  # and no warning


# Processes
