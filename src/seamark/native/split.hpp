// Doubles as two floats each: what float32 keeps of a value, and what it loses.
//
// A difference of floats has lost what two large and nearly equal values differ in. With the difference of what was
// lost added, it is that of the doubles, to 2^-48 of their size.
#pragma once

#include <cstdint>

namespace seamark {

// A value below this share of its objects' sizes is computed again, from both parts; unless they lost nothing, as
// whole numbers do.
constexpr float kSure = 1e-3f;

struct Parts {
    float high, low;
};

static inline Parts split(double value) {
    const float high = (float)value;
    return {high, (float)(value - high)};
}

// Whether float32 loses anything of the vectors of a set, from offsets[0] to offsets[1], less a centre.
template <typename T>
bool loses(const T* x, const int64_t* offsets, int64_t dimension, const double* centre) {
    for (int64_t i = offsets[0]; i < offsets[1]; ++i)
        for (int64_t k = 0; k < dimension; ++k)
            if (split(x[i * dimension + k] - centre[k]).low != 0.0f) return true;
    return false;
}

}  // namespace seamark
