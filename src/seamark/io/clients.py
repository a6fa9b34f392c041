"""The Dask client in force: what it computes, and what is sent to its cluster once."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from .. import engine
from ..engine.cluster import Cluster

WARNED_FROM = "distributed.admin.large-graph-warning-threshold"


def client_in_force() -> Any:
    """Return the client whose workers do the work; None: it is done in this process.

    It is that of `engine.using`, else the one that Dask itself would take. Inside a task of a
    worker there is none: the task would wait for others that wait for its thread.
    """
    executor = engine.settings().executor
    if executor is not None:
        return executor.client if isinstance(executor, Cluster) else None
    if "distributed" not in sys.modules:
        return None
    from distributed import default_client, get_worker

    try:
        get_worker()
    except ValueError:
        try:
            return default_client()
        except ValueError:
            pass
    return None


def asked_for() -> bool:
    """Whether `engine.using` names a client: a client that is merely there may be gone by now."""
    return isinstance(engine.settings().executor, Cluster)


def threads_there() -> int:
    """Return how many threads all workers have together; without a client, those here."""
    client = client_in_force()
    if client is None:
        return engine.n_threads()
    with answering(client):
        return sum(client.nthreads().values())


def computed(*collections: Any) -> Any:
    """Compute with the client in force, or in threads here; a cluster that is gone is named."""
    import dask

    client = client_in_force()
    if client is None:
        return dask.compute(*collections)
    with answering(client):
        return dask.compute(*collections, scheduler=client)


@contextmanager
def answering(client: Any) -> Iterator[None]:
    """Say in one sentence what is wrong where a cluster does not answer inside."""
    if client.status != "running":
        raise RuntimeError(
            f"the Dask client is {client.status}, so that nothing can be computed on its cluster; "
            "start another, or close it to work in this process."
        )
    from distributed.scheduler import KilledWorker

    try:
        yield
    except KilledWorker as error:
        raise RuntimeError(
            "workers died one after the other at the same partition, most likely because it takes "
            "more memory than they have: make partitions smaller (repartition), or give workers "
            "more memory."
        ) from error
    except _gone() as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise RuntimeError(
            f"the Dask cluster stopped answering ({type(error).__name__}); models that are fitted "
            "already are unaffected: connect again, and repeat the call."
        ) from error


def _gone() -> tuple[type[BaseException], ...]:
    """Return what is raised where a cluster is no more."""
    import asyncio
    import concurrent.futures

    import distributed.client

    found = [OSError, TimeoutError, asyncio.CancelledError, concurrent.futures.CancelledError]
    newer = getattr(distributed.client, "FutureCancelledError", None)
    return tuple(found if newer is None else [*found, newer])


class Held:
    """A value as a task, which Dask can run again where a worker is lost."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __call__(self) -> Any:
        """Return it."""
        return self.value


def held(values: Sequence[Any]) -> list[Any]:
    """Send values to the cluster once, for all passes to come; without a client they stay here.

    Scattered data would be lost with their worker. Dask warns of large graphs because the same data
    may be sent again and again; these are sent once.
    """
    client = client_in_force()
    if client is None:
        return list(values)
    import dask

    with dask.config.set({WARNED_FROM: "1 GB"}), answering(client):
        return [client.submit(Held(one), key=f"held-{uuid4()}") for one in values]


def sent(value: Any) -> Any:
    """Return a value for many tasks to take: it travels to the cluster once, and to each worker."""
    import dask

    if client_in_force() is None:
        return dask.delayed(value, traverse=False)
    return held([value])[0]
