// What the member kernel is given: landmark vectors in lanes, the objects, and scratch.
#pragma once

#include <cstdint>

#include "sets.hpp"

namespace seamark {

// Of one object `nearest` holds the smallest squared distances, [slot][lane].
struct MemberJob : SetObjects {
    const float* packed;  // landmarks, [slot][dimension][lane]: landmark j is lane j % 16 of slot j / 16; the last are idle
    int64_t landmarks, slots, dimension;
};

}  // namespace seamark
