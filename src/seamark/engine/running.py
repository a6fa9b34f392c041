"""Values of one collection against another or itself, from a measure's compiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .calls import CallPlan
from .context import using
from .executors import call_pairs
from .plan import Job, Plan, Recipe, Values, execute, run
from .progress import Progress, progress_bar
from .room import require_room
from .tiles import Region

# Half of a symmetric matrix is computed as panels of columns; so many make the work 53 % of the
# whole, and fewer columns than this would leave lanes of the kernels empty.
PANELS = 16
NARROWEST_PANEL = 128


def diagonal(plan: Plan, X: Any) -> Values:
    """Values of row i against landmark i, for a plan that calls a Python function."""
    out = np.empty((X.shape[0], 1), dtype=np.float32)
    call_pairs(plan, X, Region.diagonal(X.shape[0]), out, Job())
    return out[:, 0]


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
        recipe = Recipe(compile_landmarks, X if L is None else L)
        return run(recipe, X, n_jobs=n_jobs, progress=progress)
    with using(n_jobs=n_jobs), progress_bar(progress) as bar:
        return _half(compile_landmarks, X, Job(bar))


def _half(compile_landmarks: Callable[[Any], Plan], X: Any, job: Job) -> Values:
    """Values of X against itself, each pair once."""
    n = X.shape[0]
    require_room(
        4 * n * n, f"values of {n} rows against each other", "take landmarks, or fewer rows"
    )
    out = np.empty((n, n), dtype=np.float32)
    width = max(NARROWEST_PANEL, -(-n // PANELS))
    panels = [(a, min(a + width, n)) for a in range(0, n, width)]
    one = compile_landmarks(X[:1])
    if isinstance(one, CallPlan):  # it can leave out any pair
        job.progress.start(n * (n + 1) // 2)
        call_pairs(compile_landmarks(X), X, Region.lower(n), out, job)
    else:
        job.progress.start(one.n_parts * sum((n - a) * (b - a) for a, b in panels))
        for a, b in panels:
            recipe = Recipe(compile_landmarks, X[a:b])
            execute(recipe, X[a:], out[a:, a:b], job.moved(a, a))
    for a, b in panels:
        mirror(out, a, b)
    return out


def mirror(out: Values, a: int, b: int) -> None:
    """Copy columns a..b from below the diagonal to the rows right of it."""
    lower = np.tril_indices(b - a, -1)
    square = out[a:b, a:b]
    square[lower[1], lower[0]] = square[lower]
    out[a:b, b:] = out[b:, a:b].T
