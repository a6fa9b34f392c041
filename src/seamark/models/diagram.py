"""A fitted model in scikit-learn's diagram: its blocks side by side, then the head."""

from __future__ import annotations

import importlib
from typing import Any

from sklearn.utils import estimator_html_repr

from ..plotting.text import brief
from .evidence import block_name


class Drawn:
    """What a model is made of, as notebooks show it."""

    map_: Any
    head_: Any
    measure_weights_: Any

    def _sk_visual_block_(self) -> Any:
        """Return the parts for scikit-learn's diagram, which shows one box if this fails."""
        Visual = _visual_block()
        if not hasattr(self, "head_"):
            name = type(self).__name__
            return Visual("single", self, names=name, name_details=str(self))
        names = _block_names(self)
        details = [str(one) for one in self.map_.blocks_]
        parts = Visual("parallel", self.map_.blocks_, names=names, name_details=details)
        if len(names) == 1:
            parts = Visual("single", self.map_.blocks_[0], names=names[0], name_details=details[0])
        return Visual("serial", [parts, self.head_], dash_wrapped=False)


def _visual_block() -> Any:
    """Return scikit-learn's class of boxes from the module that draws them; it has moved once."""
    return importlib.import_module(estimator_html_repr.__module__)._VisualBlock


def _block_names(model: Any) -> list[str]:
    """Return what each block compares, by what, and how much it moves the decision."""
    whole = model.map_
    weights = getattr(model, "measure_weights_", None)
    names = []
    for k, one in enumerate(whole.blocks_):
        inner = getattr(one, "map_", one)  # of a column with gaps
        measures = getattr(inner, "measures_", None)
        how = " + ".join(type(m).__name__ for m in measures) if measures else type(inner).__name__
        name = brief(block_name(whole, k), 40) if whole.is_union else ""
        name = f"{name}: {how}" if whole.is_union and whole.columns_[k] is not None else how
        if whole.is_union and weights is not None and len(weights) == len(whole.blocks_):
            name += f" ({weights[k]:.0%})"
        names.append(name)
    return names
