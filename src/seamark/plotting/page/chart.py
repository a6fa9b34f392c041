"""Charts as inline SVG: complete without a script, which only adds what hovering shows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..objects import Numbers, span
from ..text import escaped
from .document import Figure, Line


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
    """A value of a series: where it is drawn, and the text about it."""

    x: float
    y: float
    said: str


def chart(figure: Figure) -> str:
    """Return a chart as an ``<svg>`` element."""
    bars = figure["kind"] == "bars"
    lines = [line for line in figure["series"] if np.isfinite(floats(line["y"])).any()]
    if not lines:
        return '<p class="nothing">There are no finite values to draw.</p>'
    named = bars or not _all_numbers(lines)
    names = _names(lines) if named else {}
    slanted = named and not _all_numbers(lines) and _room_for(names) > 1
    x = _named_axis(names) if named else _x_axis(lines)
    y = _y_axis(lines, HEIGHT - BOTTOM - (SLANT if slanted else 0), from_zero=bars)
    below = _names_below(names, x, y, slanted=slanted) if named else _x_ticks(x, y)
    parts = [_y_lines(y), below, _labels(figure, y)]
    for k, line in enumerate(lines):
        positions = [names[short(v)] for v in line["x"]] if named else line["x"]
        marks = _marks(line, [float(p) for p in positions], x, y)
        if bars:
            parts.append(_bars(line, marks, y, k, len(lines), len(names)))
        else:
            kind = line.get("kind", figure["kind"])
            parts.append(_curve(line, marks, y, k, dots=kind == "points"))
    said = f"{figure['title']}: {figure['ylabel']} against {figure['xlabel']}"
    return (
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" tabindex="0" '
        f'aria-label="{escaped(said)}. Arrow keys read the values."'
        f' data-x="{escaped(figure["xlabel"])}">{"".join(parts)}'
        f'<line class="cross" x1="0" x2="0" y1="{TOP}" y2="{y.start}"/></svg>'
    )


def _all_numbers(lines: list[Line]) -> bool:
    return all(isinstance(v, (int, float, np.number)) for line in lines for v in line["x"])


def _names(lines: list[Line]) -> dict[str, int]:
    """What the bars are called, and the place of each."""
    names = dict.fromkeys(short(v) for line in lines for v in line["x"])
    return {name: place for place, name in enumerate(names)}


def _named_axis(names: dict[str, int]) -> Scale:
    return Scale(-0.5, len(names) - 0.5, LEFT, WIDTH - RIGHT)


def _x_axis(lines: list[Line]) -> Scale:
    values = np.concatenate([floats(line["x"]) for line in lines])
    return scale_for(values, LEFT + 6, WIDTH - RIGHT - 6)


def _y_axis(lines: list[Line], floor: float, *, from_zero: bool) -> Scale:
    keys = ("y", "low", "high")
    values = [floats(line.get(key)) for line in lines for key in keys]  # type: ignore[arg-type]
    seen = np.concatenate([*values, [0.0] if from_zero else []])
    scale = scale_for(seen, floor, TOP, room=0.04)
    lowest = 0.0 if from_zero and np.nanmin(seen) >= 0 else scale.low
    return Scale(lowest, scale.high, scale.start, scale.end)


def _marks(line: Line, positions: list[float], x: Scale, y: Scale) -> list[Mark | None]:
    low, high = floats(line.get("low")), floats(line.get("high"))
    marks: list[Mark | None] = []
    for i, value in enumerate(floats(line["y"])):
        if not np.isfinite([value, positions[i]]).all():
            marks.append(None)
            continue
        said = short(float(value))
        if len(low) and len(high):
            said += f"  ({short(float(low[i]))} to {short(float(high[i]))})"
        marks.append(Mark(x.at(positions[i]), y.at(float(value)), said))
    return marks


def _hover(line: Line, i: int, mark: Mark) -> str:
    """Attributes that hold the text which the script shows."""
    return (
        f'data-at="{mark.x:.1f}" data-k="{escaped(short(line["x"][i]), 60)}" '
        f'data-v="{escaped(mark.said)}"'
    )


def _curve(line: Line, marks: list[Mark | None], y: Scale, k: int, *, dots: bool) -> str:
    path, pen = [], "M"
    for mark in marks:
        pen = "M" if mark is None else pen
        if mark is not None:
            path.append(f"{pen}{mark.x:.1f} {mark.y:.1f}")
            pen = "L"
    drawn = "" if dots else f'<path class="curve" d="{"".join(path)}"/>'
    radius = 2.6 if dots or len(marks) <= MANY else 0
    points = "".join(
        f'<circle cx="{m.x:.1f}" cy="{m.y:.1f}" r="{radius}" {_hover(line, i, m)}/>'
        for i, m in enumerate(marks)
        if m is not None
    )
    return f"{_opened(line, k)}{_band(line, marks, y)}{drawn}{points}</g>"


def _band(line: Line, marks: list[Mark | None], y: Scale) -> str:
    low, high = floats(line.get("low")), floats(line.get("high"))
    if not len(low) or not len(high):
        return ""
    known = [
        (m.x, y.at(low[i]), y.at(high[i]))
        for i, m in enumerate(marks)
        if m is not None and np.isfinite([low[i], high[i]]).all()
    ]
    outline = [(x, up) for x, _, up in known] + [(x, down) for x, down, _ in reversed(known)]
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in outline)
    return f'<polygon class="band" points="{points}"/>'


def _bars(line: Line, marks: list[Mark | None], y: Scale, k: int, groups: int, slots: int) -> str:
    slot = (WIDTH - LEFT - RIGHT) / slots
    width = min(46.0, max(0.8, 0.76 * slot / groups))
    zero = y.at(0.0)
    low, high = floats(line.get("low")), floats(line.get("high"))
    parts = []
    for i, mark in enumerate(marks):
        if mark is None:
            continue
        left = mark.x + (k - groups / 2) * width
        top, height = min(mark.y, zero), max(0.6, abs(mark.y - zero))
        sign = ' class="below"' if mark.y > zero else ""
        parts.append(
            f'<rect{sign} x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" '
            f'height="{height:.1f}" {_hover(line, i, mark)}/>'
        )
        if len(low) and len(high) and np.isfinite([low[i], high[i]]).all():
            middle = left + width / 2
            parts.append(
                f'<line class="whisker" x1="{middle:.1f}" x2="{middle:.1f}" '
                f'y1="{y.at(low[i]):.1f}" y2="{y.at(high[i]):.1f}"/>'
            )
    return f"{_opened(line, k)}{''.join(parts)}</g>"


def _opened(line: Line, k: int) -> str:
    return f'<g class="series c{k % COLOURS}" data-name="{escaped(line["name"], 60)}">'


def _y_lines(y: Scale) -> str:
    parts = []
    for tick in y.ticks():
        at = y.at(tick)
        strong = " zero" if tick == 0 else ""
        parts.append(
            f'<line class="rule{strong}" x1="{LEFT}" x2="{WIDTH - RIGHT}" '
            f'y1="{at:.1f}" y2="{at:.1f}"/>'
            f'<text class="tick" x="{LEFT - 7}" y="{at + 4:.1f}" text-anchor="end">'
            f"{escaped(short(tick))}</text>"
        )
    return "".join(parts)


def _x_ticks(x: Scale, y: Scale) -> str:
    return "".join(_upright(x.at(tick), y, short(tick)) for tick in x.ticks())


def _names_below(names: dict[str, int], x: Scale, y: Scale, *, slanted: bool) -> str:
    """All names if there is room for them, upright or slanted; else every k-th."""
    write = _slanted if slanted else _upright
    every = -(-15 * len(names) // (WIDTH - LEFT - RIGHT)) if slanted else _room_for(names)
    return "".join(write(x.at(k), y, name) for name, k in names.items() if k % every == 0)


def _room_for(names: dict[str, int]) -> int:
    """1 if all names fit side by side, 2 if every second does, and so on."""
    needed = 7 * sum(min(len(name), LONGEST_NAME) + 2 for name in names)
    return -(-needed // (WIDTH - LEFT - RIGHT))


def _upright(at: float, y: Scale, name: str) -> str:
    where = f'x="{at:.1f}" y="{y.start + 17:g}" text-anchor="middle"'
    return f'<text class="tick" {where}>{_cut(name)}</text>'


def _slanted(at: float, y: Scale, name: str) -> str:
    where = f'transform="translate({at + 4:.1f} {y.start + 14:g}) rotate(-32)" text-anchor="end"'
    return f'<text class="tick slanted" {where}>{_cut(name)}</text>'


def _cut(name: str) -> str:
    return escaped(name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…")


def _labels(figure: Figure, y: Scale) -> str:
    middle = (y.start + y.end) / 2
    return (
        f'<text class="label" x="{(LEFT + WIDTH - RIGHT) / 2:g}" y="{HEIGHT - 6}" '
        f'text-anchor="middle">{escaped(figure["xlabel"], 60)}</text>'
        f'<text class="label" transform="translate(14 {middle:g}) rotate(-90)" '
        f'text-anchor="middle">{escaped(figure["ylabel"], 40)}</text>'
    )
