// Plain structures that the DTW plan hands to the kernels of every instruction set.
#pragma once

#include <cstdint>

namespace seamark {

constexpr int64_t kDtwTemplated = 3;  // up to so many channels have a kernel of their own
constexpr int kDtwSplit = -1;         // number of the kernel whose channels come in two parts each

// Landmarks of similar length, one per lane.
struct DtwBlock {
    const float* values;     // [time step][channel][lane], zero beyond a landmark's end and in unused lanes
    int64_t longest;         // time steps
    int64_t used;            // lanes that hold a landmark
    const int64_t* lengths;  // of the used lanes
    const int64_t* columns;  // of the result, for the used lanes
};

// Cells of one matrix size a path may visit: in row i the columns [low, high), both never falling with i.
struct DtwBand {
    const int32_t *low, *high;            // union over the lanes, per row
    const int32_t *core_low, *core_high;  // columns inside the band of every lane, per row
    const int32_t *lane_low, *lane_high;  // [row][lane], or null where all lanes share one band
};

// Series to compare with one block.
struct DtwJob {
    const float* values;
    const int64_t* starts;   // series s begins at values[starts[s]]
    const int64_t* lengths;  // its time steps
    // Time-major series have their channels next to each other; of channel-major ones, channel k of series s begins
    // k * pitches[s] after channel 0, so that the time steps of a tile lie at constant distances.
    bool channel_major;
    const int64_t* pitches;
    const int64_t* which;    // the series to do; of equal length if there is a band
    int64_t count;
    int64_t channels;
    bool split;      // channels 2k and 2k + 1 are two parts of one value (see split.hpp); channel-major only
    bool euclidean;  // local cost: Euclidean distance instead of its square
    float* out;
    int64_t stride;
    float* row;  // scratch: (longest landmark + 1) x lanes, 64-byte aligned
    const uint8_t* stop;
};

}  // namespace seamark
