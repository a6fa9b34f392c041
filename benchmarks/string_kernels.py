"""Strings, substrings, n-grams and members against the tools people use, side by side.

``OMP_NUM_THREADS=1 python -m benchmarks.string_kernels`` needs edlib and RapidFuzz, and the data
folder (SEAMARK_DATA, or --data) for n-grams; writes ``string_kernels.md`` to --out.
"""

from __future__ import annotations

import argparse
import platform
import time
from functools import partial
from pathlib import Path

import edlib
import numpy as np
from rapidfuzz import distance
from rapidfuzz.process import cdist
from scipy.spatial.distance import cdist as distances
from sklearn.feature_extraction.text import TfidfVectorizer

import seamark as sm
from seamark.data import Members, Substrings, sets, strings
from seamark.datasets import load

from .kernels.contest import Contest, Contestant
from .kernels.report import Line, table
from .kernels.strings import words

Contest = partial(Contest, clock=time.process_time)
PAGE = """# Strings, substrings, n-grams, members: kernels against the best existing tools

One thread, {machine}, kernels built for `{isa}`; contestants take turns in one process, best turn
each, processor time, on a machine that others use too. GCUPS: 10⁹ cells of the dynamic-programming
matrix per second. Values agree: edit distances exactly, others to float32 (n-grams: as far as
buckets do not collide). Written by `make bench-strings`.

{table}

- edlib is called pair by pair from Python, as it offers no other way, and does a share of the
  pairs; a call costs about 1 µs before it begins. In texts of 2,000 letters that is nothing, and
  the ratio is that of the algorithms.
- scikit-learn's n-grams: "transform" is `TfidfVectorizer(analyzer="char_wb")`, already fitted, and
  the product with the landmarks' rows; "fit" is to count in how many strings each n-gram occurs.
- The unrestricted Damerau distance has no bit-parallel form; landmarks are in lanes of 32 bits.
"""


def edit_contest(name, unit, measure, scorer, texts, landmarks, floor):
    X, L = strings.ingest(texts), strings.ingest(landmarks)
    work = float(X.lengths.sum()) * float(L.lengths.sum())
    peer = partial(cdist, scorer=scorer, dtype=np.float32, workers=1)
    return Contest(
        name=f"{measure.name}, {name}",
        unit=unit,
        ours=Contestant("seamark", lambda: measure.cross(X, L, n_jobs=1), work),
        peers=[
            Contestant("RapidFuzz cdist(X, L)", lambda: peer(texts, landmarks), work),
            Contestant("RapidFuzz cdist(L, X)", lambda: peer(landmarks, texts), work),
        ],
        floor=floor,
    )


def edit_contests(rng):
    names, more = words(4000, 4, 12, rng), words(1000, 4, 12, rng)
    sixty, others = words(2000, 60, 60, rng), words(600, 60, 60, rng)
    eighty, long = words(1000, 80, 80, rng), words(200, 100, 200, rng)
    m = sm.measures
    for measure, scorer in (
        (m.Indel(), distance.Indel.distance),
        (m.LCS(), distance.LCSseq.similarity),
        (m.OptimalAlignment(), distance.OSA.distance),
        (m.JaroWinkler(), distance.JaroWinkler.similarity),
        (m.DamerauLevenshtein(), distance.DamerauLevenshtein.distance),
    ):
        of = partial(edit_contest, unit="GCUPS", measure=measure, scorer=scorer, floor=1.0)
        share = 6 if measure.name == "damerau_levenshtein" else 1
        yield of("names of 4..12", texts=names[::share], landmarks=more[::share])
        yield of("60 × 60", texts=sixty[::share], landmarks=others[::share])
        yield of("80 × 100..200", texts=eighty[::share], landmarks=long[::share])


def substring_contest(name, texts, parts, share):
    X, L = strings.ingest(texts), strings.ingest(parts)
    measure = sm.measures.Substring(ends=False)

    def one_by_one():
        for text in texts[:share]:
            for part in parts[:share]:
                edlib.align(part, text, mode="HW", task="distance")

    cells = [
        float(a.lengths.sum()) * float(b.lengths.sum()) for a, b in ((X, L), (X[:share], L[:share]))
    ]
    return Contest(
        name=f"substring, {name}",
        unit="GCUPS",
        ours=Contestant("seamark", lambda: measure.cross(X, L, n_jobs=1), cells[0]),
        peers=[Contestant("edlib HW", one_by_one, cells[1])],
        floor=3.0,
    )


def substring_contests(rng):
    names, texts = words(2000, 4, 12, rng), words(300, 80, 80, rng)
    long = words(40, 2000, 2000, rng)
    parts, _ = Substrings(ends=False).cut(strings.ingest(texts), 1000, rng)
    yield substring_contest("names × parts of 2..8", names, list(parts), 60)
    yield substring_contest("texts of 80 × parts of 2..8", texts, list(parts), 60)
    yield substring_contest("texts of 2000 × 60", long, words(256, 60, 60, rng), 40)
    yield substring_contest("texts of 2000 × 100..200", long, words(128, 100, 200, rng), 40)


def member_contest(d, low, high, n, rng):
    bags = [rng.normal(size=(k, d)).astype(np.float32) for k in rng.integers(low, high, n)]
    X = sets.ingest(bags)
    L, _ = Members().cut(X, 1000, rng)
    measure = sm.measures.Member()
    pairs = float(X.lengths.sum()) * len(L)
    return Contest(
        name=f"member, sets of {low}..{high} in {d}-d × {len(L)}",
        unit="G vector pairs/s",
        ours=Contestant("seamark", lambda: measure.cross(X, L, n_jobs=1), pairs),
        peers=[
            Contestant(
                "scipy cdist loop", lambda: [distances(L, b).min(axis=1) for b in bags], pairs
            )
        ],
        floor=5.0,
    )


def ngram_contests(data, rng):
    for name, n in (("names_language", 20000), ("sms_spam", 5000)):
        X = [str(x) for x in load(f"strings/{name}", folder=data).data[:n]]
        rows = strings.ingest(X)
        some = [X[i] for i in rng.choice(len(X), 1000, replace=False)]
        L = strings.ingest(some)
        measure = sm.measures.NGrams()
        peer = TfidfVectorizer(analyzer="char_wb", ngram_range=measure.n, lowercase=False)
        peer.fit(X)
        fitted, theirs = measure.fitted_to(rows, rng), peer.transform(some)
        yield Contest(
            name=f"ngrams, {len(X)} {name} × 1000: transform",
            unit="rows/s",
            ours=Contestant("seamark", partial(fitted.cross, rows, L, n_jobs=1), len(X)),
            peers=[
                Contestant(
                    "TfidfVectorizer and product",
                    lambda X=X, p=peer, t=theirs: (p.transform(X) @ t.T).toarray(),
                    len(X),
                )
            ],
            floor=1.0,
        )
        yield Contest(
            name=f"ngrams, {len(X)} {name}: fit",
            unit="rows/s",
            ours=Contestant("seamark", partial(measure.fitted_to, rows, rng), len(X)),
            peers=[Contestant("TfidfVectorizer", partial(peer.fit, X), len(X))],
            floor=1.0,
        )


def contests(data):
    rng = np.random.default_rng(1)
    yield from substring_contests(rng)
    for d, low, high, n in ((2, 3, 30, 400), (16, 5, 40, 200), (128, 6, 100, 60)):
        yield member_contest(d, low, high, n, rng)
    yield from ngram_contests(data, rng)
    yield from edit_contests(rng)


def main():
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.string_kernels", description=__doc__
    )
    parser.add_argument("--data", type=Path, default=None)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path("docs/benchmarks"))
    options = parser.parse_args()
    lines = []
    for contest in contests(options.data):
        lines.append(Line.of_contest(contest.hold(options.rounds)))
        print(lines[-1], flush=True)
    isa = sm.engine.backend().name
    page = PAGE.format(machine=platform.machine(), isa=isa, table=table(lines))
    options.out.joinpath("string_kernels.md").write_text(page)


if __name__ == "__main__":
    main()
