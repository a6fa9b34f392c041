// Nearest distances both ways between sets of vectors, landmarks in lanes.
//
// With a landmark to a lane, the minimum over its vectors and the minimum over the object's are both
// elementwise. Squared distances are summed from differences, not taken from a matrix product: a small
// distance between long vectors keeps its digits, no value depends on what else is computed with it,
// and where subtractions have pipes of their own (Zen) it is as fast as sgemm and a pass for the minima.
#include "sets.hpp"

#include "simd.hpp"
#include "split.hpp"

namespace seamark {
namespace SEAMARK_ISA {

namespace {

constexpr int kLanes = kSetLanes;
#if defined(__AVX512BW__)
constexpr int kRows = 4, kSlots = 4;  // 16 of 32 registers are sums
#else
constexpr int kRows = 4, kSlots = 2;  // 8 of 16
#endif
constexpr int64_t kRun = 512;              // a float32 sum is flushed after so many terms
constexpr int64_t kCachedFloats = 1 << 15;  // landmark slots that stay in cache while a tile passes
constexpr float kInfinity = __builtin_inff();

// Fused where the instruction set has it: the build does not contract by itself.
static inline floats multiply_add(floats a, floats b, floats c) {
#if defined(__AVX512BW__)
    return (floats)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__AVX2__)
    return (floats)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return a * b + c;
#endif
}

// Squared distances, over `terms` dimensions, of Rows vectors to Slots x lanes. Split: dimensions are pairs of parts.
template <int Rows, int Slots, bool Split>
static inline void squares(const float* x, const float* slots, int64_t d, int64_t terms, floats (&sum)[Rows][Slots]) {
#pragma GCC unroll 32
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 32
        for (int v = 0; v < Slots; ++v) sum[r][v] = floats{};
    for (int64_t k = 0; k < terms; k += Split ? 2 : 1) {
        floats l[Slots], low[Slots];
#pragma GCC unroll 32
        for (int v = 0; v < Slots; ++v) {
            l[v] = load(slots + (v * d + k) * kLanes);
            if (Split) low[v] = load(slots + (v * d + k + 1) * kLanes);
        }
#pragma GCC unroll 32
        for (int r = 0; r < Rows; ++r) {
            const floats xk = broadcast(x[r * d + k]);
#pragma GCC unroll 32
            for (int v = 0; v < Slots; ++v) {
                floats difference = xk - l[v];
                if (Split) difference += broadcast(x[r * d + k + 1]) - low[v];
                sum[r][v] = multiply_add(difference, difference, sum[r][v]);
            }
        }
    }
}

// The dimensions beyond the first run, in runs whose float32 sums stay short.
template <int Rows, int Slots, bool Split>
__attribute__((noinline)) void add_runs(const float* x, const float* slots, int64_t d, floats (&sum)[Rows][Slots]) {
    for (int64_t k = kRun; k < d; k += kRun) {
        floats run[Rows][Slots];
        squares<Rows, Slots, Split>(x + k, slots + k * kLanes, d, d - k < kRun ? d - k : kRun, run);
        for (int r = 0; r < Rows; ++r)
            for (int v = 0; v < Slots; ++v) sum[r][v] += run[r][v];
    }
}

// Lowers the minima of Rows object vectors, in `nearest`, and of Slots landmark vectors, in `columns`.
// Not inlined: the registers are all needed for the sums.
template <int Rows, int Slots, bool Split>
__attribute__((noinline)) void lower(const float* x, const float* slots, int64_t d, float* nearest, float* columns) {
    floats sum[Rows][Slots];
    squares<Rows, Slots, Split>(x, slots, d, d < kRun ? d : kRun, sum);
    if (d > kRun) {  // a copy, because what is passed on by address cannot stay in registers
        floats all[Rows][Slots];
        memcpy(all, sum, sizeof all);
        add_runs<Rows, Slots, Split>(x, slots, d, all);
        memcpy(sum, all, sizeof all);
    }
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
    int64_t step = kCachedFloats / (kLanes * (d > 0 ? d : 1)) / kSlots * kSlots;
    if (step < kSlots) step = kSlots;
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

void fill(float* p, int64_t count, float value) {
    for (int64_t i = 0; i < count; ++i) p[i] = value;
}

template <typename T>
void centred(const T* x, int64_t rows, int64_t d, const double* centre, float* tile) {
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t k = 0; k < d; ++k) tile[i * d + k] = (float)(x[i * d + k] - centre[k]);
}

template <typename T>
void centred_parts(const T* x, int64_t rows, int64_t d, const double* centre, float* tile) {
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t k = 0; k < d; ++k) {
            const Parts value = split(x[i * d + k] - centre[k]);
            tile[2 * (i * d + k)] = value.high;
            tile[2 * (i * d + k) + 1] = value.low;
        }
}

template <typename T>
void load_from(const T* x, const SetJob& job, int64_t from, int64_t rows) {
    const int64_t d = job.landmarks.dimension / (job.split ? 2 : 1);
    (job.split ? centred_parts<T> : centred<T>)(x + from * d, rows, d, job.centre, job.tile);
}

void load_tile(const SetJob& job, int64_t from, int64_t rows) {
    if (job.x32)
        load_from(job.x32, job, from, rows);
    else
        load_from(job.x64, job, from, rows);
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
        if (!x) load_tile(job, first + from, rows);
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
        if (fits) load_tile(*job, offsets[i], offsets[end] - offsets[i]);
        for (int64_t block = 0; block < job->landmarks.blocks; ++block)
            for (int64_t o = i; o < end; ++o)
                object_by_block(*job, o, block, fits ? job->tile + (offsets[o] - offsets[i]) * job->landmarks.dimension : nullptr);
    }
}

}  // namespace SEAMARK_ISA
}  // namespace seamark
