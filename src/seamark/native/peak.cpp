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

template <typename Vector>
int64_t additions(int64_t iterations) {
    Vector a[kChains] = {}, step{};
    SEAMARK_KEEP(step);
    for (int64_t i = 0; i < iterations; i += kChains)
        for (int c = 0; c < kChains; ++c) {
            a[c] += step;
            SEAMARK_KEEP(a[c]);
        }
    return (iterations + kChains - 1) / kChains * kChains * (int64_t)(sizeof(Vector) / sizeof(a[0][0]));
}

}  // namespace

void integer_operations(int64_t iterations, int64_t* done) { *done = additions<words>(iterations); }

void float_operations(int64_t iterations, int64_t* done) { *done = additions<floats>(iterations); }

}  // namespace SEAMARK_ISA
}  // namespace seamark
