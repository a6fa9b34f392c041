"""The engine: how n × R values get computed.

A measure compiles landmarks into a `Plan`; the engine runs plans over rows: chunks under a memory
cap, threads or processes, progress, Ctrl-C, and a count of evaluations. It knows how many objects,
threads and bytes there are, and nothing about what the objects mean.
"""

from ..validation import warn_user
from . import lapack
from .backends import Backend, EditSearchPlan, KernelPlan, backend, carried, restored
from .edits import TooManyPairsError, edit_pairs, edits_near
from .executors import cross, require_room, run, run_on, showing, using
from .plan import (
    CombinedPlan,
    Executor,
    MeasureError,
    PairError,
    Plan,
    Recipe,
    SlowMeasureWarning,
)
from .progress import CallbackProgress, OneBar, PartOfBar, Progress, progress_bar
from .python_calls import CallPlan, diagonal, objects
from .settings import (
    Counter,
    Settings,
    Steps,
    changed,
    counting,
    fit_context,
    numbering,
    row_chunks,
    settings,
    step,
    tick,
)
from .threads import blas_for, n_threads, side_by_side
from .value_cache import digest

__all__ = [
    "Backend",
    "CallPlan",
    "CallbackProgress",
    "CombinedPlan",
    "Counter",
    "Executor",
    "KernelPlan",
    "MeasureError",
    "OneBar",
    "PairError",
    "PartOfBar",
    "Plan",
    "Progress",
    "Recipe",
    "Settings",
    "SlowMeasureWarning",
    "backend",
    "counting",
    "cross",
    "diagonal",
    "digest",
    "numbering",
    "progress_bar",
    "row_chunks",
    "run",
    "settings",
    "using",
]
