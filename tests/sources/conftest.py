"""One cluster for all tests of this folder: a scheduler, two worker processes, loopback."""

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
