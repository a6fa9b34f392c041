"""Several documents on one page: the winner, a chart, and a table that fits a phone."""

from __future__ import annotations

from collections.abc import Sequence

from ..text import escaped
from .document import Document
from .sections import figure, verdict

MOST_LETTERS = 45  # of a cell: more, such as examples, would make lines too long to compare


def comparison_table(documents: Sequence[Document]) -> str:
    """Return the best of several documents, a chart of all, and what tells them apart."""
    first = documents[0]
    chart = "".join(figure(one) for one in (first.get("chart"),) if one is not None)
    return (
        f'<section class="compared"><h1>{len(documents)} measures side by side</h1>'
        f'<p class="winner">Best: {escaped(first["title"], 200)}.</p>'
        f'{verdict(first["verdict"][:1])}<div class="leading">{chart}</div>'
        f"{_in_lines(documents)}"
        '<details class="more"><summary><h2>All facts</h2></summary>'
        f"{_side_by_side(documents)}</details></section>"
    )


def _in_lines(documents: Sequence[Document]) -> str:
    """Return a line for each document: its verdict in a word, and what differs of the summaries."""
    tables = [dict(one.get("summary", ())) for one in documents]
    names = [
        name
        for name in dict.fromkeys(name for table in tables for name in table)
        if len({table.get(name) for table in tables}) > 1
        and max(len(table.get(name, "")) for table in tables) <= MOST_LETTERS
    ]
    lines = []
    for k, (one, table) in enumerate(zip(documents, tables, strict=True)):
        said = one["verdict"][0]["text"].partition(":")[0] if one["verdict"] else ""
        cells = [escaped(said, 60), *(escaped(table.get(name, ""), 120) for name in names)]
        link = f'<a href="#d{k}">{escaped(one["title"], 80)}</a>'
        lines.append(
            f'<tr><th scope="row">{link}</th>{"".join(f"<td>{c}</td>" for c in cells)}</tr>'
        )
    heads = "".join(f'<th scope="col">{escaped(name)}</th>' for name in ("verdict", *names))
    return (
        '<div class="wide" tabindex="0" role="region" aria-label="Measures in lines">'
        f"<table class='lines'><tr><td></td>{heads}</tr>{''.join(lines)}</table></div>"
    )


def _side_by_side(documents: Sequence[Document]) -> str:
    """Return a table of all facts, a column for each document."""
    heads = "".join(
        f'<th scope="col"><a href="#d{k}">{escaped(one["title"], 80)}</a></th>'
        for k, one in enumerate(documents)
    )
    firsts = [f"<td>{verdict(one['verdict'][:1])}</td>" for one in documents]
    tables = [{name: value for name, value, _ in one.get("facts", ())} for one in documents]
    names = dict.fromkeys(name for table in tables for name in table)
    rows = "".join(
        _row(name, [f"<td>{escaped(table.get(name, ''))}</td>" for table in tables])
        for name in names
    )
    return (
        '<div class="wide" tabindex="0" role="region" aria-label="Side by side"><table>'
        f"<tr><td></td>{heads}</tr>{_row('Verdict', firsts)}{rows}</table></div>"
    )


def _row(name: str, cells: list[str]) -> str:
    return f'<tr><th scope="row">{escaped(name)}</th>{"".join(cells)}</tr>'
