"""What can go wrong on a device costs one sentence: nothing is lost, and memory is given back."""

import gc
import os
import re
import signal
import subprocess
import sys
import weakref

import numpy as np
import pytest
from apart import ApartDevice

import seamark as sm
from seamark.engine import backends
from seamark.engine.cuda import Cuda


class WatchedDevice(ApartDevice):
    """Knows which of its arrays live, and fails when it is told to."""

    sums_from = 0.0  # small jobs, too

    def __init__(self, folder):
        super().__init__(folder)
        self.made, self.failure, self.left = [], None, 0

    def upload(self, array):
        return self._noted(super().upload(array))

    def empty(self, shape, dtype):
        return self._noted(super().empty(shape, dtype))

    def launch(self, *kernel):
        self._count()
        super().launch(*kernel)

    def fail(self, error, after):
        """Fail with an error, after so many arrays and kernels."""
        self.failure, self.left = error, after

    def in_use(self):
        """Bytes of the arrays that live."""
        gc.collect()
        return sum(one().nbytes for one in self.made if one() is not None)

    def _noted(self, array):
        self._count()
        self.made.append(weakref.ref(array))
        return array

    def _count(self):
        self.left -= 1
        if self.failure is not None and self.left < 0:
            raise self.failure


@pytest.fixture(scope="module")
def watched(host):
    return WatchedDevice(host.folder)


def words(rng, n=300):
    X = ["".join(rng.choice(list("abcd"), k)) for k in rng.integers(3, 12, n)]
    return X, np.array([x.count("a") > 1 for x in X]).astype(int)


def fitted(X, y):
    return sm.LandmarkClassifier("levenshtein", n_landmarks=30, random_state=0).fit(X, y)


def test_a_fit_gives_back_all_but_its_landmarks(watched, rng):
    X, y = words(rng)
    before = watched.in_use()
    with sm.engine.using(backend=Cuda(watched, backends.backend())):
        model = fitted(X, y)
        assert sum(map(np.size, model.predict(X))) == len(X)
    assert 0 < watched.in_use() - before < 20_000  # landmarks in words; values are 4 · 300 · 30
    del model
    assert watched.in_use() == before


@pytest.mark.parametrize(
    "error",
    [
        MemoryError("the GPU has too little memory left"),
        RuntimeError("the GPU failed (lost)"),
        KeyboardInterrupt("pressed"),
    ],
    ids=lambda error: type(error).__name__,
)
@pytest.mark.parametrize("after", [0, 40, 150])
def test_after_a_failure_nothing_is_held_and_the_next_fit_is_the_same(watched, rng, error, after):
    X, y = words(rng)
    before = watched.in_use()
    with sm.engine.using(backend=Cuda(watched, backends.backend())):
        watched.fail(error, after)
        with pytest.raises(type(error), match=re.escape(str(error))):
            fitted(X, y)
        watched.failure = error.__traceback__ = None
        assert watched.in_use() == before
        there = fitted(X, y).predict_proba(X)
    np.testing.assert_allclose(there, fitted(X, y).predict_proba(X), rtol=1e-3, atol=1e-4)


# --- on a GPU -------------------------------------------------------------------------------------


def test_too_much_for_a_gpu_is_one_sentence(gpu):
    with pytest.raises(MemoryError, match="the GPU has too little memory left"):
        gpu.empty(1 << 45, np.uint8)
    with sm.engine.using("cuda"):
        assert sm.cross("levenshtein", ["sea"], ["see"])[0, 0] == 1


def test_a_gpus_memory_is_given_back_after_a_fit(gpu, rng, monkeypatch):
    monkeypatch.setattr(gpu, "sums_from", 0.0)
    pool = gpu.cupy.get_default_memory_pool()
    X, y = words(rng, 3000)
    gc.collect()
    before = pool.used_bytes()
    with sm.engine.using("cuda"):
        model = fitted(X, y)
    gc.collect()
    assert pool.used_bytes() - before < 100_000  # landmarks; values are 4 · 3000 · 30
    assert pool.total_bytes() - pool.used_bytes() <= 1 << 20  # the rest went back
    del model
    gc.collect()
    assert pool.used_bytes() <= before


FORKED = """
import os, seamark as sm
with sm.engine.using("cuda"):
    sm.cross("levenshtein", ["sea"], ["see"])
    child = os.fork()
    if child == 0:
        try:
            sm.cross("levenshtein", ["sea"], ["see"])
        except RuntimeError as error:
            print(error, flush=True)
        print("the child lives", flush=True)
        os._exit(0)
    os.waitpid(child, 0)
    print("the parent has", sm.cross("levenshtein", ["sea"], ["mark"])[0, 0], flush=True)
"""


def test_a_process_forked_after_the_gpu_was_used(gpu):
    command = [sys.executable, "-W", "ignore", "-c", FORKED]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    assert "forked from one that has used the GPU" in said
    assert "the child lives" in said
    assert "the parent has 4.0" in said


INTERRUPTED = """
import numpy as np, seamark as sm
rng = np.random.default_rng(0)
L = ["".join(rng.choice(list("ACGT"), 400)) for _ in range(2048)]
with sm.engine.using("cuda"):
    sm.cross("levenshtein", L[:10], L)
    print("begun", flush=True)
    try:
        sm.cross("levenshtein", L * 100, L)
        print("finished")
    except KeyboardInterrupt:
        print("heard", sm.cross("levenshtein", ["sea"], ["see"])[0, 0])
"""


def test_ctrl_c_while_a_gpu_works(gpu):
    command = [sys.executable, "-W", "ignore", "-c", INTERRUPTED]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert running.stdout.readline() == "begun\n"
    with pytest.raises(subprocess.TimeoutExpired):
        running.wait(0.2)
    os.kill(running.pid, signal.SIGINT)
    said, _ = running.communicate(timeout=60)
    assert said == "heard 1.0\n"
