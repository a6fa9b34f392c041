#include "dtw_plan.hpp"

#include <cmath>
#include <new>

#include "dtw_layout.hpp"

SEAMARK_DECLARE_KERNEL(dtw, const DtwBlock*, const DtwJob*)
SEAMARK_DECLARE_KERNEL(dtw_banded, const DtwBlock*, const DtwBand*, const DtwJob*)

namespace seamark {

constexpr std::align_val_t kCacheLine{64};

void FreeAligned::operator()(float* p) const { ::operator delete[](p, kCacheLine); }

AlignedFloats aligned_floats(int64_t count) {
    return AlignedFloats(static_cast<float*>(::operator new[](sizeof(float) * std::max<int64_t>(count, 1), kCacheLine)));
}

// The longest time step of a series; 0 if float32 loses nothing of it.
static float size_of(const double* values, int64_t steps, int64_t channels) {
    const auto loses = [](double value) { return split(value).low != 0.0f; };
    if (std::none_of(values, values + steps * channels, loses)) return 0.0f;
    double largest = 0.0;
    for (int64_t i = 0; i < steps; ++i) {
        double square = 0.0;
        for (int64_t k = 0; k < channels; ++k) square += values[i * channels + k] * values[i * channels + k];
        largest = std::max(largest, square);
    }
    return (float)std::sqrt(largest);
}

DtwPlan::DtwPlan(const double* values, const int64_t* offsets, int64_t n_landmarks, int64_t channels, DtwWindow window,
                 bool euclidean, Isa isa)
    : n_landmarks_(n_landmarks), channels_(channels), lanes_(lanes_of(isa)), window_(window), euclidean_(euclidean), isa_(isa) {
    if (window_.fraction == 1.0) window_.fraction = -1.0;  // aeon: the whole matrix
    columns_.resize(n_landmarks);
    std::iota(columns_.begin(), columns_.end(), 0);
    const auto length = [&](int64_t l) { return offsets[l + 1] - offsets[l]; };
    std::stable_sort(columns_.begin(), columns_.end(), [&](int64_t a, int64_t b) { return length(a) < length(b); });
    for (const int64_t l : columns_) lengths_.push_back(length(l));
    pack(values, offsets);
}

void DtwPlan::pack(const double* values, const int64_t* offsets) {
    for (int64_t first = 0; first < n_landmarks_; first += lanes_) {
        const int64_t used = std::min(lanes_, n_landmarks_ - first), longest = lengths_[first + used - 1];
        blocks_.push_back({nullptr, longest, used, lengths_.data() + first, columns_.data() + first});
        n_values_ += longest * channels_ * lanes_;
    }
    values_ = aligned_floats(n_values_);
    parts_ = aligned_floats(2 * n_values_);
    std::fill_n(values_.get(), n_values_, 0.0f);
    std::fill_n(parts_.get(), 2 * n_values_, 0.0f);
    float *to = values_.get(), *both = parts_.get();
    for (DtwBlock& block : blocks_) {
        block.values = to;
        for (int64_t lane = 0; lane < block.used; ++lane) {
            const double* from = values + offsets[block.columns[lane]] * channels_;
            for (int64_t k = 0; k < block.lengths[lane] * channels_; ++k) {
                const Parts value = split(from[k]);
                to[k * lanes_ + lane] = both[2 * k * lanes_ + lane] = value.high;
                both[(2 * k + 1) * lanes_ + lane] = value.low;
            }
            sizes_.push_back(size_of(from, block.lengths[lane], channels_));
        }
        to += block.longest * channels_ * lanes_;
        both += 2 * block.longest * channels_ * lanes_;
    }
}

int64_t DtwPlan::nbytes() const {
    return (int64_t)(3 * n_values_ * sizeof(float) + blocks_.size() * sizeof(DtwBlock) + 2 * n_landmarks_ * sizeof(int64_t));
}

// One run: every block in float32, then what came out too small to have kept its digits, again in two parts.
class DtwPlan::Call {
   public:
    Call(const DtwPlan& plan, const double* values, const int64_t* offsets, int64_t n, float* out, int64_t stride,
         const uint8_t* stop)
        : plan_(plan), values_(values), offsets_(offsets), n_(n),
          layout_(values, offsets, n, plan.channels_, plan.euclidean_ || plan.channels_ > kDtwTemplated, false),
          row_(aligned_floats((plan.blocks_.back().longest + 1) * plan.lanes_)), places_(plan.lanes_) {
        layout_.fill(job_);
        job_.channels = plan.channels_, job_.euclidean = plan.euclidean_;
        job_.out = out, job_.stride = stride, job_.stop = stop;
        job_.row = row_.get();
        for (int64_t s = 0; s < n; ++s)
            sizes_.push_back(size_of(values + offsets[s] * plan.channels_, job_.lengths[s], plan.channels_));
        std::iota(places_.begin(), places_.end(), 0);
    }

    void run() {
        int64_t first = 0, values = 0;  // of a block: its first landmark, and its place among the values
        for (const DtwBlock& block : plan_.blocks_) {
            if (stopped()) return;
            sweep(block, job_);
            if (stopped()) return;
            repair(block, plan_.sizes_.data() + first, plan_.parts_.get() + 2 * values);
            first += block.used;
            values += block.longest * plan_.channels_ * plan_.lanes_;
        }
    }

   private:
    bool stopped() const { return __atomic_load_n(job_.stop, __ATOMIC_RELAXED); }

    void sweep(const DtwBlock& block, DtwJob job) {
        if (!plan_.window_.any()) return dtw(plan_.isa_)(&block, &job);
        const int64_t* end = job.which + job.count;
        while (job.which < end) {
            const int64_t rows = job.lengths[*job.which];
            job.count = std::find_if(job.which, end, [&](int64_t s) { return job.lengths[s] != rows; }) - job.which;
            dtw_banded(plan_.isa_)(&block, band_.get(plan_.window_, block, rows, plan_.lanes_), &job);
            job.which += job.count;
        }
    }

    // A cost below this comes of time steps that differ, on the average, by a small share of the series' sizes.
    float limit(float sizes, int64_t steps) const {
        const float step = kSure * sizes;
        return (plan_.euclidean_ ? step : step * step) * (float)steps;
    }

    bool unsure(const DtwBlock& block, int64_t s, int64_t lane, float size) const {
        return cost(block, s, lane) < limit(sizes_[s] + size, job_.lengths[s] + block.lengths[lane]);
    }

    float& cost(const DtwBlock& block, int64_t s, int64_t lane) const {
        return job_.out[s * job_.stride + block.columns[lane]];
    }

    // Series with a cost that is not sure. The block's largest limit is asked first: seldom is anything below it.
    std::vector<int64_t> unsure_series(const DtwBlock& block, const float* sizes) const {
        std::vector<int64_t> which;
        const float largest = *std::max_element(sizes, sizes + block.used);
        for (int64_t i = 0; i < n_; ++i) {
            const int64_t s = job_.which[i], used = block.used, *columns = block.columns;
            const float* out = job_.out + s * job_.stride;
            const float most = limit(sizes_[s] + largest, job_.lengths[s] + block.longest);
            bool any = false;
            for (int64_t lane = 0; lane < used; ++lane) any |= out[columns[lane]] < most;
            if (!any) continue;
            any = false;
            for (int64_t lane = 0; lane < used; ++lane) any |= unsure(block, s, lane, sizes[lane]);
            if (any) which.push_back(s);
        }
        return which;
    }

    void repair(const DtwBlock& block, const float* sizes, const float* parts) {
        const std::vector<int64_t> which = unsure_series(block, sizes);
        if (which.empty()) return;
        if (!split_) split_ = std::make_unique<SeriesLayout>(values_, offsets_, n_, plan_.channels_, true, true);
        again_.resize(n_ * plan_.lanes_);
        const DtwBlock in_parts{parts, block.longest, block.used, block.lengths, places_.data()};
        DtwJob job = job_;
        split_->fill(job);
        job.which = which.data(), job.count = (int64_t)which.size();
        job.channels *= 2, job.split = true;
        job.out = again_.data(), job.stride = plan_.lanes_;
        sweep(in_parts, job);
        if (stopped()) return;
        for (const int64_t s : which)
            for (int64_t lane = 0; lane < block.used; ++lane)
                if (unsure(block, s, lane, sizes[lane])) cost(block, s, lane) = again_[s * plan_.lanes_ + lane];
    }

    const DtwPlan& plan_;
    const double* values_;
    const int64_t* offsets_;
    int64_t n_;
    SeriesLayout layout_;
    std::unique_ptr<SeriesLayout> split_;
    AlignedFloats row_;
    DtwJob job_{};
    BandScratch band_;
    std::vector<float> sizes_, again_;
    std::vector<int64_t> places_;
};

void DtwPlan::run(const double* values, const int64_t* offsets, int64_t n, float* out, int64_t stride, const uint8_t* stop) const {
    if (n == 0 || blocks_.empty()) return;
    Call(*this, values, offsets, n, out, stride, stop).run();
}

}  // namespace seamark
