"""Saved models predict where nothing is but what they need, on every instruction set alike."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from seamark.engine.backends import backends

ALONE = Path(__file__).with_name("predict_alone.py")
OLD_PROCESSOR = {  # what numpy and BLAS would do on one without AVX
    "OPENBLAS_CORETYPE": "Nehalem",
    "NPY_DISABLE_CPU_FEATURES": "AVX512_SKX AVX512CD AVX512F FMA3 AVX2",
}


def ran(backend, **more):
    environment = {**os.environ, "SEAMARK_ISA": backend, "OPENBLAS_NUM_THREADS": "1", **more}
    command = [sys.executable, "-W", "ignore", str(ALONE), "--only-needed"]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=300, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr  # the file says how far they may differ
    return json.loads(done.stdout)


@pytest.mark.parametrize("backend", backends())
def test_models_predict_alike_on_every_instruction_set(backend):
    found = ran(backend, **({} if backend == "reference" else OLD_PROCESSOR))
    assert found["backend"] == backend
    assert found["files"] > 50
    # What a measure of another library needs is said, and nothing else is needed.
    assert list(found["lacking"]) == ["LandmarkClassifier-rapidfuzz"]
    assert "pip install 'seamark[strings]'" in str(found["lacking"])
