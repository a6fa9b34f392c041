"""Say which pages of measured figures are older than the code that they show; needs git's history.

A page that is older may still be right. Whoever releases decides which to measure again.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = "docs/benchmarks"
SRC = "src/seamark"
LEARNING = [
    f"{SRC}/{room}" for room in ("linear_model", "maps", "models", "transfers.py", "tuning.py")
]
KERNELS = [f"{SRC}/native", f"{SRC}/measures"]
SHOWS = {
    "approximation": [f"{SRC}/maps/maclaurin.py"],
    "ball": [f"{SRC}/feature_selection/aligned.py"],
    "contest": LEARNING,
    "coverage": [f"{SRC}/linear_model/intervals.py", f"{SRC}/linear_model/calibration.py"],
    "cuda": [f"{SRC}/engine/cuda"],
    "cuda_layouts": [f"{SRC}/engine/cuda"],
    "digits": [*LEARNING, *KERNELS],
    "explanations": [f"{SRC}/models/explain.py", f"{SRC}/models/saliency.py"],
    "fitting": [f"{SRC}/linear_model"],
    "heads": [f"{SRC}/linear_model", f"{SRC}/feature_selection"],
    "kernels": KERNELS,
    "learned_d2ke": [f"{SRC}/feature_selection/learned.py"],
    "linking": [f"{SRC}/search"],
    "many_rows": LEARNING,
    "online": [f"{SRC}/online"],
    "outliers": [f"{SRC}/search"],
    "scale": [f"{SRC}/io", *LEARNING],
    "search": [f"{SRC}/search", f"{SRC}/native"],
    "series_kernels": KERNELS,
    "serving": [f"{SRC}/models"],
    "string_kernels": KERNELS,
    "tables": [f"{SRC}/papers.py", f"{SRC}/baselines", *LEARNING],
}


def changed(*paths: str) -> tuple[int, str]:
    """Return when paths were last changed, as a number, and as a commit and a day."""
    command = ["git", "log", "-1", "--format=%ct %h %cs", "--", *paths]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S603
    time, _, rest = run.stdout.strip().partition(" ")
    return int(time or 0), rest


def main() -> None:
    """Print a line for each page that is older; stop where a page or its code is not there."""
    pages = {path.stem for path in (ROOT / PAGES).iterdir() if path.suffix in ("", ".md")}
    gone = {path for sources in SHOWS.values() for path in sources if not (ROOT / path).exists()}
    if gone or pages != set(SHOWS):
        sys.exit(f"{Path(__file__).name} is out of date: {sorted(gone | (pages ^ set(SHOWS)))}")
    for page, sources in SHOWS.items():
        path = f"{PAGES}/{page}" + ("" if (ROOT / PAGES / page).is_dir() else ".md")
        (of_page, measured), (of_code, code) = changed(path), changed(*sources)
        if of_page < of_code:
            sys.stdout.write(f"{path}: {measured}, its code: {code}\n")


if __name__ == "__main__":
    main()
