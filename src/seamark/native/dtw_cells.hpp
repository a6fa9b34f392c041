// What the DTW kernels with and without a band share: lane arithmetic and local costs.
//
// A lane does the same operations in the same order on every instruction set, and squares are added with one rounding
// where it can (see fused.hpp).
#pragma once

#include "dtw.hpp"
#include "fused.hpp"

namespace seamark {
namespace SEAMARK_ISA {

// Path costs are never negative: floats are then ordered like their bits, and integers compare faster.
SEAMARK_INLINE floats smaller(floats a, floats b) {
#if defined(__AVX512F__)
    return (floats)_mm512_min_epi32((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (floats)_mm256_min_epi32((__m256i)a, (__m256i)b);
#else
    return least(a, b);
#endif
}

SEAMARK_INLINE floats add_square(floats d, floats sum) { return multiply_add(d, d, sum); }

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
