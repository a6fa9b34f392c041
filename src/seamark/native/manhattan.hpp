// What the Manhattan kernel is given: rows, landmarks, and scratch.
#pragma once

#include <cstdint>

namespace seamark {

constexpr int64_t kManhattanTile = 32;   // landmarks in the largest tile: two registers of 16 floats
constexpr int64_t kManhattanBlock = 32;  // rows that pass a group of landmarks together

struct ManhattanJob {
    const double* X;  // [n][d]
    int64_t n;
    const double* L;  // [R][d]
    int64_t R, d;
    float* tiles;  // a group of landmarks in tiles, `capacity` floats, one tile at least
    int64_t capacity;
    float* lows;    // what one tile lost in float32
    float* limits;  // of the landmarks, [R] and a tile more
    float* rows;    // [block][d], and the same for what they lost
    float* out;
    int64_t stride;
    const uint8_t* stop;
};

}  // namespace seamark
