"""The parts of a page: verdict, charts, facts, landmarks, explanations, comparison."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ..frame import DrawingScale
from ..text import escaped, visible
from .cards import bar, browser, label_of, largest_of, mistakes
from .chart import COLOURS, chart
from .document import LEVELS, Document, Explained, Figure, Landmark, Line, Reason, Sentence
from .drawings import comparison, drawing
from .scale import short

MOST_LANDMARKS = 300
MOST_EXPLANATIONS = 60
MOST_MISTAKEN = 24
MOST_VALUES = 200  # rows of the table of values under a chart
NOTE = (
    "In the eyes of the model the object is a mixture of these landmarks. Each speaks for (+) or "
    "against (−) the prediction, relative to an average object. "
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
    return (
        f'<article><div class="subject">{drawing(frame, one["object"])}</div>'
        f"<dl>{truth}<dt>predicted</dt><dd>{label_of(one['prediction'], labels)}</dd></dl>"
        f'<ol class="reasons">{reasons}</ol></article>'
    )


def _reason(
    one: Reason, thing: Any, frame: DrawingScale, labels: dict[str, str], largest: float
) -> str:
    row = "" if one["index"] is None else f"<span>row {one['index']}</span>"
    block = f"<span>{escaped(one['block'], 60)}</span>" if one.get("block") else ""
    return (
        f"<li>{bar(one['contribution'], largest, 'contribution')}"
        f'<div class="evidence">{comparison(frame, thing, one["object"])}'
        f'<div class="meta">{block}{label_of(one["label"], labels)}{row}'
        f"<span>value {escaped(short(one['value']))}</span></div></div></li>"
    )
