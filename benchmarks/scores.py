"""Scores of models as they come, kept for each commit: what a change gains and loses.

``python -m benchmarks.scores`` runs what is missing of the present commit, from the data folder
SEAMARK_DATA, and compares the last two files; ``--compare BEFORE AFTER`` runs nothing. To score
another version: ``PYTHONPATH=<its checkout>/src python -m benchmarks.scores --commit <name>``.
``--calibration`` keeps nothing: it compares decisions with those of the same models uncalibrated.
"""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

FOLDER = Path(__file__).parent / "scores"
N_SPLITS = 5
MOST_TEST = 2000

# Rows to fit to: so many, and half of the rows where there are fewer than twice as many.
STRINGS = {
    "names_language": (1500, 6000),
    "splice": (1500,),
    "promoters": (70,),
    "sms_spam": (1500,),
    "misspellings_codespell": (500,),
}
CLASSES = {
    "breast_cancer": 3000,
    "diabetes": 3000,
    "ionosphere": 3000,
    "sonar": 3000,
    "vowel": 3000,
    "wine_red": 3000,
    "steel_plates": 3000,
    "spambase": 1000,
    "magic": 3000,
    "nursery": 1000,
}
NUMBERS = {"abalone": 1000, "bodyfat": 3000, "cahousing": 3000, "puma8nh": 1000}
SERIES = """
    BME Chinatown DistalPhalanxTW ECG200 GunPoint ItalyPowerDemand MedicalImages
    MiddlePhalanxOutlineAgeGroup ProximalPhalanxTW SyntheticControl
""".split()  # noqa: SIM905
SETS = "Musk1 Elephant Fox".split()  # noqa: SIM905
SINGLE = {"strings": "levenshtein", "tabular": "manhattan", "series": "dtw", "sets": "chamfer"}
COMMON = 20  # corrections of misspellings, those with the most: others have too few


class Job(NamedTuple):
    """One fit."""

    data: str
    task: str
    rows: int
    measure: str
    split: int


class Score(NamedTuple):
    """Accuracy, or R² of a regression; log-loss; seconds of the fit."""

    score: float
    log_loss: float
    seconds: float


Scores = dict[Job, Score]


def jobs() -> Iterator[Job]:
    """Everything that is scored, short jobs first."""
    sets = [(f"sets/{name}", "classes", 3000) for name in SETS]
    sets += [(f"series/ucr/{name}", "classes", 400) for name in SERIES]
    sets += [(f"tabular/{name}", "numbers", rows) for name, rows in NUMBERS.items()]
    sets += [(f"tabular/{name}", "classes", rows) for name, rows in CLASSES.items()]
    sets += [(f"strings/{name}", "classes", n) for name, rows in STRINGS.items() for n in rows]
    for data, task, rows in sets:
        for measure in (SINGLE[data.split("/")[0]], "auto"):
            for split in range(N_SPLITS):
                yield Job(data, task, rows, measure, split)


@cache
def loaded(data: str) -> tuple[Any, Any]:
    """Objects and targets."""
    from seamark import datasets

    found = datasets.load(data)
    X, y = found.data, np.asarray(found.target)
    if data.endswith("codespell"):
        names, counts = np.unique(y, return_counts=True)
        kept = np.isin(y, names[np.argsort(-counts, kind="stable")[:COMMON]])
        X, y = X[np.flatnonzero(kept)], y[kept]
    return X.astype(np.float64) if isinstance(X, np.ndarray) else X, y


def parted(job: Job) -> tuple[Any, Any, Any, Any]:
    """Training and test rows of a split, at random."""
    X, y = loaded(job.data)
    order = np.random.default_rng(job.split).permutation(len(y))
    n = min(job.rows, len(y) // 2) if job.rows >= len(y) else job.rows
    first, second = np.sort(order[:n]), np.sort(order[n : n + MOST_TEST])
    if job.task == "classes":
        second = second[np.isin(y[second], y[first])]
    return X[first], y[first], X[second], y[second]


def measure_of(job: Job) -> Any:
    """The measure of a job; columns of tables, which have many units, are scaled."""
    import seamark as sm

    if job.data.startswith(("tabular", "sets")) and job.measure != "auto":
        return sm.measures.ScaledColumns(getattr(sm.measures, job.measure.title())())
    return job.measure


def scored(job: Job) -> Score:
    """Fit and score."""
    import seamark as sm

    X, y, X_new, y_new = parted(job)
    kind = sm.LandmarkClassifier if job.task == "classes" else sm.LandmarkRegressor
    model = kind(measure_of(job), random_state=job.split)
    began = time.perf_counter()
    model.fit(X, y)
    seconds = time.perf_counter() - began
    if job.task == "numbers":
        error = np.mean((np.asarray(model.predict(X_new)) - y_new) ** 2)
        return Score(float(1 - error / np.var(y_new)), np.nan, seconds)
    chances = model.predict_proba(X_new)
    places = np.searchsorted(model.classes_, y_new)
    of_true = np.clip(chances[np.arange(len(places)), places], 1e-9, 1)
    right = np.mean(np.asarray(model.predict(X_new)) == y_new)
    return Score(float(right), float(-np.mean(np.log(of_true))), seconds)


def file_of(commit: str) -> Path:
    """Where a commit's scores are."""
    return FOLDER / f"{commit}.csv"


def read(commit: str) -> Scores:
    """What is known of a commit; nothing if there is no file."""
    if not file_of(commit).exists():
        return {}
    with file_of(commit).open(newline="", encoding="utf-8") as file:
        _, *lines = csv.reader(file)
    return {
        Job(data, task, int(rows), measure, int(split)): Score(*map(float, rest))
        for data, task, rows, measure, split, *rest in lines
    }


def keep(commit: str, scores: Scores) -> None:
    """Write what is known, in the order of the jobs."""
    FOLDER.mkdir(exist_ok=True)
    with file_of(commit).open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(Job._fields + Score._fields)
        for job in sorted(scores):
            score, loss, seconds = scores[job]
            out.writerow([*job, f"{score:.5f}", f"{loss:.5f}", f"{seconds:.2f}"])


def run(commit: str, workers: int, only: str) -> None:
    """Run what is missing, and keep it as it comes."""
    known = read(commit)
    wanted = [job for job in jobs() if job not in known and only in "/".join(map(str, job))]
    with ProcessPoolExecutor(workers) as pool:
        for number, (job, score) in enumerate(zip(wanted, pool.map(scored, wanted), strict=True)):
            known[job] = score
            keep(commit, known)
            print(f"{number + 1}/{len(wanted)} {'/'.join(map(str, job))}: {score}", flush=True)


def compared(before: str, after: str) -> str:
    """Return paired differences: of every set and measure over splits, then of each kind."""
    old, new = read(before), read(after)
    both = [job for job in sorted(old) if job in new]
    groups: dict[str, list[Job]] = {}
    for job in both:
        groups.setdefault(f"{job.data} {job.rows} {job.measure}", []).append(job)
    kinds: dict[str, list[Job]] = {}
    for job in both:
        how = "auto" if job.measure == "auto" else "single"
        kinds.setdefault(f"all {job.data.split('/')[0]}, {job.task}, {how}", []).append(job)
    lines = [
        f"| {after} against {before} | score before | after | difference | ± | better/worse "
        "| log-loss | ± | seconds before | after |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for name, some in (groups | kinds).items():
        one, other = np.array([old[j] for j in some]), np.array([new[j] for j in some])
        change = other - one
        # Of a kind, sets are the unit: splits of one are much alike.
        if name.startswith("all "):
            sets = np.unique([f"{j.data} {j.rows}" for j in some], return_inverse=True)[1]
            sums = np.stack([np.bincount(sets, column) for column in change.T], axis=1)
            change = sums / np.bincount(sets)[:, None]
        error = (
            change.std(axis=0, ddof=1) / np.sqrt(len(change)) if len(change) > 1 else np.zeros(3)
        )
        wins, losses = (change[:, 0] > 0).sum(), (change[:, 0] < 0).sum()
        lines.append(
            f"| {name} | {one[:, 0].mean():.4f} | {other[:, 0].mean():.4f} "
            f"| {change[:, 0].mean():+.4f} | {error[0]:.4f} | {wins}/{losses} "
            f"| {change[:, 1].mean():+.4f} | {error[1]:.4f} "
            f"| {one[:, 2].sum():.0f} | {other[:, 2].sum():.0f} |"
        )
    return "\n".join(lines)


def accuracies(job: Job) -> tuple[float, float]:
    """Return the accuracy of a model without calibration, and with it."""
    import seamark as sm

    X, y, X_new, y_new = parted(job)
    found = []
    for calibrate in (False, True):
        head = sm.linear_model.RidgeClassifier(calibrate=calibrate, random_state=job.split)
        model = sm.LandmarkClassifier(measure_of(job), head=head, random_state=job.split)
        found.append(float(model.fit(X, y).score(X_new, y_new)))
    return found[0], found[1]


def calibration(workers: int, only: str) -> str:
    """Return what calibration changes in decisions, paired over splits."""
    wanted = [j for j in jobs() if j.task == "classes" and only in "/".join(map(str, j))]
    groups: dict[str, list[tuple[float, float]]] = {}
    with ProcessPoolExecutor(workers) as pool:
        for job, pair in zip(wanted, pool.map(accuracies, wanted), strict=True):
            groups.setdefault(f"{job.data} {job.rows} {job.measure}", []).append(pair)
    lines = ["| accuracy | uncalibrated | calibrated | difference | ± |", "|---|---|---|---|---|"]
    for name, pairs in groups.items():
        without, with_ = np.array(pairs).T
        change = with_ - without
        error = change.std(ddof=1) / np.sqrt(len(change)) if len(change) > 1 else 0.0
        means = f"{without.mean():.4f} | {with_.mean():.4f} | {change.mean():+.4f} | {error:.4f}"
        lines.append(f"| {name} | {means} |")
    return "\n".join(lines)


def present() -> str:
    """The commit of the sources here, with a + if they have changed since."""
    root = Path(__file__).parent.parent
    git = ["git", "-C", str(root)]
    head = [*git, "rev-parse", "--short=7", "HEAD"]
    name = subprocess.run(head, check=True, capture_output=True, text=True)
    changed = subprocess.run([*git, "diff", "--quiet", "HEAD", "--", "src"], check=False)
    return name.stdout.strip() + ("+" if changed.returncode else "")


def main() -> int:
    """Run, and compare."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scores", description=__doc__)
    parser.add_argument("--commit", help="name of the file; the present commit if not given")
    parser.add_argument("--only", default="", help="only jobs whose name contains this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="worker processes")
    parser.add_argument("--compare", nargs=2, metavar=("BEFORE", "AFTER"), help="run nothing")
    parser.add_argument("--calibration", action="store_true", help="decisions with and without it")
    asked = parser.parse_args()
    if asked.calibration:
        print(calibration(asked.jobs, asked.only))
        return 0
    before, after = asked.compare or (None, asked.commit or present())
    if asked.compare is None:
        run(after, asked.jobs, asked.only)
        others = [p for p in FOLDER.glob("*.csv") if p.stem != after]
        before = max(others, key=lambda p: p.stat().st_mtime).stem if others else None
    if before:
        print(compared(before, after))
    return 0


if __name__ == "__main__":
    sys.exit(main())
