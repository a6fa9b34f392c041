#include "dtw_plan.hpp"

#include <algorithm>
#include <new>
#include <numeric>

SEAMARK_DECLARE_KERNEL(dtw, const DtwBlock*, const DtwJob*)
SEAMARK_DECLARE_KERNEL(dtw_banded, const DtwBlock*, const DtwBand*, const DtwJob*)

namespace seamark {

constexpr std::align_val_t kCacheLine{64};

void FreeAligned::operator()(float* p) const { ::operator delete[](p, kCacheLine); }

AlignedFloats aligned_floats(int64_t count) {
    return AlignedFloats(static_cast<float*>(::operator new[](sizeof(float) * std::max<int64_t>(count, 1), kCacheLine)));
}

namespace {

int64_t lanes_of(Isa isa) { return isa == Isa::v4 ? 16 : isa == Isa::v3 ? 8 : 4; }

DtwBounds step_bounds(int64_t steps, int64_t rows, int64_t columns) {
    DtwBounds bounds(rows);
    steps = std::min(steps, std::max(rows, columns));
    for (int64_t i = 0; i < rows; ++i) {
        bounds.high[i] = (int32_t)std::min(columns, i + steps + 1);
        bounds.low[i] = (int32_t)std::min(std::max<int64_t>(0, i - steps), columns);
    }
    return bounds;
}

// aeon walks the longer side in `longer + 1` steps and opens `thickness` cells of the shorter side around each; the
// doubles are rounded here exactly as there. Its step 0 and step 1 open the same cells.
DtwBounds fraction_bounds(double fraction, int64_t rows, int64_t columns) {
    const int32_t longer = (int32_t)std::max(rows, columns), shorter = (int32_t)std::min(rows, columns);
    const int32_t thickness = (int32_t)std::min(fraction * shorter, (double)shorter);
    const auto centre = [&](int32_t step) { return (int32_t)((double)(step + 1) / (double)(longer + 1) * (double)shorter); };
    DtwBounds bounds(rows);
    if (rows > columns) {
        for (int32_t i = 0; i < longer; ++i) {
            const int32_t c = centre(i);
            bounds.low[i] = std::max(0, c - thickness);
            bounds.high[i] = std::min(shorter, c + thickness + 1);
        }
        return bounds;
    }
    // Column j opens the rows centre(j) +- thickness; both ends rise with j.
    std::vector<int32_t> centres(columns);
    for (int32_t j = 0; j < longer; ++j) centres[j] = centre(j);
    int32_t low = 0, high = 0;
    for (int32_t i = 0; i < shorter; ++i) {
        while (high < longer && centres[high] <= i + thickness) ++high;
        while (low < high && centres[low] < i - thickness) ++low;
        bounds.low[i] = low;
        bounds.high[i] = high;
    }
    return bounds;
}

}  // namespace

DtwBounds dtw_bounds(const DtwWindow& window, int64_t rows, int64_t columns) {
    return window.steps >= 0 ? step_bounds(window.steps, rows, columns) : fraction_bounds(window.fraction, rows, columns);
}

DtwPlan::DtwPlan(const float* values, const int64_t* offsets, int64_t n_landmarks, int64_t channels, DtwWindow window,
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

void DtwPlan::pack(const float* values, const int64_t* offsets) {
    for (int64_t first = 0; first < n_landmarks_; first += lanes_) {
        const int64_t used = std::min(lanes_, n_landmarks_ - first), longest = lengths_[first + used - 1];
        blocks_.push_back({nullptr, longest, used, lengths_.data() + first, columns_.data() + first});
        n_values_ += longest * channels_ * lanes_;
    }
    values_ = aligned_floats(n_values_);
    std::fill_n(values_.get(), n_values_, 0.0f);
    float* to = values_.get();
    for (DtwBlock& block : blocks_) {
        block.values = to;
        for (int64_t lane = 0; lane < block.used; ++lane) {
            const float* from = values + offsets[block.columns[lane]] * channels_;
            for (int64_t k = 0; k < block.lengths[lane] * channels_; ++k) to[k * lanes_ + lane] = from[k];
        }
        to += block.longest * channels_ * lanes_;
    }
}

int64_t DtwPlan::nbytes() const {
    return (int64_t)(n_values_ * sizeof(float) + blocks_.size() * sizeof(DtwBlock) + 2 * n_landmarks_ * sizeof(int64_t));
}

// The band of one block and one series length; kept while neither changes.
class DtwPlan::BandScratch {
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

// The series of one call as the kernels want them.
class DtwPlan::Layout {
   public:
    Layout(const float* values, const int64_t* offsets, int64_t n, int64_t channels, bool channel_major)
        : values_(values), starts_(n), lengths_(n), pitches_(n), order_(n) {
        int64_t total = 0;
        for (int64_t s = 0; s < n; ++s) {
            lengths_[s] = offsets[s + 1] - offsets[s];
            // An odd number of cache lines: the channels of one time step then fall into different cache sets.
            pitches_[s] = ((lengths_[s] + 15) / 16 | 1) * 16;
            starts_[s] = channel_major ? total : offsets[s] * channels;
            total += pitches_[s] * channels;
        }
        std::iota(order_.begin(), order_.end(), 0);
        std::stable_sort(order_.begin(), order_.end(), [&](int64_t a, int64_t b) { return lengths_[a] < lengths_[b]; });
        if (!channel_major) return;
        transposed_ = aligned_floats(total);
        for (int64_t s = 0; s < n; ++s)
            for (int64_t k = 0; k < channels; ++k)
                for (int64_t i = 0; i < lengths_[s]; ++i)
                    transposed_[starts_[s] + k * pitches_[s] + i] = values[(offsets[s] + i) * channels + k];
        values_ = transposed_.get();
    }

    void fill(DtwJob& job) const {
        job.values = values_, job.channel_major = transposed_ != nullptr;
        job.starts = starts_.data(), job.lengths = lengths_.data(), job.pitches = pitches_.data();
        job.which = order_.data(), job.count = (int64_t)order_.size();
    }

   private:
    const float* values_;
    AlignedFloats transposed_;
    std::vector<int64_t> starts_, lengths_, pitches_;
    std::vector<int64_t> order_;  // series sorted by length: those that share a band follow each other
};

void DtwPlan::run_banded(const DtwBlock& block, DtwJob job, BandScratch& scratch) const {
    const int64_t* end = job.which + job.count;
    while (job.which < end) {
        const int64_t rows = job.lengths[*job.which];
        job.count = std::find_if(job.which, end, [&](int64_t s) { return job.lengths[s] != rows; }) - job.which;
        dtw_banded(isa_)(&block, scratch.get(window_, block, rows, lanes_), &job);
        job.which += job.count;
    }
}

void DtwPlan::run(const float* values, const int64_t* offsets, int64_t n, float* out, int64_t stride, const uint8_t* stop) const {
    if (n == 0 || blocks_.empty()) return;
    const Layout layout(values, offsets, n, channels_, euclidean_ || channels_ > kDtwTemplated);
    const AlignedFloats row = aligned_floats((blocks_.back().longest + 1) * lanes_);
    DtwJob job{};
    layout.fill(job);
    job.channels = channels_, job.euclidean = euclidean_;
    job.out = out, job.stride = stride, job.stop = stop;
    job.row = row.get();
    BandScratch scratch;
    for (const DtwBlock& block : blocks_) {
        if (__atomic_load_n(stop, __ATOMIC_RELAXED)) return;
        if (window_.any())
            run_banded(block, job, scratch);
        else
            dtw(isa_)(&block, &job);
    }
}

}  // namespace seamark
