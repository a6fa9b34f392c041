"""What the chip can do, measured: the roofs that kernels are held against."""

from __future__ import annotations

import numpy as np

from benchmarks.cuda_measuring import best

ROOFS = """
extern "C" __global__ void integers(unsigned* out, int n) {
    unsigned a[8];
    for (int k = 0; k < 8; ++k) a[k] = threadIdx.x * 77 + k;
    for (int i = 0; i < n; ++i)
        #pragma unroll
        for (int k = 0; k < 8; ++k) a[k] = (a[k] & a[(k + 1) % 8]) ^ a[(k + 3) % 8];
    unsigned sum = 0;
    for (int k = 0; k < 8; ++k) sum ^= a[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void floats(float* out, int n, float c) {
    float a[16];
    for (int k = 0; k < 16; ++k) a[k] = threadIdx.x * 0.01f + k;
    for (int i = 0; i < n; ++i)
        #pragma unroll
        for (int k = 0; k < 16; ++k) {
            const float d = a[k] - c;
            a[k] = __fmaf_rn(d, d, a[k] * 0.0f);
        }
    float sum = 0;
    for (int k = 0; k < 16; ++k) sum += a[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
"""


def roofs(device, table):
    cupy = device.cupy
    module = cupy.RawModule(code=ROOFS)
    n, blocks = 20_000, device.multiprocessors * 8

    def rate(name, operations, *rest):
        out = cupy.empty(blocks * 256, np.uint32)
        kernel = module.get_function(name)
        seconds = []
        for _ in range(4):
            begin, end = cupy.cuda.Event(), cupy.cuda.Event()
            begin.record()
            kernel((blocks,), (256,), (out, np.int32(n), *rest))
            end.record()
            end.synchronize()
            seconds.append(cupy.cuda.get_elapsed_time(begin, end) / 1e3)
        return operations * n * blocks * 256 / min(seconds) / 1e12

    found = {
        "integers": rate("integers", 8),
        "floats": rate("floats", 48, np.float32(0.5)),
    }
    a = cupy.empty(1 << 30, np.uint8)
    b = cupy.empty_like(a)
    found["copy"] = 2 * a.nbytes / best(device, lambda: cupy.copyto(b, a)) / 1e12
    square = cupy.random.random((8192, 8192))
    found["float64"] = 2 * 8192**3 / best(device, lambda: square @ square) / 1e12
    single = square.astype(np.float32)
    found["float32"] = 2 * 8192**3 / best(device, lambda: single @ single) / 1e12
    table.add(
        "| roof, measured | |",
        "|---|---|",
        f"| logic of 32-bit words | {found['integers']:.1f} T/s |",
        f"| float32 additions and multiply-adds | {found['floats']:.1f} T/s |",
        f"| copy in memory | {found['copy']:.2f} TB/s |",
        f"| matrix product, float64 | {found['float64']:.1f} TFLOP/s |",
        f"| matrix product, float32 | {found['float32']:.1f} TFLOP/s |",
        "",
    )
    return found
