"""Many rows: how scores and seconds grow with them, and the page that says so."""

from __future__ import annotations

import io
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

import seamark as sm

from ..provenance import written_by
from ..tables.spec import Cell, Row, Table
from ..tables.store import Store
from ..tables.workers import SPAWN, worker_surroundings
from .peers import STRINGS, Peers, boosting_of, forest_of, lightgbm_of
from .rounds import OURS, SEED, STEPS, contest, ours, score, task_of

NAMES_SIZES = (1500, 6000, 16_000)
TEST_ROWS = 8000
SVM_ROWS = 16_000
"""Beyond them a support vector machine takes more than ten minutes."""
SETS = {
    "covtype": (3000, 10_000, 30_000, 100_000),
    "letter": (3000, 10_000, 16_000),
    "magic": (3000, 10_000),
    "cod_rna": (3000, 10_000, 30_000, 50_000),
    "ijcnn1": (3000, 10_000, 30_000, 100_000),
    "cahousing": (3000, 10_000, 16_000),
    "house16h": (3000, 10_000, 16_000),
}
NUMBERS = ("cahousing", "house16h")

TITLE = """# Many rows: how accuracy grows with them

`make contest CONTEST="--round many_rows --round many_names"` on the data folder `SEAMARK_DATA`: so
many rows of each set, drawn at random, to fit to, and {test:,} others to predict, or all that are
left; the same for all, nothing set by hand. Scores: accuracy, R² for regression (cahousing,
house16h); means over splits. Each fit has a process of its own, with one thread; seconds are
processor seconds of the fit and of the predictions. A dash is a cell that was not run.
{written}
"""

HOW_LARGE = """## How large can I go

What a fit takes as rows grow, on average over the splits: processor seconds of the fit, of
gradient boosting in brackets; seconds of the predictions, of extra trees in brackets; the largest
memory of the process, of which Python and its libraries take about 210 MB before any row is read;
and the size of the saved model, of compressed extra trees in brackets.

| rows | score | fit, s | predictions, s | memory, MB | model, MB |
|---|---|---|---|---|---|
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
        "LightGBM": lambda seed: lightgbm_of(task, seed),
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
    parts = X[train], y[train], X[test], y[test]
    with worker_surroundings(), ProcessPoolExecutor(1, mp_context=SPAWN) as process:
        return process.submit(measured, cell, task, *parts).result()


def measured(cell: Cell, task: str, X: Any, y: Any, X_new: Any, y_new: Any) -> dict[str, Any]:
    """What a fit in this process takes, and how good it is."""
    known = STRINGS if cell.table == "many_names" else peers(task)
    model = ours(task, cell.split) if cell.method == OURS else known[cell.method](cell.split)
    start = time.process_time()
    model.fit(X, y)
    fitted = time.process_time()
    predicted = np.asarray(model.predict(X_new))
    done = time.process_time()
    status = Path("/proc/self/status")  # elsewhere nothing is said of memory
    facts = status.read_text(encoding="utf-8") if status.exists() else "VmHWM: nan"
    return {
        "score": score(task, y_new, predicted, {}),
        "seconds": done - start,
        "fit_seconds": fitted - start,
        "predict_seconds": done - fitted,
        "memory_mb": float(facts.partition("VmHWM:")[2].split()[0]) / 1024,
        "model_mb": saved_bytes(model, cell.method == OURS) / 1e6,
        "n_train": len(y),
        "n_test": len(y_new),
    }


def saved_bytes(model: Any, own: bool) -> int:
    """Bytes of a model as saved: of ours as `save` does, of others compressed by joblib."""
    if not own:
        file = io.BytesIO()
        joblib.dump(model, file, compress=3)
        return len(file.getvalue())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.seamark"
        sm.save(model, path)
        return path.stat().st_size


def table(name: str, title: str, rows: tuple[Row, ...], methods: tuple[str, ...]) -> Table:
    """The table of a round, evaluated here."""
    made = contest(name, title, rows, methods, 2)
    return replace(made, evaluate=evaluate, define=define, alone=True)


def define(cell: Cell, row: Row) -> str:
    return f"{STEPS} {cell.table} {row.data} {row.most_objects} {TEST_ROWS} {cell.method}"


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


Found = dict[str, list[dict[str, Any]]]


def write_page(store: Store, out: Path) -> Path:
    """Write ``many_rows.md``: every cell that has run, with its seconds."""
    command = "python -m benchmarks.contest --round many_rows --round many_names"
    lines = [TITLE.format(test=TEST_ROWS, written=written_by(command, "lightgbm"))]
    for build in ROUNDS.values():
        made = build()
        found = _found(made, store)
        if not found:
            continue
        methods = (OURS, *made.methods)
        lines += [f"## {made.title}", "", "| rows | splits | " + " | ".join(methods) + " |"]
        lines.append("|---|---:|" + "---|" * len(methods))
        for name, results in found.items():
            splits = min(map(len, results.values()))
            cells = [_cell(results, method, splits) for method in methods]
            lines.append(f"| {name} | {splits} | " + " | ".join(cells) + " |")
        lines.append("")
        if build is many_rows:
            lines.append(HOW_LARGE + "\n".join(_growth(*each) for each in found.items()) + "\n")
    path = out / "many_rows.md"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def _found(made: Table, store: Store) -> dict[str, Found]:
    """Results of each row of a table on which ours has run, by method."""
    kept: dict[str, Found] = {}
    for cell, result in store.kept(made, made.cells()).items():
        if np.isfinite(result["score"]):
            kept.setdefault(cell.row, {}).setdefault(cell.method, []).append(result)
    return {row.name: kept[row.name] for row in made.rows if OURS in kept.get(row.name, {})}


def _growth(name: str, found: Found) -> str:
    """What our fit took, beside rivals: a row of the table of `HOW_LARGE`."""

    def mean(method: str, what: str, digits: int) -> str:
        results = found.get(method, [])
        return f"{np.mean([one[what] for one in results]):,.{digits}f}" if results else "–"

    cells = [
        name,
        mean(OURS, "score", 3),
        f"{mean(OURS, 'fit_seconds', 1)} ({mean('gradient boosting', 'fit_seconds', 1)})",
        f"{mean(OURS, 'predict_seconds', 2)} ({mean('extra trees', 'predict_seconds', 2)})",
        mean(OURS, "memory_mb", 0),
        f"{mean(OURS, 'model_mb', 1)} ({mean('extra trees', 'model_mb', 1)})",
    ]
    return "| " + " | ".join(cells) + " |"


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
