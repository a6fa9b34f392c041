"""A Python function that hangs is ended, and the pair is named."""

import os
import signal
import threading
import time
from functools import partial

import numpy as np
import pytest

import seamark as sm

NAMES = ["sea", "mark", "land", "hang", "see"]
timers = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers here")


def hanging(wait):
    """Return a function that is sent as it stands, so that no process imports this module."""

    def lengths(a, b):
        if a == "hang":
            wait()
        return abs(len(a) - len(b))

    return lengths


def busy(a, b):
    while a == "hang":
        pass
    return abs(len(a) - len(b))


LIMIT = 1.0  # seconds: a busy machine must not keep any other call waiting so long
LATE = 300.0  # what hangs would take longer, if it were not ended

lengths = hanging(partial(time.sleep, 2 * LATE))
# A loop that holds the interpreter's lock, and to which no signal handler comes.
busy_in_c = hanging(partial(sum, range(10**12)))


@timers
@pytest.mark.parametrize("f", [lengths, busy, busy_in_c])
def test_a_call_that_hangs_names_its_pair(f):
    measure = sm.measures.Custom(f, kind="distance", vectorised=False, timeout=LIMIT)
    before, start = signal.getsignal(signal.SIGALRM), time.monotonic()
    with pytest.raises(sm.engine.MeasureError, match="row 3.*longer than 1 s"):
        sm.cross(measure, NAMES, NAMES[:2])
    assert time.monotonic() - start < LATE
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


@timers
def test_quick_calls_are_as_without(tmp_path):
    plain = sm.measures.Custom(lengths, kind="distance")
    limited = sm.measures.Custom(lengths, kind="distance", timeout=30, memory=tmp_path)
    some = [name for name in NAMES if name != "hang"]
    np.testing.assert_array_equal(sm.cross(limited, some), sm.cross(plain, some))
    assert "timeout=30" in repr(limited)
    assert sm.cross(limited, some, n_jobs=2).shape == (4, 4)


@timers
def test_what_was_computed_before_a_timeout_is_kept(tmp_path):
    measure = sm.measures.Custom(lengths, vectorised=False, timeout=LIMIT, memory=tmp_path)
    with pytest.raises(sm.engine.MeasureError):
        sm.cross(measure, NAMES, NAMES[:2])
    with sm.engine.counting() as counter:
        sm.cross(measure, NAMES[:3], NAMES[:2])
    assert counter.evaluations == 0


@pytest.mark.parametrize("timeout", [0, -1.0, np.inf, "2", True])
def test_a_timeout_is_a_number_of_seconds(timeout):
    with pytest.raises(ValueError, match="timeout must be a positive number of seconds"):
        sm.cross(sm.measures.Custom(lengths, timeout=timeout), NAMES[:2])


def in_a_thread(call):
    """Return what a call in another thread returned or raised."""
    found = []

    def work():
        try:
            found.append(call())
        except BaseException as error:
            found.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(LATE)
    assert found, "the call did not end"
    return found[0]


@timers
def test_other_threads_do_not_wait_either():
    measure = sm.measures.Custom(busy_in_c, kind="distance", vectorised=False, timeout=LIMIT)
    error = in_a_thread(lambda: sm.cross(measure, NAMES, NAMES[:2]))
    assert isinstance(error, sm.engine.MeasureError)
    assert "row 3 of X" in str(error)
    assert "longer than 1 s" in str(error)


@timers
def test_values_errors_and_settings_are_the_same_in_other_threads():
    limited = sm.measures.Custom(lengths, vectorised=False, timeout=30)
    some = [name for name in NAMES if name != "hang"]
    found = in_a_thread(lambda: sm.cross(limited, some))
    np.testing.assert_array_equal(found, sm.cross(limited, some))

    def fails(a, b):
        raise TimeoutError(f"its own, {sm.engine.settings().n_jobs} jobs")

    def call():
        with sm.engine.using(n_jobs=1):
            return sm.cross(sm.measures.Custom(fails, vectorised=False, timeout=30), some)

    error = in_a_thread(call)
    assert "its own, 1 jobs" in str(error.__cause__)


@timers
@pytest.mark.parametrize("own", [TimeoutError, EOFError, BrokenPipeError])
def test_errors_of_the_function_are_its_own(own):
    def fails(a, b):
        raise own("of the function")

    with pytest.raises(sm.engine.MeasureError, match="row 0 of X .*: of the function") as error:
        sm.cross(sm.measures.Custom(fails, vectorised=False, timeout=30), NAMES[:2])
    assert type(error.value.__cause__) is own
    assert "in fails" in error.value.__cause__.__notes__[0]


@timers
def test_a_call_that_kills_its_process_names_its_pair():
    def crashes(a, b):
        if a == "hang":
            os.kill(os.getpid(), signal.SIGSEGV)
        return 0.0

    measure = sm.measures.Custom(crashes, vectorised=False, timeout=30)
    with pytest.raises(sm.engine.MeasureError, match=r"row 3 of X.* ended \(SIGSEGV\)"):
        sm.cross(measure, NAMES, NAMES[:2])
    assert sm.cross(measure, NAMES[:2]).shape == (2, 2)  # another process takes its place


class Locked:
    def __init__(self):
        self.lock = threading.Lock()

    def __call__(self, a, b):
        return 0.0


@timers
def test_what_cannot_be_sent_to_a_process_is_named():
    with pytest.raises(sm.engine.MeasureError, match="Locked in a process .* leave timeout out"):
        sm.cross(sm.measures.Custom(Locked(), timeout=30), NAMES[:2])
    measure = sm.measures.Custom(lambda a, b: 0.0, vectorised=False, timeout=30)
    with pytest.raises(sm.engine.MeasureError, match="row 0 .* objects cannot be sent there"):
        sm.cross(measure, [Locked(), Locked()])
