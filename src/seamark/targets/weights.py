"""Weights of rows: those a user gives, and factors of classes."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array

from ..data import unmasked
from .reading import Numbers, Rows


def checked_weights(sample_weight: Any, n: int, *, some: bool = True) -> Numbers:
    """Return the weights of n rows, checked: as given, or one number for all; None is 1.

    `some` must be positive, but for a chunk of rows among others.

    Examples
    --------
    >>> checked_weights([1, 2], 2), checked_weights(None, 2)
    (array([1., 2.]), array([1., 1.]))
    """
    if sample_weight is None or isinstance(sample_weight, Real):
        sample_weight = np.full(n, 1.0 if sample_weight is None else sample_weight)
    given = unmasked(sample_weight)
    weights = np.asarray(
        check_array(given, ensure_2d=False, dtype=np.float64, input_name="sample_weight")
    )
    if weights.shape != (n,):
        raise ValueError(
            f"sample_weight has shape {weights.shape}; it must have one number for each of the "
            f"{n} rows of X."
        )
    if weights.min() < 0:
        row = int(weights.argmin())
        raise ValueError(f"sample_weight[{row}] is {weights[row]:g}; no weight may be negative.")
    if some and not weights.any():
        raise ValueError("sample_weight is zero for every row; at least one must be positive.")
    return weights


def class_factors(
    class_weight: Any, classes: NDArray[Any], codes: Rows, sample_weight: Numbers | None = None
) -> Numbers:
    """Return the factor of each row's weight.

    Parameters
    ----------
    class_weight : "balanced" or dict
        "balanced": the same for all classes. A dict has factors of classes; those it lacks keep 1.
    classes, codes : ndarray
        As `class_targets` returns them.
    sample_weight : ndarray, optional
        Weights of the rows, which "balanced" counts.

    Examples
    --------
    >>> classes, codes = np.array(["f", "m"]), np.array([0, 0, 0, 1])
    >>> class_factors("balanced", classes, codes)
    array([0.66666667, 0.66666667, 0.66666667, 2.        ])
    >>> class_factors({"m": 3}, classes, codes)
    array([1., 1., 1., 3.])
    """
    if isinstance(class_weight, str) and class_weight == "balanced":
        sums = np.bincount(codes, sample_weight, minlength=len(classes))
        return np.asarray(sums.mean() / np.where(sums > 0, sums, 1.0))[codes]
    if not isinstance(class_weight, Mapping):
        raise ValueError(
            f"class_weight={class_weight!r} is none of None, 'balanced' and a dict of classes and "
            "their weights."
        )
    factors, names = np.ones(len(classes)), classes.tolist()
    for name, factor in class_weight.items():
        if name not in names:
            raise ValueError(
                f"class_weight has {name!r}, which is no class of y; the classes are "
                f"{', '.join(map(repr, names[:10]))}{', …' if len(names) > 10 else ''}."
            )
        number = isinstance(factor, Real) and not isinstance(factor, bool)
        if not number or not 0 < float(factor) < np.inf:
            raise ValueError(f"class_weight[{name!r}] must be a positive number, not {factor!r}.")
        factors[names.index(name)] = factor
    return factors[codes]
