"""Every implementation of the kernels, for the suites: the CPU's, and a GPU where there is one.

``SEAMARK_TEST_DEVICE=host`` takes the host's build of the GPU's kernels for one (see `tests/cuda`),
``apart`` the same with arrays that refuse to meet numpy's: slow, and what a machine without a GPU
can do.
"""

import os
import sys
import tempfile
from pathlib import Path

import pytest

from seamark.engine import backends

STAND_IN = os.environ.get("SEAMARK_TEST_DEVICE")
if STAND_IN:
    sys.path.append(str(Path(__file__).with_name("cuda")))
    from apart import ApartDevice
    from host_device import HostDevice

    from seamark.engine.cuda import Cuda

    _folder = Path(tempfile.gettempdir()) / "seamark_host_kernels"
    _folder.mkdir(exist_ok=True)
    _host = Cuda(
        {"host": HostDevice, "apart": ApartDevice}[STAND_IN](_folder),
        list(backends.backends().values())[-1],
    )
    backends._cuda = lambda: _host

try:
    backends.named("cuda")
except RuntimeError as error:
    WHY = f"no GPU: {error}"
else:
    WHY = ""

CUDA = pytest.param("cuda", marks=pytest.mark.skipif(bool(WHY), reason=WHY))
ENGINES = [*backends.backends(), CUDA]
"""For `pytest.mark.parametrize`."""
HERE = [*backends.backends(), *([] if WHY else ["cuda"])]
"""For loops."""


def kernels_of(name):
    """Return the implementation of that name."""
    return backends.named(name)
