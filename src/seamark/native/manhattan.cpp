// Manhattan distances of n rows to R landmarks, landmarks in lanes.
#include "simd.hpp"

namespace seamark {
namespace SEAMARK_ISA {

namespace {

constexpr int kRows = 4;       // rows that share one sweep over a landmark tile
constexpr int kVectors = 2;    // registers of landmarks in a tile
constexpr int kTile = kVectors * kFloats;
constexpr int64_t kBlock = 32;  // rows that pass a group of landmarks together
constexpr int64_t kRun = 512;  // a float32 sum is flushed after so many terms, so its error does not grow with d

// rows x tile sums of |x - l| over dimensions [from, to), added to `sum`.
template <int Rows>
void accumulate(const float* const* x, const float* tile, int64_t from, int64_t to, floats (*sum)[kVectors]) {
    floats run[Rows][kVectors] = {};
    for (int64_t k = from; k < to; ++k) {
        floats l[kVectors];
        for (int v = 0; v < kVectors; ++v) l[v] = load(tile + k * kTile + v * kFloats);
        for (int r = 0; r < Rows; ++r) {
            const floats xk = broadcast(x[r][k]);
            for (int v = 0; v < kVectors; ++v) run[r][v] += absolute(xk - l[v]);
        }
    }
    for (int r = 0; r < Rows; ++r)
        for (int v = 0; v < kVectors; ++v) sum[r][v] += run[r][v];
}

template <int Rows>
void rows_by_tile(const float* X, int64_t d, const float* tile, float* out, int64_t stride, int64_t columns) {
    const float* x[Rows];
    for (int r = 0; r < Rows; ++r) x[r] = X + r * d;
    floats sum[Rows][kVectors] = {};
    for (int64_t k = 0; k < d; k += kRun) accumulate<Rows>(x, tile, k, k + kRun < d ? k + kRun : d, sum);
    for (int r = 0; r < Rows; ++r) {
        if (columns == kTile)
            for (int v = 0; v < kVectors; ++v) store(out + r * stride + v * kFloats, sum[r][v]);
        else
            for (int64_t c = 0; c < columns; ++c) out[r * stride + c] = sum[r][c / kFloats][c % kFloats];
    }
}

// One tile of landmarks transposed to [dimension][lane], zero beyond the last landmark.
void pack(const float* L, int64_t d, int64_t columns, float* tile) {
    memset(tile, 0, sizeof(float) * d * kTile);
    for (int64_t c = 0; c < columns; ++c)
        for (int64_t k = 0; k < d; ++k) tile[k * kTile + c] = L[c * d + k];
}

}  // namespace

// A group of landmarks is packed once into `tiles`, scratch of `capacity` floats. Rows go by in small blocks, each
// past the whole group: what a block writes then lies in few pages.
void manhattan(const float* X, int64_t n, const float* L, int64_t R, int64_t d, float* tiles, int64_t capacity,
               float* out, int64_t stride, const uint8_t* stop) {
    const int64_t tile = d * kTile;
    const int64_t group = tile > 0 && capacity > tile ? capacity / tile * kTile : kTile;
    for (int64_t g = 0; g < R; g += group) {
        const int64_t end = R - g < group ? R : g + group;
        for (int64_t c = g; c < end; c += kTile) pack(L + c * d, d, end - c < kTile ? end - c : kTile, tiles + (c - g) * d);
        for (int64_t a = 0; a < n && !stopped(stop); a += kBlock) {
            const int64_t b = n - a < kBlock ? n : a + kBlock;
            for (int64_t c = g; c < end; c += kTile) {
                const int64_t columns = end - c < kTile ? end - c : kTile;
                const float* packed = tiles + (c - g) * d;
                int64_t i = a;
                for (; i + kRows <= b; i += kRows)
                    rows_by_tile<kRows>(X + i * d, d, packed, out + i * stride + c, stride, columns);
                for (; i < b; ++i) rows_by_tile<1>(X + i * d, d, packed, out + i * stride + c, stride, columns);
            }
        }
    }
}

}  // namespace SEAMARK_ISA
}  // namespace seamark
