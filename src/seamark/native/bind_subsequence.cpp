// Python face of the subsequence kernels.
#include <nanobind/stl/string.h>

#include "bind_series.hpp"
#include "subsequence_plan.hpp"

namespace seamark {

constexpr int64_t kLongestSpan = int64_t{1} << 24;

// Checks that every window has as many values in each of its channels, and channels that there are.
static void check_windows(const WindowArrays& w, int64_t n_channels) {
    for (int64_t i = 0; i < w.n; ++i) {
        const int64_t count = w.channel_offsets[i + 1] - w.channel_offsets[i], values = w.offsets[i + 1] - w.offsets[i];
        if (count < 1 || values < 1 || values % count) throw std::invalid_argument("a window has no values, or not as many in each channel");
        if (w.dilations[i] < 1 || w.dilations[i] > kLongestSpan || (values / count - 1) > kLongestSpan / w.dilations[i])
            throw std::invalid_argument("the dilation of a window is out of range");
        for (int64_t k = w.channel_offsets[i]; k < w.channel_offsets[i + 1]; ++k)
            if (w.channels[k] < 0 || w.channels[k] >= n_channels) throw std::invalid_argument("a window lies in a channel that series lack");
    }
}

static void make(SubsequencePlan* self, In<double, 1> values, In<int64_t, 1> offsets, In<int64_t, 1> dilations,
                 In<int64_t, 1> channels, In<int64_t, 1> channel_offsets, In<uint8_t, 1> normalised, In<uint8_t, 1> differenced,
                 int64_t n_channels, double flat, const std::string& isa) {
    const size_t n = dilations.shape(0);
    if (offsets.shape(0) != n + 1 || channel_offsets.shape(0) != n + 1 || normalised.shape(0) != n || differenced.shape(0) != n)
        throw std::invalid_argument("the arrays of windows differ in length");
    check_offsets(offsets, (int64_t)values.shape(0));
    check_offsets(channel_offsets, (int64_t)channels.shape(0));
    const WindowArrays windows{values.data(),          offsets.data(),    dilations.data(),   channels.data(),
                               channel_offsets.data(), normalised.data(), differenced.data(), (int64_t)n};
    check_windows(windows, n_channels);
    new (self) SubsequencePlan(windows, n_channels, flat, isa_from_name(isa));
}

static void run(const SubsequencePlan& plan, In<double, 2> values, In<int64_t, 1> offsets, Out out, Stop stop) {
    check_offsets(offsets, (int64_t)values.shape(0));
    for (size_t i = 0; i + 1 < offsets.shape(0); ++i)
        if (offsets.data()[i] == offsets.data()[i + 1]) throw std::invalid_argument("a series is empty");
    run_plan(plan, values, offsets, out, stop, "plan");
}

void bind_subsequence(nb::module_& m) {
    nb::class_<SubsequencePlan> plan(m, "SubsequencePlan", "Windows laid out to be found in series; threads may share a plan.");
    plan.def("__init__", &make, nb::arg("values"), nb::arg("offsets"), nb::arg("dilations"), nb::arg("channels"),
             nb::arg("channel_offsets"), nb::arg("normalised"), nb::arg("differenced"), nb::arg("n_channels"), nb::arg("flat"),
             nb::arg("isa"));
    add_run(plan, &run, "Write the distances of the windows to the nearest places of the series into out.");
}

}  // namespace seamark
