"""The contest's page: who is ahead, by how much, at what cost; and a picture of mean ranks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata, wilcoxon

from ..provenance import written_by
from ..tables.spec import Cell, Table
from ..tables.store import Store
from .rounds import MOST_TEST, MOST_TRAINING, OURS, ROUNDS

TITLE = """# The contest: our defaults, and what people use today

`make contest` runs every round on the data folder `SEAMARK_DATA`: the same training and test
objects for all, nothing set by hand, one thread each, compilation not counted. Standard splits
where a set has one, else random ones (70 % for training, the same for all); of more than
{train:,} training rows and {test:,} test rows so many are drawn. Scores: accuracy, R² for
regression, mean NDCG for ranking. Seconds are processor seconds, summed over sets.

What was looked at while defaults were made: the training parts of these sets, by cross-validation.
Some rules were added after a look at test scores, and these sets are no evidence for us any more:
classes of one row each (Fungi, where folds can tell nothing), more and longer n-grams for more
strings (names_language), summaries of sets (the four small ones), and scores of a forest beside
distances (wine_white and other tables), the latter three chosen on training parts all the same.

A method stands in a table once it has run; means, ranks and seconds are over the sets on which all
methods of the table ran. With `--quick` sets without a standard split have one random split.
{written}
Cells that were finished before that are kept from earlier runs.
"""

PEERS = ("aeon", "lightgbm", "skrub")
"""Libraries whose versions the page names."""
SHOWN = 3
"""Decimals of a score: two that look the same are level."""


@dataclass(frozen=True)
class Round:
    """Results of a round: scores (sets, methods), NaN where a cell is missing."""

    table: Table
    methods: list[str]
    sets: list[str]
    results: dict[tuple[str, str], list[dict[str, Any]]]

    @classmethod
    def of(cls, table: Table, store: Store) -> Round:
        results: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for cell, result in store.kept(table, table.cells()).items():
            results.setdefault((cell.row, cell.method), []).append(result)
        methods = [OURS, *(m for m in table.methods if any(k[1] == m for k in results))]
        sets = [row.name for row in table.rows if (row.name, OURS) in results]
        return cls(table, methods, sets, results)

    def column(self, fact: str) -> np.ndarray:
        """A fact of every set and method, its mean over splits."""
        return np.array(
            [
                [_mean(self.results.get((name, method), []), fact) for method in self.methods]
                for name in self.sets
            ]
        )


def _mean(results: list[dict[str, Any]], fact: str) -> float:
    known = [result[fact] for result in results if fact in result]
    return float(np.mean(known)) if known else np.nan


def write_page(store: Store, out: Path, failed: dict[Cell, str]) -> Path:
    """Write ``contest.md`` and a picture for each round."""
    parts = [
        TITLE.format(
            train=MOST_TRAINING, test=MOST_TEST, written=written_by("make contest", *PEERS)
        )
    ]
    for build in ROUNDS.values():
        found = Round.of(build(), store)
        if found.sets:
            parts.append(section(found, out))
    if failed:
        lines = [f"- {cell}: {why}" for cell, why in failed.items()]
        parts.append("\n".join(["## Cells that failed", "", *lines, ""]))
    path = out / "contest.md"
    path.write_text("\n".join(parts), encoding="utf-8")
    return path


def section(found: Round, out: Path) -> str:
    """One round in Markdown."""
    scores = found.column("score")
    whole = ~np.isnan(scores).any(axis=1)
    ranks = np.array([rankdata(-row) for row in np.round(scores[whole], SHOWN)])
    draw(found, ranks.mean(axis=0), int(whole.sum()), out / f"contest_{found.table.name}.png")
    return "\n".join(
        [
            f"## {found.table.title}",
            "",
            f"{whole.sum()} sets on which everybody ran.",
            "",
            *summary(found, scores, whole, ranks),
            "",
            f"![mean ranks](contest_{found.table.name}.png)",
            "",
            *every_set(found, scores),
            "",
        ]
    )


def summary(found: Round, scores: np.ndarray, whole: np.ndarray, ranks: np.ndarray) -> list[str]:
    """One line for each method: mean, rank, how often we are ahead, and what it costs."""
    fit, predict = found.column("fit_seconds")[whole], found.column("predict_seconds")[whole]
    loss = found.column("log_loss")[whole]
    lines = [
        "| method | mean score | mean rank | ours: ahead / level / behind | p (Wilcoxon) | fit, s "
        "| predict, s | log-loss |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for j in np.argsort(-scores[whole].mean(axis=0)):
        less = np.subtract(*np.round(scores[whole][:, [0, j]], SHOWN).T)
        versus = f"{(less > 0).sum()} / {(less == 0).sum()} / {(less < 0).sum()}" if j else ""
        p = f"{wilcoxon(less).pvalue:.2g}" if j and less.any() else ""
        name = f"**{found.methods[j]}**" if j == 0 else found.methods[j]
        log = "" if np.isnan(loss[:, j]).any() else f"{loss[:, j].mean():.3f}"
        lines.append(
            f"| {name} | {scores[whole, j].mean():.4f} | {ranks[:, j].mean():.2f} | {versus} | {p} "
            f"| {_seconds(fit[:, j])} | {_seconds(predict[:, j])} | {log} |"
        )
    return lines


def _seconds(each: np.ndarray) -> str:
    """Seconds of all sets; a dash where cells were taken over from an earlier page without them."""
    return "–" if np.isnan(each).any() else f"{each.sum():.0f}"


def every_set(found: Round, scores: np.ndarray) -> list[str]:
    """The score of every method on every set, the best in bold."""
    lines = [
        f"| set | {' | '.join(found.methods)} |",
        f"|---|{'---|' * len(found.methods)}",
    ]
    for name, row in zip(found.sets, np.round(scores, SHOWN), strict=True):
        best = np.nanmax(row)
        cells = [
            "–" if np.isnan(s) else f"**{s:.3f}**" if s >= best - 5e-7 else f"{s:.3f}" for s in row
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def draw(found: Round, ranks: np.ndarray, n_sets: int, path: Path) -> None:
    """Mean ranks on a line, and how far two must be apart to differ (Nemenyi, 5 %)."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from scipy.stats import studentized_range

    k = len(ranks)
    apart = studentized_range.ppf(0.95, k, np.inf) * np.sqrt(k * (k + 1) / (12 * n_sets))
    figure, axes = plt.subplots(figsize=(7, 0.6 + 0.32 * k))
    for place, j in enumerate(np.argsort(ranks)):
        axes.plot(ranks[j], place, "o", color="C1" if j == 0 else "C0")
        axes.text(ranks[j] + 0.06, place, f"{found.methods[j]}  {ranks[j]:.2f}", va="center")
    best = ranks.min()
    axes.plot([best, best + apart], [-0.8, -0.8], "k-", lw=2)
    axes.text(best, -1.0, "critical difference", fontsize=8, va="bottom")
    axes.set(ylim=(k - 0.4, -1.7), xlim=(0.8, k + 1.2), xlabel="mean rank", yticks=[])
    for side in ("top", "left", "right"):
        axes.spines[side].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)
