"""The list of all tables in the folder's README: how many figures are reached, and by whom."""

from __future__ import annotations

from pathlib import Path

from .summary import Results, tallied

START, END = "<!-- tables: written by the command -->", "<!-- end of tables -->"


def write_index(folder: Path, every: list[Results]) -> Path | None:
    """Replace what stands between the two marks of `README.md`; None if there are no marks."""
    path = folder / "README.md"
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    if START not in text or END not in text:
        return None
    before, rest = text.split(START, 1)
    after = rest.split(END, 1)[1]
    path.write_text(f"{before}{START}\n\n{index(every)}\n\n{END}{after}", encoding="utf-8")
    return path


def index(every: list[Results]) -> str:
    head = ("page", "table", "printed figures reached", "out of the box: wins", "ties", "losses")
    lines = [head, tuple("---" for _ in head)]
    for results in every:
        table, tally = results.table, tallied(results)
        figures = (
            f"{tally.reached} of {tally.comparable}" if tally.comparable else "none comparable"
        )
        contests = (str(count) for count in (tally.wins, tally.ties, tally.losses))
        lines.append((f"[{table.name}]({table.name}.md)", table.title, figures, *contests))
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
