"""Labels that have an order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..targets import too_few_classes


def ordered_ranks(
    y: Any, categories: Sequence[Any] | None = None
) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Labels in their order, and the rank of every y among them, from 0.

    Examples
    --------
    >>> ordered_ranks([3, 1, 3])
    (array([1, 3]), array([1, 0, 1]))
    """
    order = declared_order(y, categories)
    labels = np.asarray(y)
    classes = labels_in_order(labels, order)
    return classes, ranks_among(labels, classes)


def declared_order(y: Any, categories: Sequence[Any] | None) -> list[Any] | None:
    """Order of the labels that a user states, or an ordered pandas Categorical carries."""
    if categories is not None:
        order = list(categories)
        if len(set(order)) < len(order):
            raise ValueError(f"categories={order} names a label twice; name each once.")
        return order
    dtype: Any = getattr(y, "dtype", None)
    return list(dtype.categories) if getattr(dtype, "ordered", False) else None


def labels_in_order(y: NDArray[Any], order: list[Any] | None) -> NDArray[Any]:
    """Labels present, from lowest to highest."""
    present = set(y.tolist())
    if order is not None:
        unknown = present.difference(order)
        if unknown:
            raise ValueError(f"label {unknown.pop()!r} of y is not among categories={order}.")
        classes = np.array([label for label in order if label in present], dtype=y.dtype)
    else:
        _check_ordered(y, present)
        classes = np.unique(y)
    if len(classes) < 2:
        raise too_few_classes(classes, ", with weights above 0")
    return classes


def _check_ordered(y: NDArray[Any], present: set[Any]) -> None:
    if any(not isinstance(label, (bool, int, float)) for label in present):
        example = next(label for label in present if not isinstance(label, (bool, int, float)))
        raise ValueError(
            f"labels must be ordered, and the place of {example!r} is not known: give categories=, "
            "the labels from lowest to highest."
        )
    whole = all(float(label).is_integer() for label in present)
    if not whole and 2 * len(present) > len(y):
        raise ValueError(
            f"y looks continuous, with {len(present)} values in {len(y)} objects: cut it into "
            "ordered bins, or use a regressor."
        )


def ranks_among(y: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.intp]:
    """Place of each label among `classes`, from 0."""
    place = {label: i for i, label in enumerate(classes.tolist())}
    try:
        return np.array([place[label] for label in y.tolist()], dtype=np.intp)
    except KeyError as error:
        raise ValueError(
            f"label {error.args[0]!r} was not in the y of fit, so that it has no rank."
        ) from None
