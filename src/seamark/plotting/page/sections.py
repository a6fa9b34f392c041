"""The parts of a page: verdict, charts, facts, landmarks, explanations, comparison."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import numpy as np

from ..objects import Cloud, Curves, DrawingScale, Letters, Shape, aligned, runs
from ..text import escaped, glyph, visible
from .chart import COLOURS, Scale, chart, short, signed
from .document import (
    LEVELS,
    Document,
    Explained,
    Figure,
    Landmark,
    Line,
    Mistaken,
    Reason,
    Sentence,
)

WIDTH, HEIGHT, EDGE = 240.0, 90.0, 4.0
MOST_LETTERS = 300


def drawing(frame: DrawingScale, thing: Any) -> str:
    """Return one object as HTML."""
    shape = frame.shape(thing)
    if isinstance(shape, (Curves, Cloud)):
        return _svg(frame, [(shape, "own")])
    letters = " letters" if isinstance(shape, Letters) else ""
    return f'<bdi class="words{letters}">{escaped(thing, MOST_LETTERS) or "(empty)"}</bdi>'


def comparison(frame: DrawingScale, thing: Any, landmark: Any) -> str:
    """Return a landmark as HTML, beside or under the object it was compared with."""
    shapes = frame.shape(thing), frame.shape(landmark)
    if isinstance(shapes[0], Letters) and isinstance(shapes[1], Letters):
        return _letter_under_letter(shapes[0].text, shapes[1].text)
    if all(isinstance(shape, (Curves, Cloud)) for shape in shapes):
        return _svg(frame, [(shapes[0], "other"), (shapes[1], "own")])
    return drawing(frame, landmark)


def _letter_under_letter(text: str, landmark: str) -> str:
    """Two rows of letters; what is equal stands out from what is not."""
    rows: tuple[list[str], list[str]] = ([], [])
    for state, columns in runs(aligned(text[:MOST_LETTERS], landmark[:MOST_LETTERS])):
        for row, letters in zip(rows, zip(*columns, strict=True), strict=True):
            shown = "".join(glyph(c) if c else "–" for c in letters)
            row.append(f'<span class="{state}">{escape(shown)}</span>')
    cut = [
        f" … ({len(s) - MOST_LETTERS} more)" if len(s) > MOST_LETTERS else ""
        for s in (text, landmark)
    ]
    return (
        '<div class="aligned" tabindex="0" role="group" aria-label="object above, landmark below">'
        f'<div class="above" dir="ltr">{"".join(rows[0])}{cut[0]}</div>'
        f'<div dir="ltr">{"".join(rows[1])}{cut[1]}</div></div>'
    )


def _svg(frame: DrawingScale, shapes: list[tuple[Shape, str]]) -> str:
    left, right, bottom, top = frame.limits or (0.0, 1.0, 0.0, 1.0)
    x = Scale(left, right, EDGE, WIDTH - EDGE)
    y = Scale(bottom, top, HEIGHT - EDGE, EDGE)
    inside = "".join(_drawn(shape, role, x, y) for shape, role in shapes)
    return (
        f'<svg class="drawing" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img" '
        f'aria-label="{_said(shapes[-1][0])}">{inside}</svg>'
    )


def _said(shape: Shape) -> str:
    if isinstance(shape, Curves):
        return f"{len(shape.lines)} curve{'s' if len(shape.lines) > 1 else ''}"
    return f"{len(shape.points)} points" if isinstance(shape, Cloud) else ""


def _drawn(shape: Shape, role: str, x: Scale, y: Scale) -> str:
    if isinstance(shape, Cloud):
        return f'<g class="cloud {role}">{_dots(shape, x, y)}</g>'
    if isinstance(shape, Curves):
        return f'<g class="curves {role}">{_paths(shape, x, y)}</g>'
    return ""


def _dots(cloud: Cloud, x: Scale, y: Scale) -> str:
    known = np.isfinite(cloud.points).all(axis=1)
    places = ((x.at(a), y.at(b)) for a, b in cloud.points[known])
    return "".join(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="2.4"/>' for a, b in places)


def _paths(curves: Curves, x: Scale, y: Scale) -> str:
    paths = []
    for k, line in enumerate(curves.lines):
        known = np.isfinite(line)
        places = ((x.at(a), y.at(b)) for a, b in zip(curves.x[known], line[known], strict=True))
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
        paths.append(f'<polyline class="c{k}" points="{points}"/>')
    return "".join(paths)


# Objects on cards: landmarks to look at and to search, and what was mistaken.


def browser(
    landmarks: Sequence[Landmark],
    total: int,
    frame: DrawingScale,
    labels: dict[str, str],
    number: int,
    title: str = "Landmarks",
) -> str:
    """Return the landmarks themselves, to look at and to search."""
    if not landmarks:
        return ""
    largest = largest_of(one["weight"] for one in landmarks)
    cards = "".join(_card(one, frame, labels, largest) for one in landmarks)
    shown = len(landmarks) if len(landmarks) == total else f"the first {len(landmarks)} of {total}"
    return (
        f'<div class="tools"><label for="find{number}">Search objects, labels and rows</label>'
        f'<input type="search" id="find{number}" autocomplete="off" spellcheck="false">'
        f'<output class="count" for="find{number}">{shown} shown</output></div>'
        f'<ul class="cards" tabindex="0" aria-label="{escaped(title)}">{cards}</ul>'
    )


def _card(one: Landmark, frame: DrawingScale, labels: dict[str, str], largest: float) -> str:
    row = "" if one["index"] is None else f"row {one['index']}"
    sought = " ".join(visible(part, 400) for part in (one["object"], one["label"], row))
    weight = one["weight"]
    drawn = "" if weight is None else bar(weight, largest, "weight")
    if one.get("note"):
        drawn = f'<span class="amount">{escaped(one["note"])}</span>'
    return (
        f'<li data-text="{escaped(sought.lower())}">{drawing(frame, one["object"])}'
        f'<div class="meta">{label_of(one["label"], labels)}<span>{row}</span>{drawn}</div></li>'
    )


def mistakes(
    mistaken: Sequence[Mistaken], frame: DrawingScale, labels: dict[str, str], title: str
) -> str:
    """Return objects that were taken for another, as cards."""
    if not mistaken:
        return ""
    cards = "".join(
        f'<li>{drawing(frame, one["object"])}<div class="meta">{label_of(one["truth"], labels)}'
        f"<span>predicted</span>{label_of(one['prediction'], labels)}"
        f"<span>row {one['index']}</span></div></li>"
        for one in mistaken
    )
    return (
        '<p class="note">By models that had not seen them. Is the label right? Does the measure '
        "see what tells them apart?</p>"
        f'<ul class="cards" tabindex="0" aria-label="{escaped(title)}">{cards}</ul>'
    )


def label_of(label: Any, labels: dict[str, str]) -> str:
    """Return a label with its colour."""
    if label is None:
        return ""
    colour = labels.get(visible(label), "plain")
    return f'<bdi class="chip {colour}">{escaped(short(label), 40)}</bdi>'


def largest_of(values: Iterable[float | None]) -> float:
    """Return the largest size of the finite ones."""
    sizes = (abs(value) for value in values if value is not None)
    return max(filter(math.isfinite, sizes), default=0.0)


def bar(value: float, largest: float, name: str) -> str:
    """A number, and a bar to the left or right of zero."""
    is_drawn = largest > 0 and math.isfinite(value)
    part = 29.0 * abs(value) / largest if is_drawn else 0.0
    side, left = ("plus", 30.0) if value >= 0 else ("minus", 30.0 - part)
    return (
        f'<span class="amount"><svg class="bar" viewBox="0 0 60 8" aria-hidden="true">'
        f'<line x1="30" x2="30" y1="0" y2="8"/><rect class="{side}" x="{left:.1f}" y="1.5" '
        f'width="{part:.1f}" height="5"/></svg><span class="unseen">{name} </span>'
        f"{signed(value)}</span>"
    )


# The parts of a page: verdict, charts, facts, landmarks, explanations, comparison.


MOST_LANDMARKS = 300
MOST_EXPLANATIONS = 60
MOST_MISTAKEN = 24
MOST_VALUES = 200  # rows of the table of values under a chart
NOTE = (
    "Each line speaks for (+) or against (−) the prediction, relative to an average object: "
    "examples that the object is like, parts of it, or columns. “Unseen” is the prediction of a "
    "model that had not seen the row. "
    "The object is grey, or the upper row of letters; the landmark is in colour, or the lower row."
)


def section(document: Document, number: int) -> str:
    """Return all parts of one document, the verdict first."""
    landmarks = document.get("landmarks", ())[:MOST_LANDMARKS]
    explanations = document.get("explanations", ())[:MOST_EXPLANATIONS]
    mistaken = document.get("mistaken", ())[:MOST_MISTAKEN]
    objects = [one["object"] for one in mistaken]
    frame = DrawingScale(_objects(landmarks, explanations) + objects, document.get("domain", ""))
    labels = _colours(landmarks, explanations)
    title = document.get("landmarks_title", "Landmarks")
    wrong = document.get("mistaken_title", "Most surely mistaken")
    figures = document.get("figures", ())
    shown = "".join(figure(one) for one in figures if not one.get("folded"))
    parts = [
        verdict(document["verdict"]),
        glance(document.get("summary", ()), document.get("code", "")),
        _titled("Charts", shown, "figures"),
        _titled("Explain this object", panel(explanations, frame, labels, number)),
        _titled(escaped(wrong), mistakes(mistaken, frame, labels, wrong)),
        _titled(
            escaped(title),
            browser(landmarks, len(document.get("landmarks", ())), frame, labels, number, title),
        ),
        details([one for one in figures if one.get("folded")], document.get("facts", ())),
    ]
    return (
        f'<section class="document" id="d{number}"><h1>{escaped(document["title"], 300)}</h1>'
        f"{''.join(parts)}</section>"
    )


def _titled(title: str, body: str, kind: str = "") -> str:
    if not body:
        return ""
    return f'<section class="part"><h2>{title}</h2><div class="body {kind}">{body}</div></section>'


def _objects(landmarks: Sequence[Landmark], explanations: Sequence[Explained]) -> list[Any]:
    objects = [one["object"] for one in landmarks]
    for explained in explanations:
        objects += [explained["object"], *(reason["object"] for reason in explained["reasons"])]
    return objects


def _colours(landmarks: Sequence[Landmark], explanations: Sequence[Explained]) -> dict[str, str]:
    """A colour for each label, if there are few enough to tell them apart."""
    given = [one["label"] for one in landmarks]
    for explained in explanations:
        given += [explained["truth"], explained["prediction"]]
    names = sorted({visible(label) for label in given if label is not None})
    return {name: f"c{k}" for k, name in enumerate(names)} if len(names) <= COLOURS else {}


def verdict(sentences: Sequence[Sentence]) -> str:
    """Return the sentences, each with its sign."""
    items = "".join(
        f'<li class="{one["level"]}"><span class="sign" aria-hidden="true">'
        f"{LEVELS[one['level']][0]}</span><p>{_worded(one)}</p></li>"
        for one in sentences
    )
    return f'<ul class="verdict" aria-label="Verdict">{items}</ul>'


def _worded(one: Sentence) -> str:
    """Put the word of its level in front of a sentence, unless the sentence begins with it."""
    word, text = LEVELS[one["level"]][1], one["text"]
    said = re.match(rf"{word}\b", text) is not None
    lead = "" if said else f'<span class="word">{word}. </span>'
    return lead + escaped(text)


def glance(rows: Sequence[tuple[str, str]], code: str) -> str:
    """Return what is to be known at once, and a line to copy."""
    body = "".join(
        f'<tr><th scope="row">{escaped(name)}</th><td>{escaped(value, 400)}</td></tr>'
        for name, value in rows
    )
    table = f'<table class="facts glance">{body}</table>' if body else ""
    line = f'<pre class="code" tabindex="0" aria-label="Line to copy">{_lines(code)}</pre>'
    return table + (line if code else "")


def _lines(code: str) -> str:
    return "\n".join(escaped(line, 300) for line in code.split("\n"))


def details(figures: Sequence[Figure], rows: Sequence[tuple[str, str, str]]) -> str:
    """Return what supports the rest, folded: further charts, and the table of facts."""
    charts = "".join(map(figure, figures))
    body = (f'<div class="figures">{charts}</div>' if charts else "") + facts(rows)
    if not body:
        return ""
    return (
        '<section class="part"><details class="more"><summary><h2>Details</h2></summary>'
        f'<div class="body">{body}</div></details></section>'
    )


def figure(one: Figure) -> str:
    """Return a chart with its title, legend, and values as a table."""
    lines = one["series"]
    legend = "".join(
        f'<li class="c{k % COLOURS}">{escaped(line["name"], 60)}</li>'
        for k, line in enumerate(lines)
    )
    shown = f'<ul class="legend">{legend}</ul>' if len(lines) > 1 else ""
    if one.get("note"):
        shown = f'<p class="note">{escaped(one["note"])}</p>{shown}'
    return (
        f"<figure><figcaption>{escaped(one['title'])}</figcaption>{shown}"
        f'<div class="plate">{chart(one)}<output class="tip" hidden></output></div>'
        f"<details><summary>Values</summary>{_values(one)}</details></figure>"
    )


def _values(one: Figure) -> str:
    rows = [_value(line, i) for line in one["series"] for i in range(len(line["x"]))]
    heads = "".join(
        f'<th scope="col">{escaped(head, 60)}</th>'
        for head in ("", one["xlabel"], one["ylabel"], "interval")
    )
    rest = len(rows) - MOST_VALUES
    more = f'<tr><td colspan="4">{rest} more</td></tr>' if rest > 0 else ""
    body = "".join(rows[:MOST_VALUES])
    return f'<div class="wide"><table><tr>{heads}</tr>{body}{more}</table></div>'


def _value(line: Line, i: int) -> str:
    low, high = line.get("low"), line.get("high")
    known = low is not None and high is not None
    interval = f"{short(low[i])} to {short(high[i])}" if known else ""  # type: ignore[index]
    cells = (line["name"], short(line["x"][i]), short(line["y"][i]), interval)
    return f"<tr>{''.join(f'<td>{escaped(cell, 60)}</td>' for cell in cells)}</tr>"


def facts(rows: Sequence[tuple[str, str, str]]) -> str:
    """Return the table of facts."""
    body = "".join(
        f'<tr><th scope="row">{escaped(name)}</th><td class="value">{escaped(value)}</td>'
        f'<td class="remark">{escaped(remark)}</td></tr>'
        for name, value, remark in rows
    )
    return f'<table class="facts">{body}</table>' if body else ""


def panel(
    explanations: Sequence[Explained], frame: DrawingScale, labels: dict[str, str], number: int
) -> str:
    """Return the explanations, one to be chosen."""
    if not explanations:
        return ""
    options = "".join(
        f'<option value="{k}">{k + 1}. {_choice(one)}</option>'
        for k, one in enumerate(explanations)
    )
    articles = "".join(_article(one, frame, labels) for one in explanations)
    return (
        f'<div class="panel"><div class="tools"><label for="which{number}">Object</label>'
        f'<select id="which{number}">{options}</select>'
        '<button type="button" class="step" value="-1" aria-label="Previous object">←</button>'
        '<button type="button" class="step" value="1" aria-label="Next object">→</button></div>'
        f'<p class="note">{NOTE}</p><div class="chosen" aria-live="polite">{articles}</div></div>'
    )


def _choice(one: Explained) -> str:
    shown = escaped(one["object"], 16) if isinstance(one["object"], (str, bytes)) else ""
    truth = "" if one["truth"] is None else f" is {escaped(short(one['truth']), 20)},"
    return f"{shown}{truth} predicted {escaped(short(one['prediction']), 20)}"


def _article(one: Explained, frame: DrawingScale, labels: dict[str, str]) -> str:
    largest = largest_of(reason["contribution"] for reason in one["reasons"])
    reasons = "".join(_reason(r, one["object"], frame, labels, largest) for r in one["reasons"])
    truth = "" if one["truth"] is None else f"<dt>is</dt><dd>{label_of(one['truth'], labels)}</dd>"
    unseen = one.get("out_of_fold")
    without = "" if unseen is None else f"<dt>unseen</dt><dd>{label_of(unseen, labels)}</dd>"
    return (
        f'<article><div class="subject">{drawing(frame, one["object"])}</div>'
        f"<dl>{truth}<dt>predicted</dt><dd>{label_of(one['prediction'], labels)}</dd>{without}</dl>"
        f'<ol class="reasons">{reasons}</ol></article>'
    )


def _reason(
    one: Reason, thing: Any, frame: DrawingScale, labels: dict[str, str], largest: float
) -> str:
    row = "" if one["index"] is None else f"<span>row {one['index']}</span>"
    block = f"<span>{escaped(one['block'], 60)}</span>" if one.get("block") else ""
    known = math.isfinite(one["value"])
    value = f"<span>value {escaped(short(one['value']))}</span>" if known else ""
    return (
        f"<li>{bar(one['contribution'], largest, 'contribution')}"
        f'<div class="evidence">{comparison(frame, thing, one["object"])}'
        f'<div class="meta">{block}{label_of(one["label"], labels)}{row}{value}</div></div></li>'
    )


# Several documents on one page: the winner, a chart, and a table that fits a phone.


MOST_LETTERS_COMPARING = (
    45  # of a cell: more, such as examples, would make lines too long to compare
)


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
        and max(len(table.get(name, "")) for table in tables) <= MOST_LETTERS_COMPARING
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
