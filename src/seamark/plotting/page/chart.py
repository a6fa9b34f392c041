"""Charts as inline SVG: complete without a script, which only adds what hovering shows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..objects import Numbers, span
from ..text import Html, tag, visible
from .document import Figure, Line

# Not matplotlib, which draws the displays: pages are written where it is not installed, their style
# is that of the page, and a chart tells its numbers to the script and to arrow keys.


@dataclass(frozen=True)
class Scale:
    """A linear or logarithmic axis from `low` to `high`, drawn from `start` to `end`.

    Examples
    --------
    >>> Scale(0.0, 10.0, 100.0, 200.0).at(5.0)
    150.0
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        """Return where a value is drawn."""
        low, high, value = ((math.log(v) if self.log else v) for v in (self.low, self.high, value))
        return self.start + (value - low) / (high - low) * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Return round values inside."""
        return log_ticks(self.low, self.high) if self.log else round_ticks(self.low, self.high)


def round_ticks(low: float, high: float, most: int = 7) -> list[float]:
    """Return multiples of 1, 2 or 5 times a power of ten, at most about `most` of them.

    Examples
    --------
    >>> round_ticks(0.0, 1.0)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    rough = (high - low) / (most - 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{k * step:.12g}") + 0.0 for k in range(first, last + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Return 1, 2 and 5 times powers of ten, or powers of ten alone if these are many.

    Examples
    --------
    >>> log_ticks(10.0, 500.0)
    [10.0, 20.0, 50.0, 100.0, 200.0, 500.0]
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    heads = (1, 2, 5) if len(powers) <= 4 else (1,)
    ticks = (m * 10.0**p for p in powers for m in heads)
    return [t for t in ticks if low * (1 - 1e-9) <= t <= high * (1 + 1e-9)]


def scale_for(values: Numbers, start: float, end: float, *, room: float = 0.0) -> Scale:
    """Return an axis that shows all finite values, with some room around them.

    Counts that grow in ever larger steps get a logarithm.

    Examples
    --------
    >>> scale_for(np.array([1.0, 10.0, 100.0]), 0.0, 1.0).at(10.0)
    0.5
    """
    low, high = span(values)
    if room == 0.0 and _growing_counts(values):
        return Scale(low, high, start, end, log=True)
    pad = room * (high - low)
    return Scale(low - pad, high + pad, start, end)


def _growing_counts(values: Numbers) -> bool:
    counts = np.unique(values[np.isfinite(values)])
    whole = len(counts) > 2 and bool(np.all(counts == np.round(counts)))
    if not whole or counts[0] < 1 or counts[-1] < 16 * counts[0]:
        return False
    steps = np.diff(counts)
    return bool(steps[-1] > 2 * steps[0])


def floats(values: Sequence[Any] | None) -> Numbers:
    """Return values as an array, what is missing as NaN."""
    return np.array([np.nan if v is None else v for v in values or ()], dtype=np.float64)


def short(value: Any) -> str:
    """Return a number in at most four digits; anything else as it is.

    Examples
    --------
    >>> short(0.123456), short(1000.0), short("class a")
    ('0.1235', '1000', 'class a')
    """
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.number)):
        return str(value)
    return str(value) if isinstance(value, int) else f"{value:.4g}".replace("-", "−")


def signed(value: float) -> str:
    """Return a number with its sign, in three digits.

    Examples
    --------
    >>> signed(-0.12345), signed(2)
    ('−0.123', '+2')
    """
    return f"{value:+.3g}".replace("-", "−")


# Charts as inline SVG: complete without a script, which only adds what hovering shows.


WIDTH, HEIGHT = 460, 270
LEFT, RIGHT, TOP, BOTTOM = 70, 12, 12, 44
SLANT = 46  # more room below, for names too long to stand side by side
LONGEST_NAME = 18
COLOURS = 6
MANY = 40  # points: beyond this a curve is drawn without dots, until one is pointed at


@dataclass(frozen=True)
class Mark:
    """A value of a series that is drawn: its number there, its place, and what hovering shows."""

    i: int
    x: float
    y: float
    hover: dict[str, str]


def chart(figure: Figure) -> Html:
    """Return a chart as an ``<svg>`` element."""
    bars = figure["kind"] == "bars"
    lines = [line for line in figure["series"] if np.isfinite(floats(line["y"])).any()]
    if not lines:
        return tag("p", "There are no finite values to draw.", class_="nothing")
    numbers = all(isinstance(v, (int, float, np.number)) for line in lines for v in line["x"])
    distinct = dict.fromkeys(short(v) for line in lines for v in line["x"])
    names = {name: k for k, name in enumerate(distinct)} if bars or not numbers else {}
    slanted = bool(names) and not numbers and _room_for(names) > 1
    y = _y_axis(lines, HEIGHT - BOTTOM - (SLANT if slanted else 0), from_zero=bars)
    if names:
        x = Scale(-0.5, len(names) - 0.5, LEFT, WIDTH - RIGHT)
        ticks = _names_below(names, x, y, slanted=slanted)
    else:
        x = scale_for(_all_values(lines, "x"), LEFT + 6, WIDTH - RIGHT - 6)
        ticks = [_upright(x.at(tick), y, short(tick)) for tick in x.ticks()]
    drawn = []
    for k, line in enumerate(lines):
        marks = _marks(
            line, floats([names[short(v)] for v in line["x"]] if names else line["x"]), x, y
        )
        if bars:
            inside = _bars(line, marks, y, k - len(lines) / 2, len(lines) * len(names))
        else:
            inside = _curve(line, marks, y, dots=line.get("kind", figure["kind"]) == "points")
        named = visible(line["name"], 60)
        drawn.append(tag("g", inside, class_=f"series c{k % COLOURS}", data_name=named))
    said = f"{figure['title']}: {figure['ylabel']} against {figure['xlabel']}"
    return tag(
        "svg",
        [*_y_lines(y), *ticks, *_labels(figure, y), *drawn],
        tag("line", class_="cross", x1=0, x2=0, y1=TOP, y2=y.start),
        class_="chart",
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="img",
        tabindex=0,
        aria_label=f"{said}. Arrow keys read the values.",
        data_x=figure["xlabel"],
        data_map="yes" if any(line.get("texts") for line in lines) else None,
    )


def _all_values(lines: list[Line], *keys: str) -> Numbers:
    return np.concatenate([floats(line.get(key)) for line in lines for key in keys])  # type: ignore[arg-type]


def _y_axis(lines: list[Line], floor: float, *, from_zero: bool) -> Scale:
    seen = np.append(_all_values(lines, "y", "low", "high"), [0.0] if from_zero else [])
    scale = scale_for(seen, floor, TOP, room=0.04)
    lowest = 0.0 if from_zero and np.nanmin(seen) >= 0 else scale.low
    return Scale(lowest, scale.high, scale.start, scale.end)


def _marks(line: Line, positions: Numbers, x: Scale, y: Scale) -> list[Mark]:
    """Return the values that are finite, each with where it is drawn and what is said of it."""
    low, high = _ends(line)
    texts = line.get("texts")
    marks = []
    for i, value in enumerate(floats(line["y"])):
        if np.isfinite([value, positions[i]]).all():
            said = short(float(value))
            if len(low):
                said += f"  ({short(float(low[i]))} to {short(float(high[i]))})"
            at = x.at(positions[i])
            shown = visible(short(line["x"][i]), 60) if texts is None else visible(texts[i], 120)
            hover = {"data_at": f"{at:.1f}", "data_k": shown}
            marks.append(Mark(i, at, y.at(float(value)), {**hover, "data_v": said}))
    return marks


def _ends(line: Line) -> tuple[Numbers, Numbers]:
    """Return the ends of a series' intervals; empty arrays if it has none."""
    low, high = floats(line.get("low")), floats(line.get("high"))
    return (low, high) if len(low) and len(high) else (low[:0], high[:0])


def _curve(line: Line, marks: list[Mark], y: Scale, *, dots: bool) -> list[Html]:
    path = "".join(
        # A value that is missing lifts the pen.
        f"{'L' if k and marks[k - 1].i == mark.i - 1 else 'M'}{mark.x:.1f} {mark.y:.1f}"
        for k, mark in enumerate(marks)
    )
    low, high = _ends(line)
    known = [m for m in marks if len(low) and np.isfinite([low[m.i], high[m.i]]).all()]
    outline = [(m.x, y.at(high[m.i])) for m in known]
    outline += [(m.x, y.at(low[m.i])) for m in reversed(known)]
    band = " ".join(f"{a:.1f},{b:.1f}" for a, b in outline)
    radius = 2.6 if dots or len(line["x"]) <= MANY else 0
    return [
        *([tag("polygon", class_="band", points=band)] if len(low) else []),
        *([] if dots else [tag("path", class_="curve", d=path)]),
        *(tag("circle", cx=f"{m.x:.1f}", cy=f"{m.y:.1f}", r=radius, **m.hover) for m in marks),
    ]


def _bars(line: Line, marks: list[Mark], y: Scale, shift: float, slots: int) -> list[Html]:
    """Return bars, each beside that of the other series by so many widths, with its whisker."""
    width = min(46.0, max(0.8, 0.76 * (WIDTH - LEFT - RIGHT) / slots))
    zero = y.at(0.0)
    low, high = _ends(line)
    parts = []
    for mark in marks:
        left, height = mark.x + shift * width, max(0.6, abs(mark.y - zero))
        place = {"x": f"{left:.1f}", "y": f"{min(mark.y, zero):.1f}", "width": f"{width:.1f}"}
        below = "below" if mark.y > zero else None
        parts.append(tag("rect", class_=below, **place, height=f"{height:.1f}", **mark.hover))
        if len(low) and np.isfinite([low[mark.i], high[mark.i]]).all():
            ends = {"y1": f"{y.at(low[mark.i]):.1f}", "y2": f"{y.at(high[mark.i]):.1f}"}
            middle = f"{left + width / 2:.1f}"
            parts.append(tag("line", class_="whisker", x1=middle, x2=middle, **ends))
    return parts


def _y_lines(y: Scale) -> list[Html]:
    parts = []
    for tick in y.ticks():
        at = f"{y.at(tick):.1f}"
        kind = "rule zero" if tick == 0 else "rule"
        parts.append(tag("line", class_=kind, x1=LEFT, x2=WIDTH - RIGHT, y1=at, y2=at))
        place = {"x": LEFT - 7, "y": f"{y.at(tick) + 4:.1f}", "text_anchor": "end"}
        parts.append(tag("text", short(tick), class_="tick", **place))
    return parts


def _names_below(names: dict[str, int], x: Scale, y: Scale, *, slanted: bool) -> list[Html]:
    """All names if there is room for them, upright or slanted; else every k-th."""
    if not slanted:
        every = _room_for(names)
        return [_upright(x.at(k), y, name) for name, k in names.items() if k % every == 0]
    every = -(-15 * len(names) // (WIDTH - LEFT - RIGHT))
    turned = {
        name: f"translate({x.at(k) + 4:.1f} {y.start + 14:g}) rotate(-32)"
        for name, k in names.items()
        if k % every == 0
    }
    style = {"class_": "tick slanted", "text_anchor": "end"}
    return [tag("text", _cut(name), **style, transform=how) for name, how in turned.items()]


def _room_for(names: dict[str, int]) -> int:
    """1 if all names fit side by side, 2 if every second does, and so on."""
    needed = 7 * sum(min(len(name), LONGEST_NAME) + 2 for name in names)
    return -(-needed // (WIDTH - LEFT - RIGHT))


def _upright(at: float, y: Scale, name: str) -> Html:
    place = {"x": f"{at:.1f}", "y": f"{y.start + 17:g}", "text_anchor": "middle"}
    return tag("text", _cut(name), class_="tick", **place)


def _cut(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _labels(figure: Figure, y: Scale) -> list[Html]:
    style = {"class_": "label", "text_anchor": "middle"}
    turned = f"translate(14 {(y.start + y.end) / 2:g}) rotate(-90)"
    across, below = (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6
    return [
        tag("text", visible(figure["xlabel"], 60), x=f"{across:g}", y=below, **style),
        tag("text", visible(figure["ylabel"], 40), transform=turned, **style),
    ]
