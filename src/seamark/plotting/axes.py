"""matplotlib is imported here, and only when something is drawn."""

from __future__ import annotations

from typing import Any

COLOURS = ("#0b4f6c", "#b5541c", "#2f7d5b", "#7a4a8c", "#8a6d00", "#a33a55")
QUIET = "#7b8794"


def axes_for(ax: Any = None, **figure: Any) -> tuple[Any, Any]:
    """Return figure and axes: those given, or new ones."""
    if ax is not None:
        return ax.figure, ax
    return pyplot().subplots(layout="constrained", **figure)  # type: ignore[no-any-return]


def pyplot() -> Any:
    """Return matplotlib's pyplot, or say how to get it."""
    try:
        from matplotlib import pyplot as plt
    except ImportError:
        raise ImportError(
            "pictures are drawn by matplotlib, which is missing: pip install 'seamark[plot]'."
        ) from None
    return plt


def add_legend(ax: Any, *, beside: bool = False) -> None:
    """Add a legend, `beside` the drawing if there is no room inside; names are never formulas."""
    place = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)} if beside else {}
    for text in ax.legend(frameon=False, **place).get_texts():
        text.set_parse_math(False)


def plain(ax: Any) -> None:
    """Remove the frame lines that show nothing."""
    ax.spines[["top", "right"]].set_visible(False)
