"""What the arithmetic alone would allow on this CPU: measured rates of independent operations."""

from __future__ import annotations

import time
from functools import cache

import numpy as np
from threadpoolctl import threadpool_limits


def _best(run, rounds=7):
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        result = run()
        times.append(time.perf_counter() - start)
    return result, min(times)


@cache
def integer_rate(isa: str) -> float:
    """64-bit lane operations per second, independent vector additions."""
    from seamark.engine import _native

    operations, seconds = _best(lambda: _native.integer_operations(20_000_000, isa))
    return operations / seconds


@cache
def float_rate(isa: str) -> float:
    """float32 lane operations per second, independent additions and multiplications."""
    from seamark.engine import _native

    operations, seconds = _best(lambda: _native.float_operations(20_000_000, isa))
    return operations / seconds


@cache
def product_seconds(n: int, m: int, d: int) -> float:
    """Seconds for the float32 matrix product (n × d)(d × m), one thread, in cache-sized pieces."""
    A, B = np.ones((512, d), np.float32), np.ones((m, d), np.float32)
    out = np.empty((512, m), np.float32)
    with threadpool_limits(1):
        _, seconds = _best(lambda: np.matmul(A, B.T, out=out))
    return seconds * n / 512
