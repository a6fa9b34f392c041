// Doubles as two floats each: what float32 keeps of a value, and what it loses.
//
// A difference of floats has lost what two large and nearly equal values differ in. With the difference of what was
// lost added, it is that of the doubles, to 2^-48 of their size.
#pragma once

namespace seamark {

// A value below this share of its objects' sizes is computed again, from both parts. Objects' sizes count only
// coordinates that lose something: whole numbers are never computed twice.
constexpr float kSure = 1e-3f;

struct Parts {
    float high, low;
};

static inline Parts split(double value) {
    const float high = (float)value;
    return {high, (float)(value - high)};
}

// How much a coordinate adds to the size of its object.
static inline float lossy(Parts parts) { return parts.low == 0.0f ? 0.0f : parts.high < 0.0f ? -parts.high : parts.high; }

}  // namespace seamark
