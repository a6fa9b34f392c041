"""n × R values from a measure's compiler and two collections."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .plan import Job, Plan, Values
from .progress import Progress, progress_bar

# Half of a symmetric matrix is computed as panels of columns; so many make the work 53 % of the
# whole, and fewer columns than this would leave lanes of the kernels empty.
PANELS = 16
NARROWEST_PANEL = 128


def run(
    plan: Plan, X: Any, *, n_jobs: int | None = None, progress: bool | Progress = False
) -> Values:
    """Values of the rows of X against the landmarks of a plan, shape (n, R), float32."""
    out = np.empty((X.shape[0], plan.n_landmarks), dtype=np.float32)
    with progress_bar(progress) as bar:
        bar.start(out.size)
        plan.run(X, out, Job(n_jobs, bar))
    return out


def cross(
    compile_landmarks: Callable[[Any], Plan],
    X: Any,
    L: Any = None,
    *,
    symmetric: bool = False,
    n_jobs: int | None = None,
    progress: bool | Progress = False,
) -> Values:
    """Values of X against L, or of X against itself if L is None.

    Parameters
    ----------
    compile_landmarks : callable
        Turns landmark objects into a `Plan`.
    X, L : objects
        Ingested collections.
    symmetric : bool
        Whether value (i, j) may stand for (j, i). Only then is half the work left out.
    n_jobs : int or None
        Threads or processes.
    progress : bool or Progress
        Whether to show a progress bar.

    Returns
    -------
    ndarray of shape (n, R), float32
    """
    if L is not None or not symmetric:
        plan = compile_landmarks(X if L is None else L)
        return run(plan, X, n_jobs=n_jobs, progress=progress)
    n = X.shape[0]
    out = np.empty((n, n), dtype=np.float32)
    width = max(NARROWEST_PANEL, -(-n // PANELS))
    panels = [(a, min(a + width, n)) for a in range(0, n, width)]
    with progress_bar(progress) as bar:
        job = Job(n_jobs, bar)
        plan = compile_landmarks(X[:width])
        if plan.runs_lower:
            bar.start(n * (n + 1) // 2)
            compile_landmarks(X).run_lower(X, out, job)
        else:
            bar.start(sum((n - a) * (b - a) for a, b in panels))
        for a, b in panels:
            if not plan.runs_lower:
                plan = plan if a == 0 else compile_landmarks(X[a:b])
                plan.run(X[a:], out[a:, a:b], job.moved(a, a))
            mirror(out, a, b)
    return out


def mirror(out: Values, a: int, b: int) -> None:
    """Copy columns a..b from below the diagonal to the rows right of it."""
    lower = np.tril_indices(b - a, -1)
    square = out[a:b, a:b]
    square[lower[1], lower[0]] = square[lower]
    out[a:b, b:] = out[b:, a:b].T
