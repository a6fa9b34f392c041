// Python face of the member kernel, and how landmark vectors are laid out in lanes.
#include <nanobind/stl/string.h>

#include <cmath>
#include <vector>

#include "bind_vectors.hpp"
#include "member.hpp"
#include "split.hpp"

SEAMARK_DECLARE_KERNEL(nearest_members, const seamark::MemberJob*)

namespace seamark {

class MemberPlan {
  public:
    MemberPlan(In<double, 2> values, In<double, 1> centre, const std::string& isa)
        : R_(values.shape(0)),
          d_(values.shape(1)),
          slots_((R_ + kSetLanes - 1) / kSetLanes),
          centre_(centre.data(), centre.data() + centre.shape(0)),
          isa_(isa_from_name(isa)),
          values_(values.data(), values.data() + values.size()),
          packed_(slots_ * d_ * kSetLanes) {
        if ((int64_t)centre.shape(0) != d_) throw std::invalid_argument("centre and vectors differ in dimension");
        for (int64_t j = 0; j < R_; ++j) pack(values.data() + j * d_, j);
    }

    int64_t nbytes() const { return (int64_t)(packed_.size() * sizeof(float) + values_.size() * sizeof(double)); }

    template <typename T>
    void run(In<T, 2> values, In<int64_t, 1> offsets, Out out, Stop stop) const {
        MemberJob job = {};
        take_objects(job, values, offsets, out, stop, d_, R_);
        launch(job);
    }

  private:
    // A landmark to its lane; a value below its limit is not sure, if float32 lost anything.
    void pack(const double* vector, int64_t j) {
        double square = 0.0;
        bool loses = false;
        for (int64_t k = 0; k < d_; ++k) {
            const Parts value = split(vector[k]);
            packed_[(j / kSetLanes * d_ + k) * kSetLanes + j % kSetLanes] = value.high;
            loses |= value.low != 0.0f;
            square += vector[k] * vector[k];
        }
        limits_.push_back((float)(2.0 * kSure * std::sqrt(square)));
        lossy_.push_back(loses);
    }

    void launch(MemberJob& job) const {
        job.packed = packed_.data();
        job.landmarks = R_;
        job.slots = slots_;
        job.dimension = d_;
        job.centre = centre_.data();
        std::vector<float> tile(job.tile_rows * d_), nearest(slots_ * kSetLanes);
        job.tile = tile.data();
        job.nearest = nearest.data();
        const WithoutGil released;
        nearest_members(isa_)(&job);
        repair(job);
    }

    // Values too small against their landmarks' sizes to have kept their digits, again in double.
    void repair(const MemberJob& job) const {
        for (int64_t o = 0; o < job.n && !__atomic_load_n(job.stop, __ATOMIC_RELAXED); ++o) {
            float* row = job.out + o * job.stride;
            bool any = false;
            for (int64_t j = 0; j < R_; ++j) any |= row[j] < limits_[j];
            if (any) job.x32 ? repair_row(job.x32, job.offsets + o, row) : repair_row(job.x64, job.offsets + o, row);
        }
    }

    template <typename T>
    void repair_row(const T* x, const int64_t* offsets, float* row) const {
        const bool object = loses(x, offsets, d_, centre_.data());
        for (int64_t j = 0; j < R_; ++j)
            if (row[j] < limits_[j] && (object || lossy_[j])) row[j] = again(x, offsets, j, row[j]);
    }

    // The nearest member is nearer than twice the limit, so that most others are seen to be farther after a few coordinates.
    template <typename T>
    float again(const T* x, const int64_t* offsets, int64_t j, float value) const {
        const double* vector = values_.data() + j * d_;
        double best = 4.0 * limits_[j] * limits_[j];
        bool found = false;
        for (int64_t i = offsets[0]; i < offsets[1]; ++i) {
            double square = 0.0;
            for (int64_t k = 0; k < d_ && square < best; ++k) {
                const double difference = x[i * d_ + k] - centre_[k] - vector[k];
                square += difference * difference;
            }
            if (square < best) best = square, found = true;
        }
        return found ? (float)std::sqrt(best) : value;
    }

    int64_t R_, d_, slots_;
    std::vector<double> centre_;
    Isa isa_;
    std::vector<double> values_;  // landmarks, and
    std::vector<float> packed_;   // in float32, in lanes
    std::vector<float> limits_;   // of each landmark: a smaller value is not sure
    std::vector<bool> lossy_;     // whether float32 loses anything of it
};

void bind_member(nb::module_& m) {
    nb::class_<MemberPlan> plan(m, "MemberPlan");
    plan.def(nb::init<In<double, 2>, In<double, 1>, const std::string&>(), nb::arg("values"), nb::arg("centre"), nb::arg("isa"));
    add_runs(plan, "Write the smallest distances of the sets' members to the landmarks into out.");
}

}  // namespace seamark
