// Plain structures that the subsequence plan hands to the kernels of every instruction set.
#pragma once

#include <cstdint>

namespace seamark {

// How far the places of one channel spread, for windows of one length and dilation.
struct SpreadJob {
    const float* x;  // of deviation 1, readable to the end of the last place's register
    int64_t places, padded;  // padded: to whole registers
    int64_t length, dilation;
    float flat;      // a smaller deviation is none
    float* inverse;  // receives 1 / deviation; 0 where flat, and beyond the last place
    float* bias;     // receives -length / 2 where flat, infinity beyond the last place, else 0
    float* error;    // receives how far floats may be off at a place, whatever the window
};

// Windows that share all but their values, against one series.
struct SubsequenceJob {
    const float* const* x;  // one pointer for each channel of the windows
    const float* const* inverse;  // null: windows are compared as they are
    const float* const* bias;     // of raw windows: infinity beyond the last place, else 0
    const float* weights;   // [run of windows][channel][value][window]: runs of 4 (AVX-512), then of 2 and 1
    int64_t windows, channels, length, dilation, padded;
    float* best;            // receives, per window, the least sum of squares (raw), or of bias - product * inverse
};

// The same of one channel in doubles.
struct ExactSpreadJob {
    const double* x;
    const float* bias;  // below 0 where floats found the place flat
    int64_t padded, length, dilation;
    double *mean, *inverse, *flat;  // receive the mean, 1 / deviation or 0, and -length / 2 where flat, else 0
};

// One window in doubles, at those places that may be the best by what floats say of them.
struct ExactJob {
    const double* const* x;
    const double* const* spread;  // [channel]: mean, inverse and flat of `ExactSpreadJob`, `room` apart; null: raw
    int64_t room;
    const float* const* error;  // of `SpreadJob`; not of raw windows, whose floats are off by at most `slack`
    const double* weights;      // [channel][value]
    int64_t channels, length, dilation, places, padded;
    float slack;
    float* said;   // room for what floats say of every place
    double least;  // no place is better: the first that is as good ends the search
    double best;
};

}  // namespace seamark
