#include "elastic_plan.hpp"

#include <cmath>
#include <memory>

#include "dtw_layout.hpp"

SEAMARK_DECLARE_KERNEL(elastic, const ElasticJob*, const ElasticBlock*, const DtwBand*)

namespace seamark {

namespace {

bool has_steps(ElasticRule rule) { return rule == ElasticRule::gaps || rule == ElasticRule::stiff; }
bool has_levels(ElasticRule rule) { return rule == ElasticRule::edits || rule == ElasticRule::common; }
bool has_edges(ElasticRule rule) { return rule == ElasticRule::gaps || has_levels(rule); }

AlignedFloats zeros(int64_t count) {
    AlignedFloats floats = aligned_floats(count);
    std::fill_n(floats.get(), count, 0.0f);
    return floats;
}

}  // namespace

// What a rule knows of the steps of one series, before it meets another.
class ElasticPlan::Steps {
   public:
    Steps(const ElasticPlan& plan, const double* values, int64_t length) : plan_(plan), values_(values), length_(length) {}

    // Cost of step i in this series alone.
    double alone(int64_t i) const {
        const ElasticMeasure& measure = plan_.measure_;
        if (measure.rule == ElasticRule::gaps) return distance(i, measure.gap.data());
        return distance(i, values_ + (i - 1) * plan_.channels_) + measure.first + measure.second;
    }

    // The largest distance, squared, at which steps match; of two series the larger one counts.
    float level() const {
        const double number = plan_.measure_.first, threshold = number >= 0.0 ? number : deviation() / 4.0;
        return (float)(threshold * threshold);
    }

   private:
    double distance(int64_t i, const double* other) const {
        double square = 0.0;
        for (int64_t k = 0; k < plan_.channels_; ++k) {
            const double d = values_[i * plan_.channels_ + k] - other[k];
            square += d * d;
        }
        return std::sqrt(square);
    }

    double deviation() const {
        const int64_t count = length_ * plan_.channels_;
        double mean = 0.0, square = 0.0;
        for (int64_t k = 0; k < count; ++k) mean += values_[k] / (double)count;
        for (int64_t k = 0; k < count; ++k) square += (values_[k] - mean) * (values_[k] - mean);
        return std::sqrt(square / (double)count);
    }

    const ElasticPlan& plan_;
    const double* values_;
    int64_t length_;
};

ElasticPlan::ElasticPlan(const double* values, const int64_t* offsets, int64_t n_landmarks, int64_t channels, DtwWindow window,
                         ElasticMeasure measure, Isa isa)
    : n_landmarks_(n_landmarks), channels_(channels), lanes_(lanes_of(isa)), window_(window), measure_(std::move(measure)), isa_(isa) {
    if (window_.fraction == 1.0) window_.fraction = -1.0;  // aeon: the whole matrix
    columns_.resize(n_landmarks);
    std::iota(columns_.begin(), columns_.end(), 0);
    const auto length = [&](int64_t l) { return offsets[l + 1] - offsets[l] - lead(); };
    std::stable_sort(columns_.begin(), columns_.end(), [&](int64_t a, int64_t b) { return length(a) < length(b); });
    for (const int64_t l : columns_) lengths_.push_back(length(l));
    pack(values, offsets);
}

void ElasticPlan::pack(const double* values, const int64_t* offsets) {
    for (int64_t first = 0; first < n_landmarks_; first += lanes_) {
        const int64_t used = std::min(lanes_, n_landmarks_ - first), longest = lengths_[first + used - 1];
        blocks_.push_back({{nullptr, longest, used, lengths_.data() + first, columns_.data() + first}, nullptr, nullptr, nullptr});
        n_values_ += (longest + lead()) * channels_ * lanes_;
        n_steps_ += longest * lanes_;
    }
    const int64_t n_lanes = (int64_t)blocks_.size() * lanes_;
    values_ = zeros(n_values_), left_ = zeros(n_steps_), top_ = zeros(n_steps_), levels_ = zeros(n_lanes);
    float *to = values_.get(), *left = left_.get(), *top = top_.get(), *level = levels_.get();
    for (ElasticBlock& block : blocks_) {
        block.series.values = to + lead() * channels_ * lanes_;
        block.left = has_steps(measure_.rule) ? left : nullptr;
        block.top = has_edges(measure_.rule) ? top : nullptr;
        block.level = level;
        for (int64_t lane = 0; lane < block.series.used; ++lane) {
            const double* from = values + offsets[block.series.columns[lane]] * channels_;
            const int64_t length = block.series.lengths[lane];
            for (int64_t k = 0; k < (length + lead()) * channels_; ++k) to[k * lanes_ + lane] = (float)from[k];
            const Steps steps(*this, from, length + lead());
            double sum = 0.0;
            for (int64_t j = 0; has_steps(measure_.rule) && j < length; ++j) {
                const double alone = steps.alone(j + lead());
                sum += alone;
                left[j * lanes_ + lane] = (float)alone;
                top[j * lanes_ + lane] = (float)sum;
            }
            level[lane] = has_levels(measure_.rule) ? steps.level() : 0.0f;
        }
        to += (block.series.longest + lead()) * channels_ * lanes_;
        left += block.series.longest * lanes_, top += block.series.longest * lanes_, level += lanes_;
    }
}

// One run: every block against the series of the call.
class ElasticPlan::Call {
   public:
    Call(const ElasticPlan& plan, const double* values, const int64_t* offsets, int64_t n, float* out, int64_t stride, const uint8_t* stop)
        : plan_(plan), layout_(values, offsets, n, plan.channels_, plan.channels_ > 1, false),
          row_(aligned_floats(plan.blocks_.back().series.longest * plan.lanes_)) {
        DtwJob& series = job_.series;
        layout_.fill(series);
        starts_.assign(series.starts, series.starts + n), lengths_.assign(series.lengths, series.lengths + n);
        for (int64_t s = 0; s < n; ++s) starts_[s] += plan.lead(), lengths_[s] -= plan.lead();
        series.starts = starts_.data(), series.lengths = lengths_.data();
        series.channels = plan.channels_;
        series.out = out, series.stride = stride, series.row = row_.get(), series.stop = stop;
        job_.rule = plan.measure_.rule;
        job_.penalty = (float)(job_.rule == ElasticRule::stiff ? 2.0 * plan.measure_.first : plan.measure_.first);
        look_at_steps(values, offsets, n);
    }

    void run() {
        for (const ElasticBlock& block : plan_.blocks_) {
            DtwJob& series = job_.series;
            const int64_t* begin = series.which;
            const int64_t* const end = begin + series.count;
            const int64_t count = series.count;
            while (series.which < end && !__atomic_load_n(series.stop, __ATOMIC_RELAXED)) {
                const int64_t rows = lengths_[*series.which];
                // Without a band, and without weights of |i - j|, lengths do not matter.
                const bool any = !plan_.window_.any() && job_.rule != ElasticRule::weighted;
                series.count = any ? end - series.which
                                   : std::find_if(series.which, end, [&](int64_t s) { return lengths_[s] != rows; }) - series.which;
                if (job_.rule == ElasticRule::weighted) weigh(block, rows);
                const DtwBand* band = plan_.window_.any() ? band_.get(plan_.window_, block.series, rows, plan_.lanes_) : nullptr;
                elastic(plan_.isa_)(&job_, &block, band);
                series.which += series.count;
            }
            series.which = begin, series.count = count;
        }
    }

   private:
    void look_at_steps(const double* values, const int64_t* offsets, int64_t n) {
        int64_t total = 0;
        for (int64_t s = 0; s < n; ++s) steps_.push_back(total), total += lengths_[s];
        const bool costs = has_steps(job_.rule), edges = has_edges(job_.rule);
        up_.assign(costs ? total : 0, 0.0f), edge_.assign(edges ? total : 0, 0.0f);
        for (int64_t s = 0; s < n; ++s) {
            const Steps steps(plan_, values + offsets[s] * plan_.channels_, lengths_[s] + plan_.lead());
            levels_.push_back(has_levels(job_.rule) ? steps.level() : 0.0f);
            double sum = 0.0;
            for (int64_t i = 0; costs && i < lengths_[s]; ++i) {
                const double alone = steps.alone(i + plan_.lead());
                sum += alone;
                up_[steps_[s] + i] = (float)alone;
                if (edges) edge_[steps_[s] + i] = (float)sum;
            }
        }
        job_.steps = steps_.data(), job_.levels = has_levels(job_.rule) ? levels_.data() : nullptr;
        job_.up = costs ? up_.data() : nullptr, job_.edge = edges ? edge_.data() : nullptr;
    }

    // Logistic weights of |i - j| around half of the longer length, which differs between lanes.
    void weigh(const ElasticBlock& block, int64_t rows) {
        const int64_t most = std::max(rows, block.series.longest), lanes = plan_.lanes_;
        if (most == weighed_most_ && rows == weighed_rows_ && &block == weighed_block_) return;
        if (most > reach_) {  // h / 2: |i - j| less half of the length
            reach_ = most;
            halves_.resize(3 * most + 1);
            for (int64_t h = -most; h <= 2 * most; ++h)
                halves_[h + most] = (float)(1.0 / (1.0 + std::exp(-0.5 * plan_.measure_.first * (double)h)));
        }
        weights_.resize(most * lanes);
        for (int64_t lane = 0; lane < lanes; ++lane) {
            const int64_t longer = lane < block.series.used ? std::max(rows, block.series.lengths[lane]) : most;
            for (int64_t k = 0; k < most; ++k) weights_[k * lanes + lane] = halves_[2 * k - longer + reach_];
        }
        weighed_most_ = most, weighed_rows_ = rows, weighed_block_ = &block;
        job_.weights = weights_.data();
    }

    const ElasticPlan& plan_;
    SeriesLayout layout_;
    AlignedFloats row_;
    ElasticJob job_{};
    BandScratch band_;
    std::vector<int64_t> starts_, lengths_, steps_;
    std::vector<float> up_, edge_, levels_, weights_, halves_;
    int64_t reach_ = 0, weighed_most_ = -1, weighed_rows_ = -1;
    const ElasticBlock* weighed_block_ = nullptr;
};

void ElasticPlan::run(const double* values, const int64_t* offsets, int64_t n, float* out, int64_t stride, const uint8_t* stop) const {
    if (n == 0 || blocks_.empty()) return;
    Call(*this, values, offsets, n, out, stride, stop).run();
}

}  // namespace seamark
