"""Search and duplicates against the tools people use, side by side in one process.

``OMP_NUM_THREADS=1 python -m benchmarks.search`` needs RapidFuzz and aeon; ``--million`` joins 10⁶
names as well, on all cores. Writes ``search.md`` to --out.
"""

from __future__ import annotations

import argparse
import platform
import resource
import time
from functools import partial
from pathlib import Path

import numpy as np
from aeon.distances import pairwise_distance
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

import seamark as sm

from .kernels.contest import Contest, Contestant
from .kernels.report import Line, table

Contest = partial(Contest, clock=time.process_time)
PAGE = """# Search and duplicates, against the best existing tools

One thread, {machine}, kernels built for `{isa}`; contestants take turns in one process, best turn
each, processor time, on a machine that others use too. All searches are exact, and find the same
values. Written by `make bench-search`.

{table}

- Names are made up, company-like: two words of one to three syllables out of 20,000, and one of
  eight endings. Queries are names of the set with one or two letters changed; the five nearest
  are asked for. RapidFuzz's `process.extract` is called once for each query; the time to fit the
  index ({fit:.2f} s, once) is not counted. Names are compared in the
  order of their lower bounds, so one query alone costs little more than one of fifty.
- Series are random walks of {steps} steps in one channel; queries are walks of the set with
  noise, and the nearest is asked for. aeon compares each query with all walks
  (`pairwise_distance`, what its neighbours classifier does) and does a share of the queries,
  after a turn in which numba compiles. Of all values these were computed:
  {shares}.
- Pairs: all pairs of 20,000 names within 2 edits; RapidFuzz's `cdist` computes the whole matrix
  with a cut-off of 2, in slices of 2,000 rows.
{million}"""
STEPS = 150


def company_names(n, seed=0):
    """Made-up names of companies."""
    rng = np.random.default_rng(seed)
    onset = [*"bcdfghklmnprstvw", "br", "ch", "dr", "gr", "st", "tr"]
    ends = ["Ltd", "Inc", "GmbH", "Holding", "Group", "Trading", "Co", "Services"]

    def word():
        parts = range(rng.integers(1, 4))
        return "".join(
            rng.choice(onset) + rng.choice(list("aeiou")) + rng.choice(["", "n", "r", "l", "s"])
            for _ in parts
        )

    words = [word() for _ in range(20_000)]
    first, second = rng.integers(len(words), size=(2, n))
    last = rng.integers(len(ends), size=n)
    return [f"{words[a]} {words[b]} {ends[c]}" for a, b, c in zip(first, second, last, strict=True)]


def edited(name, rng):
    """A name with one or two letters changed."""
    letters = list(name)
    for _ in range(rng.integers(1, 3)):
        letters[rng.integers(len(letters))] = str(rng.choice(list("aeioulnrst")))
    return "".join(letters)


def name_contest(rng, facts, n_queries=50, floor=10.0):
    names = company_names(200_000)
    queries = [edited(names[i], rng) for i in rng.integers(len(names), size=n_queries)]
    start = time.perf_counter()
    index = sm.Index("levenshtein", n_jobs=1).fit(names)
    ours = index.query(queries, k=5).values
    facts["fit"] = time.perf_counter() - start

    def theirs():
        found = [
            process.extract(query, names, scorer=Levenshtein.distance, limit=5) for query in queries
        ]
        return np.array([[value for _, value, _ in one] for one in found])

    np.testing.assert_array_equal(ours, theirs())
    return Contest(
        name=f"the 5 nearest of 200,000 names, {n_queries} quer{'ies' if n_queries > 1 else 'y'}",
        unit="queries/s",
        ours=Contestant("seamark", lambda: index.query(queries, k=5), n_queries),
        peers=[Contestant("RapidFuzz extract", theirs, n_queries)],
        floor=floor,
    )


def walk_contest(rng, facts, window, n_theirs):
    X = rng.normal(size=(10_000, STEPS)).cumsum(axis=1)
    queries = X[rng.integers(len(X), size=50)] + 0.5 * rng.normal(size=(50, STEPS))
    index = sm.Index(sm.measures.DTW(window=window), n_jobs=1).fit(X)
    some = queries[:n_theirs, None, :]

    def theirs():
        return pairwise_distance(some, X[:, None, :], method="dtw", window=window).min(axis=1)

    with sm.engine.counting() as counter:
        found = index.query(queries, k=1).values[:n_theirs, 0]
    facts["shares"].append(f"window={window}: {counter.evaluations / 5e5:.1%}")
    np.testing.assert_allclose(found**2, theirs(), rtol=1e-3)
    return Contest(
        name=f"DTW, the nearest of 10,000 walks, window={window}",
        unit="queries/s",
        ours=Contestant("seamark", lambda: index.query(queries, k=1), len(queries)),
        peers=[Contestant("aeon", theirs, n_theirs)],
        floor=5.0,
    )


def pair_contest():
    names = company_names(20_000)

    def theirs():
        found = 0
        for a in range(0, len(names), 2000):
            near = process.cdist(
                names[a : a + 2000], names, scorer=Levenshtein.distance, score_cutoff=2, workers=1
            )
            found += int((near <= 2).sum())
        return (found - len(names)) // 2

    assert theirs() == len(sm.duplicates(names, within=2))
    return Contest(
        name="all pairs of 20,000 names within 2 edits",
        unit="names/s",
        ours=Contestant("seamark", lambda: sm.duplicates(names, within=2, n_jobs=1), len(names)),
        peers=[Contestant("RapidFuzz cdist", theirs, len(names))],
        floor=1.0,
    )


def million():
    names = company_names(1_000_000)
    start, busy = time.perf_counter(), time.process_time()
    found = sm.duplicates(names, within=2, n_jobs=-1)
    took, busy = time.perf_counter() - start, time.process_time() - busy
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return (
        f"- 1,000,000 names within 2 edits: {len(found):,} pairs in {found.n_groups:,} groups, "
        f"{took:.0f} s "
        f"({busy:.0f} s of processor time on {sm.engine.n_threads(-1)} threads); the process never "
        f"held more than {most:.1f} GB, data and other jobs of this benchmark included.\n"
    )


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.search", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--million", action="store_true")
    parser.add_argument("--out", type=Path, default=Path("docs/benchmarks"))
    options = parser.parse_args()
    rng, facts, lines = np.random.default_rng(1), {"shares": []}, []
    jobs = (
        partial(name_contest, rng, facts),
        partial(name_contest, rng, facts, 1, floor=1.0),
        partial(walk_contest, rng, facts, 0.1, 5),
        partial(walk_contest, rng, facts, None, 2),
        pair_contest,
    )
    for job in jobs:
        lines.append(Line.of_contest(job().hold(options.rounds)))
        print(lines[-1], flush=True)
    page = PAGE.format(
        machine=platform.machine(),
        isa=sm.engine.backend().name,
        table=table(lines),
        fit=facts["fit"],
        steps=STEPS,
        shares="; ".join(facts["shares"]),
        million=million() if options.million else "",
    )
    options.out.joinpath("search.md").write_text(page)
    print(page)


if __name__ == "__main__":
    main()
