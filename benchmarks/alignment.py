"""Local alignment against parasail, and Wasserstein distances against POT and scipy, side by side.

``OMP_NUM_THREADS=1 python -m benchmarks.alignment`` needs parasail and POT; it writes
``alignment.md`` to --out. There is no floor: both measures are numpy, and are shown as they are.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import ot
import parasail
from scipy.stats import wasserstein_distance

import seamark as sm
from seamark.data import sets, strings

from .kernels.contest import Contest, Contestant
from .provenance import written_by

PAGE = """# Local alignment and Wasserstein distances, against parasail, POT and scipy

One thread; contestants take turns in one process, best turn each, processor time, on a machine
that others use too. Values agree: scores of alignments exactly, distances to float32. Neither
measure has a native kernel. {written}

| job | seamark | peer | ratio | turns |
| --- | --- | --- | --- | --- |
{rows}

- Proteins are random letters by which BLOSUM62 scores; a gap costs 11 to open and 1 for each
  further letter. parasail is called once for each pair, with a profile for each row, as it offers
  no other way.
- POT's `emd2_1d` and scipy's `wasserstein_distance` are called once for each pair; POT's general
  solver `emd2` gets the distances of the same numbers as a matrix.
"""
LETTERS = "ARNDCQEGHILKMFPSTWYV"
OPEN, EXTEND = 11, 1


def proteins(rng, n, low, high):
    return ["".join(rng.choice(list(LETTERS), size)) for size in rng.integers(low, high + 1, n)]


def alignment(rng, rows, columns, low, high):
    """Ours, and parasail's striped kernel of 16 bits."""
    X, L = proteins(rng, rows, low, high), proteins(rng, columns, low, high)
    measure = sm.measures.SmithWaterman("blosum62", gap_open=OPEN, gap_extend=EXTEND)
    objects, landmarks = strings.ingest(X), strings.ingest(L)
    work = float(objects.lengths.sum()) * float(landmarks.lengths.sum())

    def peer():
        out = np.empty((rows, columns))
        for i, x in enumerate(X):
            profile = parasail.profile_create_16(x, parasail.blosum62)
            for j, y in enumerate(L):
                out[i, j] = parasail.sw_striped_profile_16(profile, y, OPEN, EXTEND).score
        return out

    np.testing.assert_array_equal(measure.cross(X, L), peer())
    return Contest(
        name=f"SmithWaterman(BLOSUM62), {low}..{high} letters",
        unit="GCUPS",
        ours=Contestant("seamark", lambda: measure.cross(objects, landmarks, n_jobs=1), work),
        peers=[Contestant("parasail", peer, work)],
        floor=0.0,
        clock=time.process_time,
    )


def transport(rng, rows, columns, low, high, name):
    """Ours, and a peer that is called for each pair."""
    X, L = (
        [rng.normal(size=(size, 1)) for size in rng.integers(low, high + 1, n)]
        for n in (rows, columns)
    )
    peers = {
        "scipy": lambda x, y: wasserstein_distance(x[:, 0], y[:, 0]),
        "POT emd2_1d": lambda x, y: ot.emd2_1d(x, y, metric="euclidean"),
        "POT emd2": lambda x, y: ot.emd2([], [], ot.dist(x, y, metric="euclidean")),
    }
    objects, landmarks = sets.ingest(X), sets.ingest(L)

    def peer():
        return np.array([[peers[name](x, y) for y in L] for x in X])

    measure = sm.measures.Wasserstein()
    np.testing.assert_allclose(measure.cross(X, L), peer(), rtol=1e-4, atol=1e-5)
    pairs = float(rows * columns)
    return Contest(
        name=f"Wasserstein, {low}..{high} numbers",
        unit="pairs/s",
        ours=Contestant("seamark", lambda: measure.cross(objects, landmarks, n_jobs=1), pairs),
        peers=[Contestant(name, peer, pairs)],
        floor=0.0,
        clock=time.process_time,
    )


def row(contest):
    """One line of the page."""
    scale = 1e9 if contest.unit == "GCUPS" else 1.0
    low, high = contest.spread
    ours, peer = contest.ours.rate / scale, contest.best_peer
    cells = (
        contest.name,
        f"{ours:.3g} {contest.unit}",
        f"{peer.rate / scale:.3g} ({peer.name})",
        f"{contest.ratio:.2g}×",
        f"{low:.2g}..{high:.2g}",
    )
    return "| " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.alignment", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path("docs/benchmarks"))
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    contests = [alignment(rng, 60, 60, *size) for size in ((30, 60), (100, 300))]
    contests += [
        transport(rng, 60, 60, *size, name)
        for size in ((5, 20), (100, 200))
        for name in ("scipy", "POT emd2_1d", "POT emd2")
    ]
    rows = []
    for contest in contests:
        rows.append(row(contest.hold(options.rounds)))
        print(rows[-1], flush=True)
    written = written_by("make bench-alignment", "parasail", "POT")
    options.out.joinpath("alignment.md").write_text(
        PAGE.format(written=written, rows="\n".join(rows)), encoding="utf-8"
    )


if __name__ == "__main__":
    main()
