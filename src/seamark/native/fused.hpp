// What kernels of float lanes share: fused arithmetic, roots, and the least of all lanes.
//
// a * b + c is rounded once where the instruction set can: AVX2, AVX-512 and ARM give the same bits. Only the x86-64
// baseline, which cannot fuse, differs in the last ones.
#pragma once

#include "simd.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
// GCC 12 warns of the undefined vector inside its own intrinsics (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

#define SEAMARK_INLINE static inline __attribute__((always_inline))
#define SEAMARK_UNROLL _Pragma("GCC unroll 16")

namespace seamark {
namespace SEAMARK_ISA {

constexpr float kInfinity = __builtin_inff();

#if defined(__AVX512F__)

SEAMARK_INLINE floats multiply_add(floats a, floats b, floats c) { return (floats)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c); }
SEAMARK_INLINE floats root(floats a) { return (floats)_mm512_sqrt_ps((__m512)a); }

#elif defined(__AVX2__) && defined(__FMA__)

SEAMARK_INLINE floats multiply_add(floats a, floats b, floats c) { return (floats)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c); }
SEAMARK_INLINE floats root(floats a) { return (floats)_mm256_sqrt_ps((__m256)a); }

#elif defined(__SSE2__)

// No such instruction here: two roundings. Emulating one by way of doubles was 10 to 30 times slower.
SEAMARK_INLINE floats multiply_add(floats a, floats b, floats c) { return a * b + c; }
SEAMARK_INLINE floats root(floats a) { return (floats)_mm_sqrt_ps((__m128)a); }

#else  // not x86

SEAMARK_INLINE floats multiply_add(floats a, floats b, floats c) {
    for (int lane = 0; lane < kFloats; ++lane) c[lane] = __builtin_fmaf(a[lane], b[lane], c[lane]);
    return c;
}

SEAMARK_INLINE floats root(floats a) {
    for (int lane = 0; lane < kFloats; ++lane) a[lane] = __builtin_sqrtf(a[lane]);
    return a;
}

#endif

// The smallest lane: halves are folded onto each other.
SEAMARK_INLINE float least_lane(floats v) {
#if SEAMARK_VECTOR_BYTES == 64
    v = least(v, __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
    v = least(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3));
#elif SEAMARK_VECTOR_BYTES == 32
    v = least(v, __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3));
#endif
    const float a = v[0] < v[1] ? v[0] : v[1], b = v[2] < v[3] ? v[2] : v[3];
    return a < b ? a : b;
}

}  // namespace SEAMARK_ISA
}  // namespace seamark
