"""Dask collections on a real cluster: a scheduler, worker processes, loopback."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from itertools import pairwise

import numpy as np
import pytest

import seamark as sm

distributed = pytest.importorskip("distributed")
pytest.importorskip("dask.dataframe")
pd = pytest.importorskip("pandas")
import dask  # noqa: E402
import dask.array as da  # noqa: E402
import dask.bag as db  # noqa: E402
import dask.dataframe as dd  # noqa: E402

DASK_WARNS = [  # of what is no fault here: a port that is taken, forks beside its threads
    pytest.mark.filterwarnings("ignore:Port .* is already in use"),
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded, use of fork"),
]
pytestmark = DASK_WARNS
RNG = np.random.default_rng(0)
NAMES = ["".join(RNG.choice(list("abcdefgh"), RNG.integers(3, 9))) for _ in range(2000)]
SEX = np.array(["f" if "a" in name else "m" for name in NAMES])
LENGTH = np.array([float(len(name)) for name in NAMES])
OPTIONS = {"n_landmarks": 30, "random_state": 0}


@pytest.fixture(autouse=True)
def few():
    with sm.engine.using(hashed_from=400):
        yield


@pytest.fixture(scope="module")
def alone():
    with sm.engine.using("threads", hashed_from=400):
        return sm.LandmarkClassifier("levenshtein", **OPTIONS).fit(NAMES, SEX)


def parts_of(made, parts=12):
    """Return a bag of partitions as a function makes them."""
    ends = np.linspace(0, len(NAMES), parts + 1).astype(int)
    return db.from_delayed([dask.delayed(made)(int(a), int(b)) for a, b in pairwise(ends)])


def close(one, other):
    np.testing.assert_allclose(one.head_.coef_, other.head_.coef_, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(one.head_.intercept_, other.head_.intercept_, atol=1e-7)
    assert list(one.landmarks_) == list(other.landmarks_)


def test_a_frame_fits_as_on_one_machine_and_predicts_lazily(client, alone):
    frame = dd.from_pandas(pd.DataFrame({"name": NAMES, "sex": SEX}), npartitions=5)
    model = sm.LandmarkClassifier("levenshtein", **OPTIONS).fit(frame["name"], frame["sex"])
    close(model, alone)
    assert model.n_evaluations_ == alone.n_evaluations_
    assert model.n_rows_ == len(NAMES)
    said = model.predict(frame["name"])
    assert isinstance(said, da.Array)
    np.testing.assert_array_equal(said.compute(), alone.predict(NAMES))
    chances = model.predict_proba(frame["name"])
    np.testing.assert_allclose(chances.compute(), alone.predict_proba(NAMES), atol=1e-6)


def test_bags_and_arrays_do_too(client, alone):
    bag = db.from_sequence(NAMES, npartitions=4)
    close(sm.LandmarkClassifier("levenshtein", **OPTIONS).fit(bag, SEX), alone)
    source = sm.rows(bag, target=SEX)
    close(sm.LandmarkClassifier("levenshtein", **OPTIONS).fit(source), alone)
    X = RNG.normal(size=(1200, 4))
    rows, targets = da.from_array(X, chunks=(500, 2)), da.from_array(X[:, 0], chunks=170)
    far = sm.LandmarkRegressor("euclidean", **OPTIONS).fit(rows, targets)
    with sm.engine.using("threads"):
        near = sm.LandmarkRegressor("euclidean", **OPTIONS).fit(X, X[:, 0])
        np.testing.assert_allclose(far.predict(rows).compute(), near.predict(X), atol=1e-4)
    features = far.map_.transform(rows)
    assert features.shape == (1200, 30)
    assert features.dtype == np.float32
    np.testing.assert_allclose(features.compute(), far.map_.transform(X), atol=1e-5)


def test_few_rows_of_a_collection_come_here(client):
    bag = db.from_sequence(NAMES[:300], npartitions=3)
    far = sm.LandmarkClassifier("levenshtein", head="svm", **OPTIONS).fit(bag, SEX[:300])
    near = sm.LandmarkClassifier("levenshtein", head="svm", **OPTIONS).fit(NAMES[:300], SEX[:300])
    np.testing.assert_array_equal(far.predict(NAMES), near.predict(NAMES))
    found = sm.assess("levenshtein", db.from_sequence(NAMES, npartitions=3), SEX, random_state=0)
    assert found.skill > 0.1


def awaited(what, seconds=120.0):
    """Wait until something is true, however slow the machine; tell whether it came true."""
    end = time.monotonic() + seconds
    while not (found := what()) and time.monotonic() < end:
        time.sleep(0.02)
    return found


def test_a_worker_that_is_killed_costs_time_only(client, alone, tmp_path):
    """It dies while partitions are made for the second time: some of the sums are there."""
    (pid, *_) = client.run(os.getpid).values()
    done, when, killed = [], [], tmp_path / "killed"

    def is_late(a):
        return a > len(NAMES) / 2 and len((tmp_path / f"{a}").read_text()) > 1

    def made(a, b):
        with open(tmp_path / f"{a}", "a") as file:
            file.write("x")
        if is_late(a):
            awaited(killed.exists)  # so that the fit cannot end before
        return NAMES[a:b]

    def kill():
        parts = [int(a) for a in np.linspace(0, len(NAMES), 13)[:-1]]
        there = lambda a: (tmp_path / f"{a}").exists() and is_late(a)  # noqa: E731
        when.append(awaited(lambda: any(map(there, parts))) and not done)
        os.kill(pid, signal.SIGKILL)
        killed.touch()

    killer = threading.Thread(target=kill)
    killer.start()
    model = sm.LandmarkClassifier("levenshtein", **OPTIONS).fit(parts_of(made), SEX)
    done.append(True)
    killer.join()
    assert when == [True]
    close(model, alone)
    client.wait_for_workers(2, timeout=120)
    assert pid not in client.run(os.getpid).values()


def test_a_worker_that_joins_late_helps(client, cluster, alone, tmp_path):
    """Partitions wait for a third worker, which is asked for when one of them is under way."""

    def made(a, b):
        (tmp_path / str(os.getpid())).touch()
        end = time.monotonic() + 120
        while len(os.listdir(tmp_path)) < 3 and time.monotonic() < end:
            time.sleep(0.02)
        return NAMES[a:b]

    def join():
        awaited(lambda: os.listdir(tmp_path))
        cluster.scale(3)

    joiner = threading.Thread(target=join)
    joiner.start()
    model = sm.LandmarkClassifier("levenshtein", **OPTIONS).fit(parts_of(made), SEX)
    joiner.join()
    assert len(os.listdir(tmp_path)) == 3
    close(model, alone)
    cluster.scale(2)


def test_sums_travel_and_features_do_not(client):
    """Each row has 100 features, 400 bytes; what workers send is less than 50 bytes a row."""

    def sent(dask_worker):
        return sum(one["total"] for one in dask_worker.transfer_outgoing_log)

    rows = da.random.default_rng(0).normal(size=(40_000, 3), chunks=(5000, 3)).persist()
    distributed.wait(rows)
    before = sum(client.run(sent).values())
    options = {**OPTIONS, "n_landmarks": 100, "transfer": "identity"}
    model = sm.LandmarkRegressor("euclidean", **options).fit(rows, rows[:, 0])
    model.predict(rows).sum().compute()
    after = sum(client.run(sent).values())
    assert 0 < after - before < 50 * 40_000
    assert model.n_rows_ == 40_000


def test_errors_of_functions_come_home_with_the_row(client):
    bad = NAMES[1700]

    def lengths(a, b):
        if a == bad:
            raise KeyError(a)
        return abs(len(a) - len(b))

    landmarks = [name for name in NAMES[:40] if name != bad]
    measure = sm.measures.Custom(lengths, kind="distance")
    model = sm.LandmarkRegressor(measure, landmarks=landmarks, transfer="identity", random_state=3)
    with pytest.raises(sm.engine.MeasureError) as error:
        model.fit(db.from_sequence(NAMES, npartitions=4), LENGTH)
    assert NAMES[int(re.search(r"row (\d+)", str(error.value))[1])] == bad
    assert isinstance(error.value.__cause__, KeyError)
    good = sm.LandmarkRegressor(
        sm.measures.Custom(lambda a, b: abs(len(a) - len(b)), kind="distance"), n_landmarks=10
    )
    good.fit(db.from_sequence(NAMES, npartitions=4), LENGTH)
    assert good.score(NAMES, LENGTH) > 0.9


def test_rows_in_memory_are_spread(client):
    X, L = NAMES[:1500], NAMES[:300]
    with sm.engine.using(client), sm.engine.counting() as counter:
        far = sm.cross("levenshtein", X, L)
    np.testing.assert_array_equal(far, sm.cross("levenshtein", X, L))
    assert counter.evaluations == 1500 * 300


def test_what_does_not_fit_together_is_said_before_any_work(client, tmp_path):
    bag = db.from_sequence(NAMES, npartitions=4)
    model = sm.LandmarkClassifier("levenshtein", **OPTIONS)
    with pytest.raises(ValueError, match="4 partitions and its labels have 2; repartition"):
        model.fit(bag, db.from_sequence(SEX.tolist(), npartitions=2))
    with pytest.raises(ValueError, match="give one for each"):
        model.fit(bag, SEX[:-1])
    with pytest.raises(ValueError, match="repeats lost work by itself"):
        model.fit(bag, SEX, checkpoint=tmp_path)
    with pytest.raises(ValueError, match="needs the features of all rows at once"):
        sm.LandmarkClassifier("levenshtein", head="logistic", **OPTIONS).fit(bag, SEX)


def started(command, *arguments):
    code = [sys.executable, "-W", "ignore", "-m", f"distributed.cli.dask_{command}", *arguments]
    return subprocess.Popen(code, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def test_a_scheduler_that_is_gone_is_named_and_models_stay(tmp_path):
    place = str(tmp_path / "scheduler.json")
    addresses = ["--scheduler-file", place, "--no-dashboard"]
    scheduler = started("scheduler", *addresses, "--port", "0", "--host", "127.0.0.1")
    worker = started("worker", *addresses, "--nthreads", "1", "--no-nanny")
    bag = db.from_sequence(NAMES, npartitions=2)
    try:
        awaited(lambda: os.path.exists(place))
        client = distributed.Client(scheduler_file=place, timeout=30)  # as long it tries again, too
        client.wait_for_workers(1, timeout=120)
        model = sm.LandmarkClassifier("levenshtein", **OPTIONS).fit(bag, SEX)
        with dask.config.set({"distributed.comm.timeouts.connect": "3s"}):  # to what is gone
            scheduler.kill()
            scheduler.wait()
            with pytest.raises(RuntimeError, match="Dask c(lient is|luster stopped)"):
                sm.LandmarkClassifier("levenshtein", **OPTIONS).fit(bag, SEX)
            assert model.score(NAMES, SEX) > 0.8
            client.close()
    finally:
        for process in (scheduler, worker):
            process.kill()
            process.wait()
    assert (model.predict(bag).compute() == model.predict(NAMES)).all()  # threads of this process


def test_settings_travel_to_workers(client):
    """Those where work was submitted, not the workers' own."""

    def part(chunk):
        return [(sm.engine.backend().name, sm.engine.settings().feature_bytes)]

    with sm.engine.using("reference", feature_bytes=12345):
        found = sm.rows(db.from_sequence(NAMES[:40], npartitions=4)).reduce(part)
    assert set(found) == {("reference", 12345)}


@pytest.mark.parametrize("landmarks", ["diverse", "farthest"])
def test_landmarks_are_chosen_with_values_from_workers(client, landmarks):
    options = {"landmarks": landmarks, "n_landmarks": 9, "random_state": 0}
    here = sm.LandmarkClassifier("levenshtein", **options).fit(NAMES[:300], SEX[:300])
    with sm.engine.using(client, chunk_seconds=1e-3):
        there = sm.LandmarkClassifier("levenshtein", **options).fit(NAMES[:300], SEX[:300])
    assert there.landmarks_[:].values.tolist() == here.landmarks_[:].values.tolist()
