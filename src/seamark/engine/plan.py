"""Plans: landmarks compiled once into whatever layout their kernel wants."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .counting import count
from .progress import Progress
from .threads import Stop, n_threads, run_tasks

Values = NDArray[np.float32]

SCRATCH_BYTES = 48 << 20  # temporaries of all threads together; the promise is 64 MB
CHUNK_SECONDS = 0.1  # estimated work in one chunk: how long Ctrl-C may take


@dataclass
class Job:
    """What one run may use, and whom it tells."""

    n_jobs: int | None = None
    progress: Progress = field(default_factory=Progress)
    first_row: int = 0
    """Number, among the user's, of the first row and landmark at work: messages name objects."""
    first_landmark: int = 0

    def finished(self, evaluations: int, values: int | None = None) -> None:
        """Count evaluations, and show how many values they gave if not one each."""
        count(evaluations)
        self.progress.advance(evaluations if values is None else values)

    def found(self, values: int) -> None:
        """Show values that did not need an evaluation."""
        self.progress.advance(values)

    def moved(self, rows: int, landmarks: int = 0) -> Job:
        """Return the same job for a part that begins so many rows and landmarks later."""
        return replace(
            self,
            first_row=self.first_row + rows,
            first_landmark=self.first_landmark + landmarks,
        )


class Plan(ABC):
    """Rows in, values against fixed landmarks out; serves fit and predict alike."""

    n_landmarks: int
    runs_lower: bool = False
    """Whether `run_lower` works; if not, half a symmetric matrix is computed in panels."""

    @abstractmethod
    def run(self, X: Any, out: Values, job: Job) -> None:
        """Fill ``out[i, j]`` with the value of row i of X against landmark j."""

    def run_lower(self, X: Any, out: Values, job: Job) -> None:
        """Fill only ``out[i, :i + 1]``, where X are the landmarks themselves."""
        raise TypeError(f"{type(self).__name__} computes whole rows only.")


class ChunkedPlan(Plan):
    """A plan whose kernel fills a few rows at a time and releases the GIL: runs on threads."""

    scratch_per_row: int = 0
    """Bytes of temporaries the kernel needs per row of a chunk."""

    @abstractmethod
    def fill(self, X: Any, out: Values, stop: Stop) -> None:
        """Fill `out` for the rows X of one chunk, looking at `stop` now and then."""

    @abstractmethod
    def seconds(self, X: Any) -> NDArray[np.float64]:
        """Estimated seconds of work for each row."""

    def run(self, X: Any, out: Values, job: Job) -> None:
        """Cut the rows into chunks and let the threads have them."""
        threads = n_threads(job.n_jobs)
        seconds = self.seconds(X)
        bounds = chunk_bounds(seconds, self.scratch_per_row, threads)
        tasks = [partial(self._task, X, out, a, b) for a, b in pairwise(bounds)]
        if len(tasks) == 1 and float(seconds.sum()) < CHUNK_SECONDS:
            job.finished(tasks[0](np.zeros(1, dtype=np.uint8)))  # a pool would cost more
        else:
            run_tasks(tasks, threads, job.finished)

    def _task(self, X: Any, out: Values, start: int, end: int, stop: Stop) -> int:
        self.fill(X[start:end], out[start:end], stop)
        return (end - start) * self.n_landmarks


class CombinedPlan(Plan):
    """Several plans over the same landmarks, their values combined block by block.

    Parameters
    ----------
    plans : sequence of Plan
        At least one; all for the same landmarks.
    combine : callable
        ``combine(rows, blocks)`` gets the rows and one block of values per plan, and leaves the
        result in ``blocks[0]``.
    """

    def __init__(
        self, plans: Sequence[Plan], combine: Callable[[Any, Sequence[Values]], None]
    ) -> None:
        self.plans = plans
        self.combine = combine
        self.n_landmarks = plans[0].n_landmarks

    def run(self, X: Any, out: Values, job: Job) -> None:
        """Run the plans one after another on blocks of rows small enough for the memory cap."""
        n = X.shape[0]
        per_row = 4 * max(1, self.n_landmarks) * max(1, len(self.plans) - 1)
        step = max(1, SCRATCH_BYTES // per_row)
        for start in range(0, n, step):
            rows = X[start : start + step]
            blocks = [out[start : start + step]]
            blocks += [np.empty_like(blocks[0]) for _ in self.plans[1:]]
            for plan, block in zip(self.plans, blocks, strict=True):
                plan.run(rows, block, job.moved(start))
            self.combine(rows, blocks)


def chunk_bounds(seconds: NDArray[np.float64], scratch_per_row: int, threads: int) -> list[int]:
    """Row numbers where chunks begin, and the end.

    A chunk is at most about `CHUNK_SECONDS` of work and its share of `SCRATCH_BYTES`; with several
    threads there are at least eight chunks for each, unless the work is not worth dividing.

    Examples
    --------
    >>> chunk_bounds(np.full(10, 0.05), 0, 1)
    [0, 2, 4, 6, 8, 10]
    >>> chunk_bounds(np.full(10, 1e-6), 0, 2)
    [0, 10]
    """
    n = len(seconds)
    total = float(seconds.sum())
    pieces = total / CHUNK_SECONDS
    if threads > 1 and total > CHUNK_SECONDS / 50:
        pieces = max(pieces, min(8.0 * threads, total / (CHUNK_SECONDS / 200)))
    most_rows = SCRATCH_BYTES // (threads * scratch_per_row) if scratch_per_row else n
    work = np.cumsum(seconds) / max(total, 1e-300) * max(pieces, 1.0)
    bounds, start = [0], 0
    while start < n:
        done = float(work[start - 1]) if start else 0.0
        end = int(np.searchsorted(work, done + 1.0 + 1e-9, side="right"))
        start = min(n, max(start + 1, min(end, start + max(1, most_rows))))
        bounds.append(start)
    return bounds
