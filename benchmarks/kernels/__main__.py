"""``python -m benchmarks.kernels``: hold all contests, print them, save a page and a picture."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import seamark as sm

from . import heads, overheads, random_features, series, strings, vectors
from .report import Line, markdown, picture


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kernels", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a third of the work, three rounds")
    parser.add_argument("--only", default="", help="only jobs whose name contains this")
    parser.add_argument("--out", type=Path, default=Path("docs/benchmarks"), help="folder to write")
    options = parser.parse_args()
    scale, rounds = (0.3, 3) if options.quick else (1.0, 7)
    if sm.engine.backend().name == "reference":
        sys.exit("the native kernels are not here: nothing to compare")
    lines = []
    groups = (strings, series, vectors, random_features, heads)
    for group in (*(g.contests for g in groups), overheads.thread_contests):
        for contest in group(scale):
            if options.only.lower() in contest.name.lower():
                lines.append(Line.of_contest(contest.hold(rounds)))
                print(lines[-1], flush=True)
    if not options.only:
        lines.append(
            Line.below(
                "import seamark, beyond sklearn.linear_model",
                overheads.import_milliseconds(),
                50,
                "ms",
            )
        )
        print(lines[-1], flush=True)
        for which in ("levenshtein", "dtw", "modified_hausdorff", "gaussian"):
            name = f"memory of cross beyond inputs, plan and output: {which}"
            lines.append(Line.below(name, overheads.extra_megabytes(which), 64, "MB"))
            print(lines[-1], flush=True)
        seconds, megabytes = overheads.aligned_seconds_and_megabytes()
        name = "Aligned, 20 000 Fourier features, 16 280 rows of 123"
        lines.append(Line.below(f"{name}: time on all cores", 1000 * seconds, 4000, "ms"))
        lines.append(Line.below(f"{name}: peak memory of the process", megabytes, 2000, "MB"))
        print(lines[-2], lines[-1], sep="\n", flush=True)
        options.out.mkdir(parents=True, exist_ok=True)
        markdown(lines, options.out / "kernels.md")
        picture(lines, options.out / "kernels.png")
        print(f"written: {options.out}/kernels.md and kernels.png")
    missed = [line.name for line in lines if not line.reached]
    print("every floor is reached" if not missed else f"below the floor: {'; '.join(missed)}")
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
