"""Python may end while a thread still works in native code: no abort, no report of leaks."""

import subprocess
import sys

import pytest

WORK = """
import threading, time
import numpy as np
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
loader = ExtensionFileLoader("seamark.engine._native", {path!r})  # alone: all else takes a second
_native = module_from_spec(spec_from_loader(loader.name, loader))
loader.exec_module(_native)

class AtTheEnd:
    '''Deleted with the module, when Python is ending: tells the kernel to stop, gives it time.'''
    def __init__(self, stop):
        self.stop, self.sleep = stop, time.sleep
    def __del__(self):
        self.stop[0] = {told}
        self.sleep(0.5)

values, offsets = np.ones((40_000, 1)), np.array([0, 40_000])
plan = _native.DTWPlan(values, offsets, -1, -1.0, False, "baseline")
many = np.tile(values, (50, 1)), np.arange(51) * 40_000
stop, out = np.zeros(1, np.uint8), np.zeros((50, 1), np.float32)
at_the_end = AtTheEnd(stop)
threading.Thread(target=plan.run, args=(*many, out, stop), daemon=True).start()
time.sleep(0.2)
"""


@pytest.mark.parametrize("told", [0, 1], ids=["still working", "told to stop"])
def test_a_thread_that_works_to_the_end_is_silent(told):
    native = pytest.importorskip("seamark.engine._native")
    code = WORK.format(told=told, path=native.__file__)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
