"""Levenshtein against RapidFuzz, in its faster orientation."""

from __future__ import annotations

from functools import partial

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

import seamark as sm
from seamark.data import strings
from seamark.datasets import load_splice

from .contest import Contest, Contestant
from .roofs import integer_rate

LETTERS = np.array(list("abcdefghijklmnopqrstuvwxyz      .,'-"))
OPERATIONS = {"v4": 11, "v3": 18, "baseline": 18}  # vector operations per column of a word


def words(n, shortest, longest, rng):
    lengths = rng.integers(shortest, longest, size=n, endpoint=True)
    return ["".join(rng.choice(LETTERS, size=k)) for k in lengths]


def contest(name, texts, landmarks, floor):
    X, L = strings.ingest(texts), strings.ingest(landmarks)
    cells = float(X.lengths.sum()) * float(L.lengths.sum())
    peer = partial(cdist, scorer=Levenshtein.distance, dtype=np.uint16, workers=1)
    isa = sm.engine.backend().name
    return Contest(
        name=f"Levenshtein, {name}",
        unit="GCUPS",
        ours=Contestant("seamark", lambda: sm.cross("levenshtein", X, L, n_jobs=1), cells),
        peers=[
            Contestant("RapidFuzz cdist(L, X)", lambda: peer(landmarks, texts), cells),
            Contestant("RapidFuzz cdist(X, L)", lambda: peer(texts, landmarks), cells),
        ],
        floor=floor,
        roof=integer_rate(isa) * 64 / OPERATIONS[isa],
    )


def contests(scale):
    rng = np.random.default_rng(1)
    n = int(3000 * scale)
    texts, eighty = words(n, 34, 126, rng), words(n, 80, 80, rng)
    dna = list(load_splice().data)
    yield contest("texts of 34..126 × 2..50", texts, words(600, 2, 50, rng), 4.0)
    yield contest("60 × 60 (DNA)", dna[:n], dna[-600:], 3.5)
    yield contest("80 × 100..200", eighty, words(200, 100, 200, rng), 8.0)
    yield contest("80 × 2..8", eighty, words(2000, 2, 8, rng), 4.0)
