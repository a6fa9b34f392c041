// Python face of the DTW kernels.
#include <nanobind/stl/string.h>

#include "bind_series.hpp"
#include "dtw_plan.hpp"

namespace seamark {

constexpr const char* kEmpty = "DTW is not defined for an empty series";

static void make(DtwPlan* self, In<double, 2> values, In<int64_t, 1> offsets, int64_t steps, double fraction, bool euclidean,
                 const std::string& isa) {
    check_series(values, offsets, kEmpty);
    if (values.shape(1) == 0) throw std::invalid_argument("landmarks must have at least one channel");
    check_band(steps, fraction);
    new (self) DtwPlan(values.data(), offsets.data(), (int64_t)offsets.shape(0) - 1, (int64_t)values.shape(1), {steps, fraction},
                       euclidean, isa_from_name(isa));
}

static void run(const DtwPlan& plan, In<double, 2> values, In<int64_t, 1> offsets, Out out, Stop stop) {
    check_series(values, offsets, kEmpty);
    run_plan(plan, values, offsets, out, stop);
}

void bind_dtw(nb::module_& m) {
    nb::class_<DtwPlan> plan(m, "DTWPlan", "Landmark series laid out for dynamic time warping; threads may share a plan.");
    plan.def("__init__", &make, nb::arg("values"), nb::arg("offsets"), nb::arg("steps"), nb::arg("fraction"),
             nb::arg("euclidean"), nb::arg("isa"));
    add_run(plan, &run, "Write the path costs, without a root, of the series to the landmarks into out.");
}

}  // namespace seamark
