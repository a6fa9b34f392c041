// Landmarks laid out for the DTW kernels, and the bands around the diagonal. Compiled once: std is allowed.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "dispatch.hpp"
#include "dtw.hpp"

namespace seamark {

struct FreeAligned {
    void operator()(float* p) const;
};
// Floats on a cache line boundary: a register that straddles two lines costs two loads.
using AlignedFloats = std::unique_ptr<float[], FreeAligned>;
AlignedFloats aligned_floats(int64_t count);

// What a path may visit: at most one of the two is set.
struct DtwWindow {
    int64_t steps;    // |i - j| <= steps; -1: no such band
    double fraction;  // aeon's Sakoe-Chiba band; negative: no such band
    bool any() const { return steps >= 0 || fraction >= 0; }
};

// Columns [low, high) of one matrix a path may visit, per row.
struct DtwBounds {
    explicit DtwBounds(int64_t rows = 0) : low(rows), high(rows) {}
    std::vector<int32_t> low, high;
};
DtwBounds dtw_bounds(const DtwWindow& window, int64_t rows, int64_t columns);

class DtwPlan {
   public:
    // values: (time steps, channels); offsets: one more than landmarks, none of them empty.
    DtwPlan(const double* values, const int64_t* offsets, int64_t n_landmarks, int64_t channels, DtwWindow window, bool euclidean,
            Isa isa);

    // Writes the path costs of n series to the rows of out. Any number of threads may run one plan.
    void run(const double* values, const int64_t* offsets, int64_t n, float* out, int64_t stride, const uint8_t* stop) const;

    int64_t n_landmarks() const { return n_landmarks_; }
    int64_t channels() const { return channels_; }
    int64_t nbytes() const;

   private:
    class Call;
    void pack(const double* values, const int64_t* offsets);

    int64_t n_landmarks_, channels_, lanes_;
    DtwWindow window_;
    bool euclidean_;
    Isa isa_;
    int64_t n_values_ = 0;           // floats in values_
    AlignedFloats values_;           // block after block, each [time step][channel][lane]
    AlignedFloats parts_;            // the same in two parts, [time step][channel][part][lane]
    std::vector<float> sizes_;       // of the landmarks, sorted by length as they are
    std::vector<int64_t> lengths_;   // of the landmarks, sorted
    std::vector<int64_t> columns_;   // their places in the result
    std::vector<DtwBlock> blocks_;
};

}  // namespace seamark
