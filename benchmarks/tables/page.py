"""The Markdown page of a table."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from ..provenance import written_by
from .claims import CLAIMS
from .spec import Row, Table
from .summary import Figure, Results, comparison, distance, shortfall, tallied, verdict

NOTHING = "–"


def write_page(results: Results, folder: Path, picture: str | None = None) -> Path:
    """Write `<table>.md` into a folder and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{results.table.name}.md"
    parts = [f"# {results.table.title}", introduction(results), main_table(results)]
    if picture:
        parts.append(f"![{results.table.score} over {results.table.sizes_of}]({picture})")
    parts += [claim(results), results.table.findings(results), tally(results), cost(results)]
    parts += [misses(results)]
    parts += [protocol(results), remarks(results)]
    path.write_text("\n\n".join(part for part in parts if part) + "\n", encoding="utf-8")
    return path


def introduction(results: Results) -> str:
    table = results.table
    direction = "lower" if table.lower_is_better else "higher"
    size = f", {landmarks(table)}" if table.sizes_of else ""
    return (
        f"{table.score[0].upper()}{table.score[1:]} ({direction} is better){size}: mean "
        "± standard deviation over splits (their number in brackets), and processor seconds of "
        f"fit and prediction. {written_by('make tables')}\n\nPrinted figures: {table.source}."
    )


def landmarks(table: Table) -> str:
    """Say how many there are, and which methods have another number."""
    others = ", ".join(f"{method} {n}" for method, n in table.sizes.items())
    return f"{table.n_landmarks} {table.sizes_of}" + (f" ({others})" if others else "")


def main_table(results: Results) -> str:
    table = results.table
    timed = any(printed.seconds for printed in table.printed.values())
    head = ("row", "method", "paper", *(("paper's seconds",) if timed else ()))
    head += ("ours", "seconds", "reached")
    head += (f"out of the box: {table.default}", "seconds", "against ours")
    lines = [head, tuple("---" for _ in head)]
    for row in table.rows:
        lines += row_lines(results, row)
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def row_lines(results: Results, row: Row) -> list[tuple[str, ...]]:
    """One line for each method; our default stands beside the paper's own methods."""
    lines = []
    for method in results.table.methods:
        name = f"**{method}**" if method in results.table.own else method
        lines.append((row.name, name, *paper_columns(results, row, method)))
    return lines


def paper_columns(results: Results, row: Row, method: str) -> tuple[str, ...]:
    table = results.table
    printed, ours = table.printed.get((row.name, method)), results.figure(row, method)
    text = (str(printed) if printed else NOTHING,)
    if any(figure.seconds for figure in table.printed.values()):
        text += (printed.seconds if printed else NOTHING,)
    if row.name in results.missing:
        return (*text, "not run" if row.absent else "data missing", *[NOTHING] * 5)
    reached = NOTHING
    if ours and printed:
        own = method in table.own
        # A rival's figure is not to be beaten; how near ours is tells how alike the protocols are.
        reached = verdict(ours, printed, table.lower_is_better) if own else distance(ours, printed)
        reached += "" if row.same_data else " (other data)"
    columns = (*text, shown(ours, results.failure(row, method)), clock(ours), reached)
    if method not in table.own:
        return (*columns, "", "", "")
    default = results.figure(row, table.default)
    against = comparison(default, ours, table.lower_is_better) if default and ours else NOTHING
    failure = results.failure(row, table.default)
    return (*columns, shown(default, failure), clock(default), against)


def shown(figure: Figure | None, failure: str | None) -> str:
    if figure is None:
        return "not run" if failure is None else f"failed: {failure}".replace("|", "/")
    spread = f" ± {figure.sd:.1g}" if figure.n > 1 else ""
    return f"{figure.mean:.3g}{spread} ({figure.n})"


def clock(figure: Figure | None) -> str:
    return NOTHING if figure is None else f"{figure.seconds:.2g}"


def claim(results: Results) -> str:
    """Say what the paper claims of the table, and whether it holds here."""
    text = CLAIMS.get(results.table.name)
    return f"The paper's claim: {text}." if text else ""


def tally(results: Results) -> str:
    """Sum the table up."""
    found = tallied(results)
    of_paper = (
        f"Of the figures of the paper's own methods on the same data, {found.reached} of "
        f"{found.comparable} are reached. "
    )
    return (
        f"{of_paper if found.comparable else ''}"
        f"Out of the box, against ours: {found.wins} wins, {found.ties} ties (within the "
        f"larger standard deviation), {found.losses} losses."
    )


def cost(results: Results) -> str:
    """Say what all cells cost together, and what a run of them took where there was one."""
    if not results.kept:
        return ""
    unlike, told = by_clock(results), results.coverage.capitalize()
    mixed = f" ({unlike} cells by the clock, not the processor)" if unlike else ""
    said = f"{told} together: {results.minutes:.1f} minutes of one core{mixed}."
    if results.whole_run is None:
        return said
    jobs = results.whole_run.jobs
    many = f"{jobs} job{'s' if jobs > 1 else ''}"
    return f"{said} A whole run took {results.whole_run.seconds / 60:.1f} minutes with {many}."


def by_clock(results: Results) -> int:
    """Count cells of which processor seconds are not known."""
    return sum("processor_seconds" not in result for result in results.kept.values())


def misses(results: Results) -> str:
    """Say why printed figures of the paper's own methods are missed, row by row."""
    table, lines = results.table, []
    for row in table.rows:
        for method in table.own:
            printed, ours = table.printed.get((row.name, method)), results.figure(row, method)
            if ours and printed and shortfall(ours, printed, table.lower_is_better):
                why = table.reasons.get((row.name, method)) or row.remark or "not explained"
                lines.append(f"- {row.name}, {method}: {why}.")
    return "## Why figures are missed\n\n" + "\n".join(lines) if lines else ""


def protocol(results: Results) -> str:
    return "## Protocol\n\n" + "\n".join(f"- {line}" for line in results.table.protocol)


def remarks(results: Results) -> str:
    """What a reader must know of single rows, and of the run itself."""
    lines = [f"{row.name}: {row.remark}." for row in results.table.rows if row.remark]
    lines += [
        f"{row.name}: "
        + (row.absent or f"missing, `{row.data}.npz` is not in the data folder")
        + "."
        for row in results.table.rows
        if row.name in results.missing
    ]
    states = {result["code"] for result in results.kept.values()}
    if len(states) > 1:
        lines.append(
            f"The cells come from {len(states)} states of the source; `--fresh` runs all again."
        )
    if by_clock(results):
        lines.append(
            f"Seconds of {by_clock(results)} cells are by the clock, on a machine with other work."
        )
    warned = Counter(text for result in results.kept.values() for text in result["warnings"])
    lines += [f"{count} cells warned: {text}" for text, count in warned.most_common(5)]
    return "## Remarks\n\n" + "\n".join(f"- {line}" for line in lines) if lines else ""
