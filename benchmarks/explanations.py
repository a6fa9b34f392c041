"""Are explanations true, and do they convince? ``python -m benchmarks.explanations`` prints tables.

Sums, deletion and stability of `model.explain` on three sets; docs/benchmarks/explanations.md.
"""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

import seamark as sm
from seamark.datasets import load as load_series
from seamark.datasets import load_musk, load_splice, load_vowels

SETS = {
    "splice": (load_splice, "levenshtein"),
    "vowels": (load_vowels, "dtw"),
    "musk": (load_musk, "modified_hausdorff"),
}
EXPLAINED, DELETED, SHOWN = 400, 30, 5
SERIES = ("GunPoint", "ECG200", "Trace", "SyntheticControl", "ItalyPowerDemand")


def split(name: str) -> tuple[Any, Any, Any, Any, str]:
    load, measure = SETS[name]
    found = load()
    options = {"test_size": 0.3, "stratify": found.target, "random_state": 0}
    return (*train_test_split(found.data, found.target, **options), measure)


def fitted(measure: str, X: Any, y: Any, seed: int = 0) -> Any:
    return sm.LandmarkClassifier(measure, random_state=seed).fit(X, y)


def shown(explanation: Any) -> float:
    return float(sum(reason.contribution for reason in explanation.reasons))


def by_coefficients(model: Any, X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Sums of the five largest coefficients times features, as before; and the scores."""
    features = model.map_.block(model._ingested(X))
    decided = model._decide(features, None)
    parts = (features - model.feature_means_) * decided.weights
    top = np.argsort(-np.abs(parts), axis=1)[:, :SHOWN]
    return np.take_along_axis(parts, top, axis=1).sum(axis=1), decided.scores


def sums(name: str) -> str:
    X, new, y, _, measure = split(name)
    model = fitted(measure, X, y)
    new = new[:EXPLAINED]
    before, scores = by_coefficients(model, new)
    start = time.perf_counter()
    said = model.explain(new)
    seconds = (time.perf_counter() - start) / len(said)
    now = np.array([shown(one) for one in said])
    rest = np.median(np.abs([one.others for one in said]) / scores)
    label = np.mean([one.reasons[0].label == one.prediction for one in said])
    off = max(abs(sum(a for _, a in one.lines()) - one.score) for one in said)
    fidelity = np.mean([one.fidelity for one in said])
    return (
        f"| {name} | {len(said)} | {np.mean(before > 0):.1%} | {np.mean(now > 0):.1%} | "
        f"{rest:.1%} | {label:.1%} | {fidelity:.2f} | {off:.0e} | {1e3 * seconds:.0f} ms |"
    )


def deletion(name: str) -> str:
    """Fit again without what is named, and without as many others of the same class."""
    X, new, y, _, measure = split(name)
    model = fitted(measure, X, y)
    rng = np.random.default_rng(0)
    falls = []
    for one in model.explain(new[:DELETED]):
        named = [r.index for r in one.reasons if r.index is not None and r.contribution > 0]
        labels = y[named]
        others = np.setdiff1d(np.arange(len(y)), named)
        chosen = [rng.choice(others[y[others] == label]) for label in labels]
        falls.append([one.score - _without(X, y, gone, measure, one) for gone in (named, chosen)])
    return _falls(name, falls)


def _falls(name: str, falls: list[Any]) -> str:
    named, other = np.array(falls).T
    further = np.mean(named > other)
    return f"| {name} | {len(named)} | {named.mean():+.3f} | {other.mean():+.3f} | {further:.0%} |"


def _without(X: Any, y: Any, gone: Any, measure: str, one: Any) -> float:
    kept = np.setdiff1d(np.arange(len(y)), gone)
    again = fitted(measure, X[kept], y[kept])
    said = again.decision_function([one.object])[0]
    if np.ndim(said) == 0:
        return float(said if one.target == again.classes_[1] else -said)
    place = np.searchsorted(again.classes_, [one.target, one.rival])
    return float(said[place[0]] - said[place[1]])


def letters(share: float = 0.15) -> str:
    """Replace the letters that `where` names by random ones, and as many elsewhere."""
    X, new, y, _, measure = split("splice")
    model = fitted(measure, X, y)
    rng = np.random.default_rng(0)
    falls = []
    for one in model.explain(new[:200]):
        n = int(share * len(one.object))
        named = np.argsort(-one.saliency)[:n]
        chosen = rng.choice(np.setdiff1d(np.arange(len(one.object)), named), n, replace=False)
        changed = [_changed(one.object, places, rng) for places in (named, chosen)]
        scores = model.decision_function(changed)
        place = np.searchsorted(model.classes_, [one.target, one.rival])
        falls.append(one.score - (scores[:, place[0]] - scores[:, place[1]]))
    return _falls("splice", falls)


def steps(share: float = 0.15) -> str:
    """Replace the stretch of a series that `where` names by a straight line, and a random one."""
    falls = []
    for name in SERIES if os.environ.get("SEAMARK_DATA") else ():
        found = load_series(f"series/ucr/{name}")
        train, rng = found.split == 0, np.random.default_rng(0)
        model = fitted("dtw", found.data[train], np.asarray(found.target)[train])
        others = np.flatnonzero(~train)
        for one in model.explain(found.data[rng.permutation(others)[:40]]):
            x = np.asarray(one.object, dtype=float)
            n = int(share * len(x))
            sums = np.convolve(one.saliency, np.ones(n), "valid")
            cut = [_straight(x, a, n) for a in (int(sums.argmax()), int(rng.integers(len(sums))))]
            scores = model.decision_function(cut)
            both = np.stack([-scores, scores], axis=1) if scores.ndim == 1 else scores
            place = np.searchsorted(model.classes_, [one.target, one.rival])
            falls.append(one.score - (both[:, place[0]] - both[:, place[1]]) * _unit(scores))
    return _falls("five sets of series", falls) if falls else ""


def _unit(scores: np.ndarray) -> float:
    """Of two classes a model has one score, which is half of what they differ by."""
    return 0.5 if scores.ndim == 1 else 1.0


def _straight(x: np.ndarray, start: int, n: int) -> np.ndarray:
    line = x.copy()
    ends = x[max(start - 1, 0)], x[min(start + n, len(x) - 1)]
    line[start : start + n] = np.linspace(*ends, n)
    return line


def _changed(text: str, places: Any, rng: np.random.Generator) -> str:
    letters = list(text)
    for k in places:
        letters[k] = rng.choice([one for one in "ACGT" if one != letters[k]])
    return "".join(letters)


def stability(name: str) -> str:
    """Two seeds: other landmarks where not all rows are, and other folds."""
    X, new, y, _, measure = split(name)
    models = [fitted(measure, X, y, seed) for seed in (0, 1)]
    both = [model.explain(new[:EXPLAINED]) for model in models]
    common = set(models[0].landmark_indices_.tolist()) & set(models[1].landmark_indices_.tolist())
    same, jaccard, pairs = [], [], []
    for a, b in zip(*both, strict=True):
        if a.prediction != b.prediction or a.rival != b.rival:
            continue
        sides = [_own(one) for one in (a, b)]
        pairs.append(sides)
        same.append(sides[0] * sides[1] > 0)
        names = [{r.index for r in one.reasons} & common for one in (a, b)]
        if names[0] | names[1]:
            jaccard.append(len(names[0] & names[1]) / len(names[0] | names[1]))
    correlation = np.corrcoef(np.array(pairs).T)[0, 1]
    return (
        f"| {name} | {len(same)} of {len(both[0])} | {np.mean(same):.1%} | {correlation:.2f} | "
        f"{len(common)} of {len(models[0].landmark_indices_)} | {np.mean(jaccard):.2f} |"
    )


def _own(one: Any) -> float:
    """What landmarks of the class asked about add."""
    return float(sum(r.contribution for r in one.reasons if r.label == one.target))


def main() -> None:
    for title, lines in (
        ("sums", map(sums, SETS)),
        ("stability", map(stability, SETS)),
        ("letters", [letters()]),
        ("steps", [steps()]),
        ("deletion", map(deletion, SETS)),
    ):
        print(title)
        for line in lines:
            print(line, flush=True)


if __name__ == "__main__":
    main()
