"""Fit in processes that are killed, and go on: python killed_fits.py FOLDER KILLS SEED."""

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np

import seamark as sm
import seamark.io.checkpoint as checkpoint_module

N, STEP = 3000, 100


def words(n):
    rng = np.random.default_rng(0)
    return ["".join(rng.choice(list("abcdefgh"), rng.integers(3, 9))) for _ in range(n)]


NAMES = words(N)
SEX = np.array(["f" if "a" in name else "m" for name in NAMES])


def blocks():
    for start in range(0, N, STEP):
        time.sleep(0.01)  # a slow disk: there is time to be killed
        yield NAMES[start : start + STEP], SEX[start : start + STEP]


def fit(checkpoint, out):
    model = sm.LandmarkClassifier("levenshtein", n_landmarks=40, random_state=0, n_jobs=1)
    checkpoint_module.EVERY_SECONDS = 0.0
    with sm.engine.using(hashed_from=300):
        model.fit(sm.rows(blocks), checkpoint=checkpoint)
    np.savez(out, coef=model.head_.coef_, intercept=model.head_.intercept_)


def chunks_in(folder):
    found = list(folder.glob("sums-*.npz"))
    return max((int(np.load(path)["chunks"]) for path in found), default=0)


def wait_for(folder, chunks):
    """Wait until so many chunks are kept, however slow the machine."""
    end = time.monotonic() + 120
    while chunks_in(folder) < min(chunks, N // STEP) and time.monotonic() < end:
        time.sleep(0.005)


def main(folder, kills, seed):
    rng, folder = np.random.default_rng(seed), Path(folder)
    kept = []
    for _ in range(kills):
        child = os.fork()
        if child == 0:
            fit(folder / "checkpoint", folder / "killed.npz")
            os._exit(0)
        some = kept[-1] if kept else 0
        wait_for(folder / "checkpoint", some + int(rng.integers(0, 4)))
        time.sleep(rng.uniform(0.0, 0.05))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        kept.append(chunks_in(folder / "checkpoint"))
    fit(folder / "checkpoint", folder / "resumed.npz")
    fit(None, folder / "plain.npz")
    print(*kept)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
