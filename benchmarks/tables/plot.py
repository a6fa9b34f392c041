"""The score over the number of landmarks, one small picture for each row."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from .spec import Row
from .summary import Results

COLOURS = ("#1f6f8b", "#c8553d", "#588157", "#6d597a", "#b08900")


def write_plot(results: Results, folder: Path) -> str | None:
    """Write `<table>.png`; return its name, or None if there is no curve to show."""
    rows = [row for row in results.table.rows if has_curve(results, row)]
    if not rows:
        return None
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    across = min(4, len(rows))
    down = math.ceil(len(rows) / across)
    size = (3.2 * across + 0.4, 2.6 * down + 1)
    figure, grid = plt.subplots(down, across, figsize=size, squeeze=False, layout="constrained")
    for axes, row in zip(grid.flat, rows, strict=False):
        draw(axes, results, row)
    for axes in grid.flat[len(rows) :]:
        axes.set_axis_off()
    handles, labels = grid.flat[0].get_legend_handles_labels()
    columns = min(len(labels), across + 1)
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, frameon=False)
    figure.supylabel(results.table.score)
    folder.mkdir(parents=True, exist_ok=True)
    figure.savefig(folder / f"{results.table.name}.png", dpi=110)
    plt.close(figure)
    return f"{results.table.name}.png"


def sizes(results: Results, method: str, row: Row) -> list[int]:
    table = results.table
    return sorted({table.size(method, row) or table.n_landmarks, *table.curve})


def has_curve(results: Results, row: Row) -> bool:
    return any(
        results.figure(row, method, n)
        for method in results.table.curve_methods
        for n in results.table.curve
    )


def draw(axes: Any, results: Results, row: Row) -> None:
    """Curves of the methods that have landmarks; level lines of those that do not depend on it."""
    table = results.table
    for colour, method in zip(COLOURS, table.curve_methods, strict=False):
        points = [(n, results.figure(row, method, n)) for n in sizes(results, method, row)]
        points = [(n, figure) for n, figure in points if figure]
        axes.errorbar(
            [n for n, _ in points],
            [figure.mean for _, figure in points],
            [figure.sd for _, figure in points],
            color=colour,
            marker="o",
            markersize=3,
            label=method,
        )
        printed = table.printed.get((row.name, method))
        if printed:
            label = f"{method}, printed"
            axes.plot(table.size(method, row), printed.mean, "*", color=colour, ms=10, label=label)
    for style, method in zip(("--", ":", "-."), (*table.level, table.default), strict=False):
        figure = results.figure(row, method)
        if figure:
            axes.axhline(figure.mean, color="black", linestyle=style, linewidth=0.9, label=method)
    axes.set(title=row.name, xscale="log", xlabel=table.sizes_of)
    if table.lower_is_better:
        axes.set_yscale("log")
