"""Arrays that are not the host's: numpy's, behind a wall that only the device opens.

CuPy refuses to mix its arrays with numpy's, and to become one without being asked. So do these.
"""

import numpy as np
from host_device import HostDevice
from numpy.lib.mixins import NDArrayOperatorsMixin

KNOWN = {np.clip, np.take, np.concatenate}


class Apart(NDArrayOperatorsMixin):
    """An array on a device that is none."""

    def __init__(self, held):
        self.held = held

    def __array__(self, *_, **__):
        raise TypeError("implicit conversion to a numpy array is not allowed")

    def __array_ufunc__(self, ufunc, method, *inputs, out=(), **options):
        given = [opened(one) for one in inputs]
        kept = {"out": tuple(map(opened, out))} if out else {}
        return closed(getattr(ufunc, method)(*given, **kept, **options))

    def __array_function__(self, function, types, arguments, options):
        assert function in KNOWN, f"{function.__name__} of device arrays is not known to the tests"
        given = [opened(one) for one in arguments]
        return closed(function(*given, **{k: opened(v) for k, v in options.items()}))

    def __getitem__(self, key):
        assert not isinstance(key, np.ndarray), "indices must be on the device"
        return closed(self.held[opened(key)])

    def __setitem__(self, key, value):
        self.held[key] = opened(value)

    def __len__(self):
        return len(self.held)

    @property
    def T(self):
        return Apart(self.held.T)

    def astype(self, dtype):
        return Apart(self.held.astype(dtype))

    def copy(self):
        return Apart(self.held.copy())

    def any(self):
        return bool(self.held.any())

    shape, dtype = property(lambda self: self.held.shape), property(lambda self: self.held.dtype)
    nbytes, strides = (
        property(lambda self: self.held.nbytes),
        property(lambda self: self.held.strides),
    )
    size = property(lambda self: self.held.size)


def opened(one):
    """What numpy may see of a value; arrays of the host are refused."""
    assert not isinstance(one, np.ndarray) or one.ndim == 0, "an array of the host meets a device's"
    return one.held if isinstance(one, Apart) else one


def closed(one):
    if isinstance(one, tuple):
        return tuple(map(closed, one))
    return Apart(one) if isinstance(one, np.ndarray) else one


class ApartDevice(HostDevice):
    """The kernels' host build, its arrays apart from the host's."""

    def upload(self, array):
        assert isinstance(array, np.ndarray)
        return Apart(super().upload(array))

    def empty(self, shape, dtype):
        return Apart(super().empty(shape, dtype))

    def download(self, array, out, after=None):
        super().download(array.held, out)

    def solve(self, A, b):
        return Apart(super().solve(A.held, b.held))

    def launch(self, source, kernel, defines, grid, threads, shared, *arguments):
        given = [one.held if isinstance(one, Apart) else one for one in arguments]
        assert not any(isinstance(one, np.ndarray) for one in arguments)
        super().launch(source, kernel, defines, grid, threads, shared, *given)
