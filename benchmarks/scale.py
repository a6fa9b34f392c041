"""Time and peak memory of a fit over the number of rows: in memory, from Parquet, on Dask workers.

``make bench-scale`` runs it; each run is a process of its own, so that peaks are its own too.
"""

from __future__ import annotations

import argparse
import json
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
    """Fit once, and say what the fit took, starts of processes left aside."""
    import pyarrow.parquet as pq

    import seamark as sm

    model = sm.LandmarkClassifier("levenshtein", n_landmarks=landmarks, random_state=0)
    before = peak_mb()
    if way.startswith("dask"):
        took = on_dask(model, path, int(way.removeprefix("dask")))
    else:
        start = clocks()
        if way == "memory":
            table = pq.read_table(path)
            model.fit(table.column("name").to_pylist(), np.array(table.column("sex").to_pylist()))
        else:
            model.fit(sm.rows(path, column="name", target="sex"))
        took = {"seconds": clocks()[0] - start[0], "processor_seconds": clocks()[1] - start[1]}
    return took | {
        "peak_mb": peak_mb(),
        "before_mb": before,
        "rows": model.n_rows_,
        "accuracy": model.head_.oof_score_,
        "coefficients": float(np.abs(model.head_.coef_).sum()),
        "precision": model.head_.precision_,
    }


def clocks() -> tuple[float, float]:
    """Return wall clock and processor seconds of this process."""
    return time.perf_counter(), time.process_time()


def peak_mb() -> float:
    """Return the most memory this process had; `getrusage` would count its parent's, too."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def on_dask(model, path: str, workers: int) -> dict[str, float]:
    """Fit on worker processes, each of one thread."""
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        client.run(warm, path)
        frame = dd.read_parquet(path, split_row_groups=4)
        far, start = client.run(time.process_time), clocks()
        model.fit(frame["name"], frame["sex"])
        end = clocks()
        spent = [now - far[one] for one, now in client.run(time.process_time).items()]
        return {
            "seconds": end[0] - start[0],
            "processor_seconds": end[1] - start[1] + sum(spent),
            "workers_seconds": sum(spent),
            "busiest_worker_seconds": max(spent),
            "worker_peak_mb": max(client.run(peak_mb).values()),
        }


def warm(path: str) -> None:
    """Do in a worker what happens once, so that it is not part of the fit: imports above all."""
    import dask
    import dask.dataframe as dd

    import seamark as sm

    with dask.config.set(scheduler="synchronous"):
        some = dd.read_parquet(path, split_row_groups=4).head(100)
    sm.LandmarkClassifier("levenshtein", random_state=0).fit(some["name"], some["sex"])


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
