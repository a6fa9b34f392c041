"""The parts of a page: verdict, charts, facts, landmarks, explanations, comparison."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..objects import Cloud, Curves, DrawingScale, Letters, Shape, aligned, runs
from ..text import Html, glyph, markup, tag, visible
from .chart import COLOURS, Scale, chart, short, signed
from .document import LEVELS, Document, Explained, Figure, Landmark, Reason, Sentence

# Objects as what they are: letters, curves, points, or their own text.

WIDTH, HEIGHT, EDGE = 240.0, 90.0, 4.0
MOST_LETTERS = 300


def drawing(frame: DrawingScale, thing: Any) -> Html:
    """Return one object as HTML."""
    shape = frame.shape(thing)
    if isinstance(shape, (Curves, Cloud)):
        return _svg(frame, [(shape, "own")])
    kind = "words letters" if isinstance(shape, Letters) else "words"
    return tag("bdi", visible(thing, MOST_LETTERS) or "(empty)", class_=kind)


def comparison(frame: DrawingScale, thing: Any, landmark: Any) -> Html:
    """Return a landmark as HTML, beside or under the object it was compared with."""
    one, other = frame.shape(thing), frame.shape(landmark)
    if isinstance(one, Letters) and isinstance(other, Letters):
        return _letter_under_letter(one.text, other.text)
    if isinstance(one, (Curves, Cloud)) and isinstance(other, (Curves, Cloud)):
        return _svg(frame, [(one, "other"), (other, "own")])
    return drawing(frame, landmark)


def _letter_under_letter(text: str, landmark: str) -> Html:
    """Two rows of letters; what is equal stands out from what is not."""
    rows: tuple[list[Html], list[Html]] = ([], [])
    for state, columns in runs(aligned(text[:MOST_LETTERS], landmark[:MOST_LETTERS])):
        for row, letters in zip(rows, zip(*columns, strict=True), strict=True):
            row.append(tag("span", "".join(glyph(c) if c else "–" for c in letters), class_=state))
    rest = [len(one) - MOST_LETTERS for one in (text, landmark)]
    cut = [f" … ({n} more)" if n > 0 else "" for n in rest]
    return tag(
        "div",
        tag("div", rows[0], cut[0], class_="above", dir="ltr"),
        tag("div", rows[1], cut[1], dir="ltr"),
        class_="aligned",
        tabindex=0,
        role="group",
        aria_label="object above, landmark below",
    )


def _svg(frame: DrawingScale, shapes: list[tuple[Shape, str]]) -> Html:
    left, right, bottom, top = frame.limits or (0.0, 1.0, 0.0, 1.0)
    x = Scale(left, right, EDGE, WIDTH - EDGE)
    y = Scale(bottom, top, HEIGHT - EDGE, EDGE)
    drawn, said = [], ""
    for shape, role in shapes:
        if isinstance(shape, Cloud):
            known = shape.points[np.isfinite(shape.points).all(axis=1)]
            places = [(f"{x.at(a):.1f}", f"{y.at(b):.1f}") for a, b in known]
            dots = [tag("circle", cx=a, cy=b, r=2.4) for a, b in places]
            drawn.append(tag("g", dots, class_=f"cloud {role}"))
            said = f"{len(shape.points)} points"
        elif isinstance(shape, Curves):
            lines = []
            for k, line in enumerate(shape.lines):
                known = np.isfinite(line)
                pairs = zip(shape.x[known], line[known], strict=True)
                points = " ".join(f"{x.at(a):.1f},{y.at(b):.1f}" for a, b in pairs)
                lines.append(tag("polyline", class_=f"c{k}", points=points))
            drawn.append(tag("g", lines, class_=f"curves {role}"))
            said = f"{len(shape.lines)} curve{'s' * (len(shape.lines) > 1)}"
    box = f"0 0 {WIDTH:g} {HEIGHT:g}"
    return tag("svg", drawn, class_="drawing", viewBox=box, role="img", aria_label=said)


def bar(value: float, largest: float, name: str) -> Html:
    """A number, and a bar to the left or right of zero."""
    is_drawn = largest > 0 and math.isfinite(value)
    part = 29.0 * abs(value) / largest if is_drawn else 0.0
    side, left = ("plus", 30.0) if value >= 0 else ("minus", 30.0 - part)
    place = {"x": f"{left:.1f}", "y": 1.5, "width": f"{part:.1f}", "height": 5}
    zero = tag("line", x1=30, x2=30, y1=0, y2=8)
    drawn = tag("rect", class_=side, **place)
    box = tag("svg", zero, drawn, class_="bar", viewBox="0 0 60 8", aria_hidden="true")
    unseen = tag("span", f"{name} ", class_="unseen")
    return tag("span", box, unseen, signed(value), class_="amount")


def largest_of(values: Iterable[float | None]) -> float:
    """Return the largest size of the finite ones."""
    sizes = (abs(value) for value in values if value is not None)
    return max(filter(math.isfinite, sizes), default=0.0)


# Parts that need no objects: verdict, summary, charts, facts.

MOST_VALUES = 200  # rows of the table of values under a chart


def verdict(sentences: Sequence[Sentence]) -> Html:
    """Return the sentences, each with its sign, and led by the word of its level if it is not."""
    items = []
    for one in sentences:
        sign, word = LEVELS[one["level"]]
        said = re.match(rf"{word}\b", one["text"]) is not None
        lead = [] if said else [tag("span", f"{word}. ", class_="word")]
        mark = tag("span", sign, class_="sign", aria_hidden="true")
        items.append(tag("li", mark, tag("p", lead, one["text"]), class_=one["level"]))
    return tag("ul", items, class_="verdict", aria_label="Verdict")


def glance(rows: Sequence[tuple[str, str]], code: str) -> Html:
    """Return what is to be known at once, and a line to copy."""
    body = [tag("tr", tag("th", a, scope="row"), tag("td", visible(b, 400))) for a, b in rows]
    table = [tag("table", body, class_="facts glance")] if body else []
    # Lines one by one, for a line end is a character that cannot be seen.
    lines = Html("\n".join(markup(visible(line, 300)) for line in code.split("\n")))
    copied = tag("pre", lines, class_="code", tabindex=0, aria_label="Line to copy")
    return markup(table, copied if code else "")


def figure(one: Figure) -> Html:
    """Return a chart with its title, legend, and values as a table."""
    lines = one["series"]
    names = [visible(line["name"], 60) for line in lines]
    legend = [tag("li", name, class_=f"c{k % COLOURS}") for k, name in enumerate(names)]
    tip = Html('<output class="tip" hidden></output>')
    heads = [tag("th", visible(h, 60), scope="col") for h in ("", one["xlabel"], one["ylabel"])]
    heads.append(tag("th", "interval", scope="col"))
    rows = []
    for line in lines:
        low, high = line.get("low"), line.get("high")
        for i, (x, y) in enumerate(zip(line["x"], line["y"], strict=True)):
            known = low is not None and high is not None
            interval = f"{short(low[i])} to {short(high[i])}" if known else ""  # type: ignore[index]
            cells = (line["name"], short(x), short(y), interval)
            rows.append(tag("tr", [tag("td", visible(cell, 60)) for cell in cells]))
    if len(rows) > MOST_VALUES:
        rows[MOST_VALUES:] = [tag("tr", tag("td", f"{len(rows) - MOST_VALUES} more", colspan=4))]
    table = tag("div", tag("table", tag("tr", heads), rows), class_="wide")
    return tag(
        "figure",
        tag("figcaption", one["title"]),
        [tag("p", one["note"], class_="note")] if one.get("note") else [],
        [tag("ul", legend, class_="legend")] if len(lines) > 1 else [],
        tag("div", chart(one), tip, class_="plate"),
        tag("details", tag("summary", "Values"), table),
    )


def details(figures: Sequence[Figure], rows: Sequence[tuple[str, str, str]]) -> Html:
    """Return what supports the rest, folded: further charts, and the table of facts."""
    if not figures and not rows:
        return Html()
    charts = [tag("div", [figure(one) for one in figures], class_="figures")] if figures else []
    body = [
        tag(
            "tr",
            tag("th", a, scope="row"),
            tag("td", b, class_="value"),
            tag("td", c, class_="remark"),
        )
        for a, b, c in rows
    ]
    table = [tag("table", body, class_="facts")] if body else []
    inside = tag("div", charts, table, class_="body")
    summary = tag("summary", tag("h2", "Details"))
    return tag("section", tag("details", summary, inside, class_="more"), class_="part")


# One document: its landmarks, mistakes and explanations are drawn on one scale, in one colour for
# each label.

MOST_LANDMARKS = 300
MOST_EXPLANATIONS = 60
MOST_MISTAKEN = 24
NOTE = (
    "Each line speaks for (+) or against (−) the prediction, relative to an average object: "
    "examples that the object is like, parts of it, or columns. Predictions are those of the "
    "fitted model. "
    "The object is grey, or the upper row of letters; the landmark is in colour, or the lower row."
)
MISTAKEN = (
    "Predicted by models that had not seen these rows. Is the label right? Does the measure see "
    "what tells them apart?"
)


class Section:
    """All parts of one document, the verdict first.

    Parameters
    ----------
    document : Document
    number : int
        Of the document on its page.
    """

    def __init__(self, document: Document, number: int) -> None:
        self.document, self.number = document, number
        self.landmarks = document.get("landmarks", ())[:MOST_LANDMARKS]
        self.explanations = document.get("explanations", ())[:MOST_EXPLANATIONS]
        self.mistaken = document.get("mistaken", ())[:MOST_MISTAKEN]
        objects = [one["object"] for one in (*self.landmarks, *self.explanations, *self.mistaken)]
        reasons = [reason["object"] for one in self.explanations for reason in one["reasons"]]
        self.frame = DrawingScale([*objects, *reasons], document.get("domain", ""))
        given = [one["label"] for one in self.landmarks]
        given += [one[key] for one in self.explanations for key in ("truth", "prediction")]
        names = sorted({visible(label) for label in given if label is not None})
        # Of more labels than this the colours could not be told apart.
        few = len(names) <= COLOURS
        self.colours = {name: f"c{k}" for k, name in enumerate(names)} if few else {}

    def html(self) -> Html:
        """Return it."""
        document = self.document
        figures = document.get("figures", ())
        shown = [figure(one) for one in figures if not one.get("folded")]
        wrong = document.get("mistaken_title", "Most surely mistaken")
        title = document.get("landmarks_title", "Landmarks")
        parts = [
            verdict(document["verdict"]),
            glance(document.get("summary", ()), document.get("code", "")),
            _titled("Charts", shown, "body figures"),
            _titled("Explain this object", self._panel()),
            _titled(wrong, self._mistakes(wrong)),
            _titled(title, self._browser(title)),
            details([one for one in figures if one.get("folded")], document.get("facts", ())),
        ]
        head = tag("h1", visible(document["title"], 300))
        return tag("section", head, parts, class_="document", id=f"d{self.number}")

    def _label(self, label: Any) -> Html:
        """Return a label with its colour."""
        if label is None:
            return Html()
        colour = self.colours.get(visible(label), "plain")
        return tag("bdi", visible(short(label), 40), class_=f"chip {colour}")

    def _browser(self, title: str) -> list[Html]:
        """Return the landmarks themselves, to look at and to search."""
        if not self.landmarks:
            return []
        n, total, field = len(self.landmarks), len(self.document["landmarks"]), f"find{self.number}"
        shown = f"{n if n == total else f'the first {n} of {total}'} shown"
        sought = tag("label", "Search objects, labels and rows", for_=field)
        search = tag("input", type="search", id=field, autocomplete="off", spellcheck="false")
        count = tag("output", shown, class_="count", for_=field)
        largest = largest_of(one["weight"] for one in self.landmarks)
        return [
            tag("div", sought, search, count, class_="tools"),
            _cards([self._card(one, largest) for one in self.landmarks], title),
        ]

    def _card(self, one: Landmark, largest: float) -> Html:
        row, weight = _row(one["index"]), one["weight"]
        sought = " ".join(visible(part, 400) for part in (one["object"], one["label"], row))
        amount = Html() if weight is None else bar(weight, largest, "weight")
        if one.get("note"):
            amount = tag("span", one["note"], class_="amount")
        meta = tag("div", self._label(one["label"]), tag("span", row), amount, class_="meta")
        return tag("li", drawing(self.frame, one["object"]), meta, data_text=sought.lower())

    def _mistakes(self, title: str) -> list[Html]:
        """Return objects that were taken for another, as cards."""
        cards = []
        for one in self.mistaken:
            labels = self._label(one["truth"]), tag("span", "predicted")
            row = tag("span", _row(one["index"]))
            meta = tag("div", *labels, self._label(one["prediction"]), row, class_="meta")
            cards.append(tag("li", drawing(self.frame, one["object"]), meta))
        return [tag("p", MISTAKEN, class_="note"), _cards(cards, title)] if cards else []

    def _panel(self) -> list[Html]:
        """Return the explanations, one to be chosen."""
        if not self.explanations:
            return []
        options = []
        for k, one in enumerate(self.explanations):
            thing, truth = one["object"], one["truth"]
            shown = visible(thing, 16) if isinstance(thing, (str, bytes)) else ""
            truth = "" if truth is None else f" is {visible(short(truth), 20)},"
            said = f"{k + 1}. {shown}{truth} predicted {visible(short(one['prediction']), 20)}"
            options.append(tag("option", said, value=k))
        field = f"which{self.number}"
        step = {"type": "button", "class_": "step"}
        tools = [
            tag("label", "Object", for_=field),
            tag("select", options, id=field),
            tag("button", "←", **step, value=-1, aria_label="Previous object"),
            tag("button", "→", **step, value=1, aria_label="Next object"),
        ]
        articles = [self._article(one) for one in self.explanations]
        chosen = tag("div", articles, class_="chosen", aria_live="polite")
        note = tag("p", NOTE, class_="note")
        return [tag("div", tag("div", tools, class_="tools"), note, chosen, class_="panel")]

    def _article(self, one: Explained) -> Html:
        largest = largest_of(reason["contribution"] for reason in one["reasons"])
        known = [("is", one["truth"]), ("predicted", one["prediction"])]
        facts = [
            markup(tag("dt", name), tag("dd", self._label(label)))
            for name, label in known
            if label is not None or name == "predicted"
        ]
        return tag(
            "article",
            tag("div", drawing(self.frame, one["object"]), class_="subject"),
            tag("dl", facts),
            tag(
                "ol",
                [self._reason(r, one["object"], largest) for r in one["reasons"]],
                class_="reasons",
            ),
            _sum(one.get("lines", ())),
        )

    def _reason(self, one: Reason, thing: Any, largest: float) -> Html:
        block = [tag("span", visible(one["block"], 60))] if one.get("block") else []
        row = [] if one["index"] is None else [tag("span", _row(one["index"]))]
        known = math.isfinite(one["value"])
        value = [tag("span", f"value {short(one['value'])}")] if known else []
        place = [tag("span", one["place"])] if one.get("place") else []
        meta = tag("div", block, self._label(one["label"]), row, value, place, class_="meta")
        shown = comparison(self.frame, thing, one["object"])
        evidence = tag("div", shown, meta, class_="evidence")
        return tag("li", bar(one["contribution"], largest, "contribution"), evidence)


def _sum(lines: Sequence[tuple[str, float]]) -> Html:
    """Return all contributions to a score, folded; nothing where they are not given."""
    if not lines:
        return Html()
    largest = largest_of(added for _, added in lines)
    items = [
        tag("li", bar(added, largest, "contribution"), tag("span", visible(name, 100)))
        for name, added in lines
    ]
    title = f"All contributions, which sum to the score {short(sum(added for _, added in lines))}"
    return tag("details", tag("summary", title), tag("ol", items, class_="reasons"))


def _row(index: int | str | None) -> str:
    """Return where an object stands in the data: by its number, unless that has words."""
    return "" if index is None else f"row {index}" if isinstance(index, int) else visible(index, 60)


def _titled(title: str, body: list[Html], kind: str = "body") -> Html:
    if not body:
        return Html()
    return tag("section", tag("h2", title), tag("div", body, class_=kind), class_="part")


def _cards(cards: list[Html], title: str) -> Html:
    return tag("ul", cards, class_="cards", tabindex=0, aria_label=title)


# Several documents on one page: the winner, a chart, and a table that fits a phone.

# Letters of a cell: more, such as examples, would make lines too long to compare.
MOST_LETTERS_COMPARING = 45


def comparison_table(documents: Sequence[Document]) -> Html:
    """Return the best of several documents, a chart of all, and what tells them apart."""
    first = documents[0]
    links = [tag("a", visible(one["title"], 80), href=f"#d{k}") for k, one in enumerate(documents)]
    # A line for each document: its verdict in a word, and what differs of the summaries.
    tables = [dict(one.get("summary", ())) for one in documents]
    names = [
        name
        for name in dict.fromkeys(name for table in tables for name in table)
        if len({table.get(name) for table in tables}) > 1
        and max(len(table.get(name, "")) for table in tables) <= MOST_LETTERS_COMPARING
    ]
    heads = [tag("th", name, scope="col") for name in ("verdict", *names)]
    lines = []
    for one, table, link in zip(documents, tables, links, strict=True):
        said = one["verdict"][0]["text"].partition(":")[0] if one["verdict"] else ""
        cells = [visible(said, 60), *(visible(table.get(name, ""), 120) for name in names)]
        lines.append(tag("tr", tag("th", link, scope="row"), [tag("td", cell) for cell in cells]))
    # All facts, a column for each document.
    rows: dict[str, list[Any]] = {"Verdict": [verdict(one["verdict"][:1]) for one in documents]}
    facts = [{name: value for name, value, _ in one.get("facts", ())} for one in documents]
    for name in dict.fromkeys(name for table in facts for name in table):
        rows[name] = [table.get(name, "") for table in facts]
    top = tag("tr", tag("td"), [tag("th", link, scope="col") for link in links])
    body = [
        tag("tr", tag("th", name, scope="row"), [tag("td", cell) for cell in cells])
        for name, cells in rows.items()
    ]
    chart = first.get("chart")
    whole = _wide(tag("table", top, body), "Side by side")
    return tag(
        "section",
        tag("h1", visible(first.get("heading") or f"{len(documents)} measures compared", 300)),
        tag("p", f"Best: {visible(first['title'], 200)}.", class_="winner"),
        verdict(first["verdict"][:1]),
        tag("div", [] if chart is None else figure(chart), class_="leading"),
        _wide(
            tag("table", tag("tr", tag("td"), heads), lines, class_="lines"), "Measures in lines"
        ),
        tag("details", tag("summary", tag("h2", "All facts")), whole, class_="more"),
        class_="compared",
    )


def _wide(table: Html, name: str) -> Html:
    return tag("div", table, class_="wide", tabindex=0, role="region", aria_label=name)
