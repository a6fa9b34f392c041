// Python face of the kernels of random convolutions.
#include <nanobind/stl/string.h>

#include "bind_series.hpp"
#include "convolution_plan.hpp"

namespace seamark {

constexpr int64_t kKernels = 84;
constexpr int64_t kFarthest = int64_t{1} << 22;  // dilation: a shorter series is made as long as a kernel

static void check_arrays(const ConvolutionArrays& a, int64_t n_channels) {
    for (int64_t i = 0; i < a.n_combinations; ++i) {
        if (a.kernels[i] < 0 || a.kernels[i] >= kKernels) throw std::invalid_argument("kernels are numbered from 0 to 83");
        if (a.dilations[i] < 1 || a.dilations[i] > kFarthest) throw std::invalid_argument("a dilation is out of range");
        if (a.channel_offsets[i] == a.channel_offsets[i + 1]) throw std::invalid_argument("a combination has no channels");
        for (int64_t k = a.channel_offsets[i]; k < a.channel_offsets[i + 1]; ++k)
            if (a.channels[k] < 0 || a.channels[k] >= n_channels) throw std::invalid_argument("a combination has a channel that series lack");
    }
    for (int64_t f = 0; f < a.n_features; ++f)
        if (a.owners[f] < 0 || a.owners[f] >= a.n_combinations) throw std::invalid_argument("a feature belongs to no combination");
}

static void make(ConvolutionPlan* self, In<int64_t, 1> kernels, In<int64_t, 1> dilations, In<uint8_t, 1> padded,
                 In<int64_t, 1> channels, In<int64_t, 1> channel_offsets, In<int64_t, 1> owners, In<double, 1> biases,
                 int64_t n_channels, const std::string& isa) {
    const size_t n = kernels.shape(0);
    if (dilations.shape(0) != n || padded.shape(0) != n || channel_offsets.shape(0) != n + 1 || owners.shape(0) != biases.shape(0))
        throw std::invalid_argument("the arrays of convolutions differ in length");
    check_offsets(channel_offsets, (int64_t)channels.shape(0));
    const ConvolutionArrays arrays{kernels.data(),         dilations.data(), padded.data(), channels.data(),
                                   channel_offsets.data(), (int64_t)n,       owners.data(), biases.data(), (int64_t)biases.shape(0)};
    check_arrays(arrays, n_channels);
    new (self) ConvolutionPlan(arrays, n_channels, isa_from_name(isa));
}

static void run(const ConvolutionPlan& plan, In<double, 2> values, In<int64_t, 1> offsets, Out out, Stop stop) {
    check_series(values, offsets, "a series is empty");
    run_plan(plan, values, offsets, out, stop, "plan");
}

void bind_convolution(nb::module_& m) {
    nb::class_<ConvolutionPlan> plan(m, "ConvolutionPlan", "Random convolutions laid out for series; threads may share a plan.");
    plan.def("__init__", &make, nb::arg("kernels"), nb::arg("dilations"), nb::arg("padded"), nb::arg("channels"),
             nb::arg("channel_offsets"), nb::arg("owners"), nb::arg("biases"), nb::arg("n_channels"), nb::arg("isa"));
    add_run(plan, &run, "Write the shares of places of the series that lie above the biases into out.");
}

}  // namespace seamark
