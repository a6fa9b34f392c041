"""Many rows: how scores and seconds grow with them, and the page that says so."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from ..tables.spec import Cell, Row, Table
from ..tables.store import Store
from .peers import STRINGS, Peers, boosting_of, forest_of
from .rounds import OURS, SEED, STEPS, contest, ours, score, task_of

NAMES_SIZES = (1500, 6000, 16_000)
TEST_ROWS = 4000
SVM_ROWS = 16_000
"""Beyond them a support vector machine takes more than ten minutes."""
SETS = {
    "covtype": (3000, 10_000, 30_000, 100_000),
    "letter": (3000, 10_000, 16_000),
    "magic": (3000, 10_000),
    "cod_rna": (3000, 10_000, 30_000),
    "ijcnn1": (3000, 10_000, 30_000, 100_000),
    "cahousing": (3000, 10_000, 16_000),
    "house16h": (3000, 10_000, 16_000),
}
NUMBERS = ("cahousing", "house16h")

TITLE = """# Many rows: how accuracy grows with them

`make contest CONTEST="--round many_rows --round many_names"` on the data folder `SEAMARK_DATA`: so
many rows of each set, drawn at random, to fit to, and {test:,} others to predict; the same for
all, nothing set by hand. Scores: accuracy, R² for regression (cahousing, house16h); means over
splits. Seconds are processor seconds of one fit, and of the predictions.
"""


def rows() -> tuple[Row, ...]:
    """One for each set and number of rows."""
    return tuple(
        Row(
            f"{name} {n:,}",
            f"tabular/{name}",
            remark="regression" if name in NUMBERS else "classification",
            most_objects=n,
            most_splits=1 if n > 30_000 else None,
        )
        for name, sizes in SETS.items()
        for n in sizes
    )


def extra_trees(task: str, seed: int) -> Any:
    kind = ExtraTreesRegressor if task == "regression" else ExtraTreesClassifier
    return kind(200, random_state=seed)


def svm(task: str, seed: int) -> Any:
    return make_pipeline(StandardScaler(), SVR(C=10) if task == "regression" else SVC(C=10))


def peers(task: str) -> Peers:
    return {
        "extra trees": lambda seed: extra_trees(task, seed),
        "random forest": lambda seed: forest_of(task, seed).set_params(n_estimators=200),
        "gradient boosting": lambda seed: boosting_of(task, seed),
        "SVM (C = 10)": lambda seed: svm(task, seed),
    }


def evaluate(cell: Cell, row: Row, data: dict[str, Any]) -> dict[str, Any]:
    """Fit to so many rows, predict others, and score, with processor seconds."""
    X, y, n = data["X"], data["y"], row.most_objects or 0
    task = task_of(row)
    if cell.method.startswith("SVM") and n > SVM_ROWS:
        return {"score": np.nan, "seconds": 0.0}  # not run
    order = np.random.default_rng([SEED, cell.split]).permutation(len(y))
    train, test = order[:n], order[n : n + TEST_ROWS]
    y = y.astype(np.float64) if task == "regression" else np.unique(y, return_inverse=True)[1]
    known = STRINGS if cell.table == "many_names" else peers(task)
    model = ours(task, cell.split) if cell.method == OURS else known[cell.method](cell.split)
    start = time.process_time()
    model.fit(X[train], y[train])
    fitted = time.process_time()
    predicted = np.asarray(model.predict(X[test]))
    done = time.process_time()
    return {
        "score": score(task, y[test], predicted, {}),
        "seconds": done - start,
        "fit_seconds": fitted - start,
        "predict_seconds": done - fitted,
        "n_train": n,
        "n_test": len(test),
    }


def table(name: str, title: str, rows: tuple[Row, ...], methods: tuple[str, ...]) -> Table:
    """The table of a round, evaluated here."""
    made = contest(name, title, rows, methods, 2)
    return replace(made, evaluate=evaluate, define=define)


def define(cell: Cell, row: Row) -> str:
    return f"{STEPS} {cell.table} {row.data} {row.most_objects} {cell.method}"


def many_rows() -> Table:
    """Tables of numbers."""
    return table("many_rows", "Tables", rows(), tuple(peers("classification")))


def many_names() -> Table:
    """Surnames and their languages."""
    names = tuple(
        Row(f"names {n:,}", "strings/names_language", most_objects=n) for n in NAMES_SIZES
    )
    return table("many_names", "Strings", names, ("TF-IDF (char)", "TF-IDF (char_wb)"))


ROUNDS = {"many_rows": many_rows, "many_names": many_names}


def write_page(store: Store, out: Path) -> Path:
    """Write ``many_rows.md``: every cell that has run, with its seconds."""
    lines = [TITLE.format(test=TEST_ROWS)]
    for build in ROUNDS.values():
        made = build()
        kept: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for cell, result in store.kept(made, made.cells()).items():
            kept.setdefault((cell.row, cell.method), []).append(result)
        methods = (OURS, *made.methods)
        lines += [f"## {made.title}", "", "| rows | splits | " + " | ".join(methods) + " |"]
        lines.append("|---|---:|" + "---|" * len(methods))
        for row in made.rows:
            found = {
                m: kept[row.name, m]
                for m in methods
                if (row.name, m) in kept and np.isfinite(kept[row.name, m][0]["score"])
            }
            if OURS in found:
                splits = min(map(len, found.values()))
                cells = [_cell(found, method, splits) for method in methods]
                lines.append(f"| {row.name} | {splits} | " + " | ".join(cells) + " |")
        lines.append("")
    path = out / "many_rows.md"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def _cell(found: dict[str, list[dict[str, Any]]], method: str, splits: int) -> str:
    """A score, bold where it is the best, and seconds of a fit and of its predictions."""
    if method not in found:
        return "–"
    means = {
        m: np.mean([result["score"] for result in results[:splits]]).round(3)
        for m, results in found.items()
    }
    own = found[method][:splits]
    fit, predict = (np.mean([r[f"{what}_seconds"] for r in own]) for what in ("fit", "predict"))
    shown = f"{means[method]:.3f}"
    shown = f"**{shown}**" if means[method] == max(means.values()) else shown
    return f"{shown} ({fit:.1f} s, {predict:.2f} s)"
