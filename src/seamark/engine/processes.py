"""What runs in another process: unpack the function once, then evaluate tile after tile."""

from __future__ import annotations

import time
import traceback
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .errors import MeasureError
from .evaluate import Calls, Doubles, Failure, name_of, reason
from .tiles import Tile

try:
    from joblib.externals import cloudpickle
except ImportError:  # joblib 1.6 and later depend on it instead of bringing it
    import cloudpickle


@dataclass(frozen=True)
class Packed:
    """A function and its landmarks on their way to other processes.

    They travel as one array, because joblib shares large arrays instead of sending them.
    """

    data: NDArray[np.uint8]
    key: str

    @classmethod
    def of(cls, calls: Calls) -> Self:
        """Pack them, lambdas and closures too."""
        try:
            data = cloudpickle.dumps(calls)
        except Exception as error:
            raise MeasureError(
                f"{name_of(calls.f)} or its landmarks cannot be sent to other processes "
                f"({reason(error)}); leave n_jobs out to run it in this one."
            ) from error
        return cls(np.frombuffer(data, dtype=np.uint8), blake2b(data).hexdigest())


@dataclass(frozen=True)
class Outcome:
    """What a process sends back of one tile."""

    values: Doubles
    seconds: float
    failure: Failure | None
    interrupted: bool


_held: dict[str, Calls] = {}  # in a worker process: the function at work, with its landmarks


def evaluate_elsewhere(packed: Packed, rows: Any, tile: Tile) -> Outcome:
    """Evaluate one tile in a worker process, which unpacks the function once."""
    calls = _held.get(packed.key)
    if calls is None:
        calls = cloudpickle.loads(packed.data.tobytes())
        _held.clear()
        _held[packed.key] = calls
    values = np.full(tile.shape, np.nan)
    failure, interrupted = None, False
    began = time.perf_counter()
    try:
        failure = calls.evaluate(rows, tile.c, tile.d, tile.wanted, values)
    except KeyboardInterrupt:  # sent home as news: raised here it would break the pool
        interrupted = True
    seconds = time.perf_counter() - began
    return Outcome(values, seconds, failure and _portable(failure), interrupted)


def _portable(failure: Failure) -> Failure:
    """Make sure the cause survives the way home, with its traceback as a note."""
    cause = failure.cause
    if cause is None:
        return failure
    try:
        cause.add_note("In a worker process:\n" + "".join(traceback.format_exception(cause)))
        cloudpickle.loads(cloudpickle.dumps(cause))
    except Exception:
        cause = RuntimeError(reason(cause))
    return replace(failure, cause=cause)
