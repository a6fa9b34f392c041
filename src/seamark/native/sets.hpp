// What the sets kernel is given: landmarks laid out in lanes, the objects, and scratch.
#pragma once

#include <cstdint>

namespace seamark {

constexpr int kSetLanes = 16;  // lanes of a block, on every instruction set: the layout is one for all

enum class SetValue : int { larger_mean = 0, largest = 1, sum_of_means = 2 };

// Landmarks in blocks of 16 lanes. A landmark has `share` lanes of its block (1, 2, 4, 8 or 16), its
// vectors dealt out among them: piece p of the s-th landmark is lane s + p * (16 / share). A lane with
// fewer vectors than its block has slots repeats one of its landmark's: no minimum notices.
struct SetLandmarks {
    const float* packed;     // [slot][dimension][lane]; in two parts, `dimension` counts both
    const int64_t* starts;   // first slot of each block, and the end
    const int64_t* share;    // lanes per landmark, of each block
    const int64_t* columns;  // [block][lane]: landmark number at lane s, -1 if none
    const int64_t* counts;   // [block][lane]: vectors that are not repeats
    int64_t blocks, dimension;
};

// Sets of vectors that are compared with landmarks, where the values go, and scratch.
struct SetObjects {
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
    float* nearest;     // [tile_rows][lane]: squared distance of an object vector to its nearest
};

struct SetJob : SetObjects {
    SetLandmarks landmarks;
    bool split;  // coordinates come in two parts each (see split.hpp), in the landmarks and in the tile
    SetValue value;
    float* columns;  // [longest block][lane]: as `nearest`, for landmark vectors
};

}  // namespace seamark
