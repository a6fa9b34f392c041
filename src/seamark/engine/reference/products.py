"""Inner products of dense rows by numpy's BLAS."""

from __future__ import annotations

import numpy as np

from ..protocols import Doubles, Floats

PRODUCT_ROWS = 64


def products(X: Floats | Doubles, L: Floats | Doubles, out: Floats) -> None:
    """Inner products of dense rows, which do not depend on how many other rows X has.

    They are added up in the type of both, float32 or float64. What follows is about float32: in
    float64 rounding the result hides what the paths of BLAS differ in.

    BLAS takes other paths, with other roundings, for one row and for many; so it is always given
    the same number of rows, the last ones filled up with zeros. Some kernels of BLAS (OpenBLAS for
    Haswell) round by the place of a row among these as well: there the last digit of a value may
    depend on where its row stands. Eight rows at a time would end that, at 0.4 times the speed.
    """
    if X.dtype != out.dtype:
        out[:] = X @ L.T
        return
    n = len(X)
    whole = n - n % PRODUCT_ROWS
    # A stack of matrices is multiplied one by one; cutting an axis in two never copies.
    np.matmul(
        X[:whole].reshape(-1, PRODUCT_ROWS, X.shape[1]),
        L.T,
        out=out[:whole].reshape(-1, PRODUCT_ROWS, len(L)),
    )
    if whole < n:
        padded = np.zeros((PRODUCT_ROWS, X.shape[1]), dtype=np.float32)
        padded[: n - whole] = X[whole:]
        out[whole:] = np.matmul(padded, L.T)[: n - whole]
