"""Plans of libraries that bring threads of their own."""

from __future__ import annotations

from abc import abstractmethod
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .plan import Job, Plan, Values, chunk_bounds
from .threads import n_threads


class LibraryPlan(Plan):
    """A plan whose kernel holds the GIL but threads by itself: chunks run one after another.

    Chunks are still short, so that Ctrl-C and the progress bar get their turn between them.
    """

    scratch_per_row: int = 0
    """Bytes of temporaries the kernel needs per row of a chunk."""

    @abstractmethod
    def fill(self, X: Any, out: Values, threads: int) -> None:
        """Fill `out` for the rows X of one chunk, on as many threads."""

    @abstractmethod
    def seconds(self, X: Any) -> NDArray[np.float64]:
        """Estimated seconds of work for each row, on one thread."""

    def run(self, X: Any, out: Values, job: Job) -> None:
        """Cut the rows into chunks and hand them over one by one."""
        threads = n_threads(job.n_jobs)
        bounds = chunk_bounds(self.seconds(X) / threads, self.scratch_per_row, 1)
        for a, b in pairwise(bounds):
            self.fill(X[a:b], out[a:b], threads)
            job.finished((b - a) * self.n_landmarks)
