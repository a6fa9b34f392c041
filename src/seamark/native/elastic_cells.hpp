// The cells of elastic measures: what a step along either series, or both, costs.
#pragma once

#include "dtw_cells.hpp"
#include "elastic.hpp"

namespace seamark {
namespace SEAMARK_ISA {

SEAMARK_INLINE floats larger(floats a, floats b) { return a > b ? a : b; }

constexpr bool counts(ElasticRule rule) { return rule == ElasticRule::common; }

// What a cell holds to which no way leads.
template <ElasticRule R>
SEAMARK_INLINE floats outside() {
    return counts(R) ? floats{} : broadcast(kInfinity);
}

// Local costs of T rows and one column: distances where `Root`, else squares.
template <int C, bool Root, int T>
SEAMARK_INLINE void distances(const Series<C>& x, const float* y, floats* cost) {
    if (C == 1 && Root) {
        SEAMARK_UNROLL for (int t = 0; t < T; ++t) cost[t] = absolute(load(y) - x.at(t, 0));
    } else {
        local_costs<C, Root, T>(x, y, cost);
    }
}

// Cost of a split or merge to `a`, whose neighbour in its own series is `b`: little if it lies between `b` and `c`.
SEAMARK_INLINE floats split_cost(floats a, floats b, floats c, floats penalty) {
    const floats to_b = a - b, to_c = a - c;
    // Between: the differences have other signs, or one is 0.
    const floats away = smaller(absolute(to_b), absolute(to_c));
    return penalty + (to_b * to_c <= 0.0f ? floats{} : away);
}

// Rows of the matrix that are worked on together.
template <int C, int T>
struct ElasticTile {
    Series<C> x;
    const ElasticBlock* block;
    const ElasticJob* job;
    int64_t base;      // where the series' part of the job's `up` and `edge` begins
    int64_t i;         // number of the first row
    float* row;        // the row above, then the last of the tile
    floats level;      // of the series and the landmarks
};

// One column of T rows: `left` holds the column before and receives this one; `last` are local costs of the column
// before, from the row above on (TWE).
template <ElasticRule R, int C, int T>
struct ElasticColumn {
    static constexpr bool kRoot = R == ElasticRule::gaps || R == ElasticRule::moves || R == ElasticRule::stiff;

    floats cost[T + 1];  // of TWE from the row above on

    __attribute__((always_inline)) ElasticColumn(const ElasticTile<C, T>& tile, const float* y) {
        if constexpr (R == ElasticRule::stiff)
            distances<C, kRoot, T + 1>(tile.x.from(-1), y, cost);
        else
            distances<C, kRoot, T>(tile.x, y, cost);
    }

    __attribute__((always_inline)) floats cell(const ElasticTile<C, T>& tile, int t, int64_t j, const floats* last,
                                               floats diagonal, floats up, floats left) const {
        const float number = tile.job->penalty;
        const int64_t i = tile.i + t, apart = i > j ? i - j : j - i;
        if constexpr (R == ElasticRule::weighted) {
            return multiply_add(cost[t], load(tile.job->weights + apart * kFloats), smaller(smaller(diagonal, left), up));
        } else if constexpr (R == ElasticRule::penalised) {
            return smaller(smaller(diagonal, left + number), up + number) + cost[t];
        } else if constexpr (R == ElasticRule::common) {
            return cost[t] <= tile.level ? diagonal + 1.0f : larger(left, up);
        } else if constexpr (R == ElasticRule::edits) {
            const ints match = (cost[t] < tile.level) | (cost[t] == 0.0f);
            const floats both = match ? diagonal : diagonal + 1.0f;
            return smaller(smaller(both, left + 1.0f), up + 1.0f);
        } else if constexpr (R == ElasticRule::gaps) {
            const floats both = smaller(diagonal + cost[t], left + load(tile.block->left + j * kFloats));
            return smaller(both, up + tile.job->up[tile.base + i]);
        } else if constexpr (R == ElasticRule::stiff) {
            const floats same = diagonal + ((cost[t + 1] + last[t]) + number * (float)apart);
            return smaller(smaller(same, left + load(tile.block->left + j * kFloats)), up + tile.job->up[tile.base + i]);
        } else {
            const float* y = tile.block->series.values + j * kFloats;
            const floats own = broadcast(tile.x.at(t, 0)), penalty = broadcast(number);
            const floats before = broadcast(i ? tile.x.at(t - 1, 0) : tile.x.at(t, 0));
            const floats here = load(y), there = load(j ? y - kFloats : y);
            const floats both = smaller(diagonal + cost[t], left + split_cost(here, there, own, penalty));
            return smaller(both, up + split_cost(own, before, here, penalty));
        }
    }
};

}  // namespace SEAMARK_ISA
}  // namespace seamark
