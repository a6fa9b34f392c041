"""Say which pages of measured figures are older than the code that they show; needs git's history.

What counts is the commit in which the figures of a page last changed, not that of its last words. A
page that is older may still be right: whoever releases decides which to measure again.
"""

import re
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
PRESETS = [f"{SRC}/papers.py", *LEARNING]
SHOWS = {
    "alignment": [f"{SRC}/measures/alignment.py", f"{SRC}/measures/transport.py"],
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
    # The papers' tables, by the beginnings of their names.
    "tables/3": [f"{SRC}/maps/maclaurin.py", f"{SRC}/linear_model/svm.py"],
    "tables/4": [*PRESETS, f"{SRC}/landmarks", f"{SRC}/baselines/dboost.py"],
    "tables/5": [*PRESETS, f"{SRC}/baselines/averages.py"],
    "tables/6": [f"{SRC}/online", f"{SRC}/baselines/oam.py"],
    "tables/d2ke": [*PRESETS, f"{SRC}/landmarks/generated.py", f"{SRC}/baselines"],
    "tables/sd": [f"{SRC}/feature_selection", f"{SRC}/baselines/kernel_learning.py"],
}
"""Pages, and the code whose figures they show."""

NO_FIGURES = {"summary", "tables/README"}  # of their own: they are put together from other pages
FIGURE = re.compile(r"\d[\d.,]*(?:e-?\d+)?")


def git(*arguments: str) -> str:
    """Return what git says."""
    run = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S603, S607
    return run.stdout


def figures(text: str) -> list[str]:
    """Return the measured figures of a page: those with a deviation, or else all in its tables."""
    rows = [line for line in text.splitlines() if line.startswith("|")]
    cells = [cell for row in rows for cell in row.split("|")]
    measured = [cell for cell in cells if "±" in cell] or cells
    return sorted(number for cell in measured for number in FIGURE.findall(cell))


def written(path: str) -> str:
    """Return the commit in which a page got the figures that it has."""
    commits = git("log", "--format=%H", "--", path).split()
    now, found = figures((ROOT / path).read_text("utf-8")), commits[0]
    for commit in commits:
        if figures(git("show", f"{commit}:{path}")) != now:
            break
        found = commit
    return found


def said(commit: str) -> tuple[int, str]:
    """Return the time of a commit, as a number, and the commit and its day in words."""
    time, _, rest = git("log", "-1", "--format=%ct %h %cs", commit).strip().partition(" ")
    return int(time), rest


def shown_by(page: str) -> list[str] | None:
    """Return the code that a page shows; None: nobody says."""
    if page in SHOWS:
        return SHOWS[page]
    groups = [name for name in SHOWS if "/" in name and page.startswith(name)]
    return SHOWS[groups[0]] if groups else None


def main() -> None:
    """Print a line for each page that is older; stop where a page or its code is not there."""
    folder = ROOT / PAGES
    pages = {path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.md")}
    pages -= NO_FIGURES
    gone = {path for sources in SHOWS.values() for path in sources if not (ROOT / path).exists()}
    gone |= {name for name in SHOWS if not any(page.startswith(name) for page in pages)}
    gone |= {page for page in pages if shown_by(page) is None}
    if gone:
        sys.exit(f"{Path(__file__).name} is out of date: {sorted(gone)}")
    for page in sorted(pages):
        code = git("log", "-1", "--format=%H", "--", *(shown_by(page) or [])).strip()
        (of_page, measured), (of_code, changed) = said(written(f"{PAGES}/{page}.md")), said(code)
        if of_page < of_code:
            sys.stdout.write(f"{PAGES}/{page}.md: {measured}, its code: {changed}\n")


if __name__ == "__main__":
    main()
