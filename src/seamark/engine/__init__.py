"""The engine: how n × R values get computed.

A measure compiles landmarks into a `Plan`; the engine runs plans over rows: chunks under a memory
cap, threads or processes, progress, Ctrl-C, and a count of evaluations. It knows how many objects,
threads and bytes there are, and nothing about what the objects mean.
"""

from ..user_warnings import warn_user
from . import lapack, room
from .calls import CallPlan
from .context import using
from .edit_join import TooManyPairsError, edit_pairs
from .edit_search import edits_near
from .errors import MeasureError, PairError, SlowMeasureWarning
from .executors import run_on
from .kernels import backend, carried, restored
from .plan import CombinedPlan, Executor, Plan, Recipe, run, showing
from .progress import CallbackProgress, PartOfBar, Progress, progress_bar
from .protocols import Backend, EditSearchPlan, KernelPlan
from .running import cross, diagonal
from .settings import (
    Counter,
    Settings,
    Steps,
    changed,
    counting,
    numbering,
    row_chunks,
    settings,
    step,
    tick,
)
from .sizes import Sizes
from .threads import blas_for, n_threads, side_by_side

__all__ = [
    "Backend",
    "CallPlan",
    "CallbackProgress",
    "CombinedPlan",
    "Counter",
    "Executor",
    "KernelPlan",
    "MeasureError",
    "PairError",
    "PartOfBar",
    "Plan",
    "Progress",
    "Recipe",
    "Settings",
    "Sizes",
    "SlowMeasureWarning",
    "backend",
    "counting",
    "cross",
    "diagonal",
    "numbering",
    "progress_bar",
    "run",
    "settings",
    "using",
]
