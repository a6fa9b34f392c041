"""How rows are cut, threads run, halves mirrored, evaluations counted."""

import signal
import subprocess
import sys
import time

import numpy as np
import pytest
import threadpoolctl
from hypothesis import given
from hypothesis import strategies as st

import seamark as sm
from seamark import engine
from seamark.engine import executors, progress, settings, threads
from seamark.engine.threads import run_tasks


class Differences(engine.Plan):
    """x − l of numbers: asymmetric, so that mirroring shows."""

    def __init__(self, L, cost=0.0, pause=0.0):
        self.L, self.n_landmarks, self.cost, self.pause = L, len(L), cost, pause
        self.calls = []

    def seconds(self, X):
        return np.full(len(X), self.cost)

    def fill(self, X, out, stop):
        self.calls.append(len(X))
        if self.pause:
            for _ in range(int(self.pause / 0.01)):
                if stop[0]:
                    return
                time.sleep(0.01)
        out[:] = X - self.L[:, 0]


def numbers(n):
    return np.arange(float(n))[:, None]


@given(
    st.lists(st.floats(0, 2), min_size=1, max_size=60),
    st.integers(0, 1 << 24),
    st.integers(1, 8),
)
def test_chunks_cover_all_rows_in_order(costs, scratch, n_threads):
    pieces = executors.chunks(np.array(costs), scratch, n_threads)
    assert [row for a, b in pieces for row in range(a, b)] == list(range(len(costs)))
    sizes = np.array([b - a for a, b in pieces])
    assert (sizes > 0).all()
    if scratch:
        cap = max(1, executors.SCRATCH_BYTES // (n_threads * scratch))
        assert sizes.max() <= cap
    for a, b in pieces:
        assert b - a == 1 or sum(costs[a:b]) <= settings().chunk_seconds * 1.01 + 1e-9


def test_many_threads_get_many_chunks():
    assert len(executors.chunks(np.full(1000, 1e-4), 0, 2)) >= 16


@pytest.mark.parametrize("n_jobs", [1, 2, 3])
@pytest.mark.parametrize("cost", [0.0, 0.06])
def test_every_row_gets_its_values(n_jobs, cost):
    X, L = numbers(57), numbers(5)
    plan = Differences(L, cost)
    np.testing.assert_array_equal(engine.run(plan, X, n_jobs=n_jobs), X - L[:, 0])
    assert (len(plan.calls) > 1) == (cost > 0)


def test_asymmetric_is_never_mirrored():
    X = numbers(300)
    np.testing.assert_array_equal(engine.cross(Differences, X), X - X[:, 0])


@pytest.mark.parametrize("n", [1, 2, 127, 128, 129, 700])
def test_symmetric_is_mirrored_from_below(n):
    X = numbers(n)
    got = engine.cross(Differences, X, symmetric=True)
    lower = np.tril(X - X[:, 0])
    np.testing.assert_array_equal(got, lower + np.tril(lower, -1).T)


def test_half_the_work_is_left_out():
    with engine.counting() as counter:
        engine.cross(Differences, numbers(4096), symmetric=True)
    assert counter.evaluations < 0.54 * 4096**2


def test_counters_nest():
    with engine.counting() as outer:
        engine.run(Differences(numbers(3)), numbers(4))
        with engine.counting() as inner:
            engine.run(Differences(numbers(3)), numbers(5))
    assert (outer.evaluations, inner.evaluations) == (27, 15)


def test_an_error_in_a_thread_comes_out_and_ends_the_others():
    class Broken(Differences):
        def fill(self, X, out, stop):
            if X[0, 0] == 0:
                raise ZeroDivisionError("first chunk")
            super().fill(X, out, stop)

    plan = Broken(numbers(2), cost=0.06, pause=0.05)
    with pytest.raises(ZeroDivisionError, match="first chunk"):
        engine.run(plan, numbers(400), n_jobs=2)
    assert len(plan.calls) < 50


def test_few_tasks_are_queued_so_that_an_error_is_noticed_soon():
    taken = []

    def failing(stop):
        raise ZeroDivisionError("first")

    class Tasks(list):
        def __iter__(self):
            for task in super().__iter__():
                taken.append(task)
                yield task

    tasks = Tasks([failing, *[lambda stop: 1] * 100_000])
    with pytest.raises(ZeroDivisionError, match="first"):
        run_tasks(tasks, 2, lambda n: None)
    assert len(taken) < 1000


LONG_WORK = """
import sys
import signal
import seamark as sm
signal.signal(signal.SIGINT, signal.default_int_handler)  # shells have background jobs ignore it
X = sm.data.strings.ingest(["acgt" * 250] * 30_000)  # 10^13 cells: a minute, or days on numpy
try:
    print("ready", flush=True)  # from here on, whenever the signal comes
    sm.cross("levenshtein", X, X[:300], n_jobs=int(sys.argv[1]))
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.parametrize("n_jobs", ["1", "2"])
def test_control_c_stops_soon(n_jobs):
    # in a process of its own: here the signal might hit a callback that swallows it
    command = [sys.executable, "-c", LONG_WORK, n_jobs]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        try:
            answer, _ = process.communicate(timeout=60)  # not a speed test: the work is longer
        finally:
            process.kill()  # or leaving the block would wait for the work
    assert answer == "interrupted\n"


def test_blas_has_one_thread_inside_and_its_own_after():
    def blas():
        return [
            i["num_threads"] for i in threadpoolctl.threadpool_info() if i["user_api"] == "blas"
        ]

    seen = []

    class Looking(Differences):
        def fill(self, X, out, stop):
            seen.append(blas())

    before = blas()
    engine.run(Looking(numbers(2), cost=1.0), numbers(4), n_jobs=2)
    assert blas() == before
    assert seen
    assert all(n == 1 for ns in seen for n in ns)


def test_overlapping_jobs_restore_blas_once():
    def of_blas():
        return {one.num_threads for one in threads._blas._controller().lib_controllers}

    before, allowed = of_blas(), threads._blas.threads()
    first, second = threads._blas.single_threaded(), threads._blas.single_threaded()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert of_blas() == {1}
    assert threads._blas.threads() == allowed
    second.__exit__(None, None, None)
    assert of_blas() == before


def test_number_of_threads(monkeypatch):
    for name in ("SEAMARK_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(threads.joblib, "cpu_count", lambda: 8)
    monkeypatch.setattr(threads._blas, "threads", lambda: 6)
    assert threads.n_threads(None) == 6
    assert threads.n_threads(3) == 3
    assert threads.n_threads(-1) == 8
    assert threads.n_threads(-2) == 7
    monkeypatch.setenv("OMP_NUM_THREADS", "5")
    assert threads.n_threads(None) == 5
    monkeypatch.setenv("SEAMARK_NUM_THREADS", "2")
    assert threads.n_threads(None) == 2
    assert threads.n_threads(4) == 4
    with pytest.raises(ValueError, match="n_jobs must not be 0"):
        threads.n_threads(0)


def test_threadpoolctl_lowers_the_default():
    with threadpoolctl.threadpool_limits(1):
        assert threads.n_threads(None) == 1


@pytest.mark.parametrize(
    "kind", [progress._TextProgress, progress._TqdmProgress, progress._RichProgress]
)
def test_progress_bars_show_something_on_stderr(kind, capsys, monkeypatch):
    pytest.importorskip(
        {"_TqdmProgress": "tqdm", "_RichProgress": "rich"}.get(kind.__name__, "sys")
    )
    monkeypatch.setattr("seamark.engine.progress.progress_bar", lambda show: kind())
    engine.run(Differences(numbers(3), cost=0.06), numbers(9), progress=True)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "seamark" in captured.err
    assert "100" in captured.err or "27" in captured.err


def test_silent_by_default(capsys):
    engine.run(Differences(numbers(3)), numbers(9))
    assert capsys.readouterr() == ("", "")


def test_backends_can_be_forced():
    for name in engine.backends.backends():
        with engine.using(name):
            assert engine.backend().name == name
            assert sm.cross("manhattan", [[0.0, 1.0]], [[2.0, 3.0]])[0, 0] == 4.0


def test_an_unknown_instruction_set_is_named(monkeypatch):
    monkeypatch.setenv("SEAMARK_ISA", "v9")
    engine.backends._default.cache_clear()
    with pytest.raises(ValueError, match="SEAMARK_ISA must be one of reference, .*; got 'v9'"):
        engine.backend()
    monkeypatch.undo()
    engine.backends._default.cache_clear()


def test_without_native_kernels_it_is_said_once(monkeypatch):
    monkeypatch.delenv("SEAMARK_ISA", raising=False)
    monkeypatch.setattr(
        engine.backends, "backends", lambda: {"reference": engine.backends.Reference()}
    )
    engine.backends._default.cache_clear()
    with pytest.warns(UserWarning, match="without its native kernels") as said:
        names = [engine.backend().name for _ in range(2)]
    assert names == ["reference"] * 2
    assert len(said) == 1
    engine.backends._default.cache_clear()


def test_scikit_learn_callbacks_hear_of_it():
    callback = pytest.importorskip("sklearn.callback")
    from sklearn.base import BaseEstimator

    events = []

    class Recorder:
        def setup(self, estimator, context): ...
        def teardown(self, estimator, context): ...
        def on_fit_task_begin(self, estimator, context):
            events.append(("begin", context.task_name))

        def on_fit_task_end(self, estimator, context):
            events.append(("end", context.task_name))

    class Model(callback.CallbackSupportMixin, BaseEstimator):
        @callback.with_callbacks
        def fit(self, X, y=None):
            context = self._init_callback_context(max_subtasks=1)
            context.call_on_fit_task_begin(estimator=self)
            bar = engine.CallbackProgress(self, context)
            self.values_ = engine.run(Differences(numbers(3), cost=0.06), X, progress=bar)
            context.call_on_fit_task_end(estimator=self)
            return self

    model = Model().set_callbacks(Recorder()).fit(numbers(50))
    assert model.values_.shape == (50, 3)
    assert events[:2] == [("begin", "fit"), ("begin", "values")]
    assert events[-2:] == [("end", "values"), ("end", "fit")]
    assert events.count(("end", "part")) == 100
    Model().set_callbacks(callback.ProgressBar()).fit(numbers(5))
