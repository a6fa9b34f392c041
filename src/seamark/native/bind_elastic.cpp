// Python face of the kernels of elastic measures.
#include <nanobind/stl/string.h>

#include "bind_series.hpp"
#include "elastic_plan.hpp"

namespace seamark {

constexpr const char* kEmpty = "elastic measures are not defined for an empty series";

static ElasticRule rule_from_name(const std::string& name) {
    const char* const names[] = {"wdtw", "adtw", "erp", "edr", "lcss", "msm", "twe"};
    for (int i = 0; i < 7; ++i)
        if (name == names[i]) return static_cast<ElasticRule>(i);
    throw std::invalid_argument("there is no elastic measure '" + name + "'");
}

static void make(ElasticPlan* self, In<double, 2> values, In<int64_t, 1> offsets, int64_t steps, double fraction,
                 const std::string& rule, double first, double second, In<double, 1> gap, const std::string& isa) {
    const ElasticMeasure measure{rule_from_name(rule), first, second, std::vector<double>(gap.data(), gap.data() + gap.shape(0))};
    check_series(values, offsets, kEmpty, measure.lead());
    const int64_t channels = (int64_t)values.shape(1);
    if (channels == 0) throw std::invalid_argument("landmarks must have at least one channel");
    if (measure.rule == ElasticRule::moves && channels > 1) throw std::invalid_argument("msm takes one channel at a time");
    if (measure.rule == ElasticRule::gaps && (int64_t)measure.gap.size() != channels) throw std::invalid_argument("gap needs one number per channel");
    check_band(steps, fraction);
    new (self) ElasticPlan(values.data(), offsets.data(), (int64_t)offsets.shape(0) - 1, channels, {steps, fraction}, measure,
                           isa_from_name(isa));
}

static void run(const ElasticPlan& plan, In<double, 2> values, In<int64_t, 1> offsets, Out out, Stop stop) {
    check_series(values, offsets, kEmpty, plan.lead());
    run_plan(plan, values, offsets, out, stop);
}

void bind_elastic(nb::module_& m) {
    nb::class_<ElasticPlan> plan(m, "ElasticPlan", "Landmark series laid out for an elastic measure; threads may share a plan.");
    plan.def("__init__", &make, nb::arg("values"), nb::arg("offsets"), nb::arg("steps"), nb::arg("fraction"), nb::arg("rule"),
             nb::arg("first"), nb::arg("second"), nb::arg("gap"), nb::arg("isa"));
    add_run(plan, &run, "Write the path costs, or counts of what matches, of the series to the landmarks into out.");
}

}  // namespace seamark
