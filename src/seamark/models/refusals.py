"""What stops a fit: unknown names, parts that do not go together, data that say nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..engine import warn_user
from ..estimating import as_measures
from ..maps import LandmarkMap

if TYPE_CHECKING:
    from .blocks import Block


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


def require_divisible(blocks: list[Block], dropping: str) -> None:
    """Stop where landmarks cannot be dropped as asked."""
    if not all(block.offered[0].is_divisible for block in blocks):
        raise ValueError(
            f"{dropping} drops landmarks, which needs features that belong to one landmark "
            "each: a pointwise transfer, no passthrough."
        )


def warn_of_few(n: int) -> None:
    """Say that there is too little to learn from: a held-out row leaves next to nothing."""
    warn_user(
        f"X has only {n} object{'s' if n > 1 else ''}; tuning and predictions on so few are "
        "little better than chance: give more."
    )


def uninformative(one: Any) -> str:
    """What to say where all objects look alike."""
    source = (
        f"values of {as_measures(one.measure)[0]!r} against every landmark"
        if isinstance(one, LandmarkMap)
        else f"features of {one!r}"
    )
    return (
        f"all objects have the same {source}: it holds no information about them; take another "
        "measure or parameters."
    )


def refuse_targets(blocks: list[Block], in_chunks: bool) -> None:
    """Stop where rows come in chunks and y decides features: those of seen rows are not as new."""
    for block in blocks:
        if in_chunks and getattr(block.what, "sees_targets", False):
            raise ValueError(
                f"{block.what!r} looks at y, so its rows must all be there at once; leave it out "
                "of measure= where rows come in chunks."
            )
