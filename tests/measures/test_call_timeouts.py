"""A Python function that hangs is interrupted, and the pair is named."""

import signal
import threading
import time

import numpy as np
import pytest

import seamark as sm

NAMES = ["sea", "mark", "land", "hang", "see"]
timers = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers here")


def lengths(a, b):
    if a == "hang":
        time.sleep(60)
    return abs(len(a) - len(b))


def busy(a, b):
    while a == "hang":
        pass
    return abs(len(a) - len(b))


@timers
@pytest.mark.parametrize("f", [lengths, busy])
def test_a_call_that_hangs_names_its_pair(f):
    measure = sm.measures.Custom(f, kind="distance", vectorised=False, timeout=0.2)
    before, start = signal.getsignal(signal.SIGALRM), time.monotonic()
    with pytest.raises(sm.engine.MeasureError, match="row 3.*longer than 0.2 s"):
        sm.cross(measure, NAMES, NAMES[:2])
    assert time.monotonic() - start < 20
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
    measure = sm.measures.Custom(lengths, vectorised=False, timeout=0.2, memory=tmp_path)
    with pytest.raises(sm.engine.MeasureError):
        sm.cross(measure, NAMES, NAMES[:2])
    with sm.engine.counting() as counter:
        sm.cross(measure, NAMES[:3], NAMES[:2])
    assert counter.evaluations == 0


@pytest.mark.parametrize("timeout", [0, -1.0, np.inf, "2", True])
def test_a_timeout_is_a_number_of_seconds(timeout):
    with pytest.raises(ValueError, match="timeout must be a positive number of seconds"):
        sm.cross(sm.measures.Custom(lengths, timeout=timeout), NAMES[:2])


@timers
def test_other_threads_say_that_they_have_no_timer():
    measure, found = sm.measures.Custom(lengths, vectorised=False, timeout=5), []

    def work():
        try:
            sm.cross(measure, NAMES[:2])
        except Exception as error:
            found.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert "main thread" in str(found[0])
