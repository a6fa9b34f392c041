// A run of texts, as every kernel of strings takes it.
#pragma once

#include <cstdint>

namespace seamark {

// Text i is codes[offsets[i]] .. codes[offsets[i + 1]], its results go to out + i * stride.
struct Texts {
    const int32_t* codes;
    const int64_t* offsets;
    int64_t n;
    float* out;
    int64_t stride;
};

}  // namespace seamark
