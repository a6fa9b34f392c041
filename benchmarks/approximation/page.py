"""The results as a Markdown page and a picture."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..provenance import written_by
from .measure import OURS

COLOURS = {"RF": "#999999", "H0/1": "#c77d2b", "PolynomialCountSketch": "#8e5ea2", OURS: "#1f6f8b"}
SHOWN = (100, 1000, 5000)
CLOCK = 1.1  # what timings of a millisecond are good for


def by_panel(cells):
    """{(kernel, d): {method: cells by columns}}."""
    panels = {}
    for cell in cells:
        panels.setdefault((cell.kernel, cell.d), {}).setdefault(cell.method, []).append(cell)
    return panels


def standing(ours, rivals):
    """Say whether ours is the lowest, tied (within two standard errors), or behind."""
    best = min(rivals, key=lambda c: c.mean)
    if ours.mean <= best.mean:
        return "lowest"
    doubt = 2 * np.hypot(ours.standard_error, best.standard_error)
    return "tied" if ours.mean - best.mean <= doubt else "behind"


def at_equal_columns(lines):
    """The standing of ours at each number of columns."""
    for ours in lines[OURS]:
        rivals = [
            c for m, cs in lines.items() if m != OURS for c in cs if c.columns == ours.columns
        ]
        yield ours.columns, standing(ours, rivals)


def at_equal_time(lines):
    """For each rival's cell, whether one of ours was as fast and as good, or tied."""
    for method, cells in lines.items():
        for rival in cells if method != OURS else []:
            within = [c for c in lines[OURS] if c.seconds <= CLOCK * rival.seconds]
            yield bool(within) and standing(min(within, key=lambda c: c.mean), [rival]) != "behind"


def rises(panels):
    """Return by what factors errors of ours rise at the next number of columns: means, squares.

    Rises of a mean within two standard errors do not count, nor rises of a root mean square of less
    than a tenth.
    """
    means, squares, steps = [], [], 0
    for lines in panels.values():
        ours = sorted(lines[OURS], key=lambda c: c.columns)
        for few, more in pairwise(ours):
            steps += 1
            doubt = 2 * np.hypot(few.standard_error, more.standard_error)
            if more.mean > few.mean + doubt:
                means.append(more.mean / few.mean)
            if more.root_mean_square > 1.1 * few.root_mean_square:
                squares.append(more.root_mean_square / few.root_mean_square)
    return steps, means, squares


def rises_sentence(panels):
    """Say how often the errors of ours rise with the number of columns, and how far."""
    steps, means, squares = rises(panels)

    def counted(factors):
        return f"{len(factors)} (at most {max(factors):.2g}-fold)" if factors else "none"

    return (
        f"Of {steps} steps from a number of columns to the next, the mean error of ours rises by "
        f"more than chance in {counted(means)}, its root mean square by more than a tenth in "
        f"{counted(squares)}."
    )


def number(cell):
    if cell is None:
        return "–"
    return f"{cell.mean:.3g} ± {cell.standard_error:.1g} ({cell.root_mean_square:.2g})"


def table(panels, columns):
    head = ["kernel", "d", *COLOURS, "mean error of ours, of all methods at every D"]
    rows = [head, ["---"] * len(head)]
    for (kernel, d), lines in panels.items():
        cells = [
            next((c for c in lines.get(method, []) if c.columns == columns), None)
            for method in COLOURS
        ]
        behind = [D for D, verdict in at_equal_columns(lines) if verdict == "behind"]
        verdict = "lowest or tied" if not behind else f"behind at D = {behind}"
        rows.append([kernel, str(d), *map(number, cells), verdict])
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def markdown(cells, path):
    panels = by_panel(cells)
    every = [verdict for lines in panels.values() for _, verdict in at_equal_columns(lines)]
    timed = [won for lines in panels.values() for won in at_equal_time(lines)]
    tables = "\n\n".join(f"D = {D}:\n\n{table(panels, D)}" for D in SHOWN)
    path.write_text(
        "# Random features of dot-product kernels (Figure 3.1)\n\n"
        "100 points uniform in the unit ball, mean |K − ZZᵀ| over all pairs, means of 5 runs and "
        "their standard errors; in brackets the root mean square over all pairs, relative to "
        "√(K(x, x) K(y, y)). All methods have the same number of output columns D, exact ones "
        "included. RF and H0/1 are the thesis's maps (geometric degrees, p = 2; a homogeneous "
        "kernel has its one degree); H0/1 needs D ≥ d + 2. PolynomialCountSketch of degree 10 "
        "stands in for the exponential as (1 + t/10σ²)¹⁰. Ours is `RandomMaclaurin(kernel, D)` "
        f"with all defaults. {written_by('make bench-approximation')}\n\n"
        f"At equal columns the mean error of ours is the lowest in {every.count('lowest')} of "
        f"{len(every)} comparisons, tied (within two standard errors) in {every.count('tied')}, "
        f"behind in {every.count('behind')}. At equal time (one of ours as fast as the rival's "
        "cell, within a tenth, in seconds of a processor for a thousand rows) it is lowest or tied "
        f"in {sum(timed)} of {len(timed)}.\n\n"
        f"{rises_sentence(panels)} Columns are divided by the root mean square over all pairs, a "
        "row with itself included, and not by the mean of |K − ZZᵀ|: that mean may rise where the "
        "root mean square falls. A product of ten random signs is nearly always near zero and "
        "rarely huge, so at few columns a homogeneous kernel of degree 10 is beyond all of these "
        "methods, and ours scales such columns down, towards features that are all zero.\n\n"
        f"{tables}\n\n![errors over columns and over time](approximation.png)\n"
    )


def picture(cells, path):
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    panels = by_panel(cells)
    names = list(dict.fromkeys(kernel for kernel, _ in panels))
    sizes = list(dict.fromkeys(d for _, d in panels))
    shape = (2 * len(names), len(sizes))
    figure, grid = plt.subplots(*shape, figsize=(3.2 * shape[1], 2.6 * shape[0]), squeeze=False,
                                layout="constrained")  # fmt: skip
    for (kernel, d), lines in panels.items():
        row, column = names.index(kernel), sizes.index(d)
        for k, x in enumerate(("columns", "seconds")):
            axes = grid[2 * row + k, column]
            for method, colour in COLOURS.items():
                points = sorted((getattr(c, x), c.mean) for c in lines.get(method, []))
                axes.loglog(*zip(*points, strict=True) if points else ((), ()), "o-",
                            color=colour, label=method, markersize=3)  # fmt: skip
            axes.set_xlabel("output columns D" if k == 0 else "processor seconds, 1000 rows")
            axes.set_title(f"{kernel}, d = {d}", fontsize=9)
    grid[0, 0].legend(fontsize=7)
    figure.savefig(path, dpi=90)
