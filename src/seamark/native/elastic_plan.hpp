// Landmarks laid out for the kernels of elastic measures. Compiled once: std is allowed.
#pragma once

#include <vector>

#include "dtw_plan.hpp"
#include "elastic.hpp"

namespace seamark {

// A rule and its numbers.
struct ElasticMeasure {
    ElasticRule rule;
    double first, second;      // WDTW: g. ADTW: penalty. EDR, LCSS: threshold (EDR: negative: of the data). MSM: cost. TWE: nu, lambda.
    std::vector<double> gap;   // ERP: one number per channel
    // Of TWE every series begins with a step that stands for its origin, and is no step of its own.
    int64_t lead() const { return rule == ElasticRule::stiff ? 1 : 0; }
};

class ElasticPlan {
   public:
    // values: (time steps, channels); offsets: one more than landmarks, none of them empty.
    ElasticPlan(const double* values, const int64_t* offsets, int64_t n_landmarks, int64_t channels, DtwWindow window,
                ElasticMeasure measure, Isa isa);

    // Writes path costs (LCSS: counts) of n series to the rows of out. Any number of threads may run one plan.
    void run(const double* values, const int64_t* offsets, int64_t n, float* out, int64_t stride, const uint8_t* stop) const;

    int64_t n_landmarks() const { return n_landmarks_; }
    int64_t channels() const { return channels_; }
    int64_t lead() const { return measure_.lead(); }
    int64_t nbytes() const { return (int64_t)(sizeof(float) * (n_values_ + 2 * n_steps_)); }

   private:
    class Call;
    class Steps;
    void pack(const double* values, const int64_t* offsets);

    int64_t n_landmarks_, channels_, lanes_;
    DtwWindow window_;
    ElasticMeasure measure_;
    Isa isa_;
    int64_t n_values_ = 0, n_steps_ = 0;
    AlignedFloats values_, left_, top_, levels_;
    std::vector<int64_t> lengths_, columns_;  // sorted by length
    std::vector<ElasticBlock> blocks_;
};

}  // namespace seamark
