// Dynamic time warping of series against a block of landmarks, without a band; landmarks in lanes.
//
// No masks: cell (i, j) depends on columns <= j only, so a lane's answer is its column length - 1 after the last row,
// whatever the padding beyond it holds.
#include "dtw_cells.hpp"

namespace seamark {
namespace SEAMARK_ISA {

namespace {

template <int C, bool Root>
struct Unbanded {
    // T rows of the matrix; `row` holds the row above them and receives their last.
    template <int T>
    SEAMARK_INLINE void rows(const DtwBlock* block, Series<C> x, floats diagonal, float* row) {
        const int64_t step = x.channels * kFloats;
        floats left[T];
        SEAMARK_UNROLL for (int t = 0; t < T; ++t) left[t] = broadcast(kInfinity);
        const float* y = block->values;
        for (int64_t j = 0; j < block->longest; ++j, y += step) {
            const floats up = load(row + j * kFloats);
            column<C, Root, T>(x, y, up, diagonal, left);
            store(row + j * kFloats, left[T - 1]);
            diagonal = up;
        }
    }

    // Several rows at a time: their chains of dependent cells overlap, and `row` is loaded and stored once for all of
    // them, so it need not even fit the cache. More would run out of registers. (Measured on Zen 4.)
    static constexpr int kRows = C == 2 || C == 3 ? 4 : 8;

    static void series(const DtwBlock* block, Series<C> x, int64_t n, float* row, const uint8_t* stop) {
        const floats infinite = broadcast(kInfinity);
        for (int64_t j = 0; j < block->longest; ++j) store(row + j * kFloats, infinite);
        floats diagonal{};  // before the first cell; infinite left of all other rows
        int64_t i = 0;
        for (; i + kRows <= n && !stopped(stop); i += kRows, diagonal = infinite) rows<kRows>(block, x.from(i), diagonal, row);
        if (kRows == 8 && n & 4) rows<4>(block, x.from(i), diagonal, row), i += 4, diagonal = infinite;
        if (n & 2) rows<2>(block, x.from(i), diagonal, row), i += 2, diagonal = infinite;
        if (n & 1) rows<1>(block, x.from(i), diagonal, row);
    }

    static void run(const DtwJob* job, const DtwBlock* block) {
        for (int64_t s = 0; s < job->count; ++s) {
            const int64_t which = job->which[s];
            series(block, Series<C>::of(job, which), job->lengths[which], job->row, job->stop);
            if (stopped(job->stop)) return;
            float* out = job->out + which * job->stride;
            for (int64_t lane = 0; lane < block->used; ++lane)
                out[block->columns[lane]] = job->row[(block->lengths[lane] - 1) * kFloats + lane];
        }
    }
};

}  // namespace

void dtw(const DtwBlock* block, const DtwJob* job) { by_channels<Unbanded>(job, block); }

}  // namespace SEAMARK_ISA
}  // namespace seamark
