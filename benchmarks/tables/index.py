"""The list of all tables in the folder's README: how many figures are reached, and by whom."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from .summary import Results, tallied

START, END = "<!-- tables: written by the command -->", "<!-- end of tables -->"


HEAD = ("page", "table", "printed figures reached", "out of the box: wins", "ties", "losses")
HEAD += ("minutes",)


def write_index(folder: Path, every: list[Results]) -> Path | None:
    """Replace what stands between the two marks of `README.md`; None if there are no marks.

    Of a table that has no results here, the line that is there stays.
    """
    path = folder / "README.md"
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    if START not in text or END not in text:
        return None
    before, rest = text.split(START, 1)
    old, after = rest.split(END, 1)
    known = {line.split("]")[0]: line for line in old.splitlines() if line.startswith("| [")}
    known |= {f"| [{results.table.name}": line_of(results) for results in every if results.kept}
    names = [f"| [{results.table.name}" for results in every]
    lines = [row(HEAD), row("---" for _ in HEAD), *(known[name] for name in names if name in known)]
    path.write_text("\n".join([before + START, "", *lines, "", END + after]), encoding="utf-8")
    return path


def line_of(results: Results) -> str:
    table, tally = results.table, tallied(results)
    some = f"{tally.reached} of {tally.comparable}"
    figures = some if tally.comparable else "none comparable"
    contests = (str(count) for count in (tally.wins, tally.ties, tally.losses))
    link = f"[{table.name}]({table.name}.md)"
    part = "" if results.coverage.startswith("all") else f" ({results.coverage})"
    return row((link, table.title, figures, *contests, f"{results.minutes:.1f}{part}"))


def row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"
