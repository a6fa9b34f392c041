"""Iterative heads and learned weighing: processor seconds of a fit, and what it then scores.

``python -m benchmarks.heads_speed --before SRC`` runs every job in turn with this package and with
the sources of an older version (its ``src`` folder, native module included), each in a process of
its own on one thread, and writes ``heads.md`` to --out. Rows are training rows of the data folder
(SEAMARK_DATA, or --data), cut in two: nothing is chosen by a test set.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROUNDS = 3
HEAD = """# Heads that iterate, and learned weighing: what a fit costs

Processor seconds of one fit, BLAS on one thread; this version and version 0.1 took turns, each in
a process of its own, on a machine busy with other work; of several rounds (here {rounds}) the
least counts. The score is of other rows: accuracy, or mean NDCG. Written by
`python -m benchmarks.heads_speed --before SRC`.

| job | 0.1 | now | times faster | score then | score now |
|---|---|---|---|---|---|
"""

NOTES = """
What is left: of a ranking three fifths are the products of all rows with all columns, at the speed
of BLAS; its penalty is chosen on 320 of the 1,000 columns. Of `weighing="learned"` on surnames a
third is reading 10,000 columns of features, and a fifth to a half are paths, most of which are
products with the columns chosen, at the speed of BLAS; of the gestures half is values of DTW
against 3,900 landmarks, where there were 10,000. What Python and scikit-learn look up once in a
process, some 0.03 s, is in all of these figures: an eighth of the shortest learned fit. Small
`d2ke` fits spend their time on values and on Python.

Two fits differ in their scores by chance, as the table shows. On other splits of training rows,
this version less the one before it, with standard errors: `weighing="learned"` +0.003 ± 0.002 in
accuracy (22 splits each of surnames, twice, splice junctions and five sets of series), 64 columns
for the surnames 0.000 ± 0.002; penalties of a ranking chosen on 300 of 1,000 columns 0.0000 ±
0.0004 in NDCG (46 splits of MQ2008 and six tables). `Ordinal` ends at the same minimum.
"""


def halves(path, size, seed, classes=None):
    """Objects and labels of some training rows, and of others."""
    import numpy as np

    from seamark.datasets import load

    bunch = load(path, folder=os.environ["SEAMARK_DATA"])
    y, split = np.asarray(bunch.target), getattr(bunch, "split", None)
    rows = np.arange(len(y)) if split is None else np.flatnonzero(split == 0)
    if classes is not None:
        rows = rows[np.isin(y[rows], np.unique(y)[:classes])]
    rows = np.random.default_rng(seed).permutation(rows)
    fitted, others = np.sort(rows[:size]), np.sort(rows[size : 2 * size + 500])
    return (bunch.data[fitted], y[fitted]), (bunch.data[others], y[others])


def table(name):
    import numpy as np

    z = np.load(Path(os.environ["SEAMARK_DATA"]) / "tabular" / f"{name}.npz")
    X = z["X"].astype(float)
    return z, (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-9)


def similarities(X, rows, R):
    """Ready features: similarities to the first rows."""
    import seamark as sm

    return sm.LandmarkMap("gaussian", landmarks=X[rows[:R]], scale=False).fit(X[rows])


def ordinal(name, size, R):
    import numpy as np

    from seamark.linear_model import Ordinal

    z, X = table(name)
    y = z["y"]
    if len(np.unique(y)) > 10:
        y = np.searchsorted(np.quantile(y, [0.2, 0.4, 0.6, 0.8]), y)
    rows = np.random.default_rng(0).permutation(len(y))
    first, last = rows[:size], rows[size : 2 * size]
    features = similarities(X, first, R)
    pairs = [(features.transform(X[part]), y[part]) for part in (first, last)]
    return Ordinal(), *pairs


def ranking(R):
    import numpy as np

    from seamark.linear_model import Ranking

    z, X = table("mq2008")
    queries, train = z["qid"], z["split"] == 0 if "split" in z.files else np.ones(len(X), bool)
    some = np.random.default_rng(0).permutation(np.unique(queries[train]))
    first = np.flatnonzero(train & np.isin(queries, some[: len(some) // 2]))
    last = np.flatnonzero(train & ~np.isin(queries, some[: len(some) // 2]))
    features = similarities(X, np.random.default_rng(0).permutation(first), R)
    triples = [(features.transform(X[p]), z["y"][p], queries[p]) for p in (first, last)]
    return Ranking(), *triples


def d2ke(path, measure, size, R, classes=None):
    import seamark as sm

    model = sm.papers.d2ke(measure, n_landmarks=R, random_state=0)
    return model, *halves(path, size, 0, classes)


def learned(path, measure, size, R=None):
    import seamark as sm

    transfer = sm.transfers.Decay(0.1 if measure == "levenshtein" else 0.02)
    model = sm.LandmarkClassifier(
        measure, n_landmarks=R, transfer=transfer, weighing="learned", random_state=0
    )
    return model, *halves(path, size, 0)


JOBS = {
    "`Ordinal`, 2,400 white wines, R = 1000": lambda: ordinal("wine_white", 2400, 1000),
    "`Ordinal`, 3,000 rows of bank8fm, R = 500": lambda: ordinal("bank8fm", 3000, 500),
    "`Ranking`, MQ2008, R = 1000": lambda: ranking(1000),
    "`papers.d2ke`, 500 trajectories, 15 classes, R = 1024": lambda: d2ke(
        "series/CharacterTrajectories_half", "dtw", 500, 1024, 15
    ),
    "`papers.d2ke`, 135 vowels, R = 512": lambda: d2ke("series/JapaneseVowels", "dtw", 135, 512),
    "`papers.d2ke`, 195 gestures (CricketX), R = 512": lambda: d2ke(
        "series/ucr/CricketX", "dtw", 195, 512
    ),
    '`weighing="learned"`, 1,500 surnames': lambda: learned(
        "strings/names_language", "levenshtein", 1500
    ),
    '`weighing="learned"`, 1,500 surnames, R = 64': lambda: learned(
        "strings/names_language", "levenshtein", 1500, 64
    ),
    '`weighing="learned"`, 195 gestures (CricketX)': lambda: learned(
        "series/ucr/CricketX", "dtw", 195
    ),
}


def run(job):
    """Fit once in this process; prints seconds and score."""
    model, fitted, others = JOBS[job]()
    start = time.process_time()
    model.fit(*fitted)
    seconds = time.process_time() - start
    print(json.dumps({"seconds": seconds, "score": float(model.score(*others))}))


def measured(job, source):
    """The same in a process of its own, of other sources if said."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "benchmarks.heads_speed", "--job", job]
    command += ["--source", source] if source else []
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def line(job, before, now):
    seconds = [min(r["seconds"] for r in results) for results in (before, now)]
    ratio = f"{seconds[0]:.2f} | {seconds[1]:.2f} | {seconds[0] / seconds[1]:.1f}"
    return f"| {job} | {ratio} | {before[0]['score']:.4f} | {now[0]['score']:.4f} |"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", default=os.environ.get("SEAMARK_DATA"))
    parser.add_argument("--before", help="src folder of the older version")
    parser.add_argument("--out", type=Path, default=Path("docs/benchmarks"))
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--job")
    parser.add_argument("--source")
    given = parser.parse_args()
    os.environ["SEAMARK_DATA"] = given.data or ""
    if given.source:  # an editable install would come first
        sys.meta_path = [f for f in sys.meta_path if "editable" not in repr(f).lower()]
        sys.path.insert(0, given.source)
    if given.job:
        run(given.job)
        return
    lines = []
    for job in JOBS:
        turns = [(measured(job, given.before), measured(job, None)) for _ in range(given.rounds)]
        lines.append(line(job, *zip(*turns, strict=True)))
        print(lines[-1], flush=True)
    page = HEAD.format(rounds=given.rounds) + "\n".join(lines) + "\n" + NOTES
    (given.out / "heads.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
