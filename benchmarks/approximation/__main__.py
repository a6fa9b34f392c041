"""``python -m benchmarks.approximation``: measure, print, save a page and a picture."""

from __future__ import annotations

import argparse
from pathlib import Path

from threadpoolctl import threadpool_limits

from .measure import COLUMNS, DIMENSIONS, RUNS, measured
from .page import markdown, picture


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.approximation", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two dimensions, two runs, D ≤ 1000")
    parser.add_argument("--out", type=Path, default=Path("docs/benchmarks"), help="folder to write")
    options = parser.parse_args()
    protocol = (DIMENSIONS, COLUMNS, RUNS)
    if options.quick:
        protocol = (DIMENSIONS[:2], [D for D in COLUMNS if D <= 1000], 2)
    cells = []
    with threadpool_limits(1):
        for cell in measured(*protocol):
            cells.append(cell)
            print(
                f"{cell.kernel:12} d={cell.d:<4} D={cell.columns:<5} {cell.method:22} "
                f"{cell.mean:.4g} ± {cell.standard_error:.1g}  {1000 * cell.seconds:.3g} ms",
                flush=True,
            )
    options.out.mkdir(parents=True, exist_ok=True)
    markdown(cells, options.out / "approximation.md")
    picture(cells, options.out / "approximation.png")
    print(f"written: {options.out}/approximation.md and approximation.png")


if __name__ == "__main__":
    main()
