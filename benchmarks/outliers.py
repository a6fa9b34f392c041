"""Outliers by distances to neighbours, and by scikit-learn's methods on the map.

``python -m benchmarks.outliers`` needs the data folder (SEAMARK_DATA, or --data); writes
``outliers.md`` to --out.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import LocalOutlierFactor
from sklearn.svm import OneClassSVM

import seamark as sm
from seamark.datasets import load

PAGE = """# Outliers: which scores find a rare class

Of each set the most frequent class is kept (at most {most} objects), and so many objects of the
others that they are 5 % of the whole; nothing says which is which. A score is good if it ranks the
rare ones first: area under the ROC curve, mean and standard deviation over {repeats} draws of
objects and landmarks. 0.5 is chance. Written by `python -m benchmarks.outliers`.

{table}

- *neighbours*: mean distance to the 5 nearest others,
  `sm.Index(measure).fit(X).query(X, k=6).values[:, 1:].mean(axis=1)`.
- The others are scikit-learn's, at their defaults, on `sm.LandmarkMap(measure, n_landmarks=200)`;
  *local factor* is `LocalOutlierFactor`, with 20 neighbours on the map.
- No method is best everywhere, and a class that is rare need not be strange: where objects of the
  rare class lie among the others, nothing that looks at distances alone can find them.
"""
JOBS = [
    ("strings/sms_spam", "levenshtein"),
    ("strings/sms_spam", "ngrams"),
    ("strings/names_language", "levenshtein"),
    ("strings/names_language", "ngrams"),
    ("strings/splice", "levenshtein"),
    ("strings/promoters", "levenshtein"),
    ("series/JapaneseVowels", "dtw"),
    ("series/ArticularyWordRecognition", "dtw"),
    ("series/BasicMotions", "dtw"),
    ("sets/Musk1", "modified_hausdorff"),
    ("sets/flowers17_sift", "modified_hausdorff"),
    ("tabular/breast_cancer", "euclidean"),
    ("tabular/segment", "euclidean"),
    ("tabular/pendigits", "euclidean"),
]


def with_few_others(data, y, rng, most):
    """Rows of the commonest class and few others, and which are of these."""
    codes = np.unique(y, return_inverse=True)[1]
    common = int(np.bincount(codes).argmax())
    normal, others = np.flatnonzero(codes == common), np.flatnonzero(codes != common)
    normal = rng.permutation(normal)[:most]
    others = rng.permutation(others)[: max(3, len(normal) // 19)]
    rows = np.concatenate([normal, others])
    return data[rows], np.arange(len(rows)) >= len(normal)


def scores(X, measure, seed):
    features = sm.LandmarkMap(measure, n_landmarks=200, random_state=seed).fit_transform(X)
    lof = LocalOutlierFactor().fit(features)
    values = sm.Index(measure).fit(X).query(X, k=6).values[:, 1:].mean(axis=1)
    distance = sm.measures.get(measure).kind == "distance"
    return {
        "neighbours": values if distance else -values,
        "isolation forest": -IsolationForest(random_state=seed)
        .fit(features)
        .score_samples(features),
        "one-class SVM": -OneClassSVM().fit(features).score_samples(features),
        "local factor": -lof.negative_outlier_factor_,
    }


def job(name, measure, folder, repeats, most):
    found = load(name, folder=folder)
    areas = []
    for seed in range(repeats):
        rng = np.random.default_rng(seed)
        X, rare = with_few_others(found.data, np.asarray(found.target), rng, most)
        areas.append({k: roc_auc_score(rare, v) for k, v in scores(X, measure, seed).items()})
    return (
        len(rare),
        int(rare.sum()),
        {k: (np.mean([a[k] for a in areas]), np.std([a[k] for a in areas])) for k in areas[0]},
    )


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.outliers", description=__doc__)
    parser.add_argument("--data", type=Path, default=None)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--most", type=int, default=1000)
    parser.add_argument("--out", type=Path, default=Path("docs/benchmarks"))
    options = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)  # copies, of which LocalOutlierFactor warns
    lines = []
    for name, measure in JOBS:
        n, rare, found = job(name, measure, options.data, options.repeats, options.most)
        best = max(mean for mean, _ in found.values())
        cells = [
            f"**{m:.2f}** ± {s:.2f}" if m > best - 0.005 else f"{m:.2f} ± {s:.2f}"
            for m, s in found.values()
        ]
        if not lines:
            head = ["set", "measure", "objects", "rare", *found]
            lines += [" | ".join(head), " | ".join("---" for _ in head)]
        lines.append(" | ".join([name, f"`{measure}`", str(n), str(rare), *cells]))
        print(lines[-1], flush=True)
    table = "\n".join(f"| {line} |" for line in lines)
    page = PAGE.format(table=table, repeats=options.repeats, most=options.most)
    options.out.joinpath("outliers.md").write_text(page)


if __name__ == "__main__":
    main()
