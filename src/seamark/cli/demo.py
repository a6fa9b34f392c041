"""`seamark demo`: where does the exon end? DNA strings, an edit distance, landmarks, a verdict."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from pathlib import Path

from sklearn.model_selection import train_test_split

import seamark as sm

from ..baselines import NearestNeighboursClassifier
from ..datasets import load_splice
from .messages import show_json, show_text
from .tables import require_output


def run(options: argparse.Namespace) -> None:
    """Learn, explain, judge, and write the report page."""
    page = Path(options.html or Path(tempfile.mkdtemp(prefix="seamark-")) / "report.html")
    require_output(str(page), overwrite=options.force)
    splice = load_splice()
    labels = splice.target_names[splice.target]
    split = train_test_split(splice.data, labels, test_size=0.3, stratify=labels, random_state=0)
    X_train, X_test, y_train, y_test = split
    start = time.perf_counter()
    model = sm.LandmarkClassifier("levenshtein", random_state=0).fit(X_train, y_train)
    fitted = time.perf_counter()
    accuracy = model.score(X_test, y_test)
    done = time.perf_counter()
    nearest = NearestNeighboursClassifier("levenshtein").fit(X_train, y_train)
    report = {
        "fit_seconds": fitted - start,
        "predict_seconds": done - fitted,
        "n_train": len(X_train),
        "n_test": len(X_test),
        "accuracy": accuracy,
        "accuracy_of_a_constant": max(Counter(y_test.tolist()).values()) / len(y_test),
        "nearest_neighbour": nearest.score(X_test, y_test),
    }
    found = sm.assess("levenshtein", X_train, y_train, random_state=0)
    verdict = [sentence.text for sentence in found.verdict]
    found.to_html(page, overwrite=options.force)
    if options.json:
        show_json({**report, "verdict": verdict, "page": page})
        return
    print(f"data       {splice.data}: {', '.join(splice.target_names)}")
    print(f"e.g.       {X_train[0]}  is {y_train[0]}")
    print(
        f"fit        {report['fit_seconds']:.2f} s for {report['n_train']} strings, "
        f"{len(model.landmarks_)} landmarks, {model.n_evaluations_ / 1e6:.1f} M edit distances; "
        f"kernels: {sm.engine.backend().name}"
    )
    print(f"chosen     {model.map_.transfers_[0]}, penalty {model.head_.penalty_:.3g}")
    print(f"predict    {report['predict_seconds']:.2f} s for {report['n_test']} strings")
    print(
        f"accuracy   {accuracy:.3f}   (nearest neighbour, same distance: "
        f"{report['nearest_neighbour']:.3f}; a constant: {report['accuracy_of_a_constant']:.3f})"
    )
    print("landmarks that matter, for the first test string:")
    print(f"           {X_test[0]}  is {y_test[0]}")
    print(model.explain(X_test[:1], n_landmarks=4)[0])
    print("verdict    " + "\n           ".join(verdict))
    show_text(f"page       {page}")
