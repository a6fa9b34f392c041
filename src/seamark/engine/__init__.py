"""The engine: how n × R values get computed.

A measure compiles landmarks into a `Plan`; the engine runs plans over rows: blocks under a memory
cap, threads or processes, progress, Ctrl-C, and a count of evaluations. It knows how many objects,
threads and bytes there are, and nothing about what the objects mean.
"""

from .calls import CallPlan
from .counting import Counter, counting
from .errors import MeasureError, SlowMeasureWarning
from .kernels import Backend, backend, using
from .library import LibraryPlan
from .plan import ChunkedPlan, CombinedPlan, Job, Plan
from .progress import CallbackProgress, Part, Progress, progress_bar
from .running import cross, run
from .threads import blas_for

__all__ = [
    "Backend",
    "CallPlan",
    "CallbackProgress",
    "ChunkedPlan",
    "CombinedPlan",
    "Counter",
    "Job",
    "LibraryPlan",
    "MeasureError",
    "Part",
    "Plan",
    "Progress",
    "SlowMeasureWarning",
    "backend",
    "blas_for",
    "counting",
    "cross",
    "progress_bar",
    "run",
    "using",
]
