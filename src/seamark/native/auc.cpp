// OLP with a linear AUC loss: for every point one gradient step against the buffer, then the buffer's moves.
#include <math.h>

#include "auc.hpp"
#include "simd.hpp"

namespace seamark {
namespace SEAMARK_ISA {

namespace {

// Eight partial sums on every instruction set: all builds give the same bits.
typedef double doubles __attribute__((vector_size(64)));
constexpr int64_t kDoubles = 8;

double dot(const double* a, const double* b, int64_t d) {
    doubles sum = {};
    int64_t k = 0;
    for (; k + kDoubles <= d; k += kDoubles) {
        doubles x, y;
        memcpy(&x, a + k, sizeof x);
        memcpy(&y, b + k, sizeof y);
        sum += x * y;
    }
    for (int i = 0; k < d; ++k, ++i) sum[i] += a[k] * b[k];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

void add_multiple(double* y, double c, const double* x, int64_t d) {
    for (int64_t k = 0; k < d; ++k) y[k] += c * x[k];
}

double value(Surrogate phi, double m) {
    switch (phi) {
        case Surrogate::hinge: return m < 1 ? 1 - m : 0;
        case Surrogate::squared: return (1 - m) * (1 - m);
        case Surrogate::logistic: return m > 0 ? log1p(exp(-m)) : log1p(exp(m)) - m;
        default: return exp(-m < 50 ? -m : 50);
    }
}

double slope(Surrogate phi, double m) {
    switch (phi) {
        case Surrogate::hinge: return m < 1 ? -1 : 0;
        case Surrogate::squared: return -2 * (1 - m);
        case Surrogate::logistic: return -1 / (1 + exp(m));
        default: return -exp(-m < 50 ? -m : 50);
    }
}

// Loss and gradient of one problem: class `positive` against the rest.
double descend(const AucJob& job, const double* x, int64_t label, int64_t positive, const double* w, double* gradient) {
    const bool is_positive = label == positive;
    const double sign = is_positive ? 1 : -1, own = dot(w, x, job.d);
    double loss = 0, total = 0;
    int64_t n_opposite = 0;
    for (int64_t j = 0; j < job.n_filled; ++j) {
        job.slopes[j] = 0;
        if ((job.known[j] == positive) == is_positive) continue;
        ++n_opposite;
        const double margin = sign * (own - dot(w, job.points + j * job.d, job.d));
        loss += value(job.surrogate, margin);
        job.slopes[j] = sign * slope(job.surrogate, margin);
        total += job.slopes[j];
    }
    for (int64_t k = 0; k < job.d; ++k) gradient[k] = 0;
    if (n_opposite == 0) return 0;
    const double share = 1.0 / (job.opposite ? n_opposite : job.n_filled);
    add_multiple(gradient, total * share, x, job.d);
    for (int64_t j = 0; j < job.n_filled; ++j)
        if (job.slopes[j] != 0) add_multiple(gradient, -share * job.slopes[j], job.points + j * job.d, job.d);
    return loss * share;
}

double rate(AucJob& job) {
    if (job.schedule == Schedule::sqrt) return job.eta / ::sqrt((double)job.t);
    if (job.schedule == Schedule::linear) return job.eta / job.t;
    const double norm = dot(job.gradient, job.gradient, job.problems * job.d);
    job.squares[0] += norm;
    if (norm > job.squares[1]) job.squares[1] = norm;
    return job.squares[0] > 0 ? job.eta / ::sqrt(job.squares[0] * job.squares[1]) : 0;
}

void project(double* w, int64_t d, double radius) {
    if (isinf(radius)) return;
    const double norm = ::sqrt(dot(w, w, d));
    if (norm <= radius) return;
    for (int64_t k = 0; k < d; ++k) w[k] *= radius / norm;
}

double learn(AucJob& job, const double* x, int64_t label) {
    const int64_t size = job.problems * job.d;
    for (int64_t k = 0; k < size; ++k) job.sum[k] += job.w[k];
    double loss = 0;
    for (int64_t p = 0; p < job.problems; ++p)
        loss += descend(job, x, label, job.problems == 1 ? 1 : p, job.w + p * job.d, job.gradient + p * job.d);
    add_multiple(job.w, -rate(job), job.gradient, size);
    for (int64_t p = 0; p < job.problems; ++p) project(job.w + p * job.d, job.d, job.radius);
    return loss;
}

// Rows of no columns have no address, which memcpy must not be given even for nothing.
void copy(double* to, const double* from, int64_t count) {
    if (count > 0) memcpy(to, from, sizeof(double) * count);
}

// Moves [from, to) of one step, at once: copies between slots read what was there before.
void place(AucJob& job, const double* x, int64_t label, int64_t from, int64_t to) {
    bool between = false;
    for (int64_t m = from; m < to; ++m) between |= job.source[m] >= 0;
    if (between) {
        copy(job.copies, job.points, job.d * job.slots);
        memcpy(job.labels_before, job.known, sizeof(int64_t) * job.slots);
    }
    for (int64_t m = from; m < to; ++m) {
        const int64_t slot = job.slot[m], source = job.source[m];
        copy(job.points + slot * job.d, source < 0 ? x : job.copies + source * job.d, job.d);
        job.known[slot] = source < 0 ? label : job.labels_before[source];
        if (slot >= job.n_filled) job.n_filled = slot + 1;
    }
}

}  // namespace

void auc(AucJob* job) {
    int64_t move = 0;
    for (int64_t i = 0; i < job->n; ++i) {
        const double* x = job->X + i * job->d;
        ++job->t;
        job->losses[i] = job->n_filled > 0 ? learn(*job, x, job->labels[i]) : 0;
        int64_t end = move;
        while (end < job->n_moves && job->step[end] == i) ++end;
        if (end > move) place(*job, x, job->labels[i], move, end);
        move = end;
    }
}

}  // namespace SEAMARK_ISA
}  // namespace seamark
