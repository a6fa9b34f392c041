"""A newcomer's walk: the README, the tutorial, an own CSV, the pages, a saved model, predictions.

Then rows without targets, a test file, duplicates and links over several columns.

``python tests/newcomer.py FOLDER`` walks it in a folder, as a person with a shell would: each
command stands in a document and is run as it stands there. ``--screenshots`` also photographs the
pages.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import re
import shlex
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np
import pandas as pd

import seamark as sm
from seamark import cli

ROOT = Path(__file__).parents[1]
ASIDE = 60  # rows of each table that are not seen until the end
sys.path.insert(0, str(ROOT / "tests" / "plotting"))


def commands(document):
    """Return the commands of a document's console blocks, as lists of words."""
    text = (ROOT / document).read_text(encoding="utf-8")
    blocks = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    lines = [
        line for block in blocks for line in block.splitlines() if line.startswith("$ seamark")
    ]
    return [shlex.split(line[2:]) for line in lines]


def the_tutorials_table(folder):
    """Write cars.csv, to learn from, and new.csv, whose miles only we know; return these."""
    cars = sm.datasets.load_cars().frame.dropna(subset="mpg").sample(frac=1, random_state=0)
    cars[ASIDE:].to_csv(folder / "cars.csv", index=False)
    cars[:ASIDE].drop(columns="mpg").to_csv(folder / "new.csv", index=False)
    return cars["mpg"][:ASIDE].to_numpy()


FIRMS = (
    "Müller & Söhne GmbH",
    'O\'Brien "The Baker" Ltd',
    "株式会社さくら",
    "Łódź Tkaniny S.A.",
    "Crème; Cie",
    "Acme, Inc.",
    "=SUM(A1)",
)


def an_awkward_table(folder, n=460):
    """Write orders.csv as a spreadsheet of much of the world does, and new_orders.csv.

    Semicolons, decimal commas, dates with points, a mark before UTF-8, names with quotes,
    semicolons, line ends and any letters, gaps and what stands for them, an identifier, a column
    of no use, and a rare class. Return the statuses of the new orders.
    """
    rng = np.random.default_rng(3)
    rows = []
    for i in range(n):
        firm, amount = int(rng.integers(len(FIRMS))), int(rng.integers(1, 50))
        price = f"{np.exp(rng.normal(3 + 0.3 * firm, 0.5)):.2f}".replace(".", ",")
        price = str(rng.choice([price, "", "n/a"], p=[0.92, 0.05, 0.03]))
        year = int(rng.integers(2022, 2025))
        day = f"{rng.integers(1, 29)}.{rng.integers(1, 13)}.{year}"
        note = str(rng.choice(["", "fragile", "two\nlines", "  spaced "]))
        status = "on time" if firm < 3 or year == 2024 else "late €"
        status = "lost" if firm == 5 and amount > 25 else status
        rows.append([f"A-{i:05}", misspelt(FIRMS[firm], rng), price, amount, day, note, status])
    head = ["order", "firm (name)", "price €", "amount", "sent", "note", "status"]
    _write(folder / "orders.csv", [head, *rows[ASIDE:]])
    _write(folder / "new_orders.csv", [head[:-1], *(row[:-1] for row in rows[:ASIDE])])
    return np.array([row[-1] for row in rows[:ASIDE]])


def misspelt(name, rng):
    """Return a name, every second time with another letter somewhere."""
    letters = list(name)
    if rng.random() < 0.5:
        letters[rng.integers(len(letters))] = str(rng.choice(list("aeiouxyz")))
    return "".join(letters)


def _write(path, rows):
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        csv.writer(file, delimiter=";").writerows(rows)


def run(argv, folder):
    """Run a command in a process of its own; return what it printed."""
    argv = [sys.executable, "-m", *argv]
    done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{shlex.join(argv[2:])} failed:\n{done.stderr}")
    return done.stdout + done.stderr


def run_here(argv, folder):
    """Do the same in this process, which has imported everything already."""
    printed = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    with contextlib.chdir(folder), redirect_stdout(printed), redirect_stderr(printed):
        code = cli.main(argv[1:])
    text = printed.buffer.getvalue().decode()
    if code:
        raise SystemExit(f"{shlex.join(argv)} failed:\n{text}")
    return text


def walk(folder):
    """Walk the tutorial's commands; return what each printed, by its name, and the true miles."""
    truth = the_tutorials_table(folder)
    said = {argv[1]: run(argv, folder) for argv in commands("docs/tutorial.md")}
    return said, truth


def walk_alone(folder):
    """Walk the same way with a table of one's own; return the same of it."""
    truth = an_awkward_table(folder)
    names = {"cars": "orders", "new": "new_orders", "mpg": "status", "origin": "status"}
    names |= {"name": "firm (name)", "report": "orders_report", "model": "orders_model"}
    said = {}
    for argv in commands("docs/tutorial.md"):
        own = [names.get(stem := word.partition(".")[0], stem) + word[len(stem) :] for word in argv]
        own = ["orders_out.csv" if word == "out.csv" else word for word in own]
        said[argv[1]] = run_here(own, folder)
    return said, truth


def walk_to_the_end(folder):
    """Fit a table in which targets are missing, evaluate and explain; return what is printed.

    The cars of `walk` again: every tenth has no miles, and the new ones are a test file.
    """
    cars = sm.datasets.load_cars().frame.dropna(subset="mpg").sample(frac=1, random_state=0)
    cars.iloc[ASIDE::10, cars.columns.get_loc("mpg")] = np.nan
    cars[ASIDE:].to_csv(folder / "gaps.csv", index=False)
    cars[:ASIDE].to_csv(folder / "test.csv", index=False)
    fit = "seamark fit gaps.csv --target mpg --html gaps.html -o gaps.seamark"
    refused = subprocess.run(
        [sys.executable, "-m", *fit.split()],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    lines = {
        "fit": f"{fit} --drop-missing-target",
        "evaluate": "seamark evaluate gaps.seamark test.csv --html scores.html",
        "explain": "seamark explain gaps.seamark test.csv --rows 3",
        "assess": "seamark assess gaps.csv --target mpg --drop-missing-target --html columns.html",
    }
    said = {name: run(line.split(), folder) for name, line in lines.items()}
    return {"refused": refused.stderr, **said}


def people_twice(folder, n=60):
    """Write people.csv and register.csv, in which each third person comes again, misspelt.

    Return how many do.
    """
    rng = np.random.default_rng(5)
    letters = np.array(list("abcdefghijklmnoprstu"))
    names = ["".join(rng.choice(letters, 9)).title() for _ in range(n)]
    born = [f"19{rng.integers(40, 99)}-{rng.integers(1, 13):02}-11" for _ in range(n)]
    head, rows = ["name", "city", "born"], []
    for name, day in zip(names, born, strict=True):
        rows.append([name, str(rng.choice(["Oslo", "Rome", "Lima"])), day])
    again = [[misspelt(name, rng), city, day] for name, city, day in rows[::3]]
    _write(folder / "people.csv", [head, *rows, *again])
    _write(folder / "register.csv", [head, *again])
    return len(again)


def walk_to_pairs(folder):
    """Find and link people by several columns; return what is printed, and how many there are."""
    n = people_twice(folder)
    by = "--column name --column born:date --within name=2 --within born=0"
    lines = {
        "dedupe": f"seamark dedupe people.csv {by} -o pairs.csv",
        "groups": f"seamark dedupe people.csv {by} --groups -o grouped.csv",
        "link": f"seamark link people.csv register.csv {by} -o links.csv",
    }
    return {name: run(line.split(), folder) for name, line in lines.items()}, n


def walk_to_decisions(folder, asked=20):
    """Decide doubtful pairs in a CSV, and learn from them which others are one person.

    Return the pairs found and all pairs that are one person, as rows of people.csv.
    """
    n = people_twice(folder)
    people = pd.read_csv(folder / "people.csv", sep=";")
    first = {len(people) - n + k: 3 * k for k in range(n)}  # of a row that comes again
    measures = {"name": "levenshtein", "city": "jaro_winkler", "born": "date"}
    pairs = sm.duplicates(people, measures, within={"name": 6})
    model = sm.search.PairModel()
    model.doubtful(pairs, asked).to_csv(folder / "doubtful.csv", index=False)
    decided = pd.read_csv(folder / "doubtful.csv")
    decided["match"] = [
        first.get(max(a, b)) == min(a, b)
        for a, b in zip(decided["left"], decided["right"], strict=True)
    ]
    decided.to_csv(folder / "decided.csv", index=False)
    model.fit(pairs, pd.read_csv(folder / "decided.csv"))
    found = pairs[model.predict(pairs)].to_frame()
    same = {(min(a, b), max(a, b)) for a, b in zip(found["left"], found["right"], strict=True)}
    return same, {(one, again) for again, one in first.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--screenshots", type=Path, help="a folder for pictures of the pages")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    miles = walked(walk, given.folder, "out.csv", float)
    print(f"new cars: off by {np.mean([abs(a - b) for a, b in miles]):.1f} miles on average")
    states = walked(walk_alone, given.folder, "orders_out.csv", str)
    print(f"new orders: {np.mean([a == b for a, b in states]):.2f} right")
    said, _ = walk_to_pairs(given.folder)
    for name, text in (walk_to_the_end(given.folder) | said).items():
        print(f"== seamark {name}\n{text}")
    if given.screenshots:
        photograph(given.folder, given.screenshots)


def walked(way, folder, out, kind):
    """Print what a walk says; return pairs of what was predicted and what is true."""
    said, truth = way(folder)
    for name, text in said.items():
        print(f"== seamark {name}\n{text}")
    with (folder / out).open(encoding="utf-8") as file:
        found = [kind(row["prediction"]) for row in csv.DictReader(file)]
    return list(zip(found, truth, strict=True))


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
