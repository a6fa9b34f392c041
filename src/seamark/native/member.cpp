// Smallest distances of landmark vectors to the members of sets, landmarks in lanes.
#include "member.hpp"

#include "squares.hpp"

namespace seamark {
namespace SEAMARK_ISA {

namespace {

// Lowers the minima of Slots x lanes by Rows object vectors. Not inlined: the registers are all needed for the sums.
template <int Rows, int Slots>
__attribute__((noinline)) void lower_slots(const float* x, const float* slots, int64_t d, float* nearest) {
    floats sum[Rows][Slots];
    all_squares<Rows, Slots, false>(x, slots, d, sum);
#pragma GCC unroll 32
    for (int v = 0; v < Slots; ++v) {
        floats least_yet = load(nearest + v * kLanes);
#pragma GCC unroll 32
        for (int r = 0; r < Rows; ++r) least_yet = least(least_yet, sum[r][v]);
        store(nearest + v * kLanes, least_yet);
    }
}

template <int Rows>
void rows_by_slots(const float* x, const float* slots, int64_t count, int64_t d, float* nearest) {
    for (int part = 0; part < kLanes; part += kFloats) {
        int64_t v = 0;
        for (; v + kSlots <= count; v += kSlots)
            lower_slots<Rows, kSlots>(x, slots + v * d * kLanes + part, d, nearest + v * kLanes + part);
        for (; v < count; ++v) lower_slots<Rows, 1>(x, slots + v * d * kLanes + part, d, nearest + v * kLanes + part);
    }
}

void object_by_slots(const float* x, int64_t rows, const float* slots, int64_t count, int64_t d, float* nearest) {
    int64_t i = 0;
    for (; i + kRows <= rows; i += kRows) rows_by_slots<kRows>(x + i * d, slots, count, d, nearest);
    if (i + 2 <= rows) rows_by_slots<2>(x + i * d, slots, count, d, nearest), i += 2;
    if (i < rows) rows_by_slots<1>(x + i * d, slots, count, d, nearest);
}

// One object against some slots. `x` is the object in the tile, or null if it has more vectors than that.
void object_by_some(const MemberJob& job, int64_t object, const float* x, int64_t from, int64_t count) {
    const int64_t d = job.dimension, first = job.offsets[object], size = job.offsets[object + 1] - first;
    const float* slots = job.packed + from * d * kLanes;
    fill(job.nearest, count * kLanes, kInfinity);
    for (int64_t start = 0; start < size; start += job.tile_rows) {
        const int64_t rows = size - start < job.tile_rows ? size - start : job.tile_rows;
        if (!x) load_tile(job, first + start, rows, d);
        object_by_slots(x ? x : job.tile, rows, slots, count, d, job.nearest);
    }
    const int64_t end = (from + count) * kLanes < job.landmarks ? (from + count) * kLanes : job.landmarks;
    float* row = job.out + object * job.stride + from * kLanes;
    for (int64_t j = 0; j < end - from * kLanes; ++j) row[j] = __builtin_sqrtf(job.nearest[j]);
}

}  // namespace

// Small objects share a tile, so that landmarks come to the cache once for all of them.
void nearest_members(const MemberJob* job) {
    const int64_t* offsets = job->offsets;
    const int64_t step = cached_slots(job->dimension);
    for (int64_t i = 0, end; i < job->n && !stopped(job->stop); i = end) {
        for (end = i + 1; end < job->n && offsets[end + 1] - offsets[i] <= job->tile_rows;) ++end;
        const bool fits = offsets[i + 1] - offsets[i] <= job->tile_rows;
        if (fits) load_tile(*job, offsets[i], offsets[end] - offsets[i], job->dimension);
        for (int64_t from = 0; from < job->slots && !stopped(job->stop); from += step)
            for (int64_t o = i; o < end; ++o) {
                const float* x = fits ? job->tile + (offsets[o] - offsets[i]) * job->dimension : nullptr;
                object_by_some(*job, o, x, from, job->slots - from < step ? job->slots - from : step);
            }
    }
}

}  // namespace SEAMARK_ISA
}  // namespace seamark
