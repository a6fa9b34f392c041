#include "convolution_plan.hpp"

#include <tuple>

#include "dtw_layout.hpp"

SEAMARK_DECLARE_KERNEL(convolution, const ConvolutionJob*)
SEAMARK_DECLARE_KERNEL(convolution_taps, const TapsJob*)

namespace seamark {

namespace {

// The three places, of nine, of kernel k: combinations in lexical order.
void taps_of(int64_t k, int64_t* taps) {
    for (int64_t a = 0; a < kTaps; ++a)
        for (int64_t b = a + 1; b < kTaps; ++b)
            for (int64_t c = b + 1; c < kTaps; ++c)
                if (k-- == 0) taps[0] = a, taps[1] = b, taps[2] = c;
}

}  // namespace

ConvolutionPlan::ConvolutionPlan(const ConvolutionArrays& arrays, int64_t n_channels, Isa isa)
    : n_features_(arrays.n_features), n_channels_(n_channels), lanes_(lanes_of(isa)), isa_(isa) {
    std::vector<int64_t> order(arrays.n_features);
    std::iota(order.begin(), order.end(), 0);
    const auto channels = [&](int64_t i) {
        return std::vector<int64_t>(arrays.channels + arrays.channel_offsets[i], arrays.channels + arrays.channel_offsets[i + 1]);
    };
    std::vector<std::tuple<int64_t, std::vector<int64_t>, bool, int64_t, int64_t>> keys;
    for (int64_t i = 0; i < arrays.n_combinations; ++i)
        keys.emplace_back(arrays.dilations[i], channels(i), arrays.padded[i] != 0, arrays.kernels[i], i);
    const auto key = [&](int64_t feature) -> const auto& { return keys[arrays.owners[feature]]; };
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return key(a) < key(b); });
    for (const int64_t feature : order) {
        const auto& [dilation, own, padded, kernel, i] = key(feature);
        const bool fresh = columns_.empty() || arrays.owners[columns_.back()] != i;
        if (fresh && (groups_.empty() || groups_.back().dilation != dilation || groups_.back().padded != padded ||
                      groups_.back().channels != own))
            groups_.push_back({dilation, padded, own, {}});
        if (fresh) {
            int64_t taps[3] = {};
            taps_of(kernel, taps);
            for (int64_t& tap : taps) tap = (tap - kTaps / 2) * dilation;
            groups_.back().kernels.push_back({taps[0], taps[1], taps[2], (int64_t)columns_.size(), 0});
        }
        groups_.back().kernels.back().count += 1;
        columns_.push_back(feature);
        biases_.push_back((float)arrays.biases[feature]);
    }
}

// One series against all groups.
class ConvolutionPlan::Call {
   public:
    explicit Call(const ConvolutionPlan& plan) : plan_(plan), counts_(plan.biases_.size()) {}

    void run(const double* values, int64_t steps, float* out, const uint8_t* stop) {
        const Group* before = nullptr;
        for (const Group& group : plan_.groups_) {
            if (__atomic_load_n(stop, __ATOMIC_RELAXED)) return;
            if (!before || before->dilation != group.dilation || before->channels != group.channels) lay_out(values, steps, group);
            before = &group;
            compare(group, out);
        }
    }

   private:
    // The sum of the channels, between zeros; a kernel is the same in all, so it is applied once.
    void lay_out(const double* values, int64_t steps, const Group& group) {
        const int64_t reach = kTaps / 2 * group.dilation;
        length_ = std::max(steps, 2 * reach + 1);  // a series shorter than a kernel repeats its last value
        x_.assign(length_ + 2 * reach + 2 * plan_.lanes_, 0.0f);
        float* x = x_.data() + reach;
        for (int64_t i = 0; i < length_; ++i) {
            double sum = 0.0;
            for (const int64_t c : group.channels) sum += values[std::min(i, steps - 1) * plan_.n_channels_ + c];
            x[i] = (float)sum;
        }
    }

    void compare(const Group& group, float* out) {
        const int64_t reach = kTaps / 2 * group.dilation, from = group.padded ? 0 : reach, places = length_ - 2 * from;
        const int64_t whole = (places + plan_.lanes_ - 1) / plan_.lanes_ * plan_.lanes_;
        sums_.resize(whole);
        const float* x = x_.data() + reach + from;
        const TapsJob taps{x, group.dilation, places, whole, sums_.data()};
        convolution_taps(plan_.isa_)(&taps);
        const ConvolutionJob job{x, sums_.data(), whole, group.kernels.data(), (int64_t)group.kernels.size(), plan_.biases_.data(),
                                 counts_.data()};
        convolution(plan_.isa_)(&job);
        const double share = 1.0 / (double)places;
        const int64_t first = group.kernels.front().first, end = group.kernels.back().first + group.kernels.back().count;
        for (int64_t k = first; k < end; ++k) out[plan_.columns_[k]] = (float)(counts_[k] * share);
    }

    const ConvolutionPlan& plan_;
    int64_t length_ = 0;
    std::vector<float> x_, sums_;
    std::vector<int32_t> counts_;
};

void ConvolutionPlan::run(const double* values, const int64_t* offsets, int64_t n, float* out, int64_t stride,
                          const uint8_t* stop) const {
    Call call(*this);
    for (int64_t s = 0; s < n && !__atomic_load_n(stop, __ATOMIC_RELAXED); ++s)
        call.run(values + offsets[s] * n_channels_, offsets[s + 1] - offsets[s], out + s * stride, stop);
}

}  // namespace seamark
