// Manhattan distances of n rows to R landmarks, landmarks in lanes.
//
// Computed in float32. A sum that is small against the sizes of both vectors may have lost its digits: its tile is
// computed again from both parts of the values (see split.hpp), and that lane takes the second sum.
#include "manhattan.hpp"

#include "simd.hpp"
#include "split.hpp"

namespace seamark {
namespace SEAMARK_ISA {

namespace {

constexpr int kRows = 4;       // rows that share one sweep over a landmark tile
constexpr int kVectors = 2;    // registers of landmarks in a tile
constexpr int kTile = kVectors * kFloats;
constexpr int64_t kRun = 512;  // a float32 sum is flushed after so many terms, so its error does not grow with d

// Rows of one block in float32, and what they lost.
struct Block {
    const float *high, *low;
    const float* limits;  // a value below a row's and a landmark's limit together is not sure
};

// A tile of landmarks, [dimension][lane].
struct Tile {
    const float* high;
    float* low;  // scratch, filled when it is first needed
    const float* limits;
    const double* L;
    int64_t d, columns;
    bool has_low;
};

// rows x tile sums of |x - l| over dimensions [from, to), added to `sum`.
template <int Rows, bool Split>
void accumulate(const Block& x, const Tile& tile, int64_t from, int64_t to, floats (*sum)[kVectors]) {
    floats run[Rows][kVectors] = {};
    for (int64_t k = from; k < to; ++k) {
        floats l[kVectors], low[kVectors];
        for (int v = 0; v < kVectors; ++v) l[v] = load(tile.high + k * kTile + v * kFloats);
        if (Split)
            for (int v = 0; v < kVectors; ++v) low[v] = load(tile.low + k * kTile + v * kFloats);
        for (int r = 0; r < Rows; ++r) {
            const floats xk = broadcast(x.high[r * tile.d + k]);
            for (int v = 0; v < kVectors; ++v) {
                floats difference = xk - l[v];
                if (Split) difference += broadcast(x.low[r * tile.d + k]) - low[v];
                run[r][v] += absolute(difference);
            }
        }
    }
    for (int r = 0; r < Rows; ++r)
        for (int v = 0; v < kVectors; ++v) sum[r][v] += run[r][v];
}

template <int Rows, bool Split>
inline void sums(const Block& x, const Tile& tile, floats (*sum)[kVectors]) {
    for (int64_t k = 0; k < tile.d; k += kRun)
        accumulate<Rows, Split>(x, tile, k, k + kRun < tile.d ? k + kRun : tile.d, sum);
}

// A tile of landmarks transposed to [dimension][lane], zero beyond the last; `low`: what float32 loses of it.
void pack(const double* L, int64_t d, int64_t columns, bool low, float* tile) {
    for (int64_t k = 0; k < d; ++k)
        for (int64_t c = columns; c < kTile; ++c) tile[k * kTile + c] = 0.0f;
    for (int64_t c = 0; c < columns; ++c)
        for (int64_t k = 0; k < d; ++k) {
            const Parts parts = split(L[c * d + k]);
            tile[k * kTile + c] = low ? parts.low : parts.high;
        }
}

// The values of rows and tile that are not sure, again.
template <int Rows>
__attribute__((noinline)) void again(const Block& x, Tile& tile, float* out, int64_t stride) {
    if (!tile.has_low) pack(tile.L, tile.d, tile.columns, true, tile.low);
    tile.has_low = true;
    floats sum[Rows][kVectors] = {};
    sums<Rows, true>(x, tile, sum);
    for (int r = 0; r < Rows; ++r)
        for (int64_t c = 0; c < tile.columns; ++c)
            if (out[r * stride + c] - tile.limits[c] < x.limits[r]) out[r * stride + c] = sum[r][c / kFloats][c % kFloats];
}

template <int Rows>
void rows_by_tile(const Block& x, Tile& tile, float* out, int64_t stride) {
    floats sum[Rows][kVectors] = {};
    sums<Rows, false>(x, tile, sum);
    floats margin = broadcast(__builtin_inff());  // by which all sums are above their limits
    for (int r = 0; r < Rows; ++r) {
        floats over = sum[r][0] - load(tile.limits);
        for (int v = 1; v < kVectors; ++v) over = least(over, sum[r][v] - load(tile.limits + v * kFloats));
        margin = least(margin, over - broadcast(x.limits[r]));
    }
    for (int r = 0; r < Rows; ++r) {
        if (tile.columns == kTile)
            for (int v = 0; v < kVectors; ++v) store(out + r * stride + v * kFloats, sum[r][v]);
        else
            for (int64_t c = 0; c < tile.columns; ++c) out[r * stride + c] = sum[r][c / kFloats][c % kFloats];
    }
    if (any_negative(margin)) again<Rows>(x, tile, out, stride);
}

// A row in float32, what it loses, and its limit: below this, and that of the other vector, a distance is not sure.
float load_row(const double* x, int64_t d, float* high, float* low) {
    constexpr int kSums = 16;  // side by side, so that the compiler makes vectors of them
    float sizes[kSums] = {}, size = 0.0f;
    const auto take = [&](int64_t k, float& sum) {
        const Parts parts = split(x[k]);
        high[k] = parts.high;
        low[k] = parts.low;
        sum += parts.low == 0.0f ? 0.0f : parts.high < 0.0f ? -parts.high : parts.high;  // what loses nothing is sure
    };
    int64_t k = 0;
    for (; k + kSums <= d; k += kSums)
        for (int s = 0; s < kSums; ++s) take(k + s, sizes[s]);
    for (; k < d; ++k) take(k, size);
    for (int s = 0; s < kSums; ++s) size += sizes[s];
    return kSure * size;
}

}  // namespace

// A group of landmarks is packed once. Rows go by in small blocks, each past the whole group: what a block writes then
// lies in few pages.
void manhattan(const ManhattanJob* given) {
    const ManhattanJob& job = *given;
    const int64_t d = job.d, R = job.R, tile_floats = d * kTile;
    const int64_t group = tile_floats > 0 && job.capacity > tile_floats ? job.capacity / tile_floats * kTile : kTile;
    float* low = job.rows + kManhattanBlock * d;
    for (int64_t c = 0; c < R + kManhattanTile; ++c) job.limits[c] = c < R ? load_row(job.L + c * d, d, job.rows, low) : 0.0f;
    for (int64_t g = 0; g < R; g += group) {
        const int64_t end = R - g < group ? R : g + group;
        const auto columns = [&](int64_t c) { return end - c < kTile ? end - c : kTile; };
        for (int64_t c = g; c < end; c += kTile) pack(job.L + c * d, d, columns(c), false, job.tiles + (c - g) * d);
        for (int64_t a = 0; a < job.n && !stopped(job.stop); a += kManhattanBlock) {
            const int64_t b = job.n - a < kManhattanBlock ? job.n : a + kManhattanBlock;
            float limits[kManhattanBlock];
            for (int64_t i = a; i < b; ++i)
                limits[i - a] = load_row(job.X + i * d, d, job.rows + (i - a) * d, low + (i - a) * d);
            for (int64_t c = g; c < end; c += kTile) {
                Tile tile{job.tiles + (c - g) * d, job.lows, job.limits + c, job.L + c * d, d, columns(c), false};
                const auto rows = [&](int64_t i) {
                    const float* high = job.rows + (i - a) * d;
                    return Block{high, high + kManhattanBlock * d, limits + (i - a)};
                };
                int64_t i = a;
                for (; i + kRows <= b; i += kRows) rows_by_tile<kRows>(rows(i), tile, job.out + i * job.stride + c, job.stride);
                for (; i < b; ++i) rows_by_tile<1>(rows(i), tile, job.out + i * job.stride + c, job.stride);
            }
        }
    }
}

}  // namespace SEAMARK_ISA
}  // namespace seamark
