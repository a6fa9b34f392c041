"""A few rows at a time: what random maps compute, and how rows become dense."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .. import engine
from ..engine.reference import PRODUCT_ROWS

Floats32 = NDArray[np.float32]


def chunk_rows(X: Any, width: int) -> int:
    """Rows few enough to stay in cache from the first operation to the last; all, if X is CSR.

    A sparse product lays the dense factor out anew each time, so it is called once.
    """
    if sparse.issparse(X):
        return max(1, int(X.shape[0]))
    return max(1, engine.settings().mapped_values // (width * PRODUCT_ROWS)) * PRODUCT_ROWS


def chunks(X: Any, out: Floats32) -> Iterator[tuple[Any, Floats32]]:
    """Yield a few rows of X and of `out` at a time."""
    step = chunk_rows(X, out.shape[1])
    for start in range(0, X.shape[0], step):
        yield X[start : start + step], out[start : start + step]


def project(X: Any, W: Floats32, out: Floats32) -> None:
    """Write wᵀx of a few rows, dense or CSR."""
    X = X.astype(np.float32, copy=False)
    if sparse.issparse(X):
        out[:] = X @ W.T
    else:
        engine.backend().products(X, W, out)


def dense32(X: Any) -> Floats32:
    """Return rows as a dense float32 array."""
    dense: Floats32 = (X.toarray() if sparse.issparse(X) else X).astype(np.float32, copy=False)
    return dense
