"""A disk that is full: an error in one sentence, nothing lost, nothing half-written."""

import json
import subprocess
import sys

import pytest

resource = pytest.importorskip("resource", reason="files are limited as this system does not")

BEGIN = """
import json, resource, sys
import numpy as np
import seamark as sm

def limited(n_bytes):
    "Let no file grow beyond so many bytes: a write then fails, as on a full disk."
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard if n_bytes is None else n_bytes, hard))

def said(call):
    try:
        call()
    except Exception as error:
        return type(error).__name__, str(error)
    return None

rng = np.random.default_rng(0)
names = ["".join(rng.choice(list("abcd"), 6)) for _ in range(900)]
y = np.array([name.count("a") for name in names], dtype=float)
"""

FIT = """
folder = sys.argv[1]
def fit(checkpoint):
    model = sm.LandmarkRegressor("levenshtein", n_landmarks=20, random_state=0, n_jobs=1)
    sys.modules["seamark.io.checkpoint"].EVERY_SECONDS = 0.0
    with sm.engine.using(hashed_from=300):
        return model.fit(sm.rows(names, target=y, chunk_rows=100), checkpoint=checkpoint)

limited(10_000)  # sums of 20 landmarks take 19 kB
error = said(lambda: fit(folder))
limited(None)
import os
held = sorted(os.listdir(folder))
same = bool((fit(folder).head_.coef_ == fit(None).head_.coef_).all())
print(json.dumps({"error": error, "held": held, "same": same}))
"""

STORE = """
folder = sys.argv[2]
calls = []

def lengths(a, b):
    calls.append(1)
    return float(abs(len(a) - len(b)) + (a != b))

def cross(n):
    measure = sm.measures.Custom(lengths, kind="distance", memory=folder, vectorised=False)
    return sm.cross(measure, names[:n], names[:30])

few = cross(100)
calls.clear()
import os
size = max(one.stat().st_size for one in os.scandir(folder))
limited(size + 20_000)
error = said(lambda: cross(900))
limited(None)
tried = len(calls)
calls.clear()
whole = cross(900)
print(json.dumps({"error": error, "tried": tried, "again": len(calls),
    "same": bool((whole[:100] == few).all()), "right": bool((whole[:30].diagonal() == 0).all())}))
"""

SAVE = """
folder = sys.argv[3]
import os
path = os.path.join(folder, "m.seamark")
model = sm.LandmarkRegressor("levenshtein", n_landmarks=20, random_state=0).fit(names, y)
sm.save(model, path)
before = open(path, "rb").read()
limited(1000)
error = said(lambda: sm.save(model, path, overwrite=True))
limited(None)
print(json.dumps({"error": error, "same": before == open(path, "rb").read(),
    "held": sorted(os.listdir(folder))}))
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """What each of the three found, in one process."""
    folders = [str(tmp_path_factory.mktemp(name)) for name in ("fit", "store", "save")]
    command = [sys.executable, "-W", "ignore", "-c", BEGIN + FIT + STORE + SAVE, *folders]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_checkpoint_that_cannot_be_written_leaves_no_part_of_it(ran):
    found = ran[0]
    kind, said = found["error"]
    assert kind == "OSError"
    assert "what it held before is still there: make room" in said
    assert found["held"] == ["fit.json"]
    assert found["same"]


def test_values_that_cannot_be_kept_leave_those_that_were(ran):
    found = ran[1]
    kind, said = found["error"]
    assert kind == "OSError"
    assert "cannot be used" in said
    assert "disk" in said
    assert found["same"]
    assert found["right"]
    assert 0 < found["again"] <= 800 * 30  # what was kept before is not called again


def test_a_model_that_cannot_be_written_leaves_the_one_before(ran):
    found = ran[2]
    kind, said = found["error"]
    assert kind == "OSError"
    assert "m.seamark could not be written (File too large); what it held before" in said
    assert found["same"]
    assert found["held"] == ["m.seamark"]
