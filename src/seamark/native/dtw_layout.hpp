// What plans of warping measures share: the series of one call in the kernels' layout, and bands. Compiled once.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "dtw_plan.hpp"
#include "split.hpp"

namespace seamark {

inline int64_t lanes_of(Isa isa) { return isa == Isa::v4 ? 16 : isa == Isa::v3 ? 8 : 4; }

// The band of one block and one series length; kept while neither changes.
class BandScratch {
   public:
    const DtwBand* get(const DtwWindow& window, const DtwBlock& block, int64_t rows, int64_t lanes) {
        // A band in steps is the same for all lanes: columns beyond a lane's end do no harm.
        const bool shared = window.steps >= 0 || block.lengths[0] == block.longest;
        if (shared) {
            if (shared_ && rows == rows_ && block.longest == columns_) return &band_;
            union_ = dtw_bounds(window, rows, block.longest);
            band_ = {union_.low.data(), union_.high.data(), nullptr, nullptr, nullptr, nullptr};
        } else {
            mix(window, block, rows, lanes);
        }
        shared_ = shared, rows_ = rows, columns_ = block.longest;
        return &band_;
    }

   private:
    void mix(const DtwWindow& window, const DtwBlock& block, int64_t rows, int64_t lanes) {
        lane_.low.resize(rows * lanes);
        lane_.high.resize(rows * lanes);
        DtwBounds one;
        for (int64_t lane = 0; lane < lanes; ++lane) {
            // Lanes are sorted by length: equal ones follow each other; unused ones repeat the last.
            if (lane == 0 || (lane < block.used && block.lengths[lane] != block.lengths[lane - 1]))
                one = dtw_bounds(window, rows, block.lengths[lane]);
            if (lane == 0) union_ = core_ = one;
            for (int64_t i = 0; i < rows; ++i) {
                lane_.low[i * lanes + lane] = one.low[i];
                lane_.high[i * lanes + lane] = one.high[i];
                union_.low[i] = std::min(union_.low[i], one.low[i]);
                union_.high[i] = std::max(union_.high[i], one.high[i]);
                core_.low[i] = std::max(core_.low[i], one.low[i]);
                core_.high[i] = std::min(core_.high[i], one.high[i]);
            }
        }
        band_ = {union_.low.data(), union_.high.data(), core_.low.data(), core_.high.data(), lane_.low.data(), lane_.high.data()};
    }

    DtwBounds union_, core_, lane_;
    DtwBand band_{};
    bool shared_ = false;
    int64_t rows_ = -1, columns_ = -1;
};

// The series of one call as the kernels want them: in float32, or in two parts each and channel-major.
class SeriesLayout {
   public:
    SeriesLayout(const double* values, const int64_t* offsets, int64_t n, int64_t channels, bool channel_major, bool in_parts)
        : channel_major_(channel_major), starts_(n), lengths_(n), pitches_(n), order_(n) {
        int64_t total = 0;
        for (int64_t s = 0; s < n; ++s) {
            lengths_[s] = offsets[s + 1] - offsets[s];
            // An odd number of cache lines: the channels of one time step then fall into different cache sets.
            pitches_[s] = ((lengths_[s] + 15) / 16 | 1) * 16;
            starts_[s] = total;
            total += (channel_major ? pitches_[s] : lengths_[s]) * channels * (in_parts ? 2 : 1);
        }
        std::iota(order_.begin(), order_.end(), 0);
        std::stable_sort(order_.begin(), order_.end(), [&](int64_t a, int64_t b) { return lengths_[a] < lengths_[b]; });
        values_ = aligned_floats(total);
        for (int64_t s = 0; s < n; ++s) copy(values + offsets[s] * channels, channels, s, in_parts);
    }

    void fill(DtwJob& job) const {
        job.values = values_.get(), job.channel_major = channel_major_;
        job.starts = starts_.data(), job.lengths = lengths_.data(), job.pitches = pitches_.data();
        job.which = order_.data(), job.count = (int64_t)order_.size();
    }

   private:
    void copy(const double* from, int64_t channels, int64_t s, bool in_parts) {
        float* to = values_.get() + starts_[s];
        const int64_t length = lengths_[s], pitch = pitches_[s];
        if (!channel_major_)
            for (int64_t k = 0; k < length * channels; ++k) to[k] = (float)from[k];
        else if (!in_parts)
            for (int64_t k = 0; k < channels; ++k)
                for (int64_t i = 0; i < length; ++i) to[k * pitch + i] = (float)from[i * channels + k];
        else
            for (int64_t k = 0; k < channels; ++k)
                for (int64_t i = 0; i < length; ++i) {
                    const Parts value = split(from[i * channels + k]);
                    to[2 * k * pitch + i] = value.high;
                    to[(2 * k + 1) * pitch + i] = value.low;
                }
    }

    bool channel_major_;
    AlignedFloats values_;
    std::vector<int64_t> starts_, lengths_, pitches_;
    std::vector<int64_t> order_;  // series sorted by length: those that share a band follow each other
};

}  // namespace seamark
