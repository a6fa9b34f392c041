"""What stops a fit: unknown names, parts that do not go together, data that say nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine import backend, warn_user
from ..maps import LandmarkMap
from ..maps.landmark import PILOT_ROWS
from .blocks import Block

FEWEST = 4  # objects: two to learn from, and two to judge by


def nested(head: Any, weighing: Any) -> Any:
    """Return a head that chooses how many leading features it needs; stop if it cannot."""
    if weighing is not None:
        raise ValueError(
            f'n_landmarks="cv" and weighing={weighing!r} both choose landmarks; leave one out.'
        )
    if "n_features" not in head.get_params():
        raise ValueError(
            f'n_landmarks="cv" compares nested numbers of landmarks by the sums that ridge keeps, '
            f'and {type(head).__name__} keeps none; give a number, or head="ridge".'
        )
    return head.set_params(n_features="cv")


def require_useful(blocks: list[Block], n: int, dropping: str | None) -> None:
    """Stop where no block tells two of n objects apart, or landmarks cannot be dropped as asked."""
    useless = 1 < n <= PILOT_ROWS
    for block in blocks:
        useless = useless and block.offered[0].informative_ is False
        if dropping is not None and not block.offered[0].is_divisible:
            raise ValueError(
                f"{dropping} drops landmarks, which needs features that belong to one landmark "
                "each: a pointwise transfer, no passthrough."
            )
    if useless:
        raise ValueError(uninformative(blocks[0].offered[0]))


def warn_if_few(n: int) -> None:
    """Say so where there is too little to learn from: a held-out row leaves next to nothing."""
    if n < FEWEST:
        warn_user(
            f"X has {n} object{'s' if n > 1 else ''} only; what is tuned on so few is chance, and "
            "so are predictions: give more."
        )


def uninformative(one: Any) -> str:
    """What to say where all objects look alike."""
    source = (
        f"values of {one.measures_[0]!r} against every landmark"
        if isinstance(one, LandmarkMap)
        else f"features of {one!r}"
    )
    return (
        f"all objects have the same {source}: it holds no information about them; take another "
        "measure or parameters."
    )


def informative_block(features: Any) -> NDArray[Any]:
    """Features of a first chunk of rows; stop if none tells any two objects apart."""
    device = backend().device
    there = features.on_device() if device is not None else None
    if there is None or not there.values.keeps(0):
        block = features.chunk(features.chunks[0])
    else:
        from ..engine.cuda.moments import fetched

        block = fetched(device, next(there.blocks())[1][: features.chunks[0].stop])
    if len(block) > 1 and features.shape[0] == len(block) and not np.ptp(block, axis=0).any():
        raise ValueError(uninformative(features.map.blocks_[0]))
    return np.asarray(block)


def refuse_targets(blocks: list[Block], in_chunks: bool) -> None:
    """Stop where rows come in chunks and y decides features: those of seen rows are not as new."""
    for block in blocks:
        if in_chunks and getattr(block.what, "sees_targets", False):
            raise ValueError(
                f"{block.what!r} looks at y, so its rows must all be there at once; leave it out "
                "of measure= where rows come in chunks."
            )
