"""How often intervals hold the truth where there is nothing to learn: noise of every kind.

    python -m benchmarks.noise                                 # all kinds, 200 runs each
    python -m benchmarks.noise --runs 40 --kinds strings,gaps  # a shorter look

Targets are drawn without a look at the objects: the accuracy on new rows is 1/2 for two classes
alike, and R² is 0 at best. A 95 % interval may lie wholly above that in 2.5 of 100 runs. With
copies, rows are drawn from a quarter as many, and a copy has the same target. "R² covered" is how
often the interval holds the mean R² of such models on new rows, which is what cross-validation
estimates; sets and intervals of predictions are asked for at 0.9. A number with a star is further
off than chance explains, once in 1,000 times.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
import pandas as pd
from scipy.stats import binom

import seamark as sm

KINDS = ("strings", "series", "sets", "vectors", "table", "gaps")
NEW = 1000
SURPRISE = 1e-3


def objects(kind, n, rng):
    """Draw n objects of a kind."""
    if kind == "strings":
        return _words(rng, "acgt", n, 5, 25)
    if kind == "series":
        return list(rng.normal(size=(n, 1, 40)).cumsum(axis=-1))
    if kind == "sets":
        return [rng.normal(size=(rng.integers(2, 9), 5)) for _ in range(n)]
    if kind == "vectors":
        return list(rng.normal(size=(n, 8)))
    days = pd.to_timedelta(rng.integers(0, 1000, n), unit="D")
    table = pd.DataFrame(
        {
            "text": _words(rng, "abcdefg", n, 4, 12),
            "number": rng.normal(size=n),
            "colour": pd.Categorical([f"c{i}" for i in rng.integers(0, 50, n)]),
            "date": pd.to_datetime("2020-01-01") + days,
            "user": [f"u{i}" for i in rng.integers(0, n // 2 + 1, n)],
        }
    )
    if kind == "gaps":
        table = table.astype(object)
        for name in table.columns:
            table.loc[rng.random(n) < 0.3, name] = None
    return table


def _words(rng, letters, n, shortest, longest):
    sizes = rng.integers(shortest, longest, n)
    return ["".join(rng.choice(list(letters), size)) for size in sizes]


def drawn(kind, n, rng, copies):
    """Return objects, two classes alike, and numbers; with copies, of a quarter as many rows."""
    different = n // 4 if copies else n
    X = objects(kind, different, rng)
    y, z = rng.permutation(np.arange(different) % 2), rng.normal(size=different)
    if not copies:
        return as_given(kind, X), y, z
    rows = np.concatenate([np.arange(different), rng.integers(0, different, n - different)])
    X = X.iloc[rows].reset_index(drop=True) if hasattr(X, "iloc") else [X[i] for i in rows]
    return as_given(kind, X), y[rows], z[rows]


def as_given(kind, X):
    """Return series and vectors as arrays."""
    return np.stack(X) if kind in ("series", "vectors") else X


def one_run(kind, n, seed, copies):
    """Fit to noise; return where the truth lies against each interval, and coverages."""
    rng = np.random.default_rng([seed, n, copies])
    X, y, z = drawn(kind, n, rng, copies)
    new = as_given(kind, objects(kind, NEW, rng))
    classes, numbers = rng.integers(0, 2, NEW), rng.normal(size=NEW)
    model = sm.LandmarkClassifier(random_state=seed).fit(X, y)
    told = model.describe()
    low, high = told.interval
    in_set = model.predict_set(new, 0.9)[np.arange(NEW), classes].mean()
    other = sm.LandmarkRegressor(random_state=seed).fit(X, z)
    r2 = other.describe()
    ends = other.predict_interval(new, 0.9)
    truth = other.score(new, numbers)
    return {
        "accuracy": told.accuracy,
        "accuracy above": low > 0.5,
        "accuracy below": high < 0.5,
        "in set": in_set,
        "r2": r2.r2,
        "r2 above": r2.interval[0] > 0,
        "r2 of new rows": truth,
        "r2 low": r2.interval[0],
        "r2 high": r2.interval[1],
        "in interval": np.mean((ends[:, 0] <= numbers) & (numbers <= ends[:, 1])),
    }


def runs_of(kind, n, n_runs, copies, first=0):
    """Return the means over runs of what `one_run` finds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [one_run(kind, n, first + seed, copies) for seed in range(n_runs)]
    every = {name: np.array([one[name] for one in found]) for name in found[0]}
    truth = every["r2 of new rows"].mean()
    every["r2 covered"] = (every["r2 low"] <= truth) & (truth <= every["r2 high"])
    return {name: float(values.mean()) for name, values in every.items()}


def starred(share, n_runs, due, least=False):
    """Return a share with a star if it is above what is due, or below, by more than chance."""
    hits = round(share * n_runs)
    tail = binom.cdf(hits, n_runs, due) if least else binom.sf(hits - 1, n_runs, due)
    return f"{share:.3f}{'*' if tail < SURPRISE else ''}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--kinds", default=",".join(KINDS))
    given = parser.parse_args()
    names = "accuracy | above ½ | below ½ | in set | R² | above 0 | R² covered | in interval"
    print(f"| noise | rows | {names} |\n|{'---|' * 10}", flush=True)
    for kind in given.kinds.split(","):
        for copies in (False, True):
            one = runs_of(kind, given.rows, given.runs, copies)
            cells = [
                f"{one['accuracy']:.3f}",
                starred(one["accuracy above"], given.runs, 0.025),
                starred(one["accuracy below"], given.runs, 0.025),
                f"{one['in set']:.3f}",
                f"{one['r2']:.3f}",
                starred(one["r2 above"], given.runs, 0.025),
                starred(one["r2 covered"], given.runs, 0.95, least=True),
                f"{one['in interval']:.3f}",
            ]
            name = f"{kind}, copies" if copies else kind
            print(f"| {name} | {given.rows} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
