"""What files of earlier formats say, in the words of the present one."""

from __future__ import annotations

from typing import Any

from ..maps import LandmarkMap, MapUnion
from ..models.base import LandmarkModel


def translated(cls: type, state: dict[str, Any], version: int) -> dict[str, Any]:
    """Return the state of an estimator as the present format has it.

    Format 1 knows landmarks that are rows, and no sources; unions read all of X.

    Examples
    --------
    >>> translated(LandmarkMap, {"landmarks_": ["a"], "landmark_indices_": [3]}, 1)["mean_"]
    >>> translated(LandmarkMap, {"landmarks_": ["a"]}, 2)
    {'landmarks_': ['a']}
    """
    if version > 1:
        return state
    if issubclass(cls, LandmarkMap) and "landmarks_" in state:
        later = dict.fromkeys(("mean_", "deviation_", "landmark_order_"))
        return {**later, "landmark_sources_": state.get("landmark_indices_"), **state}
    if issubclass(cls, LandmarkModel) and "landmarks_" in state:
        return {"landmark_sources_": state.get("landmark_indices_"), **state}
    if issubclass(cls, MapUnion) and isinstance(state.get("maps_"), list):
        return {"columns_": [None] * len(state["maps_"]), **state}
    return state
