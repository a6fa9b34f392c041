// Random convolutions laid out for their kernels. Compiled once: std is allowed.
#pragma once

#include <cstdint>
#include <vector>

#include "convolution.hpp"
#include "dispatch.hpp"

namespace seamark {

// Combinations of kernel, dilation, padding and channels, and the features that belong to each. Checked in the binding.
struct ConvolutionArrays {
    const int64_t *kernels, *dilations;  // kernels: 0..83
    const uint8_t* padded;
    const int64_t *channels, *channel_offsets;
    int64_t n_combinations;
    const int64_t* owners;  // combination of each feature
    const double* biases;
    int64_t n_features;
};

class ConvolutionPlan {
   public:
    ConvolutionPlan(const ConvolutionArrays& arrays, int64_t n_channels, Isa isa);

    // Writes the shares of places above the biases, of n series, to the rows of out. Threads may share a plan.
    void run(const double* values, const int64_t* offsets, int64_t n, float* out, int64_t stride, const uint8_t* stop) const;

    int64_t n_landmarks() const { return n_features_; }
    int64_t channels() const { return n_channels_; }
    int64_t nbytes() const { return (int64_t)(biases_.size() * (sizeof(float) + sizeof(int64_t))); }

   private:
    // Kernels of one dilation and set of channels, with or without padding.
    struct Group {
        int64_t dilation;
        bool padded;
        std::vector<int64_t> channels;
        std::vector<ConvolutionKernel> kernels;
    };
    class Call;

    int64_t n_features_, n_channels_, lanes_;
    Isa isa_;
    std::vector<Group> groups_;
    std::vector<float> biases_;     // group after group, kernel after kernel
    std::vector<int64_t> columns_;  // their places in the result
};

}  // namespace seamark
