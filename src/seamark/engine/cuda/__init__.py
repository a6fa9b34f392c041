"""Kernels for one NVIDIA GPU, through CuPy: a backend that is used when it is asked for.

The sources (`*.cu`) are compiled for the chip at first use, and kept on disk by CuPy. A plan lays
landmarks out on the device once; rows go up in compact codes. `run` gives values back to the host,
as every backend does; `values` leaves them on the device, for those who go on there.
"""

from .backend import Cuda, cuda
from .device import Device

__all__ = ["Cuda", "Device", "cuda"]
