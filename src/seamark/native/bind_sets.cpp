// Python face of the sets kernel, and how landmarks are laid out in lanes.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "bind_vectors.hpp"
#include "sets.hpp"
#include "split.hpp"

SEAMARK_DECLARE_KERNEL(nearest_sets, const seamark::SetJob*)

namespace seamark {

static SetValue value_from_name(const std::string& name) {
    if (name == "larger_mean") return SetValue::larger_mean;
    if (name == "largest") return SetValue::largest;
    if (name == "sum_of_means") return SetValue::sum_of_means;
    throw std::invalid_argument("unknown value '" + name + "'");
}

class SetsPlan {
  public:
    SetsPlan(In<double, 2> values, In<int64_t, 1> offsets, In<double, 1> centre, const std::string& value, const std::string& isa)
        : R_((int64_t)offsets.shape(0) - 1),
          d_(values.shape(1)),
          centre_(centre.data(), centre.data() + centre.shape(0)),
          value_(value_from_name(value)),
          isa_(isa_from_name(isa)) {
        check_sets(offsets, values.shape(0));
        if ((int64_t)centre.shape(0) != d_) throw std::invalid_argument("centre and vectors differ in dimension");
        arrange(offsets.data());
        pack(values.data(), offsets.data());
        for (int64_t j = 0; j < R_; ++j) measure(values.data() + offsets.data()[j] * d_, offsets.data()[j + 1] - offsets.data()[j]);
    }

    int64_t nbytes() const { return (int64_t)((packed_.size() + parts_.size()) * sizeof(float)); }

    template <typename T>
    void run(In<T, 2> values, In<int64_t, 1> offsets, Out out, Stop stop) const {
        SetJob job = {};
        take_objects(job, values, offsets, out, stop, d_, R_);
        launch(job);
    }

  private:
    void launch(SetJob& job) const {
        job.landmarks = {packed_.data(), starts_.data(), share_.data(), columns_.data(),
                         counts_.data(), (int64_t)share_.size(), d_};
        job.centre = centre_.data();
        job.value = value_;
        std::vector<float> tile(job.tile_rows * d_), nearest(job.tile_rows * kSetLanes), columns(longest_ * kSetLanes);
        job.tile = tile.data();
        job.nearest = nearest.data();
        job.columns = columns.data();
        const WithoutGil released;
        nearest_sets(isa_)(&job);
        repair(job);
    }

    // Values too small against their landmarks' sizes to have kept their digits, again in two parts.
    void repair(const SetJob& job) const {
        std::vector<float> tile, again(R_);
        for (int64_t o = 0; o < job.n && !__atomic_load_n(job.stop, __ATOMIC_RELAXED); ++o) {
            float* row = job.out + o * job.stride;
            bool any = false;
            for (int64_t j = 0; j < R_; ++j) any |= row[j] < limits_[j];
            if (!any) continue;
            const int64_t* at = job.offsets + o;
            const bool object = job.x32 ? loses(job.x32, at, d_, centre_.data()) : loses(job.x64, at, d_, centre_.data());
            const auto unsure = [&](int64_t j) { return j >= 0 && row[j] < limits_[j] && (object || lossy_[j]); };
            tile.resize(2 * job.tile_rows * d_);
            for (int64_t block = 0; block < (int64_t)share_.size(); ++block) {
                const int64_t* columns = columns_.data() + block * kSetLanes;
                if (!std::any_of(columns, columns + kSetLanes, unsure)) continue;
                again_in_parts(job, o, block, tile.data(), again.data());
                for (int64_t s = 0; s < kSetLanes; ++s)
                    if (unsure(columns[s])) row[columns[s]] = again[columns[s]];
            }
        }
    }

    // One object against one block.
    void again_in_parts(const SetJob& given, int64_t object, int64_t block, float* tile, float* out) const {
        SetJob job = given;
        job.landmarks = {parts_.data(), starts_.data() + block, share_.data() + block, columns_.data() + block * kSetLanes,
                         counts_.data() + block * kSetLanes, 1, 2 * d_};
        job.offsets += object;
        job.n = 1;
        job.split = true;
        job.tile = tile;
        job.out = out;
        nearest_sets(isa_)(&job);
    }

    // A vector is no longer than its nearest and their distance: so the landmark's size stands for the object's too.
    void measure(const double* vectors, int64_t size) {
        double largest = 0.0;
        bool loses = false;
        for (int64_t i = 0; i < size; ++i) {
            double square = 0.0;
            for (int64_t k = 0; k < d_; ++k) {
                square += vectors[i * d_ + k] * vectors[i * d_ + k];
                loses |= split(vectors[i * d_ + k]).low != 0.0f;
            }
            largest = std::max(largest, square);
        }
        const double terms = value_ == SetValue::sum_of_means ? 4.0 : 2.0;
        limits_.push_back((float)(terms * kSure * std::sqrt(largest)));
        lossy_.push_back(loses);
    }

    // Landmarks of about one size share a block; few or very unequal ones take several lanes each.
    void arrange(const int64_t* offsets) {
        const auto size = [&](int64_t j) { return offsets[j + 1] - offsets[j]; };
        order_.resize(R_);
        std::iota(order_.begin(), order_.end(), 0);
        std::stable_sort(order_.begin(), order_.end(), [&](int64_t a, int64_t b) { return size(a) > size(b); });
        std::vector<int64_t> before(R_ + 1, 0);  // vectors of the landmarks before this one
        for (int64_t i = 0; i < R_; ++i) before[i + 1] = before[i] + size(order_[i]);
        for (int64_t at = 0; at < R_; at += kSetLanes / share_.back()) {
            share_.push_back(best_share(before, at));
            const int64_t slots = (size(order_[at]) + share_.back() - 1) / share_.back();
            starts_.push_back(starts_.back() + slots);
            longest_ = std::max(longest_, slots);
        }
    }

    // Lanes per landmark that give the block beginning at landmark `at` the most vectors for its time.
    int64_t best_share(const std::vector<int64_t>& before, int64_t at) const {
        const double overhead = 0.25 + 20.0 / (double)std::max<int64_t>(d_, 1);  // of a block, in slots: folds and roots
        const int64_t largest = before[at + 1] - before[at];
        int64_t best = 1;
        double best_rate = 0.0;
        for (int64_t share = 1; share <= kSetLanes; share *= 2) {
            const int64_t end = std::min(R_, at + kSetLanes / share), slots = (largest + share - 1) / share;
            const double rate = (double)(before[end] - before[at]) / ((double)slots + overhead);
            if (rate > best_rate) best_rate = rate, best = share;
        }
        return best;
    }

    void pack(const double* values, const int64_t* offsets) {
        packed_.assign((size_t)(starts_.back() * d_ * kSetLanes), 0.0f);
        parts_.assign(2 * packed_.size(), 0.0f);
        columns_.assign(share_.size() * kSetLanes, -1);
        counts_.assign(share_.size() * kSetLanes, 0);
        int64_t at = 0;
        for (int64_t block = 0; block < (int64_t)share_.size(); ++block)
            for (int64_t s = 0; s < kSetLanes / share_[block] && at < R_; ++s, ++at) {
                const int64_t j = order_[at];
                columns_[block * kSetLanes + s] = j;
                deal(values + offsets[j] * d_, offsets[j + 1] - offsets[j], block, s);
            }
    }

    // Vectors of one landmark to its lanes in turn; what is left over repeats the first.
    void deal(const double* vectors, int64_t size, int64_t block, int64_t s) {
        const int64_t share = share_[block], slots = starts_[block + 1] - starts_[block];
        for (int64_t v = 0; v < slots * share; ++v) {
            const int64_t lane = s + v % share * (kSetLanes / share);
            const int64_t at = (starts_[block] + v / share) * d_;
            const double* from = vectors + (v < size ? v : 0) * d_;
            for (int64_t k = 0; k < d_; ++k) {
                const Parts value = split(from[k]);
                float* both = parts_.data() + 2 * (at + k) * kSetLanes + lane;
                packed_[(at + k) * kSetLanes + lane] = both[0] = value.high;
                both[kSetLanes] = value.low;
            }
            counts_[block * kSetLanes + lane] += v < size;
        }
    }

    int64_t R_, d_, longest_ = 0;
    std::vector<double> centre_;
    SetValue value_;
    Isa isa_;
    std::vector<float> packed_, parts_;  // landmarks in float32, and in two parts
    std::vector<float> limits_;          // of each landmark: a smaller value is not sure
    std::vector<bool> lossy_;            // whether float32 loses anything of it
    std::vector<int64_t> order_, starts_{0}, share_, columns_, counts_;
};

void bind_sets(nb::module_& m) {
    nb::class_<SetsPlan> plan(m, "SetsPlan");
    plan.def(nb::init<In<double, 2>, In<int64_t, 1>, In<double, 1>, const std::string&, const std::string&>(), nb::arg("values"),
             nb::arg("offsets"), nb::arg("centre"), nb::arg("value"), nb::arg("isa"));
    add_runs(plan, "Write the values of the sets of vectors against the landmarks into out.");
}

}  // namespace seamark
