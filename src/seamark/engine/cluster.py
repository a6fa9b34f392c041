"""`Cluster`: in-memory rows spread over the workers of a Dask client."""

from __future__ import annotations

from collections import deque
from typing import Any

from .executors import chunks, fill_elsewhere
from .kernels import carried
from .packing import Packed
from .plan import Executor, Job, Plan, Recipe, Values

AHEAD = 4  # chunks sent to each thread of a worker before results are waited for


class Cluster(Executor):
    """The workers of a `distributed.Client`, to which rows travel; landmarks travel once.

    Parameters
    ----------
    client : distributed.Client
    """

    sends = True

    def __init__(self, client: Any) -> None:
        self.client = client

    def takes(self, plan: Plan) -> bool:
        """Whether it is not a Python function: calls are timed, stored and divided elsewhere."""
        return plan.home in ("threads", "library")

    def run(self, recipe: Recipe, X: Any, out: Values, job: Job) -> None:
        """Cut the rows into chunks, and send a few of them ahead."""
        if self.client.status != "running":
            raise RuntimeError(
                f"the Dask client is {self.client.status}; start another, or leave `using` it."
            )
        plan = recipe.plan()
        workers = max(1, sum(self.client.nthreads().values()))
        pieces = deque(chunks(plan.seconds(X), plan.scratch_per_row, workers))
        packed = self.client.scatter(Packed.of(recipe), broadcast=True, hash=False)
        now = carried()
        sent: deque[tuple[int, int, Any]] = deque()
        try:
            with job.naming():
                while pieces or sent:
                    while pieces and len(sent) < AHEAD * workers:
                        a, b = pieces.popleft()
                        work = (fill_elsewhere, packed, now, X[a:b], plan.n_landmarks, a)
                        sent.append((a, b, self.client.submit(*work, pure=False)))
                    a, b, block = sent.popleft()
                    out[a:b] = block.result()
                    job.finished((b - a) * plan.n_landmarks * plan.n_parts)
        except BaseException:  # a traceback holds futures, and they would go on being worked on
            self.client.cancel([future for *_, future in sent])
            raise


def is_client(where: Any) -> bool:
    """Tell whether this is a Dask client; Dask itself is not imported."""
    return type(where).__module__.partition(".")[0] == "distributed" and hasattr(where, "submit")
