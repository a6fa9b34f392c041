// What the DTW kernels with and without a band share: lane arithmetic and local costs.
//
// A lane does the same operations in the same order on every instruction set, and squares are added with one rounding
// (fused): AVX2, AVX-512 and ARM give the same bits. Only the x86-64 baseline, which cannot fuse, differs in the last ones.
#pragma once

#include "dtw.hpp"
#include "simd.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
// GCC 12 warns of the undefined vector inside its own intrinsics (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#define SEAMARK_INLINE static inline __attribute__((always_inline))
#define SEAMARK_UNROLL _Pragma("GCC unroll 16")

namespace seamark {
namespace SEAMARK_ISA {

constexpr float kInfinity = __builtin_inff();

#if defined(__AVX512F__)

// Path costs are never negative: floats are then ordered like their bits, and integers compare faster.
SEAMARK_INLINE floats smaller(floats a, floats b) { return (floats)_mm512_min_epi32((__m512i)a, (__m512i)b); }
SEAMARK_INLINE floats root(floats a) { return (floats)_mm512_sqrt_ps((__m512)a); }
SEAMARK_INLINE floats add_square(floats d, floats sum) { return (floats)_mm512_fmadd_ps((__m512)d, (__m512)d, (__m512)sum); }

#elif defined(__AVX2__) && defined(__FMA__)

SEAMARK_INLINE floats smaller(floats a, floats b) { return (floats)_mm256_min_epi32((__m256i)a, (__m256i)b); }
SEAMARK_INLINE floats root(floats a) { return (floats)_mm256_sqrt_ps((__m256)a); }
SEAMARK_INLINE floats add_square(floats d, floats sum) { return (floats)_mm256_fmadd_ps((__m256)d, (__m256)d, (__m256)sum); }

#elif defined(__SSE2__)

SEAMARK_INLINE floats smaller(floats a, floats b) { return (floats)_mm_min_ps((__m128)a, (__m128)b); }
SEAMARK_INLINE floats root(floats a) { return (floats)_mm_sqrt_ps((__m128)a); }

// No such instruction here: two roundings. Emulating one by way of doubles was 10 to 30 times slower.
SEAMARK_INLINE floats add_square(floats d, floats sum) { return d * d + sum; }

#else  // not x86

SEAMARK_INLINE floats smaller(floats a, floats b) { return a < b ? a : b; }

SEAMARK_INLINE floats root(floats a) {
    for (int lane = 0; lane < kFloats; ++lane) a[lane] = __builtin_sqrtf(a[lane]);
    return a;
}

SEAMARK_INLINE floats add_square(floats d, floats sum) {
    for (int lane = 0; lane < kFloats; ++lane) sum[lane] = __builtin_fmaf(d[lane], d[lane], sum[lane]);
    return sum;
}

#endif

// Where the values of a series lie. C channels: time-major; C = 0 or kDtwSplit: `channels`, channel-major.
template <int C>
struct Series {
    const float* x;
    int64_t channels, pitch;

    SEAMARK_INLINE Series of(const DtwJob* job, int64_t s) {
        return {job->values + job->starts[s], C > 0 ? C : job->channels, job->pitches[s]};
    }
    __attribute__((always_inline)) Series from(int64_t i) const { return {C > 0 ? x + i * C : x + i, channels, pitch}; }
    __attribute__((always_inline)) float at(int t, int64_t k) const { return C > 0 ? x[t * C + k] : x[k * pitch + t]; }
};

// A sum of squares of T rows and one column y whose channels come in two parts each.
template <int T>
SEAMARK_INLINE void split_costs(const Series<kDtwSplit>& x, const float* y, floats* cost) {
    SEAMARK_UNROLL for (int t = 0; t < T; ++t) cost[t] = floats{};
    for (int64_t k = 0; k < x.channels; k += 2) {
        const floats high = load(y + k * kFloats), low = load(y + (k + 1) * kFloats);
        SEAMARK_UNROLL for (int t = 0; t < T; ++t)
            cost[t] = add_square((high - x.at(t, k)) + (low - x.at(t, k + 1)), cost[t]);
    }
}

// The local costs of T rows, from the first time step of x on, and one column y.
template <int C, bool Root, int T>
SEAMARK_INLINE void local_costs(const Series<C>& x, const float* y, floats* cost) {
    if constexpr (C == kDtwSplit) {
        split_costs<T>(x, y, cost);
    } else {
        const int64_t count = C ? C : x.channels;
        const floats y0 = load(y);
        SEAMARK_UNROLL for (int t = 0; t < T; ++t) {
            const floats d = y0 - x.at(t, 0);
            cost[t] = d * d;
        }
        for (int64_t k = 1; k < count; ++k) {
            const floats yk = load(y + k * kFloats);
            SEAMARK_UNROLL for (int t = 0; t < T; ++t) cost[t] = add_square(yk - x.at(t, k), cost[t]);
        }
    }
    if (Root) SEAMARK_UNROLL for (int t = 0; t < T; ++t) cost[t] = root(cost[t]);
}

// One column of T rows. `up` and `diagonal` are the cells above and above left of the first row; `left` holds the
// column before and receives this one.
template <int C, bool Root, int T>
SEAMARK_INLINE void column(const Series<C>& x, const float* y, floats up, floats diagonal, floats* left) {
    floats cost[T];
    if (C != 1 || Root) local_costs<C, Root, T>(x, y, cost);
    SEAMARK_UNROLL for (int t = 0; t < T; ++t) {
        // `up` was computed last: it enters last, so the chain down the rows is one minimum and one addition.
        const floats best = smaller(smaller(diagonal, left[t]), up);
        diagonal = left[t];
        // Without a sum over channels the square joins the path cost in one instruction.
        left[t] = C == 1 && !Root ? add_square(load(y) - x.at(t, 0), best) : best + cost[t];
        up = left[t];
    }
}

// Calls Kernel<channels, root>::run(...) for the job at hand.
template <template <int, bool> class Kernel, typename... Args>
SEAMARK_INLINE void by_channels(const DtwJob* job, Args... args) {
    if (job->split)
        return job->euclidean ? Kernel<kDtwSplit, true>::run(job, args...) : Kernel<kDtwSplit, false>::run(job, args...);
    switch (job->channel_major ? 0 : job->channels) {
        case 1: return Kernel<1, false>::run(job, args...);
        case 2: return Kernel<2, false>::run(job, args...);
        case 3: return Kernel<3, false>::run(job, args...);
        default: return job->euclidean ? Kernel<0, true>::run(job, args...) : Kernel<0, false>::run(job, args...);
    }
}

}  // namespace SEAMARK_ISA
}  // namespace seamark
