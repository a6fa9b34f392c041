// Sums over the things that a row and a landmark share, landmark by landmark.
#include "bags.hpp"

#include "simd.hpp"

namespace seamark {
namespace SEAMARK_ISA {

namespace {

template <bool Smaller>
void add_dense(float weight, const float* weights, int64_t padded, float* sums) {
    const floats w = broadcast(weight);
    for (int64_t j = 0; j < padded; j += kFloats) {
        const floats other = load(weights + j);
        store(sums + j, load(sums + j) + (Smaller ? least(w, other) : w * other));
    }
}

template <bool Smaller>
void add_listed(float weight, const int32_t* landmarks, const float* weights, int64_t n, float* sums) {
    for (int64_t k = 0; k < n; ++k) {
        const float other = weights[k];
        sums[landmarks[k]] += Smaller ? (other < weight ? other : weight) : weight * other;
    }
}

template <bool Smaller>
void all_rows(const BagJob& job) {
    const BagLandmarks& all = job.landmarks;
    for (int64_t i = 0; i < job.n && !stopped(job.stop); ++i) {
        memset(job.sums, 0, sizeof(float) * all.padded);
        for (int64_t k = job.offsets[i]; k < job.offsets[i + 1]; ++k) {
            const int64_t c = job.things[k];
            if (c < 0) continue;
            if (all.places[c] >= 0)
                add_dense<Smaller>(job.weights[k], all.dense + all.places[c], all.padded, job.sums);
            else
                add_listed<Smaller>(job.weights[k], all.landmarks + all.starts[c], all.weights + all.starts[c],
                                    all.starts[c + 1] - all.starts[c], job.sums);
        }
        memcpy(job.out + i * job.stride, job.sums, sizeof(float) * all.n);
    }
}

}  // namespace

void bags(const BagJob* job) { job->value == BagValue::smaller ? all_rows<true>(*job) : all_rows<false>(*job); }

}  // namespace SEAMARK_ISA
}  // namespace seamark
