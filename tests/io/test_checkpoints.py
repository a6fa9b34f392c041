"""A fit that was killed goes on, to the same bits; nothing is half-written."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import seamark as sm

SCRIPT = Path(__file__).with_name("killed_fits.py")
NAMES = ["".join(np.random.default_rng(i).choice(list("abcd"), 6)) for i in range(1200)]
LENGTH = np.array([name.count("a") for name in NAMES], dtype=float)


def killed(folder, kills, seed):
    code = [sys.executable, "-W", "ignore", str(SCRIPT), str(folder), str(kills), str(seed)]
    ran = subprocess.run(code, capture_output=True, text=True, timeout=300, check=True)
    kept = list(map(int, ran.stdout.split()))
    assert kept == sorted(kept)  # nothing finished is lost
    resumed, plain = np.load(folder / "resumed.npz"), np.load(folder / "plain.npz")
    for name in ("coef", "intercept"):
        np.testing.assert_array_equal(resumed[name], plain[name])
    drafts = [path for path in (folder / "checkpoint").iterdir() if path.suffix == ".part"]
    assert not drafts
    return kept


forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked, to be quick")


@forks
def test_a_killed_fit_goes_on_to_the_same_bits(tmp_path):
    assert killed(tmp_path, 3, 0)[-1] > 0


@forks
@pytest.mark.slow
def test_a_fit_killed_twenty_times_goes_on_to_the_same_bits(tmp_path):
    assert killed(tmp_path, 20, 1)[-1] > 0


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr("seamark.io.checkpoint.EVERY_SECONDS", 0.0)
    with sm.engine.using(hashed_from=300):
        yield


def source(y=LENGTH):
    return sm.rows(NAMES, target=y, chunk_rows=100)


def model(**changes):
    options = {"n_landmarks": 20, "random_state": 0} | changes
    return sm.LandmarkRegressor("levenshtein", **options)


def test_a_finished_fit_evaluates_only_the_sample_again(tmp_path):
    first = model().fit(source(), checkpoint=tmp_path / "kept")
    with sm.engine.counting() as counter:
        again = model().fit(source(), checkpoint=tmp_path / "kept")
    assert counter.evaluations <= 20 * 300
    np.testing.assert_array_equal(again.head_.coef_, first.head_.coef_)


def test_a_folder_of_another_fit_is_refused(tmp_path):
    model().fit(source(), checkpoint=tmp_path)
    for other in (model(n_landmarks=21), model(random_state=1)):
        with pytest.raises(ValueError, match="holds another fit"):
            other.fit(source(), checkpoint=tmp_path)
    with pytest.raises(ValueError, match="holds another fit"):
        model().fit(sm.rows(NAMES[:-1], target=LENGTH[:-1]), checkpoint=tmp_path)
    model(progress=False, n_jobs=1).fit(source(), checkpoint=tmp_path)  # how it runs is no matter


def test_without_a_seed_a_fit_keeps_its_own(tmp_path):
    first = model(random_state=None).fit(source(), checkpoint=tmp_path)
    again = model(random_state=None).fit(source(), checkpoint=tmp_path)
    assert list(first.landmarks_) == list(again.landmarks_)


def test_a_full_disk_leaves_what_was_there(tmp_path, monkeypatch):
    whole, calls, fsync = model().fit(source()), [], os.fsync

    def full(descriptor):
        calls.append(descriptor)
        if len(calls) == 5:
            raise OSError(errno.ENOSPC, "No space left on device")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="what it held before is still there: make room"):
        model().fit(source(), checkpoint=tmp_path)
    (kept,) = tmp_path.glob("sums-*.npz")
    assert int(np.load(kept)["chunks"]) == 3  # one saving was of the note that the fit began
    assert not list(tmp_path.glob(".*.part"))
    resumed = model().fit(source(), checkpoint=tmp_path)
    np.testing.assert_array_equal(resumed.head_.coef_, whole.head_.coef_)


@pytest.mark.parametrize("damage", [b"", b"no npz", b"PK\x03\x04 broken"])
def test_a_damaged_checkpoint_is_named(tmp_path, damage):
    model().fit(source(), checkpoint=tmp_path)
    (kept,) = tmp_path.glob("sums-*.npz")
    kept.write_bytes(damage)
    with pytest.raises(ValueError, match="not a valid checkpoint"):
        model().fit(source(), checkpoint=tmp_path)


def test_sums_of_another_shape_are_not_taken(tmp_path):
    model().fit(source(), checkpoint=tmp_path)
    (kept,) = tmp_path.glob("sums-*.npz")
    held = dict(np.load(kept)) | {"moments": np.zeros((2, 3, 3))}
    np.savez(kept, **held)
    with pytest.raises(ValueError, match="holds no sums of this fit"):
        model().fit(source(), checkpoint=tmp_path)


def test_heads_that_do_not_add_up_have_no_checkpoint(tmp_path):
    with pytest.raises(ValueError, match="needs the features of all rows at once"):
        sm.LandmarkRegressor("levenshtein", head="svr").fit(NAMES, LENGTH, checkpoint=tmp_path)


CHANGED = {
    "targets": lambda X, y, w: (X, np.where(np.arange(len(y)) == 250, y + 50.0, y), w),
    "weights": lambda X, y, w: (X, y, np.where(np.arange(len(y)) == 250, 40.0, w)),
    "rows": lambda X, y, w: ([*X[:250], "dddddddddd", *X[251:]], y, w),
    "all targets": lambda X, y, w: (X, -y, w),
}


@pytest.mark.parametrize("what", CHANGED)
@pytest.mark.parametrize("as_frame", [False, True])
def test_a_checkpoint_of_other_data_is_not_taken(tmp_path, what, as_frame):
    data = [*NAMES[:10], *NAMES], np.r_[LENGTH[:10], LENGTH], np.ones(1210)

    def fit(data, folder):
        X, y, weight = data
        if as_frame:
            pd = pytest.importorskip("pandas")
            X = pd.DataFrame({"name": X, "size": np.arange(len(X)) % 97.0})
        blocks = {"name": "levenshtein", "size": "euclidean"} if as_frame else "levenshtein"
        with sm.engine.using(chunk_rows=100):
            fitted = sm.LandmarkRegressor(blocks, n_landmarks=20, random_state=0)
            return fitted.fit(X, y, sample_weight=weight, checkpoint=folder).head_.coef_

    fit(data, tmp_path / "kept")
    other = CHANGED[what](*data)
    fresh = fit(other, tmp_path / "fresh")
    with pytest.warns(UserWarning, match="is of other data: rows, targets or weights have changed"):
        again = fit(other, tmp_path / "kept")
    np.testing.assert_array_equal(again, fresh)
    np.testing.assert_array_equal(fit(other, tmp_path / "kept"), fresh)  # without a warning


def test_a_changed_note_of_the_fit_is_refused(tmp_path):
    model(random_state=None).fit(source(), checkpoint=tmp_path)
    note = tmp_path / "fit.json"
    kept = json.loads(note.read_text())
    note.write_text(json.dumps(kept | {"seed": kept["seed"] ^ 1}))
    with pytest.raises(ValueError, match=r"fit\.json is not a valid checkpoint"):
        model(random_state=None).fit(source(), checkpoint=tmp_path)


def test_empty_blocks_are_not_counted_as_chunks(tmp_path, monkeypatch):
    """A fit that goes on takes up no block twice."""

    def blocks():
        for start in range(0, 1200, 100):
            yield NAMES[start : start + 100], LENGTH[start : start + 100]
            yield [], []

    whole, calls, fsync = model().fit(sm.rows(blocks)), [], os.fsync

    def stopped(descriptor):
        calls.append(descriptor)
        if len(calls) == 5:
            raise OSError(errno.ENOSPC, "No space left on device")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", stopped)
    with pytest.raises(OSError, match="make room"):
        model().fit(sm.rows(blocks), checkpoint=tmp_path)
    resumed = model().fit(sm.rows(blocks), checkpoint=tmp_path)
    np.testing.assert_array_equal(resumed.head_.coef_, whole.head_.coef_)
