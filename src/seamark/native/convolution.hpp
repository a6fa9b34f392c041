// Plain structures that the plan of random convolutions hands to the kernels of every instruction set.
#pragma once

#include <cstdint>

namespace seamark {

constexpr int64_t kTaps = 9;  // of a kernel: six weigh -1, three weigh 2

// -1 times the sum of nine values around each place.
struct TapsJob {
    const float* x;  // the first place that counts; readable as far as the taps reach, and a register more
    int64_t dilation, places, padded;  // padded: to whole registers
    float* sums;     // receives them; minus infinity beyond the last place
};

// A kernel: where its taps of weight 2 lie, from a place, and its biases.
struct ConvolutionKernel {
    int64_t a, b, c;
    int64_t first, count;
};

// Kernels of one dilation, at every place of one series.
struct ConvolutionJob {
    const float* x;
    const float* sums;
    int64_t padded;
    const ConvolutionKernel* kernels;
    int64_t n_kernels;
    const float* biases;
    int32_t* counts;  // receives, per bias, how many places lie above it
};

}  // namespace seamark
