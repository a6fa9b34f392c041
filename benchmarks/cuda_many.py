"""Many strings for one device, and the memory that a job takes there."""

from __future__ import annotations

import numpy as np

SAMPLING = """
typedef unsigned long long u64;
__device__ u64 mixed(u64 x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}
// What becomes of a symbol: of 64 one is left out, one doubled, two replaced.
extern "C" __global__ void sampled(const unsigned char* base, const long long* starts, int n_base,
                                   u64 seed, long long n, int n_symbols, const long long* offsets,
                                   long long* lengths, int* parents, unsigned char* out) {
    const long long step = gridDim.x * (long long)blockDim.x;
    for (long long s = blockIdx.x * (long long)blockDim.x + threadIdx.x; s < n; s += step) {
        const u64 own = mixed(seed + s);
        const int parent = (int)(own % n_base);
        long long to = out ? offsets[s] : 0, count = 0;
        for (long long i = starts[parent]; i < starts[parent + 1]; ++i) {
            const u64 luck = mixed(own + i);
            const int edit = luck % 64, copies = edit == 0 ? 0 : edit == 1 ? 2 : 1;
            const bool replaced = edit == 2 || edit == 3;
            const unsigned char symbol = replaced ? (luck >> 32) % n_symbols : base[i];
            for (int k = 0; k < copies; ++k, ++count)
                if (out) out[to + count] = symbol;
        }
        if (!out) lengths[s] = count, parents[s] = parent;
    }
}
"""


def sampled(device, base, starts, n, seed):
    """Codes and offsets of n outlines with edits, and the number of each one's parent."""
    cupy, part = device.cupy, 10_000_000
    kernel = cupy.RawKernel(SAMPLING, "sampled")
    on_device = cupy.asarray(base), cupy.asarray(starts), np.int32(len(starts) - 1)
    codes, offsets, parents = [], [np.zeros(1, np.int64)], []
    for first in range(0, n, part):
        count = min(part, n - first)
        lengths, own = cupy.empty(count, np.int64), cupy.empty(count, np.int32)
        fixed = *on_device, np.uint64(seed * (1 << 40) + first), np.int64(count), np.int32(8)
        kernel((2048,), (256,), (*fixed, np.uint64(0), lengths, own, np.uint64(0)))
        ends = np.cumsum(lengths.get())
        places = cupy.asarray(np.concatenate([[0], ends[:-1]]))
        out = cupy.empty(int(ends[-1]), np.uint8)
        kernel((2048,), (256,), (*fixed, places, lengths, own, out))
        codes.append(out.get())
        offsets.append(ends + offsets[-1][-1])
        parents.append(own.get())
    return np.concatenate(codes), np.concatenate(offsets), np.concatenate(parents)


class Peak:
    """The most device memory in use, looked at after each allocation of CuPy's pool."""

    def __init__(self, cupy):
        self.pool, self.most, self.cupy = cupy.get_default_memory_pool(), 0, cupy

    def malloc(self, size):
        memory = self.pool.malloc(size)
        self.most = max(self.most, self.pool.total_bytes())
        return memory

    def __enter__(self):
        self.pool.free_all_blocks()
        self.cupy.cuda.set_allocator(self.malloc)
        return self

    def __exit__(self, *_):
        self.cupy.cuda.set_allocator(self.pool.malloc)
