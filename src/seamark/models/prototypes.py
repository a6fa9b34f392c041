"""Landmarks that stand for most others of their class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine import settings
from .description import Prototype
from .evidence import Evidence
from .labelled import has_labels


def prototypes_of(model: Any, n: int) -> dict[Any, list[Prototype]]:
    """Return landmarks that stand for most others of their class, by class; None: of all."""
    blocks = [Evidence(model, k) for k in range(len(model.map_.blocks_))]
    weights = getattr(model, "measure_weights_", np.ones(len(blocks)))
    usable = [(w, k) for k, w in enumerate(weights[: len(blocks)]) if blocks[k].mixes]
    if not usable or n < 1:
        return {}
    block = blocks[max(usable)[1]]
    total = int(block.map.landmarks_.shape[0])
    some = min(total, settings().prototype_landmarks)
    few = np.linspace(0, total - 1, some).round().astype(np.intp)
    profiles = block.profiles.of(few)
    spread = profiles.std(axis=0)
    profiles = (profiles - profiles.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    if getattr(model, "classes_", None) is None or has_labels(model):
        owners = [None] * len(few)  # of numbers and labels, all landmarks are one group
    else:
        owners = [plain(block.about(int(j))[1]) for j in few]
    found: dict[Any, list[Prototype]] = {}
    for label in dict.fromkeys(owners):
        mine = np.array([k for k, owner in enumerate(owners) if owner == label])
        chosen, stands = medoids(profiles[mine], n)
        found[label] = [
            Prototype(block.landmark(int(few[mine[k]])), block.about(int(few[mine[k]]))[0], s)
            for k, s in zip(chosen, stands, strict=True)
        ]
    return found


def medoids(rows: NDArray[np.float64], n: int) -> tuple[list[int], list[float]]:
    """Return at most n rows to which all are nearest in sum, and the share that each stands for.

    Taken one by one, each where it shortens the squared distances most.

    Examples
    --------
    >>> medoids(np.array([[0.0], [0.1], [0.2], [9.0]]), 2)
    ([2, 3], [0.75, 0.25])
    """
    squares = (rows**2).sum(axis=1)
    apart = np.maximum(squares[:, None] + squares - 2.0 * rows @ rows.T, 0.0)
    chosen = [int(apart.sum(axis=0).argmin())]
    nearest = apart[:, chosen[0]]
    while len(chosen) < min(n, len(rows)):
        gains = np.maximum(nearest[:, None] - apart, 0.0).sum(axis=0)
        best = int(gains.argmax())
        if gains[best] <= 1e-12 * max(1.0, float(squares.sum())):
            break
        chosen.append(best)
        nearest = np.minimum(nearest, apart[:, best])
    owner = apart[:, chosen].argmin(axis=1)
    return chosen, [float(np.mean(owner == k)) for k in range(len(chosen))]


def plain(value: Any) -> Any:
    """Return a number of numpy as one of Python."""
    return value.item() if hasattr(value, "item") else value
