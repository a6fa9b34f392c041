// Python face of the bags kernel, and how landmark bags are turned around.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <vector>

#include "bags.hpp"
#include "bindings.hpp"

SEAMARK_DECLARE_KERNEL(bags, const seamark::BagJob*)

namespace seamark {

static BagValue bag_value(const std::string& name) {
    if (name == "product") return BagValue::product;
    if (name == "smaller") return BagValue::smaller;
    throw std::invalid_argument("unknown value '" + name + "'");
}

static void check_bags(const In<int32_t, 1>& things, const In<float, 1>& weights, const In<int64_t, 1>& offsets, int64_t lowest,
                       int64_t n_things) {
    if (weights.shape(0) != things.shape(0)) throw std::invalid_argument("things and weights differ in number");
    check_offsets(offsets, things.shape(0));
    for (size_t k = 0; k < things.shape(0); ++k)
        if (things.data()[k] < lowest || things.data()[k] >= n_things) throw std::invalid_argument("things out of range");
}

class BagsPlan {
  public:
    BagsPlan(In<int32_t, 1> things, In<float, 1> weights, In<int64_t, 1> offsets, int64_t n_things, const std::string& value,
             const std::string& isa)
        : n_((int64_t)offsets.shape(0) - 1), n_things_(n_things), padded_((n_ + kPad - 1) / kPad * kPad), value_(bag_value(value)),
          isa_(isa_from_name(isa)) {
        if (n_things < 0) throw std::invalid_argument("n_things out of range");
        check_bags(things, weights, offsets, 0, n_things);
        turn(things.data(), weights.data(), offsets.data());
        spread();
    }

    int64_t nbytes() const {
        return (int64_t)((weights_.size() + landmarks_.size() + dense_.size()) * 4 + (starts_.size() + places_.size()) * 8);
    }

    void run(In<int32_t, 1> things, In<float, 1> weights, In<int64_t, 1> offsets, Out out, Stop stop) const {
        check_bags(things, weights, offsets, -1, n_things_);
        if (stop.shape(0) < 1) throw std::invalid_argument("stop must hold a flag");
        const int64_t n = (int64_t)offsets.shape(0) - 1;
        std::vector<float> sums(padded_);
        const BagLandmarks landmarks{starts_.data(), landmarks_.data(), weights_.data(), places_.data(), dense_.data(), n_, padded_};
        const BagJob job{landmarks, things.data(),  weights.data(), offsets.data(), n, value_, out.data(), row_stride(out, n, n_),
                         sums.data(), stop.data()};
        const WithoutGil released;
        bags(isa_)(&job);
    }

  private:
    // Landmarks of each thing, in their order.
    void turn(const int32_t* things, const float* weights, const int64_t* offsets) {
        starts_.assign(n_things_ + 1, 0);
        for (int64_t k = offsets[0]; k < offsets[n_]; ++k) ++starts_[things[k] + 1];
        for (int64_t c = 0; c < n_things_; ++c) starts_[c + 1] += starts_[c];
        landmarks_.resize(starts_.back());
        weights_.resize(starts_.back());
        std::vector<int64_t> next(starts_);
        for (int64_t j = 0; j < n_; ++j)
            for (int64_t k = offsets[j]; k < offsets[j + 1]; ++k) {
                const int64_t at = next[things[k]]++;
                landmarks_[at] = (int32_t)j;
                weights_[at] = weights[k];
            }
    }

    // A thing of many landmarks: adding a row of numbers is then cheaper than looking each of them up.
    void spread() {
        places_.assign(n_things_, -1);
        for (int64_t c = 0; c < n_things_; ++c) {
            if ((starts_[c + 1] - starts_[c]) * kDense < n_) continue;
            places_[c] = (int64_t)dense_.size();
            dense_.resize(dense_.size() + padded_, 0.0f);
            for (int64_t k = starts_[c]; k < starts_[c + 1]; ++k) dense_[places_[c] + landmarks_[k]] += weights_[k];
        }
    }

    static constexpr int64_t kPad = 16, kDense = 8;

    int64_t n_, n_things_, padded_;
    BagValue value_;
    Isa isa_;
    std::vector<int64_t> starts_, places_;
    std::vector<int32_t> landmarks_;
    std::vector<float> weights_, dense_;
};

void bind_bags(nb::module_& m) {
    nb::class_<BagsPlan>(m, "BagsPlan", "Landmark bags, turned around: the landmarks of each thing.")
        .def(nb::init<In<int32_t, 1>, In<float, 1>, In<int64_t, 1>, int64_t, const std::string&, const std::string&>(), nb::arg("things"),
             nb::arg("weights"), nb::arg("offsets"), nb::arg("n_things"), nb::arg("value"), nb::arg("isa"))
        .def_prop_ro("nbytes", &BagsPlan::nbytes)
        .def("run", &BagsPlan::run, nb::arg("things"), nb::arg("weights"), nb::arg("offsets"), nb::arg("out").noconvert(),
             nb::arg("stop").noconvert(), "Write what the bags share with the landmarks into out.");
}

}  // namespace seamark
