// Nearest distances both ways between sets of vectors, landmarks in lanes.
//
// With a landmark to a lane, the minimum over its vectors and the minimum over the object's are both
// elementwise. Squared distances are summed from differences, not taken from a matrix product: a small
// distance between long vectors keeps its digits, no value depends on what else is computed with it,
// and where subtractions have pipes of their own (Zen) it is as fast as sgemm and a pass for the minima.
#include "sets.hpp"

#include "squares.hpp"

namespace seamark {
namespace SEAMARK_ISA {

namespace {

// Lowers the minima of Rows object vectors, in `nearest`, and of Slots landmark vectors, in `columns`.
// Not inlined: the registers are all needed for the sums.
template <int Rows, int Slots, bool Split>
__attribute__((noinline)) void lower(const float* x, const float* slots, int64_t d, float* nearest, float* columns) {
    floats sum[Rows][Slots];
    all_squares<Rows, Slots, Split>(x, slots, d, sum);
#pragma GCC unroll 32
    for (int r = 0; r < Rows; ++r) {
        floats row = load(nearest + r * kLanes);
#pragma GCC unroll 32
        for (int v = 0; v < Slots; ++v) row = least(row, sum[r][v]);
        store(nearest + r * kLanes, row);
    }
#pragma GCC unroll 32
    for (int v = 0; v < Slots; ++v) {
        floats column = load(columns + v * kLanes);
#pragma GCC unroll 32
        for (int r = 0; r < Rows; ++r) column = least(column, sum[r][v]);
        store(columns + v * kLanes, column);
    }
}

// `lower` for a number of slots that is less than kSlots.
template <int Rows, int Slots, bool Split>
inline void lower_rest(const float* x, const float* slots, int64_t left, int64_t d, float* nearest, float* columns) {
    if constexpr (Slots > 0) {
        if (left == Slots)
            lower<Rows, Slots, Split>(x, slots, d, nearest, columns);
        else
            lower_rest<Rows, Slots - 1, Split>(x, slots, left, d, nearest, columns);
    }
}

template <int Rows, bool Split>
void rows_by_slots(const float* x, const float* slots, int64_t count, int64_t d, float* nearest, float* columns) {
    for (int part = 0; part < kLanes; part += kFloats) {
        int64_t v = 0;
        for (; v + kSlots <= count; v += kSlots)
            lower<Rows, kSlots, Split>(x, slots + v * d * kLanes + part, d, nearest + part, columns + v * kLanes + part);
        lower_rest<Rows, kSlots - 1, Split>(x, slots + v * d * kLanes + part, count - v, d, nearest + part,
                                            columns + v * kLanes + part);
    }
}

// All vectors of a tile against the slots of one block, some slots at a time so that they stay in cache.
template <bool Split>
void tile_by_block(const float* x, int64_t rows, const float* slots, int64_t count, int64_t d, float* nearest,
                   float* columns) {
    const int64_t step = cached_slots(d);
    for (int64_t v = 0; v < count; v += step) {
        const float* these = slots + v * d * kLanes;
        const int64_t some = count - v < step ? count - v : step;
        float* column = columns + v * kLanes;
        int64_t i = 0;
        for (; i + kRows <= rows; i += kRows) rows_by_slots<kRows, Split>(x + i * d, these, some, d, nearest + i * kLanes, column);
        if (i + 2 <= rows) rows_by_slots<2, Split>(x + i * d, these, some, d, nearest + i * kLanes, column), i += 2;
        if (i < rows) rows_by_slots<1, Split>(x + i * d, these, some, d, nearest + i * kLanes, column);
    }
}

void load_rows(const SetJob& job, int64_t from, int64_t rows) {
    load_tile(job, from, rows, job.landmarks.dimension / (job.split ? 2 : 1), job.split);
}

// What is known of one object against one block: per lane, the sum of distances or the largest square.
struct Lanes {
    double of_rows[kLanes], of_columns[kLanes];
};

static inline void take(const float* squares, bool largest, float* total) {
    if (largest)
        for (int l = 0; l < kLanes; ++l) total[l] = squares[l] > total[l] ? squares[l] : total[l];
    else
        for (int l = 0; l < kLanes; ++l) total[l] += __builtin_sqrtf(squares[l]);
}

static inline void flush(const float* total, bool largest, double* into) {
    for (int l = 0; l < kLanes; ++l) into[l] = largest ? (total[l] > into[l] ? total[l] : into[l]) : into[l] + total[l];
}

// Minima of an object vector over a landmark's lanes: halves fold until they are one lane.
static inline void fold(float* squares, int64_t share) {
    for (int half = kLanes / 2; half * share >= kLanes; half /= 2)
        for (int l = 0; l < half; ++l) squares[l] = squares[l + half] < squares[l] ? squares[l + half] : squares[l];
}

// A tile is short, so float32 sums do not lose digits inside it.
void take_rows(float* nearest, int64_t rows, int64_t share, bool largest, Lanes& lanes) {
    float total[kLanes] = {};
    for (int64_t i = 0; i < rows; ++i) {
        fold(nearest + i * kLanes, share);
        take(nearest + i * kLanes, largest, total);
    }
    flush(total, largest, lanes.of_rows);
}

void take_columns(float* columns, int64_t slots, const int64_t* counts, bool largest, Lanes& lanes) {
    for (int64_t start = 0; start < slots; start += kRun) {
        float total[kLanes] = {};
        for (int64_t v = start; v < slots && v < start + kRun; ++v) {
            float* squares = columns + v * kLanes;
            for (int l = 0; l < kLanes; ++l)
                if (v >= counts[l]) squares[l] = 0.0f;  // a repeat
            take(squares, largest, total);
        }
        flush(total, largest, lanes.of_columns);
    }
}

void write(const SetJob& job, int64_t block, const Lanes& lanes, int64_t object, int64_t size) {
    const int64_t share = job.landmarks.share[block], step = kLanes / share;
    const int64_t* counts = job.landmarks.counts + block * kLanes;
    for (int64_t s = 0; s < step; ++s) {
        const int64_t landmark = job.landmarks.columns[block * kLanes + s];
        if (landmark < 0) continue;
        const bool largest = job.value == SetValue::largest;
        double rows = lanes.of_rows[s], columns = 0.0;
        int64_t count = 0;
        for (int64_t l = s; l < kLanes; l += step) {
            const double c = lanes.of_columns[l];
            columns = largest ? (c > columns ? c : columns) : columns + c;
            count += counts[l];
        }
        if (!largest) rows /= (double)size, columns /= (double)count;
        double value = rows > columns ? rows : columns;
        if (job.value == SetValue::sum_of_means) value = rows + columns;
        job.out[object * job.stride + landmark] = largest ? __builtin_sqrtf((float)value) : (float)value;
    }
}

// One object against one block. `x` is the object in the tile, or null if it has more vectors than that.
void object_by_block(const SetJob& job, int64_t object, int64_t block, const float* x) {
    const SetLandmarks& landmarks = job.landmarks;
    const int64_t d = landmarks.dimension, start = landmarks.starts[block], slots = landmarks.starts[block + 1] - start;
    const int64_t first = job.offsets[object], size = job.offsets[object + 1] - first;
    const bool largest = job.value == SetValue::largest;
    Lanes lanes = {};
    fill(job.columns, slots * kLanes, kInfinity);
    for (int64_t from = 0; from < size; from += job.tile_rows) {
        if (stopped(job.stop)) return;
        const int64_t rows = size - from < job.tile_rows ? size - from : job.tile_rows;
        if (!x) load_rows(job, first + from, rows);
        fill(job.nearest, rows * kLanes, kInfinity);
        const auto sweep = job.split ? tile_by_block<true> : tile_by_block<false>;
        sweep(x ? x : job.tile, rows, landmarks.packed + start * d * kLanes, slots, d, job.nearest, job.columns);
        take_rows(job.nearest, rows, landmarks.share[block], largest, lanes);
    }
    take_columns(job.columns, slots, landmarks.counts + block * kLanes, largest, lanes);
    write(job, block, lanes, object, size);
}

}  // namespace

// Small objects share a tile, so that each block of landmarks comes to the cache once for all of them.
void nearest_sets(const SetJob* job) {
    const int64_t* offsets = job->offsets;
    for (int64_t i = 0, end; i < job->n && !stopped(job->stop); i = end) {
        for (end = i + 1; end < job->n && offsets[end + 1] - offsets[i] <= job->tile_rows;) ++end;
        const bool fits = offsets[i + 1] - offsets[i] <= job->tile_rows;
        if (fits) load_rows(*job, offsets[i], offsets[end] - offsets[i]);
        for (int64_t block = 0; block < job->landmarks.blocks; ++block)
            for (int64_t o = i; o < end; ++o)
                object_by_block(*job, o, block, fits ? job->tile + (offsets[o] - offsets[i]) * job->landmarks.dimension : nullptr);
    }
}

}  // namespace SEAMARK_ISA
}  // namespace seamark
