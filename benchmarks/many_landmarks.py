"""How time, memory and accuracy grow with rows and landmarks: one fit in a process of its own.

``python -m benchmarks.many_landmarks digits 60000 4000`` fits so many digit outlines (data folder,
``strings/mnist_chain8``) to so many landmarks and scores the test digits; ``names`` makes strings
of 5 to 20 letters from the letter pairs of the folder's names; ``covtype`` and ``languages`` are
the folder's tables and names. Prints a row of a table: processor seconds, as other work may share
the cores, and the largest memory of the process.
"""

from __future__ import annotations

import argparse
import resource
import time
from itertools import pairwise

import numpy as np

import seamark as sm
from seamark.datasets import load

MEASURES = {"digits": "levenshtein", "names": "levenshtein", "languages": "levenshtein"}


def made_names(n, rng):
    """Strings whose letters follow each other as in the folder's names, and which language's."""
    known = load("strings/names_language")
    words, y = list(map(str, known.data)), np.asarray(known.target)
    order = rng.integers(0, len(words), n)
    pairs = {}
    for word in words:
        for first, second in pairwise(word):
            pairs.setdefault(first, []).append(second)
    made = []
    for i, size in zip(order, rng.integers(5, 21, n), strict=True):
        letters = list(words[i][:size])
        while len(letters) < size:
            after = pairs.get(letters[-1]) or [words[i][0]]
            letters.append(after[int(rng.integers(len(after)))])
        made.append("".join(letters))
    return made, y[order]


def rows_of(name, n, rng):
    """Training and test objects and targets."""
    if name == "digits":
        known = load("strings/mnist_chain8")
        train, test = np.flatnonzero(known.split == 0)[:n], np.flatnonzero(known.split == 1)
        return known.data[train], known.target[train], known.data[test], known.target[test]
    if name == "names":
        X, y = made_names(n + 2000, rng)
        return X[:n], y[:n], X[n:], y[n:]
    known = load({"covtype": "tabular/covtype", "languages": "strings/names_language"}[name])
    X, y = known.data, np.asarray(known.target)
    X = X.astype(np.float64) if isinstance(X, np.ndarray) else X
    order = rng.permutation(len(y))
    train, test = np.sort(order[:n]), np.sort(order[n : n + 5000])
    return X[train], y[train], X[test], y[test]


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.many_landmarks")
    parser.add_argument("data", choices=("digits", "names", "covtype", "languages"))
    parser.add_argument("rows", type=int)
    parser.add_argument("landmarks", type=int)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    X, y, X_new, y_new = rows_of(options.data, options.rows, rng)
    measure = MEASURES.get(options.data) or sm.measures.ScaledColumns(sm.measures.Manhattan())
    model = sm.LandmarkClassifier(measure, n_landmarks=options.landmarks, random_state=options.seed)
    wall, processor = time.perf_counter(), time.process_time()
    model.fit(X, y)
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    chances = model.predict_proba(X_new)
    places = np.minimum(np.searchsorted(model.classes_, y_new), len(model.classes_) - 1)
    right = np.mean(model.classes_[chances.argmax(axis=1)] == y_new)
    loss = -np.log(np.clip(chances[np.arange(len(places)), places], 1e-9, 1)).mean()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"| {options.data} | {len(y)} | {len(model.landmarks_)} | {processor:.0f} s | {wall:.0f} s "
        f"| {peak:.1f} GB | {right:.4f} | {loss:.3f} | {model.head_.precision_} "
        f"| {model.map_.transfers_[0]} | {model.head_.penalty_:.2g} |"
    )


if __name__ == "__main__":
    main()
