"""`using`: backend, executor, workers and bounds of what runs inside."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .cluster import Cluster, is_client
from .kernels import backends, named
from .plan import EXECUTORS, Executor
from .settings import Settings, changed, within


@contextmanager
def using(
    where: Any = None,
    *,
    n_jobs: int | None = None,
    budget: int | None = None,
    **settings: Any,
) -> Iterator[Settings]:
    """Change where and how work runs, for all that is called inside.

    Parameters
    ----------
    where : str, Executor or distributed.Client, optional
        A backend, such as "reference", "v3" or "cuda" (one NVIDIA GPU, through CuPy); or an
        executor: "threads", or "processes", which sends rows and landmarks to other processes. A
        Dask client sends them to its workers.
    n_jobs : int, optional
        Threads or processes, where a call does not say.
    budget : int, optional
        Bytes that a fit may hold beside its objects: sums to solve for, and with the rest values,
        in place of computing them again.
    **settings
        Any other of `seamark.engine.Settings`.

    Examples
    --------
    >>> import seamark as sm
    >>> with sm.engine.using("reference", n_jobs=1):
    ...     sm.cross("levenshtein", ["sea"], ["mark", "see"])
    array([[4., 1.]], dtype=float32)
    """
    if isinstance(where, Executor):
        settings["executor"] = where
    elif is_client(where):
        settings["executor"] = Cluster(where)
    elif where in ("threads", "processes"):
        settings["executor"] = EXECUTORS[where]
    elif where is not None and (found := named(where)) is not None:
        settings["backend"] = found
    elif where is not None:
        known = ", ".join([*backends(), "cuda", "threads", "processes"])
        raise ValueError(f"there is no backend or executor {where!r} here; there are {known}.")
    if n_jobs is not None:
        settings["n_jobs"] = n_jobs
    if budget is not None:
        settings = within(budget) | settings
    try:
        with changed(**settings) as inside:
            yield inside
    finally:
        release = getattr(settings.get("backend"), "release", None)
        if release is not None:  # memory of a device
            release()
