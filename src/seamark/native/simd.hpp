// What every kernel file shares: its namespace (one per instruction set) and the vector types of that set.
//
// Kernel files are compiled several times with different -march flags. They must not use templates or
// inline functions of the standard library: the linker keeps one copy of those, and it may be the one
// that traps on an older CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#ifndef SEAMARK_ISA
#error "kernel files are compiled once per instruction set, with -DSEAMARK_ISA=<name>"
#endif

#if defined(__AVX512BW__)
#define SEAMARK_VECTOR_BYTES 64
#elif defined(__AVX2__)
#define SEAMARK_VECTOR_BYTES 32
#else
#define SEAMARK_VECTOR_BYTES 16
#endif

namespace seamark {
namespace SEAMARK_ISA {

typedef float floats __attribute__((vector_size(SEAMARK_VECTOR_BYTES)));
typedef int32_t ints __attribute__((vector_size(SEAMARK_VECTOR_BYTES)));
typedef uint64_t words __attribute__((vector_size(SEAMARK_VECTOR_BYTES)));

constexpr int kFloats = SEAMARK_VECTOR_BYTES / 4;  // float lanes in a register
constexpr int kWords = SEAMARK_VECTOR_BYTES / 8;   // 64-bit lanes in a register

static inline floats load(const float* p) {
    floats v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void store(float* p, floats v) { memcpy(p, &v, sizeof v); }

static inline floats broadcast(float x) { return x - floats{}; }

static inline floats absolute(floats v) { return (floats)((ints)v & 0x7fffffff); }

static inline floats least(floats a, floats b) {
#if defined(__AVX512BW__)
    return (floats)_mm512_maskz_min_ps(0xffff, (__m512)a, (__m512)b);  // unmasked, GCC 12 warns
#elif defined(__AVX2__)
    return (floats)_mm256_min_ps((__m256)a, (__m256)b);
#else
    return a < b ? a : b;
#endif
}

// Whether some lane is below zero, which must not be -0.
static inline bool any_negative(floats v) {
    const words bits = (words)v;
    uint64_t all = 0;
    for (int i = 0; i < kWords; ++i) all |= bits[i];
    return (all & 0x8000000080000000u) != 0;
}

// A kernel polls this between blocks of work; Python sets it on Ctrl-C.
static inline bool stopped(const uint8_t* stop) { return __atomic_load_n(stop, __ATOMIC_RELAXED) != 0; }

}  // namespace SEAMARK_ISA
}  // namespace seamark
