// Smallest distance of short windows to any place of a series; places in lanes.
//
// Neighbouring places read neighbouring values, whatever the dilation: so registers are filled without gathering, and
// windows need not come in groups of a register's width. Several windows share each value that is read.
#include "subsequence.hpp"

#include "fused.hpp"

namespace seamark {
namespace SEAMARK_ISA {

namespace {

#if SEAMARK_VECTOR_BYTES == 64
constexpr bool kWide = true;  // 32 registers: four windows by four registers of places
#else
constexpr bool kWide = false;
#endif

// One value after another of W windows against P registers of places: adds to sums.
template <int W, int P, bool Raw>
SEAMARK_INLINE void one_channel(const float* x, const float* weights, int64_t length, int64_t dilation, floats (*sums)[P]) {
    for (int64_t j = 0; j < length; ++j, x += dilation, weights += W) {
        floats values[P];
        SEAMARK_UNROLL for (int q = 0; q < P; ++q) values[q] = load(x + q * kFloats);
        SEAMARK_UNROLL for (int w = 0; w < W; ++w) {
            const floats weight = broadcast(weights[w]);
            SEAMARK_UNROLL for (int q = 0; q < P; ++q) {
                if (Raw) {
                    const floats d = values[q] - weight;
                    sums[w][q] = multiply_add(d, d, sums[w][q]);
                } else {
                    sums[w][q] = multiply_add(values[q], weight, sums[w][q]);
                }
            }
        }
    }
}

// Of P registers of places from p on: what is said of each, as take(window, register, said).
template <int W, int P, bool Raw, bool Many, class Take>
SEAMARK_INLINE void places(const SubsequenceJob* job, const float* weights, int64_t p, Take take) {
    floats total[W][P] = {};
    for (int64_t c = 0; c < (Many ? job->channels : 1); ++c, weights += job->length * W) {
        floats sums[W][P] = {};
        one_channel<W, P, Raw>(job->x[c] + p, weights, job->length, job->dilation, sums);
        SEAMARK_UNROLL for (int q = 0; q < P; ++q) {
            const floats inverse = Raw ? floats{} : load(job->inverse[c] + p + q * kFloats);
            const floats bias = load(job->bias[c] + p + q * kFloats);
            SEAMARK_UNROLL for (int w = 0; w < W; ++w) {
                const floats sum = Raw ? bias + sums[w][q] : multiply_add(-sums[w][q], inverse, bias);
                total[w][q] = Many ? total[w][q] + sum : sum;
            }
        }
    }
    SEAMARK_UNROLL for (int w = 0; w < W; ++w)
        SEAMARK_UNROLL for (int q = 0; q < P; ++q) take(w, q, total[w][q]);
}

template <int W, bool Raw, bool Many>
void windows(const SubsequenceJob* job, const float* weights, float* out) {
    floats best[W];
    SEAMARK_UNROLL for (int w = 0; w < W; ++w) best[w] = broadcast(kInfinity);
    const auto take = [&](int w, int, floats said) { best[w] = least(best[w], said); };
    constexpr int64_t four = 4 * kFloats, two = 2 * kFloats;
    int64_t p = 0;
    for (; p + four <= job->padded; p += four) places<W, 4, Raw, Many>(job, weights, p, take);
    if (p + two <= job->padded) places<W, 2, Raw, Many>(job, weights, p, take), p += two;
    if (p < job->padded) places<W, 1, Raw, Many>(job, weights, p, take);
    SEAMARK_UNROLL for (int w = 0; w < W; ++w) out[w] = least_lane(best[w]);
}

template <bool Raw, bool Many>
void all_windows(const SubsequenceJob* job) {
    const int64_t size = job->channels * job->length;
    const float* weights = job->weights;
    int64_t w = 0;
    const auto take = [&](auto run, int64_t count) {
        run(job, weights, job->best + w);
        weights += count * size;
        w += count;
    };
    if (kWide)
        while (w + 4 <= job->windows) take(windows<4, Raw, Many>, 4);
    while (w + 2 <= job->windows) take(windows<2, Raw, Many>, 2);
    if (w < job->windows) take(windows<1, Raw, Many>, 1);
}

}  // namespace

void subsequence(const SubsequenceJob* job) {
    const auto run = job->inverse ? (job->channels > 1 ? all_windows<false, true> : all_windows<false, false>)
                                  : (job->channels > 1 ? all_windows<true, true> : all_windows<true, false>);
    run(job);
}

namespace {

template <int P>
SEAMARK_INLINE void spread(const SpreadJob* job, int64_t p) {
    const float length = (float)job->length;
    const floats share = broadcast(1.0f / length), none{};
    // Sums of `length` products of numbers up to |mean| + root(length) deviations and weights up to length in all; twice,
    // for the deviation is rounded too, and twice more to be sure.
    const floats rounding = broadcast(4.0f * 6e-8f * length * length), most = broadcast(__builtin_sqrtf(length));
    floats mean[P] = {}, square[P] = {};
    for (int64_t j = 0; j < job->length; ++j)
        SEAMARK_UNROLL for (int q = 0; q < P; ++q) mean[q] += load(job->x + p + j * job->dilation + q * kFloats);
    SEAMARK_UNROLL for (int q = 0; q < P; ++q) mean[q] *= share;
    for (int64_t j = 0; j < job->length; ++j)
        SEAMARK_UNROLL for (int q = 0; q < P; ++q) {
            const floats d = load(job->x + p + j * job->dilation + q * kFloats) - mean[q];
            square[q] = multiply_add(d, d, square[q]);
        }
    SEAMARK_UNROLL for (int q = 0; q < P; ++q) {
        const floats deviation = root(square[q] * share);
        const ints shaped = deviation > job->flat;
        const floats inverse = (floats)((ints)(1.0f / deviation) & shaped);
        const floats size = mean[q] < none ? -mean[q] : mean[q];
        store(job->inverse + p + q * kFloats, inverse);
        store(job->error + p + q * kFloats, rounding * multiply_add(size, inverse, most));
        store(job->bias + p + q * kFloats, shaped ? none : broadcast(-0.5f * (float)job->length));
    }
}

}  // namespace

void subsequence_spread(const SpreadJob* job) {
    int64_t p = 0;
    for (; p + 4 * kFloats <= job->padded; p += 4 * kFloats) spread<4>(job, p);
    for (; p < job->padded; p += kFloats) spread<1>(job, p);
    for (p = job->places; p < job->padded; ++p) job->inverse[p] = 0.0f, job->bias[p] = kInfinity;
}

namespace {

// Adds what one channel says of a register of places to `sums`; series are readable beyond their last place.
void exact_channel(const ExactJob* job, int64_t c, int64_t from, double* sums) {
    const double *x = job->x[c] + from, *weights = job->weights + c * job->length;
    double sum[kFloats] = {};
    if (!job->spread) {
        for (int64_t j = 0; j < job->length; ++j, x += job->dilation)
            for (int p = 0; p < kFloats; ++p) sum[p] += (x[p] - weights[j]) * (x[p] - weights[j]);
        for (int p = 0; p < kFloats; ++p) sums[p] += sum[p];
        return;
    }
    const double *mean = job->spread[c] + from, *inverse = mean + job->room, *flat = inverse + job->room;
    for (int64_t j = 0; j < job->length; ++j, x += job->dilation)
        for (int p = 0; p < kFloats; ++p) sum[p] += (x[p] - mean[p]) * weights[j];
    for (int p = 0; p < kFloats; ++p) sums[p] += flat[p] - sum[p] * inverse[p];
}

// How far floats may be off at a register of places.
SEAMARK_INLINE floats error_at(const ExactJob* job, int64_t p) {
    floats error = broadcast(job->slack);
    for (int64_t c = 0; job->spread && c < job->channels; ++c) error += load(job->error[c] + p);
    return error;
}

// The best place in doubles, among those that no other is sure to be better than.
template <bool Raw>
void exact(ExactJob* job, const SubsequenceJob* near) {
    floats above = broadcast(kInfinity);  // the best is not above this
    int64_t from = 0;
    const auto keep = [&](int, int q, floats said) {
        store(job->said + from + q * kFloats, said);
        above = least(above, said + error_at(job, from + q * kFloats));
    };
    for (; from + 4 * kFloats <= job->padded; from += 4 * kFloats) places<1, 4, Raw, true>(near, near->weights, from, keep);
    for (; from < job->padded; from += kFloats) places<1, 1, Raw, true>(near, near->weights, from, keep);
    const float bar = least_lane(above);
    for (int64_t p = 0; p < job->padded && job->best > job->least; p += kFloats) {
        if (least_lane(load(job->said + p) - error_at(job, p)) > bar) continue;
        double sums[kFloats] = {};
        for (int64_t c = 0; c < job->channels; ++c) exact_channel(job, c, p, sums);
        for (int q = 0; q < kFloats && p + q < job->places; ++q) job->best = sums[q] < job->best ? sums[q] : job->best;
    }
}

}  // namespace

void subsequence_exact_spread(const ExactSpreadJob* job) {
    const double length = (double)job->length;
    for (int64_t from = 0; from < job->padded; from += kFloats) {
        const double* x = job->x + from;
        double mean[kFloats] = {}, square[kFloats] = {};
        for (int64_t j = 0; j < job->length; ++j)
            for (int p = 0; p < kFloats; ++p) mean[p] += x[p + j * job->dilation];
        for (int p = 0; p < kFloats; ++p) mean[p] /= length;
        for (int64_t j = 0; j < job->length; ++j)
            for (int p = 0; p < kFloats; ++p) {
                const double d = x[p + j * job->dilation] - mean[p];
                square[p] += d * d;
            }
        for (int p = 0; p < kFloats; ++p) {
            const double deviation = __builtin_sqrt(square[p] / length);
            const bool flat = job->bias[from + p] < 0.0f || !(deviation > 0.0);
            job->mean[from + p] = mean[p];
            job->inverse[from + p] = flat ? 0.0 : 1.0 / deviation;
            job->flat[from + p] = flat ? -0.5 * length : 0.0;
        }
    }
}

void subsequence_exact(ExactJob* job, const SubsequenceJob* near) {
    job->best = __builtin_inf();
    job->spread ? exact<false>(job, near) : exact<true>(job, near);
}

}  // namespace SEAMARK_ISA
}  // namespace seamark
