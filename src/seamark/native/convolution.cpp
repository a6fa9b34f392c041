// Random convolutions of a series: how many places lie above each bias; places in lanes.
//
// Weights are -1 and 2, so a kernel is minus the sum of nine values, which all kernels of a dilation share, and three
// times the sum of three. A place's value is made once and compared with several biases while it is in a register; two
// kernels that share two taps are made together.
#include "convolution.hpp"

#include "fused.hpp"

namespace seamark {
namespace SEAMARK_ISA {

namespace {

// How often values of two registers lie above a bias: of 16 lanes the bits of masks are counted, beside the vector
// units; else lanes count for themselves.
#if defined(__AVX512F__)
struct Counter {
    int32_t count = 0;
    __attribute__((always_inline)) void add(floats one, floats two, floats bias) {
        const __mmask16 low = _mm512_cmp_ps_mask((__m512)one, (__m512)bias, _CMP_GT_OQ);
        const __mmask16 high = _mm512_cmp_ps_mask((__m512)two, (__m512)bias, _CMP_GT_OQ);
        count += __builtin_popcount(_mm512_kunpackw(high, low));
    }
    __attribute__((always_inline)) int32_t total() const { return count; }
};
#else
struct Counter {
    ints lanes{};
    __attribute__((always_inline)) void add(floats one, floats two, floats bias) { lanes -= (one > bias) + (two > bias); }
    __attribute__((always_inline)) int32_t total() const {
        int32_t sum = 0;
        SEAMARK_UNROLL for (int i = 0; i < kFloats; ++i) sum += lanes[i];
        return sum;
    }
};
#endif

// K kernels that share the taps a and b, against B biases each, from the `skip`th on.
template <int K, int B>
void against(const ConvolutionJob* job, const ConvolutionKernel* kernels, int64_t skip) {
    floats biases[K][B];
    Counter counters[K][B];
    SEAMARK_UNROLL for (int k = 0; k < K; ++k)
        SEAMARK_UNROLL for (int i = 0; i < B; ++i) biases[k][i] = broadcast(job->biases[kernels[k].first + skip + i]);
    const float *a = job->x + kernels[0].a, *b = job->x + kernels[0].b;
    const floats three = broadcast(3.0f), none = broadcast(-kInfinity);
    const auto two_registers = [&](int64_t p, int64_t q) __attribute__((always_inline)) {
        const floats one = load(a + p) + load(b + p), two = load(a + q) + load(b + q);
        SEAMARK_UNROLL for (int k = 0; k < K; ++k) {
            const float* c = job->x + kernels[k].c;
            const floats first = multiply_add(three, one + load(c + p), load(job->sums + p));
            const floats second = multiply_add(three, two + load(c + q), load(job->sums + q));
            SEAMARK_UNROLL for (int i = 0; i < B; ++i) counters[k][i].add(first, p == q ? none : second, biases[k][i]);
        }
    };
    int64_t p = 0;
    for (; p + kFloats < job->padded; p += 2 * kFloats) two_registers(p, p + kFloats);
    if (p < job->padded) two_registers(p, p);
    SEAMARK_UNROLL for (int k = 0; k < K; ++k)
        SEAMARK_UNROLL for (int i = 0; i < B; ++i) job->counts[kernels[k].first + skip + i] = counters[k][i].total();
}

typedef void (*Run)(const ConvolutionJob*, const ConvolutionKernel*, int64_t);
constexpr int64_t kAlone = 8, kInPairs = 5;  // biases that are held in registers
constexpr Run kOnes[] = {against<1, 1>, against<1, 2>, against<1, 3>, against<1, 4>,
                         against<1, 5>, against<1, 6>, against<1, 7>, against<1, 8>};
constexpr Run kPairs[] = {against<2, 1>, against<2, 2>, against<2, 3>, against<2, 4>, against<2, 5>};

// All biases of one kernel: in as few passes over the places as possible, of about as many each.
void one_kernel(const ConvolutionJob* job, const ConvolutionKernel* kernel) {
    for (int64_t done = 0; done < kernel->count;) {
        const int64_t left = kernel->count - done, passes = (left + kAlone - 1) / kAlone, count = (left + passes - 1) / passes;
        kOnes[count - 1](job, kernel, done);
        done += count;
    }
}

bool are_pair(const ConvolutionKernel& one, const ConvolutionKernel& other) {
    return one.a == other.a && one.b == other.b && one.count == other.count && one.count <= kInPairs;
}

}  // namespace

void convolution(const ConvolutionJob* job) {
    for (int64_t k = 0; k < job->n_kernels; ++k) {
        const ConvolutionKernel* kernel = job->kernels + k;
        if (k + 1 < job->n_kernels && are_pair(kernel[0], kernel[1]))
            kPairs[kernel->count - 1](job, kernel, 0), ++k;
        else
            one_kernel(job, kernel);
    }
}

void convolution_taps(const TapsJob* job) {
    for (int64_t p = 0; p < job->padded; p += kFloats) {
        floats sum{};
        for (int64_t t = -kTaps / 2; t <= kTaps / 2; ++t) sum -= load(job->x + p + t * job->dilation);
        store(job->sums + p, sum);
    }
    for (int64_t p = job->places; p < job->padded; ++p) job->sums[p] = -kInfinity;
}

}  // namespace SEAMARK_ISA
}  // namespace seamark
