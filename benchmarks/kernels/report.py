"""The results as text, as a Markdown page and as a picture."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from pathlib import Path

import seamark as sm

from ..provenance import written_by
from .contest import Contest


@dataclass
class Line:
    """One result: what was measured, what it was compared with, what was to be reached."""

    name: str
    ours: str
    peer: str
    ratio: float | None
    target: str
    roof: str
    reached: bool

    @classmethod
    def of_contest(cls, contest: Contest) -> Line:
        scale = 1e9 if contest.unit.startswith("G") else 1.0
        low, high = contest.spread
        roof = "" if contest.roof is None else f"{contest.ours.rate / contest.roof:.0%}"
        return cls(
            name=contest.name,
            ours=f"{contest.ours.rate / scale:.3g} {contest.unit}",
            peer=f"{contest.best_peer.rate / scale:.3g} ({contest.best_peer.name})",
            ratio=contest.ratio,
            target=f"≥ {contest.floor:g}× (turns: {low:.1f}..{high:.1f})",
            roof=roof,
            reached=contest.ratio >= contest.floor,
        )

    @classmethod
    def below(cls, name: str, value: float, limit: float, unit: str) -> Line:
        return cls(name, f"{value:.0f} {unit}", "", None, f"≤ {limit:g} {unit}", "", value <= limit)

    def cells(self) -> tuple[str, ...]:
        ratio = "" if self.ratio is None else f"{self.ratio:.1f}×"
        verdict = "yes" if self.reached else "**no**"
        return (self.name, self.ours, self.peer, ratio, self.target, self.roof, verdict)

    def __str__(self) -> str:
        return " | ".join(cell for cell in self.cells() if cell)


def table(lines: list[Line]) -> str:
    head = ("job", "seamark", "best peer", "ratio", "to reach", "share of roof", "reached")
    rows = [head, tuple("---" for _ in head), *(line.cells() for line in lines)]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def markdown(lines: list[Line], path: Path) -> None:
    path.write_text(
        "# Kernels against the best existing tools\n\n"
        f"One thread unless said otherwise, {platform.machine()}, kernels built for "
        f"`{sm.engine.backend().name}`; contestants take turns in one process, best turn each.\n"
        "GCUPS: 10⁹ cells of the dynamic-programming matrix per second. The roof is what the "
        "vector arithmetic alone would allow, from rates measured in the same run. "
        f"{written_by('make bench-kernels', 'rapidfuzz', 'edlib', 'dtaidistance', 'aeon')}\n\n"
        f"{table(lines)}\n\n![ratios](kernels.png)\n"
    )


def picture(lines: list[Line], path: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    shown = [line for line in lines if line.ratio is not None and "two threads" not in line.name]
    figure, axes = plt.subplots(figsize=(9, 0.5 * len(shown) + 1.2), layout="constrained")
    places = range(len(shown))
    bars = axes.barh(places, [line.ratio for line in shown], color="#1f6f8b")
    axes.bar_label(bars, [f"{line.ratio:.1f}×" for line in shown], padding=3)
    axes.set_yticks(places, [line.name for line in shown])
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xlim(0.8, 1.6 * max(line.ratio for line in shown))
    axes.set_xlabel("times faster than the best peer, one thread")
    figure.savefig(path, dpi=120)
