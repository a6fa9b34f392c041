"""What goes wrong on a cluster: Ctrl-C, too little memory, other versions, functions that fail."""

import os
import re
import signal
import threading
import time

import joblib
import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV

import seamark as sm

distributed = pytest.importorskip("distributed")
import dask  # noqa: E402
import dask.array as da  # noqa: E402
import dask.bag as db  # noqa: E402
from test_clusters import DASK_WARNS, LENGTH, NAMES, OPTIONS, SEX, close, started  # noqa: E402

pytestmark = DASK_WARNS


@pytest.fixture(autouse=True)
def few():
    with sm.engine.using(hashed_from=400):
        yield


def interrupted(call, when):
    """Call, and press Ctrl-C when something has come true."""

    came = []  # asked here alone: after Ctrl-C it may no longer be so

    def press():
        end = time.monotonic() + 120
        while not (now := bool(when())) and time.monotonic() < end:
            time.sleep(0.05)
        came.append(now)
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs ignore it
    finger = threading.Thread(target=press)
    finger.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            call()
    finally:
        finger.join()
        signal.signal(signal.SIGINT, before)
    assert came == [True]


def idle(client, seconds=120.0):
    """Whether within some seconds no worker has anything to do."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        working = client.run(lambda dask_worker: len(dask_worker.active_threads))
        if not any(client.processing().values()) and not any(working.values()):
            return True
        time.sleep(0.1)
    return False


def slow(seconds, mark):
    """Return a function that takes its time, and touches a file at each call in a worker."""
    here = os.getpid()

    def lengths(a, b):
        import os
        import time
        from pathlib import Path

        if os.getpid() != here:
            Path(mark).touch()
            time.sleep(seconds)
        return float(abs(len(a) - len(b)))

    return sm.measures.Custom(lengths, kind="distance", vectorised=False)


def test_ctrl_c_ends_what_workers_do(client, tmp_path):
    """A partition would take minutes here; Dask alone would let it end."""
    mark = tmp_path / "called"
    features = sm.LandmarkMap(slow(0.02, str(mark)), landmarks=NAMES[:9], transfer="identity")
    lazy = features.fit(NAMES[:2]).transform(db.from_sequence(NAMES, npartitions=2))
    interrupted(lazy.compute, mark.exists)
    assert idle(client)
    mark.unlink()
    time.sleep(0.3)
    assert not mark.exists()


def test_ctrl_c_during_a_fit_leaves_nothing_half_done(client, tmp_path):
    bag, mark = db.from_sequence(NAMES, npartitions=4), tmp_path / "called"
    model = sm.LandmarkRegressor(slow(0.02, str(mark)), landmarks=NAMES[:10], random_state=0)
    interrupted(lambda: model.fit(bag, LENGTH), mark.exists)
    assert not hasattr(model, "head_")
    assert idle(client)
    good = sm.LandmarkClassifier("levenshtein", **OPTIONS).fit(bag, SEX)
    with sm.engine.using("threads"):
        close(good, sm.LandmarkClassifier("levenshtein", **OPTIONS).fit(NAMES, SEX))


@pytest.mark.parametrize("spin", [True, False])
def test_a_call_may_not_hang_on_a_worker(client, spin):
    """Neither in Python nor in a library, which `time.sleep` stands for."""
    here, bad = os.getpid(), NAMES[1700]

    def lengths(a, b):
        import os
        import time

        if a == bad and os.getpid() != here:
            end = time.monotonic() + 300
            while time.monotonic() < end:
                time.sleep(0 if spin else 300)
        return float(abs(len(a) - len(b)))

    measure = sm.measures.Custom(lengths, kind="distance", vectorised=False, timeout=2)
    landmarks = [name for name in NAMES[:20] if name != bad]
    model = sm.LandmarkRegressor(measure, landmarks=landmarks, transfer="identity", random_state=0)
    bag, start = db.from_sequence(NAMES, npartitions=4), time.monotonic()
    with pytest.raises(sm.engine.MeasureError, match=r"row \d+ of X.*longer than 2 s") as error:
        model.fit(bag, LENGTH)
    assert NAMES[int(re.search(r"row (\d+)", str(error.value))[1])] == bad
    assert time.monotonic() - start < 250
    assert idle(client)


def test_ctrl_c_cancels_rows_that_were_sent_ahead(client):
    series = np.random.default_rng(0).normal(size=(400, 300))

    def work():
        with sm.engine.using(client, chunk_seconds=0.05):
            for _ in range(1000):
                sm.cross("dtw", series)

    interrupted(work, lambda: any(client.processing().values()))
    assert idle(client)


@pytest.fixture(scope="module")
def small():
    """Return a cluster of one worker with 450 MB, most of which are taken before any work."""
    few = {
        "distributed.scheduler.allowed-failures": 0,
        "distributed.worker.memory.target": 0.1,
        "distributed.worker.memory.spill": 0.2,
        "distributed.worker.memory.pause": False,
    }
    with (
        dask.config.set(few),
        distributed.LocalCluster(
            n_workers=1,
            threads_per_worker=1,
            memory_limit="450MB",
            dashboard_address=":0",
            silence_logs=50,
        ) as found,
        distributed.Client(found) as client,
    ):
        yield client


def test_partitions_that_do_not_fit_together_are_spilled(small):
    def block(seed):
        return np.random.default_rng(seed).normal(size=(1000, 500))

    parts = [da.from_delayed(dask.delayed(block)(k), (1000, 500), float) for k in range(6)]
    rows, X = da.concatenate(parts).persist(), np.concatenate(list(map(block, range(6))))  # 24 MB
    held = da.ones((50, 500_000), chunks=(5, 500_000)).persist()  # 200 MB
    far = sm.LandmarkRegressor("euclidean", **OPTIONS).fit(rows, X[:, 0])
    assert max(small.run(lambda dask_worker: len(dask_worker.data.disk)).values()) > 0
    near = sm.LandmarkRegressor("euclidean", **OPTIONS)
    with sm.engine.using("threads"):
        near.fit(X, X[:, 0])
    np.testing.assert_allclose(far.predict(X), near.predict(X), atol=1e-4)
    del held


def test_a_partition_larger_than_a_worker_is_said(small):
    def large(a, b):
        import time

        held = [np.ones(2_000_000) for _ in range(40)]  # 640 MB
        time.sleep(60)  # until it is killed
        return NAMES[a : b + 0 * len(held)]

    parts = [dask.delayed(large)(a, a + 1000) for a in (0, 1000)]
    with pytest.raises(RuntimeError, match="more memory than they have: make partitions smaller"):
        sm.LandmarkClassifier("levenshtein", **OPTIONS).fit(db.from_delayed(parts), SEX)


def test_a_search_runs_on_workers(client):
    grid = {"n_landmarks": [5, 40]}
    search = GridSearchCV(sm.LandmarkClassifier("levenshtein", random_state=0), grid, cv=3)
    here = search.fit(NAMES[:300], SEX[:300]).cv_results_["mean_test_score"]
    with joblib.parallel_config("dask"):
        there = search.fit(NAMES[:300], SEX[:300]).cv_results_["mean_test_score"]
    np.testing.assert_allclose(there, here)
    assert search.best_estimator_.predict(NAMES[:3]).shape == (3,)


def fails_at(bad):
    def lengths(a, b):
        if a == bad:
            raise KeyError(a)
        return float(abs(len(a) - len(b)))

    measure = sm.measures.Custom(lengths, kind="distance", vectorised=False)
    landmarks = [name for name in NAMES[:20] if name != bad]
    features = sm.LandmarkMap(measure, landmarks=landmarks, transfer="identity")
    return features.fit(landmarks)


def test_errors_of_lazy_results_name_the_row(client):
    row = next(i for i, name in enumerate(NAMES) if i > 1700 and NAMES.count(name) == 1)
    features, rows = fails_at(NAMES[row]), da.from_array(np.array(NAMES, dtype=object), chunks=500)
    with pytest.raises(sm.engine.MeasureError, match=rf"failed on row {row} of X"):
        features.transform(rows).compute()
    bag = db.from_sequence(NAMES, npartitions=4)
    with pytest.raises(sm.engine.MeasureError, match=rf"in partition 3: .* row {row - 1500} of X"):
        features.transform(bag).compute()


OTHER_VERSION = """
import importlib.metadata
import seamark.io.dask as ours
known = importlib.metadata.version
ours.version = lambda name: "0.0.1" if name == "seamark" else known(name)
from seamark.io import sample
vars(sample).pop("HashedSample", None)  # another version may lack what is sent
"""


def test_a_worker_of_another_version_says_so(tmp_path):
    place, other = str(tmp_path / "scheduler.json"), tmp_path / "other.py"
    other.write_text(OTHER_VERSION)
    addresses = ["--scheduler-file", place, "--no-dashboard"]
    scheduler = started("scheduler", *addresses, "--port", "0", "--host", "127.0.0.1")
    worker = started("worker", *addresses, "--nthreads", "1", "--no-nanny", "--preload", str(other))
    try:
        with distributed.Client(scheduler_file=place, timeout=120) as client:
            client.wait_for_workers(1, timeout=120)
            bag = db.from_sequence(NAMES, npartitions=2)
            with pytest.raises(RuntimeError, match=r"worker has seamark 0.0.1, and the client has"):
                sm.LandmarkClassifier("levenshtein", **OPTIONS).fit(bag, SEX)
    finally:
        for process in (worker, scheduler):
            process.kill()
            process.wait()
