// What the kernel of envelopes is given: points and boxes, n of the one and one of the other, or n of both.
#pragma once

#include <cstdint>

namespace seamark {

struct EnvelopeJob {
    const float* points;
    int64_t point_step;  // from one to the next; 0: the same for all
    const float *low, *high;
    int64_t box_step;
    int64_t n, d;
    float* out;
    const uint8_t* stop;
};

}  // namespace seamark
