// What the AUC kernel is given: a block of points, what becomes of the buffer, and the learner's state.
#pragma once

#include <cstdint>

namespace seamark {

enum class Surrogate : int { hinge = 0, squared = 1, logistic = 2, exponential = 3 };
enum class Schedule : int { sqrt = 0, linear = 1, adaptive = 2 };

struct AucJob {
    const double* X;        // [n][d]
    const int64_t* labels;  // class numbers
    int64_t n, d, problems;  // one problem for two classes, else one for each class against the rest
    const int64_t *step, *slot, *source;  // moves, in the order of steps; source -1 is the point of the step
    int64_t n_moves;
    double* points;   // [slots][d], the buffer
    int64_t* known;   // their class numbers
    int64_t slots;
    double *w, *sum;  // [problems][d]: the parameter, and the sum of all before a step
    double* squares;  // of gradient norms: their sum and the largest
    double* losses;   // [n]
    int64_t n_filled, t;  // slots in use, points seen
    Surrogate surrogate;
    bool opposite;  // divide by the points of the other class instead of all
    Schedule schedule;
    double eta, radius;
    double* gradient;  // scratch [problems][d]
    double* slopes;    // scratch [slots]
    double* copies;    // scratch [slots][d]
    int64_t* labels_before;  // scratch [slots]
};

}  // namespace seamark
