"""Time and peak memory of a fit over the number of rows: in memory, from Parquet, on Dask workers.

``make bench-scale`` runs it; each run is a process of its own, so that peaks are its own too.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

SYLLABLES = ["an", "na", "ot", "to", "ka", "ri", "lo", "mi", "es", "ul", "be", "da"]
PIECE = 1 << 18


def names(n: int, seed: int) -> list[str]:
    """Return made-up names of 2 to 5 syllables."""
    rng = np.random.default_rng(seed)
    parts = np.array(SYLLABLES)[rng.integers(len(SYLLABLES), size=(n, 5))]
    sizes = rng.integers(2, 6, size=n)
    return ["".join(row[:k]) for row, k in zip(parts.tolist(), sizes, strict=True)]


def write(path: Path, n: int) -> None:
    """Write a Parquet file of n names, and whether each is a woman's."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([("name", pa.string()), ("sex", pa.string())])
    with pq.ParquetWriter(path, schema) as file:
        for number, start in enumerate(range(0, n, PIECE)):
            some = names(min(PIECE, n - start), number)
            sex = ["f" if one.endswith(("na", "mi", "da", "ri")) else "m" for one in some]
            file.write_table(pa.table({"name": some, "sex": sex}, schema), row_group_size=1 << 16)


def run(way: str, path: str, landmarks: int) -> dict[str, float]:
    """Fit once, and say what it took."""
    import pyarrow.parquet as pq

    import seamark as sm

    model = sm.LandmarkClassifier("levenshtein", n_landmarks=landmarks, random_state=0)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    start = time.perf_counter()
    if way == "memory":
        table = pq.read_table(path)
        model.fit(table.column("name").to_pylist(), np.array(table.column("sex").to_pylist()))
    elif way == "parquet":
        model.fit(sm.rows(path, column="name", target="sex"))
    else:
        model = on_dask(model, path, int(way.removeprefix("dask")))
    seconds = time.perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_SELF)
    others = resource.getrusage(resource.RUSAGE_CHILDREN)  # workers
    return {
        "seconds": seconds,
        "processor_seconds": used.ru_utime + used.ru_stime + others.ru_utime + others.ru_stime,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "before_mb": before,
        "rows": model.n_rows_,
        "accuracy": model.head_.oof_score_,
        "coefficients": float(np.abs(model.head_.coef_).sum()),
        "precision": model.head_.precision_,
    }


def on_dask(model, path: str, workers: int):
    """Fit on worker processes, each of one thread."""
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    with (
        LocalCluster(workers, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster),
    ):
        frame = dd.read_parquet(path, split_row_groups=4)
        return model.fit(frame["name"], frame["sex"])


def in_a_process(way: str, path: Path, landmarks: int) -> dict[str, float]:
    """Run one way in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.scale", "--one", way, str(path), str(landmarks)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(ran.stdout.splitlines()[-1])


def main() -> None:
    """Run all, print and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[200_000, 1_000_000, 5_000_000])
    parser.add_argument("--landmarks", type=int, default=1024)
    parser.add_argument("--ways", nargs="+", default=["memory", "parquet"])
    parser.add_argument("--one", nargs=3, metavar=("WAY", "FILE", "LANDMARKS"))
    options = parser.parse_args()
    if options.one:
        print(json.dumps(run(options.one[0], options.one[1], int(options.one[2]))))
        return
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for n in options.rows:
            path = Path(folder) / f"{n}.parquet"
            write(path, n)
            for way in options.ways:
                one = {"way": way, "landmarks": options.landmarks}
                one |= in_a_process(way, path, options.landmarks)
                found.append(one)
                print(
                    f"{n:>9} rows, {way:8}: {one['seconds']:7.1f} s, "
                    f"{one['processor_seconds']:7.1f} processor seconds, "
                    f"{1e6 * one['processor_seconds'] / n:6.1f} µs of them a row, "
                    f"peak {one['peak_mb']:6.0f} MB, accuracy {one['accuracy']:.4f}, "
                    f"{one['precision']}",
                    flush=True,
                )
    place = Path(".benchmarks")
    place.mkdir(exist_ok=True)
    (place / "scale.json").write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
