#include "subsequence_plan.hpp"

#include <tuple>

#include "dtw_layout.hpp"
#include "subsequence_rows.hpp"

SEAMARK_DECLARE_KERNEL(subsequence, const SubsequenceJob*)
SEAMARK_DECLARE_KERNEL(subsequence_spread, const SpreadJob*)
SEAMARK_DECLARE_KERNEL(subsequence_exact_spread, const ExactSpreadJob*)
SEAMARK_DECLARE_KERNEL(subsequence_exact, ExactJob*, const SubsequenceJob*)

namespace seamark {

namespace {

// A value below this share of what it may be is computed again in doubles: a difference of floats has lost its digits.
constexpr double kClose = 3e-4;

// Of the sum of squares: a normalised window that comes as near as this is found; nearer is rounding of doubles, and its
// root is lost in the floats that are returned.
constexpr double kFound = 1e-14;

// Shifts and scales values to mean 0 and deviation 1; a constant to 0. Returns the sum of squares.
double normalise(double* values, int64_t length) {
    const double largest = largest_of(values, length);
    centre(values, length, length);
    const double deviation = deviation_of(values, length);
    const bool constant = !(deviation > kRounding * largest);
    for (int64_t j = 0; j < length; ++j) values[j] = constant ? 0.0 : values[j] / deviation;
    return constant ? 0.0 : (double)length;
}

}  // namespace

SubsequencePlan::SubsequencePlan(const WindowArrays& windows, int64_t n_channels, double flat, Isa isa)
    : n_windows_(windows.n), n_channels_(n_channels), lanes_(lanes_of(isa)), flat_(flat), isa_(isa) {
    std::vector<std::tuple<bool, int64_t, int64_t, bool, std::vector<int64_t>>> keys;
    for (int64_t i = 0; i < windows.n; ++i) {
        const int64_t *ends = windows.channel_offsets + i, values = windows.offsets[i + 1] - windows.offsets[i];
        keys.emplace_back(windows.differenced[i] != 0, values / (ends[1] - ends[0]), windows.dilations[i], windows.normalised[i] != 0,
                          std::vector<int64_t>(windows.channels + ends[0], windows.channels + ends[1]));
    }
    std::vector<int64_t> order(windows.n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return keys[a] < keys[b]; });
    for (auto from = order.begin(); from != order.end();) {
        const auto to = std::find_if(from, order.end(), [&](int64_t i) { return keys[i] != keys[*from]; });
        add(windows, std::vector<int64_t>(from, to));
        from = to;
    }
    weights_.assign(packed_.begin(), packed_.end());
}

void SubsequencePlan::add(const WindowArrays& windows, const std::vector<int64_t>& members) {
    const int64_t one = members[0], *ends = windows.channel_offsets + one;
    Group group{windows.normalised[one] != 0, windows.differenced[one] != 0, 0, windows.dilations[one],
                std::vector<int64_t>(windows.channels + ends[0], windows.channels + ends[1]), members,
                (int64_t)exact_.size(), {}};
    group.length = (windows.offsets[one + 1] - windows.offsets[one]) / (int64_t)group.channels.size();
    for (const int64_t member : members) {
        const int64_t start = (int64_t)exact_.size();
        exact_.insert(exact_.end(), windows.values + windows.offsets[member], windows.values + windows.offsets[member + 1]);
        double size = 0.0;
        for (size_t c = 0; group.normalised && c < group.channels.size(); ++c)
            size += normalise(exact_.data() + start + c * group.length, group.length) + (double)group.length;
        group.sizes.push_back(size);
    }
    pack(group);
    groups_.push_back(group);
}

// How many windows of those left are taken at once.
static int64_t run_of(int64_t left, bool wide) { return wide && left >= 4 ? 4 : left >= 2 ? 2 : 1; }

// Lays windows out as runs of four, two and one; each run holds its windows' values next to each other.
void SubsequencePlan::pack(const Group& group) {
    const int64_t count = (int64_t)group.columns.size(), size = (int64_t)group.channels.size() * group.length;
    const double* from = exact_.data() + group.first;
    for (int64_t w = 0, run; w < count; w += run) {
        run = run_of(count - w, lanes_ == 16);
        for (int64_t k = 0; k < size; ++k)
            for (int64_t i = 0; i < run; ++i) packed_.push_back(from[(w + i) * size + k]);
    }
}

// One series against all groups.
class SubsequencePlan::Call {
   public:
    Call(const SubsequencePlan& plan, const uint8_t* stop) : plan_(plan), stop_(stop) {}

    void run(const double* values, int64_t steps, float* out) {
        out_ = out;
        for (auto group = plan_.groups_.begin(); group != plan_.groups_.end();) {
            const auto same = [&](const Group& g) { return g.differenced == group->differenced; };
            const auto end = std::find_if_not(group, plan_.groups_.end(), same);
            int64_t least = 1;
            for (auto g = group; g != end; ++g) least = std::max(least, (g->length - 1) * g->dilation + 1);
            const SeriesRows rows(values, steps, plan_.n_channels_, group->differenced, least, plan_.lanes_);
            known_.clear();
            for (; group != end; ++group) {
                if (__atomic_load_n(stop_, __ATOMIC_RELAXED)) return;
                compare(*group, rows);
            }
        }
    }

   private:
    void compare(const Group& group, const SeriesRows& rows) {
        places_ = std::max<int64_t>(rows.own - (group.length - 1) * group.dilation, 1);
        padded_ = whole_registers(places_, plan_.lanes_);
        look_up(group, rows);
        best_.resize(group.columns.size());
        const float* weights = group.normalised ? plan_.weights_.data() + group.first : shifted(group, rows);
        const SubsequenceJob job{x_.data(), group.normalised ? inverse_.data() : nullptr, bias_.data(), weights,
                                 (int64_t)group.columns.size(), (int64_t)group.channels.size(), group.length, group.dilation,
                                 padded_, best_.data()};
        subsequence(plan_.isa_)(&job);
        const double limit = raw_limit(group, rows);
        for (size_t w = 0; w < group.columns.size(); ++w) out_[group.columns[w]] = distance(group, rows, w, limit);
    }

    // Where the kernel finds each channel, and how far its places spread; the latter is kept while windows of one
    // length and dilation follow each other.
    void look_up(const Group& group, const SeriesRows& rows) {
        room_ = whole_registers(rows.length, plan_.lanes_);
        if (known_.empty() || group.length != length_ || group.dilation != dilation_) {
            known_.assign(plan_.n_channels_, false);
            exactly_known_ = known_;
            length_ = group.length, dilation_ = group.dilation;
            spreads_.resize(3 * room_ * plan_.n_channels_);
            beyond_.assign(padded_, 0.0f);
            std::fill(beyond_.begin() + places_, beyond_.end(), INFINITY);
        }
        x_.clear(), inverse_.clear(), bias_.clear(), error_.clear();
        for (const int64_t c : group.channels) {
            x_.push_back(group.normalised ? rows.scaled(c) : rows.raw(c));
            float* inverse = spreads_.data() + 3 * room_ * c;
            if (group.normalised && !known_[c]) {
                const SpreadJob job{rows.scaled(c), places_, padded_, length_, dilation_, (float)plan_.flat_, inverse, inverse + room_, inverse + 2 * room_};
                subsequence_spread(plan_.isa_)(&job);
                known_[c] = true;
            }
            inverse_.push_back(inverse), error_.push_back(inverse + 2 * room_);
            bias_.push_back(group.normalised ? inverse + room_ : beyond_.data());
        }
    }

    // Raw windows less the means of the series, which is taken off it too: so offsets cost no digits.
    const float* shifted(const Group& group, const SeriesRows& rows) {
        const int64_t count = (int64_t)group.columns.size();
        weights_.resize(count * group.channels.size() * group.length);
        const double* from = plan_.packed_.data() + group.first;
        float* to = weights_.data();
        for (int64_t w = 0, run; w < count; w += run) {
            run = run_of(count - w, plan_.lanes_ == 16);
            for (const int64_t c : group.channels) {
                const double mean = rows.means[c];
                const int64_t size = group.length * run;
                for (int64_t k = 0; k < size; ++k) to[k] = (float)(from[k] - mean);
                to += size, from += size;
            }
        }
        return weights_.data();
    }

    // What a raw sum of squares must reach so that floats have its digits.
    static double raw_limit(const Group& group, const SeriesRows& rows) {
        double limit = 0.0;
        for (const int64_t c : group.channels) limit += kClose * kClose * rows.sizes[c] * rows.sizes[c] * (double)group.length;
        return limit;
    }

    // In floats, unless their digits are lost.
    float distance(const Group& group, const SeriesRows& rows, size_t w, double raw_limit) {
        const float size = (float)group.sizes[w];
        const float square = group.normalised ? size + 2.0f * best_[w] : best_[w];
        const float limit = group.normalised ? (float)kClose * size : (float)raw_limit;
        if (square >= limit) return std::sqrt(square);
        const double best = exactly(group, rows, w, limit);
        return (float)std::sqrt(std::max(group.normalised ? group.sizes[w] + 2.0 * best : best, 0.0));
    }

    // The best again, in doubles; floats of raw windows are off by at most `slack`.
    double exactly(const Group& group, const SeriesRows& rows, size_t w, double slack) {
        const size_t size = group.channels.size() * group.length;
        const double* values = plan_.exact_.data() + group.first + w * size;
        window_.assign(values, values + size);
        exact_x_.clear(), exact_spread_.clear();
        for (size_t c = 0; c < group.channels.size(); ++c) {
            const int64_t channel = group.channels[c];
            if (group.normalised) exact_spread_.push_back(exact_spread(rows, channel, bias_[c]));
            exact_x_.push_back(group.normalised ? rows.scaled_exact(channel) : rows.exact(channel));
            for (int64_t j = 0; !group.normalised && j < group.length; ++j) window_[c * group.length + j] -= rows.means[channel];
        }
        rounded_.assign(window_.begin(), window_.end());
        const int64_t channels = (int64_t)group.channels.size();
        const SubsequenceJob near{x_.data(), group.normalised ? inverse_.data() : nullptr, bias_.data(), rounded_.data(), 1,
                                  channels, group.length, group.dilation, padded_, nullptr};
        const double least = group.normalised ? (kFound - 1.0) * 0.5 * group.sizes[w] : 0.0;
        said_.resize(padded_);
        ExactJob job{exact_x_.data(), group.normalised ? exact_spread_.data() : nullptr, room_, error_.data(), window_.data(), channels,
                     group.length, group.dilation, places_, padded_, group.normalised ? 0.0f : (float)slack, said_.data(), least, 0.0};
        subsequence_exact(plan_.isa_)(&job, &near);
        return job.best;
    }

    // How far the places of a channel spread, in doubles: once for all windows of one length and dilation.
    const double* exact_spread(const SeriesRows& rows, int64_t channel, const float* bias) {
        exact_spreads_.resize(3 * room_ * plan_.n_channels_);
        double* mean = exact_spreads_.data() + 3 * room_ * channel;
        if (!exactly_known_[channel]) {
            const ExactSpreadJob job{rows.scaled_exact(channel), bias, padded_, length_, dilation_, mean, mean + room_, mean + 2 * room_};
            subsequence_exact_spread(plan_.isa_)(&job);
            exactly_known_[channel] = true;
        }
        return mean;
    }

    const SubsequencePlan& plan_;
    const uint8_t* stop_;
    float* out_ = nullptr;
    int64_t length_ = 0, dilation_ = 0, places_ = 0, padded_ = 0, room_ = 0;
    std::vector<bool> known_, exactly_known_;  // channels whose spread is known
    std::vector<float> spreads_, beyond_, best_, weights_, rounded_, said_;
    std::vector<double> window_, exact_spreads_;
    std::vector<const float*> x_, inverse_, bias_, error_;
    std::vector<const double*> exact_x_, exact_spread_;
};

void SubsequencePlan::run(const double* values, const int64_t* offsets, int64_t n, float* out, int64_t stride,
                          const uint8_t* stop) const {
    Call call(*this, stop);
    for (int64_t s = 0; s < n && !__atomic_load_n(stop, __ATOMIC_RELAXED); ++s)
        call.run(values + offsets[s] * n_channels_, offsets[s + 1] - offsets[s], out + s * stride);
}

}  // namespace seamark
