"""Checks of what a file says of landmarks and blocks: where they come from, and their order."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..maps import LandmarkMap, Map, MapUnion, WithGaps
from ..models.base import LandmarkModel
from .errors import ModelFileError

SOURCES = ("landmark_indices_", "landmark_sources_")


def require_united(cls: type, state: dict[str, Any]) -> None:
    """Stop at sources that are no rows, and at a union whose parts do not go together.

    Examples
    --------
    >>> require_united(LandmarkMap, {"landmarks_": ["a"], "landmark_sources_": np.array([-5])})
    Traceback (most recent call last):
    seamark.saving.errors.ModelFileError: landmark_sources_ of its LandmarkMap are not row numbers.
    """
    if issubclass(cls, MapUnion) and "maps_" in state:
        _require_blocks(cls, state)
    if issubclass(cls, WithGaps) and "map_" in state:
        _require_gaps(cls, state)
    if issubclass(cls, LandmarkMap) and "landmarks_" in state:
        _require_sources(cls, state, state["landmarks_"])
    if issubclass(cls, LandmarkModel) and "landmarks_" in state:
        whole = state.get("map_")
        if not isinstance(whole, MapUnion):
            _require_sources(cls, state, state["landmarks_"])
            return
        lists = [state.get(name) for name in ("landmarks_", "landmark_labels_", *SOURCES)]
        if any(not isinstance(one, list) or len(one) != len(whole.maps_) for one in lists):
            raise ModelFileError(f"its {cls.__name__} has other blocks than its map.")
        for number, landmarks in enumerate(state["landmarks_"]):
            own = {name: state[name][number] for name in SOURCES}
            _require_sources(cls, own, landmarks)


def _require_sources(cls: type, state: dict[str, Any], landmarks: Any) -> None:
    """Sources are None, or a row number for each landmark, −1 for one that has none."""
    for name in SOURCES:
        rows = state.get(name)
        if rows is None:
            continue
        sound = isinstance(rows, np.ndarray) and rows.dtype.kind == "i" and rows.ndim == 1
        if not sound or int(rows.min(initial=0)) < -1:
            raise ModelFileError(f"{name} of its {cls.__name__} are not row numbers.")
        shape = getattr(landmarks, "shape", None)
        if shape is None or len(rows) != shape[0]:
            raise ModelFileError(f"{name} of its {cls.__name__} are not as many as landmarks.")


def _require_blocks(cls: type, state: dict[str, Any]) -> None:
    """Maps are fitted ones of ours; columns are as many; features are theirs, in some order."""
    maps, columns, order = (state.get(name) for name in ("maps_", "columns_", "order_"))
    if not isinstance(maps, list) or not maps or not all(isinstance(one, Map) for one in maps):
        raise ModelFileError(f"maps_ of its {cls.__name__} must be a list of maps, not empty.")
    if not isinstance(columns, list) or len(columns) != len(maps):
        raise ModelFileError(f"columns_ of its {cls.__name__} must have one entry for each map.")
    if not all(_is_selection(one) for one in columns):
        raise ModelFileError(f"columns_ of its {cls.__name__} are neither names nor numbers.")
    try:
        total = sum(int(one.n_features_out_) for one in maps)
    except (AttributeError, TypeError):
        raise ModelFileError(f"maps_ of its {cls.__name__} are not all fitted.") from None
    sound = isinstance(order, np.ndarray) and order.dtype.kind == "i" and order.shape == (total,)
    if not sound or not np.array_equal(np.sort(np.asarray(order)), np.arange(total)):
        raise ModelFileError(f"order_ of its {cls.__name__} is no order of {total} features.")
    if state.get("n_features_out_") != total:
        raise ModelFileError(f"its {cls.__name__} has not the {total} features of its maps.")


def _require_gaps(cls: type, state: dict[str, Any]) -> None:
    """A gap has as many features as the map, and those in use are the map's or say the gap."""
    order, gap = state.get("order_"), state.get("gap_features_")
    n = getattr(state["map_"], "n_features_out_", None)
    if not isinstance(state["map_"], Map) or not isinstance(n, int):
        raise ModelFileError(f"map_ of its {cls.__name__} is not a fitted map.")
    if not isinstance(gap, np.ndarray) or gap.dtype != np.float32 or gap.shape != (n,):
        raise ModelFileError(f"gap_features_ of its {cls.__name__} are not {n} numbers.")
    sound = isinstance(order, np.ndarray) and order.dtype.kind == "i" and order.ndim == 1
    if not sound or not all(0 <= int(one) <= n for one in np.asarray(order)):
        raise ModelFileError(f"order_ of its {cls.__name__} names features that do not exist.")
    if state.get("n_features_out_") != len(np.asarray(order)):
        raise ModelFileError(
            f"its {cls.__name__} has another number of features than order_ names."
        )


def _is_selection(columns: Any) -> bool:
    if isinstance(columns, list):
        return bool(columns) and all(type(one) in (str, int) for one in columns)
    return columns is None or type(columns) in (str, int)
