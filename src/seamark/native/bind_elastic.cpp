// Python face of the kernels of elastic measures.
#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "elastic_plan.hpp"

namespace seamark {

constexpr int64_t kLongest = int64_t{1} << 30;  // the kernels count columns in 32 bits

static ElasticRule rule_from_name(const std::string& name) {
    const char* const names[] = {"wdtw", "adtw", "erp", "edr", "lcss", "msm", "twe"};
    for (int i = 0; i < 7; ++i)
        if (name == names[i]) return static_cast<ElasticRule>(i);
    throw std::invalid_argument("there is no elastic measure '" + name + "'");
}

static void check_series(const In<double, 2>& values, const In<int64_t, 1>& offsets, int64_t lead) {
    check_offsets(offsets, (int64_t)values.shape(0));
    for (size_t i = 0; i + 1 < offsets.shape(0); ++i) {
        const int64_t length = offsets.data()[i + 1] - offsets.data()[i];
        if (length <= lead) throw std::invalid_argument("elastic measures are not defined for an empty series");
        if (length > kLongest) throw std::invalid_argument("a series has more than 2**30 time steps");
    }
}

static void make(ElasticPlan* self, In<double, 2> values, In<int64_t, 1> offsets, int64_t steps, double fraction,
                 const std::string& rule, double first, double second, In<double, 1> gap, const std::string& isa) {
    const ElasticMeasure measure{rule_from_name(rule), first, second, std::vector<double>(gap.data(), gap.data() + gap.shape(0))};
    check_series(values, offsets, measure.lead());
    const int64_t channels = (int64_t)values.shape(1);
    if (channels == 0) throw std::invalid_argument("landmarks must have at least one channel");
    if (measure.rule == ElasticRule::moves && channels > 1) throw std::invalid_argument("msm takes one channel at a time");
    if (measure.rule == ElasticRule::gaps && (int64_t)measure.gap.size() != channels) throw std::invalid_argument("gap needs one number per channel");
    if (!(fraction <= kLongest)) throw std::invalid_argument("fraction must be a number");
    if (steps >= 0 && fraction >= 0) throw std::invalid_argument("a band is given in steps or as a fraction, not both");
    new (self) ElasticPlan(values.data(), offsets.data(), (int64_t)offsets.shape(0) - 1, channels, {steps, fraction}, measure,
                           isa_from_name(isa));
}

static void run(const ElasticPlan& plan, In<double, 2> values, In<int64_t, 1> offsets, Out out, Stop stop) {
    check_series(values, offsets, plan.lead());
    if ((int64_t)values.shape(1) != plan.channels())
        throw std::invalid_argument("series and landmarks differ in their number of channels");
    if (stop.shape(0) < 1) throw std::invalid_argument("stop must hold one byte");
    const int64_t n = (int64_t)offsets.shape(0) - 1, stride = row_stride(out, n, plan.n_landmarks());
    const WithoutGil released;
    plan.run(values.data(), offsets.data(), n, out.data(), stride, stop.data());
}

void bind_elastic(nb::module_& m) {
    nb::class_<ElasticPlan>(m, "ElasticPlan", "Landmark series laid out for an elastic measure; threads may share a plan.")
        .def("__init__", &make, nb::arg("values"), nb::arg("offsets"), nb::arg("steps"), nb::arg("fraction"), nb::arg("rule"),
             nb::arg("first"), nb::arg("second"), nb::arg("gap"), nb::arg("isa"))
        .def_prop_ro("n_landmarks", &ElasticPlan::n_landmarks)
        .def_prop_ro("nbytes", &ElasticPlan::nbytes)
        // A conversion would write to, or poll, a copy.
        .def("run", &run, nb::arg("values"), nb::arg("offsets"), nb::arg("out").noconvert(), nb::arg("stop").noconvert(),
             "Write the path costs, or counts of what matches, of the series to the landmarks into out.");
}

}  // namespace seamark
