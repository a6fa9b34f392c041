"""Choosing and scaling the columns of any feature map."""

from collections.abc import Callable
from functools import partial
from typing import Any

from .aligned import Aligned, alignment_weights
from .greedy import Greedy, LossPath, NoUsefulColumnError
from .learned import Learned


def weighings_of(task: str) -> dict[str, Callable[[], Any]]:
    """Return the ways to choose among columns that landmark models know by name.

    Examples
    --------
    >>> weighings_of("regression")["aligned"]()
    Aligned(normalise=True, task='regression')
    """
    return {
        # Heads standardise their columns, so units are not to decide.
        "aligned": partial(Aligned, normalise=True, task=task),
        "greedy": partial(Greedy, task=task),
        "learned": partial(Learned, task=task),
    }


__all__ = [
    "Aligned",
    "Greedy",
    "Learned",
    "LossPath",
    "alignment_weights",
]
