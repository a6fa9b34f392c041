// How landmarks lie for Damerau–Levenshtein distances: in groups of lanes, symbols [place][lane].
#pragma once

#include <cstdint>

#include "texts.hpp"

namespace seamark {

struct DamerauGroup {
    const int32_t* symbols;  // [longest][lane]; -1 where a landmark is shorter
    const int64_t* lengths;  // of each landmark
    const int64_t* columns;
    int64_t longest, n;
};

// `scratch` holds four rows of longest + 2 registers.
struct DamerauJob {
    const DamerauGroup* groups;
    int64_t n_groups;
    const uint8_t* stop;
    int32_t* scratch;
};

}  // namespace seamark
