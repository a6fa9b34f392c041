// Windows laid out for the subsequence kernels. Compiled once: std is allowed.
#pragma once

#include <cstdint>
#include <vector>

#include "dispatch.hpp"
#include "subsequence.hpp"

namespace seamark {

// Windows as they come: see WindowList in objects/window_list.py. All is checked there and in the binding.
struct WindowArrays {
    const double* values;
    const int64_t *offsets, *dilations, *channels, *channel_offsets;
    const uint8_t *normalised, *differenced;
    int64_t n;
};

class SubsequencePlan {
   public:
    SubsequencePlan(const WindowArrays& windows, int64_t n_channels, double flat, Isa isa);

    // Writes the distances of n series to the rows of out. Any number of threads may run one plan.
    void run(const double* values, const int64_t* offsets, int64_t n, float* out, int64_t stride, const uint8_t* stop) const;

    int64_t n_landmarks() const { return n_windows_; }
    int64_t channels() const { return n_channels_; }
    int64_t nbytes() const { return (int64_t)(weights_.size() * sizeof(float) + 2 * exact_.size() * sizeof(double)); }

   private:
    // Windows that share all but their values.
    struct Group {
        bool normalised, differenced;
        int64_t length, dilation;
        std::vector<int64_t> channels;
        std::vector<int64_t> columns;  // of the result
        int64_t first;                 // place in weights_ and exact_
        std::vector<double> sizes;     // normalised: squares of the window and of a place that is not flat
    };
    class Call;
    void add(const WindowArrays& windows, const std::vector<int64_t>& members);
    void pack(const Group& group);

    int64_t n_windows_, n_channels_, lanes_;
    double flat_;
    Isa isa_;
    std::vector<Group> groups_;
    std::vector<double> exact_;   // [window][channel][value], of all groups
    std::vector<double> packed_;  // as the kernels take them: [run of windows][channel][value][window]
    std::vector<float> weights_;  // the same in floats
};

}  // namespace seamark
