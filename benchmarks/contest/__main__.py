"""``python -m benchmarks.contest``: run the contest and write its page."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import joblib

from ..tables.runner import run
from ..tables.store import Store
from . import many_rows
from .page import write_page
from .rounds import ROUNDS


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.contest", description=__doc__)
    parser.add_argument(
        "--round", action="append", choices=[*ROUNDS, *many_rows.ROUNDS], help="only this one"
    )
    parser.add_argument("--quick", action="store_true", help="one split of each set")
    parser.add_argument("--only", default="", help="only cells whose name contains this")
    parser.add_argument("--fresh", action="store_true", help="run finished cells again")
    parser.add_argument("--jobs", type=int, default=joblib.cpu_count(), help="worker processes")
    parser.add_argument("--data", type=Path, default=os.environ.get("SEAMARK_DATA") or None)
    parser.add_argument("--results", type=Path, default=Path(".benchmarks/contest"))
    parser.add_argument("--out", type=Path, default=Path("docs/benchmarks"))
    return parser.parse_args()


def main() -> int:
    asked = options()
    store, failed = Store(asked.results, asked.data), {}
    builders = ROUNDS | many_rows.ROUNDS
    names = asked.round or list(builders)
    for name in names:
        table = builders[name]()
        cells = [c for c in table.cells(asked.quick) if asked.only.lower() in str(c).lower()]
        failed |= run(table, store, cells, fresh=asked.fresh, jobs=asked.jobs, build=builders[name])
    if any(name in ROUNDS for name in names):
        print("written:", write_page(store, asked.out, failed), flush=True)
    if any(name in many_rows.ROUNDS for name in names):
        print("written:", many_rows.write_page(store, asked.out), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
