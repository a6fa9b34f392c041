"""A newcomer's walk: the README, the tutorial, an own CSV, the pages, a saved model, predictions.

``python tests/newcomer.py FOLDER`` walks it in a folder, as a person with a shell would: each
command stands in a document and is run as it stands there. ``--screenshots`` also photographs the
pages.
"""

from __future__ import annotations

import argparse
import csv
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np

import seamark as sm

ROOT = Path(__file__).parents[1]
ROWS = 500  # of which 100 are not seen until the end
sys.path.insert(0, str(ROOT / "tests" / "displays"))


def commands(document):
    """Return the commands of a document's console blocks, as lists of words."""
    text = (ROOT / document).read_text(encoding="utf-8")
    blocks = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    lines = [
        line for block in blocks for line in block.splitlines() if line.startswith("$ seamark")
    ]
    return [shlex.split(line[2:]) for line in lines]


def own_tables(folder):
    """Write dna.csv, to learn from, and new.csv, whose sites only we know; return these."""
    splice = sm.datasets.load_splice()
    rows = np.random.default_rng(0).permutation(len(splice.data))[:ROWS]
    dna, sites = list(splice.data[rows]), splice.target_names[splice.target[rows]]
    known = ROWS - 100
    _write(folder / "dna.csv", [("dna", "site"), *zip(dna[:known], sites[:known], strict=True)])
    _write(folder / "new.csv", [("dna",), *((one,) for one in dna[known:])])
    return sites[known:]


def _write(path, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


def run(argv, folder):
    """Run a command in a process of its own; return what it printed."""
    argv = [sys.executable, "-m", *argv]
    done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{shlex.join(argv[2:])} failed:\n{done.stderr}")
    return done.stdout + done.stderr


def walk(folder):
    """Walk the tutorial's commands; return what each printed, by its name, and the true sites."""
    truth = own_tables(folder)
    said = {argv[1]: run(argv, folder) for argv in commands("docs/tutorial.md")}
    return said, truth


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--screenshots", type=Path, help="a folder for pictures of the pages")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    said, truth = walk(given.folder)
    for name, text in said.items():
        print(f"== seamark {name}\n{text}")
    with (given.folder / "out.csv").open(encoding="utf-8") as file:
        right = [
            row["prediction"] == site for row, site in zip(csv.DictReader(file), truth, strict=True)
        ]
    print(f"new rows: {np.mean(right):.2f} right")
    if given.screenshots:
        photograph(given.folder, given.screenshots)


def photograph(folder, pictures):
    """Save the first screens of both pages, and of the model's on a phone and in the dark."""
    from browser import CHROMIUM, MISSING, screenshot

    if CHROMIUM is None:
        sys.exit(MISSING)
    dark = "--blink-settings=preferredColorScheme=0"
    for name, page, size, options in [
        ("report", "report.html", (1200, 900), ()),
        ("model", "model.html", (1200, 1080), ()),
        ("model_dark", "model.html", (768, 900), (dark,)),
        ("model_phone", "model.html", (500, 1300), ()),
    ]:
        text = (folder / page).read_text(encoding="utf-8")
        shot = screenshot(text, folder / f"{name}.png", size, *options)
        pictures.mkdir(parents=True, exist_ok=True)
        smaller(shot, pictures / shot.name)


def smaller(source, target):
    """Write a picture with 64 colours: a page has few, and documents should load quickly."""
    from PIL import Image

    with Image.open(source) as picture:
        picture.convert("RGB").quantize(64).save(target, optimize=True)
    print(target, target.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
