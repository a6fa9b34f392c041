"""Tables in which other libraries keep series. They cannot be read here; messages say how."""

from __future__ import annotations

from typing import Any


def reject_long_and_nested(raw: Any) -> None:
    """Stop at a table with a row for every time step, or with a series in every cell.

    The first would be read as many series of length 1, the second could not be read.
    """
    if getattr(getattr(raw, "index", None), "nlevels", 1) > 1:
        each = "g.to_numpy().T" if hasattr(raw, "columns") else "g.to_numpy()"
        raise ValueError(
            f"X has an index of {raw.index.nlevels} levels, as tables with a row for every time "
            f"step have; give one array per series, as [{each} for _, g in X.groupby(level=0)], "
            "or X.reset_index(drop=True) if every row is a series."
        )
    if hasattr(raw, "columns") and len(raw.columns) > 1 and _is_nested(raw):
        raise ValueError(
            f"X is a table of {len(raw.columns)} columns whose cells are series; give one array of "
            "shape (channels, time) per row, as "
            "[np.stack([np.asarray(cell) for cell in row]) for row in X.to_numpy()]."
        )


def _is_nested(frame: Any) -> bool:
    first = frame[:1].to_numpy() if hasattr(frame, "to_numpy") else None
    return first is not None and any(
        isinstance(cell, (list, tuple)) or getattr(cell, "ndim", 0) == 1 for cell in first.flat
    )
