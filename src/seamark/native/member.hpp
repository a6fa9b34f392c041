// What the member kernel is given: landmark vectors in lanes, the objects, and scratch.
#pragma once

#include <cstdint>

#include "sets.hpp"

namespace seamark {

struct MemberJob {
    const float* packed;  // landmarks, [slot][dimension][lane]: landmark j is lane j % 16 of slot j / 16; the last are idle
    int64_t landmarks, slots, dimension;
    const float* x32;  // object vectors, in one of two types; the other is null
    const double* x64;
    const double* centre;    // taken off the object vectors before they become float32
    const int64_t* offsets;  // first vector of each object, and the end
    int64_t n;
    float* out;
    int64_t stride;
    const uint8_t* stop;
    int64_t tile_rows;  // object vectors that share one pass over the landmarks
    float* tile;        // [tile_rows][dimension]
    float* nearest;     // [slot][lane]: smallest squared distances of one object
};

}  // namespace seamark
