"""A device without a GPU: the kernels' own sources, compiled as C++ for the host."""

import ctypes
import hashlib
import re
import shutil
import subprocess
from contextlib import nullcontext
from pathlib import Path

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from seamark.engine.cuda.device import Device, source_of

COMPILER = shutil.which("g++") or shutil.which("clang++")
POISON = 0xA5
HEADER = Path(__file__).with_name("host.hpp")
NAMES = re.compile(r"^KERNEL(?:_AT_ONCE)?\((\w+),", re.MULTILINE)
RUN = """extern "C" void run_KERNEL(int x, int y, int threads, void* shared, void** args) {
    every_block(KERNEL, x, y, threads, (unsigned char*)shared, args);
}
"""


class HostDevice:
    """Arrays are numpy's; shared memory is poisoned, so that nothing is read unwritten."""

    multiprocessors = 2
    shared_bytes = 227 << 10
    room = 1 << 30
    fast_doubles = True
    sums_from = Device.sums_from

    def __init__(self, folder):
        self.folder = Path(folder)
        self.launched = []
        self._libraries = {}

    def speaking(self):
        return nullcontext()

    def upload(self, array):
        return np.array(array, order="C")

    def empty(self, shape, dtype):
        out = np.empty(shape, dtype)
        out.view(np.uint8).fill(POISON)
        return out

    def download(self, array, out, after=None):
        out[...] = array

    def mark(self):
        return None

    def solve(self, A, b):
        return np.ascontiguousarray(cho_solve(cho_factor(A), b))

    def free_bytes(self):
        return self.room

    def launch(self, source, kernel, defines, grid, threads, shared, *arguments):
        assert shared <= self.shared_bytes
        self.launched.append((kernel, dict(defines), grid))
        values = [_c_value(argument) for argument in arguments]
        pointers = (ctypes.c_void_p * len(values))(*(ctypes.addressof(v) for v in values))
        memory = np.full(shared + (1 << 16), POISON, dtype=np.uint8)
        begin = -memory.ctypes.data % 16
        run = getattr(self._library(source, defines), f"run_{kernel}")
        run(*grid, threads, ctypes.c_void_p(memory.ctypes.data + begin), pointers)
        assert (memory[begin + shared :] == POISON).all(), "wrote beyond its shared memory"

    def _library(self, source, defines):
        words = "".join(f"#define {name} {value}\n" for name, value in sorted(defines.items()))
        text = f'#include "{HEADER}"\n{words}{source_of(*source.split("+"))}\n'
        text += "".join(RUN.replace("KERNEL", name) for name in NAMES.findall(text))
        if text not in self._libraries:
            name = self.folder / hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
            if not name.with_suffix(".so").exists():
                name.with_suffix(".cpp").write_text(text)
                command = [COMPILER, "-std=c++17", "-O1", "-ffp-contract=off", "-shared", "-fPIC"]
                command += ["-Wall", "-Werror", "-Wno-unused", "-o", name.with_suffix(".so")]
                subprocess.run([*command, name.with_suffix(".cpp")], check=True)
            self._libraries[text] = ctypes.CDLL(str(name.with_suffix(".so")))
        return self._libraries[text]


def _c_value(argument):
    if isinstance(argument, np.ndarray):
        assert argument.flags.c_contiguous
        return ctypes.c_void_p(argument.ctypes.data)
    if isinstance(argument, int):
        return ctypes.c_int(argument)
    kinds = {np.int64: ctypes.c_int64, np.float32: ctypes.c_float, np.float64: ctypes.c_double}
    return kinds[type(argument)](argument.item())
