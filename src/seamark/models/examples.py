"""Landmarks to compare an object with: of its class, of others, and what would change it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..estimating import matrix_inside
from .deciding import Decision
from .evidence import Evidence
from .labelled import has_labels
from .likeness import CANDIDATES
from .reasons import Example
from .where import CONTRASTED

SHOWN = 3


def examples_of(
    model: Any, block: Evidence | None, i: int, decided: Decision, asked: Any
) -> dict[str, Any]:
    """Return the nearest examples for and against, and the nearest that is predicted otherwise.

    Empty where classes or nearness are not known: of numbers, of columns of tables, of parts.
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
    if decided.rivals is not None:
        rival = np.array([label == decided.rivals[i] for label in block.labels[order]], dtype=bool)
        for name, some in (("alike", same), ("unlike", rival)):
            found[name] = [block.map.landmarks_[int(j)] for j in order[some][:CONTRASTED]]
    if model.map_.is_union and not _can_be_asked(model, block):
        return found
    # Near ones are known already; landmarks of other classes are likely to be predicted so.
    tried = np.concatenate([order[:CANDIDATES], order[~same][:CANDIDATES]])
    said = _predicted(model, block, tried, asked)
    other = [k for k, one in enumerate(said) if one != decided.predictions[i]]
    if decided.rivals is not None:  # what would make it the runner-up, if anything would
        other = [k for k in other if said[k] == decided.rivals[i]] or other
    if other:
        k = other[np.argmin([int(np.flatnonzero(order == tried[j])[0]) for j in other])]
        found["counterfactual"] = _example(block, i, int(tried[k]), said[k])
    return found


def _can_be_asked(model: Any, block: Evidence) -> bool:
    """Whether all blocks take the landmarks of one as objects, and predictions are classes."""
    return matrix_inside(block.measure) is None and not has_labels(model)


def _predicted(model: Any, block: Evidence, places: Any, asked: Any) -> list[Any]:
    """Return what the model says of some landmarks; what it said before is known."""
    new = np.array([j for j in np.unique(places) if int(j) not in block.said], dtype=np.intp)
    if len(new):
        if model.map_.is_union:  # other blocks have not seen these
            said = model.predict(block.map.landmarks_[new])
        else:
            said = model._decide(block.profiles.of(new).astype(np.float32), asked).predictions
        block.said |= dict(zip(new.tolist(), said, strict=True))
    return [block.said[int(j)] for j in places]


def _example(block: Evidence, i: int, place: int, said: Any = None) -> Example:
    thing, value = block.map.landmarks_[place], float(block.values[i, place])
    return Example(thing, *block.about(place), value, said)
