"""What tests of this folder share: one cluster (two worker processes, loopback), and files."""

import pytest


@pytest.fixture(scope="session")
def cluster():
    dask, distributed = pytest.importorskip("dask"), pytest.importorskip("distributed")
    with (
        dask.config.set(
            {
                "distributed.worker.daemon": False,
                "distributed.comm.timeouts.connect": "120s",  # machines may stand still
                "distributed.comm.timeouts.tcp": "120s",
            }
        ),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50
        ) as found,
    ):
        yield found


@pytest.fixture
def client(cluster):
    import distributed

    with distributed.Client(cluster) as found:
        yield found


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Names, in Parquet, CSV and Arrow."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    from test_many_rows import LENGTH, NAMES, SEX

    place = tmp_path_factory.mktemp("rows")
    table = pa.table({"name": NAMES, "sex": SEX, "length": LENGTH})
    pq.write_table(table.slice(0, 1100), place / "a.parquet", row_group_size=300)
    pq.write_table(table.slice(1100), place / "b.parquet", row_group_size=470)
    from pyarrow import csv, feather

    csv.write_csv(table, place / "all.csv")
    feather.write_feather(table, place / "all.arrow")
    return place
