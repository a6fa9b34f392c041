"""``python -m benchmarks.tables``: run the papers' tables again and write a page for each."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import joblib

from . import (
    table_3_1,
    table_4_1,
    table_4_2,
    table_5_1,
    table_6_1,
    table_6_learned,
    table_d2ke,
    table_sd,
)
from .index import write_index
from .page import write_page
from .plot import write_plot
from .runner import run
from .store import Store
from .summary import Results
from .workers import Build

TABLES = {
    "3.1a": table_3_1.polynomial,
    "3.1b": table_3_1.exponential,
    "5.1a": table_5_1.regression,
    "5.1b": table_5_1.ordinal,
    "4.1a": table_4_1.few_landmarks,
    "4.1b": table_4_1.many_landmarks,
    "4.2a": table_4_2.few_landmarks,
    "4.2b": table_4_2.many_landmarks,
    "6.1": table_6_1.auc,
    "6.metric": table_6_learned.metric,
    "6.kernels": table_6_learned.combination,
    "d2ke-2": table_d2ke.series,
    "d2ke-3": table_d2ke.texts,
    "d2ke-4": table_d2ke.sets,
    "sd-2": table_sd.joint,
    "sd-4": table_sd.benchmarks,
    "sd-6": table_sd.larger,
}


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tables", description=__doc__)
    parser.add_argument("--table", action="append", choices=list(TABLES), help="only this table")
    parser.add_argument("--quick", action="store_true", help="fewer splits")
    parser.add_argument("--only", default="", help="only cells whose name contains this")
    parser.add_argument("--fresh", action="store_true", help="run finished cells again")
    parser.add_argument(
        "--jobs", type=int, default=joblib.cpu_count(), help="worker processes; default: all cores"
    )
    parser.add_argument("--data", type=Path, default=os.environ.get("SEAMARK_DATA") or None)
    parser.add_argument("--results", type=Path, default=Path(".benchmarks/tables"))
    parser.add_argument("--out", type=Path, default=Path("docs/benchmarks/tables"))
    return parser.parse_args()


def run_table(build: Build, store: Store, asked: argparse.Namespace) -> bool:
    """Run a table's cells and write its page; return whether no cell failed."""
    table = build()
    cells = [cell for cell in table.cells(asked.quick) if asked.only.lower() in str(cell).lower()]
    failures = run(table, store, cells, fresh=asked.fresh, jobs=asked.jobs, build=build)
    results = Results.of(table, store, failures)
    path = write_page(results, asked.out, write_plot(results, asked.out))
    print(f"written: {path}", flush=True)
    return not failures


def main() -> None:
    asked = options()
    if asked.data is None or not asked.data.is_dir():
        sys.exit(
            "where are the data? Set SEAMARK_DATA, or give --data, to a folder with tabular/, "
            "similarity/, … as docs/benchmarks/tables/README.md describes."
        )
    sys.stdout.reconfigure(line_buffering=True)
    store = Store(asked.results, asked.data)
    try:
        fine = [run_table(TABLES[name], store, asked) for name in asked.table or TABLES]
    except KeyboardInterrupt:
        sys.exit("stopped; finished cells are kept, and the same command goes on from here.")
    write_index(asked.out, [Results.of(build(), store, {}) for build in TABLES.values()])
    sys.exit(not all(fine))


if __name__ == "__main__":
    main()
