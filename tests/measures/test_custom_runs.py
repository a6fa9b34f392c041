"""Long runs of a Python function: memory, cost, processes."""

import os
import pathlib
import pickle
import re
import signal
import threading
import time

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import seamark as sm
from seamark.measures import Custom, MeasureError, SlowMeasureWarning
from seamark.objects import strings

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
def soon_slow():
    with sm.engine.using(slow_from=0.5):
        yield


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


# Processes


@pytest.fixture
def always_processes():
    with sm.engine.using(processes_from=0.0, trial_seconds=0.0, tile_seconds=0.02):
        yield


def test_short_work_stays_in_this_process():
    Custom(logged, vectorised=False).cross(list(range(20)), n_jobs=2)
    assert len(made) == 400


@pytest.mark.usefixtures("always_processes")
@pytest.mark.parametrize("symmetric", [False, True])
def test_lambdas_and_closures_in_processes(symmetric, tmp_path):
    weight, here = np.full(200_000, 2.0), os.getpid()  # large enough for joblib to share

    def f(x, y):
        time.sleep(1e-3)
        return x - weight[y] * y + (1000 if os.getpid() != here else 0)

    X = list(range(20))
    m = Custom(f, symmetric=symmetric, vectorised=False, memory=tmp_path)
    with sm.engine.counting() as counter:
        out = m.cross(X, n_jobs=2)
    assert counter.evaluations == (210 if symmetric else 400)
    assert np.mean(out > 500) > 0.8
    expected = table(X, X)
    if symmetric:
        expected = np.tril(expected) + np.tril(expected, -1).T
    assert np.array_equal(out - 1000 * (out > 500), expected)
    with sm.engine.counting() as counter:
        assert np.array_equal(m.cross(X, n_jobs=2), out)
    assert counter.evaluations == 0
    with_lambda = Custom(lambda x, y: time.sleep(1e-3) or x - y).cross(X, n_jobs=2)
    assert np.array_equal(with_lambda, np.subtract.outer(X, X))


@pytest.mark.usefixtures("always_processes")
@pytest.mark.parametrize("X", [MATRIX, sparse.csr_matrix(MATRIX), strings.ingest(["a", "b", "c"])])
def test_batches_and_collections_in_processes(X):
    def f(A, B):
        time.sleep(5e-3)
        return np.ones((A.shape[0] if hasattr(A, "shape") else len(A), 1)) @ np.ones((1, 1))

    L = X[:1]
    assert np.array_equal(
        Custom(f, vectorised=True).cross(X, L, n_jobs=2), np.ones((X.shape[0], 1))
    )


@pytest.mark.usefixtures("always_processes")
def test_a_killed_worker_is_told_in_a_sentence():
    here = os.getpid()

    def f(x, y):
        time.sleep(1e-3)
        if os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return x - y

    X = list(range(20))
    with pytest.raises(MeasureError, match="a worker process died while it computed f: .*n_jobs"):
        Custom(f, vectorised=False).cross(X, n_jobs=2)
    again = Custom(lambda x, y: time.sleep(1e-3) or x - y, vectorised=False).cross(X, n_jobs=2)
    assert np.array_equal(again, np.subtract.outer(X, X))  # the next run gets new workers


class Awkward(Exception):
    def __init__(self, a, b):
        super().__init__(f"{a} and {b}")


@pytest.mark.usefixtures("always_processes")
def test_errors_come_home_from_processes(tmp_path):
    def f(x, y):
        time.sleep(1e-3)
        if (x, y) == (7, 3):
            raise ValueError("a bad day")
        return x - y

    X = list(range(10))
    with pytest.raises(MeasureError, match="f failed on row 7 of X and landmark 3: ValueEr") as e:
        Custom(f, vectorised=False).cross(X, n_jobs=2)
    assert isinstance(e.value.__cause__, ValueError)
    assert "In a worker process" in e.value.__cause__.__notes__[0]
    assert isinstance(pickle.loads(pickle.dumps(e.value)), MeasureError)

    def g(x, y):
        time.sleep(1e-3)
        if x == 7:
            raise Awkward(x, y)
        return np.nan if x == 8 else 0

    with pytest.raises(MeasureError, match="row 7 of X and landmark 0: Awkward: 7 and 0"):
        Custom(g, vectorised=False).cross(X, n_jobs=2)
    with pytest.raises(MeasureError, match="row 1 of X and landmark 0: it returned nan"):
        Custom(g, vectorised=False).cross([1, 8, 8, 8], n_jobs=2)


@pytest.mark.usefixtures("always_processes")
def test_what_cannot_be_sent_is_named():
    lock = threading.Lock()
    f = Custom(lambda x, y: time.sleep(1e-3) or (lock and x - y), vectorised=False)
    with pytest.raises(
        MeasureError, match=r"<lambda> or its landmarks cannot be sent .*leave n_jobs"
    ):
        f.cross(list(range(10)), n_jobs=2)
    assert f.cross([1, 2]).shape == (2, 2)


@pytest.mark.usefixtures("always_processes")
def test_an_interrupt_in_a_process_passes_and_loses_nothing(tmp_path):
    def f(x, y):
        time.sleep(1e-3)
        if (tmp_path / "stop").exists() and x == 7:
            raise KeyboardInterrupt
        return x - y

    m = Custom(f, vectorised=False, memory=tmp_path)
    (tmp_path / "stop").touch()
    with sm.engine.counting() as counter, pytest.raises(KeyboardInterrupt):
        m.cross(list(range(10)), n_jobs=2)
    (tmp_path / "stop").unlink()
    before = counter.evaluations
    with sm.engine.counting() as counter:
        m.cross(list(range(10)), n_jobs=2)
    assert counter.evaluations == 100 - before
