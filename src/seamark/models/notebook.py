"""Explanations in notebooks: bars that need no style sheet, every text escaped."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..plotting.text import brief, escaped
from .reasons import Explanation, Reason, signed

FOR, AGAINST = "#4878a8", "#c8683c"
MOST_LETTERS = 200
CELL = "text-align:left;padding:2px 8px;vertical-align:top"


def explanation_html(explanation: Explanation) -> str:
    """Return an explanation as HTML: the sum, the landmarks, and what else there is to say."""
    lines = explanation.lines()
    largest = max([abs(added) for _, added in lines], default=0.0)
    sums = "".join(_line(name, added, largest) for name, added in lines)
    reasons = "".join(map(_reason, explanation.reasons))
    head = "".join(
        f"<th style='{CELL}'>{name}</th>" for name in ("adds", "like", "value", "label", "landmark")
    )
    remarks = "".join(f"<li>{escaped(line)}</li>" for line in _said(explanation))
    return (
        f"<div><p><b>{escaped(explanation.title)}</b></p>"
        f"<table>{sums}</table>"
        f"<details open><summary>the {len(explanation.reasons)} strongest</summary>"
        f"<table><tr>{head}</tr>{reasons}</table></details>"
        f"{_letters(explanation)}<ul>{remarks}</ul></div>"
    )


def _said(explanation: Explanation) -> list[str]:
    remarks = explanation.remarks()
    lettered = isinstance(explanation.object, str) and explanation.where is not None
    return [line for line in remarks if not (lettered and line.startswith("where: "))]


def _line(name: str, added: float, largest: float) -> str:
    width = 0.0 if largest == 0 else 160.0 * abs(added) / largest
    colour = FOR if added >= 0 else AGAINST
    bar = f"<div style='background:{colour};height:0.8em;width:{width:.0f}px'></div>"
    cells = (signed(added), bar, escaped(name))
    return "<tr>" + "".join(f"<td style='{CELL}'>{cell}</td>" for cell in cells) + "</tr>"


def _reason(reason: Reason) -> str:
    share = "" if reason.share is None else f"{reason.share:.0%}"
    label = "" if reason.label is None else escaped(brief(reason.label, 30))
    thing = escaped(reason.landmark, 80)
    if reason.block is not None:
        thing = f"<i>{escaped(reason.block, 30)}</i> {thing}"
    cells = (signed(reason.contribution), share, f"{reason.value:.4g}", label, thing)
    return "<tr>" + "".join(f"<td style='{CELL}'>{cell}</td>" for cell in cells) + "</tr>"


def _letters(explanation: Explanation) -> str:
    """Return a string with the letters that speak for it in one colour, and others in another."""
    thing: Any = explanation.object
    where = explanation.where
    if not isinstance(thing, str) or where is None or not len(where):
        return ""
    spread = float(np.abs(where).max()) or 1.0
    shown = []
    for letter, added in list(zip(thing, where, strict=True))[:MOST_LETTERS]:
        rgb = "72,120,168" if added >= 0 else "200,104,60"
        shade = f"background:rgba({rgb},{abs(added) / spread * 0.7:.2f})"
        shown.append(f"<span style='{shade}'>{escaped(letter)}</span>")
    rest = "…" if len(thing) > MOST_LETTERS else ""
    return f"<p>where: <code style='letter-spacing:1px'>{''.join(shown)}{rest}</code></p>"
