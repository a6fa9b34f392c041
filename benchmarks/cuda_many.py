"""Ten and a hundred million strings on one device: digit outlines, sampled with edits."""

from __future__ import annotations

import resource
import time
from itertools import pairwise

import numpy as np

import seamark as sm
from seamark.datasets import load

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


def jobs(device, table, data, most):
    from benchmarks.cuda_by_hand import fit_of, milliseconds

    digits = load("strings/mnist_chain8", folder=data)
    X = sm.data.strings.ingest(digits.data)
    y = np.searchsorted(np.unique(digits.target), digits.target)
    train, test = X[digits.split == 0], X[digits.split == 1]
    base, starts = train.flat, train.offsets - train.offsets[0]
    classes, y_test = y[digits.split == 0], y[digits.split == 1]
    table.add("## Many strings, by the fit that is written out", "")

    def one(name, n, make, bound):
        with Peak(device.cupy) as peak, sm.engine.using(device_bytes=bound):
            start = time.perf_counter()
            rows, targets, given = make()
            fitted = fit_of(device, rows, targets, 1024, 0, 5)
            seconds = time.perf_counter() - start
        own = test.flat, test.offsets - test.offsets[0]
        accuracy = float((fitted.predict(device, *own) == y_test).mean())
        host = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        table.add(
            f"- {n:,} strings {name}: fit **{seconds:.2f} s** (ingest {given:.2f} s; ms: "
            f"{milliseconds(fitted)}); distances {'kept' if fitted.kept else 'computed twice'}; "
            f"at most {peak.most / 2**30:.1f} GB on the device, {host:.0f} GB on the host; "
            f"accuracy on the 10,000 test outlines {accuracy:.4f}; γ {fitted.gamma:.3g}, penalty "
            f"{fitted.penalty:.2g}"
        )
        del fitted
        device.release()

    n = min(10_000_000, most)
    codes, offsets, parents = sampled(device, base, starts, n, 1)
    text, ends = codes.tobytes().decode("latin-1"), offsets.tolist()
    strings = [text[a:b] for a, b in pairwise(ends)]
    targets = classes[parents]
    del codes, text, ends

    def ingested(strings=strings, targets=targets):
        start = time.perf_counter()
        rows = sm.data.strings.ingest(strings)
        return rows, targets, time.perf_counter() - start

    one("from a list of Python strings", n, ingested, None)
    one("from a list of Python strings, 4 GB of device memory allowed", n, ingested, 4 << 30)
    del strings, ingested
    if most > n:
        start = time.perf_counter()
        codes, offsets, parents = sampled(device, base, starts, most, 2)
        print(f"[sampled {most} in {time.perf_counter() - start:.1f} s]", flush=True)
        rows = type(train)(codes, offsets, train.domain)
        targets = classes[parents]
        one("from encoded arrays", most, lambda: (rows, targets, 0.0), 16 << 30)
    table.add("")
