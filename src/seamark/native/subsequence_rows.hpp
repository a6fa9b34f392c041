// A series as the subsequence kernels want it. Compiled once: std is allowed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace seamark {

// Of the size of values: what varies less is rounding.
constexpr double kRounding = 1e-14;

inline int64_t whole_registers(int64_t count, int64_t lanes) { return (count + lanes - 1) / lanes * lanes; }

inline double largest_of(const double* values, int64_t count) {
    double largest = 0.0;
    for (int64_t i = 0; i < count; ++i) largest = std::max(largest, std::fabs(values[i]));
    return largest;
}

// Takes the mean of the first `own` values off all. Twice: the first mean of far-off values has few digits.
inline double centre(double* values, int64_t own, int64_t count) {
    double total = 0.0;
    for (int turn = 0; turn < 2; ++turn) {
        double mean = 0.0;
        for (int64_t i = 0; i < own; ++i) mean += values[i];
        mean /= (double)own;
        for (int64_t i = 0; i < count; ++i) values[i] -= mean;
        total += mean;
    }
    return total;
}

inline double deviation_of(const double* values, int64_t count) {
    double square = 0.0;
    for (int64_t i = 0; i < count; ++i) square += values[i] * values[i];
    return std::sqrt(square / (double)count);
}

// One series, or its differences, as the kernels want it: channel after channel, centred, with room behind.
class SeriesRows {
   public:
    SeriesRows(const double* values, int64_t steps, int64_t channels, bool differenced, int64_t least, int64_t lanes) {
        own = std::max<int64_t>(steps - differenced, 1);
        length = std::max(own, least);  // a series shorter than a window repeats its last value
        pitch_ = whole_registers(length, lanes) + lanes;
        exact_.assign(channels * pitch_, 0.0);
        scaled_exact_ = exact_;
        raw_.assign(channels * pitch_, 0.0f);
        scaled_ = raw_;
        for (int64_t c = 0; c < channels; ++c) {
            double* x = exact_.data() + c * pitch_;
            const auto at = [&](int64_t i) { return values[std::min(i, steps - 1) * channels + c]; };
            for (int64_t i = 0; i < length; ++i) x[i] = differenced ? at(i + 1) - at(i) : at(i);
            scale(x, c);
        }
    }

    const float* raw(int64_t c) const { return raw_.data() + c * pitch_; }
    const float* scaled(int64_t c) const { return scaled_.data() + c * pitch_; }
    const double* exact(int64_t c) const { return exact_.data() + c * pitch_; }
    const double* scaled_exact(int64_t c) const { return scaled_exact_.data() + c * pitch_; }

    int64_t own, length;  // steps, without and with those repeated
    std::vector<double> means, sizes;  // of each channel; sizes: the largest value, centred

   private:
    void scale(double* x, int64_t c) {
        const double before = largest_of(x, length);
        const std::vector<double> given(x, x + length);
        means.push_back(centre(x, own, length));
        // One subtraction, as of windows: two means taken off one by one are not quite their sum.
        for (int64_t i = 0; i < length; ++i) x[i] = given[i] - means.back();
        sizes.push_back(largest_of(x, length));
        // Where the series itself is constant, what repeated values add is all there is.
        const double deviation = deviation_of(x, own), rounding = kRounding * before;
        const double unit = deviation > rounding ? deviation : sizes.back() > rounding ? sizes.back() : INFINITY;
        for (int64_t i = 0; i < length; ++i) {
            scaled_exact_[c * pitch_ + i] = x[i] / unit;
            scaled_[c * pitch_ + i] = (float)(x[i] / unit);
            raw_[c * pitch_ + i] = (float)x[i];
        }
    }

    int64_t pitch_;
    std::vector<double> exact_, scaled_exact_;
    std::vector<float> raw_, scaled_;
};

}  // namespace seamark
