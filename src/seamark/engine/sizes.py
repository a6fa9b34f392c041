"""How much is done, kept or looked at at a time: every limit in bytes, rows and columns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Sizes:
    """How much is done, kept or looked at at a time, in one place; all are `Settings`.

    They budget memory and work. Thresholds of numerics and statistics (tolerances, penalties that
    are tried, sizes below which nothing can be told) stand where they are used, and shapes that a
    kernel is compiled for stand beside it.

    Attributes
    ----------
    scratch_bytes : int
        Temporary arrays of all threads together; at most 64 MB are promised.
    block_bytes : int
        Features of one chunk of rows.
    kept_bytes : int
        Values that a fit may keep, in place of computing them again.
    device_bytes : int or None
        Memory of a GPU that a run may take beside its landmarks; None: half of what is
        free.
    device_from : float
        Multiplications of a ridge's sums from which on they are made on a GPU, if that is
        in use.
    device_kept : float
        Share of a GPU's memory that values may take; the rest is for sums.
    device_chunk_bytes : int
        Values, features and float64 rows of one chunk on a GPU.
    device_scores : int
        Scores from which on the sums of a calibration are made on a GPU.
    hashed_from : int
        With more rows than this, folds and landmarks are drawn by a hash of seed and
        object, so that every way and order of reading rows draws the same.
    small_matrix : int
        Matrices of this size or less are worked on by one thread, of BLAS too.
    panel_rows : int
        Rows of a larger matrix that are one thread's share of a product with vectors.
    product_tile : int
        Rows and columns of a product of matrices that are one thread's share.
    least_tile, largest_tile : int
        The same of a factor: small ones where threads are many.
    pilot_rows : int
        Rows whose values show a transfer what to expect.
    compared_rows, compared_landmarks : int
        The most on which transfers are compared.
    rough_rows, rough_landmarks : int
        On which every second transfer is looked at before.
    compared_bytes : int
        Values of some rows that are put together once, for all transfers compared on them.
    strip_values : int
        Numbers that stay in the cache of a core while they are worked on.
    mapped_values : int
        The same where a random map computes features.
    maclaurin_rows : int
        Rows whose pairs decide how columns of `RandomMaclaurin` are shared out.
    inner_columns : int
        Columns of an inner map that show how its products vary.
    tree_rows : int
        Rows of a tree: more make it larger, and the forest hardly better.
    small_job : float
        Multiplications of a ridge up to which float64 takes so little time that it is used.
    first_rows : int
        Rows that give a ridge its centre and scale.
    product_rows : int
        Rows of one float32 product: more of them would lose digits.
    waiting_bytes : int
        Rows waiting for a product, over all folds.
    row_products_bytes : int
        Products of rows with rows, by which a ridge with few rows is solved.
    equations_bytes : int
        Normal equations that are kept; larger ones are scaled again.
    scaled_bytes : int
        Columns scaled at a time, to need no second matrix of them.
    scaled_rows : int
        Rows of a matrix scaled at a time, to stay in cache.
    strip_columns : int
        Columns copied or squared at a time.
    few_rows : int
        Rows whose eigenvalues cost less than a handful of factors.
    few_columns : int
        Columns that the search for a penalty does not make fewer; as few rows, in the dual
        form.
    few_bends : float
        Bends, as a share of the columns, up to which a matrix of bends is quicker.
    scored_values : int
        Features scored at a time; float64 copies of them stay in cache.
    chance_rows : int
        Rows whose chances stay in cache.
    calibration_rows : int
        Numbers of rows, evenly spread, that a calibrated model keeps.
    spread_rows : int
        Errors by which the spread of predictions is learned.
    spread_bytes : int
        Features of these rows.
    held_bytes : int
        Features that a weighing reads once and holds.
    shared_bytes : int
        Columns read once for several models; more are read again for each.
    scouted_values : int
        Values from which on a float32 copy halves the time of a step.
    followed_columns : int
        Columns that are followed step by step,
    followed_steps : int
        and steps until all columns are looked at again.
    moved_rows : int
        Rows moved at a time, to need no second matrix in between.
    sparse_rows : int
        Sparse rows read at a time.
    strength_rows, strength_columns : int
        The most on which strengths of alignment are compared.
    """

    # Memory of a run
    scratch_bytes: int = 48 << 20
    block_bytes: int = 32 << 20
    kept_bytes: int = 1 << 30
    device_bytes: int | None = None
    device_from: float = 5e9
    device_kept: float = 0.5
    device_chunk_bytes: int = 1 << 30
    device_scores: int = 100_000
    hashed_from: int = 100_000
    # Matrices
    small_matrix: int = 1500
    panel_rows: int = 256
    product_tile: int = 512
    least_tile: int = 192
    largest_tile: int = 1024
    # Maps
    pilot_rows: int = 1000
    compared_rows: int = 3072
    compared_landmarks: int = 512
    rough_rows: int = 2048
    rough_landmarks: int = 128
    compared_bytes: int = 32 << 20
    strip_values: int = 2**18
    mapped_values: int = 2**17
    maclaurin_rows: int = 128
    inner_columns: int = 512
    tree_rows: int = 4000
    # Heads
    small_job: float = 4e9
    first_rows: int = 512
    product_rows: int = 4096
    waiting_bytes: int = 128 << 20
    row_products_bytes: int = 1 << 30
    equations_bytes: int = 64 << 20
    scaled_bytes: int = 8 << 20
    scaled_rows: int = 64
    strip_columns: int = 1024
    few_rows: int = 64
    few_columns: int = 80
    few_bends: float = 0.6
    scored_values: int = 1 << 19
    chance_rows: int = 4096
    calibration_rows: int = 1000
    spread_rows: int = 20_000
    spread_bytes: int = 2**27
    # Weighing
    held_bytes: int = 4 << 30
    shared_bytes: int = 256 << 20
    scouted_values: int = 1 << 22
    followed_columns: int = 64
    followed_steps: int = 32
    moved_rows: int = 128
    sparse_rows: int = 10_000
    strength_rows: int = 5000
    strength_columns: int = 2000
