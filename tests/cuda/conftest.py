"""Where kernels run: the host's build of the same sources, and a GPU if there is one."""

import pytest
from apart import ApartDevice
from host_device import COMPILER, HostDevice

from seamark.engine.cuda.device import the_device


@pytest.fixture(scope="session")
def host(tmp_path_factory):
    if COMPILER is None:
        pytest.skip("no C++ compiler was found to build the kernels for the host")
    return HostDevice(tmp_path_factory.mktemp("kernels"))


@pytest.fixture(scope="session")
def apart(host):
    """The same, with arrays that refuse to meet the host's; what is compiled is shared."""
    return ApartDevice(host.folder)


@pytest.fixture(scope="session")
def gpu():
    try:
        return the_device()
    except RuntimeError as error:
        pytest.skip(f"no GPU: {error}")


@pytest.fixture(params=["host", "gpu"])
def device(request):
    return request.getfixturevalue(request.param)
