"""Sources: rows that need not be in memory, read chunk by chunk as often as needed.

Files (Parquet, Arrow, CSV), arrays that are mapped from disk, functions that yield blocks.
"""

from .base import Chunk, Pass, RowSource
from .checkpoint import Checkpoint
from .clients import asked_for, client_in_force
from .collections import dask_rows, is_collection, lazily, made_there, spread
from .given import ArrayRows, FactoryRows
from .reading import rows
from .sampling import HashedSample, hashed_sample

__all__ = ["ArrayRows", "Chunk", "FactoryRows", "RowSource", "rows"]
