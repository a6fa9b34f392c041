"""`seamark outliers`."""

from __future__ import annotations

import argparse

from ..search import Index
from .columns import reading_of
from .predict import with_columns
from .tables import DataError, deliver, require_delivery
from .training_data import SEARCHED, read_compared, read_data


def run(options: argparse.Namespace) -> None:
    """Add the mean distance to the nearest other objects; of a similarity, minus its mean."""
    require_delivery(options, options.data)
    table = read_data(options)
    measure, objects = read_compared(table, reading_of(options), options, SEARCHED, alone=True)
    k = options.neighbours
    if k >= len(objects):
        raise DataError(f"--neighbours {k} needs more than the {len(objects)} objects; lower it.")
    index = Index(measure, n_jobs=options.jobs).fit(objects.data)
    # The nearest is the object itself, or a copy of it.
    far = index.query(objects.data, k=k + 1).values[:, 1:].mean(axis=1)
    far = index.measure_.distance_sign() * far.astype(float)
    deliver(options, *with_columns(table, objects, {options.name: far.tolist()}))
