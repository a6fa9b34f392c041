// Squared distances of points to boxes: what a warping path within a band costs at least (Keogh and Ratanamahatana, 2005).
#include "envelopes.hpp"
#include "fused.hpp"

namespace seamark {
namespace SEAMARK_ISA {

namespace {

SEAMARK_INLINE floats outside(floats x, floats low, floats high, floats sum) {
    // At most one of the two is positive; -least(-a, -b) is the larger one.
    const floats apart = -least(-(low - x), -(x - high));
    const floats beyond = -least(-apart, floats{});
    return multiply_add(beyond, beyond, sum);
}

float one(const float* x, const float* low, const float* high, int64_t d) {
    floats sums[2] = {};
    int64_t j = 0;
    for (; j + 2 * kFloats <= d; j += 2 * kFloats) {
        sums[0] = outside(load(x + j), load(low + j), load(high + j), sums[0]);
        sums[1] = outside(load(x + j + kFloats), load(low + j + kFloats), load(high + j + kFloats), sums[1]);
    }
    float total = 0;
    const floats both = sums[0] + sums[1];
    for (int k = 0; k < kFloats; ++k) total += both[k];
    for (; j < d; ++j) {
        const float below = low[j] - x[j], above = x[j] - high[j];
        const float apart = below > above ? below : above;
        if (apart > 0) total += apart * apart;
    }
    return total;
}

}  // namespace

void envelopes(const EnvelopeJob* job) {
    for (int64_t i = 0; i < job->n; ++i) {
        if ((i & 1023) == 0 && stopped(job->stop)) return;
        job->out[i] = one(job->points + i * job->point_step, job->low + i * job->box_step, job->high + i * job->box_step, job->d);
    }
}

}  // namespace SEAMARK_ISA
}  // namespace seamark
