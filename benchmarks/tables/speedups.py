"""How many times faster than the exact kernel: a second table on the page of Table 3.1."""

from __future__ import annotations

import json
from statistics import mean

from .spec import PRINTED, Row
from .summary import Results

EXACT = "K"


def section(results: Results, name: str) -> str:
    """Speed-ups of training and test over the exact kernel, beside the printed ones."""
    content = json.loads((PRINTED / f"{name}.json").read_text(encoding="utf-8"))
    printed = content["speedups"]
    head = ("row", "method", "training: paper", "ours", "test: paper", "ours", "at least as much")
    lines = [head, tuple("---" for _ in head)]
    for row in results.table.rows:
        for method in (*results.table.own, results.table.default):
            line = _line(results, row, method, printed.get(row.name, {}).get(method))
            if line is not None:
                lines.append(line)
    body = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    exact = "; ".join(
        f"{row} {_seconds(results, row):.2g} (printed {seconds[0]})"
        for row, seconds in content["exact seconds"].items()
        if _seconds(results, row) is not None
    )
    return (
        f"## Speed-ups over LIBSVM\n\n{body}\n\n{_count(results, printed)} A speed-up is relative "
        "to the exact kernel, and that has become faster too, most of all where it needs few "
        f"support vectors. Its training takes here, in seconds: {exact}."
    )


def _count(results: Results, printed: dict[str, dict[str, list[str]]]) -> str:
    """Say how many of the printed speed-ups are reached, of training and of test."""
    reached, told = [0, 0], [0, 0]
    for row in results.table.rows:
        for method in results.table.own:
            ours = _ratios(results, row, method)
            for part, text in enumerate(printed.get(row.name, {}).get(method, ())):
                if ours is not None and text:
                    told[part] += 1
                    reached[part] += ours[part] >= float(text)
    return (
        f"Of the printed speed-ups of training {reached[0]} of {told[0]} are reached, of those of "
        f"test {reached[1]} of {told[1]}."
    )


def _seconds(results: Results, row: str) -> float | None:
    """Mean seconds in which the exact kernel is trained."""
    found = [
        kept["fit_seconds"]
        for cell, kept in results.kept.items()
        if (cell.row, cell.method) == (row, EXACT)
    ]
    return mean(found) if found else None


def _line(
    results: Results, row: Row, method: str, printed: list[str] | None
) -> tuple[str, ...] | None:
    ours = _ratios(results, row, method)
    if ours is None:
        return None
    told = printed or ["", ""]
    pairs = [(float(text), ratio) for text, ratio in zip(told, ours, strict=True) if text]
    reached = "" if not pairs else "yes" if all(r >= p for p, r in pairs) else "**no**"
    shown = [f"{text} ×" if text else "–" for text in told]
    times = [f"{ratio:.3g} ×" for ratio in ours]
    return (row.name, method, shown[0], times[0], shown[1], times[1], reached)


def _ratios(results: Results, row: Row, method: str) -> tuple[float, float] | None:
    """Mean seconds of the exact kernel over those of a method, on the splits both have seen."""
    size = results.table.size(method, row)
    exact, ours = (
        {
            cell.split: kept
            for cell, kept in results.kept.items()
            if (cell.row, cell.method, cell.n_landmarks) == (row.name, name, n)
        }
        for name, n in ((EXACT, None), (method, size))
    )
    both = exact.keys() & ours.keys()
    if not both:
        return None
    return tuple(
        mean(exact[s][part] for s in both) / mean(ours[s][part] for s in both)
        for part in ("fit_seconds", "predict_seconds")
    )
