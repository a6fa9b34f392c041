// Python face of the DTW kernels.
#include <nanobind/stl/string.h>

#include "bindings.hpp"
#include "dtw_plan.hpp"

namespace seamark {

constexpr int64_t kLongest = int64_t{1} << 30;  // the kernels count columns in 32 bits

// Checks (total, channels) values and their offsets: every series holds between 1 and kLongest time steps.
static void check_series(const In<double, 2>& values, const In<int64_t, 1>& offsets) {
    check_offsets(offsets, (int64_t)values.shape(0));
    for (size_t i = 0; i + 1 < offsets.shape(0); ++i) {
        const int64_t length = offsets.data()[i + 1] - offsets.data()[i];
        if (length == 0) throw std::invalid_argument("DTW is not defined for an empty series");
        if (length > kLongest) throw std::invalid_argument("a series has more than 2**30 time steps");
    }
}

static void make(DtwPlan* self, In<double, 2> values, In<int64_t, 1> offsets, int64_t steps, double fraction, bool euclidean,
                 const std::string& isa) {
    check_series(values, offsets);
    if (values.shape(1) == 0) throw std::invalid_argument("landmarks must have at least one channel");
    if (!(fraction <= kLongest)) throw std::invalid_argument("fraction must be a number");
    if (steps >= 0 && fraction >= 0) throw std::invalid_argument("a band is given in steps or as a fraction, not both");
    new (self) DtwPlan(values.data(), offsets.data(), (int64_t)offsets.shape(0) - 1, (int64_t)values.shape(1), {steps, fraction},
                       euclidean, isa_from_name(isa));
}

static void run(const DtwPlan& plan, In<double, 2> values, In<int64_t, 1> offsets, Out out, Stop stop) {
    check_series(values, offsets);
    if ((int64_t)values.shape(1) != plan.channels())
        throw std::invalid_argument("series and landmarks differ in their number of channels");
    if (stop.shape(0) < 1) throw std::invalid_argument("stop must hold one byte");
    const int64_t n = (int64_t)offsets.shape(0) - 1, stride = row_stride(out, n, plan.n_landmarks());
    const WithoutGil released;
    plan.run(values.data(), offsets.data(), n, out.data(), stride, stop.data());
}

void bind_dtw(nb::module_& m) {
    nb::class_<DtwPlan>(m, "DTWPlan", "Landmark series laid out for dynamic time warping; threads may share a plan.")
        .def("__init__", &make, nb::arg("values"), nb::arg("offsets"), nb::arg("steps"), nb::arg("fraction"),
             nb::arg("euclidean"), nb::arg("isa"))
        .def_prop_ro("n_landmarks", &DtwPlan::n_landmarks)
        .def_prop_ro("nbytes", &DtwPlan::nbytes)
        // A conversion would write to, or poll, a copy.
        .def("run", &run, nb::arg("values"), nb::arg("offsets"), nb::arg("out").noconvert(), nb::arg("stop").noconvert(),
             "Write the path costs, without a root, of the series to the landmarks into out.");
}

}  // namespace seamark
