"""Landmarks to compare an object with: of its class, of others, and what would change it."""

from __future__ import annotations

from typing import Any

import numpy as np

from .deciding import Decision
from .evidence import Evidence
from .likeness import CANDIDATES
from .reasons import Example

SHOWN = 3


def examples_of(
    model: Any, block: Evidence | None, i: int, decided: Decision, asked: Any
) -> dict[str, Any]:
    """Return the nearest examples for and against, and the nearest that is predicted otherwise.

    Empty where classes or nearness are not known: of numbers, of tables in blocks, of parts.
    """
    if block is None or decided.targets is None or block.kind is None or block.labels is None:
        return {}
    values = block.values[i]
    known = np.flatnonzero(np.isfinite(values))
    order = known[np.argsort(values[known] if block.kind == "distance" else -values[known])]
    same = np.array([label == decided.targets[i] for label in block.labels[order]], dtype=bool)
    found: dict[str, Any] = {
        "supporting": [_example(block, i, int(j)) for j in order[same][:SHOWN]],
        "opposing": [_example(block, i, int(j)) for j in order[~same][:SHOWN]],
    }
    # Near ones are known already; landmarks of other classes are likely to be predicted so.
    tried = np.concatenate([order[:CANDIDATES], order[~same][:CANDIDATES]])
    said = model._decide(block.profiles.of(tried).astype(np.float32), asked).predictions
    other = np.flatnonzero(said != decided.predictions[i])
    if len(other):
        k = other[np.argmin([int(np.flatnonzero(order == tried[j])[0]) for j in other])]
        found["counterfactual"] = _example(block, i, int(tried[k]), said[k])
    return found


def _example(block: Evidence, i: int, place: int, said: Any = None) -> Example:
    thing, value = block.map.landmarks_[place], float(block.values[i, place])
    return Example(thing, *block.about(place), value, said)
