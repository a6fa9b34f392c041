"""What runs in another process: unpack the function once, then evaluate tile after tile."""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .errors import MeasureError
from .evaluate import Calls, Doubles, Failure, name_of, reason
from .kernels import restored
from .packing import Packed, cloudpickle
from .tiles import Tile


def packed(calls: Calls) -> Packed:
    """Pack a function and its landmarks."""
    try:
        return Packed.of(calls)
    except Exception as error:
        raise MeasureError(
            f"{name_of(calls.f)} or its landmarks cannot be sent to other processes "
            f"({reason(error)}); leave n_jobs out to run it in this one."
        ) from error


@contextmanager
def surviving(work: str) -> Iterator[None]:
    """Turn the death of a worker process into one clear sentence; `work` says what it computed."""
    try:
        yield
    except BrokenExecutor as error:
        raise MeasureError(
            f"a worker process died while it computed {work}: it was killed, ran out of memory, or "
            "crashed in native code; lower n_jobs, or leave it out to run in this process."
        ) from error


@dataclass(frozen=True)
class Outcome:
    """What a process sends back of one tile."""

    values: Doubles
    seconds: float
    failure: Failure | None
    interrupted: bool


def evaluate_elsewhere(sent: Packed, settings: dict[str, Any], rows: Any, tile: Tile) -> Outcome:
    """Evaluate one tile in a worker process, which unpacks the function once."""
    calls = sent.opened()
    values = np.full(tile.shape, np.nan)
    failure, interrupted = None, False
    began = time.perf_counter()
    try:
        with restored(settings):
            failure = calls.evaluate(rows, tile.c, tile.d, tile.wanted, values)
    except KeyboardInterrupt:  # sent home as news: raised here it would break the pool
        interrupted = True
    seconds = time.perf_counter() - began
    return Outcome(values, seconds, failure and _portable(failure), interrupted)


def _portable(failure: Failure) -> Failure:
    """Make sure the cause can be sent back, with its traceback as a note."""
    cause = failure.cause
    if cause is None:
        return failure
    try:
        cause.add_note("In a worker process:\n" + "".join(traceback.format_exception(cause)))
        cloudpickle.loads(cloudpickle.dumps(cause))
    except Exception:
        cause = RuntimeError(reason(cause))
    return replace(failure, cause=cause)
