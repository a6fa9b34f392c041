"""`cross`: from a user's measure and objects to values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import engine
from .base import get


def cross(
    measure: Any,
    X: Any,
    L: Any = None,
    *,
    n_jobs: int | None = None,
    progress: bool | engine.Progress = False,
) -> NDArray[np.float32]:
    """Values of every object of X against every landmark of L.

    Parameters
    ----------
    measure : Measure, str or callable
        A measure, a name of the catalogue, ``"precomputed"``, or a function of two objects.
    X : objects
        Strings, series, sets, vectors, or whatever the measure compares.
    L : objects, optional
        Landmarks. Left out: X against itself; half of it is mirrored only if the measure is
        declared symmetric.
    n_jobs : int, optional
        Threads (processes for Python callables). Default: the cores available; in-process for
        callables.
    progress : bool or Progress, default=False
        Show a progress bar.

    Returns
    -------
    ndarray of shape (n, R), float32

    Examples
    --------
    >>> import seamark as sm
    >>> sm.cross("levenshtein", ["sea", "see"], ["seamark"])
    array([[4.],
           [5.]], dtype=float32)
    """
    return get(measure).cross(X, L, n_jobs=n_jobs, progress=progress)
