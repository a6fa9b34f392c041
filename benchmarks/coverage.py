"""How often intervals and sets of classes hold the truth, on objects that are not in training.

    SEAMARK_DATA=folder python -m benchmarks.coverage            # one measure, 300 landmarks
    SEAMARK_DATA=folder python -m benchmarks.coverage --default  # what models do if nothing is said

For each set: at most 3,000 objects to learn from, at most 8,000 others that equal none of these,
five splits. A coverage of one split deviates by about √(c(1 − c)(1/n + 1/m)) by chance alone.
"""

from __future__ import annotations

import sys

import numpy as np

import seamark as sm
from seamark.data import distinct, groups
from seamark.datasets import load

TRAIN, NEW, SPLITS = 3000, 8000, 5
COVERAGES = (0.8, 0.9, 0.95)
NUMBERS = {
    "tabular/abalone": "gaussian",
    "tabular/bank8fm": "gaussian",
    "tabular/cahousing": "gaussian",
    "tabular/cpusmall": "gaussian",
}
CLASSES = {
    "strings/names_language": "levenshtein",
    "strings/splice": "levenshtein",
    "strings/sms_spam": "ngrams",
    "tabular/letter": "gaussian",
    "tabular/magic": "gaussian",
    "series/JapaneseVowels": "dtw",
}


DEFAULT = "--default" in sys.argv


def parameters(measure):
    """Return what a model is told: a measure and a number of landmarks, or nothing."""
    return {} if DEFAULT else {"measure": measure, "n_landmarks": 300}


def splits(data):
    """Yield rows to learn from and other rows, of objects that all differ."""
    kinds = groups(data)
    every = distinct(np.arange(data.shape[0]), kinds)
    for seed in range(SPLITS):
        rows = np.random.default_rng(seed).permutation(every)
        n = min(TRAIN, len(rows) // 2)
        yield seed, rows[:n], rows[n : n + NEW]


def standardised(X):
    return (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-12)


def of_numbers(name, measure):
    data = load(name)
    X, y = standardised(data.data), np.asarray(data.target, float)
    found, widths = [], []
    for seed, train, new in splits(X):
        model = sm.LandmarkRegressor(**parameters(measure), random_state=seed)
        model.fit(X[train], y[train])
        for coverage in COVERAGES:
            ends = model.predict_interval(X[new], coverage)
            found.append(np.mean((ends[:, 0] <= y[new]) & (y[new] <= ends[:, 1])))
            widths.append((ends[:, 1] - ends[:, 0]).mean() / y.std())
    return len(train), len(new), np.reshape(found, (SPLITS, -1)), np.reshape(widths, (SPLITS, -1))


def of_classes(name, measure):
    data = load(name)
    X, y = data.data, np.asarray(data.target)
    X = standardised(X) if name.startswith("tabular") else X
    found, sizes = [], []
    for seed, train, new in splits(X):
        model = sm.LandmarkClassifier(**parameters(measure), random_state=seed)
        model.fit(X[train], y[train])
        known = np.isin(y[new], model.classes_)
        new = new[known]
        places = np.searchsorted(model.classes_, y[new])
        for coverage in COVERAGES:
            sets = model.predict_set(X[new], coverage)
            found.append(sets[np.arange(len(new)), places].mean())
            sizes.append(sets.sum(axis=1).mean())
    return len(train), len(new), np.reshape(found, (SPLITS, -1)), np.reshape(sizes, (SPLITS, -1))


def main():
    head = " | ".join(f"{coverage} (size)" for coverage in COVERAGES)
    print(f"| set | n | new | {head} | farthest split at 0.9 |\n|---|---|---|---|---|---|---|")
    for names, run in ((NUMBERS, of_numbers), (CLASSES, of_classes)):
        for name, measure in names.items():
            n, new, found, sizes = run(name, measure)
            means, size = found.mean(axis=0), sizes.mean(axis=0)
            cells = " | ".join(f"{a:.3f} ({b:.2f})" for a, b in zip(means, size, strict=True))
            far = found[:, 1][np.argmax(np.abs(found[:, 1] - 0.9))]
            print(f"| {name} | {n} | {new} | {cells} | {far:.3f} |", flush=True)


if __name__ == "__main__":
    main()
