// Bags (things with weights) against landmark bags: landmarks by thing, so that a row meets only those it shares one with.
#pragma once

#include <cstdint>

namespace seamark {

enum class BagValue : int { product = 0, smaller = 1 };  // summed over the things that both have

// Thing c is in the landmarks landmarks[starts[c]] .. landmarks[starts[c + 1]]; one that is in many of them has, instead, a
// row of weights of all landmarks at dense[places[c]].
struct BagLandmarks {
    const int64_t* starts;
    const int32_t* landmarks;
    const float* weights;
    const int64_t* places;  // -1: not dense
    const float* dense;
    int64_t n, padded;  // landmarks, and the length of a dense row
};

struct BagJob {
    BagLandmarks landmarks;
    const int32_t* things;  // of the rows; -1: in no landmark
    const float* weights;
    const int64_t* offsets;
    int64_t n;
    BagValue value;
    float* out;
    int64_t stride;
    float* sums;  // scratch of a dense row
    const uint8_t* stop;
};

}  // namespace seamark
