"""Sources: rows that need not be in memory, read chunk by chunk as often as needed.

Files (Parquet, Arrow, CSV), arrays that are mapped from disk, functions that yield blocks.
"""

from .base import CHUNK_BYTES, ArrayRows, Chunk, FactoryRows, Pass, RowSource
from .checkpoint import Checkpoint
from .dask import asked_for, client_in_force, dask_rows, lazily, made_there, spread
from .files import batches_of, rows
from .sample import HashedSample, hashed_sample

__all__ = ["ArrayRows", "Chunk", "FactoryRows", "RowSource", "rows"]
