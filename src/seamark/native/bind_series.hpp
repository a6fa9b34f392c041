// What bindings of kernels of series share: checks of series and bands, and how a plan is run.
#pragma once

#include "bindings.hpp"

namespace seamark {

constexpr int64_t kLongest = int64_t{1} << 30;  // the kernels count columns in 32 bits

// Checks (total, channels) values and their offsets: every series holds more than `lead` and at most kLongest time steps.
inline void check_series(const In<double, 2>& values, const In<int64_t, 1>& offsets, const char* if_empty, int64_t lead = 0) {
    check_offsets(offsets, (int64_t)values.shape(0));
    for (size_t i = 0; i + 1 < offsets.shape(0); ++i) {
        const int64_t length = offsets.data()[i + 1] - offsets.data()[i];
        if (length <= lead) throw std::invalid_argument(if_empty);
        if (length > kLongest) throw std::invalid_argument("a series has more than 2**30 time steps");
    }
}

inline void check_band(int64_t steps, double fraction) {
    if (!(fraction <= kLongest)) throw std::invalid_argument("fraction must be a number");
    if (steps >= 0 && fraction >= 0) throw std::invalid_argument("a band is given in steps or as a fraction, not both");
}

// Runs a plan, of landmarks or of `what` else, on series that have been checked.
template <typename Plan>
void run_plan(const Plan& plan, const In<double, 2>& values, const In<int64_t, 1>& offsets, const Out& out, const Stop& stop,
              const std::string& what = "landmarks") {
    if ((int64_t)values.shape(1) != plan.channels())
        throw std::invalid_argument("series and " + what + " differ in their number of channels");
    if (stop.shape(0) < 1) throw std::invalid_argument("stop must hold one byte");
    const int64_t n = (int64_t)offsets.shape(0) - 1, stride = row_stride(out, n, plan.n_landmarks());
    const WithoutGil released;
    plan.run(values.data(), offsets.data(), n, out.data(), stride, stop.data());
}

// Adds to the class of a plan what all of them have.
template <typename Plan, typename Run>
void add_run(nb::class_<Plan>& plan, Run run, const char* doc) {
    plan.def_prop_ro("n_landmarks", &Plan::n_landmarks)
        .def_prop_ro("nbytes", &Plan::nbytes)
        // A conversion would write to, or poll, a copy.
        .def("run", run, nb::arg("values"), nb::arg("offsets"), nb::arg("out").noconvert(), nb::arg("stop").noconvert(), doc);
}

}  // namespace seamark
