"""A table that worker processes can import; nothing here imports much, so that they start soon."""

import os
import signal
import time

import numpy as np
from benchmarks.tables.spec import Row, Table
from threadpoolctl import threadpool_info


def load(row, folder):
    with np.load(folder / f"{row.data}.npz") as content:
        return content["X"]


def evaluate(cell, row, data):
    if cell.method == "broken":
        raise ValueError("no such thing today")
    if cell.method == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if cell.method == "slow":
        time.sleep(600)
    draw = np.random.default_rng(cell.split).normal(scale=data.sum())
    threads = [library["num_threads"] for library in threadpool_info()]
    facts = {"threads": max(threads, default=1), "process": os.getpid()}
    return {"score": float(draw), "seconds": 0.5, "processor_seconds": 0.25} | facts


def table(methods=("own",), n_splits=3, **changes):
    return Table(
        name="0.1",
        title="A made-up table",
        score="accuracy",
        lower_is_better=False,
        rows=(Row("here", "tabular/here"),),
        methods=methods,
        own=("own",),
        default="default",
        load=load,
        evaluate=evaluate,
        define=lambda cell, row: cell.method,
        n_splits=n_splits,
        **changes,
    )


def troubled():
    return table(("broken", "killed", "own"), n_splits=1)


def interrupted():
    return table(("own", "slow"))
