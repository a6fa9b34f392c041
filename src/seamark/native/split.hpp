// Doubles as two floats each: what float32 keeps of a value, and what it loses.
//
// A difference of floats has lost what two large and nearly equal values differ in. With the difference of what was
// lost added, it is that of the doubles, to 2^-48 of their size.
#pragma once

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

}  // namespace seamark
