"""Functions of the user's in other processes: sent, killed, interrupted."""

import os
import pickle
import signal
import threading
import time

import numpy as np
import pytest
from scipy import sparse
from test_custom_runs import MATRIX, logged, made, stop_at, table

import seamark as sm
from seamark.data import strings
from seamark.measures import Custom, MeasureError


@pytest.fixture(autouse=True)
def nothing_made():
    made.clear()
    stop_at.clear()


@pytest.fixture
def always_processes(monkeypatch):
    for name, seconds in {
        "PROCESSES_FROM": 0.0,
        "TRIAL_SECONDS": 0.0,
        "TILE_SECONDS": 0.02,
    }.items():
        monkeypatch.setattr(f"seamark.engine.python_calls.{name}", seconds)


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
