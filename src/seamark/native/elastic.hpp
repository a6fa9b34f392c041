// Plain structures that the plan of elastic measures hands to the kernels of every instruction set.
#pragma once

#include <cstdint>

#include "dtw.hpp"

namespace seamark {

// What a cell costs, and what the edges of the matrix hold.
enum class ElasticRule : int {
    weighted,   // WDTW: squares times a weight of |i - j|
    penalised,  // ADTW: squares, and a penalty for every step off the diagonal
    gaps,       // ERP: distances; a step in one series alone costs its distance to the gap value
    edits,      // EDR: 0 or 1 by a threshold; a step in one series alone costs 1; edges are free
    common,     // LCSS: counts what matches by a threshold; the largest count is wanted
    moves,      // MSM: distances; splits and merges cost by where they lie; one channel
    stiff       // TWE: distances of this and the last step; series come with a step of origin before them
};

// A block of landmarks, and what its rule knows of each step before any series comes.
struct ElasticBlock {
    DtwBlock series;
    const float* left;   // [step][lane]: cost of a step in the landmark alone; null where a rule has none
    const float* top;    // [step][lane]: the edge above the first row; null: no way leads there
    const float* level;  // [lane]: thresholds
};

struct ElasticJob {
    DtwJob series;
    ElasticRule rule;
    const float* up;            // of all series: cost of a step in the series alone; null as above
    const float* edge;          // of all series: the edge before the first column
    const int64_t* steps;       // where a series' part of `up` and `edge` begins
    const float* levels;        // thresholds of the series
    const float* weights;       // [|i - j|][lane]
    float penalty;              // the rule's number: a penalty, a cost of splits, twice the stiffness
};

}  // namespace seamark
