// Independent vector operations, as many as the CPU can retire: what benchmarks call the roof.
#include "simd.hpp"

namespace seamark {
namespace SEAMARK_ISA {

namespace {

constexpr int kChains = 12;  // enough to hide the latency of an operation, few enough for registers

#if defined(__AVX512F__)
#define SEAMARK_KEEP(x) asm volatile("" : "+v"(x))
#elif defined(__x86_64__)
#define SEAMARK_KEEP(x) asm volatile("" : "+x"(x))
#else
#define SEAMARK_KEEP(x) asm volatile("" : "+w"(x))
#endif

// Additions, and with `Mixed` as many multiplications: floats have pipes of their own for each.
template <typename Vector, bool Mixed>
int64_t operations(int64_t iterations) {
    Vector a[kChains] = {}, step{};
    SEAMARK_KEEP(step);
    for (int64_t i = 0; i < iterations; i += kChains)
        for (int c = 0; c < kChains; ++c) {
            a[c] = Mixed && c % 2 ? a[c] * step : a[c] + step;
            SEAMARK_KEEP(a[c]);
        }
    return (iterations + kChains - 1) / kChains * kChains * (int64_t)(sizeof(Vector) / sizeof(a[0][0]));
}

}  // namespace

void integer_operations(int64_t iterations, int64_t* done) { *done = operations<words, false>(iterations); }

void float_operations(int64_t iterations, int64_t* done) { *done = operations<floats, true>(iterations); }

}  // namespace SEAMARK_ISA
}  // namespace seamark
