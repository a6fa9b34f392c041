// Elastic measures of series against a block of landmarks, with or without a band; landmarks in lanes.
//
// As in dtw.cpp a cell depends on columns <= j only, so a lane's answer is its last column, whatever the padding beyond
// it holds. In a band the cells outside are masked, except in the columns that lie in the bands of all lanes and rows.
#include "elastic_cells.hpp"

namespace seamark {
namespace SEAMARK_ISA {

namespace {

typedef uint32_t unsigneds __attribute__((vector_size(SEAMARK_VECTOR_BYTES)));

// The band of one row, lane by lane.
struct LaneBand {
    ints low, high;

    static LaneBand of(const DtwBand* band, int64_t i) {
        LaneBand lanes;
        if (band->lane_low) {
            memcpy(&lanes.low, band->lane_low + i * kFloats, sizeof lanes.low);
            memcpy(&lanes.high, band->lane_high + i * kFloats, sizeof lanes.high);
        } else {
            lanes.low = band->low[i] - ints{}, lanes.high = band->high[i] - ints{};
        }
        return lanes;
    }

    floats keep(int64_t j, floats inside, floats outside) const {
        return (unsigneds)((int32_t)j - low) < (unsigneds)(high - low) ? inside : outside;
    }
};

template <ElasticRule R, int C, bool Banded>
struct Elastic {
    // The edge of row i: the way that leads along the landmark's start. Row -1 is the corner.
    SEAMARK_INLINE floats edge(const ElasticTile<C, 1>& at, const DtwBand* band, int64_t i) {
        if (i < 0) return floats{};
        if (!at.job->edge) return outside<R>();
        const floats there = broadcast(at.job->edge[at.base + i]);
        return Banded ? LaneBand::of(band, i).keep(0, there, outside<R>()) : there;
    }

    template <int T, bool Masked>
    SEAMARK_INLINE void columns(const ElasticTile<C, T>& tile, const LaneBand* lanes, int64_t from, int64_t to, floats& diagonal,
                                floats* left, floats* last) {
        const int64_t step = tile.x.channels * kFloats;
        for (int64_t j = from; j < to; ++j) {
            const ElasticColumn<R, C, T> column(tile, tile.block->series.values + j * step);
            floats up = load(tile.row + j * kFloats), corner = diagonal;
            diagonal = up;
            SEAMARK_UNROLL for (int t = 0; t < T; ++t) {
                floats now = column.cell(tile, t, j, last, corner, up, left[t]);
                if (Masked) now = lanes[t].keep(j, now, outside<R>());
                corner = left[t];
                left[t] = up = now;
            }
            if (R == ElasticRule::stiff) SEAMARK_UNROLL for (int t = 0; t < T; ++t) last[t] = column.cost[t];
            store(tile.row + j * kFloats, left[T - 1]);
        }
    }

    // T rows from tile.i on; `diagonal` is the cell above and left of their first column.
    template <int T>
    SEAMARK_INLINE void rows(const ElasticTile<C, T>& tile, const DtwBand* band, floats diagonal, floats* left) {
        LaneBand lanes[T];
        floats last[T + 1];
        const int64_t longest = tile.block->series.longest, i = tile.i, end = i + T - 1;
        const int64_t from = Banded ? band->low[i] : 0, to = Banded ? band->high[end] : longest;
        if constexpr (R == ElasticRule::stiff) {
            const float* y = tile.block->series.values + (from - 1) * tile.x.channels * kFloats;
            distances<C, true, T + 1>(tile.x.from(-1), y, last);
        }
        if (!Banded) return columns<T, false>(tile, lanes, 0, longest, diagonal, left, last);
        SEAMARK_UNROLL for (int t = 0; t < T; ++t) lanes[t] = LaneBand::of(band, i + t);
        const int64_t low = band->core_low ? band->core_low[end] : band->low[end];
        const int64_t high = band->core_high ? band->core_high[i] : band->high[i];
        const int64_t core = between(low, from, to), rest = between(high, core, to);
        columns<T, true>(tile, lanes, from, core, diagonal, left, last);
        columns<T, false>(tile, lanes, core, rest, diagonal, left, last);
        columns<T, true>(tile, lanes, rest, to, diagonal, left, last);
    }

    static int64_t between(int64_t value, int64_t least, int64_t most) { return value < least ? least : value > most ? most : value; }

    // A tile of T rows: its edge, its cells, and what the next tile must find.
    template <int T>
    static void tile(const ElasticTile<C, 1>& at, const DtwBand* band) {
        const ElasticTile<C, T> tile{at.x.from(at.i), at.block, at.job, at.base, at.i, at.row, at.level};
        const int64_t from = Banded ? band->low[at.i] : 0;
        const floats diagonal = from == 0 ? edge(at, band, at.i - 1) : load(at.row + (from - 1) * kFloats);
        floats left[T];
        SEAMARK_UNROLL for (int t = 0; t < T; ++t) left[t] = from == 0 ? edge(at, band, at.i + t) : outside<R>();
        rows<T>(tile, band, diagonal, left);
        // The next tile may begin in the same column: what is left of it lies outside the band.
        if (Banded && band->low[at.i + T - 1] > 0) store(at.row + (band->low[at.i + T - 1] - 1) * kFloats, outside<R>());
    }

    // The row above the first: the way that leads along the series' start.
    static void start(const ElasticBlock* block, const DtwBand* band, float* row) {
        for (int64_t j = 0; j < block->series.longest; ++j) {
            const floats there = block->top ? load(block->top + j * kFloats) : outside<R>();
            store(row + j * kFloats, Banded && block->top ? LaneBand::of(band, 0).keep(j, there, outside<R>()) : there);
        }
    }

    static void run(const ElasticJob* job, const ElasticBlock* block, const DtwBand* band) {
        for (int64_t s = 0; s < job->series.count; ++s) {
            const int64_t which = job->series.which[s], n = job->series.lengths[which];
            float* row = job->series.row;
            ElasticTile<C, 1> at{Series<C>::of(&job->series, which), block, job, job->steps[which], 0, row, floats{}};
            if (job->levels) at.level = larger(broadcast(job->levels[which]), load(block->level));
            start(block, band, row);
            const auto together = [&] { return at.i + 4 <= n && (!Banded || band->low[at.i + 3] <= band->high[at.i]); };
            while (at.i < n && !stopped(job->series.stop)) together() ? (tile<4>(at, band), at.i += 4) : (tile<1>(at, band), at.i += 1);
            if (stopped(job->series.stop)) return;
            float* out = job->series.out + which * job->series.stride;
            for (int64_t lane = 0; lane < block->series.used; ++lane) {
                const int64_t j = block->series.lengths[lane] - 1;
                const bool inside = !Banded || (band->low[n - 1] <= j && j < band->high[n - 1]);
                out[block->series.columns[lane]] = inside ? row[j * kFloats + lane] : kInfinity;
            }
        }
    }
};

template <ElasticRule R>
void by_band(const ElasticJob* job, const ElasticBlock* block, const DtwBand* band) {
    if (job->series.channels == 1) return band ? Elastic<R, 1, true>::run(job, block, band) : Elastic<R, 1, false>::run(job, block, band);
    if constexpr (R != ElasticRule::moves)
        band ? Elastic<R, 0, true>::run(job, block, band) : Elastic<R, 0, false>::run(job, block, band);
}

}  // namespace

void elastic(const ElasticJob* job, const ElasticBlock* block, const DtwBand* band) {
    switch (job->rule) {
        case ElasticRule::weighted: return by_band<ElasticRule::weighted>(job, block, band);
        case ElasticRule::penalised: return by_band<ElasticRule::penalised>(job, block, band);
        case ElasticRule::gaps: return by_band<ElasticRule::gaps>(job, block, band);
        case ElasticRule::edits: return by_band<ElasticRule::edits>(job, block, band);
        case ElasticRule::common: return by_band<ElasticRule::common>(job, block, band);
        case ElasticRule::moves: return by_band<ElasticRule::moves>(job, block, band);
        case ElasticRule::stiff: return by_band<ElasticRule::stiff>(job, block, band);
    }
}

}  // namespace SEAMARK_ISA
}  // namespace seamark
