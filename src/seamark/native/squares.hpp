// Squared distances of vectors to landmark vectors in lanes, and how both are laid out.
//
// Squares are summed from differences, not taken from a matrix product: a small distance between long vectors keeps
// its digits, and no value depends on what else is computed with it.
#pragma once

#include "sets.hpp"
#include "simd.hpp"
#include "split.hpp"

namespace seamark {
namespace SEAMARK_ISA {

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
__attribute__((noinline)) static void add_runs(const float* x, const float* slots, int64_t d, floats (&sum)[Rows][Slots]) {
    for (int64_t k = kRun; k < d; k += kRun) {
        floats run[Rows][Slots];
        squares<Rows, Slots, Split>(x + k, slots + k * kLanes, d, d - k < kRun ? d - k : kRun, run);
        for (int r = 0; r < Rows; ++r)
            for (int v = 0; v < Slots; ++v) sum[r][v] += run[r][v];
    }
}

// Over all dimensions.
template <int Rows, int Slots, bool Split>
static inline __attribute__((always_inline)) void all_squares(const float* x, const float* slots, int64_t d, floats (&sum)[Rows][Slots]) {
    squares<Rows, Slots, Split>(x, slots, d, d < kRun ? d : kRun, sum);
    if (d > kRun) {  // a copy, because what is passed on by address cannot stay in registers
        floats all[Rows][Slots];
        memcpy(all, sum, sizeof all);
        add_runs<Rows, Slots, Split>(x, slots, d, all);
        memcpy(sum, all, sizeof all);
    }
}

// Slots that stay in cache while a tile passes.
static inline int64_t cached_slots(int64_t d) {
    const int64_t step = kCachedFloats / (kLanes * (d > 0 ? d : 1)) / kSlots * kSlots;
    return step < kSlots ? kSlots : step;
}

static inline void fill(float* p, int64_t count, float value) {
    for (int64_t i = 0; i < count; ++i) p[i] = value;
}

// Vectors to a tile, less the centre.
template <typename T>
static inline void centred(const T* x, int64_t rows, int64_t d, const double* centre, float* tile) {
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t k = 0; k < d; ++k) tile[i * d + k] = (float)(x[i * d + k] - centre[k]);
}

// The same in two parts.
template <typename T>
static inline void centred_parts(const T* x, int64_t rows, int64_t d, const double* centre, float* tile) {
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t k = 0; k < d; ++k) {
            const Parts value = split(x[i * d + k] - centre[k]);
            tile[2 * (i * d + k)] = value.high;
            tile[2 * (i * d + k) + 1] = value.low;
        }
}

// Vectors of the objects to their tile, from number `from` on; d dimensions each.
template <typename T>
static inline void load_from(const T* x, const SetObjects& job, int64_t from, int64_t rows, int64_t d, bool in_parts) {
    (in_parts ? centred_parts<T> : centred<T>)(x + from * d, rows, d, job.centre, job.tile);
}

static inline void load_tile(const SetObjects& job, int64_t from, int64_t rows, int64_t d, bool in_parts = false) {
    if (job.x32)
        load_from(job.x32, job, from, rows, d, in_parts);
    else
        load_from(job.x64, job, from, rows, d, in_parts);
}

}  // namespace SEAMARK_ISA
}  // namespace seamark
